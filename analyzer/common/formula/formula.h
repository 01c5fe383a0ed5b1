/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * formula.h - metric formulas in perf's grammar (linux tools/perf/util/expr.{l,y}): parsed once, linked to one flat
 * program for all metrics of a model, then evaluated for every interval in a single pass without recursion.
 *
 *   program_new → program_add for each formula → program_link → program_eval, program_events
 */
#ifndef TOPDOWN_COMMON_FORMULA_FORMULA_H
#define TOPDOWN_COMMON_FORMULA_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/formula/facts.h"

struct program;

/* What an identifier stands for. */
enum name_kind { NAME_UNKNOWN, NAME_EVENT, NAME_METRIC, NAME_CONSTANT };

struct name {
	enum name_kind kind;
	size_t index; /* NAME_EVENT: the caller's event number; NAME_METRIC: the caller's metric number */
	double value; /* NAME_CONSTANT */
};

/*
 * How the caller resolves names. resolve may set err to say why a name is unknown (else a general sentence is used);
 * has_event answers has_event(X) without adding the event.
 */
struct formula_names {
	void *context;
	struct name (*resolve)(void *context, const char *id, struct error *err);
	bool (*has_event)(void *context, const char *id);
	double (*source_count)(void *context, const char *id);
	/* What a slot is called in the reasons of program_failure. */
	const char *(*slot_name)(void *context, size_t slot);
	const struct facts *facts;
};

/* For about so many formulas (0: nobody knows); more are no mistake. */
struct program *program_new(struct arena *arena, size_t formulas) MUST_CHECK;

/*
 * Parses text, which the program borrows, and makes it formula number `slot` (metrics refer to each other by slot; a
 * threshold takes a slot of its own that nothing refers to). Branches whose condition is constant are dropped, with
 * their events. -1 on a syntax error, an unknown name or literal: err says what and at which column (from 1); the slot
 * then counts as failed, and a formula that needs it fails at program_link.
 */
int program_add(struct program *program, size_t slot, const char *text, const struct formula_names *names,
		struct error *err) MUST_CHECK;

/*
 * A formula that is known not to be computable here, and why; it counts as one that
 * program_add refused. Both are borrowed.
 */
void program_fail(struct program *program, size_t slot, const char *text, const char *why);

/* Resolves references between formulas, once, after all are added. program_failure then says what can't be computed. */
void program_link(struct program *program, const struct formula_names *names);

/*
 * NULL when the slot can be computed; otherwise the reason: "refers to itself: a > b > a", "needs a metric that refers
 * to itself: ...", "needs 'tma_x': ...", or what program_add said.
 */
const char *program_failure(const struct program *program, size_t slot);

/* Operations in the linked program: the size of the array that program_eval needs. */
size_t program_size(const struct program *program);

/*
 * The numbers of the events that the slot's formula can read, ascending; returns their count. events has room
 * for all of the caller's events.
 */
size_t program_events(struct program *program, size_t slot, size_t *events);

/*
 * Those of them with which the value grows, or may: they are in no denominator, no condition and not taken away. So
 * where they happen is where the value comes from. Ascending; room as above.
 */
size_t program_numerators(const struct program *program, size_t slot, size_t *events);

/*
 * Which formulas read the event anywhere else than in the formulas of these other slots (or in themselves, where they
 * are one of them)? reads has room for each formula.
 */
void program_reads_beside(const struct program *program, size_t event, const size_t *slots, size_t count, bool *reads);

/*
 * Evaluates all formulas: events[i] is the count of the caller's event i (NAN: not counted), values has program_size
 * doubles. Division by zero gives NAN, comparison with NAN 0, min and max are perf's (a < b ? a : b),
 * % is of whole numbers. d_ratio(0, 0) is 0; of another numerator over 0 it is NAN, where perf's is 0 too.
 */
void program_eval(const struct program *program, const double *events, double *values);

/* The slot's value after program_eval; NAN for a failed slot. */
double program_value(const struct program *program, const double *values, size_t slot);

/*
 * The operations that one slot's value takes, and nothing else: for a value that is needed
 * often, of other counts each time.
 */
struct program_slice {
	const struct program *program;
	size_t slot;
	uint32_t *operations;
	size_t count;
	double *values; /* as program_eval's */
};

/* In memory of arena. */
struct program_slice program_slice(const struct program *program, size_t slot, struct arena *arena);

/* The value that program_eval would come to; NAN for a failed slot. */
double program_slice_eval(const struct program_slice *slice, const double *events);

/* The formula as it was added, or NULL. */
const char *program_text(const struct program *program, size_t slot);

#endif
