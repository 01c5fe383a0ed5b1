/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/shapes.h"

#define SHAPE(rows)                                                                                                    \
	{                                                                                                              \
		.fields = (rows), .count = COUNT_OF(rows)                                                              \
	}

static const struct field session_fields[] = {
	{ "cpu", FIELD_TEXT, offsetof(struct counts, cpu) },
	{ "cpuid", FIELD_TEXT_OR_NULL, offsetof(struct counts, cpuid) },
	{ "machine", FIELD_TEXT_OR_NULL, offsetof(struct counts, machine) },
	{ "command", FIELD_TEXT_OR_NULL, offsetof(struct counts, command) },
	{ "target", FIELD_TEXT_IF_ANY, offsetof(struct counts, target) },
	{ "selector", FIELD_TEXT_IF_ANY, offsetof(struct counts, selector) },
	{ "options", FIELD_TEXT_IF_ANY, offsetof(struct counts, options) },
	{ "part", FIELD_TEXT_IF_ANY, offsetof(struct counts, part) },
	{ "scope", FIELD_TEXT_OR_NULL, offsetof(struct counts, scope) },
	{ "started", FIELD_TEXT_OR_NULL, offsetof(struct counts, started) },
	{ "tool_version", FIELD_TEXT_OR_NULL, offsetof(struct counts, tool_version) },
	{ "model_version", FIELD_TEXT_OR_NULL, offsetof(struct counts, model_version) },
	{ "level", FIELD_LEVEL, offsetof(struct counts, level) },
	{ "planned_runs", FIELD_SIZE, offsetof(struct counts, planned_runs) },
	{ "events", FIELD_TEXT_OR_NULL, offsetof(struct counts, events) },
	{ "nodes_asked", FIELD_TEXT_IF_ANY, offsetof(struct counts, nodes) },
	{ "groups_asked", FIELD_TEXT_IF_ANY, offsetof(struct counts, groups) },
	{ "metrics_asked", FIELD_TEXT_IF_ANY, offsetof(struct counts, metrics) },
	{ "groups", FIELD_SIZE, offsetof(struct counts, ngroups) },
	{ "planned_repeats", FIELD_SIZE_IF_ANY, offsetof(struct counts, planned_repeats) },
};

const struct shape session_shape = SHAPE(session_fields);

/* What differs from one repeat to the next, beside runs, counts and remarks. */
static const struct field repeat_fields[] = {
	{ "planned_runs", FIELD_SIZE, offsetof(struct counts, planned_runs) },
	{ "groups", FIELD_SIZE, offsetof(struct counts, ngroups) },
};

const struct shape repeat_shape = SHAPE(repeat_fields);

/* facts.cpuid is the session's own. */
static const struct field facts_fields[] = {
	{ "smt_on", FIELD_NUMBER_OR_NULL, offsetof(struct facts, smt_on) },
	{ "core_wide", FIELD_NUMBER_OR_NULL, offsetof(struct facts, core_wide) },
	{ "num_cpus", FIELD_NUMBER_OR_NULL, offsetof(struct facts, num_cpus) },
	{ "num_cpus_online", FIELD_NUMBER_OR_NULL, offsetof(struct facts, num_cpus_online) },
	{ "num_cores", FIELD_NUMBER_OR_NULL, offsetof(struct facts, num_cores) },
	{ "num_dies", FIELD_NUMBER_OR_NULL, offsetof(struct facts, num_dies) },
	{ "num_packages", FIELD_NUMBER_OR_NULL, offsetof(struct facts, num_packages) },
	{ "slots", FIELD_NUMBER_OR_NULL, offsetof(struct facts, slots) },
	{ "system_tsc_freq", FIELD_NUMBER_OR_NULL, offsetof(struct facts, system_tsc_freq) },
	{ "has_pmem", FIELD_NUMBER_OR_NULL, offsetof(struct facts, has_pmem) },
};

const struct shape facts_shape = SHAPE(facts_fields);

static const struct field run_fields[] = {
	{ "wall_s", FIELD_NUMBER_OR_NULL, offsetof(struct count_run, wall_s) },
	{ "cpu_s", FIELD_NUMBER_OR_NULL, offsetof(struct count_run, cpu_s) },
	{ "status", FIELD_STATUS, offsetof(struct count_run, status) },
};

const struct shape run_shape = SHAPE(run_fields);

static const struct field anchor_fields[] = {
	{ "user_s", FIELD_NUMBER_OR_NULL, offsetof(struct anchor, user_s) },
	{ "hz", FIELD_NUMBER_OR_NULL, offsetof(struct anchor, hz) },
	{ "reason", FIELD_TEXT_OR_NULL, offsetof(struct anchor, reason) },
	{ "cycles", FIELD_NUMBER_IF_ANY, offsetof(struct anchor, cycles) },
};

const struct shape anchor_shape = SHAPE(anchor_fields);

static const struct field count_fields[] = {
	{ "event", FIELD_TEXT, offsetof(struct count, event) },
	{ "group", FIELD_NUMBER_FROM_1, offsetof(struct count, group) },
	{ "run", FIELD_NUMBER_FROM_1, offsetof(struct count, run) },
	{ "value", FIELD_NUMBER_OR_NULL, offsetof(struct count, value) },
	{ "raw", FIELD_U64, offsetof(struct count, raw) },
	{ "enabled_ns", FIELD_U64, offsetof(struct count, enabled_ns) },
	{ "running_ns", FIELD_U64, offsetof(struct count, running_ns) },
	{ "state", FIELD_STATE, offsetof(struct count, state) },
	{ "reason", FIELD_TEXT_OR_NULL, offsetof(struct count, reason) },
};

const struct shape count_shape = SHAPE(count_fields);
