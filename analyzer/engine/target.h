/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h - the CPU that a command is about: this machine's, a named one's, or that of saved
 * counts, with its data loaded.
 */
#ifndef TOPDOWN_ENGINE_TARGET_H
#define TOPDOWN_ENGINE_TARGET_H

#include "analyse/evaluate/report.h"
#include "cpu/identify/machine.h"
#include "cpu/load/database.h"
#include "cpu/load/model.h"
#include "cpu/load/roofline_events.h"
#include "engine/engine.h"

struct target {
	struct database *database; /* of identified_database */
	struct machine machine;
	bool has_machine;      /* machine is filled: the command is about this machine (or the one below --sysroot) */
	const char *cpu;       /* database name */
	const struct pmu *pmu; /* the machine's, or an assumed one */
	struct event_database events;
	enum model_form form;	     /* to be compiled, where the model has two */
	enum roofline_wish roofline; /* to be compiled with the events that it needs */
	bool wants_stalls;	     /* to be compiled with the ratios of stalled cycles as nodes */
	struct model model;
};

/* ---- what is read once ---- */

/*
 * This machine (or the one below --sysroot) and the databases are read when a step first asks for them, and kept for
 * all others of the command: nobody else identifies a machine or opens a database. Two read again: who comes after
 * --steady has changed the machine, and a process of its own (pair_process.c) that began before anybody had asked.
 */

/*
 * What is read for this choice, and for copies of it that name the same database and sysroot, is kept in arena, which
 * outlives them. Without this each step reads for itself, in the arena of its request.
 */
void identified_keep(struct machine_choice *choice, struct arena *arena);

/* NULL and err where one that was named is none, or can't be read; that is not kept. */
struct database *identified_database(const struct request *request, struct error *err) MUST_CHECK;

/*
 * PERF_METRICS that count nothing are not among the PMU's events (pmu.has_dead_metrics). NULL and err where no CPU can
 * be recognized; that is not kept.
 */
const struct machine *identified_machine(const struct request *request, struct error *err) MUST_CHECK;

/* The machine is another one from now on. */
void identified_forget_machine(const struct request *request);

/* The machine and the database, with nothing loaded yet. */
int target_identify(struct target *target, const struct request *request, struct error *err) MUST_CHECK;

/* ---- what is loaded ---- */

/* This machine, or the one below --sysroot, with --cpu's data if that is given. */
int target_machine(struct target *target, const struct request *request, struct error *err) MUST_CHECK;

/* The same with the cores of the PMU ("cpu_atom"; NULL: the first one). -1 as well when the machine has no such PMU. */
int target_machine_type(struct target *target, const char *pmu, const struct request *request,
			struct error *err) MUST_CHECK;

/*
 * An identified machine alone, without events and a model (target->model.database is NULL): its first PMU, if it has
 * one, and the name of its CPU, or "unknown".
 */
void target_bare(struct target *target, const struct target *identified, const struct request *request);

/*
 * The core types of an identified machine, usually one, each with its events and model. One for which nothing is known
 * is left out with a warning, unless it is the only one. is_core_wide: what formulas may ask as #core_wide.
 */
struct target_types {
	struct target *items;
	size_t count;
};
struct target_facts {
	const struct target *identified;
	bool is_core_wide;
};
int target_types(struct target_types *types, const struct target_facts *facts, const struct request *request,
		 struct error *err) MUST_CHECK;

struct target_request {
	const char *cpu;	   /* name or short name */
	const struct facts *facts; /* NULL: assumed */
	const char *events;	   /* asked for by name, NULL: none */
	enum form_choice form;	   /* FORM_CHOICE_AUTO: the setup's */
	bool wants_roofline;	   /* whatever the request's question says */
};

/* A CPU that is named. */
int target_named(struct target *target, const struct target_request *named, const struct request *request,
		 struct error *err) MUST_CHECK;

/* -1 where --form asks for a form and none of the types has two. */
int target_check_form(const struct target_types *types, const struct request *request, struct error *err) MUST_CHECK;

/* Compiles the model again in another form; asked: events asked for by name. Absent events stay so. */
int target_take_form(struct target *target, enum model_form form, const char *asked, const struct request *request,
		     struct error *err) MUST_CHECK;

/*
 * Compiles the model again with the ratios of stalled cycles on level 1, where the question is a level and nothing else
 * of level 1 can be computed from these events ([nevents] of the model).
 */
int target_take_stalls(struct target *target, const bool *is_countable, const struct question *question,
		       const struct request *request, struct error *err) MUST_CHECK;

/* The same, where the events that are not absent are those that can be counted. */
int target_check_level_1(struct target *target, const struct request *request, struct error *err) MUST_CHECK;

/* The CPU that --cpu names, else this machine's. */
int target_find(struct target *target, const struct request *request, struct error *err) MUST_CHECK;

/* The same, or where nobody names one the one that `topdown PROGRAM` has here: without counters the simulated core. */
int target_followed(struct target *target, const struct request *request, struct error *err) MUST_CHECK;

/* Gives the warnings of the loaded data to the sink, the first few. */
void target_warn(const struct target *target, const struct request *request);

#endif
