/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_steadiness.c - what makes two runs of the same program differ. */
#include <string.h>

#include "diagnose/judges.h"

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
		verdict(j, FINDING_OK, "Each thread has its core for itself.", NULL);
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
			"Each run has other addresses, and with them other conflicts in caches and branch predictors: "
			"small "
			"differences between runs mean little.",
			"`setarch -R topdown ...` runs without it, and needs no rights");
}
