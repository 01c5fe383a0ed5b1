/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spelling_test.c - events as perf, Intel's metric files and libpfm4 write them, taken apart. */
#include "rows.h"

#include "common/base/text.h"
#include "cpu/event/spelling.h"

static const struct {
	const char *text, *parts;
} spelling_rows[] = {
	/* clang-format off */
	{ "INST_RETIRED.ANY",                      "INST_RETIRED.ANY" },
	{ "ex_ret_instr",                          "ex_ret_instr" },
	/* Intel's metric files */
	{ "L1D_PEND_MISS.FB_FULL:c1",              "L1D_PEND_MISS.FB_FULL cmask=1" },
	{ "E:c1:e1",                               "E cmask=1 edge" },
	{ "E:c8:i1:eq1",                           "E cmask=8 inv eq" },
	{ "E:i1:c1",                               "E cmask=1 inv" },
	{ "E:c12",                                 "E cmask=12" },
	{ "E:e0:i0",                               "E" },
	{ "E:SUP",                                 "E kernel" },
	{ "E:sup",                                 "E kernel" },
	{ "E:USER",                                "E user" },
	{ "E:retire_latency",                      "E latency" },
	{ "E:u0x30",                               "E umask=0x30" },
	{ "E:U0xfc:c2",                            "E umask=0xfc cmask=2" },
	{ "E:ocr_msr_val=0x3FC0408002",            "E msr=0x3fc0408002" },
	{ "E:ocr_msr_val\\=0x3F",                  "E msr=0x3f" },
	{ "E:percore",                             "E percore" },
	{ "E:one_unit",                            "E one_unit" },
	{ "E:opc\\=0x182:tid=0x3e",                "E filter_opc=0x182 filter_tid=0x3e" },
	{ "E:c1:config1=0x40433",                  "E cmask=1 config1=0x40433" },
	{ "E@filter_opc\\=0x182\\,thresh\\=1@",    "E/ cmask=1 filter_opc=0x182" },
	{ "E:perf_metrics",                        "E" },
	{ "E:any",                                 "E any" },
	/* perf */
	{ "E:u",                                   "E user" },
	{ "E:k",                                   "E kernel" },
	{ "E:uk",                                  "E" },
	{ "E:ku",                                  "E" },
	{ "E:u:k",                                 "E" },
	{ "E:SUP:USER",                            "E" },
	{ "E:u:u:pp:p",                            "E user" },
	{ "cpu/E,period=1,period=2,percore/",      "cpu/ E percore" },
	{ "E:p",                                   "E" },
	{ "E:ppp",                                 "E" },
	{ "cpu/E/",                                "cpu/ E" },
	{ "cpu/E,cmask=1/",                        "cpu/ E cmask=1" },
	{ "cpu/E,cmask=0x6,edge/u",                "cpu/ E cmask=6 edge user" },
	{ "cpu/E,cmask=1,inv/k",                   "cpu/ E cmask=1 inv kernel" },
	{ "cpu/E/uk",                              "cpu/ E" },
	{ "cpu/E/:u",                              "cpu/ E user" },
	{ "cpu/E,umask=0x3/",                      "cpu/ E umask=0x3" },
	{ "cpu/E,any,period=200003,name=X/ppp",    "cpu/ E any" },
	{ "cpu/E,ldlat=30/",                       "cpu/ E msr=0x1e" },
	{ "cpu/E,offcore_rsp=0x10001/",            "cpu/ E msr=0x10001" },
	{ "cpu/E,frontend=0x400406/",              "cpu/ E msr=0x400406" },
	{ "cpu@E\\,cmask\\=0x6@",                  "cpu/ E cmask=6" },
	{ "cpu_core@E\\,cmask\\=0x8\\,edge@",      "cpu_core/ E cmask=8 edge" },
	{ "cpu_atom@E@",                           "cpu_atom/ E" },
	{ "cpu_core@E@R",                          "cpu_core/ E latency" },
	{ "cpu@E@u",                               "cpu/ E user" },
	{ "msr@tsc@",                              "msr/ tsc" },
	{ "UNC_X@cmask\\=1@",                      "UNC_X/ cmask=1" },
	{ "topdown\\-fe\\-bound",                  "topdown-fe-bound" },
	{ "cpu/event=0xc2,umask=0x2/",             "cpu/ event=0xc2 umask=0x2" },
	{ "cpu/umask=0x2,event=0xc2/",             "cpu/ umask=0x2 event=0xc2" },
	{ "cpu/event=0xc2,umask=2,cmask=1,inv/",   "cpu/ cmask=1 inv event=0xc2 umask=0x2" },
	{ "cpu/config=0x1c2/",                     "cpu/ config=0x1c2" },
	{ "cpu/event=0xc2,in_tx/",                 "cpu/ event=0xc2 in_tx=0x1" },
	{ "software@cpu\\-clock\\,name\\=cpu\\-clock@", "software/ cpu-clock" },
	/* libpfm4 */
	{ "E:c=1:e:i:u",                           "E cmask=1 inv edge user" },
	{ "E:c=0x10:i=1:t=1",                      "E cmask=16 inv any" },
	{ "E:e=0",                                 "E" },
	/* not much of an event */
	{ "",                                      "" },
	{ "E:",                                    "E" },
	{ "cpu//",                                 "cpu/" },
	/* clang-format on */
};

static const char *describe(const struct spelling *s, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	if (s->pmu)
		string_printf(&text, " %s/", s->pmu);
	if (s->name && *s->name)
		string_printf(&text, " %s", s->name);
	if (s->has_umask)
		string_printf(&text, " umask=0x%llx", (unsigned long long)s->umask);
	if (s->cmask)
		string_printf(&text, " cmask=%llu", (unsigned long long)s->cmask);
	string_printf(&text, "%s%s%s%s", s->invert ? " inv" : "", s->edge ? " edge" : "", s->any ? " any" : "",
		      s->equal ? " eq" : "");
	if (s->has_msr_value)
		string_printf(&text, " msr=0x%llx", (unsigned long long)s->msr_value);
	string_printf(&text, "%s%s%s%s%s", s->user_only ? " user" : "", s->kernel_only ? " kernel" : "",
		      s->is_retire_latency ? " latency" : "", s->is_percore ? " percore" : "",
		      s->is_one_unit ? " one_unit" : "");
	for (size_t i = 0; i < s->nterms; i++)
		string_printf(&text, " %s=0x%llx", s->terms[i].name, (unsigned long long)s->terms[i].value);
	return text.length ? text.text + 1 : "";
}

static void test_spellings(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(spelling_rows); i++) {
		struct error err = { .text = "" };
		struct spelling parts;

		row_expect(&rows, spelling_rows[i].text,
			   spelling_parse(&parts, spelling_rows[i].text, &arena, &err) == 0, err.text);
		row_expect_text(&rows, spelling_rows[i].text, describe(&parts, &arena), spelling_rows[i].parts);
	}
	arena_release(&arena);
	rows_end(&rows);
}

static const struct {
	const char *text, *error;
} error_rows[] = {
	/* clang-format off */
	{ "E:zz",                   "unknown modifier ':zz'" },
	{ "E:c1:zz:i1",             "unknown modifier ':zz'" },
	{ "E:c=x",                  "modifier 'c': not a number" },
	{ "E:c=",                   "modifier 'c': not a number" },
	{ "E:c1x",                  "modifier 'c1x': not a number" },
	{ "E:c99999999999999999999", "modifier 'c99999999999999999999': not a number" },
	{ "cpu/E",                  "'cpu/E' has no closing '/'" },
	{ "cpu@E\\,cmask\\=1",      "'cpu@E,cmask=1' has no closing '@'" },
	{ "cpu/E/x",                "unknown modifier 'x'" },
	{ "cpu/E,cmask=/",          "term 'cmask': '' is not a number" },
	{ "cpu/E,cmask=one/",       "term 'cmask': 'one' is not a number" },
	{ "cpu/E,cmask=-1/",        "term 'cmask': '-1' is not a number" },
	{ "cpu/a=1,b=2,c=3,d=4,e=5,f=6,g=7,h=8,j=9/", "more than 8 terms" },
	{ "cpu/umask=1,a=1,b=2,c=3,d=4,e=5,f=6,g=7,h=8/", "more than 8 terms" },
	{ "cpu/event=0xc2,umask=1,event=0xc3/", "'event' is given twice" },
	{ "cpu/umask=1,event=0xc2,umask=2/", "'umask' is given twice" },
	{ "cpu@event=0,umask,umask,umask,umask=2,event,umasK,umask=2@", "'umask' is given twice" },
	{ "cpu/event=0,umask=1,umasK=2/", "'umask' is given twice" },
	{ "cpu/event=0,umasK=1,umask=2/", "'umask' is given twice" },
	{ "cpu/umask=1,umask=1/",   "'umask' is given twice" },
	{ "pcu/A,name,,n/",         "term 'name' has no value" },
	{ "cpu/event=1,EVENT=2/",   "'EVENT' is given twice" },
	{ "cpu/config=1,config=2/", "'config' is given twice" },
	{ "cpu/E,umask=1,umask=2/", "'umask' is given twice" },
	{ "cpu/E,cmask=1,inv,CMASK=2/", "'cmask' is given twice" },
	{ "cpu/E,edge,edge=0/",     "'edge' is given twice" },
	{ "cpu/event=1,inv=0,inv/", "'inv' is given twice" },
	{ "cpu/E,ldlat=3,ldlat=30/", "'ldlat' is given twice" },
	{ "cpu/E,frontend=1,offcore_rsp=1/", "'offcore_rsp' is given twice" },
	{ "E:c1:c2",                "'c' is given twice" },
	{ "E:c=1:i:c=2",            "'c' is given twice" },
	{ "E:u0x1:u0x2",            "'umask' is given twice" },
	{ "E:e:e0",                 "'e' is given twice" },
	{ "E:t:any",                "'any' is given twice" },
	{ "cpu/event=1,name=a,name=b/", "'name' is given twice" },
	{ "cpu/E,name=a,NAME=a/",   "'name' is given twice" },
	/* clang-format on */
};

static void test_errors(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(error_rows); i++) {
		struct error err = { .text = "" };
		struct spelling parts;

		row_expect(&rows, error_rows[i].text, spelling_parse(&parts, error_rows[i].text, &arena, &err) < 0,
			   "was taken");
		row_expect_text(&rows, error_rows[i].text, err.text, error_rows[i].error);
	}
	arena_release(&arena);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_spellings), cmocka_unit_test(test_errors) };

	return cmocka_run_group_tests_name("spelling", tests, NULL, NULL);
}
