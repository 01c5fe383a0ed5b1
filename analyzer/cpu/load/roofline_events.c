/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/load/roofline_events.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "common/base/text.h"
#include "common/json/json_bulk.h"

static const char *const quantity_names[ROOFLINE_QUANTITIES] = { "flops", "L1", "L2", "L3", "DRAM" };
static const char *const type_names[ROOFLINE_TYPES] = { "any", "f64", "f32" };

const char *roofline_quantity_name(enum roofline_quantity quantity)
{
	return quantity_names[quantity];
}

const char *roofline_type_name(enum roofline_type type)
{
	return type_names[type];
}

/* The file while it is read. */
struct reading {
	struct roofline_sets *sets;
	const struct event_database *database;
	const char *cpu, *path;
	const char *name; /* of the set whose events follow; NULL: none so far */
	size_t capacity, events_capacity;
	bool is_for_cpu; /* and the CPU has all of its events so far */
	struct arena *arena;
};

static int roofline_events_fail(const struct reading *r, const char *sentence, struct error *err)
{
	return error_set(err, "%s: '%s': %s", r->path, r->name ? r->name : "?", sentence);
}

static int roofline_events_choice_of(const char *word, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (word && !strcmp(word, names[i]))
			return (int)i;
	return -1;
}

static bool is_any_of(const char *patterns, const char *name, struct arena *arena)
{
	const char *part;
	size_t length;

	while ((length = text_next(&patterns, ";", &part)) > 0)
		if (fnmatch(arena_strndup(arena, part, length), name, 0) == 0)
			return true;
	return false;
}

static struct roofline_set *last_set(const struct reading *r)
{
	return &r->sets->items[r->sets->count - 1];
}

/* The set above has all of its rows: one that the CPU lacks an event of is none. */
static int close_set(const struct reading *r, struct error *err)
{
	if (!r->name)
		return 0;
	if (r->is_for_cpu && !last_set(r)->count)
		return roofline_events_fail(r, "it has no event", err);
	if (!r->is_for_cpu)
		r->sets->count--;
	return 0;
}

static int open_set(struct reading *r, const struct bulk_object *row, struct error *err)
{
	const char *cpu = bulk_get(row, "Cpu"), *scope = bulk_get(row, "Scope");
	struct roofline_set set = { .source = bulk_get(row, "Source"), .note = bulk_get(row, "Note") };
	int quantity;

	if (close_set(r, err) < 0)
		return -1;
	r->name = bulk_get(row, "Set");
	quantity = roofline_events_choice_of(bulk_get(row, "Of"), quantity_names, ROOFLINE_QUANTITIES);
	if (quantity < 0)
		return roofline_events_fail(r, "Of: it is flops, L1, L2, L3 or DRAM", err);
	if (!set.source)
		return roofline_events_fail(r, "it has no Source", err);
	if (scope && strcmp(scope, "machine") != 0)
		return roofline_events_fail(r, "Scope: it is machine, or not there", err);
	set.quantity = (enum roofline_quantity)quantity;
	set.is_machine = scope != NULL;
	r->sets->items = arena_grow(r->arena, r->sets->items, r->sets->count, &r->capacity, sizeof(set));
	r->sets->items[r->sets->count++] = set;
	r->events_capacity = 0;
	r->is_for_cpu = !cpu || is_any_of(cpu, r->cpu, r->arena);
	return 0;
}

static int roofline_events_read_event(struct roofline_event *event, const struct reading *r,
				      const struct bulk_object *row, struct error *err)
{
	const char *each = bulk_get(row, "Each"), *bits = bulk_get(row, "Bits"), *type = bulk_get(row, "Type");
	double number = ROOFLINE_ANY_BITS;
	int place = type ? roofline_events_choice_of(type, type_names, ROOFLINE_TYPES) : ROOFLINE_ANY_TYPE;

	event->name = bulk_get(row, "EventName");
	if (!event->name)
		return roofline_events_fail(r, "a row without EventName", err);
	if (!each || !text_double(each, &event->each) || !(event->each > 0) || !isfinite(event->each))
		return roofline_events_fail(r, "Each: it is a number above 0", err);
	if (place < 0)
		return roofline_events_fail(r, "Type: it is f64, f32 or any", err);
	if (bits && (!text_double(bits, &number) || number < ROOFLINE_ANY_BITS || number > 4096))
		return roofline_events_fail(r, "Bits: they are a vector's, 0 or -1", err);
	event->type = (enum roofline_type)place;
	event->bits = (int)number;
	return 0;
}

static int roofline_events_take_row(void *context, const struct bulk_object *row, struct error *err)
{
	struct reading *r = context;
	const char *name = bulk_get(row, "Set");
	struct roofline_event event;
	struct roofline_set *set;

	if (bulk_get(row, "Of"))
		return open_set(r, row, err);
	if (!name || !r->name || strcmp(name, r->name) != 0)
		return roofline_events_fail(r, "an event stands below the row of its Set", err);
	if (roofline_events_read_event(&event, r, row, err) < 0)
		return -1;
	r->is_for_cpu = r->is_for_cpu && event_database_find(r->database, event.name);
	if (!r->is_for_cpu)
		return 0;
	set = last_set(r);
	set->events = arena_grow(r->arena, set->events, set->count, &r->events_capacity, sizeof(event));
	set->events[set->count++] = event;
	return 0;
}

int roofline_events_load(struct roofline_sets *sets, const struct roofline_reader *reader, struct arena *arena,
			 struct error *err)
{
	struct reading r = {
		.sets = sets, .database = reader->database, .cpu = reader->cpu, .path = reader->path, .arena = arena
	};
	const struct bulk_visitor visitor = { .context = &r, .list = "Roofline", .object = roofline_events_take_row };

	*sets = (struct roofline_sets){ .count = 0 };
	if (bulk_read(reader->path, &visitor, arena, err) < 0)
		return -1;
	return close_set(&r, err);
}

const char *roofline_events_list(const struct roofline_sets *sets, bool is_machine, enum roofline_wish wish,
				 struct arena *arena)
{
	bool has[ROOFLINE_QUANTITIES] = { false };
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < sets->count; i++) {
		const struct roofline_set *set = &sets->items[i];

		if (has[set->quantity] || (set->is_machine && !is_machine))
			continue;
		has[set->quantity] = !set->is_machine || wish != ROOFLINE_OF_FUNCTIONS;
		for (size_t k = 0; k < set->count; k++)
			string_printf(&text, "%s%s", text.length ? "," : "", set->events[k].name);
	}
	return text.length ? text.text : NULL;
}
