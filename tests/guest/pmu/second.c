// SPDX-License-Identifier: GPL-2.0-or-later
/* second.c - the same once more, as a module of its own: the other core type of a hybrid CPU, with another description. */
#define SECOND_PMU
#include "counters.c"
#include "description.c"
#include "pmu.c"
