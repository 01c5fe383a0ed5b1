/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge_machine.c - which CPU, kernel and machine this is, what this process may count, and what makes two runs differ.
 */
#include "analyse/diagnose/judges.h"

#include <string.h>

#include "collect/perf/refusals.h"
#include "common/base/text.h"
#include "cpu/load/database.h"

#define REMEDY_UNKNOWN_CPU                                                                                             \
	"`topdown list cpus` shows those that are known, and {cpu} takes the events of a similar one; "                \
	"`topdown import` makes files of what its vendor publishes, for {db}"

/* Not the one whose metrics are generic because its vendor publishes none. */
static bool is_generic_cpu(const struct examination *about)
{
	return about->cpu && has_name_prefix(about->cpu, GENERIC_CPU_PREFIX);
}

void judge_cpu(const struct judgement *j)
{
	const struct machine *machine = j->about->machine;
	const char *name = machine->model_name ? machine->model_name : "name unknown";

	j->finding->found = arena_printf(j->arena, "%s: %s, %s", j->about->cpu ? j->about->cpu : "not known", name,
					 machine->cpuid ? machine->cpuid : "-");
	if (is_generic_cpu(j->about))
		verdict(j, FINDING_LIMITS, "No data file knows it: only what its architecture defines can be counted.",
			REMEDY_UNKNOWN_CPU);
	else if (j->about->cpu)
		verdict(j, FINDING_OK, "Its events are published, and known here.", NULL);
	else
		verdict(j, FINDING_MISSING, "No events of this CPU are known here, so nothing can be planned.",
			REMEDY_UNKNOWN_CPU);
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
	if (model->no_tree || model->generic)
		verdict(j, FINDING_LIMITS, model->no_tree ? model->no_tree : model->generic, NULL);
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

/* "KVM: Amazon EC2 m7i.xlarge", without saying anything twice. */
static const char *guest_name(const struct judgement *j)
{
	const char *vendor = j->about->around->vendor, *product = j->about->around->product;
	const char *kind = j->about->machine->hypervisor;

	if (!vendor || !product)
		return kind;
	if (strstr(product, kind))
		return product;
	if (has_name_prefix(vendor, kind))
		return arena_printf(j->arena, "%s %s", vendor, product);
	return arena_printf(j->arena, "%s: %s %s", kind, vendor, product);
}

void judge_hypervisor(const struct judgement *j)
{
	const struct machine *machine = j->about->machine;
	struct cloud_words words = {
		.meaning = "Its host decides which counters there are: some of the CPU's may be absent, precise "
			   "sampling and branch records too.",
		.remedy = "on a bare-metal (\"metal\") instance all of them are there",
	};
	bool is_known;

	if (!machine->hypervisor) {
		j->finding->found = "no";
		verdict(j, FINDING_OK, "All counters are the kernel's.", NULL);
		return;
	}
	j->finding->found = guest_name(j);
	is_known = cloud_describe(&words, j->about->around, j->arena);
	if (machine->npmus || machine->lacks_sysfs)
		verdict(j, FINDING_LIMITS, words.meaning, words.remedy);
	else if (is_known)
		verdict(j, FINDING_LIMITS, arena_printf(j->arena, "Its host gives no counters. %s", words.meaning),
			words.remedy);
	else
		verdict(j, FINDING_LIMITS, "Its host decides which counters there are, and gives none.", NULL);
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

/* ---- steadiness ---- */

void judge_governor(const struct judgement *j)
{
	const char *governors = j->about->around->governors;

	j->finding->found = governors ? governors : j->about->around->is_live ? "none" : "unknown";
	if (!governors && !j->about->around->is_live)
		verdict(j, FINDING_UNKNOWN, NULL, NULL);
	else if (!governors)
		verdict(j, FINDING_UNKNOWN, "The kernel does not set the clock here; firmware or the host does.", NULL);
	else if (!strcmp(governors, "performance"))
		verdict(j, FINDING_OK, "The clock stays up.", NULL);
	else
		verdict(j, FINDING_LIMITS,
			"The clock follows the load, so short programs run partly at a low one: times vary from run to "
			"run, and memory seems nearer in cycles when the clock is low.",
			"`sudo cpupower frequency-set -g performance`");
}

void judge_turbo(const struct judgement *j)
{
	const struct surroundings *around = j->about->around;

	if (around->turbo == ANSWER_UNKNOWN) {
		j->finding->found = "unknown";
		verdict(j, FINDING_UNKNOWN, NULL, NULL);
		return;
	}
	j->finding->found = around->turbo == ANSWER_YES ? "on" : "off";
	if (around->turbo == ANSWER_NO)
		verdict(j, FINDING_OK, "The clock does not depend on what other cores do.", NULL);
	else
		verdict(j, FINDING_LIMITS,
			"The clock depends on temperature and on what other cores do: times vary from run to run, "
			"shares of "
			"slots and cycles less so.",
			arena_printf(j->arena, "`echo %d | sudo tee %s`",
				     strstr(around->turbo_file, "no_turbo") ? 1 : 0, around->turbo_file));
}

void judge_smt(const struct judgement *j)
{
	const char *control = j->about->around->smt_control;

	j->finding->found = j->about->machine->smt_on ? "on" : "off";
	if (!j->about->machine->smt_on)
		verdict(j, FINDING_OK, "Each thread has a core to itself.", NULL);
	else
		verdict(j, FINDING_LIMITS,
			"What runs on a core's other thread takes slots, caches and execution units away from the "
			"program.",
			control && !strcmp(control, "on") ? "keep the other threads idle, or `echo off | sudo tee "
							    "/sys/devices/system/cpu/smt/control`"
							  : "keep the other threads idle");
}

void judge_aslr(const struct judgement *j)
{
	enum answer aslr = j->about->around->aslr;

	j->finding->found = aslr == ANSWER_UNKNOWN ? "unknown" : aslr == ANSWER_YES ? "on" : "off";
	if (aslr == ANSWER_UNKNOWN)
		verdict(j, FINDING_UNKNOWN, NULL, NULL);
	else if (aslr == ANSWER_NO)
		verdict(j, FINDING_OK, "Runs have the same addresses.", NULL);
	else
		verdict(j, FINDING_LIMITS,
			"Each run has different addresses, and so different conflicts in caches and branch predictors: "
			"small differences between runs mean little.",
			"`setarch -R topdown ...` runs without it, and needs no rights");
}

/* ---- rights ---- */

/* May this process do what perf_event_paranoid keeps from others? */
static bool has_perfmon(const struct surroundings *around)
{
	return around->rights.perfmon == ANSWER_YES || around->rights.sys_admin == ANSWER_YES;
}

/*
 * What a value of kernel.perf_event_paranoid means to a user without capabilities;
 * Documentation/admin-guide/sysctl/kernel.rst
 */
static const struct level {
	int least;
	enum finding_state state;
	const char *meaning;
} levels[] = {
	/* Debian's and Ubuntu's own */
	{ 3, FINDING_MISSING, "Users without CAP_PERFMON may count nothing." },
	{ 2, FINDING_LIMITS,
	  "Users without CAP_PERFMON may count their own programs, without the kernel's part, and no whole CPUs "
	  "({a})." },
	{ 1, FINDING_LIMITS,
	  "Users without CAP_PERFMON may count their own programs, but not whole CPUs ({a}) or both threads of a "
	  "core." },
	{ -1000, FINDING_OK, "Users may count everything." },
};

void judge_paranoid(const struct judgement *j)
{
	int paranoid = j->about->machine->paranoid;
	const struct level *level = levels;
	char words[256];

	if (paranoid == PARANOID_UNKNOWN) {
		j->finding->found = "can't be read";
		verdict(j, FINDING_UNKNOWN, "Perhaps a container hides it.", REMEDY_PARANOID);
		return;
	}
	while (level->least > paranoid)
		level++;
	j->finding->found = arena_printf(j->arena, "%d", paranoid);
	if (has_perfmon(j->about->around))
		verdict(j, FINDING_OK, "It does not bind this process, which has the capability.", NULL);
	else
		verdict(j, level->state, arena_strdup(j->arena, text_worded(words, sizeof(words), level->meaning)),
			paranoid == 1
				? "`sudo sysctl kernel.perf_event_paranoid=0` allows whole CPUs until the next boot"
			: paranoid > 1 ? REMEDY_PARANOID
				       : NULL);
}

void judge_capabilities(const struct judgement *j)
{
	const struct process_rights *rights = &j->about->around->rights;
	bool is_user_only = j->about->abilities && j->about->abilities->is_user_only;

	if (!j->about->around->is_live) {
		(void)tried(j, NULL);
		return;
	}
	j->finding->found = rights->perfmon == ANSWER_UNKNOWN ? "unknown"
			    : rights->sys_admin == ANSWER_YES
				    ? (rights->perfmon == ANSWER_YES ? "CAP_PERFMON, CAP_SYS_ADMIN" : "CAP_SYS_ADMIN")
				    : (rights->perfmon == ANSWER_YES ? "CAP_PERFMON" : "no CAP_PERFMON");
	if (rights->perfmon == ANSWER_UNKNOWN)
		verdict(j, FINDING_UNKNOWN, NULL, NULL);
	else if (has_perfmon(j->about->around))
		verdict(j, FINDING_OK, "Everything that the counters offer may be counted.", NULL);
	else if (rights->user_namespace == ANSWER_YES)
		verdict(j, FINDING_LIMITS,
			"This process is in a user namespace, and root there has no rights to the machine's counters.",
			"measure outside of it");
	else
		verdict(j, is_user_only ? FINDING_LIMITS : FINDING_OK,
			"What may be counted is what perf_event_paranoid leaves to users.", REMEDY_SETCAP);
}

void judge_seccomp(const struct judgement *j)
{
	static const char *const names[] = { [SECCOMP_UNKNOWN] = "unknown",
					     [SECCOMP_NONE] = "no",
					     [SECCOMP_STRICT] = "strict mode",
					     [SECCOMP_FILTER] = "yes" };
	const struct abilities *abilities = j->about->abilities;
	enum seccomp mode = j->about->around->rights.seccomp;

	if (!j->about->around->is_live) {
		(void)tried(j, NULL);
		return;
	}
	j->finding->found = names[mode];
	if (mode == SECCOMP_NONE)
		verdict(j, FINDING_OK, "No system call is filtered.", NULL);
	else if (abilities && !abilities->refusal)
		verdict(j, FINDING_OK, "It lets perf_event_open pass.", NULL);
	else if (mode == SECCOMP_FILTER && j->about->machine->npmus)
		verdict(j, FINDING_LIMITS, "It can be what refuses perf_event_open.", REMEDY_CONTAINER);
	else
		verdict(j, FINDING_UNKNOWN, NULL, NULL);
}

void judge_files(const struct judgement *j)
{
	const struct abilities *abilities = j->about->abilities;
	size_t need;

	if (!abilities) {
		(void)tried(j, NULL);
		return;
	}
	need = abilities->trial.descriptors;
	j->finding->found = arena_printf(j->arena, "%llu, at most %llu", (unsigned long long)abilities->files_soft,
					 (unsigned long long)abilities->files_hard);
	if (need > abilities->files_hard)
		verdict(j, FINDING_MISSING,
			arena_printf(j->arena, "One run opens %zu events, each of which takes one.", need),
			"`ulimit -Hn 65536` as root, or nofile in /etc/security/limits.conf");
	else
		verdict(j, FINDING_OK, "Each event of a run takes one; topdown raises the limit when it has to.", NULL);
}
