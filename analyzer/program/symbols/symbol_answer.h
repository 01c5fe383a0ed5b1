/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol_answer.h - the names of a module's places, on their way from the process that looked them up. Texts are there
 * once. The reader believes nothing: the writer has worked on a file from strangers.
 */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_SYMBOL_ANSWER_H
#define TOPDOWN_PROGRAM_SYMBOLS_SYMBOL_ANSWER_H

#include "common/base/error.h"
#include "common/base/text.h"
#include "common/measurement/profile.h"

#define ANSWER_NO_TEXT	   0	       /* NULL */
#define ANSWER_MOST_TEXT   (64u << 10) /* bytes of a text; the rest is cut, and "..." says so */
#define ANSWER_MOST_FRAMES 256	       /* of a place */

/* How it went; symbols.c has the sentences. */
enum answer_state {
	ANSWER_COMPLETE,
	ANSWER_EXPORTED,   /* only exported functions have names */
	ANSWER_UNREADABLE, /* no ELF file */
	ANSWER_HIDDEN,	   /* kallsyms: addresses are zeros */
	ANSWER_OTHER,	   /* kallsyms, vdso: of another kernel */
	ANSWER_NO_MAP,	   /* JIT: the process wrote no map, or one that is not to be trusted */
	ANSWER_STATES
};

struct answer_frame {
	uint64_t begin, size;
	uint32_t function, file; /* texts' numbers */
	uint32_t line;
	uint32_t more; /* frames of the same place that follow; a place's frames: innermost first */
};

struct answer {
	struct arena *arena;
	enum answer_state state;
	struct answer_frame *frames;
	uint32_t *places; /* the number of each frame's place, sorted */
	size_t nframes, frame_room, place_room;
	struct string texts; /* each ended by '\0' */
	size_t ntexts;
	uint32_t *slots; /* of a hash table: text's number; 0: free */
	size_t nslots;
	size_t *starts; /* text n begins at starts[n - 1] */
	size_t start_room;
};

/* The numbers that places have in the profile, by those that they have in an answer. */
struct answer_places {
	const uint32_t *numbers;
	size_t count;
};

void answer_init(struct answer *answer, struct arena *arena);

/* The number of a text: valid UTF-8, with \x.. for what was none. NULL and "": ANSWER_NO_TEXT. */
uint32_t answer_text(struct answer *answer, const char *text);
const char *answer_text_of(const struct answer *answer, uint32_t number);

/* Another frame of a place; places rise, a place's frames come one after the other. False: it has too many. */
bool answer_add(struct answer *answer, uint32_t place, const struct answer_frame *frame);

/* Writes it into a pipe: 0, or -1. */
int answer_write(const struct answer *answer, int descriptor) MUST_CHECK;

/*
 * Gives frames, in the profile's arena, to the places that were asked for. -1 where the bytes are no answer: then
 * nothing is changed.
 */
int answer_read(struct profile *profile, const struct answer_places *asked, const void *bytes, size_t length,
		enum answer_state *state) MUST_CHECK;

#endif
