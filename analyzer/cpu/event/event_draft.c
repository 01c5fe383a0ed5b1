/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/event/event_internal.h"

#include <string.h>

#include "common/base/text.h"

static void put_term(struct draft *draft, const char *name, uint64_t value)
{
	if (draft->event.nterms < EVENT_TERMS)
		draft->terms[draft->event.nterms++] = (struct pmu_term){ .name = name, .value = value };
}

static void event_draft_add_term(struct draft *draft, const char *name, uint64_t value)
{
	if (value)
		put_term(draft, name, value);
}

/* What is spelled replaces what an alias of sysfs has. */
static void set_term(struct draft *draft, const char *name, uint64_t value)
{
	for (size_t i = 0; i < draft->event.nterms; i++) {
		if (strcmp(draft->terms[i].name, name) != 0)
			continue;
		draft->terms[i].value = value;
		return;
	}
	put_term(draft, name, value);
}

static const struct msr_row {
	unsigned msr;
	const char *term;
} msrs[] = {
	/* clang-format off */
	{ 0x1a6, "offcore_rsp" },
	{ 0x1a7, "offcore_rsp" },
	{ 0x3f6, "ldlat" },
	{ 0x3f7, "frontend" },
	/* clang-format on */
};

static void add_msr(struct draft *draft)
{
	for (size_t i = 0; i < COUNT_OF(msrs); i++)
		if (msrs[i].msr == draft->event.msr)
			event_draft_add_term(draft, msrs[i].term, draft->event.msr_value);
}

/*
 * Where the row may be counted. A fixed counter can't filter, so a modified event goes to the general ones; and a fixed
 * event that has an event code of its own is counted there too when its fixed counter is taken (the kernel adds the
 * general counters to such constraints: arch/x86/events/intel/core.c, intel_pmu_check_event_constraints).
 */
static uint64_t row_counters(const struct event_set *set, const struct event_row *row, bool is_modified)
{
	uint64_t counters = !set->smt_on && row->counters_smt_off ? row->counters_smt_off : row->counters;

	if (row->is_metric)
		return 0;
	if (!counters)
		return GENERIC_ANY;
	if (!(counters & ~GENERAL_COUNTERS))
		return counters;
	if (is_modified)
		return GENERIC_ANY;
	return row->code ? counters | GENERAL_COUNTERS : counters;
}

static enum event_kind row_kind(const struct event_set *set, const struct event_row *row)
{
	const char *slots = set->database->slots_event;

	if (row->is_metric)
		return EVENT_METRIC;
	return slots && is_same_name(slots, row->name) ? EVENT_SLOTS : EVENT_CORE;
}

static bool is_plain(const struct spelling *s)
{
	return spelling_is_unmodified(s) && !s->is_percore && !s->is_retire_latency && !s->user_only && !s->kernel_only;
}

/* The canonical name: what differs from the row, in a fixed order. */
static const char *row_event_name(const struct event_row *row, const struct spelling *s, struct arena *arena)
{
	struct string name;

	if (is_plain(s))
		return row->name;
	name = STRING_INIT(arena);
	string_add(&name, row->name);
	if (s->has_umask && s->umask != row->umask)
		string_printf(&name, ":u0x%llx", (unsigned long long)s->umask);
	if (s->cmask && s->cmask != row->counter_mask)
		string_printf(&name, ":c%llu", (unsigned long long)s->cmask);
	if (s->edge && !row->edge)
		string_add(&name, ":e1");
	if (s->invert && !row->invert)
		string_add(&name, ":i1");
	if (s->any && !row->any)
		string_add(&name, ":any");
	if (s->equal && !row->equal)
		string_add(&name, ":eq1");
	if (s->has_msr_value && s->msr_value != row->msr_value)
		string_printf(&name, ":ocr_msr_val=0x%llx", (unsigned long long)s->msr_value);
	if (s->is_percore)
		string_add(&name, ":percore");
	if (s->is_retire_latency)
		string_add(&name, ":retire_latency");
	string_add(&name, s->user_only ? ":u" : s->kernel_only ? ":k" : "");
	return name.text;
}

void draft_row(struct draft *draft, struct event_set *set, const struct event_row *row, const struct spelling *s)
{
	bool edge = row->edge || s->edge, invert = row->invert || s->invert;
	bool has_other_umask = s->has_umask && s->umask != row->umask;
	uint64_t cmask = s->cmask ? s->cmask : row->counter_mask;

	draft->event = (struct event){
		.name = row_event_name(row, s, set->arena),
		.row = row,
		.kind = s->is_percore ? EVENT_CORE : row_kind(set, row),
		.counters = row_counters(set, row, edge || invert || cmask || s->any || s->equal || has_other_umask),
		.msr = row->msr,
		.nmsr = row->nmsr,
		.msr_value = s->has_msr_value ? s->msr_value : row->msr_value,
		.taken_alone = row->taken_alone,
		.user_only = s->user_only,
		.kernel_only = s->kernel_only,
		.is_retire_latency = s->is_retire_latency,
		.is_percore = s->is_percore,
		.absent = s->is_percore ? "it is of all threads of a core" : NULL,
	};

	put_term(draft, "event", row->code);
	event_draft_add_term(draft, "umask", s->has_umask ? s->umask : row->umask);
	event_draft_add_term(draft, "edge", edge);
	event_draft_add_term(draft, "any", row->any || s->any);
	event_draft_add_term(draft, "inv", invert);
	event_draft_add_term(draft, "cmask", cmask);
	event_draft_add_term(draft, "eq", row->equal || s->equal);
	add_msr(draft);
}

/*
 * Cycles up to the last checkpoint of a transaction are counted on counter 2 only
 * (hsw_get_event_constraints in the kernel).
 */
static uint64_t terms_counters(const struct spelling *s)
{
	for (size_t i = 0; i < s->nterms; i++)
		if (!strcmp(s->terms[i].name, "in_tx_cp") && s->terms[i].value)
			return 1ull << 2;
	return GENERIC_ANY;
}

static const char *msr_term(const struct draft *draft)
{
	for (size_t i = 0; i < draft->event.nterms; i++)
		for (size_t k = 0; k < COUNT_OF(msrs); k++)
			if (!strcmp(msrs[k].term, draft->terms[i].name))
				return msrs[k].term;
	return NULL;
}

/* The value of an MSR: under the term that is spelled, else under the one that the alias has. */
static int set_msr_value(struct draft *draft, const struct spelling *s, struct error *err)
{
	const char *term = s->msr_term ? s->msr_term : msr_term(draft);

	if (!s->has_msr_value)
		return 0;
	if (!term)
		return error_set(err, "an MSR's value for an event that has none");
	set_term(draft, term, s->msr_value);
	return 0;
}

/* A value of an MSR that was spelled as a term needs that MSR as a row's does. */
static void find_msr(struct event *event, const struct event_set *set, const struct pmu_term *term)
{
	for (size_t i = 0; i < COUNT_OF(msrs); i++) {
		if (strcmp(msrs[i].term, term->name) != 0)
			continue;
		event->msr_value = term->value;
		for (size_t k = 0; k < set->database->count && !event->msr; k++)
			if (set->database->rows[k].msr == msrs[i].msr) {
				event->msr = msrs[i].msr;
				event->nmsr = set->database->rows[k].nmsr;
			}
	}
}

/* cpu/event=0xc2,umask=2/, or a sysfs alias's terms. */
int draft_terms(struct draft *draft, struct event_set *set, const struct spelling *s, struct error *err)
{
	struct event *event = &draft->event;
	uint64_t config[4];

	*event = (struct event){ .kind = EVENT_CORE,
				 .counters = terms_counters(s),
				 .user_only = s->user_only,
				 .kernel_only = s->kernel_only };
	for (size_t i = 0; i < s->nterms; i++)
		put_term(draft, s->terms[i].name, s->terms[i].value);
	if (s->is_retire_latency)
		return error_set(err, "a retire latency is known of the database's events only");
	if (s->has_umask)
		set_term(draft, "umask", s->umask);
	if (s->edge)
		set_term(draft, "edge", 1);
	if (s->any)
		set_term(draft, "any", 1);
	if (s->invert)
		set_term(draft, "inv", 1);
	if (s->cmask)
		set_term(draft, "cmask", s->cmask);
	if (s->equal)
		set_term(draft, "eq", 1);
	if (set_msr_value(draft, s, err) < 0)
		return -1;
	if (pmu_pack(config, set->pmu, draft->terms, event->nterms, err) < 0)
		return -1;
	event->terms = draft->terms;
	for (size_t i = 0; i < event->nterms; i++)
		find_msr(event, set, &draft->terms[i]);
	event->name = event_perf_string(event, set->pmu, s->user_only ? "u" : s->kernel_only ? "k" : "", set->arena);
	return 0;
}

/* ---- other PMUs than a core's ---- */

/* As a PMU of the kernel's is called; what else stands before a slash is a slip. */
static bool is_unit_name(const char *pmu)
{
	static const char *const prefixes[] = { "uncore_", "cha",  "cbox", "imc",   "upi",     "qpi",	  "iio",
						"m2m",	   "pcu",  "arb",  "amd_",  "arm_",    "power",	  "cstate_",
						"msr",	   "i915", "ali_", "hisi_", "nvidia_", "smmuv3_", "ampere_" };

	for (size_t i = 0; i < COUNT_OF(prefixes); i++)
		if (has_name_prefix(pmu, prefixes[i]))
			return true;
	return false;
}

const char *unit_name(const char *pmu, struct arena *arena)
{
	static const char *const short_names[] = { "cha", "cbox", "imc", "upi", "qpi", "iio", "m2m", "pcu", "arb" };

	for (size_t i = 0; i < COUNT_OF(short_names); i++) {
		size_t length = strlen(short_names[i]);

		if (has_name_prefix(pmu, short_names[i]) && (!pmu[length] || pmu[length] == '_'))
			return arena_printf(arena, "uncore_%s", pmu);
	}
	return pmu;
}

/* "cha_0": one unit, and in formulas that of one socket. */
static bool has_number(const char *pmu)
{
	size_t length = strlen(pmu), digits = 0;

	while (digits < length && pmu[length - 1 - digits] >= '0' && pmu[length - 1 - digits] <= '9')
		digits++;
	return digits && digits < length && pmu[length - 1 - digits] == '_';
}

/* "event" is not all PMUs' word: a mesh has nodes with events of their own (arm-cmn.c), or the file has all bits. */
static bool has_other_code(const struct pmu_term *terms, int count)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(terms[i].name, "eventid") || !strcmp(terms[i].name, "config"))
			return true;
	return false;
}

static int put_row_terms(struct draft *draft, struct event_set *set, const struct event_row *row, struct error *err)
{
	struct pmu_term terms[EVENT_TERMS];
	int count = row->terms ? pmu_parse_terms(row->terms, terms, EVENT_TERMS, set->arena, err) : 0;

	if (!has_other_code(terms, count))
		put_term(draft, "event", row->code);
	event_draft_add_term(draft, "umask", row->umask);
	event_draft_add_term(draft, "edge", row->edge);
	event_draft_add_term(draft, "inv", row->invert);
	event_draft_add_term(draft, "cmask", row->counter_mask);
	for (int i = 0; i < count; i++)
		put_term(draft, terms[i].name, terms[i].value);
	return count < 0 ? -1 : 0;
}

/* row: what the terms are added to; a umask that is the row's own stands there already. NULL: nothing. */
static void put_spelled_terms(struct draft *draft, const struct event_row *row, const struct spelling *s)
{
	for (size_t i = 0; i < s->nterms; i++)
		set_term(draft, s->terms[i].name, s->terms[i].value);
	if (s->has_umask && (!row || s->umask != row->umask))
		set_term(draft, "umask", s->umask);
	if (s->edge)
		set_term(draft, "edge", 1);
	if (s->invert)
		set_term(draft, "inv", 1);
	if (s->cmask)
		set_term(draft, "cmask", s->cmask);
}

static bool has_unit_words_only(const struct spelling *s)
{
	for (size_t i = 0; i < s->nterms; i++)
		if (!spelling_is_unit_word(s->terms[i].name))
			return false;
	return true;
}

/* PMU/NAME,term=0x1/: terms that no modifier sets are read again only so. */
static const char *unit_slash_name(const struct event_row *row, const struct spelling *s, struct arena *arena)
{
	struct string name = STRING_INIT(arena);

	string_printf(&name, "%s/%s", row->unit, row->name);
	if (s->has_umask && s->umask != row->umask)
		string_printf(&name, ",umask=0x%llx", (unsigned long long)s->umask);
	if (s->cmask && s->cmask != row->counter_mask)
		string_printf(&name, ",cmask=%llu", (unsigned long long)s->cmask);
	string_add(&name, s->edge && !row->edge ? ",edge" : "");
	string_add(&name, s->invert && !row->invert ? ",inv" : "");
	for (size_t i = 0; i < s->nterms; i++)
		string_printf(&name, ",%s=0x%llx", s->terms[i].name, (unsigned long long)s->terms[i].value);
	string_add(&name, s->is_one_unit && !row->is_one_unit ? ",one_unit/" : "/");
	return name.text;
}

static const char *unit_event_name(const struct draft *draft, const struct event_row *row, const struct spelling *s,
				   struct arena *arena)
{
	struct string name = STRING_INIT(arena);

	if (!row)
		return event_perf_string(&draft->event, NULL, "", arena);
	if (!has_unit_words_only(s))
		return unit_slash_name(row, s, arena);
	string_add(&name, row_event_name(row, s, arena));
	for (size_t i = 0; i < s->nterms; i++)
		string_printf(&name, ":%s=0x%llx", s->terms[i].name, (unsigned long long)s->terms[i].value);
	if (s->is_one_unit && !row->is_one_unit)
		string_add(&name, ":one_unit");
	return name.text;
}

/*
 * "pcu_0@UNC_P_CLOCKTICKS@" is one unit's, as UNC_P_CLOCKTICKS:one_unit is; the kernel's names are of PMUs as they
 * stand.
 */
static bool is_numbered_unit(const struct event_row *row, const struct spelling *s)
{
	return row && !row->kernel_event && s->pmu && s->pmu != s->name && has_number(s->pmu);
}

int draft_unit(struct draft *draft, struct event_set *set, const struct event_row *row, const struct spelling *spelled,
	       struct error *err)
{
	struct spelling own = *spelled, *s = &own;
	struct event *event = &draft->event;

	s->is_one_unit = s->is_one_unit || is_numbered_unit(row, s);
	if (s->user_only || s->kernel_only || s->is_retire_latency)
		return error_set(err, "'%s' is counted by a PMU that knows no modes and no latencies of instructions",
				 s->name ? s->name : s->pmu);
	if (!row && !is_unit_name(s->pmu))
		return error_set(err, "no PMU is called '%s'", s->pmu);
	*event = (struct event){ .row = row, .kind = EVENT_UNIT, .unit_scale = row ? row->unit_scale : NOT_COUNTED };
	event->counters = row ? row->counters & GENERAL_COUNTERS : 0;
	event->unit = row ? row->unit : arena_strdup(set->arena, unit_name(s->pmu, set->arena));
	event->alias = row ? row->kernel_event : s->name ? arena_strdup(set->arena, s->name) : NULL;
	event->is_one_unit = s->is_one_unit || (row ? row->is_one_unit : has_number(s->pmu));
	if (row && !event->alias && put_row_terms(draft, set, row, err) < 0)
		return -1;
	put_spelled_terms(draft, row, s);
	event->terms = draft->terms;
	event->name = unit_event_name(draft, row, s, set->arena);
	return 0;
}

/* A name of events/ below the PMU in sysfs, or of the kernel's own, and the terms that it stands for. */
int draft_alias(struct draft *draft, struct event_set *set, const struct spelling *s, const char *list,
		struct error *err)
{
	struct spelling terms = *s;
	int count = pmu_parse_terms(list, terms.terms, SPELLING_TERMS, set->arena, err);

	if (count < 0)
		return -1;
	terms.nterms = (size_t)count;
	if (draft_terms(draft, set, &terms, err) < 0)
		return -1;
	if (spelling_is_unmodified(s))
		draft->event.name = arena_printf(set->arena, "%s%s", s->name,
						 s->user_only	  ? ":u"
						 : s->kernel_only ? ":k"
								  : "");
	return 0;
}
