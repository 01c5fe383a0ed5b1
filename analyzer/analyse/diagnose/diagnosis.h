/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diagnosis.h - what can be measured on a machine, what not, what that means, and the command that changes it. Pure:
 * facts and abilities come from identify and count.
 */
#ifndef TOPDOWN_ANALYSE_DIAGNOSE_DIAGNOSIS_H
#define TOPDOWN_ANALYSE_DIAGNOSE_DIAGNOSIS_H

#include "collect/perf/abilities.h"
#include "cpu/identify/surroundings.h"
#include "cpu/load/model.h"
#include "cpu/plan/plan.h"

enum finding_state {
	FINDING_OK,
	FINDING_LIMITS,	 /* a measurement works, but less of it, or less steadily */
	FINDING_MISSING, /* a measurement lacks something that it needs */
	FINDING_UNKNOWN, /* nobody could look */
};

/* "ok", "limits", "missing", "unknown" */
const char *finding_state_name(enum finding_state state);

struct finding {
	const char *key;   /* for machines: "nmi_watchdog" */
	const char *title; /* for people: "NMI watchdog" */
	enum finding_state state;
	const char *found;   /* "on" */
	const char *meaning; /* for a measurement: whole sentences */
	const char *remedy;  /* the command that changes it, or what else does; NULL: there is nothing to change */
};

struct diagnosis {
	const char *cpu;   /* database name, or NULL */
	unsigned level;	   /* that was asked about */
	bool is_probed;	   /* on the machine itself */
	bool can_simulate; /* instead */
	bool can_measure;  /* all of that level: each of its groups opened and counted */
	struct finding *findings;
	size_t count;
	const struct steadiness *steadiness; /* NULL: nobody asked, or it was not measured */
	bool is_steady;			     /* all findings about it are ok */
};

/* What is known of a machine. */
struct examination {
	const struct machine *machine;
	const struct surroundings *around;
	const char *cpu;		       /* database name; NULL: no events are known for this CPU ... */
	const struct event_database *database; /* ... and these are NULL too */
	const struct model *model;
	const struct plan_limits *published;
	const struct plan_limits *shown; /* the same as far as the machine's files say otherwise; NULL: as published */
	const struct plan *plan;	 /* of the level, for this machine; NULL: none could be made */
	const struct abilities *abilities; /* NULL: not probed, because the machine is another one */
	unsigned level;
	bool wants_steadiness;		     /* --steady: how steady the machine is, beside what it can measure */
	const struct steadiness *steadiness; /* NULL: not measured, because the machine is another one */
};

/* The result lives in arena and borrows from the examination. */
void diagnose(struct diagnosis *diagnosis, const struct examination *examination, struct arena *arena);

#endif
