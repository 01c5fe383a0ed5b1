/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/diagnose/judges.h"

#include "collect/perf/refusals.h"

/* What is looked at, in the order in which one thing makes the next possible. */
static const struct check {
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

/* With --steady: from what nobody shares to what all do, then why. */
static const struct check steady_checks[] = {
	/* clang-format off */
	{ "steady_time",   "Same work, time",   judge_kernel_time },
	{ "steady_cycles", "Same work, cycles", judge_kernel_cycles },
	{ "steady_clock",  "Clock",             judge_clock },
	{ "steady_cache",  "Shared cache",      judge_cache },
	{ "steady_memory", "Memory",            judge_memory },
	{ "run_queue",     "Run queue",         judge_queue },
	{ "steal",         "Stolen time",       judge_stolen },
	{ "interrupts",    "Interrupts",        judge_interrupts },
	{ "cpu_quota",     "CPU quota",         judge_quota },
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

static enum finding_state judge_one(struct diagnosis *diagnosis, const struct check *check,
				    const struct examination *examination, struct arena *arena)
{
	struct finding *finding = &diagnosis->findings[diagnosis->count++];
	struct judgement j = { .about = examination, .finding = finding, .arena = arena };

	finding->key = check->key;
	finding->title = check->title;
	check->judge(&j);
	return finding->state;
}

void diagnose(struct diagnosis *diagnosis, const struct examination *examination, struct arena *arena)
{
	const struct abilities *abilities = examination->abilities;

	*diagnosis = (struct diagnosis){
		.cpu = examination->cpu,
		.level = examination->level,
		.is_probed = abilities,
		.findings =
			arena_array(arena, COUNT_OF(checks) + COUNT_OF(steady_checks), sizeof(*diagnosis->findings)),
		.steadiness = examination->steadiness,
	};
	for (size_t i = 0; i < COUNT_OF(checks); i++)
		judge_one(diagnosis, &checks[i], examination, arena);
	diagnosis->is_steady = examination->steadiness;
	for (size_t i = 0; examination->wants_steadiness && i < COUNT_OF(steady_checks); i++)
		diagnosis->is_steady &= judge_one(diagnosis, &steady_checks[i], examination, arena) != FINDING_LIMITS;
	diagnosis->can_simulate = abilities && abilities->simulated_core;
	diagnosis->can_measure = examination->model && abilities && !abilities->refusal && abilities->trial.groups &&
				 abilities->trial.counted == abilities->trial.groups && !abilities->trial.failure;
}
