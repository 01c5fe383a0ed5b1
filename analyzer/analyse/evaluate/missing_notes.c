/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing_notes.c - flat counts may have events that this CPU does not have: a slip of the pen, or counts of another
 * CPU. And events of one mode ("cycles:u") beside those of another, of which no formula makes anything.
 */
#include <string.h>
#include <strings.h>

#include "analyse/evaluate/evaluation.h"
#include "common/base/table.h"
#include "cpu/event/event.h"
#include "cpu/event/spelling.h"

#define NAMED_EVENTS 3 /* the rest is counted */

struct names {
	struct table seen;
	struct string text; /* "A, B" */
	size_t count;
};

static struct names names_none(const struct evaluation *e)
{
	return (struct names){ .seen = TABLE_INIT(e->arena), .text = STRING_INIT(e->arena) };
}

static void unknown_add_name(struct names *names, const char *name)
{
	if (table_set(&names->seen, name, 0) == TABLE_NONE && names->count++ < NAMED_EVENTS)
		string_printf(&names->text, "%s%s", names->count > 1 ? ", " : "", name);
}

static const char *names_text(struct names *names)
{
	if (names->count > NAMED_EVENTS)
		string_printf(&names->text, " and %zu more", names->count - NAMED_EVENTS);
	return names->text.text;
}

/* Of the kernel or of another PMU, by the names that perf gives them. */
static bool is_elsewhere(const struct evaluation *e, const char *name)
{
	static const char *const clocks[] = { "duration_time", "user_time", "system_time" };
	const struct event_row *row = event_database_find(e->model->events.database, name);

	for (size_t i = 0; i < COUNT_OF(clocks); i++)
		if (is_same_name(clocks[i], name))
			return true;
	return (row && row->unit) || strncasecmp(name, "UNC_", strlen("UNC_")) == 0;
}

void note_unknown(struct evaluation *e)
{
	struct names unknown = names_none(e), known = names_none(e);

	for (size_t i = 0; e->counts->origin.is_flat && i < e->repeat->count; i++) {
		const char *event = e->repeat->items[i].event, *name = spelling_vendor_name(event, e->arena);

		if (!name || is_elsewhere(e, name))
			continue;
		unknown_add_name(
			e->bound[i] != TABLE_NONE || event_set_has(&e->model->events, event) ? &known : &unknown, name);
	}
	if (unknown.count && known.count)
		note_add(e, "%zu %s not known on %s: %s.", unknown.count,
			 unknown.count == 1 ? "event is" : "events are", e->model->cpu, names_text(&unknown));
	else if (unknown.count)
		note_add(e, "None of the vendor's events among these counts is known on %s: %s. Is {cpu} right?",
			 e->model->cpu, names_text(&unknown));
}

static bool is_of_one_mode(const struct evaluation *e, size_t item)
{
	struct error unread = { .text = "" };
	struct spelling parts;

	return e->bound[item] == TABLE_NONE &&
	       spelling_parse(&parts, e->repeat->items[item].event, e->arena, &unread) == 0 &&
	       (parts.user_only || parts.kernel_only) && event_set_has(&e->model->events, e->repeat->items[item].event);
}

/* Where all events have one mode, each is there under its plain name, too. */
void note_modes(struct evaluation *e)
{
	struct names names = names_none(e);

	for (size_t i = 0; e->counts->origin.is_flat && !e->counts->origin.scope && i < e->repeat->count; i++)
		if (is_of_one_mode(e, i))
			unknown_add_name(&names, e->repeat->items[i].event);
	if (names.count)
		note_add(e,
			 "Counted in different modes, so no value is computed from them: %s. Count all events with "
			 "the same :u or :k, or all without.",
			 names_text(&names));
}

void note_sockets(struct evaluation *e)
{
	struct names names = names_none(e);

	for (size_t i = 0; e->counts->origin.adds_sockets && i < e->repeat->count; i++) {
		size_t event = event_set_find(&e->model->events, e->repeat->items[i].event);

		if (event != TABLE_NONE && context_adds_sockets(e, event))
			unknown_add_name(&names, e->repeat->items[i].event);
	}
	if (names.count)
		note_add(e,
			 "No value is computed from %s: formulas want one socket's clock, perf stat adds up those of "
			 "all sockets, and the file does not have their number. perf stat --per-socket shows each.",
			 names_text(&names));
}
