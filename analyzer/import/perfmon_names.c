/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/text.h"
#include "import/perfmon.h"

/* Units behind the first part of an event's name, and what is no event of a thread at all. */
static const struct unit_row {
	const char *prefix, *needs;
} unit_rows[] = {
	/* clang-format off */
	{ "UNC_CHACMS_", "uncore_chacms" },
	{ "UNC_CHA_",    "uncore_cha" },
	{ "UNC_C_",      "uncore_cbox" },
	{ "UNC_CBO_",    "uncore_cbox" },
	{ "UNC_H_",      "uncore_ha" },
	{ "UNC_M2M_",    "uncore_m2m" },
	{ "UNC_M_",      "uncore_imc" },
	{ "UNC_MC",      "uncore_imc" },
	{ "UNC_P_",      "uncore_pcu" },
	{ "UNC_PKG_",    "power" },
	{ "FREERUN_",    "power" },
	{ "UNC_Q_",      "uncore_qpi" },
	{ "UNC_UPI_",    "uncore_upi" },
	{ "UNC_IIO_",    "uncore_iio" },
	{ "UNC_ARB_",    "uncore_arb" },
	{ "UNC_HAC_",    "uncore_hac" },
	{ "UNC_CLOCK",   "uncore_clock" },
	{ "UNC_",        "uncore" },
	/* clang-format on */
};

/* The constants of the formulas in the words of perf's grammar. */
static const struct constant_row {
	const char *name, *text, *needs;
} constants[] = {
	/* clang-format off */
	{ "#NA",                       "(0 / 0)", NULL },
	{ "smt_on",                    "#SMT_on", NULL },
	{ "HYPERTHREADING_ON",         "#SMT_on", NULL },
	{ "THREADS_PER_CORE",          "(1 + #SMT_on)", NULL },
	{ "tsc",                       "TSC", NULL },
	{ "num_cpus",                  "#num_cpus_online", NULL },
	{ "system.sockets[0].cpus.count*system.socket_count", "#num_cpus_online", NULL },
	{ "SOCKET_COUNT",              "#num_packages", NULL },
	{ "CORES_PER_SOCKET",          "(#num_cores / #num_packages)", NULL },
	{ "CHAS_PER_SOCKET",           "chas_per_socket", "uncore_cha" },
	{ "SYSTEM_TSC_FREQ",           "#SYSTEM_TSC_FREQ", NULL },
	{ "duration_time",             "duration_time", NULL },
	{ "DURATIONTIMEINSECONDS",     "duration_time", NULL },
	{ "DURATIONTIMEINMILLISECONDS", "(duration_time * 1000)", NULL },
	/* clang-format on */
};

static const struct constant_row *find_constant(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(constants); i++)
		if (is_same_name(constants[i].name, name))
			return &constants[i];
	return NULL;
}

static void note_needs(struct translation *t, const char *needs)
{
	if (!t->needs)
		t->needs = needs;
}

/* ":SUP" is ":k", ":ocr_msr_val=0x1" gets its escape, ":perf_metrics" says nothing that the name does not. */
static void add_modifier(struct string *text, const char *modifier, size_t length)
{
	const char *lower = text_lower(text->arena, arena_strndup(text->arena, modifier, length));
	const char *equals = strchr(lower, '=');

	if (!strcmp(lower, "perf_metrics"))
		return;
	if (!strcmp(lower, "sup") || !strcmp(lower, "user"))
		string_printf(text, ":%s", lower[0] == 's' ? "k" : "u");
	else if (equals)
		string_printf(text, ":%.*s\\%s", (int)(equals - lower), lower, equals);
	else
		string_printf(text, ":%s", lower);
}

/* A BaseFormula has names in lower case; a Formula's names are as published, uncore events in mixed case. */
static const char *event_name(const char *name, struct arena *arena)
{
	for (const char *c = name; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			return name;
	return text_upper(arena, name);
}

static bool find_unit(struct translation *t, const char *name)
{
	for (size_t i = 0; i < COUNT_OF(unit_rows); i++) {
		if (!has_name_prefix(name, unit_rows[i].prefix))
			continue;
		note_needs(t, unit_rows[i].needs);
		return true;
	}
	return false;
}

static const char *event_text(struct translation *t, const char *spelled)
{
	struct arena *arena = t->import->arena;
	const char *rest = spelled, *part;
	size_t length = text_next(&rest, ":", &part);
	const char *name = event_name(arena_strndup(arena, part, length), arena);
	struct string text = STRING_INIT(arena);

	string_add(&text, name);
	while ((length = text_next(&rest, ":", &part)) > 0) {
		add_modifier(&text, part, length);
		if (length == 7 && !memcmp(part, "percore", 7))
			note_needs(t, "all threads of a core");
	}
	if (!has_import_event(t->import, name) && !find_unit(t, name) && !t->unknown)
		t->unknown = name;
	return text.text;
}

static const char *plain_name(struct translation *t, const char *name)
{
	const struct constant_row *constant = find_constant(name);

	if (!constant)
		return event_text(t, name);
	if (constant->needs)
		note_needs(t, constant->needs);
	return constant->text;
}

const char *perfmon_base_name(void *context, const char *name)
{
	struct translation *t = context;
	const char *metric = arena_printf(t->import->arena, "tma_%s", name);

	if (has_name_prefix(name, "tma_")) {
		if (table_get(t->metrics, name) == TABLE_NONE && !t->unknown)
			t->unknown = name;
		return name;
	}
	if (!strchr(name, '.') && !find_constant(name) && table_get(t->metrics, metric) != TABLE_NONE)
		return metric; /* a metric whose prefix was forgotten */
	return plain_name(t, name);
}

const char *perfmon_alias_name(void *context, const char *name)
{
	static const char *const lists[] = { "Events", "Constants" };
	struct translation *t = context;

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		const struct json *list = json_get(t->metric, lists[i]);

		for (size_t k = 0; k < json_size(list); k++) {
			const char *alias = json_text(json_get(json_at(list, k), "Alias"));
			const char *full = json_text(json_get(json_at(list, k), "Name"));

			if (alias && full && !strcmp(alias, name))
				return plain_name(t, full);
		}
	}
	return plain_name(t, name);
}
