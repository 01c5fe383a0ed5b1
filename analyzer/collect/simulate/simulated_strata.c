/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/simulated_counts.h"

#include <math.h>
#include <string.h>

#include "common/base/macros.h"
#include "common/base/text.h"

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

static void simulated_strata_add_whole(struct simulated_strata *strata, const char *text)
{
	strata->whole += simulated_number(text, WIRE_RETIRED);
	for (unsigned i = 0; i < SIMULATED_TRIGGERED; i++) {
		strata->triggered[i].whole_lost += simulated_number(text, causes[i].lost);
		strata->triggered[i].whole_triggers += simulated_number(text, causes[i].all);
	}
}

void simulated_strata_add(struct simulated_strata *strata, const char *text)
{
	double retired = simulated_number(text, WIRE_RETIRED), modelled = simulated_number(text, WIRE_MODELLED);

	if (!simulated_is_sampled(text)) {
		simulated_strata_add_whole(strata, text);
		return;
	}
	strata->sampled += retired;
	strata->modelled += modelled;
	for (unsigned i = 0; i < SIMULATED_TRIGGERED && retired > 0; i++) {
		strata->triggered[i].lost += simulated_number(text, causes[i].lost) * modelled / retired;
		strata->triggered[i].modelled += simulated_number(text, causes[i].modelled);
		strata->triggered[i].triggers += simulated_number(text, causes[i].all);
	}
}

double simulated_strata_weight(const struct simulated_strata *strata, const char *text)
{
	double retired = simulated_number(text, WIRE_RETIRED), modelled = simulated_number(text, WIRE_MODELLED);

	if (!simulated_is_sampled(text))
		return strata->modelled > 0 ? 1 : (strata->whole + strata->sampled) / strata->whole;
	return retired > 0 && strata->modelled > 0 ? modelled / retired * strata->sampled / strata->modelled : 1;
}

/* Where windows met fewer than this part of their share, others from what was modelled in full take their place. */
#define LEAST_MET 0.1

/* Slots of one, of which there are some. */
static double cost_of(const struct simulated_triggered *t, double share)
{
	double missing = t->whole_triggers > 0 ? fmax(LEAST_MET * share * t->triggers - t->modelled, 0) : 0;
	double whole = missing > 0 ? t->whole_lost / t->whole_triggers : 0;

	return (t->lost + missing * whole) / (t->modelled + missing);
}

/* The cause's slots in all that windows stand for, of whose instructions these have a share. */
static double lost_in_all(const struct cause *cause, const struct simulated_triggered *t, double share)
{
	double cost = cost_of(t, share);

	if (!cause->is_partial)
		return cost * t->triggers;
	/* A difference estimator: what is lost without it is lost to as many instructions as windows say. */
	return fmax(t->lost / share + fmin(cost, 1) * (t->triggers - t->modelled / share), 0);
}

/* NAN: what it follows from is not counted, or nobody knows what it takes. */
static double find_lost(const struct simulated_strata *strata, enum wire_count cause, double *weighed)
{
	double share = strata->modelled / strata->sampled;

	for (unsigned i = 0; i < SIMULATED_TRIGGERED; i++) {
		const struct simulated_triggered *t = &strata->triggered[i];

		if (causes[i].lost != cause || !(strata->modelled > 0) || !(t->triggers > 0))
			continue;
		*weighed = t->lost / share;
		return lost_in_all(&causes[i], t, share);
	}
	return NOT_COUNTED;
}

double simulated_strata_factor(const struct simulated_strata *strata, enum wire_count cause)
{
	double weighed = 0, lost = find_lost(strata, cause, &weighed);

	return weighed > 0 && !isnan(lost) ? lost / weighed : 1;
}

double simulated_strata_unseen(const struct simulated_strata *strata, enum wire_count cause)
{
	double weighed = 0, lost = find_lost(strata, cause, &weighed);

	return weighed > 0 || isnan(lost) ? 0 : lost;
}
