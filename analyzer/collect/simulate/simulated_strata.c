/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/simulated_counts.h"

#include <math.h>
#include <string.h>

#include "common/base/macros.h"
#include "common/base/text.h"
#include "common/measurement/statistics.h"

static const struct cause {
	enum wire_count lost, all, modelled;
	bool is_partial; /* slots are lost without it too: to lines that were asked for ahead */
} causes[SIMULATED_TRIGGERED] = {
	{ WIRE_LOST_MISPREDICT, WIRE_TRIGGERS_MISPREDICTED, WIRE_MODELLED_MISPREDICTED, false },
	{ WIRE_LOST_RESTEER, WIRE_TRIGGERS_MISPREDICTED, WIRE_MODELLED_MISPREDICTED, false },
	{ WIRE_LOST_UNKNOWN_BRANCH, WIRE_TRIGGERS_UNKNOWN, WIRE_MODELLED_UNKNOWN, false },
	{ WIRE_LOST_ICACHE, WIRE_TRIGGERS_CODE, WIRE_MODELLED_CODE, false },
	{ WIRE_LOST_ITLB, WIRE_TRIGGERS_CODE_PAGE, WIRE_MODELLED_CODE_PAGE, false },
	{ WIRE_LOST_DTLB, WIRE_TRIGGERS_DATA_PAGE, WIRE_MODELLED_DATA_PAGE, true },
	{ WIRE_LOST_L2, WIRE_TRIGGERS_L2, WIRE_MODELLED_L2, true },
	{ WIRE_LOST_L3, WIRE_TRIGGERS_L3, WIRE_MODELLED_L3, true },
	{ WIRE_LOST_DRAM, WIRE_TRIGGERS_DRAM, WIRE_MODELLED_DRAM, true },
};

double simulated_number(const char *text, enum wire_count count)
{
	const char *name = wire_row(count)->name, *end;
	size_t length = strlen(name);
	uint64_t value;

	for (const char *found = text; (found = strstr(found, name)); found++)
		if ((found == text || found[-1] == '\n') && found[length] == ' ' &&
		    text_u64_prefix(found + length + 1, &end, &value))
			return (double)value;
	return 0;
}

bool simulated_is_sampled(const char *text)
{
	double unsampled = simulated_number(text, WIRE_UNSAMPLED);

	return !(unsampled > 0) || unsampled < simulated_number(text, WIRE_RETIRED);
}

size_t simulated_strata_find(const char *text)
{
	return (size_t)fmin(simulated_number(text, WIRE_STRATUM), SIMULATED_STRATA - 1);
}

static void simulated_strata_add_whole(struct simulated_strata *strata, const char *text)
{
	strata->whole += simulated_number(text, WIRE_RETIRED);
	for (unsigned i = 0; i < SIMULATED_TRIGGERED; i++) {
		strata->whole_lost[i] += simulated_number(text, causes[i].lost);
		strata->whole_triggers[i] += simulated_number(text, causes[i].all);
	}
}

void simulated_strata_add(struct simulated_strata *strata, const char *text)
{
	double retired = simulated_number(text, WIRE_RETIRED), modelled = simulated_number(text, WIRE_MODELLED);
	struct simulated_stratum *stratum = &strata->items[simulated_strata_find(text)];

	if (!simulated_is_sampled(text)) {
		simulated_strata_add_whole(strata, text);
		return;
	}
	stratum->sampled += retired;
	stratum->modelled += modelled;
	for (unsigned i = 0; i < SIMULATED_TRIGGERED && retired > 0; i++) {
		stratum->triggered[i].lost += simulated_number(text, causes[i].lost) * modelled / retired;
		stratum->triggered[i].modelled += simulated_number(text, causes[i].modelled);
		stratum->triggered[i].triggers += simulated_number(text, causes[i].all);
	}
	for (unsigned i = 0; i < SIMULATED_SUMS; i++)
		stratum->sums[i] += simulated_number(text, WIRE_SAMPLE_WINDOWS + i);
}

void simulated_strata_join(struct simulated_strata *strata)
{
	for (size_t i = SIMULATED_STRATA; i-- > 1;) {
		struct simulated_stratum *stratum = &strata->items[i];

		if (!(stratum->sampled > 0) || stratum->modelled > 0)
			continue;
		strata->items[i - 1].sampled += stratum->sampled;
		for (unsigned k = 0; k < SIMULATED_TRIGGERED; k++)
			strata->items[i - 1].triggered[k].triggers += stratum->triggered[k].triggers;
		*stratum = (struct simulated_stratum){ .sampled = 0 };
	}
}

static double all_modelled(const struct simulated_strata *strata)
{
	double sum = 0;

	for (size_t i = 0; i < SIMULATED_STRATA; i++)
		sum += strata->items[i].modelled;
	return sum;
}

static double all_sampled(const struct simulated_strata *strata)
{
	double sum = 0;

	for (size_t i = 0; i < SIMULATED_STRATA; i++)
		sum += strata->items[i].sampled;
	return sum;
}

double simulated_strata_weight(const struct simulated_strata *strata, const char *text)
{
	double retired = simulated_number(text, WIRE_RETIRED), modelled = simulated_number(text, WIRE_MODELLED);
	const struct simulated_stratum *stratum = &strata->items[simulated_strata_find(text)];

	if (!simulated_is_sampled(text))
		return all_modelled(strata) > 0 ? 1 : (strata->whole + all_sampled(strata)) / strata->whole;
	return retired > 0 && stratum->modelled > 0 ? modelled / retired * stratum->sampled / stratum->modelled : 1;
}

/* Where windows met fewer than this part of their share, others from what was modelled in full take their place. */
#define LEAST_MET 0.1

/* Slots of one, of which there are some. */
static double cost_of(const struct simulated_strata *strata, unsigned number, const struct simulated_triggered *t,
		      double share)
{
	double all = strata->whole_triggers[number];
	double missing = all > 0 ? fmax(LEAST_MET * share * t->triggers - t->modelled, 0) : 0;
	double whole = missing > 0 ? strata->whole_lost[number] / all : 0;

	return (t->lost + missing * whole) / (t->modelled + missing);
}

/* The cause's slots in all that windows stand for. */
static double lost_in_all(const struct simulated_strata *strata, unsigned number,
			  const struct simulated_stratum *stratum)
{
	const struct simulated_triggered *t = &stratum->triggered[number];
	double share = stratum->modelled / stratum->sampled, cost = cost_of(strata, number, t, share);

	if (!causes[number].is_partial)
		return cost * t->triggers;
	/* A difference estimator: what is lost without it is lost to as many instructions as windows say. */
	return fmax(t->lost / share + fmin(cost, 1) * (t->triggers - t->modelled / share), 0);
}

/* NAN: what it follows from is not counted, or nobody knows what it takes. */
static double find_lost(const struct simulated_strata *strata, size_t number, enum wire_count cause, double *weighed)
{
	const struct simulated_stratum *stratum = &strata->items[number];

	for (unsigned i = 0; i < SIMULATED_TRIGGERED; i++) {
		const struct simulated_triggered *t = &stratum->triggered[i];

		if (causes[i].lost != cause || !(stratum->modelled > 0) || !(t->triggers > 0))
			continue;
		*weighed = t->lost / (stratum->modelled / stratum->sampled);
		return lost_in_all(strata, i, stratum);
	}
	return NOT_COUNTED;
}

double simulated_strata_factor(const struct simulated_strata *strata, size_t stratum, enum wire_count cause)
{
	double weighed = 0, lost = find_lost(strata, stratum, cause, &weighed);

	return weighed > 0 && !isnan(lost) ? lost / weighed : 1;
}

double simulated_strata_unseen(const struct simulated_strata *strata, size_t stratum, enum wire_count cause)
{
	double weighed = 0, lost = find_lost(strata, stratum, cause, &weighed);

	return weighed > 0 || isnan(lost) ? 0 : lost;
}

/* ---- how far the windows are apart ---- */

static double window_sum(const struct simulated_stratum *stratum, enum wire_count sum)
{
	return stratum->sums[sum - WIRE_SAMPLE_WINDOWS];
}

static double part_of(const struct simulated_stratum *stratum)
{
	return stratum->modelled / stratum->sampled;
}

/* A product's sum is over two sums: instructions and slots by themselves, and each part of the tree with slots. */
struct product {
	enum wire_count sum, a, b;
};

static const struct product products[] = {
	{ WIRE_SAMPLE_INSTRUCTIONS_SQUARED, WIRE_SAMPLE_INSTRUCTIONS, WIRE_SAMPLE_INSTRUCTIONS },
	{ WIRE_SAMPLE_SLOTS_SQUARED, WIRE_SAMPLE_SLOTS, WIRE_SAMPLE_SLOTS },
	{ WIRE_SAMPLE_SLOTS_INSTRUCTIONS, WIRE_SAMPLE_SLOTS, WIRE_SAMPLE_INSTRUCTIONS },
	{ WIRE_SAMPLE_RETIRING_SQUARED, WIRE_SAMPLE_RETIRING, WIRE_SAMPLE_RETIRING },
	{ WIRE_SAMPLE_RETIRING_SLOTS, WIRE_SAMPLE_RETIRING, WIRE_SAMPLE_SLOTS },
	{ WIRE_SAMPLE_SPECULATION_SQUARED, WIRE_SAMPLE_SPECULATION, WIRE_SAMPLE_SPECULATION },
	{ WIRE_SAMPLE_SPECULATION_SLOTS, WIRE_SAMPLE_SPECULATION, WIRE_SAMPLE_SLOTS },
	{ WIRE_SAMPLE_FRONTEND_SQUARED, WIRE_SAMPLE_FRONTEND, WIRE_SAMPLE_FRONTEND },
	{ WIRE_SAMPLE_FRONTEND_SLOTS, WIRE_SAMPLE_FRONTEND, WIRE_SAMPLE_SLOTS },
	{ WIRE_SAMPLE_BACKEND_SQUARED, WIRE_SAMPLE_BACKEND, WIRE_SAMPLE_BACKEND },
	{ WIRE_SAMPLE_BACKEND_SLOTS, WIRE_SAMPLE_BACKEND, WIRE_SAMPLE_SLOTS },
};

/* The covariance of one window's figures with another's. */
static double covariance(const struct simulated_stratum *s, const struct product *p)
{
	double n = window_sum(s, WIRE_SAMPLE_WINDOWS);

	return (window_sum(s, p->sum) - window_sum(s, p->a) * window_sum(s, p->b) / n) / (n - 1);
}

/*
 * The stratum whose windows say how far those of another are apart: itself with two or more of them, else the one
 * before; NULL: none does. size: how much larger its windows are than that one's.
 */
static const struct simulated_stratum *judge(const struct simulated_strata *strata, size_t number, double *size)
{
	const struct simulated_stratum *s = &strata->items[number], *other;
	double n = window_sum(s, WIRE_SAMPLE_WINDOWS);

	*size = 1;
	if (n >= 2)
		return s;
	while (number-- > 0) {
		other = &strata->items[number];
		if (!(window_sum(other, WIRE_SAMPLE_WINDOWS) >= 2))
			continue;
		*size = window_sum(s, WIRE_SAMPLE_INSTRUCTIONS) / fmax(n, 1) * window_sum(other, WIRE_SAMPLE_WINDOWS) /
			window_sum(other, WIRE_SAMPLE_INSTRUCTIONS);
		return other;
	}
	return NULL;
}

/* What a stratum has of the variance of the total, or of a product of two totals. */
static double variance_in(const struct simulated_strata *strata, size_t number, const struct product *p)
{
	const struct simulated_stratum *s = &strata->items[number], *other;
	double size, part = part_of(s), n = fmax(window_sum(s, WIRE_SAMPLE_WINDOWS), 1);

	other = s->sampled > 0 && s->modelled > 0 ? judge(strata, number, &size) : NULL;
	return other ? n * (1 - part) / (part * part) * size * size * covariance(other, p) : 0;
}

static double all_windows(const struct simulated_strata *strata)
{
	double sum = 0;

	for (size_t i = 0; i < SIMULATED_STRATA; i++)
		sum += window_sum(&strata->items[i], WIRE_SAMPLE_WINDOWS);
	return sum;
}

/* As if all windows had been left out equally often. */
static double total(const struct simulated_strata *strata, enum wire_count sum)
{
	double part = all_modelled(strata) / all_sampled(strata), all = 0;

	for (size_t i = 0; i < SIMULATED_STRATA; i++)
		if (strata->items[i].modelled > 0)
			all += window_sum(&strata->items[i], sum) * part / part_of(&strata->items[i]);
	return all;
}

/* The interval's factor by the windows that make it wide, over that by all of them: squared, as of a variance. */
static double widening(const struct simulated_strata *strata)
{
	static const struct product slots = { WIRE_SAMPLE_SLOTS_SQUARED, WIRE_SAMPLE_SLOTS, WIRE_SAMPLE_SLOTS };
	double variance = 0, squares = 0, factor;

	for (size_t i = 0; i < SIMULATED_STRATA; i++) {
		double own = variance_in(strata, i, &slots), n = window_sum(&strata->items[i], WIRE_SAMPLE_WINDOWS);

		variance += own;
		squares += own * own / fmax(n - 1, 1);
	}
	if (!(squares > 0))
		return 1;
	factor = student_t95((size_t)fmax(variance * variance / squares, 1)) /
		 student_t95((size_t)(all_windows(strata) - 1));
	return factor * factor;
}

static const struct product *find_product(enum wire_count sum)
{
	for (size_t i = 0; i < COUNT_OF(products); i++)
		if (products[i].sum == sum)
			return &products[i];
	return NULL;
}

double simulated_strata_sum(const struct simulated_strata *strata, enum wire_count sum)
{
	const struct product *p = find_product(sum);
	double n = all_windows(strata), part = all_modelled(strata) / all_sampled(strata), variance = 0;

	if (sum == WIRE_SAMPLE_WINDOWS)
		return n;
	if (!p || !(n >= 2) || !(part < 1))
		return p ? 0 : total(strata, sum);
	for (size_t i = 0; i < SIMULATED_STRATA; i++)
		variance += variance_in(strata, i, p);
	variance *= widening(strata) * part * part * (n - 1) / (n * (1 - part));
	return fmax(variance + total(strata, p->a) * total(strata, p->b) / n, 0);
}
