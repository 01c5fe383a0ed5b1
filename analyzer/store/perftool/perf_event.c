/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/perftool/perftool_internal.h"

#include <string.h>

#include "common/base/text.h"

/* "cpu_core" of "cpu_core/cycles/"; NULL: it names no type of cores. */
const char *perf_event_pmu(const char *event, struct arena *arena)
{
	size_t length = strcspn(event, "/");

	return has_name_prefix(event, "cpu_") && event[length] ? arena_strndup(arena, event, length) : NULL;
}

/* Clocks and other PMUs count for all types of cores. */
bool is_perf_event_for_all(const char *event)
{
	return strchr(event, '/') || is_same_name(event, "duration_time");
}

bool is_perf_software(const char *event)
{
	static const char *const names[] = { "context-switches", "cpu-migrations", "page-faults",
					     "minor-faults",	 "major-faults",   "cs",
					     "migrations",	 "faults",	   "alignment-faults",
					     "emulation-faults" };
	size_t length = strcspn(event, ":");

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (strlen(names[i]) == length && !memcmp(names[i], event, length))
			return true;
	return false;
}

/* Where the letters behind the last slash or colon begin ("u", "kpp"); the text's end when there are none. */
size_t perf_event_letters(const char *event)
{
	const char *slash = strrchr(event, '/'), *colon = strrchr(event, ':');
	const char *mark = slash ? slash : colon;

	if (slash && colon > slash)
		mark = colon;
	if (!mark || mark == event || !mark[1] || mark[1 + strspn(mark + 1, "ukhpPGHSDWbe")])
		return strlen(event);
	return (size_t)(mark - event) + 1;
}

enum seen_scope perf_event_scope(const char *event)
{
	const char *letters = event + perf_event_letters(event);
	bool is_user = strchr(letters, 'u') != NULL, is_kernel = strchr(letters, 'k') != NULL;

	if (is_user == is_kernel)
		return SEEN_BOTH;
	return is_user ? SEEN_USER : SEEN_KERNEL;
}
