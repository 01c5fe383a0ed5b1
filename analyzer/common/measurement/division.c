/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/measurement/division.h"

#include <string.h>

#include "common/base/text.h"
#include "common/measurement/software.h"
#include "common/measurement/tally.h"

enum kind { KIND_ALL, KIND_SOCKET, KIND_CORE, KIND_CPU, KINDS };

static const char *const kinds[KINDS + 1] = {
	[KIND_ALL] = "all", [KIND_SOCKET] = "socket", [KIND_CORE] = "core", [KIND_CPU] = "cpu", [KINDS] = NULL
};

static bool division_is_wanted(const struct division *division, enum kind kind)
{
	switch (kind) {
	case KIND_ALL: return division->is_whole;
	case KIND_SOCKET: return division->by_socket;
	case KIND_CORE: return division->by_core;
	case KIND_CPU: return division->by_cpu;
	case KINDS: break;
	}
	return false;
}

static void want(struct division *division, enum kind kind)
{
	division->is_whole |= kind == KIND_ALL;
	division->by_socket |= kind == KIND_SOCKET;
	division->by_core |= kind == KIND_CORE;
	division->by_cpu |= kind == KIND_CPU;
}

const char *division_text(const struct division *division, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (enum kind kind = 0; kind < KINDS; kind++)
		if (division_is_wanted(division, kind))
			string_printf(&text, "%s%s", text.length ? "," : "", kinds[kind]);
	return text.length ? text.text : NULL;
}

bool division_parse(struct division *division, const char *text)
{
	const char *part;
	size_t length;

	while ((length = text_next(&text, ",", &part)) > 0) {
		enum kind kind = 0;

		while (kind < KINDS && (strlen(kinds[kind]) != length || memcmp(kinds[kind], part, length) != 0))
			kind++;
		if (kind == KINDS)
			return false;
		want(division, kind);
	}
	return is_dividing(division);
}

bool is_dividing(const struct division *division)
{
	return division->is_whole || division->by_socket || division->by_core || division->by_cpu;
}

bool is_divisible(const struct measurement *measured)
{
	for (size_t i = 0; i < measured->count; i++)
		if (!measured->parts[i].ncpus)
			return false;
	return true;
}

/* ---- a part ---- */

/* A part while it is made: some of the CPUs of what was measured. */
struct share {
	const struct counts *whole;
	bool *has; /* [whole->ncpus] */
	enum kind kind;
	struct arena *arena;
};

static unsigned key_of(const struct counted_cpu *cpu, enum kind kind)
{
	switch (kind) {
	case KIND_SOCKET: return cpu->package;
	case KIND_CORE: return cpu->core;
	case KIND_CPU: return cpu->cpu;
	case KIND_ALL:
	case KINDS: break;
	}
	return 0;
}

/* "core 3 (CPU 6,7)", before the name that the whole has, "cpu_core". */
static const char *division_name_of(const struct share *share, const struct counted_cpu *first, bool is_alone)
{
	const char *type = share->whole->origin.part;
	struct string text = STRING_INIT(share->arena), cpus = STRING_INIT(share->arena);

	for (size_t i = 0; i < share->whole->ncpus; i++)
		if (share->has[i])
			string_printf(&cpus, "%s%u", cpus.length ? "," : "", share->whole->cpus[i].cpu);
	if (share->kind == KIND_ALL)
		string_add(&text, is_alone ? "" : "all");
	else if (share->kind == KIND_CORE)
		string_printf(&text, "core %u (CPU %s)", first->core, cpus.text);
	else
		string_printf(&text, "%s %u", share->kind == KIND_CPU ? "CPU" : "socket", key_of(first, share->kind));
	if (type)
		string_printf(&text, "%s%s", text.length ? ", " : "", type);
	return text.length ? text.text : NULL;
}

static void sum_item(struct count *item, const struct share *share)
{
	const struct count whole = *item;
	struct tally sum = { .raw = 0 };

	for (size_t i = 0; i < share->whole->ncpus; i++)
		if (share->has[i])
			tally_merge(&sum, &whole.by_cpu[i]);
	tally_finish(item, &sum, share->arena);
	/* Nobody believes the sum of all: then a part of it that is 0 says as little. */
	if (whole.state == COUNT_WITHHELD && item->state == COUNT_OK && !sum.raw) {
		item->state = whole.state;
		item->value = NOT_COUNTED;
		item->reason = whole.reason;
	}
}

static struct count *sum_items(const struct share *share, const struct repeat *repeat)
{
	struct count *items = arena_array(share->arena, repeat->count + 1, sizeof(*items));

	for (size_t i = 0; i < repeat->count; i++) {
		items[i] = repeat->items[i];
		if (items[i].by_cpu)
			sum_item(&items[i], share);
		items[i].by_cpu = NULL;
		items[i].slices = NULL; /* of all CPUs */
		items[i].nslices = 0;
	}
	return items;
}

/* What is of the whole machine stays as it is; what nobody knows by CPU is unknown. */
static const struct software *sum_software(const struct share *share, const struct count_run *run)
{
	struct software *sum;
	bool has_any = false;

	if (!run->software_by_cpu)
		return run->software;
	sum = arena_alloc(share->arena, sizeof(*sum));
	*sum = *run->software;
	for (size_t i = 0; i < share->whole->ncpus; i++) {
		for (size_t k = 0; share->has[i] && k < SOFTWARE_PRESSURE; k++) {
			const struct software_value *value = &run->software_by_cpu[i].values[k];

			sum->values[k] = has_any ? software_sum(sum->values[k], *value) : *value;
		}
		has_any = has_any || share->has[i];
	}
	return sum;
}

static struct count_run *sum_runs(const struct share *share, const struct repeat *repeat)
{
	struct count_run *runs = arena_array(share->arena, repeat->nruns + 1, sizeof(*runs));

	for (size_t i = 0; i < repeat->nruns; i++) {
		const double *by_cpu = repeat->runs[i].cpu_s_by_cpu;

		runs[i] = repeat->runs[i];
		runs[i].cpu_s_by_cpu = NULL;
		runs[i].software = sum_software(share, &repeat->runs[i]);
		runs[i].software_by_cpu = NULL;
		if (!by_cpu)
			continue;
		runs[i].cpu_s = 0;
		for (size_t k = 0; k < share->whole->ncpus; k++)
			runs[i].cpu_s += share->has[k] ? by_cpu[k] : 0;
	}
	return runs;
}

bool has_run(const struct repeat *repeat)
{
	for (size_t i = 0; i < repeat->count; i++)
		if (repeat->items[i].state != COUNT_NEVER_RAN || repeat->items[i].enabled_ns)
			return true;
	return !repeat->count;
}

static struct repeat divide_repeat(const struct share *share, const struct repeat *whole)
{
	struct repeat repeat = *whole;

	repeat.items = sum_items(share, whole);
	repeat.runs = sum_runs(share, whole);
	if (has_run(&repeat) || !has_run(whole))
		return repeat;
	repeat.remarks = arena_array(share->arena, whole->nremarks + 1, sizeof(*repeat.remarks));
	for (size_t i = 0; i < whole->nremarks; i++)
		repeat.remarks[i] = whole->remarks[i];
	repeat.remarks[repeat.nremarks++] = REMARK_NOTHING_RAN;
	return repeat;
}

static void make_part(struct counts *part, const struct share *share, const struct counted_cpu *first, bool is_alone)
{
	const struct counts *whole = share->whole;

	*part = *whole;
	part->origin.part = division_name_of(share, first, is_alone);
	part->origin.part_kind = kinds[share->kind];
	/* One thread of a core has the formulas of one thread. */
	if (share->kind == KIND_CPU && whole->origin.facts.smt_on == 1)
		part->origin.facts.core_wide = 0;
	part->cpus = NULL;
	part->ncpus = 0;
	part->repeats = arena_array(share->arena, whole->nrepeats + 1, sizeof(*part->repeats));
	for (size_t i = 0; i < whole->nrepeats; i++)
		part->repeats[i] = divide_repeat(share, &whole->repeats[i]);
}

/* ---- all parts ---- */

/* Of a measured part those of one kind, in the order of their first CPUs. */
static void division_add_parts(struct measurement *divided, const struct counts *whole, enum kind kind, bool is_alone,
			       struct arena *arena)
{
	bool *is_taken = arena_array(arena, whole->ncpus, sizeof(*is_taken));

	for (size_t i = 0; i < whole->ncpus; i++) {
		struct share share = { .whole = whole, .kind = kind, .arena = arena };

		if (is_taken[i])
			continue;
		share.has = arena_array(arena, whole->ncpus, sizeof(*share.has));
		for (size_t k = i; k < whole->ncpus; k++)
			is_taken[k] |= share.has[k] = key_of(&whole->cpus[k], kind) == key_of(&whole->cpus[i], kind);
		make_part(&divided->parts[divided->count++], &share, &whole->cpus[i], is_alone);
	}
}

void measurement_divide(struct measurement *divided, const struct measurement *measured,
			const struct division *division, struct arena *arena)
{
	size_t most = 0, wanted = 0;

	*divided = *measured;
	for (size_t i = 0; i < measured->count; i++)
		most += measured->parts[i].ncpus;
	for (enum kind kind = 0; kind < KINDS; kind++)
		wanted += division_is_wanted(division, kind);
	if (!wanted || !most)
		return;
	divided->parts = arena_array(arena, most * KINDS, sizeof(*divided->parts));
	divided->count = 0;
	for (enum kind kind = 0; kind < KINDS; kind++)
		for (size_t i = 0; division_is_wanted(division, kind) && i < measured->count; i++)
			division_add_parts(divided, &measured->parts[i], kind, wanted == 1, arena);
}
