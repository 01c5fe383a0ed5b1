/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diagnose/judges.h"

#include "perf/refusals.h"

/* What is looked at, in the order in which one thing makes the next possible. */
static const struct {
	const char *key, *title;
	void (*judge)(const struct judgement *j);
} checks[] = {
	/* clang-format off */
	{ "cpu",              "CPU",              judge_cpu },
	{ "model",            "Model",            judge_model },
	{ "kernel",           "Kernel",           judge_kernel },
	{ "hypervisor",       "Virtual machine",  judge_hypervisor },
	{ "container",        "Container",        judge_container },
	{ "pmu",              "PMU",              judge_pmu },
	{ "general_counters", "General counters", judge_general },
	{ "fixed_counters",   "Fixed counters",   judge_fixed },
	{ "slots",            "Slots",            judge_slots },
	{ "events",           "Events",           judge_events },
	{ "units",            "Other PMUs",       judge_units },
	{ "precise_sampling", "Precise sampling", judge_precise },
	{ "branch_records",   "Branch records",   judge_branches },
	{ "nmi_watchdog",     "NMI watchdog",     judge_watchdog },
	{ "paranoid",         "Paranoid",         judge_paranoid },
	{ "capabilities",     "Rights",           judge_capabilities },
	{ "seccomp",          "Seccomp filter",   judge_seccomp },
	{ "open_files",       "Open files",       judge_files },
	{ "governor",         "Clock governor",   judge_governor },
	{ "turbo",            "Turbo",            judge_turbo },
	{ "smt",              "SMT",              judge_smt },
	{ "aslr",             "ASLR",             judge_aslr },
	{ "simulator",        "Simulated core",   judge_simulator },
	{ "level",            "Level",            judge_level },
	/* clang-format on */
};

const char *finding_state_name(enum finding_state state)
{
	static const char *const names[] = {
		[FINDING_OK] = "ok",
		[FINDING_LIMITS] = "limits",
		[FINDING_MISSING] = "missing",
		[FINDING_UNKNOWN] = "unknown",
	};

	return names[state];
}

void verdict(const struct judgement *j, enum finding_state state, const char *meaning, const char *remedy)
{
	j->finding->state = state;
	j->finding->meaning = meaning;
	j->finding->remedy = remedy ? remedy_text(remedy, j->about->machine, j->arena) : NULL;
}

const struct abilities *tried(const struct judgement *j, const char *published)
{
	const struct abilities *abilities = j->about->abilities;
	const char *why = !abilities ? "not probed: not this machine" : "not probed: nothing can be counted";

	if (abilities && !abilities->refusal)
		return abilities;
	j->finding->found = published ? arena_printf(j->arena, "%s published; %s", published, why) : why;
	verdict(j, FINDING_UNKNOWN, NULL, NULL);
	return NULL;
}

void diagnose(struct diagnosis *diagnosis, const struct examination *examination, struct arena *arena)
{
	const struct abilities *abilities = examination->abilities;

	*diagnosis = (struct diagnosis){
		.cpu = examination->cpu,
		.level = examination->level,
		.is_probed = abilities,
		.findings = arena_array(arena, COUNT_OF(checks), sizeof(*diagnosis->findings)),
		.count = COUNT_OF(checks),
	};
	for (size_t i = 0; i < COUNT_OF(checks); i++) {
		struct judgement j = { .about = examination, .finding = &diagnosis->findings[i], .arena = arena };

		j.finding->key = checks[i].key;
		j.finding->title = checks[i].title;
		checks[i].judge(&j);
	}
	diagnosis->can_simulate = abilities && abilities->simulated_core;
	diagnosis->can_measure = examination->model && abilities && !abilities->refusal && abilities->trial.groups &&
				 abilities->trial.counted == abilities->trial.groups && !abilities->trial.failure;
}
