/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/perftool/perftool_internal.h"

#include <ctype.h>
#include <math.h>
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

/*
 * What the kernel has scaled in sysfs, or names otherwise (arch/x86/events/intel/core.c and uncore_snbep.c). unit of an
 * alias: what one count of the vendor's event is of the kernel's value.
 */
static const struct {
	const char *name, *event;
	double one;
} alias_rows[] = {
	/* clang-format off */
	{ "topdown-total-slots",      "CPU_CLK_UNHALTED.THREAD",     4 }, /* before Ice Lake */
	{ "topdown-total-slots",      "CPU_CLK_UNHALTED.THREAD_ANY", 2 },
	{ "topdown-recovery-bubbles", "INT_MISC.RECOVERY_CYCLES",     4 },
	{ "topdown-recovery-bubbles", "INT_MISC.RECOVERY_CYCLES_ANY", 2 },
	{ "uncore_imc/cas_count_read/",            "UNC_M_CAS_COUNT.RD",      64 }, /* bytes */
	{ "uncore_imc/cas_count_write/",           "UNC_M_CAS_COUNT.WR",      64 },
	{ "uncore_imc/cas_count_read_sch0/",       "UNC_M_CAS_COUNT_SCH0.RD", 64 },
	{ "uncore_imc/cas_count_read_sch1/",       "UNC_M_CAS_COUNT_SCH1.RD", 64 },
	{ "uncore_imc/cas_count_write_sch0/",      "UNC_M_CAS_COUNT_SCH0.WR", 64 },
	{ "uncore_imc/cas_count_write_sch1/",      "UNC_M_CAS_COUNT_SCH1.WR", 64 },
	{ "uncore_imc_free_running/read/",         "UNC_M_CAS_COUNT.RD",      64 },
	{ "uncore_imc_free_running/write/",        "UNC_M_CAS_COUNT.WR",      64 },
	/* clang-format on */
};

static double bytes_of(const char *unit)
{
	static const struct {
		const char *unit;
		double bytes;
	} units[] = { { "Bytes", 1 }, { "KiB", 0x1p10 }, { "MiB", 0x1p20 }, { "GiB", 0x1p30 }, { "MB", 1e6 } };

	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (!strcmp(units[i].unit, unit))
			return units[i].bytes;
	return NOT_COUNTED;
}

/* "cpu/event=cpu-cycles,percore/" is cpu-cycles: of a core, which the place says. */
static const char *without_percore(const char *event, struct arena *arena)
{
	static const char prefix[] = "cpu/event=", end[] = ",percore/";
	size_t length = strlen(event), name = length - strlen(prefix) - strlen(end);

	if (length <= strlen(prefix) + strlen(end) || !has_name_prefix(event, prefix) ||
	    strcmp(event + length - strlen(end), end) != 0)
		return NULL;
	return isalpha((unsigned char)event[strlen(prefix)])
		       ? arena_strndup(arena, event + strlen(prefix), name)
		       : arena_printf(arena, "%.*s/", (int)(length - strlen(end)), event);
}

/* The length of "_0" behind the PMU of "uncore_imc_0/cas_count_read/"; 0: it names no single unit. */
static size_t unit_length(const char *event)
{
	size_t end = strcspn(event, "/"), start = end;

	while (start && isdigit((unsigned char)event[start - 1]))
		start--;
	return event[end] && start && start < end && event[start - 1] == '_' ? end - start + 1 : 0;
}

static bool is_alias(const char *name, const char *event)
{
	size_t unit = unit_length(event), front = strcspn(event, "/") - unit;

	return !strncmp(name, event, front) && is_same_name(name + front, event + front + unit);
}

size_t perf_event_aliases(struct perf_alias *aliases, const char *event, const char *unit, struct arena *arena)
{
	const char *plain = without_percore(event, arena);
	double bytes = bytes_of(unit);
	size_t count = 0;

	if (plain)
		aliases[count++] = (struct perf_alias){ .event = plain, .factor = 1 };
	for (size_t i = 0; !plain && i < COUNT_OF(alias_rows) && count < MOST_ALIASES; i++)
		if (is_alias(alias_rows[i].name, event))
			aliases[count++] = (struct perf_alias){
				.event = alias_rows[i].event,
				.factor = !strchr(event, '/') ? 1 / alias_rows[i].one
					  : isnan(bytes)      ? 1
							      : bytes / alias_rows[i].one,
				.is_part = unit_length(event) > 0,
			};
	return count;
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
