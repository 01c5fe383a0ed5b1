/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/session/session_internal.h"

#include <math.h>
#include <string.h>

#include "common/base/text.h"
#include "common/formula/facts.h"

#define MOST_COUNTS	5000 /* each event is looked for in what is known of CPUs */
#define NAMED_CONSTANTS 3    /* in a remark; the rest is counted */

/* What is being filled, while the members of an object are visited. */
struct filler {
	struct counts *counts;
	const struct file_position *place; /* of the object */
	size_t capacity;
	double cores_per_socket; /* NAN: unsaid */
	struct string unread;	 /* names of constants: "A, B" */
	size_t nunread;
	struct error *err;
};

static void add_count(struct filler *filler, const char *event, double value)
{
	struct repeat *repeat = &filler->counts->repeats[0];
	struct arena *arena = filler->place->arena;

	repeat->items = arena_grow(arena, repeat->items, repeat->count, &filler->capacity, sizeof(*repeat->items));
	repeat->items[repeat->count++] = (struct count){
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
	filler->counts->repeats[0].runs[0].wall_s = seconds;
	add_count(filler, "duration_time", seconds);
}

static void set_milliseconds(struct filler *filler, double value)
{
	set_duration(filler, value / 1000);
}

static void set_tsc_freq(struct filler *filler, double value)
{
	filler->counts->origin.facts.system_tsc_freq = value;
}

static void set_smt(struct filler *filler, double value)
{
	filler->counts->origin.facts.smt_on = value > 0;
	filler->counts->origin.has_smt = true;
}

static void set_threads(struct filler *filler, double value)
{
	filler->counts->origin.facts.smt_on = value > 1;
	filler->counts->origin.has_smt = true;
}

static void set_core_wide(struct filler *filler, double value)
{
	filler->counts->origin.facts.core_wide = value > 0;
	filler->counts->origin.cores = value > 0 ? CORES_WHOLE : CORES_SHARED;
}

static void set_chas(struct filler *filler, double value)
{
	filler->counts->origin.facts.chas_per_socket = value;
}

/* Of one socket; the number of sockets may come later. */
static void set_cores(struct filler *filler, double value)
{
	filler->cores_per_socket = value;
}

static void set_packages(struct filler *filler, double value)
{
	filler->counts->origin.facts.num_packages = value;
}

/* The names are those of Intel's perfmon files, or literals of perf's grammar (#num_cpus_online ...). */
static const struct {
	const char *name;
	void (*set)(struct filler *filler, double value);
} constants[] = {
	{ "SYSTEM_TSC_FREQ", set_tsc_freq },
	{ "DURATIONTIMEINMILLISECONDS", set_milliseconds },
	{ "DURATIONTIMEINSECONDS", set_duration },
	{ "HYPERTHREADING_ON", set_smt },
	{ "THREADS_PER_CORE", set_threads },
	{ "SOCKET_COUNT", set_packages },
	{ "CORES_PER_SOCKET", set_cores },
	{ "CHAS_PER_SOCKET", set_chas },
	{ "#SMT_on", set_smt },
	{ "#core_wide", set_core_wide },
};

static void note_unread(struct filler *filler, const char *key)
{
	const char *literal = arena_printf(filler->place->arena, "#%s", key);
	struct facts unused;

	if (filler->nunread++ >= NAMED_CONSTANTS)
		return;
	string_printf(&filler->unread, "%s%s", filler->unread.length ? ", " : "", key);
	if (literal_set(literal, &unused, 0))
		string_printf(&filler->unread, " (is it %s?)", literal);
}

static int visit_constant(void *context, const char *key, const struct json *value)
{
	struct filler *filler = context;
	double number = json_amount(value);
	bool is_read = false;

	if (json_is_null(value))
		return 0;
	if (!(number >= 0) && !json_is_true(value))
		return field_error(filler->err, filler->place, key,
				   "a number from 0 to " JSON_MOST_AMOUNT_TEXT " or null", value);
	for (size_t i = 0; i < COUNT_OF(constants); i++)
		if (is_same_name(constants[i].name, key)) {
			constants[i].set(filler, json_is_true(value) ? 1 : number);
			is_read = true;
		}
	if (!literal_set(key, &filler->counts->origin.facts, json_is_true(value) ? 1 : number) && !is_read)
		note_unread(filler, key);
	return 0;
}

/* null: the event was not counted, as if it were not there. */
static int visit_count(void *context, const char *key, const struct json *value)
{
	struct filler *filler = context;
	double number = json_amount(value);

	if (json_is_null(value))
		return 0;
	if (!*key || !(number >= 0))
		return field_error(filler->err, filler->place, key,
				   "an event's count from 0 to " JSON_MOST_AMOUNT_TEXT " or null", value);
	if (filler->counts->repeats[0].count == MOST_COUNTS)
		return error_set(filler->err, "%s: more than %d counts", filler->place->source, MOST_COUNTS);
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
	const struct file_position *outer = filler->place;
	struct file_position place = *outer;
	int result;

	if (!json_is_object(json_get(root, list)))
		return field_error(filler->err, outer, list, "an object", json_get(root, list));
	place.list = list;
	filler->place = &place;
	result = json_each(json_get(root, list), visit, filler);
	filler->place = outer;
	return result;
}

static void remark_unread(struct filler *filler)
{
	struct repeat *repeat = &filler->counts->repeats[0];

	if (!filler->unread.length)
		return;
	if (filler->nunread > NAMED_CONSTANTS)
		string_printf(&filler->unread, " and %zu more", filler->nunread - NAMED_CONSTANTS);
	repeat->remarks = arena_array(filler->place->arena, 1, sizeof(*repeat->remarks));
	repeat->remarks[repeat->nremarks++] = arena_printf(
		filler->place->arena, "Constants that no formula uses, which were ignored: %s.", filler->unread.text);
}

void flat_init(struct counts *counts, struct arena *arena)
{
	struct repeat *repeat = arena_alloc(arena, sizeof(*repeat));

	*repeat = (struct repeat){ .runs = arena_alloc(arena, sizeof(*repeat->runs)), .nruns = 1, .ngroups = 1 };
	repeat->runs[0] = (struct count_run){ .wall_s = NOT_COUNTED, .cpu_s = NOT_COUNTED };
	*counts = (struct counts){ .origin = { .facts = facts_assumed(), .is_flat = true },
				   .repeats = repeat,
				   .nrepeats = 1 };
}

int flat_read(struct counts *counts, const struct json *root, const struct file_position *place, struct error *err)
{
	struct filler filler = { .counts = counts, .place = place, .cores_per_socket = NOT_COUNTED, .err = err };
	const char *cpu = json_text(json_get(root, "cpu"));

	if (!cpu || !*cpu)
		return field_error(err, place, "cpu", "text", json_get(root, "cpu"));
	flat_init(counts, place->arena);
	counts->origin.cpu = arena_strdup(place->arena, cpu);
	filler.unread = STRING_INIT(place->arena);
	if (json_get(root, "constants") && read_members(&filler, root, "constants", visit_constant) < 0)
		return -1;
	if (!isnan(filler.cores_per_socket))
		counts->origin.facts.num_cores = filler.cores_per_socket * counts->origin.facts.num_packages;
	remark_unread(&filler);
	if (read_smt(&filler, root) < 0)
		return -1;
	return read_members(&filler, root, "counts", visit_count);
}
