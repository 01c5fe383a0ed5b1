/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_internal.h - how an event's name becomes an event. */
#ifndef TOPDOWN_CPU_EVENT_EVENT_INTERNAL_H
#define TOPDOWN_CPU_EVENT_EVENT_INTERNAL_H

#include "cpu/event/event.h"
#include "cpu/event/spelling.h"

/* ---- kernel_event.c ---- */

/* The names that Linux has for events of every CPU ("branches"), whatever the vendor calls them. */

/* The database's name for what Linux calls so ("cycles", "topdown-retiring"); name itself where there is none. */
const char *kernel_event_row(const struct event_database *database, const char *name);

/*
 * The terms that Linux counts for one of its own names on a CPU of this vendor ("event=0xc4"), where sysfs has no file
 * for it; NULL: it has no such name, or the CPU no such event.
 */
const char *kernel_event_terms(const struct event_database *database, const char *name);

/* ---- event_draft.c ---- */

/*
 * An event while it is found out: from a row of the database, from raw terms, or from an alias of sysfs, each with
 * the modifiers that were spelled.
 */

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

/* ---- pfm.c ---- */

/* Event names that only libpfm4 knows. The only file pair that touches libpfm4. */

/* Fills event and returns true when libpfm4 knows the spelling for this CPU (database.pfm). */
bool pfm_event(struct event *event, const struct event_set *set, const char *spelling);

/*
 * The code words libpfm4 has for a spelling on one of its PMUs ("skx"): config and config1. False when it does not know
 * it. For the comparison of our encodings with its own.
 */
bool pfm_encode(const char *pmu, const char *spelling, uint64_t config[2]);

#endif
