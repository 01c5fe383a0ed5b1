/* SPDX-License-Identifier: GPL-2.0-or-later */
/* places_file.h - the part of the counts' file that says where: threads, places, call stacks, and counts of each. */
#ifndef TOPDOWN_SIMULATOR_GUEST_PLACES_FILE_H
#define TOPDOWN_SIMULATOR_GUEST_PLACES_FILE_H

#include "simulator/guest/core_totals.h"
#include "simulator/guest/source_rows.h"
#include "simulator/guest/writer.h"

/* totals say how much of everything was modelled. */
void write_places(struct writer *writer, struct source_rows *rows, const struct guest_threads *threads,
		  const struct totals *totals);

#endif
