/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roofline_events.h - which events of a CPU count floating-point operations, by type and width, and the bytes that go
 * between two levels of the memory (models/roofline.json). analyse/roofline/roofline.c places a program by them.
 */
#ifndef TOPDOWN_CPU_LOAD_ROOFLINE_EVENTS_H
#define TOPDOWN_CPU_LOAD_ROOFLINE_EVENTS_H

#include "cpu/event/event.h"

/* What is counted: operations, or bytes between a level and the one above it (of L1: the registers). */
enum roofline_quantity { ROOFLINE_FLOPS, ROOFLINE_L1, ROOFLINE_L2, ROOFLINE_L3, ROOFLINE_DRAM, ROOFLINE_QUANTITIES };

enum roofline_type { ROOFLINE_ANY_TYPE, ROOFLINE_F64, ROOFLINE_F32, ROOFLINE_TYPES };

#define ROOFLINE_ANY_BITS (-1) /* scalar operations and those of vectors together */
#define ROOFLINE_VECTOR	  0    /* of vectors of whatever width */

struct roofline_event {
	const char *name;
	double each; /* operations or bytes that one count stands for */
	enum roofline_type type;
	int bits; /* of the vectors, or of the scalar; or one of the above */
};

/* Events that together count one quantity. */
struct roofline_set {
	enum roofline_quantity quantity;
	const char *source; /* what they count, or who says so */
	const char *note;   /* what is not among it; NULL: nothing */
	bool is_machine;    /* they count all of the machine, whoever runs there */
	struct roofline_event *events;
	size_t count;
};

/* Those whose events a CPU has all, the best of each quantity first. */
struct roofline_sets {
	struct roofline_set *items;
	size_t count;
};

/* "flops", "L1", "L2", "L3", "DRAM" */
const char *roofline_quantity_name(enum roofline_quantity quantity);
/* "any", "f64", "f32" */
const char *roofline_type_name(enum roofline_type type);

/* For which CPU a file is read. */
struct roofline_reader {
	const char *path, *cpu;
	const struct event_database *database;
};

/*
 * Reads path. The sets live in arena, and borrow nothing from the file. -1 and err, with the file and the set, when it
 * can't be read or says what makes no sense.
 */
int roofline_events_load(struct roofline_sets *sets, const struct roofline_reader *reader, struct arena *arena,
			 struct error *err) MUST_CHECK;

/* Whose points are asked for. */
enum roofline_wish { ROOFLINE_UNASKED, ROOFLINE_OF_WHOLE, ROOFLINE_OF_FUNCTIONS };

/*
 * The names of the events to count, separated by commas: of each quantity the first set; NULL: there are none.
 * is_machine: those that count all of the machine are among them; for functions, the first one that a core counts too.
 */
const char *roofline_events_list(const struct roofline_sets *sets, bool is_machine, enum roofline_wish wish,
				 struct arena *arena);

#endif
