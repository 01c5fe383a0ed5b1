/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_profile.h - counts by source line as a profile, for the views that work on profiles. */
#ifndef TOPDOWN_ANALYSE_HOTSPOTS_LINE_PROFILE_H
#define TOPDOWN_ANALYSE_HOTSPOTS_LINE_PROFILE_H

#include "common/measurement/profile.h"

/* A row for each line, without callers. A place's address is the line's number. Lives in arena. */
struct profile *profile_of_lines(const struct counts *counts, struct arena *arena);

#endif
