/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/shapes.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "formula/literals.h"

/* What is being filled, while the members of an object are visited. */
struct filler {
	struct counts *counts;
	const struct place *place; /* of the object */
	size_t capacity;
	struct error *err;
};

static void add_count(struct filler *filler, const char *event, double value)
{
	struct counts *counts = filler->counts;
	struct arena *arena = filler->place->arena;

	counts->items = arena_grow(arena, counts->items, counts->count, &filler->capacity, sizeof(*counts->items));
	counts->items[counts->count++] = (struct count){
		.event = arena_strdup(arena, event),
		.value = value,
		.raw = value < 0x1p64 ? (uint64_t)value : 0,
		.enabled_ns = 1,
		.running_ns = 1,
		.state = COUNT_OK,
	};
}

static void set_duration(struct filler *filler, double seconds)
{
	filler->counts->runs[0].wall_s = seconds;
	add_count(filler, "duration_time", seconds);
}

static void set_milliseconds(struct filler *filler, double value)
{
	set_duration(filler, value / 1000);
}

static void set_tsc_freq(struct filler *filler, double value)
{
	filler->counts->facts.system_tsc_freq = value;
}

static void set_smt(struct filler *filler, double value)
{
	filler->counts->facts.smt_on = value > 0;
}

static void set_threads(struct filler *filler, double value)
{
	filler->counts->facts.smt_on = value > 1;
}

static void set_packages(struct filler *filler, double value)
{
	filler->counts->facts.num_packages = value;
}

/*
 * The names are those of Intel's perfmon files, or literals of perf's grammar (#num_cpus_online ...). Others
 * (CHAS_PER_SOCKET ...) are for uncore formulas only.
 */
static const struct {
	const char *name;
	void (*set)(struct filler *filler, double value);
} constants[] = {
	{ "SYSTEM_TSC_FREQ", set_tsc_freq },	   { "DURATIONTIMEINMILLISECONDS", set_milliseconds },
	{ "DURATIONTIMEINSECONDS", set_duration }, { "HYPERTHREADING_ON", set_smt },
	{ "THREADS_PER_CORE", set_threads },	   { "SOCKET_COUNT", set_packages },
};

static int visit_constant(void *context, const char *key, const struct json *value)
{
	struct filler *filler = context;
	double number = json_number(value);

	if (json_is_null(value))
		return 0;
	if (!(number >= 0) && !json_is_true(value))
		return field_error(filler->err, filler->place, key, "a number from 0 or null", value);
	for (size_t i = 0; i < COUNT_OF(constants); i++)
		if (is_same_name(constants[i].name, key))
			constants[i].set(filler, json_is_true(value) ? 1 : number);
	(void)literal_set(key, &filler->counts->facts, json_is_true(value) ? 1 : number);
	return 0;
}

/* null: the event was not counted, as if it were not there. */
static int visit_count(void *context, const char *key, const struct json *value)
{
	struct filler *filler = context;
	double number = json_number(value);

	if (json_is_null(value))
		return 0;
	if (!*key || !(number >= 0))
		return field_error(filler->err, filler->place, key, "an event's count from 0 or null", value);
	add_count(filler, key, number);
	return 0;
}

/* Absent and null leave what is assumed of any machine. */
static int read_smt(struct filler *filler, const struct json *root)
{
	const struct json *smt = json_get(root, "smt");
	long long on = json_whole(smt, -1);

	if (!smt || json_is_null(smt))
		return 0;
	if (on != 0 && on != 1)
		return field_error(filler->err, filler->place, "smt", "0, 1, true or false", smt);
	set_smt(filler, (double)on);
	return 0;
}

static int read_members(struct filler *filler, const struct json *root, const char *list,
			int (*visit)(void *context, const char *key, const struct json *value))
{
	const struct place *outer = filler->place;
	struct place place = *outer;
	int result;

	if (!json_is_object(json_get(root, list)))
		return field_error(filler->err, outer, list, "an object", json_get(root, list));
	place.list = list;
	filler->place = &place;
	result = json_each(json_get(root, list), visit, filler);
	filler->place = outer;
	return result;
}

int flat_read(struct counts *counts, const struct json *root, const struct place *place, struct error *err)
{
	struct filler filler = { .counts = counts, .place = place, .err = err };
	const char *cpu = json_text(json_get(root, "cpu"));

	if (!cpu || !*cpu)
		return field_error(err, place, "cpu", "text", json_get(root, "cpu"));
	*counts = (struct counts){
		.cpu = arena_strdup(place->arena, cpu),
		.facts = facts_assumed(),
		.is_flat = true,
		.runs = arena_array(place->arena, 1, sizeof(*counts->runs)),
		.nruns = 1,
		.ngroups = 1,
	};
	counts->runs[0] = (struct count_run){ .wall_s = NAN, .cpu_s = NAN };
	if (json_get(root, "constants") && read_members(&filler, root, "constants", visit_constant) < 0)
		return -1;
	if (read_smt(&filler, root) < 0)
		return -1;
	return read_members(&filler, root, "counts", visit_count);
}
