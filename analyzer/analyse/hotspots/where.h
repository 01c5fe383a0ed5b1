/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * where.h - where in a program something is: from a profile and a weighing of it to tables of functions, lines,
 * callers, threads, processes, modules and intervals. Pure; what is shown of them, and how, is present's.
 */
#ifndef TOPDOWN_ANALYSE_HOTSPOTS_WHERE_H
#define TOPDOWN_ANALYSE_HOTSPOTS_WHERE_H

#include "analyse/hotspots/functions.h"
#include "analyse/hotspots/weighing.h"
#include "common/base/error.h"
#include "common/measurement/question.h"

struct where_request {
	const struct weighing *weighing;
	const struct weighing *base; /* beside it: cycles or time; NULL: none */
	const struct profile_filter *filter;
	const char *callers; /* of this function; NULL: of none */
};

/* A line that another thread's accesses came from: to lines of the caches that the row's own came to. */
struct where_partner {
	const char *function, *module, *file; /* as in a row */
	uint32_t line;
	enum sharing_kind kind;
	double transfers; /* of lines, from the partner's core to the row's */
	bool is_itself;	  /* the row's own line, in another thread */
};

/* A row of a table; what is no question for the table is NULL, 0 or NAN. */
struct where_row {
	const char *function; /* NULL: unknown */
	const char *module;   /* its path; NULL: none */
	const char *file;     /* NULL: unknown */
	uint32_t line;	      /* 0: unknown */
	const char *into;     /* of a line: the function that its own is inlined into; NULL: it is not */
	const char *at_file;  /* ... and where in it: NULL: unknown, or not inlined */
	uint32_t at_line;
	struct share self;		      /* of the weighing's whole: innermost there */
	struct share total;		      /* with what it called; a function that calls itself is there once */
	struct share base;		      /* self of the base's whole */
	const struct where_partner *partners; /* of a line, the most transfers first; none: npartners 0 */
	size_t npartners;
	double from_s, to_s; /* of an interval, and of its functions; to_s 0: unknown, or it is none */
};

struct where_rows {
	struct where_row *items; /* the largest self first */
	size_t count;
};

/* Who called the subject, and what the subject called: rows of its total. */
struct where_calls {
	const char *function; /* the subject; NULL: nobody asked */
	const char *module;   /* NULL: it is in several */
	struct share self, total;
	struct where_rows callers, callees; /* self: what came by them, of the whole; callees have the subject too */
};

struct where {
	const struct weighing *weighing, *base;
	const struct profile *profile;
	const struct profile_event *event;	   /* NULL: exact */
	struct where_rows functions, lines, parts; /* intervals: in the order of time */
	struct where_rows *interval_functions;	   /* [parts] of intervals: self is of the interval's own whole */
	enum profile_parts by;			   /* what parts are */
	double limit;				   /* percent, as in struct profile_filter: rows with less wait */
	struct where_calls calls;
	bool has_stacks;	/* callers were looked for */
	struct share kept;	/* by the filter, of the whole */
	struct share unknown;	/* in code without names */
	struct share truncated; /* whose callers were not all found */
	struct share nowhere;	/* of exact counts: belongs to no row */
	struct share lineless;	/* whose file and line are not known */
	struct share timed;	/* simulated: in functions that run by real time, whose rows have a mark */
	const char **remarks;	/* sentences: which modules have no names or lines, and why */
	size_t nremarks;
};

/* -1 where a filter or a function fits nothing; err has the nearest names. Lives in arena, and borrows the rest. */
int where_fill(struct where *where, const struct profile *profile, const struct where_request *request,
	       struct arena *arena, struct error *err) MUST_CHECK;

/* Does the row run by real time, where that is worth a remark? It is shown with a mark, "* ". */
bool where_row_is_timed(const struct where *where, const struct where_row *row);

/* ---- between the files of where ---- */

/* Of rows: weight and number of samples. */
struct amount {
	double weight;
	uint64_t samples;
};

struct share share_of_amount(const struct weighing *weighing, struct amount amount);

/* What the tables are made from. */
struct where_sums {
	const struct functions *functions;
	const struct weighing *weighing;
	const bool *is_kept;	/* [rows] by the filter */
	struct amount *stacks;	/* [stacks] of the rows with just this stack */
	const uint32_t *places; /* [stacks] where what is of the stack itself is */
	struct arena *arena;
};

/* The calls of the functions that are marked ([functions->count]). */
void where_fill_calls(struct where_calls *calls, const struct where_sums *sums, const bool *subject);

void where_sort(struct where_rows *rows);

/* Bits by enum sharing_kind that the weighed node is about; 0: none, or the profile has no pairs. */
unsigned partners_kinds(const struct where *where);

/* Gives the row those that are its own. is_row: [count] */
void partners_fill(struct where_row *row, const struct where_partner *all, const bool *is_row, size_t count,
		   struct arena *arena);

/* The parts that are intervals: those of -I, or of other profiles those with rows. */
void where_fill_intervals(struct where *where, const struct where_sums *sums);

/* What the tables do not say, as shares and sentences. */
void where_fill_left(struct where *where, const struct where_sums *sums);

void amount_add(struct amount *sum, struct amount more);
struct amount row_amount(const struct weighing *weighing, const struct profile *profile, uint32_t row);

#endif
