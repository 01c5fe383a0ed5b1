/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor_parts.h - a diagnosis as a part of something larger: its table, and what it comes to. */
#ifndef TOPDOWN_PRESENT_MACHINE_DOCTOR_PARTS_H
#define TOPDOWN_PRESENT_MACHINE_DOCTOR_PARTS_H

#include "present/document/document.h"

/* A row for each check. Of what is in order the text says more with is_verbose only. */
struct grid *doctor_checks(const struct diagnosis *diagnosis, bool is_verbose, struct arena *arena);

/* Can the level be measured? A sentence. */
const char *doctor_conclusion(const struct diagnosis *diagnosis, struct arena *arena);

#endif
