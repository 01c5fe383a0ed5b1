/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/perftool/perftool_internal.h"

#include <math.h>
#include <string.h>

#include "common/base/text.h"

#define MOST_MS 1e9 /* above, a mean of nanoseconds is likelier than weeks of CPU time */

enum clock { CLOCK_WALL, CLOCK_CPU, CLOCK_USER, CLOCK_SYSTEM, CLOCKS };

static const struct {
	const char *event;
	enum clock clock;
} events[] = {
	/* clang-format off */
	{ "duration_time", CLOCK_WALL },
	{ "task-clock",    CLOCK_CPU },
	{ "cpu-clock",     CLOCK_CPU },
	{ "user_time",     CLOCK_USER },
	{ "system_time",   CLOCK_SYSTEM },
	/* clang-format on */
};

/* CLOCKS: it is none. */
static enum clock clock_of(const char *event)
{
	size_t length = strcspn(event, ":");

	for (size_t i = 0; i < COUNT_OF(events); i++)
		if (strlen(events[i].event) == length && !memcmp(events[i].event, event, length))
			return events[i].clock;
	return CLOCKS;
}

bool is_perf_clock(const char *event)
{
	return clock_of(event) != CLOCKS;
}

static double seconds_of(const struct perf_line *line)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "msec", 1e-3 }, { "usec", 1e-6 }, { "sec", 1 } };

	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (!strcmp(units[i].unit, line->unit))
			return line->value * units[i].seconds;
	/* "ns", and raw numbers; perf up to 3.x prints milliseconds with decimals, without a unit */
	return line->value * (!*line->unit && line->value != floor(line->value) && line->value < MOST_MS ? 1e-3 : 1e-9);
}

void perf_clocks_fill(struct count_run *run, const struct perf_record *record, const struct perf_clocks *clocks)
{
	const struct perf_output *output = &record->outputs[clocks->output];
	double seconds[CLOCKS] = { output->wall_s, NOT_COUNTED, output->user_s, output->system_s };

	for (size_t i = 0; i < record->count; i++) {
		const struct perf_line *line = &record->lines[i];
		enum clock clock = clock_of(line->event);

		if (line->output != clocks->output || clock == CLOCKS || line->kind != PERF_COUNTED)
			continue;
		if (clock == CLOCK_WALL || compare_texts(line->place, clocks->place) == 0)
			seconds[clock] = seconds_of(line);
	}
	if (clocks->place)
		seconds[CLOCK_USER] = NOT_COUNTED; /* that of all places */
	run->wall_s = seconds[CLOCK_WALL];
	run->cpu_s = isnan(seconds[CLOCK_CPU]) ? seconds[CLOCK_USER] + seconds[CLOCK_SYSTEM] : seconds[CLOCK_CPU];
	if (clocks->is_divided)
		run->cpu_s = NOT_COUNTED;
}
