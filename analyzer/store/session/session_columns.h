/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_columns.h - many equal elements as an object of columns, each an array of numbers: a table of columns writes
 * and reads them. A column may refer to another list, or to the texts of the document.
 */
#ifndef TOPDOWN_STORE_SESSION_SESSION_COLUMNS_H
#define TOPDOWN_STORE_SESSION_SESSION_COLUMNS_H

#include "common/json/json_shape.h"

/* What a column's numbers may refer to. */
enum list {
	LIST_TEXTS,
	LIST_MODULES,
	LIST_PLACES,
	LIST_STACKS,
	LIST_TASKS,
	LIST_EVENTS,
	LIST_ITEMS,
	LIST_ROWS,
	LIST_GROUPS,
	LIST_LOOPS,
	LISTS
};

enum column_kind {
	COLUMN_INDEX,	      /* uint32_t, of a list */
	COLUMN_INDEX_OR_NONE, /* the same, or PROFILE_NONE, which the file has as -1 */
	COLUMN_ITEM,	      /* size_t, of a list */
	COLUMN_TEXT,	      /* const char *, as a number of "texts"; NULL: -1 */
	COLUMN_U32,
	COLUMN_U64,    /* above 2^63 - 1 a string of digits, as everywhere in a session */
	COLUMN_NUMBER, /* double from 0 */
	COLUMN_TRUTH,  /* bool, 0 or 1 */
	COLUMN_METHOD, /* enum stack_method, its number */
	COLUMN_LOOP,   /* uint32_t, of LIST_LOOPS, from 1; 0: of none */
};

struct column {
	const char *key;
	enum column_kind kind;
	size_t offset;
	enum list list;	  /* of COLUMN_INDEX, COLUMN_INDEX_OR_NONE and COLUMN_ITEM */
	bool is_optional; /* left out where all are 0, or NULL */
};

/* Elements of one kind. */
struct elements {
	const char *key;
	const struct column *columns;
	size_t ncolumns;
	size_t size; /* of an element */
};

#define ELEMENTS(name, table, type)                                                                                    \
	{                                                                                                              \
		.key = (name), .columns = (table), .ncolumns = COUNT_OF(table), .size = sizeof(type)                   \
	}

/* Elements in memory. */
struct array_of {
	void *first;
	size_t count, size;
};

#define ARRAY_OF(pointer, number)                                                                                      \
	(&(struct array_of){ .first = (pointer), .count = (number), .size = sizeof(*(pointer)) })

/* The texts that columns refer to: each once, as strcmp has them in order. */
struct text_list {
	const char **items;
	size_t count;
};

void elements_write(struct json_writer *writer, const struct elements *elements, const struct array_of *array,
		    const struct text_list *texts);

struct column_reader {
	struct file_position place; /* its list and index are the reader's */
	size_t sizes[LISTS];	    /* of what numbers refer to; those that are not read yet are 0 */
	const char **texts;	    /* [sizes[LIST_TEXTS]] */
};

/*
 * The elements in new memory; the first column has as many numbers as there are elements. -1 and err where a column is
 * missing, is longer or shorter, or has what it must not have.
 */
int elements_read(struct array_of *read, struct column_reader *reader, const struct elements *elements,
		  const struct json *object, struct error *err) MUST_CHECK;

#endif
