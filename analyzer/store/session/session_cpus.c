/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_cpus.c - what a session keeps by CPU: the CPUs, and of each count what it was there. Most CPUs have one
 * reading, which is [raw, enabled_ns, running_ns]; a sum of several also has its value and the time without a counter.
 */
#include "store/session/session_internal.h"

#include <math.h>

#include "common/base/text.h"
#include "common/measurement/division.h"
#include "common/measurement/tally.h"

static const struct field cpu_fields[] = {
	{ "cpu", FIELD_SIZE, offsetof(struct saved_cpu, cpu), NULL },
	{ "core", FIELD_SIZE, offsetof(struct saved_cpu, core), NULL },
	{ "socket", FIELD_SIZE, offsetof(struct saved_cpu, package), NULL },
};

static const struct shape cpu_shape = SHAPE(cpu_fields, struct saved_cpu);

/* ---- writing ---- */

void cpus_write(struct json_writer *writer, const struct counts *counts)
{
	if (!counts->ncpus)
		return;
	json_write_array(writer, "cpus");
	for (size_t i = 0; i < counts->ncpus; i++) {
		const struct counted_cpu *place = &counts->cpus[i];
		const struct saved_cpu saved = { place->cpu, place->core, place->package };

		object_write(writer, NULL, &cpu_shape, &saved);
	}
	json_write_end(writer);
}

/* As tally_add extrapolates one reading. */
static double extrapolated(const struct tally *tally)
{
	if (!tally->running_ns)
		return 0;
	return (double)tally->raw *
	       (tally->enabled_ns > tally->running_ns ? (double)tally->enabled_ns / (double)tally->running_ns : 1);
}

static uint64_t time_without(const struct tally *tally)
{
	return tally->running_ns ? 0 : tally->enabled_ns;
}

static void write_tally(struct json_writer *writer, const struct tally *tally)
{
	if (tally->refused || (!tally->enabled_ns && !tally->raw)) {
		json_write_string(writer, NULL, tally->refused);
		return;
	}
	json_write_array(writer, NULL);
	json_write_u64(writer, NULL, tally->raw);
	json_write_u64(writer, NULL, tally->enabled_ns);
	json_write_u64(writer, NULL, tally->running_ns);
	if (fabs(tally->value - extrapolated(tally)) > 0 || tally->never_ran_ns != time_without(tally)) {
		json_write_number(writer, NULL, tally->value);
		json_write_u64(writer, NULL, tally->never_ran_ns);
	}
	json_write_end(writer);
}

void tallies_write(struct json_writer *writer, const struct count *count, size_t ncpus)
{
	if (!count->by_cpu)
		return;
	json_write_array(writer, "by_cpu");
	for (size_t i = 0; i < ncpus; i++)
		write_tally(writer, &count->by_cpu[i]);
	json_write_end(writer);
}

void cpu_times_write(struct json_writer *writer, const struct count_run *run, size_t ncpus)
{
	if (!run->cpu_s_by_cpu)
		return;
	json_write_array(writer, "cpu_s_by_cpu");
	for (size_t i = 0; i < ncpus; i++)
		json_write_number(writer, NULL, run->cpu_s_by_cpu[i]);
	json_write_end(writer);
}

/* ---- reading ---- */

int cpus_read(struct counts *counts, const struct json *array, struct file_position place, struct error *err)
{
	struct counted_cpu *places;
	struct saved_cpu *saved;

	if (!array)
		return 0;
	if (!json_size(array))
		return field_error(err, &place, "cpus", "an array of CPUs", array);
	place.list = "cpus";
	saved = objects_read(&counts->ncpus, array, &cpu_shape, &place, err);
	if (!saved)
		return -1;
	counts->cpus = places = arena_array(place.arena, counts->ncpus, sizeof(*places));
	for (size_t i = 0; i < counts->ncpus; i++)
		places[i] = (struct counted_cpu){ (unsigned)saved[i].cpu, (unsigned)saved[i].core,
						  (unsigned)saved[i].package };
	return 0;
}

static bool read_whole(uint64_t *number, const struct json *value)
{
	long long whole = json_whole(value, -1);

	if (json_text(value))
		return text_u64(json_text(value), number);
	*number = whole >= 0 ? (uint64_t)whole : 0;
	return whole >= 0;
}

static bool read_numbers(struct tally *tally, const struct json *value)
{
	size_t count = json_size(value);

	if ((count != 3 && count != 5) || !read_whole(&tally->raw, json_at(value, 0)) ||
	    !read_whole(&tally->enabled_ns, json_at(value, 1)) || !read_whole(&tally->running_ns, json_at(value, 2)))
		return false;
	tally->value = extrapolated(tally);
	tally->never_ran_ns = time_without(tally);
	if (count == 5) {
		tally->value = json_amount(json_at(value, 3));
		if (!(tally->value >= 0) || !read_whole(&tally->never_ran_ns, json_at(value, 4)) ||
		    tally->never_ran_ns > tally->enabled_ns)
			return false;
	}
	if (tally->running_ns && !is_count_possible(tally->raw, tally->running_ns)) {
		tally->impossible = tally->raw;
		tally->impossible_ns = tally->running_ns;
	}
	return true;
}

static bool read_tally(struct tally *tally, const struct json *value, struct arena *arena)
{
	*tally = (struct tally){ .raw = 0 };
	if (json_text(value))
		tally->refused = arena_strdup(arena, json_text(value));
	return json_text(value) || json_is_null(value) || (json_is_array(value) && read_numbers(tally, value));
}

int tallies_read(struct count *count, size_t ncpus, const struct json *object, const struct file_position *place,
		 struct error *err)
{
	const struct json *array = json_get(object, "by_cpu");
	struct tally *tallies;

	if (!array)
		return 0;
	if (!json_is_array(array) || json_size(array) != ncpus)
		return field_error(err, place, "by_cpu", "an array with one element for each of \"cpus\"", array);
	count->by_cpu = tallies = arena_array(place->arena, ncpus, sizeof(*tallies));
	for (size_t i = 0; i < ncpus; i++)
		if (!read_tally(&tallies[i], json_at(array, i), place->arena))
			return field_error(err, place, "by_cpu",
					   "[raw, enabled_ns, running_ns], the reason of a refusal, or null",
					   json_at(array, i));
	return 0;
}

int cpu_times_read(struct count_run *run, size_t ncpus, const struct json *object, const struct file_position *place,
		   struct error *err)
{
	const struct json *array = json_get(object, "cpu_s_by_cpu");
	double *seconds;

	if (!array)
		return 0;
	if (!json_is_array(array) || json_size(array) != ncpus)
		return field_error(err, place, "cpu_s_by_cpu", "an array with one number for each of \"cpus\"", array);
	run->cpu_s_by_cpu = seconds = arena_array(place->arena, ncpus, sizeof(*seconds));
	for (size_t i = 0; i < ncpus; i++) {
		seconds[i] = json_amount(json_at(array, i));
		if (!(seconds[i] >= 0))
			return field_error(err, place, "cpu_s_by_cpu", "numbers from 0", json_at(array, i));
	}
	return 0;
}

/* ---- which parts were asked for ---- */

void division_write(struct json_writer *writer, const struct division *division)
{
	struct arena arena;

	if (!is_dividing(division))
		return;
	arena_init(&arena);
	json_write_string(writer, "parts_asked", division_text(division, &arena));
	arena_release(&arena);
}

int division_read(struct division *division, const struct json *value, const struct file_position *place,
		  struct error *err)
{
	if (!value || (json_text(value) && division_parse(division, json_text(value))))
		return 0;
	return field_error(err, place, "parts_asked", "a list of all, socket, core and cpu", value);
}
