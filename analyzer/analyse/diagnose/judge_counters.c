/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_counters.c - the PMU, and what was found by opening events on it. */
#include "analyse/diagnose/judges.h"
#include "collect/perf/refusals.h"
#include "common/base/text.h"
#include "cpu/plan/bits.h"

void judge_pmu(const struct judgement *j)
{
	const struct machine *machine = j->about->machine;
	struct string names = STRING_INIT(j->arena);

	for (size_t i = 0; i < machine->npmus; i++)
		string_printf(&names, "%s%s (type %u)", i ? ", " : "", machine->pmus[i].name, machine->pmus[i].type);
	j->finding->found = names.length ? names.text : "none";
	if (machine->lacks_sysfs && machine->npmus)
		verdict(j, FINDING_LIMITS,
			"/sys is not mounted: the usual formats of this CPU's PMU are assumed, and PERF_METRICS are "
			"not "
			"used.",
			REMEDY_SYSFS);
	else if (machine->lacks_sysfs)
		verdict(j, FINDING_MISSING, "/sys is not mounted, so the kernel's counters can't be found.",
			REMEDY_SYSFS);
	else if (machine->npmus)
		verdict(j, FINDING_OK, "The kernel has a driver for the CPU's counters.", NULL);
	else if (machine->hypervisor)
		verdict(j, FINDING_MISSING, "The host gives this guest no virtual PMU: nothing can be counted.",
			REMEDY_GUEST_PMU);
	else
		verdict(j, FINDING_MISSING, "The kernel knows no CPU counters here: nothing can be counted.",
			"`sudo dmesg | grep -i -e pmu -e perf` shows why the kernel has no driver for this CPU");
}

#define FEWER_TEXT                                                                                                     \
	"There are fewer than this CPU has: a measurement takes more runs, and groups that need more are split."

#define LOSSES_TEXT " If `perf stat` is given more events than that, it loses counts, and prints the rest as the whole."

static void judge_found_general(const struct judgement *j, const struct found *found, unsigned published,
				const char *number)
{
	struct string text = STRING_INIT(j->arena);

	string_printf(&text, number ? "%u of %s" : "%u", found->limits.general, number);
	if (found->limits.general < found->opened)
		string_printf(&text, ", although %u open", found->opened);
	j->finding->found = text.text;
	if (found->limits.general >= published)
		verdict(j, FINDING_OK, "A group can have that many events in addition to those of the fixed counters.",
			NULL);
	else
		verdict(j, FINDING_LIMITS, found->limits.general < found->opened ? FEWER_TEXT LOSSES_TEXT : FEWER_TEXT,
			j->about->machine->hypervisor ? "its host decides; a bare-metal instance has all of them"
						      : "`sudo dmesg | grep -i -e pmu -e perf` may show why");
}

void judge_general(const struct judgement *j)
{
	const struct abilities *abilities = j->about->abilities;
	unsigned published = j->about->published ? j->about->published->general : 0;
	const char *number = published ? arena_printf(j->arena, "%u", published) : NULL;

	if (abilities && !j->about->machine->npmus) {
		j->finding->found = "none: there is no PMU";
		verdict(j, FINDING_MISSING, NULL, NULL);
		return;
	}
	if (abilities && abilities->refusal) {
		j->finding->found = "none can be used";
		verdict(j, FINDING_MISSING, abilities->refusal, NULL);
		return;
	}
	if (!abilities && j->about->shown && j->about->shown->general < published) {
		j->finding->found = arena_printf(j->arena, "%u of %u, by cpuinfo", j->about->shown->general, published);
		verdict(j, FINDING_LIMITS, FEWER_TEXT, "its host decides; a bare-metal instance has all of them");
		return;
	}
	abilities = tried(j, number);
	if (!abilities)
		return;
	judge_found_general(j, &abilities->found, published, number);
}

static void judge_found_fixed(const struct judgement *j, const struct found *found, uint64_t published)
{
	uint64_t fixed = found->limits.fixed & published;
	const char *absent =
		event_database_roles(j->about->database, published & ~fixed & ~found->idle_fixed, j->arena);
	const char *idle = event_database_roles(j->about->database, found->idle_fixed, j->arena);
	struct string text = STRING_INIT(j->arena);

	string_printf(&text, "%zu of %zu", bits_count(fixed), bits_count(published));
	if (absent)
		string_printf(&text, "; none for %s", absent);
	if (idle)
		string_printf(&text, "; that of %s opens but counts nothing", idle);
	j->finding->found = text.text;
	if (fixed == published)
		verdict(j, FINDING_OK, "Cycles and instructions take no general counter away.", NULL);
	else
		verdict(j, FINDING_LIMITS,
			"Events that belong on the others take a general counter, or can't be counted at all.",
			j->about->machine->hypervisor ? "its host decides; a bare-metal instance has all of them"
						      : "a newer kernel may know more of them");
}

void judge_fixed(const struct judgement *j)
{
	const struct abilities *abilities;
	uint64_t published = j->about->published ? j->about->published->fixed : 0;

	if (j->about->published && !published) {
		j->finding->found = "not needed";
		verdict(j, FINDING_OK, "This CPU has none: cycles and instructions take general counters.", NULL);
		return;
	}
	abilities = tried(j, published ? arena_printf(j->arena, "%zu", bits_count(published)) : NULL);
	if (abilities)
		judge_found_fixed(j, &abilities->found, published);
}

/* What the machine's list of events says, or counting them: the model's form was chosen by it. */
static void judge_without_metrics(const struct judgement *j)
{
	bool is_dead = j->about->machine->npmus && j->about->machine->pmus[0].has_dead_metrics;

	j->finding->found = is_dead ? "slots and PERF_METRICS open, but count nothing" : "none";
	verdict(j, FINDING_LIMITS,
		is_dead ? "Levels 1 and 2 come from general events instead, which are exact. They take general "
			  "counters, "
			  "and deeper levels rest on them."
			: "This machine shows no PERF_METRICS: levels 1 and 2 come from general events, which are "
			  "exact. "
			  "They take general counters, and deeper levels depend on them.",
		j->about->machine->hypervisor ? "its host decides; a bare-metal instance has PERF_METRICS"
					      : "Linux 5.10 is the first with PERF_METRICS, a newer CPU takes a newer "
						"one: update the kernel");
}

void judge_slots(const struct judgement *j)
{
	const struct abilities *abilities;

	if (j->about->database && !j->about->database->slots_event) {
		j->finding->found = "not needed";
		verdict(j, FINDING_OK, "This CPU's tree is counted by other events.", NULL);
		return;
	}
	if (j->about->machine->npmus && j->about->model && j->about->model->form == FORM_GENERAL) {
		judge_without_metrics(j);
		return;
	}
	abilities = tried(j, NULL);
	if (!abilities)
		return;
	if (abilities->has_metrics) {
		j->finding->found = "slots and PERF_METRICS";
		verdict(j, FINDING_OK, "Level 1 takes no general counter.", NULL);
		return;
	}
	j->finding->found = abilities->has_slots ? "slots, without PERF_METRICS" : "none";
	verdict(j, FINDING_MISSING, "What this CPU's tree computes from slots and PERF_METRICS can't be measured.",
		j->about->machine->hypervisor
			? "its host decides; use a bare-metal instance"
			: "Linux 5.10 is the first with PERF_METRICS, a newer CPU takes a newer one: update the "
			  "kernel");
}

void judge_precise(const struct judgement *j)
{
	const struct abilities *abilities;
	const char *samplers = j->about->around->samplers;

	if (samplers) {
		j->finding->found = samplers;
		verdict(j, FINDING_OK, "Samples hit the exact instruction.", NULL);
		return;
	}
	abilities = tried(j, NULL);
	if (!abilities)
		return;
	j->finding->found = abilities->precise ? arena_printf(j->arena, "level %u of 3", abilities->precise) : "none";
	if (abilities->precise)
		verdict(j, FINDING_OK, "Samples hit the exact instruction.", NULL);
	else
		verdict(j, FINDING_LIMITS,
			"Counting needs none. The commands below \"Sample next\" find the place only approximately, "
			"and without their `p`.",
			j->about->machine->hypervisor ? "use a bare-metal instance" : NULL);
}

void judge_branches(const struct judgement *j)
{
	const struct abilities *abilities = tried(j, NULL);

	if (!abilities)
		return;
	j->finding->found = abilities->has_branches ? "can be sampled" : "none";
	verdict(j, FINDING_OK, "Counting needs none; `perf record -b` does.", NULL);
}

void judge_watchdog(const struct judgement *j)
{
	bool is_on = j->about->machine->nmi_watchdog;

	j->finding->found = is_on ? "on" : "off";
	if (is_on)
		verdict(j, FINDING_LIMITS,
			"It holds one counter that can count cycles: groups are planned for one fewer, so there are "
			"more runs, and groups that need all counters at once are split.",
			REMEDY_WATCHDOG);
	else
		verdict(j, FINDING_OK, "It holds no counter.", NULL);
}

/* What can be had without any counter. */
void judge_simulator(const struct judgement *j)
{
	const struct abilities *abilities = j->about->abilities;

	if (!abilities) {
		(void)tried(j, NULL);
		return;
	}
	j->finding->found = abilities->simulated_core ? abilities->simulated_core : "none";
	if (abilities->simulated_core)
		verdict(j, FINDING_OK,
			arena_worded(j->arena,
				     "`topdown {pmu} sim PROGRAM` simulates a program on it, without counters."),
			NULL);
	else
		verdict(j, abilities->refusal ? FINDING_MISSING : FINDING_LIMITS, abilities->no_simulator, NULL);
}

void judge_level(const struct judgement *j)
{
	const struct abilities *abilities;
	const struct trial *trial;

	j->finding->title = arena_printf(j->arena, "Level %u", j->about->level);
	abilities = tried(j, NULL);
	if (!abilities) {
		if (j->about->abilities)
			j->finding->state = FINDING_MISSING;
		return;
	}
	trial = &abilities->trial;
	j->finding->found = arena_printf(j->arena, "%zu of %zu groups counted, for %zu run%s", trial->counted,
					 trial->groups, trial->runs, trial->runs == 1 ? "" : "s");
	if (trial->failure)
		verdict(j, FINDING_MISSING, trial->failure, NULL);
	else
		verdict(j, FINDING_OK, "Everything can be measured.", NULL);
}
