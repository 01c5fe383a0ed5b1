/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_shape.h - the members of a session file as tables: the same rows write them and read them back, strictly. */
#ifndef TOPDOWN_COMMON_JSON_JSON_SHAPE_H
#define TOPDOWN_COMMON_JSON_JSON_SHAPE_H

#include <stddef.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/json/json_read.h"
#include "common/json/json_write.h"

enum field_kind {
	FIELD_TEXT,	      /* const char *, not empty */
	FIELD_TEXT_OR_NULL,   /* const char *, NULL: unknown */
	FIELD_TEXT_IF_ANY,    /* const char *, NULL: the file has no such member */
	FIELD_NUMBER_OR_NULL, /* double, not negative, NAN: unknown */
	FIELD_NUMBER_IF_ANY,  /* double, more than 0; 0: the file has no such member */
	FIELD_U64,	      /* uint64_t; above 2^63 - 1, where JSON's integers end here, a string of digits */
	FIELD_U32,	      /* uint32_t */
	FIELD_SIZE,	      /* size_t, at most SESSION_MOST */
	FIELD_SIZE_IF_ANY,    /* the same, 0: the file has no such member */
	FIELD_TRUE_IF_ANY,    /* bool, false: the file has no such member */
	FIELD_NUMBER_FROM_1,  /* size_t, from 0 in memory, from 1 in the file */
	FIELD_LEVEL,	      /* unsigned */
	FIELD_STATUS,	      /* int, 0 ... 255 */
	FIELD_CHOICE,	      /* an enum, by the names of its values */
	FIELD_KINDS,
};

#define SESSION_MOST 1000000 /* groups or runs; far beyond what any plan has */

struct field {
	const char *key;
	enum field_kind kind;
	size_t offset;		    /* in the struct that the shape describes */
	const char *const *choices; /* FIELD_CHOICE: the names in the enum's order, then NULL */
};

struct shape {
	const struct field *fields;
	size_t count;
	size_t size; /* of the struct */
};
/* Initializes the shape of a type by its table of fields. */
#define SHAPE(table, type)                                                                                             \
	{                                                                                                              \
		.fields = (table), .count = COUNT_OF(table), .size = sizeof(type)                                      \
	}

/*
 * The file that is read and where in it: errors begin with "source: list[index].key: ", "source: list.key: " when index
 * is NO_INDEX, and "source: key: " when list is NULL. What is read is copied into arena.
 */
struct file_position {
	const char *source, *list;
	size_t index;
	struct arena *arena;
};

#define NO_INDEX ((size_t)-1)

/* The members into the object that is open; an object of its own; an array of objects, one for each element. */
void fields_write(struct json_writer *writer, const struct shape *shape, const void *from);
void object_write(struct json_writer *writer, const char *key, const struct shape *shape, const void *from);
void objects_write(struct json_writer *writer, const char *key, const struct shape *shape, const void *first,
		   size_t count);
void texts_write(struct json_writer *writer, const char *key, const char *const *texts, size_t count);

/* -1 and err for the first member that is missing or not of its kind. */
int fields_read(void *to, const struct json *object, const struct shape *shape, const struct file_position *place,
		struct error *err) MUST_CHECK;

/*
 * The elements of an array, in new memory: structs of the shape, or texts. place has the array's name as its list; its
 * index is set. NULL and err where it is no array, or for the first element that is not as it must be.
 */
void *objects_read(size_t *count, const struct json *array, const struct shape *shape, struct file_position *place,
		   struct error *err) MUST_CHECK;
const char **texts_read(size_t *count, const struct json *array, struct file_position *place,
			struct error *err) MUST_CHECK;

/* "SOURCE: counts[3].raw: expected a whole number, found a string"; key NULL is what is at place. Returns -1. */
int field_error(struct error *err, const struct file_position *place, const char *key, const char *expected,
		const struct json *found);

#endif
