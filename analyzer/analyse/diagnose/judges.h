/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judges.h - the rows of the table in diagnose.c: each looks at one thing and fills its finding. */
#ifndef TOPDOWN_ANALYSE_DIAGNOSE_JUDGES_H
#define TOPDOWN_ANALYSE_DIAGNOSE_JUDGES_H

#include "analyse/diagnose/diagnosis.h"
#include "common/base/text.h"
#include "cpu/identify/surroundings.h"

struct judgement {
	const struct examination *about;
	struct finding *finding; /* key and title are there; the judge sets found, state, meaning and remedy */
	struct arena *arena;
};

/* Sets state, meaning and remedy (both may be NULL); found is set by the judge. */
void verdict(const struct judgement *j, enum finding_state state, const char *meaning, const char *remedy);

/*
 * What was found by trying; NULL when nothing could be tried: then the finding says so, with
 * what is published (may be NULL).
 */
const struct abilities *tried(const struct judgement *j, const char *published);

void judge_cpu(const struct judgement *j);
void judge_model(const struct judgement *j);
void judge_kernel(const struct judgement *j);
void judge_hypervisor(const struct judgement *j);
void judge_container(const struct judgement *j);

void judge_pmu(const struct judgement *j);
void judge_general(const struct judgement *j);
void judge_fixed(const struct judgement *j);
void judge_slots(const struct judgement *j);
void judge_precise(const struct judgement *j);
void judge_branches(const struct judgement *j);
void judge_watchdog(const struct judgement *j);
void judge_events(const struct judgement *j);
void judge_units(const struct judgement *j);

void judge_paranoid(const struct judgement *j);
void judge_capabilities(const struct judgement *j);
void judge_seccomp(const struct judgement *j);
void judge_files(const struct judgement *j);

void judge_governor(const struct judgement *j);
void judge_turbo(const struct judgement *j);
void judge_smt(const struct judgement *j);
void judge_aslr(const struct judgement *j);

/* judge_steady.c */
void judge_kernel_time(const struct judgement *j);
void judge_kernel_cycles(const struct judgement *j);
void judge_clock(const struct judgement *j);
void judge_cache(const struct judgement *j);
void judge_memory(const struct judgement *j);
void judge_queue(const struct judgement *j);
void judge_stolen(const struct judgement *j);
void judge_interrupts(const struct judgement *j);
void judge_quota(const struct judgement *j);

void judge_simulator(const struct judgement *j);
void judge_level(const struct judgement *j);

/* ---- clouds.c ---- */

/* What a rented machine's provider documents of its counters. docs/CLOUD.md has the sources. */

struct cloud_words {
	const char *meaning; /* what machines of this kind show: whole sentences */
	const char *remedy;  /* what to rent, or to set, for more; NULL: nothing is known */
};

/* False: the firmware names none of the providers that are known here. The words live in arena. */
bool cloud_describe(struct cloud_words *words, const struct surroundings *around, struct arena *arena) MUST_CHECK;

#endif
