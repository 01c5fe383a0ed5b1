/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_copies.c - the same output twice in a text, such as a mail with the one it answers, is one measurement. */
#include <math.h>

#include "common/base/table.h"
#include "common/base/text.h"
#include "store/perftool/perf_record.h"

/* Only times are long enough to distinguish an output from another that counted the same. */
static bool is_timed(const struct perf_record *record, size_t output, size_t first)
{
	bool is_timed = !isnan(record->outputs[output].wall_s);

	for (size_t i = first; i < record->count && record->lines[i].output == output; i++)
		is_timed = is_timed || record->lines[i].running_ns > 0;
	return is_timed;
}

/* All that perf printed of the output whose lines begin at first. */
static const char *contents_of(const struct perf_record *record, size_t output, size_t first)
{
	const struct perf_output *from = &record->outputs[output];
	struct string text = STRING_INIT(record->arena);

	string_printf(&text, "%s\n%.17g %.17g %.17g\n", from->subject ? from->subject : "", from->wall_s, from->user_s,
		      from->system_s);
	for (size_t i = first; i < record->count && record->lines[i].output == output; i++) {
		const struct perf_line *line = &record->lines[i];

		string_printf(&text, "%s %s %d %.17g %.17g %.17g %.17g\n", line->event, line->place ? line->place : "",
			      (int)line->kind, line->value, line->running_ns, line->percent, line->until_s);
	}
	return text.text;
}

static bool is_copy(const struct perf_record *record, struct table *seen, size_t first)
{
	size_t output = record->lines[first].output;

	return is_timed(record, output, first) &&
	       table_set(seen, contents_of(record, output, first), output) != TABLE_NONE;
}

void perf_record_drop_copies(struct perf_record *record)
{
	struct table seen = TABLE_INIT(record->arena);
	struct perf_line *kept = arena_array(record->arena, record->count + 1, sizeof(*kept));
	size_t count = 0;
	bool is_dropped = false;

	for (size_t i = 0; i < record->count; i++) {
		if (i == 0 || record->lines[i].output != record->lines[i - 1].output)
			is_dropped = is_copy(record, &seen, i);
		if (!is_dropped)
			kept[count++] = record->lines[i];
	}
	record->lines = kept;
	record->count = record->capacity = count;
}
