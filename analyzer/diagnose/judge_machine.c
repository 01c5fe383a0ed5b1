/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_machine.c - which CPU, kernel and machine this is, and whether it is a whole one. */
#include "diagnose/judges.h"
#include "diagnose/remedies.h"

void judge_cpu(const struct judgement *j)
{
	const struct machine *machine = j->about->machine;
	const char *name = machine->model_name ? machine->model_name : "name unknown";

	j->finding->found = arena_printf(j->arena, "%s: %s, %s", j->about->cpu ? j->about->cpu : "not known", name,
					 machine->cpuid ? machine->cpuid : "-");
	if (j->about->cpu)
		verdict(j, FINDING_OK, "Its events are published, and known here.", NULL);
	else
		verdict(j, FINDING_MISSING, "No events of this CPU are known here, so nothing can be planned.",
			"`topdown list cpus` shows those that are known, and --cpu takes the events of a similar one; "
			"`topdown import` makes files of what its vendor publishes, for --db");
}

void judge_model(const struct judgement *j)
{
	const struct model *model = j->about->model;
	const char *tma;

	if (!model) {
		j->finding->found = "none";
		verdict(j, FINDING_MISSING, "Without the CPU's model there is no tree.", NULL);
		return;
	}
	tma = model->tma_version ? arena_printf(j->arena, "TMA %s, ", model->tma_version) : "";
	j->finding->found = arena_printf(j->arena, "%s %s: %s%zu nodes on %u level%s, %zu other metrics", model->cpu,
					 model->version ? model->version : "-", tma, model->nnodes, model->levels,
					 model->levels == 1 ? "" : "s", model->count - model->nnodes);
	if (model->no_tree)
		verdict(j, FINDING_LIMITS, model->no_tree, NULL);
	else
		verdict(j, FINDING_OK, "The tree is the vendor's.", NULL);
}

void judge_kernel(const struct judgement *j)
{
	const char *release = j->about->machine->kernel;

	j->finding->found = release ? release : "unknown";
	if (j->about->around->knows_perfmon == ANSWER_NO)
		verdict(j, FINDING_LIMITS,
			"It has no CAP_PERFMON yet (Linux 5.8): only CAP_SYS_ADMIN, or perf_event_paranoid, lets users "
			"count.",
			"update the kernel");
	else
		verdict(j, release ? FINDING_OK : FINDING_UNKNOWN, NULL, NULL);
}

void judge_hypervisor(const struct judgement *j)
{
	const struct machine *machine = j->about->machine;

	j->finding->found = machine->hypervisor ? machine->hypervisor : "no";
	if (!machine->hypervisor)
		verdict(j, FINDING_OK, "All counters are the kernel's.", NULL);
	else if (!machine->npmus)
		verdict(j, FINDING_LIMITS, "Its host decides which counters there are, and gives none.", NULL);
	else
		verdict(j, FINDING_LIMITS,
			"Its host decides which counters there are: some of the CPU's may be absent, precise sampling "
			"and "
			"branch records too.",
			"on a bare-metal (\"metal\") instance all of them are there");
}

void judge_container(const struct judgement *j)
{
	const struct abilities *abilities = j->about->abilities;
	bool is_refused = abilities && abilities->refusal && j->about->machine->npmus;

	j->finding->found = j->about->around->container ? j->about->around->container : "no";
	if (!j->about->around->container)
		verdict(j, FINDING_OK, NULL, NULL);
	else if (is_refused)
		verdict(j, FINDING_LIMITS,
			"Its seccomp filter or the capabilities that it lacks can be what forbids counting.",
			REMEDY_CONTAINER);
	else
		verdict(j, FINDING_OK, "It has the counters of its host.", NULL);
}
