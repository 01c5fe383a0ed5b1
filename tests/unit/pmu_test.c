/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pmu_test.c - terms of events: how they are read, and which bits of config they become. */
#include "rows.h"

#include <inttypes.h>

#include "common/base/text.h"
#include "cpu/identify/machine.h"

#define TERMS 4

static const struct terms_row {
	const char *text;
	const char *found; /* "name=value ..." or the error */
} terms_rows[] = {
	{ "event=0xc0", "event=192" },
	{ "event=0x3c,umask=0x1,edge", "event=60 umask=1 edge=1" },
	{ " event = 7 , cmask=0 ", "event=7 cmask=0" },
	{ "event=1,", "event=1" },
	{ "offcore_rsp=0xffffffffffffffff", "offcore_rsp=18446744073709551615" },
	{ "config1=0x10", "config1=16" },
	{ "", "'': no term" },
	{ " , ", "' , ': no term" },
	{ "=1", "'=1': '=1' is not a term: write name=number or name" },
	{ "event 1", "'event 1': 'event 1' is not a term: write name=number or name" },
	{ "event=", "'event=': term 'event': '' is not a number of up to 64 bits" },
	{ "event=1,umask=?", "'event=1,umask=?': term 'umask': '?' is not a number of up to 64 bits" },
	{ "event=-1", "'event=-1': term 'event': '-1' is not a number of up to 64 bits" },
	{ "event=0x10000000000000000",
	  "'event=0x10000000000000000': term 'event': '0x10000000000000000' is not a number of up to 64 bits" },
	{ "a,b,c,d", "a=1 b=1 c=1 d=1" },
	{ "a,b,c,d,e", "'a,b,c,d,e': more than 4 terms" },
};

static const char *parsed(const char *text, struct arena *arena)
{
	struct string list = STRING_INIT(arena);
	struct error err = { 0 };
	struct pmu_term terms[TERMS];
	int count = pmu_parse_terms(text, terms, TERMS, arena, &err);

	if (count < 0)
		return arena_strdup(arena, err.text);
	for (int i = 0; i < count; i++)
		string_printf(&list, "%s%s=%" PRIu64, i ? " " : "", terms[i].name, terms[i].value);
	return list.text;
}

static void test_terms(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(terms_rows); i++)
		row_expect_text(&rows, terms_rows[i].text, parsed(terms_rows[i].text, &arena), terms_rows[i].found);
	arena_release(&arena);
	rows_end(&rows);
}

static const struct pack_row {
	const char *pmu, *vendor, *text;
	uint64_t config[4];
	const char *error;
} pack_rows[] = {
	/* event | umask << 8 | edge << 18 | any << 21 | inv << 23 | cmask << 24 */
	{ "cpu", "Intel", "event=0xc2,umask=0x2", { 0x2c2 }, NULL },
	{ "cpu",
	  "Intel",
	  "event=0x9c,umask=0x1,cmask=4,inv,edge",
	  { 0x04000000 | 0x00800000 | 0x00040000 | 0x19c },
	  NULL },
	{ "cpu", "Intel", "event=0x3c,any=1,in_tx=1,in_tx_cp=1", { 0x30020003c }, NULL },
	{ "cpu", "Intel", "event=0xcd,umask=0x1,ldlat=0x80", { 0x1cd, 0x80 }, NULL },
	{ "cpu", "Intel", "event=0xb7,offcore_rsp=0x8000000000000001", { 0xb7, 0x8000000000000001 }, NULL },
	{ "cpu", "Intel", "event=0xc6,umask=1,frontend=0x600406", { 0x1c6, 0x600406 }, NULL },
	{ "cpu", "Intel", "EVENT=0xC0,eq=1", { 0x10000000c0 }, NULL },
	{ "cpu", "intel", "event=1,event=2", { 2 }, NULL },
	{ "cpu", "Intel", "config=0x1c2,config1=5,config2=6,config3=7", { 0x1c2, 5, 6, 7 }, NULL },
	{ "cpu", "Intel", "config=0x10000,event=0xc2", { 0x100c2 }, NULL },
	{ "cpu", "Intel", "config=0,event=0xc2,umask=1", { 0x1c2 }, NULL },
	{ "cpu",
	  "Intel",
	  "event=0xc2,umask=1,config=5",
	  { 0 },
	  "config=0x5 has bits of the term 'event', which is given too: leave one of them out" },
	{ "cpu",
	  "Intel",
	  "config=0x100,event=0xc2,umask=1",
	  { 0 },
	  "config=0x100 has bits of the term 'umask', which is given too: leave one of them out" },
	{ "cpu",
	  "Intel",
	  "config1=0x4,event=0xcd,ldlat=3",
	  { 0 },
	  "config1=0x4 has bits of the term 'ldlat', which is given too: leave one of them out" },
	{ "cpu",
	  "AMD",
	  "config=0x100000000,event=0x20",
	  { 0 },
	  "config=0x100000000 has bits of the term 'event', which is given too: leave one of them out" },
	{ "cpu_atom", "Intel", "event=0x73", { 0x73 }, NULL },
	/* AMD keeps event bits 8 to 11 in config bits 32 to 35 */
	{ "cpu", "AMD", "event=0x1a0,umask=0x1", { 0x1000001a0 }, NULL },
	{ "cpu", "AMD", "event=0x120,umask=0x1", { 0x100000120 }, NULL },
	{ "cpu", "AMD", "event=0xfff,cmask=0xff", { 0xfff0000ff }, NULL },
	{ "cpu",
	  "AMD",
	  "event=0x1000",
	  { 0 },
	  "term 'event' of PMU cpu: 0x1000 does not fit; it can be 0xfff at most" },
	{ "cpu",
	  "AMD",
	  "event=0x76,any=1",
	  { 0 },
	  "PMU cpu has no term 'any'; it has cmask, edge, event, inv, umask, config, config1, config2 and config3" },
	{ "armv8_pmuv3_0", "Arm", "event=0x8165,long=1", { 0x8165, 1 }, NULL },
	{ "armv8_pmuv3_0", NULL, "event=0x4005", { 0x4005 }, NULL },
	{ "armv8_pmuv3_0",
	  "Arm",
	  "event=0x11,umask=1",
	  { 0 },
	  "PMU armv8_pmuv3_0 has no term 'umask'; it has event, long, config, config1, config2 and config3" },
	{ "armv8_pmuv3_0",
	  "Arm",
	  "long=2",
	  { 0 },
	  "term 'long' of PMU armv8_pmuv3_0: 0x2 does not fit; it can be 0x1 at most" },
	{ "cpu",
	  "Intel",
	  "umask=0x10000",
	  { 0 },
	  "term 'umask' of PMU cpu: 0x10000 does not fit; it can be 0xffff at most" },
	{ "cpu", "Intel", "umask=0x180", { 0x10000008000 }, NULL },
	{ "cpu", "Intel", "edge=2", { 0 }, "term 'edge' of PMU cpu: 0x2 does not fit; it can be 0x1 at most" },
	{ "cpu",
	  "Intel",
	  "config4=2",
	  { 0 },
	  "PMU cpu has no term 'config4'; it has any, cmask, edge, eq, event, frontend, in_tx, in_tx_cp, inv, ldlat, "
	  "offcore_rsp, pc, umask, config, config1, config2 and config3" },
};

static void run_pack(struct rows *rows, const struct pack_row *row, struct arena *arena)
{
	const struct pmu *pmu = pmu_assumed(row->pmu, row->vendor, arena);
	struct pmu_term terms[TERMS + 1];
	struct error err = { 0 };
	uint64_t config[4];
	int count = pmu_parse_terms(row->text, terms, COUNT_OF(terms), arena, &err);

	row_expect(rows, row->text, count > 0, "can't be parsed");
	row_expect(rows, row->text, !pmu->is_real && !pmu->cpus, "not an assumed PMU");
	if (count <= 0)
		return;
	if (pmu_pack(config, pmu, terms, (size_t)count, &err) < 0) {
		row_expect_text(rows, row->text, err.text, row->error);
		return;
	}
	row_expect_text(rows, row->text, NULL, row->error);
	for (size_t i = 0; i < COUNT_OF(config); i++)
		row_expect(rows, row->text, config[i] == row->config[i],
			   arena_printf(arena, "config%zu: 0x%" PRIx64, i, config[i]));
}

static void test_pack(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(pack_rows); i++)
		run_pack(&rows, &pack_rows[i], &arena);
	arena_release(&arena);
	rows_end(&rows);
}

/* The kernel's names that are assumed are events of that PMU, found by name. */
static void test_assumed_events(void **state UNUSED)
{
	static const struct {
		const char *vendor, *name, *value;
	} events[] = {
		{ "Intel", "cycles-t", "event=0x3c,in_tx=1" },
		{ "Intel", "cycles-ct", "event=0x3c,in_tx=1,in_tx_cp=1" },
		{ "Intel", "tx-start", "event=0xc9,umask=0x1" },
		{ "Intel", "el-start", "event=0xc8,umask=0x1" },
		{ "Intel", "slots", NULL }, /* a PMU that is not there has no PERF_METRICS */
		{ "AMD", "cycles-t", NULL },
		{ "Arm", "cycles-t", NULL },
	};
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(events); i++) {
		const struct pmu *pmu = pmu_assumed("cpu", events[i].vendor, &arena);
		struct pmu_term terms[TERMS];
		struct error err = { 0 };
		uint64_t config[4];
		int count = events[i].value ? pmu_parse_terms(events[i].value, terms, TERMS, &arena, &err) : 0;

		row_expect_text(&rows, events[i].name, pmu_event(pmu, events[i].name), events[i].value);
		row_expect(&rows, events[i].name, !count || pmu_pack(config, pmu, terms, (size_t)count, &err) == 0,
			   err.text);
	}
	arena_release(&arena);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_assumed_events),
		cmocka_unit_test(test_terms),
		cmocka_unit_test(test_pack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
