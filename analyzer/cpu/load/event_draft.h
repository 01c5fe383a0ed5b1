/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_draft.h - an event while it is found out: from a row of the database, from raw terms, or from an alias of
 * sysfs, each with the modifiers that were spelled.
 */
#ifndef TOPDOWN_CPU_LOAD_EVENT_DRAFT_H
#define TOPDOWN_CPU_LOAD_EVENT_DRAFT_H

#include "cpu/load/event.h"
#include "cpu/load/spelling.h"

#define GENERIC_ANY GENERAL_COUNTERS /* an event whose counters nobody published */

/* The event's terms are here, not behind event.terms. */
struct draft {
	struct event event;
	struct pmu_term terms[EVENT_TERMS];
};

/* Always works: a modifier that the row has already changes nothing. */
void draft_row(struct draft *draft, struct event_set *set, const struct event_row *row, const struct spelling *s);

/* -1 and err when the PMU lacks a term or a value does not fit. */
int draft_terms(struct draft *draft, struct event_set *set, const struct spelling *s, struct error *err) MUST_CHECK;

/* list: the alias's terms, as in sysfs. Its name stays where nothing modifies it. */
int draft_alias(struct draft *draft, struct event_set *set, const struct spelling *s, const char *list,
		struct error *err) MUST_CHECK;

/*
 * An event of a PMU beside the cores: of a row with a unit (s->pmu does not matter), or NULL and as spelled: a name of
 * the PMU's events/, or terms. -1 and err for what such a PMU can't do.
 */
int draft_unit(struct draft *draft, struct event_set *set, const struct event_row *row, const struct spelling *s,
	       struct error *err) MUST_CHECK;

#endif
