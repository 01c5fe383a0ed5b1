/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_event.h - what the name of an event says, as perf stat prints it: PMU, scope, whether a core counts it. */
#ifndef TOPDOWN_STORE_PERFTOOL_PERF_EVENT_H
#define TOPDOWN_STORE_PERFTOOL_PERF_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"

/* Of all events of a part; MIXED: they differ. */
enum seen_scope { SEEN_NONE, SEEN_BOTH, SEEN_USER, SEEN_KERNEL, SEEN_MIXED };

/* "cpu_core" of "cpu_core/cycles/"; NULL: it names no type of cores. */
const char *perf_event_pmu(const char *event, struct arena *arena) MUST_CHECK;

/* Is it counted for all types of cores: a clock, or an event of another PMU? */
bool is_perf_event_for_all(const char *event);

/* Does the kernel count it, without a PMU? Then its scope says nothing. */
bool is_perf_software(const char *event);

/* Where the letters behind the last slash or colon begin ("u", "kpp"); the text's end when there are none. */
size_t perf_event_letters(const char *event);

/* By these letters: SEEN_BOTH, SEEN_USER or SEEN_KERNEL. */
enum seen_scope perf_event_scope(const char *event);

#endif
