/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calendar_test.c - the calendar of units: what is free in a cycle, and what leaves the schedulers in it. */
#include <inttypes.h>

#include "core_fixture.h"

#define ROUNDS 40

/* Units, schedulers, and what follows for a burst. */
static const struct calendar_row {
	const char *name;
	uint32_t units, queues; /* of each port; of the schedulers for memory and vectors, 0: all are in one */
	uint64_t spread;	/* cycles between the first and the last of 12 additions that wait for one load */
} calendar_rows[] = {
	{ "a unit of each kind", 1, 0, 11 },
	{ "four of each", 4, 0, 2 },
	{ "as many as there can be", MOST_UNITS, 0, 0 },
	{ "a unit of each, three schedulers", 1, 20, 11 },
	{ "as many as there can be, three schedulers", MOST_UNITS, 20, 0 },
};

static struct core *core_of_row(const struct calendar_row *row)
{
	struct core *core = core_new();
	struct parameters parameters = core->parameters;
	struct cache *l3 = core->hierarchy.l3;

	for (unsigned port = 0; port < PORT_COUNT; port++)
		parameters.units[port] = row->units;
	parameters.schedulers[QUEUE_MEMORY] = parameters.schedulers[QUEUE_VECTOR] = row->queues;
	*core = (struct core){ .attribution = core->attribution };
	core_init(core, &parameters, l3);
	return core;
}

/* Chains and independent ones of each kind that has a port, so that all ports and schedulers are booked. */
static void run_all_kinds(struct core *core)
{
	uint64_t address = 0x10000000;

	for (unsigned kind = KIND_ALU; kind <= KIND_STORE; kind++)
		for (unsigned round = 0; round < ROUNDS; round++) {
			uint64_t addresses[MOST];
			struct made made;

			make_block(&made, (enum kind)kind, 8, round % 2);
			block_finish(&made.block, &core->parameters);
			for (unsigned i = 0; i < 8; i++)
				addresses[i] = address += 4160;
			core_run(core, &(struct execution){ .block = &made.block, .addresses = addresses });
		}
}

/* What has been booked in the calendar is over at some time: then nothing waits in any scheduler. */
static uint64_t waits_at_end(const struct calendar_row *row)
{
	struct core *core = core_of_row(row);

	run_all_kinds(core);
	core->cycle += 2 * HORIZON;
	return slots_waiting(core);
}

static uint64_t spread_of_burst(const struct calendar_row *row)
{
	struct core *core = core_of_row(row);
	uint64_t address = 0x10000000, first = UINT64_MAX, last = 0;
	struct made load, burst;

	make_block(&load, KIND_LOAD, 1, true);
	make_block(&burst, KIND_ALU, 12, false);
	for (unsigned i = 0; i < 12; i++)
		burst.uops[i].sources[0] = REGISTER(0);
	block_finish(&load.block, &core->parameters);
	block_finish(&burst.block, &core->parameters);
	core_run(core, &(struct execution){ .block = &load.block, .addresses = &address });
	core_run(core, &(struct execution){ .block = &burst.block });
	for (unsigned i = 1; i <= 12; i++) {
		uint64_t ready = core->ready[REGISTER(i)];

		first = ready < first ? ready : first;
		last = ready > last ? ready : last;
	}
	return last - first;
}

static void test_calendar(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(calendar_rows); i++) {
		const struct calendar_row *row = &calendar_rows[i];
		uint64_t spread = spread_of_burst(row), waiting = waits_at_end(row);
		char text[96];

		snprintf(text, sizeof(text), "a burst of %" PRIu64 " cycles, not %" PRIu64, spread, row->spread);
		row_expect(&rows, row->name, spread == row->spread, text);
		snprintf(text, sizeof(text), "%#" PRIx64 " still wait at the end", waiting);
		row_expect(&rows, row->name, waiting == 0, text);
	}
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_calendar) };

	return cmocka_run_group_tests_name("simulator.calendar", tests, NULL, NULL);
}
