/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_choice.h - what `topdown export` shows: a profile's weighings, and which of them is shown. */
#ifndef TOPDOWN_COMMAND_JOBS_EXPORT_CHOICE_H
#define TOPDOWN_COMMAND_JOBS_EXPORT_CHOICE_H

#include "analyse/evaluate/report.h"
#include "common/measurement/counts.h"
#include "common/request/request.h"
#include "present/export/export.h"

struct explored;
struct timeline;

struct export_choice {
	const char *to;	 /* NULL: not given, the name behind -o says it */
	unsigned roots;	 /* enum export_roots */
	unsigned colors; /* enum export_colors */
	bool is_normalized;
};

/*
 * The measurement has a profile. It is evaluated where that is needed, and where its CPU is known. -1 where what the
 * request's nodes or events name is not in it. Everything that the subject has is in the request's arena.
 */
int export_choice_subject(struct export_subject *subject, struct measurement *measured,
			  const struct export_choice *choice, const struct request *request,
			  struct error *err) MUST_CHECK;

/*
 * The same of two measurements, which errors call names: of both the same weighing, by default the
 * first that both have.
 */
int export_choice_pair(struct export_subject *subjects, struct measurement *measured, char *const *names,
		       const struct request *request, struct error *err) MUST_CHECK;

/* Rows with their stacks, or the source lines alone, where a simulation kept nothing else. False: neither. */
bool export_choice_find_profile(struct measurement *measured, struct arena *arena);

/*
 * What a page and `topdown view` explore of a measurement whose first part is evaluated as report (NULL: nothing was
 * counted): all nodes, and where they are, as far as that is known. NULL: there is neither.
 */
struct explored *export_choice_explored(const struct measurement *measured, const struct report *report,
					const struct timeline *timeline, struct arena *arena);

#endif
