/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulated_strata_test.c - what windows stand for, by instructions and by what slots follow from. */
#include <math.h>

#include "rows.h"

#include "common/base/macros.h"

#include "collect/simulate/simulated_counts.h"

/* A whole part in which a line of code lost 3 slots, and sampled ones of which a tenth was modelled. */
#define WHOLE "\ninst.retired 1000\ninst.modelled 1000\ninst.unsampled 1000\nlost.icache 600\ntriggers.code 200\n"
#define TENTH "\ninst.retired 9000\ninst.modelled 900\n"

static const struct strata_row {
	const char *name, *first, *second;
	double factor, unseen; /* of the cause, by hand */
	enum wire_count cause;
} rows[] = {
	{ "their share of the lines", TENTH "lost.icache 5000\ntriggers.code 1000\nmodelled.code 100\n", "", 1, 0,
	  WIRE_LOST_ICACHE },
	/* Each lost 5: all 400 lost 2000. */
	{ "too many of them", TENTH "lost.icache 5000\ntriggers.code 400\nmodelled.code 100\n", "", 0.4, 0,
	  WIRE_LOST_ICACHE },
	{ "none of them", TENTH "lost.icache 0\ntriggers.code 400\nmodelled.code 0\n", WHOLE, 1, 1200,
	  WIRE_LOST_ICACHE },
	{ "none, and nobody has seen one", TENTH "lost.icache 0\ntriggers.code 400\nmodelled.code 0\n", "", 1, 0,
	  WIRE_LOST_ICACHE },
	{ "a whole part beside them", TENTH "lost.icache 5000\ntriggers.code 1000\nmodelled.code 100\n", WHOLE, 1, 0,
	  WIRE_LOST_ICACHE },
	/* 4 where 100 were due: 6 of the whole part make them 10, which lost 20 and 18 slots. */
	{ "hardly any of them", TENTH "lost.icache 200\ntriggers.code 1000\nmodelled.code 4\n", WHOLE, 3800 / 200.0, 0,
	  WIRE_LOST_ICACHE },
	/* 300 of 1500, in a tenth of both: each file extrapolates its own. */
	{ "two of them", TENTH "lost.icache 5000\ntriggers.code 1000\nmodelled.code 100\n",
	  TENTH "lost.icache 10000\ntriggers.code 500\nmodelled.code 200\n", 0.5, 0, WIRE_LOST_ICACHE },
	{ "all of it was modelled", WHOLE, "", 1, 0, WIRE_LOST_ICACHE },
	/* 20 slots are lost for each slot of waiting, so most to lines asked for ahead; what is beyond its share is lost once. */
	{ "lines of memory, beside those asked for ahead",
	  TENTH "lost.dram 40000\ntriggers.dram 3000\nmodelled.dram 200\n", "", 41000 / 40000.0, 0, WIRE_LOST_DRAM },
	{ "lines of memory that overlap", TENTH "lost.dram 1000\ntriggers.dram 3000\nmodelled.dram 200\n", "", 1.5, 0,
	  WIRE_LOST_DRAM },
	{ "an older file", TENTH "lost.icache 5000\n", "", 1, 0, WIRE_LOST_ICACHE },
};

static void test_triggers(void **state UNUSED)
{
	struct rows failed = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct simulated_strata strata = { 0 };

		simulated_strata_add(&strata, rows[i].first);
		if (*rows[i].second)
			simulated_strata_add(&strata, rows[i].second);
		row_expect(&failed, rows[i].name,
			   fabs(simulated_strata_factor(&strata, rows[i].cause) - rows[i].factor) < 1e-9,
			   "another factor");
		row_expect(&failed, rows[i].name,
			   fabs(simulated_strata_unseen(&strata, rows[i].cause) - rows[i].unseen) < 1e-6,
			   "other slots that no window saw");
		row_expect(&failed, rows[i].name, !(fabs(simulated_strata_factor(&strata, WIRE_LOST_PORTS) - 1) > 0),
			   "a cause that follows from nothing counted");
	}
	rows_end(&failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_triggers),
	};

	return cmocka_run_group_tests_name("simulated_strata", tests, NULL, NULL);
}
