/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_test.c - a made-up event database, and what the spellings of all three worlds become with it. */
#include "rows.h"

#include "common/base/text.h"
#include "cpu/event/event.h"
#include "cpu/identify/machine.h"
#include "scratch.h"

static const char database_text[] =
	"{\"Header\":{\"Cpu\":\"madeup\",\"ShortName\":\"MU\",\"Title\":\"Made-up "
	"CPU\",\"Vendor\":\"Intel\",\"Version\":\"7\","
	"\"GeneralCounters\":4,\"GeneralCountersSMTOff\":8,\"FixedCounters\":4,\"Slots\":6,\"Pmu\":\"cpu\",\"Pfm\":"
	"\"skx\","
	"\"Exclusive\":\"0x48, 0x31\",\"Paired\":\"0x14,0x103\","
	"\"Cycles\":\"CYCLES.THREAD\",\"Instructions\":\"INST.ANY\",\"Reference\":\"CYCLES.REF\",\"SlotsEvent\":"
	"\"SLOTS.ALL\"},\n"
	"\"Events\":[\n"
	"{\"EventName\":\"INST.ANY\",\"EventCode\":\"0xc0\",\"Counter\":\"Fixed counter 0\"},\n"
	"{\"EventName\":\"CYCLES.THREAD\",\"EventCode\":\"0x3C\",\"Counter\":\"Fixed counter 1\"},\n"
	"{\"EventName\":\"CYCLES.REF\",\"UMask\":\"0x03\",\"Counter\":\"Fixed counter 2\"},\n"
	"{\"EventName\":\"SLOTS.ALL\",\"UMask\":\"0x04\",\"Counter\":\"Fixed counter 3\"},\n"
	"{\"EventName\":\"PERF_METRICS.RETIRING\",\"UMask\":\"0x80\",\"Counter\":\"Metric 0\"},\n"
	"{\"EventName\":\"PERF_METRICS.FRONTEND_BOUND\",\"UMask\":\"0x82\",\"Counter\":\"Metric 2\"},\n"
	"{\"EventName\":\"L1D.FB\",\"EventCode\":\"0x48\",\"UMask\":\"0x02\",\"Counter\":\"0,1,2,3\",\"CounterHTOff\":"
	"\"0,1,2,3,4,5,6,7\"},\n"
	"{\"EventName\":\"DIV.ACTIVE\",\"EventCode\":\"0x14\",\"UMask\":\"0x01\",\"CounterMask\":\"1\",\"Counter\":\"0,"
	"1,2,3\"},\n"
	"{\"EventName\":\"FE.LATE\",\"EventCode\":\"0xc6\",\"UMask\":\"0x01\",\"Counter\":\"0,1,2,3\",\"MSRIndex\":"
	"\"0x3F7\","
	"\"MSRValue\":\"0x400406\",\"TakenAlone\":\"1\",\"Precise\":\"1\"},\n"
	"{\"EventName\":\"OCR.READ\",\"EventCode\":\"0xB7,0xBB\",\"UMask\":\"0x01\",\"Counter\":\"0,1,2,3\","
	"\"MSRIndex\":\"0x1a6,0x1a7\","
	"\"MSRValue\":\"0x10001\"},\n"
	"{\"EventName\":\"LOAD.LATE\",\"EventCode\":\"0xcd\",\"UMask\":\"0x01\",\"Counter\":\"2\",\"MSRIndex\":"
	"\"0x3F6\","
	"\"MSRValue\":\"0x80\",\"PEBS\":\"2\",\"Data_LA\":\"1\",\"SampleAfterValue\":\"1009\"},\n"
	"{\"EventName\":\"ALL.BITS\",\"EventCode\":14,\"UMask\":\"0x01\",\"CounterMask\":\"2\",\"Invert\":\"1\","
	"\"EdgeDetect\":\"1\","
	"\"AnyThread\":\"1\",\"Equal\":\"1\"},\n"
	"{\"EventName\":\"WIDE.MASK\",\"EventCode\":\"0x20\",\"UMask\":\"0x01\",\"UMaskExt\":\"0x0a\",\"Counter\":\"1,"
	"3\"},\n"
	"{\"EventName\":\"NOT.SET\",\"EventCode\":\"0x21\",\"UMask\":\"NA\",\"MSRIndex\":\"null\",\"Invert\":\"0\","
	"\"Deprecated\":true},\n"
	"{\"EventName\":\"UNC.READ\",\"EventCode\":\"0x30\",\"Unit\":\"CHA\",\"Counter\":\"0,1\"},\n"
	"{\"EventName\":\"BIG.CORE\",\"EventCode\":\"0x31\",\"Unit\":\"cpu_core\",\"Counter\":\"0,1,2,3\"},\n"
	"{\"MetricName\":\"no_event\",\"MetricExpr\":\"1\"}\n"
	"]}\n";

#define G(mask)	 ((uint64_t)(mask))
#define FIXED(n) (1ull << (FIXED_COUNTER + (n)))
#define ANY	 GENERAL_COUNTERS

struct world {
	struct scratch scratch;
	char path[256];
	struct arena arena;
	struct event_database database;
	struct pmu pmu;
	struct event_set set;
};

static void world_init(struct world *w, bool smt_on)
{
	static struct pmu_entry aliases[] = {
		{ "cycles-ct", "event=0x3c,in_tx=1,in_tx_cp=1" },
		{ "cycles-t", "event=0x3c,in_tx=1" },
		{ "mem-loads", "event=0xcd,umask=0x1,ldlat=3" },
		{ "odd", "event=0x1ff" },
		{ "slots", "event=0x00,umask=0x4" },
		{ "topdown-be-bound", "event=0x00,umask=0x83" },
	};
	struct error err = { .text = "" };

	scratch_init(&w->scratch);
	scratch_write(&w->scratch, "madeup.json", database_text, w->path);
	arena_init(&w->arena);
	if (event_database_load(&w->database, w->path, &w->arena, &err) < 0)
		fail_msg("%s", err.text);
	w->pmu = *pmu_assumed("cpu", "Intel", &w->arena);
	w->pmu.events = aliases;
	w->pmu.nevents = COUNT_OF(aliases);
	event_set_init(&w->set, &w->database, &w->pmu, smt_on, &w->arena);
}

static void world_release(struct world *w)
{
	arena_release(&w->arena);
	scratch_release(&w->scratch);
}

static const struct event_case {
	const char *spelling, *name, *perf;
	uint64_t counters, counters_smt_off;
	enum event_kind kind;
} event_rows[] = {
	/* clang-format off */
	{ "INST.ANY",                  "INST.ANY",            "cpu/event=0xc0/", FIXED(0) | ANY, FIXED(0) | ANY, EVENT_CORE },
	{ "inst.any",                  "INST.ANY",            "cpu/event=0xc0/", FIXED(0) | ANY, FIXED(0) | ANY, EVENT_CORE },
	{ "instructions",              "INST.ANY",            "cpu/event=0xc0/", FIXED(0) | ANY, FIXED(0) | ANY, EVENT_CORE },
	{ "instructions:u",            "INST.ANY:u",          "cpu/event=0xc0/", FIXED(0) | ANY, FIXED(0) | ANY, EVENT_CORE },
	{ "cycles",                    "CYCLES.THREAD",       "cpu/event=0x3c/", FIXED(1) | ANY, FIXED(1) | ANY, EVENT_CORE },
	{ "cpu-cycles:k",              "CYCLES.THREAD:k",     "cpu/event=0x3c/", FIXED(1) | ANY, FIXED(1) | ANY, EVENT_CORE },
	{ "CYCLES.THREAD:c1",          "CYCLES.THREAD:c1",    "cpu/event=0x3c,cmask=0x1/", ANY, ANY, EVENT_CORE },
	{ "CYCLES.THREAD:any",         "CYCLES.THREAD:any",   "cpu/event=0x3c,any=0x1/", ANY, ANY, EVENT_CORE },
	{ "CYCLES.THREAD:u0x1",        "CYCLES.THREAD:u0x1",  "cpu/event=0x3c,umask=0x1/", ANY, ANY, EVENT_CORE },
	{ "ref-cycles",                "CYCLES.REF",          "cpu/event=0x0,umask=0x3/", FIXED(2), FIXED(2), EVENT_CORE },
	{ "SLOTS.ALL",                 "SLOTS.ALL",           "cpu/event=0x0,umask=0x4/", FIXED(3), FIXED(3), EVENT_SLOTS },
	{ "slots",                     "SLOTS.ALL",           "cpu/event=0x0,umask=0x4/", FIXED(3), FIXED(3), EVENT_SLOTS },
	{ "topdown\\-retiring",        "PERF_METRICS.RETIRING", "cpu/event=0x0,umask=0x80/", 0, 0, EVENT_METRIC },
	{ "PERF_METRICS.FRONTEND_BOUND:perf_metrics", "PERF_METRICS.FRONTEND_BOUND", "cpu/event=0x0,umask=0x82/", 0, 0, EVENT_METRIC },
	{ "topdown-be-bound",          "topdown-be-bound",    "cpu/event=0x0,umask=0x83/", ANY, ANY, EVENT_CORE },
	{ "L1D.FB",                    "L1D.FB",              "cpu/event=0x48,umask=0x2/", G(0xf), G(0xff), EVENT_CORE },
	{ "L1D.FB:c1",                 "L1D.FB:c1",           "cpu/event=0x48,umask=0x2,cmask=0x1/", G(0xf), G(0xff), EVENT_CORE },
	{ "L1D.FB:c=1",                "L1D.FB:c1",           "cpu/event=0x48,umask=0x2,cmask=0x1/", G(0xf), G(0xff), EVENT_CORE },
	{ "cpu@L1D.FB\\,cmask\\=0x1@", "L1D.FB:c1",           "cpu/event=0x48,umask=0x2,cmask=0x1/", G(0xf), G(0xff), EVENT_CORE },
	{ "cpu/l1d.fb,cmask=1/",       "L1D.FB:c1",           "cpu/event=0x48,umask=0x2,cmask=0x1/", G(0xf), G(0xff), EVENT_CORE },
	{ "L1D.FB@cmask\\=1@",         "L1D.FB:c1",           "cpu/event=0x48,umask=0x2,cmask=0x1/", G(0xf), G(0xff), EVENT_CORE },
	{ "L1D.FB:i:e:c2:u",           "L1D.FB:c2:e1:i1:u",   "cpu/event=0x48,umask=0x2,edge=0x1,inv=0x1,cmask=0x2/", G(0xf), G(0xff), EVENT_CORE },
	{ "L1D.FB:u0x02",              "L1D.FB",              "cpu/event=0x48,umask=0x2/", G(0xf), G(0xff), EVENT_CORE },
	{ "L1D.FB:u0x30",              "L1D.FB:u0x30",        "cpu/event=0x48,umask=0x30/", G(0xf), G(0xff), EVENT_CORE },
	{ "L1D.FB:uk",                 "L1D.FB",              "cpu/event=0x48,umask=0x2/", G(0xf), G(0xff), EVENT_CORE },
	{ "L1D.FB:sup",                "L1D.FB:k",            "cpu/event=0x48,umask=0x2/", G(0xf), G(0xff), EVENT_CORE },
	{ "DIV.ACTIVE",                "DIV.ACTIVE",          "cpu/event=0x14,umask=0x1,cmask=0x1/", G(0xf), G(0xf), EVENT_CORE },
	{ "DIV.ACTIVE:c1",             "DIV.ACTIVE",          "cpu/event=0x14,umask=0x1,cmask=0x1/", G(0xf), G(0xf), EVENT_CORE },
	{ "DIV.ACTIVE:c4:e1",          "DIV.ACTIVE:c4:e1",    "cpu/event=0x14,umask=0x1,edge=0x1,cmask=0x4/", G(0xf), G(0xf), EVENT_CORE },
	{ "FE.LATE",                   "FE.LATE",             "cpu/event=0xc6,umask=0x1,frontend=0x400406/", G(0xf), G(0xf), EVENT_CORE },
	{ "FE.LATE:retire_latency",    "FE.LATE:retire_latency", "cpu/event=0xc6,umask=0x1,frontend=0x400406/", G(0xf), G(0xf), EVENT_CORE },
	{ "cpu@FE.LATE@R",             "FE.LATE:retire_latency", "cpu/event=0xc6,umask=0x1,frontend=0x400406/", G(0xf), G(0xf), EVENT_CORE },
	{ "OCR.READ",                  "OCR.READ",            "cpu/event=0xb7,umask=0x1,offcore_rsp=0x10001/", G(0xf), G(0xf), EVENT_CORE },
	{ "OCR.READ:ocr_msr_val=0x3FC", "OCR.READ:ocr_msr_val=0x3fc", "cpu/event=0xb7,umask=0x1,offcore_rsp=0x3fc/", G(0xf), G(0xf), EVENT_CORE },
	{ "cpu/OCR.READ,offcore_rsp=0x3fc/", "OCR.READ:ocr_msr_val=0x3fc", "cpu/event=0xb7,umask=0x1,offcore_rsp=0x3fc/", G(0xf), G(0xf), EVENT_CORE },
	{ "LOAD.LATE",                 "LOAD.LATE",           "cpu/event=0xcd,umask=0x1,ldlat=0x80/", G(4), G(4), EVENT_CORE },
	{ "ALL.BITS",                  "ALL.BITS",            "cpu/event=0xe,umask=0x1,edge=0x1,any=0x1,inv=0x1,cmask=0x2,eq=0x1/", ANY, ANY, EVENT_CORE },
	{ "WIDE.MASK",                 "WIDE.MASK",           "cpu/event=0x20,umask=0xa01/", G(0xa), G(0xa), EVENT_CORE },
	{ "NOT.SET",                   "NOT.SET",             "cpu/event=0x21/", ANY, ANY, EVENT_CORE },
	{ "cpu_core@BIG.CORE@",        "BIG.CORE",            "cpu/event=0x31/", G(0xf), G(0xf), EVENT_CORE },
	{ "UNC.READ",                  "UNC.READ",            "uncore_cha/event=0x30/", G(3), G(3), EVENT_UNIT },
	{ "UNC.READ:u0x0",             "UNC.READ",            "uncore_cha/event=0x30/", G(3), G(3), EVENT_UNIT },
	{ "UNC.READ:u0x2",             "UNC.READ:u0x2",       "uncore_cha/event=0x30,umask=0x2/", G(3), G(3), EVENT_UNIT },
	{ "UNC.READ:config1=0x5",      "UNC.READ:config1=0x5", "uncore_cha/event=0x30,config1=0x5/", G(3), G(3), EVENT_UNIT },
	{ "cha/UNC.READ,foo=5,umask=2,edge/", "uncore_cha/UNC.READ,edge,foo=0x5,umask=0x2/", "uncore_cha/event=0x30,foo=0x5,umask=0x2,edge=0x1/", G(3), G(3), EVENT_UNIT },
	{ "cha/UNC.READ,umask=2,foo=5,one_unit/", "uncore_cha/UNC.READ,umask=0x2,foo=0x5,one_unit/", "uncore_cha_0/event=0x30,foo=0x5,umask=0x2/", G(3), G(3), EVENT_UNIT },
	{ "cycles\\-t",                "cycles-t",            "cpu/event=0x3c,in_tx=0x1/", ANY, ANY, EVENT_CORE },
	{ "cycles-t:u",                "cycles-t:u",          "cpu/event=0x3c,in_tx=0x1/", ANY, ANY, EVENT_CORE },
	{ "cycles-ct",                 "cycles-ct",           "cpu/event=0x3c,in_tx=0x1,in_tx_cp=0x1/", 4, 4, EVENT_CORE },
	{ "cycles-t:c1",               "cpu/event=0x3c,in_tx=0x1,cmask=0x1/", "cpu/event=0x3c,in_tx=0x1,cmask=0x1/", ANY, ANY, EVENT_CORE },
	{ "mem-loads",                 "mem-loads",           "cpu/event=0xcd,umask=0x1,ldlat=0x3/", ANY, ANY, EVENT_CORE },
	{ "cpu/mem-loads/",            "mem-loads",           "cpu/event=0xcd,umask=0x1,ldlat=0x3/", ANY, ANY, EVENT_CORE },
	{ "cpu/event=0xc2,umask=2/",   "cpu/event=0xc2,umask=0x2/", "cpu/event=0xc2,umask=0x2/", ANY, ANY, EVENT_CORE },
	{ "cpu/umask=0x02,event=0xC2/", "cpu/event=0xc2,umask=0x2/", "cpu/event=0xc2,umask=0x2/", ANY, ANY, EVENT_CORE },
	{ "cpu/event=0xc2,umask=2/u",  "cpu/event=0xc2,umask=0x2/u", "cpu/event=0xc2,umask=0x2/", ANY, ANY, EVENT_CORE },
	{ "cpu/event=0xc2,cmask=1,inv/", "cpu/event=0xc2,inv=0x1,cmask=0x1/", "cpu/event=0xc2,inv=0x1,cmask=0x1/", ANY, ANY, EVENT_CORE },
	{ "cpu/event=0xcd,umask=1,ldlat=0x1e/", "cpu/event=0xcd,umask=0x1,ldlat=0x1e/", "cpu/event=0xcd,umask=0x1,ldlat=0x1e/", ANY, ANY, EVENT_CORE },
	{ "cpu/event=0xb7,offcore_rsp=0x10003/", "cpu/event=0xb7,offcore_rsp=0x10003/", "cpu/event=0xb7,offcore_rsp=0x10003/", ANY, ANY, EVENT_CORE },
	{ "cpu/event=0xc2,eq=1/",      "cpu/event=0xc2,eq=0x1/", "cpu/event=0xc2,eq=0x1/", ANY, ANY, EVENT_CORE },
	{ "cpu/mem-loads,ldlat=0x32/", "cpu/event=0xcd,umask=0x1,ldlat=0x32/", "cpu/event=0xcd,umask=0x1,ldlat=0x32/", ANY, ANY, EVENT_CORE },
	{ "mem-loads:ocr_msr_val=0x32", "cpu/event=0xcd,umask=0x1,ldlat=0x32/", "cpu/event=0xcd,umask=0x1,ldlat=0x32/", ANY, ANY, EVENT_CORE },
	{ "mem-loads:u0x30",           "cpu/event=0xcd,umask=0x30,ldlat=0x3/", "cpu/event=0xcd,umask=0x30,ldlat=0x3/", ANY, ANY, EVENT_CORE },
	{ "cycles-t:eq",               "cpu/event=0x3c,in_tx=0x1,eq=0x1/", "cpu/event=0x3c,in_tx=0x1,eq=0x1/", ANY, ANY, EVENT_CORE },
	{ "cpu/config=0x1c2/",         "cpu/config=0x1c2/",   "cpu/config=0x1c2/", ANY, ANY, EVENT_CORE },
	{ "TSC",                       "TSC",                 "msr/tsc/", 0, 0, EVENT_TSC },
	{ "msr@tsc@",                  "TSC",                 "msr/tsc/", 0, 0, EVENT_TSC },
	{ "msr/tsc/",                  "TSC",                 "msr/tsc/", 0, 0, EVENT_TSC },
	{ "duration_time",             "duration_time",       "duration_time", 0, 0, EVENT_DURATION },
	/* names only libpfm4 knows: event 0x48, unit mask 2; event 0xd1, unit mask 1; counter mask in bits 24 to 31 */
	{ "L1D_PEND_MISS:FB_FULL",     "L1D_PEND_MISS:FB_FULL", "cpu/config=0x248/", ANY, ANY, EVENT_CORE },
	{ "MEM_LOAD_RETIRED:L1_HIT",   "MEM_LOAD_RETIRED:L1_HIT", "cpu/config=0x1d1/", ANY, ANY, EVENT_CORE },
	{ "L1D_PEND_MISS:FB_FULL:c=5", "L1D_PEND_MISS:FB_FULL:c=5", "cpu/config=0x5000248/", ANY, ANY, EVENT_CORE },
	/* clang-format on */
};

static void check_event(struct rows *rows, struct world *w, const struct event_case *row, uint64_t counters)
{
	struct error err = { .text = "" };
	size_t number = event_set_add(&w->set, row->spelling, &err);
	const struct event *event;
	char found[64], expected[64];

	row_expect_text(rows, row->spelling, err.text, "");
	if (number == TABLE_NONE)
		return;
	event = &w->set.events[number];
	row_expect_text(rows, row->spelling, event->name, row->name);
	row_expect_text(rows, row->spelling, event_perf_string(event, &w->pmu, "", &w->arena), row->perf);
	snprintf(found, sizeof(found), "counters 0x%llx", (unsigned long long)event->counters);
	snprintf(expected, sizeof(expected), "counters 0x%llx", (unsigned long long)counters);
	row_expect_text(rows, row->spelling, found, expected);
	row_expect(rows, row->spelling, event->kind == row->kind, "kind");
	row_expect(rows, row->spelling, event_set_find(&w->set, row->spelling) == number, "not found again");
	row_expect(rows, row->spelling, event_set_find(&w->set, row->name) == number,
		   "not found by its canonical name");
}

static void test_events(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct world on, off;

	world_init(&on, true);
	world_init(&off, false);
	for (size_t i = 0; i < COUNT_OF(event_rows); i++) {
		check_event(&rows, &on, &event_rows[i], event_rows[i].counters);
		check_event(&rows, &off, &event_rows[i], event_rows[i].counters_smt_off);
	}
	world_release(&off);
	world_release(&on);
	rows_end(&rows);
}

/* What the header says of event codes holds for every spelling; exclusive events are so with SMT only. */
static void test_codes(void **state UNUSED)
{
	static const struct {
		const char *spelling;
		bool is_exclusive, is_paired;
		unsigned msr;
	} code_rows[] = {
		{ "L1D.FB", true, false, 0 },
		{ "L1D.FB:c1:e1", true, false, 0 },
		{ "BIG.CORE", true, false, 0 },
		{ "cpu/event=0x48,umask=0x8/", true, false, 0 },
		{ "cpu/config=0x0848/", true, false, 0 },
		{ "DIV.ACTIVE", false, true, 0 },
		{ "cpu/config=0x100000003/", false, true, 0 },
		{ "cpu/config=0x3/", false, false, 0 },
		{ "INST.ANY", false, false, 0 },
		{ "OCR.READ", false, false, 0x1a6 },
		{ "cpu/event=0xb7,umask=0x1,offcore_rsp=0x20002/", false, false, 0x1a6 },
		{ "cpu/event=0xc6,umask=0x1,frontend=0x400206/", false, false, 0x3f7 },
	};
	struct rows rows = { 0 };
	struct world worlds[2];

	for (size_t smt = 0; smt < 2; smt++) {
		world_init(&worlds[smt], smt);
		for (size_t i = 0; i < COUNT_OF(code_rows); i++) {
			struct error err = { .text = "" };
			size_t number = event_set_add(&worlds[smt].set, code_rows[i].spelling, &err);
			const struct event *event = &worlds[smt].set.events[number];

			row_expect(&rows, code_rows[i].spelling, number != TABLE_NONE, err.text);
			row_expect(&rows, code_rows[i].spelling,
				   event->is_exclusive == (smt && code_rows[i].is_exclusive), "exclusive");
			row_expect(&rows, code_rows[i].spelling, event->is_paired == code_rows[i].is_paired, "paired");
			row_expect(&rows, code_rows[i].spelling, event->msr == code_rows[i].msr, "MSR");
		}
		world_release(&worlds[smt]);
	}
	rows_end(&rows);
}

/* Each event stands once in the set, whatever the spellings. */
static void test_same_event(void **state UNUSED)
{
	static const char *const different[] = { "L1D.FB",	"L1D.FB:c1",   "L1D.FB:c2",
						 "L1D.FB:c1:u", "L1D.FB:c1:k", "L1D.FB:u0x3" };
	static const char *const same[] = { "L1D.FB:c1",	   "l1d.fb:C1",		  "L1D.FB:c=1",
					    "L1D.FB:c=0x1",	   "cpu/L1D.FB,cmask=1/", "cpu@L1D.FB\\,cmask\\=1@",
					    "L1D.FB@cmask\\=0x1@", "L1D.FB:c1:u0x2",	  "L1D.FB:c1:e0" };
	struct error err = { .text = "" };
	struct world w;

	world_init(&w, true);
	for (size_t i = 0; i < COUNT_OF(different); i++)
		assert_int_equal(event_set_add(&w.set, different[i], &err), i);
	for (size_t i = 0; i < COUNT_OF(same); i++) {
		assert_int_equal(event_set_find(&w.set, same[i]), 1);
		assert_int_equal(event_set_add(&w.set, same[i], &err), 1);
	}
	assert_int_equal(w.set.count, COUNT_OF(different));
	world_release(&w);
}

/* What is not there by its name is found by its encoding. Codes are those of the database above. */
static void test_same_encoding(void **state UNUSED)
{
	static const struct {
		const char *in_set, *spelling;
		bool is_same;
	} rows_of[] = {
		/* clang-format off */
		{ "L1D.FB:c1",     "cpu/event=0x48,umask=0x2,cmask=1/",  true },
		{ "L1D.FB:c1",     "cpu/cmask=1,umask=0x2,event=0x48/",  true },
		{ "L1D.FB:c1",     "cpu/event=0x48,umask=0x2,cmask=2/",  false },
		{ "L1D.FB:c1",     "cpu/event=0x48,umask=0x2,cmask=1/u", false },
		{ "L1D.FB:c1:u",   "cpu/event=0x48,umask=0x2,cmask=1/u", true },
		{ "L1D.FB",        "r248",                               true },
		{ "L1D.FB",        "r0000000000000248",                  true },
		{ "L1D.FB:c1",     "r1000248",                           true },
		{ "L1D.FB",        "r00000000000000248",                 false },
		{ "L1D.FB",        "cpu/config=0x248/",                  true },
		{ "DIV.ACTIVE",    "WIDE.MASK:u0x1",                     false },
		{ "L1D.FB:u0x3",   "cpu/L1D.FB,umask=0x3/",              true },
		{ "L1D.FB:u0x3",   "L1D.FB:u",                           false },
		{ "WIDE.MASK",     "cpu/event=0x20,umask=0xa01/",        true },
		{ "INST.ANY",      "instructions",                       true },
		{ "INST.ANY",      "rc0",                                true },
		{ "SLOTS.ALL",     "cpu_core/slots/",                    true },
		{ "PERF_METRICS.RETIRING", "topdown-retiring",           true },
		{ "cpu/event=0xc4/", "branches",                         true },
		{ "cpu/event=0xc4/", "branch-instructions:u",            false },
		{ "cpu/event=0xc4/u", "branch-instructions:u",           true },
		{ "cpu/event=0xc5/", "cpu/branch-misses/",               true },
		{ "cpu/event=0x2e,umask=0x4f/", "cache-references",      true },
		{ "cpu/event=0x23/", "stalled-cycles-frontend",          false },
		/* clang-format on */
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows_of); i++) {
		struct error err = { .text = "" };
		struct world w;

		world_init(&w, true);
		assert_int_equal(event_set_add(&w.set, rows_of[i].in_set, &err), 0);
		row_expect(&rows, rows_of[i].spelling,
			   event_set_find(&w.set, rows_of[i].spelling) == (rows_of[i].is_same ? 0 : TABLE_NONE),
			   rows_of[i].is_same ? "not found" : "is another event");
		world_release(&w);
	}
	rows_end(&rows);
}

static void test_questions_add_nothing(void **state UNUSED)
{
	struct world w;

	world_init(&w, true);
	assert_true(event_set_has(&w.set, "L1D.FB:c1"));
	assert_true(event_set_has(&w.set, "mem\\-loads"));
	assert_true(event_set_has(&w.set, "TSC"));
	assert_true(event_set_has(&w.set, "MEM_LOAD_RETIRED:L1_HIT"));
	assert_false(event_set_has(&w.set, "NOPE"));
	assert_true(event_set_has(&w.set, "UNC.READ"));
	assert_false(event_set_has(&w.set, ""));
	assert_true(event_set_find(&w.set, "L1D.FB:c1") == TABLE_NONE);
	assert_true(event_set_find(&w.set, "NOPE") == TABLE_NONE);
	assert_int_equal(w.set.count, 0);
	world_release(&w);
}

static const struct {
	const char *spelling, *error;
} error_rows[] = {
	/* clang-format off */
	{ "NOPE.X",                  "unknown event 'NOPE.X'" },
	{ "",                        "unknown event ''" },
	{ "cpu//",                   "unknown event 'cpu//'" },
	{ "L1D.FB:zz",               "unknown modifier ':zz'" },
	{ "cpu/L1D.FB",              "'cpu/L1D.FB' has no closing '/'" },
	{ "cpu/L1D.FB,foo=1/",       "term 'foo' of event 'L1D.FB' is not understood" },
	{ "cpu/mem-loads,foo=1/",    "term 'foo' of event 'mem-loads' is not understood" },
	{ "cqa/event=1/",            "no PMU is called 'cqa'" },
	{ "UNC.READ:u",              "'UNC.READ' is counted by a PMU that knows no modes and no latencies of instructions" },
	{ "L1D.FB:one_unit",         "term 'one_unit' of event 'L1D.FB' is not understood" },
	{ "L1D.FB:opc=1",            "term 'filter_opc' of event 'L1D.FB' is not understood" },
	{ "tx-start",                "needs the kernel's event 'tx-start', which PMU cpu does not have (/sys/bus/event_source/devices/cpu/events)" },
	{ "cpu@tx\\-start@:k",       "needs the kernel's event 'tx-start', which PMU cpu does not have (/sys/bus/event_source/devices/cpu/events)" },
	{ "cpu/tsc/",                "unknown event 'cpu/tsc/'" },
	{ "cpu/event=0x1ff/",        "term 'event' of PMU cpu: 0x1ff does not fit; it can be 0xff at most" },
	{ "cycles-t:retire_latency", "a retire latency is known of the database's events only" },
	{ "cycles-t:ocr_msr_val=1",  "an MSR's value for an event that has none" },
	{ "cpu/event=1,foo=2/",      "PMU cpu has no term 'foo'; it has any, cmask, edge, eq, event, frontend, in_tx, in_tx_cp, inv, ldlat, offcore_rsp, pc, umask, config, config1, config2 and config3" },
	{ "odd",                     "term 'event' of PMU cpu: 0x1ff does not fit; it can be 0xff at most" },
	/* clang-format on */
};

static void test_errors(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct world w;

	world_init(&w, true);
	for (size_t i = 0; i < COUNT_OF(error_rows); i++) {
		struct error err = { .text = "" };

		row_expect(&rows, error_rows[i].spelling,
			   event_set_add(&w.set, error_rows[i].spelling, &err) == TABLE_NONE, "was taken");
		row_expect_text(&rows, error_rows[i].spelling, err.text, error_rows[i].error);
	}
	assert_int_equal(w.set.count, 0);
	world_release(&w);
	rows_end(&rows);
}

static void test_database(void **state UNUSED)
{
	const struct event_row *row;
	struct world w;

	world_init(&w, true);
	assert_string_equal(w.database.cpu, "madeup");
	assert_string_equal(w.database.short_name, "MU");
	assert_string_equal(w.database.version, "7");
	assert_int_equal(w.database.general, 4);
	assert_int_equal(w.database.general_smt_off, 8);
	assert_int_equal(w.database.fixed, 4);
	assert_int_equal(w.database.slots, 6);
	assert_int_equal(w.database.count, 16);
	assert_int_equal(w.database.nwarnings, 0);
	row = event_database_find(&w.database, "load.late");
	assert_int_equal(row->msr, 0x3f6);
	assert_int_equal(row->nmsr, 1);
	assert_int_equal(row->msr_value, 0x80);
	assert_int_equal(row->precise, 2);
	assert_int_equal(row->period, 1009);
	assert_true(row->has_address && !row->taken_alone);
	row = event_database_find(&w.database, "FE.LATE");
	assert_true(row->taken_alone && row->precise == 1);
	row = event_database_find(&w.database, "OCR.READ");
	assert_true(row->msr == 0x1a6 && row->nmsr == 2 && row->code == 0xb7);
	row = event_database_find(&w.database, "NOT.SET");
	assert_true(row->is_deprecated && !row->umask && !row->msr && !row->nmsr && !row->invert);
	assert_null(event_database_find(&w.database, "no_event"));
	world_release(&w);
}

static const struct {
	const char *row, *text, *error; /* the error behind the path */
} bad_rows[] = {
	/* clang-format off */
	{ "empty",        "",                                    ": empty, where JSON is expected" },
	{ "syntax",       "{\"Events\":[\n{\"EventName\":\"A\",\n \"UMask\" 3}\n]}", ": line 3, column 10: ':' expected near '3'" },
	{ "cut off",      "{\"Events\":[\n{\"EventName\":\"A\"}",  ": line 2, column 17: ']' expected near end of file" },
	{ "more behind",  "[{\"EventName\":\"A\"}] x",             ": line 1, column 21: end of file expected near 'x'" },
	{ "no events",    "[]",                                  ": no events in it" },
	{ "only metrics", "[{\"MetricName\":\"m\"}]",              ": no events in it" },
	{ "no array",     "{\"Events\":{}}",                       ": neither an array nor an object with \"Events\"" },
	{ "a number",     "7",                                   ": line 1, column 1: '[' or '{' expected near '7'" },
	{ "not objects",  "[1,\"x\",null,[]]",                     ": no events in it" },
	/* clang-format on */
};

static void test_bad_databases(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct scratch scratch;
	struct arena arena;
	char path[256];

	scratch_init(&scratch);
	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(bad_rows); i++) {
		struct error err = { .text = "" };
		struct event_database database;

		scratch_write(&scratch, "bad.json", bad_rows[i].text, path);
		row_expect(&rows, bad_rows[i].row, event_database_load(&database, path, &arena, &err) < 0, "was taken");
		row_expect_text(&rows, bad_rows[i].row, err.text,
				arena_printf(&arena, "%s%s", path, bad_rows[i].error));
	}
	arena_release(&arena);
	scratch_release(&scratch);
	rows_end(&rows);
}

/* The last one of the same name is used, with a warning, also over the files of a directory. */
static void test_duplicates(void **state UNUSED)
{
	struct error err = { .text = "" };
	struct event_database database;
	struct scratch scratch;
	struct arena arena;
	char path[256];

	scratch_init(&scratch);
	arena_init(&arena);
	scratch_write(&scratch, "x/a.json",
		      "[{\"EventName\":\"A\",\"EventCode\":\"1\"},{\"EventName\":\"B\",\"EventCode\":\"2\"},"
		      "{\"EventName\":\"a\",\"EventCode\":\"3\"}]",
		      path);
	scratch_write(&scratch, "x/metricgroups.json", "{\"TopdownL1\":\"words\"}", path);
	scratch_write(&scratch, "x/not.txt", "not read", path);
	scratch_write(&scratch, "x/b.json", "[{\"EventName\":\"B\",\"EventCode\":\"4\"}]", path);
	*strrchr(path, '/') = '\0';
	assert_int_equal(event_database_load(&database, path, &arena, &err), 0);
	assert_int_equal(database.count, 2);
	assert_int_equal(event_database_find(&database, "A")->code, 3);
	assert_int_equal(event_database_find(&database, "B")->code, 4);
	assert_int_equal(database.nwarnings, 2);
	assert_string_equal(database.warnings[0],
			    arena_printf(&arena, "%s/a.json: event 'a' appears twice; the last one is used", path));
	assert_string_equal(database.warnings[1],
			    arena_printf(&arena, "%s/b.json: event 'B' appears twice; the last one is used", path));
	assert_int_equal(event_database_load(&database, "/no/such", &arena, &err), -1);
	assert_string_equal(err.text, "/no/such: No such file or directory");
	arena_release(&arena);
	scratch_release(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_database),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_same_event),
		cmocka_unit_test(test_same_encoding),
		cmocka_unit_test(test_questions_add_nothing),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_bad_databases),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_codes),
	};

	return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}
