/* SPDX-License-Identifier: GPL-2.0-or-later */
/* writer.h - the lines of a file in the form of wire.h, on their way there. */
#ifndef TOPDOWN_SIMULATOR_GUEST_WRITER_H
#define TOPDOWN_SIMULATOR_GUEST_WRITER_H

#include "simulator/guest/valgrind.h"
#include "simulator/model/core.h"
#include "simulator/wire.h"

struct writer {
	Int fd;
	UInt used;
	Bool has_failed; /* something could not be written */
	HChar text[16384];
};

struct counted {
	enum wire_count count;
	ULong value;
};

/* The count of the slots that were lost so. */
enum wire_count cause_count(enum cause cause);

void writer_init(struct writer *writer, Int fd);

/* Text that is longer than the buffer is cut. */
void writer_add(struct writer *writer, const HChar *text);

/* So that it is one field of a line; NULL: empty. */
void writer_add_text(struct writer *writer, const HChar *text);

/* A line of up to ten numbers behind a mark, between tabs. */
void writer_add_numbers(struct writer *writer, HChar mark, const UInt *numbers, UInt count);

/* A line for each. */
void writer_add_count(struct writer *writer, enum wire_count count, ULong value);
void writer_add_counts(struct writer *writer, const struct counted *counts, UInt count);

void writer_flush(struct writer *writer);

#endif
