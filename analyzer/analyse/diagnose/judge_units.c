/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_units.c - the PMUs beside the cores: which there are, who may count them, and which the metrics lack. */
#include <string.h>

#include "analyse/diagnose/judges.h"
#include "cpu/identify/units.h"

static const char *list_kinds(const struct judgement *j)
{
	struct string text = STRING_INIT(j->arena);
	struct unit_kind *kinds;
	size_t count = machine_unit_kinds(&kinds, j->about->machine, j->arena);

	for (size_t i = 0; i < count; i++) {
		string_printf(&text, "%s%s", i ? ", " : "", kinds[i].name);
		if (kinds[i].count > 1)
			string_printf(&text, " (%zu)", kinds[i].count);
	}
	return text.length ? text.text : NULL;
}

/* What the model's formulas read and the kernel does not show, each once; "" where nothing is. */
static const char *list_lacking(const struct judgement *j)
{
	const struct model *model = j->about->model;
	struct string text = STRING_INIT(j->arena);

	for (size_t i = 0; model && i < model->events.count; i++) {
		const char *unit = model->events.events[i].unit;

		if (unit && !machine_count_units(j->about->machine, unit) && !has_word(text.text, ", ", unit))
			string_printf(&text, "%s%s", text.length ? ", " : "", unit);
	}
	return text.text;
}

/* NULL: no CPU on which a unit counts is offline. */
static const char *find_offline(const struct judgement *j)
{
	struct unit_kind *kinds;
	size_t count = machine_unit_kinds(&kinds, j->about->machine, j->arena);

	for (size_t i = 0; i < count; i++) {
		struct unit *units;
		size_t nunits = machine_units(&units, j->about->machine, kinds[i].name, j->arena);

		for (size_t k = 0; k < nunits; k++)
			if (units[k].noffline)
				return arena_printf(j->arena,
						    "CPU %u, on which PMU %s counts, is offline: metrics of that PMU "
						    "have no value.",
						    units[k].offline, units[k].pmu.name);
	}
	return NULL;
}

static bool may_count(const struct judgement *j)
{
	const struct process_rights *rights = &j->about->around->rights;

	return j->about->machine->paranoid < 1 || rights->perfmon == ANSWER_YES || rights->sys_admin == ANSWER_YES;
}

void judge_units(const struct judgement *j)
{
	const char *kinds = list_kinds(j), *lacking = list_lacking(j), *offline = find_offline(j);

	j->finding->found = kinds ? kinds : "none";
	if (!kinds)
		verdict(j, FINDING_LIMITS,
			"Bandwidth and latency of memory, energy and sleep states can't be counted: the kernel, or "
			"a virtual machine's host, shows no such PMU.",
			NULL);
	else if (!may_count(j))
		verdict(j, FINDING_LIMITS,
			"They count for the whole machine, also with a program: kernel.perf_event_paranoid has to be "
			"0, or topdown to have CAP_PERFMON.",
			"`sudo sysctl kernel.perf_event_paranoid=0` allows it until the next boot");
	else if (offline)
		verdict(j, FINDING_LIMITS, offline, NULL);
	else if (*lacking)
		verdict(j, FINDING_LIMITS, arena_printf(j->arena, "Some metrics need %s too.", lacking), NULL);
	else
		verdict(j, FINDING_OK, NULL, NULL);
}
