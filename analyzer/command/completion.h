/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * completion.h - what can stand at the end of a command line that is being typed in a shell: options of the tables, and
 * names of the databases.
 */
#ifndef TOPDOWN_COMMAND_COMPLETION_H
#define TOPDOWN_COMMAND_COMPLETION_H

#include "command/options.h"

#define NO_PROGRAM ((size_t)-1)

/* Where the cursor stands: at the end of the last word. All is borrowed from the words. */
struct completion_place {
	const struct command *command;
	const struct option_row *option; /* whose value it is; NULL: the name of an option, or a word */
	const char *word;		 /* all that is typed of it, perhaps nothing */
	size_t from;			 /* where in it the value begins: behind "--cpu=" */
	size_t program;			 /* the number of the word that is the program to be measured, or NO_PROGRAM */
	const char *first, *second;	 /* the command's own words before; NULL: there are less */
	bool is_option, may_be_command;
};

/* count words from 1; they follow "topdown". */
void completion_find(struct completion_place *place, char **words, size_t count);

/* What the shell knows itself, and adds. */
enum completion_more { MORE_NOTHING, MORE_FILES, MORE_FOLDERS, MORE_PROGRAM };

struct candidate {
	const char *word; /* whole, with what was typed before it */
	const char *what; /* in short, or NULL */
};

struct completion {
	struct arena *arena;
	const char *head;  /* the word's beginning that stays: "--nodes=Retiring," */
	const char *typed; /* behind it */
	struct candidate *items;
	size_t count, capacity;
	enum completion_more more;
};

/* What fits, in the order of tables and databases. Names are those of the CPU that options says; without it none. */
void completion_fill(struct completion *completion, const struct completion_place *place,
		     const struct options *options);

#endif
