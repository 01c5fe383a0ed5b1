/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_text_test.c - perf stat's output for people, as it is pasted, and in all three forms the counts that it divides:
 * by place, by type of cores, by interval, by output. All numbers are invented.
 */
#include "model_fixture.h"

#include "common/base/text.h"
#include "store/perftool/perf_record.h"

#define NO ((double)NAN)

/* ---- numbers ---- */

static const struct {
	const char *text;
	size_t length;
	double value;
	bool is_whole;
} number_rows[] = {
	/* clang-format off */
	{ "35999534 x",            8, 35999534,       true },
	{ "1,234,567 x",           9, 1234567,        true },
	{ "1,234 x",               5, 1234,           true },
	{ "289.245.492.485 x",    15, 289245492485.0, true },
	{ "437 075 361 555   x",  15, 437075361555.0, true },
	{ "1'234'567",             9, 1234567,        true },
	{ "12,34,56,789",         12, 123456789,      true },
	{ "2,077.81",              8, 2077.81,        false },
	{ "2.077,81",              8, 2077.81,        false },
	{ "2 077,81",              8, 2077.81,        false },
	{ "0.54",                  4, 0.54,           false },
	{ "0,541",                 5, 0.541,          false },
	{ "1,43%",                 4, 1.43,           false },
	{ "2077.810000",          11, 2077.81,        false },
	{ "764873339088,00",      15, 764873339088.0, false },
	/* two blanks part columns, and so does one in front of other than three digits */
	{ "2  437 cycles",         1, 2,              true },
	{ "2 43 cycles",           1, 2,              true },
	{ "5,",                    1, 5,              true },
	/* none */
	{ "x",                     0, 0,              true },
	{ "",                      0, 0,              true },
	{ ",5",                    0, 0,              true },
	{ "1,23,4567",             0, 0,              true },
	{ "1234,567,890",          0, 0,              true },
	{ "1,234.567,890.1",       0, 0,              false },
	/* clang-format on */
};

static void test_numbers(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(number_rows); i++) {
		const char *row = number_rows[i].text;
		bool is_whole = true;
		double value = 0;
		size_t length = perf_number(row, &value, &is_whole);

		row_expect_number(&rows, row, (double)length, (double)number_rows[i].length);
		if (!length)
			continue;
		row_expect_number(&rows, row, value, number_rows[i].value);
		row_expect(&rows, row, is_whole == number_rows[i].is_whole, "whole");
	}
	rows_end(&rows);
}

/* ---- whole texts ---- */

/* "part[repeat.run]: event=value@percent ...", parts, repeats and runs where there are several. */
static void print_repeat(struct string *text, const struct counts *counts, size_t number)
{
	const struct repeat *repeat = &counts->repeats[number];

	for (size_t i = 0; i < repeat->count; i++) {
		const struct count *count = &repeat->items[i];
		double percent = 100 * (double)count->running_ns / (double)count->enabled_ns;

		string_printf(text, "%s", text->length ? " " : "");
		if (repeat->nruns > 1 || counts->nrepeats > 1)
			string_printf(text, "%zu.%zu:", number, count->run);
		string_printf(text, "%s=%.15g", count->event, count->value);
		if (percent < 99.995)
			string_printf(text, "@%.4g", percent);
		if (repeat->ngroups != repeat->nruns)
			string_printf(text, "{%zu}", count->group);
	}
	for (size_t i = 0; i < repeat->nprinted; i++)
		string_printf(text, "%s%s~%.15g", text->length ? " " : "", repeat->printed[i].name,
			      repeat->printed[i].percent);
}

static char *measured_text(const struct measurement *measured, struct arena *arena)
{
	struct string all = STRING_INIT(arena);

	for (size_t i = 0; i < measured->count; i++) {
		const struct counts *counts = &measured->parts[i];
		struct string text = STRING_INIT(arena);

		for (size_t k = 0; k < counts->nrepeats; k++)
			print_repeat(&text, counts, k);
		string_printf(&all, "%s%s%s%s", i ? " | " : "", counts->origin.part ? counts->origin.part : "",
			      counts->origin.part ? ": " : "", text.text);
	}
	for (size_t i = 0; i < measured->nintervals; i++)
		string_printf(&all, " [%.3f-%.3f %s]", measured->intervals[i].from_s, measured->intervals[i].to_s,
			      measured_text(&measured->intervals[i], arena));
	return all.text;
}

#define HEAD "\n Performance counter stats for 'true':\n\n"

static const struct {
	const char *name, *text, *counts;
	double wall_s, cpu_s;
} text_rows[] = {
	/* clang-format off */
	{ "as perf prints it",
	  HEAD
	  "          2,077.81 msec task-clock                       #    0.998 CPUs utilized          \n"
	  "               466      context-switches                 #  224.274 /sec                   \n"
	  "     9,561,957,326      cycles                           #    4.602 GHz                         (31.17%)\n"
	  "     <not counted>      branches                                                                (0.00%)\n"
	  "   <not supported>      LLC-loads                                                   \n"
	  "         1,004,834 ns   duration_time                    #    0.3 %  tma_false_sharing      \n\n"
	  "       2.082670856 seconds time elapsed\n\n       0.812763000 seconds user\n       1.252387000 seconds sys\n",
	  "context-switches=466 cycles=9561957326@31.17 branches=nan LLC-loads=nan tma_false_sharing~0.3", 0.001004834, 2.07781 },
	{ "metrics on lines of their own; the share of the time stands behind the last",
	  HEAD
	  "        68,443,205      cpu/TOPDOWN_BE_BOUND.MEM_SCHEDULER/ #     32.2 %  tma_memory_bound       \n"
	  "                                                  #      5.8 %  tma_core_bound           (45.77%)\n"
	  "       117,323,055      CPU_CLK_UNHALTED.CORE\n"
	  "                                                  # 764873339088,00 SLOTS\n"
	  "                                                  #     18.7 %  tma_branch_mispredicts   (53.49%)\n"
	  "         1,234,567      resyncs_or_nc_redirects\n",
	  "cpu/TOPDOWN_BE_BOUND.MEM_SCHEDULER/=68443205@45.77 CPU_CLK_UNHALTED.CORE=117323055@53.49 "
	  "resyncs_or_nc_redirects=1234567 tma_memory_bound~32.2 tma_core_bound~5.8 tma_branch_mispredicts~18.7", NO, NO },
	{ "somebody's words behind a count; few of something are prose",
	  HEAD " 1,000,000,000      topdown-retiring   which is little\n     7,000,000      cycles   # 3 GHz\n"
	  " 3 well-known causes of this\n",
	  "topdown-retiring=1000000000 cycles=7000000", NO, NO },
	{ "points for thousands, comma for decimals",
	  HEAD "   289.245.492.485      cycles:u                  #    3,011 GHz                         (1,43%)\n"
	  "             1.234      branches:u                #    1,43% of all\n        7.039,55 msec task-clock:u\n\n"
	  "      53,202590594 seconds time elapsed\n",
	  "cycles:u=289245492485@1.43 cycles=289245492485@1.43 branches:u=1234 branches=1234", 53.202590594, 7.03955 },
	{ "plain, no-break and narrow no-break blanks for thousands",
	  HEAD "   437 075 361 555      uops_issued.any           #     0,12 Bad_Speculation\n"
	  "   437\xc2\xa0" "075\xc2\xa0" "361      cycles\n"
	  "   437\xe2\x80\xaf" "075      branches                  (33,33%)                              \n",
	  "uops_issued.any=437075361555 cycles=437075361 branches=437075@33.33", NO, NO },
	{ "without the header, with what was below it",
	  " 5,066,718,887,020      de_no_dispatch_per_slot.backend_stalls:u                  (25.00%)\n"
	  "   860,095,759,180      ex_no_retire.not_complete:u                        (25.00%)\n\n"
	  "      16.191116801 seconds time elapsed\n",
	  "de_no_dispatch_per_slot.backend_stalls:u=5066718887020@25 de_no_dispatch_per_slot.backend_stalls=5066718887020@25 "
	  "ex_no_retire.not_complete:u=860095759180@25 ex_no_retire.not_complete=860095759180@25", 16.191116801, NO },
	{ "quoted",
	  "On Monday Ann wrote:\n> > Performance counter stats for 'true':\n> >\n> >   1,234      cycles     (50.00%)\n"
	  "> >   7      branches\n> > \n> >  0.5 seconds time elapsed\n> What is this?\n",
	  "cycles=1234@50 branches=7", 0.5, NO },
	{ "wrapped by a mailer",
	  "> Performance counter stats for './prog with many\n> arguments':\n>\n>    120,252,170,513\n"
	  "> de_no_dispatch_per_slot.no_ops_from_frontend #     25.2 %\n> frontend_bound_bandwidth  (50.00%)\n"
	  ">      9,561,957,326      cycles                           #\n> 4.602 GHz\n> (31.17%)\n"
	  ">      1,351,534      branches          #  440.257 /sec                     ( +-\n> 0.99% )\n"
	  ">      24,466,854      instructions                     #    2.56\n> insn per cycle              (37.42%)\n"
	  ">        2.082670856\n> seconds time elapsed\n",
	  "de_no_dispatch_per_slot.no_ops_from_frontend=120252170513@50 cycles=9561957326@31.17 branches=1351534 "
	  "instructions=24466854@37.42 frontend_bound_bandwidth~25.2", 2.082670856, NO },
	{ "prompts and the program's own output around it; colours",
	  "[me@host ~]$ perf stat ./prog 3\n12 apples\n3 files changed\n\n Performance counter stats for './prog 3':\n\n"
	  "     1,234      cycles                    # \033[31m   0.3 GHz\033[m\n\n    0.5 seconds time elapsed\n\n"
	  "[me@host ~]$ ls\n14 other\n",
	  "cycles=1234", 0.5, NO },
	{ "-r, old perf's unit, and brackets", " Performance counter stats for 'make' (5 runs):\n\n"
	  "      2077.810000 task-clock (msec)         #    0.998 CPUs utilized            ( +-  0.99% )\n"
	  "     8,743,357      cycles                  #    2.848 GHz                      ( +-  0.06% ) [25.00%]\n\n"
	  "            60.114 +- 0.112 seconds time elapsed  ( +-  0.19% )\n",
	  "cycles=8743357@25", 60.114, 2.07781 },
	{ "hardly any time on a counter: 1.43 % of half a second, and of a time that is not known",
	  HEAD "   7 cycles (1.43%)\n\n 0.5 seconds time elapsed\n", "cycles=nan@1.43", 0.5, NO },
	{ "the same without the time", "   7 cycles (1.43%)\n   8 loads (2.00%)\n", "cycles=nan@1.43 loads=8@2", NO, NO },
	{ "percentages that perf printed: their own share of the time is not that of the count above",
	  HEAD "  7 branch-misses   #  0.05% of all branches   (50.00%)\n    TopdownL1     #  92.5 %  tma_backend_bound   (0.11%)\n"
	  "       #  -0.1 %  tma_frontend_bound   (0.12%)\n       #  nan %  tma_retiring  (0.13%)\n",
	  "branch-misses=7@50 tma_backend_bound~92.5 tma_frontend_bound~-0.1 tma_retiring~nan", NO, NO },
	{ "their '#' lost, on lines that begin with a number; old words with a blank",
	  HEAD "  7 cycles\n    TopdownL1     0.4 %  tma_backend_bound\n       96.8 %  tma_bad_speculation\n"
	  "  5 slots  #  12.5% backend bound\n",
	  "cycles=7 slots=5 tma_backend_bound~0.4 tma_bad_speculation~96.8 backend_bound~12.5", NO, NO },
	{ "of types of cores",
	  HEAD "  7 cpu_core/cycles/\n  8 cpu_atom/cycles/\n   TopdownL1 (cpu_core)  # 1.5 %  tma_retiring\n"
	  "   TopdownL1 (cpu_atom)  # 2.5 %  tma_retiring\n",
	  "cpu_core: cpu_core/cycles/=7 tma_retiring~1.5 | cpu_atom: cpu_atom/cycles/=8 tma_retiring~2.5", NO, NO },
	{ "--per-core, and intervals, whose mean is that of their times",
	  "     1.000000000 S0-D0-C0  2   7      cycles\n     1.000000000 S0-D0-C0  2    TopdownL1  # 10.0 %  tma_retiring\n"
	  "     1.000000000 S0-D0-C1  2   8      cycles\n     1.000000000 S0-D0-C1  2    TopdownL1  # 20.0 %  tma_retiring\n"
	  "     4.000000000 S0-D0-C0  2   1      cycles\n     4.000000000 S0-D0-C0  2    TopdownL1  # 30.0 %  tma_retiring\n",
	  "S0-D0-C0: cycles=8 tma_retiring~25 | S0-D0-C1: cycles=8 tma_retiring~20 "
	  "[0.000-1.000 S0-D0-C0: cycles=7 tma_retiring~10 | S0-D0-C1: cycles=8 tma_retiring~20] "
	  "[1.000-4.000 S0-D0-C0: cycles=1 tma_retiring~30]", 4, NO },
	{ "task-clock without a unit: milliseconds with decimals, or nanoseconds",
	  HEAD "  1288.050638 task-clock    #  3.930 CPUs utilized\n  7 cycles\n\n  0.327715621 seconds time elapsed\n",
	  "cycles=7", 0.327715621, 1.288050638 },
	{ "the same of perf from 6.15 on", HEAD "  16,061,923,339 cpu-clock  # 16.0 CPUs  CPUs_utilized\n  7 cycles\n",
	  "cycles=7", NO, 16.061923339 },
	{ "cgroups", " Performance counter stats for 'system wide':\n\n"
	  " 4,000,000,000      cycles                    foo      #    0.013 GHz\n 9      cycles                    a/b\n"
	  " 5      loads                    foo                    (50.00%)\n",
	  "foo: cycles=4000000000 loads=5@50 | a/b: cycles=9", NO, NO },
	{ "-r --table", " Performance counter stats for 'true' (2 runs):\n\n  7      cycles    ( +-  0.10% )\n\n"
	  "          # Table of individual measurements:\n          0.999000 (-0.001000) #\n          1.001000 (+0.001000) ##\n\n"
	  "          # Final result:\n      1.000000000 +- 0.001000000 seconds time elapsed  ( +-  0.10% )\n",
	  "cycles=7", 1, NO },
	{ "percore, whose lines have no number of CPUs", " Performance counter stats for 'system wide':\n\n"
	  "S0-D0-C0    395,072      cpu/event=cpu-cycles,percore/\nS0-D0-C1    851      cpu/event=cpu-cycles,percore/\n",
	  "S0-D0-C0: cpu-cycles=395072 | S0-D0-C1: cpu-cycles=851", NO, NO },
	{ "what the kernel names or scales otherwise",
	  HEAD "  8 topdown-total-slots\n  1000.00 MiB  uncore_imc/cas_count_read/\n  1 MiB uncore_imc_free_running_0/write/\n"
	  "  1 MiB uncore_imc_free_running_1/write/\n",
	  "CPU_CLK_UNHALTED.THREAD=2 CPU_CLK_UNHALTED.THREAD_ANY=4 UNC_M_CAS_COUNT.RD=16384000 UNC_M_CAS_COUNT.WR=32768", NO, NO },
	{ "copies of an event stay", HEAD "  7 cycles (50.00%)\n  8 cycles (75.00%)\n  5 branches\n",
	  "cycles=7@50 cycles=8@75 branches=5", NO, NO },
	{ "what is no count", HEAD "  7 cycles\n  1.5 apples\n  9 big apples\n  8 8\n  5\n\n  6 7th\n", "cycles=7", NO, NO },
	{ "both types of cores; a plain name could be of either",
	  HEAD "   7      cpu_core/cycles/\n   8      cpu_atom/cycles/\n   3      cpu_core/topdown-be-bound/\n   4      cycles\n"
	  "   5      msr/tsc/\n  2.00 msec task-clock\n",
	  "cpu_core: cpu_core/cycles/=7 cpu_core/topdown-be-bound/=3 msr/tsc/=5 | "
	  "cpu_atom: cpu_atom/cycles/=8 msr/tsc/=5", NO, NO },
	{ "one type of cores", HEAD "   8      cpu_atom/cycles/\n   4      branches\n", "cpu_atom/cycles/=8 branches=4", NO, NO },
	{ "--per-core", " Performance counter stats for 'system wide':\n\n"
	  "S0-D0-C0           2              54.92 msec task-clock                       #    1.078 CPUs utilized\n"
	  "S0-D0-C0           2         13,429,090      cycles                           #    0.245 GHz\n"
	  "S0-D0-C1           1         <not counted>      cycles\n\n       0.050944247 seconds time elapsed\n",
	  "S0-D0-C0: cycles=13429090 | S0-D0-C1: cycles=nan", 0.050944247, 0.05492 },
	{ "--per-core with blanks for thousands", HEAD "S0-D0-C0           2         13 429 090      cycles\n",
	  "S0-D0-C0: cycles=13429090", NO, NO },
	{ "--per-socket", HEAD "S0        2     7      cycles\nS1        2     8      cycles\n", "S0: cycles=7 | S1: cycles=8", NO, NO },
	{ "-A", HEAD "CPU0      7      cycles\nCPU10      8      cycles\nCPU0      2      branches\n",
	  "CPU0: cycles=7 branches=2 | CPU10: cycles=8", NO, NO },
	{ "--per-thread, of both types of cores", HEAD "   bash-12      7      cpu_core/cycles/\n   bash-12   8   cpu_atom/cycles/\n",
	  "bash-12, cpu_core: cpu_core/cycles/=7 | bash-12, cpu_atom: cpu_atom/cycles/=8", NO, NO },
	{ "-I: the sum, and each interval",
	  "#           time             counts unit events\n"
	  "     1.000067869               7      cycles                      (50.00%)\n"
	  "     1.000067869               8      branches\n"
	  "     3.000067869              10      cycles                      (100.00%)\n"
	  "     3.000067869   <not counted>      branches\n",
	  "cycles=17@83.33 branches=8 [0.000-1.000 cycles=7@50 branches=8] [1.000-3.000 cycles=10 branches=nan]", 3.000067869, NO },
	{ "-I -A --summary",
	  "#           time CPU                    counts unit events\n"
	  "     1.000067869 CPU0      7      cycles\n     1.000067869 CPU1      8      cycles\n"
	  "     2.000067869 CPU0      1      cycles\n     2.000067869 CPU1      2      cycles\n\n"
	  " Performance counter stats for 'system wide':\n\nCPU0      8      cycles\nCPU1      10      cycles\n\n"
	  "       2.100000000 seconds time elapsed\n",
	  "CPU0: cycles=8 | CPU1: cycles=10 [0.000-1.000 CPU0: cycles=7 | CPU1: cycles=8] "
	  "[1.000-2.000 CPU0: cycles=1 | CPU1: cycles=2]", 2.000067869, NO },
	{ "-I with copies", "     1.000000000      7      cycles\n     1.000000000      8      cycles\n"
	  "     2.000000000      10      cycles\n     2.000000000      20      cycles\n",
	  "cycles=17 cycles=28 [0.000-1.000 cycles=7 cycles=8] [1.000-2.000 cycles=10 cycles=20]", 2, NO },
	{ "several outputs with other events: runs of one measurement",
	  HEAD "  7 cycles\n  5 branches\n\n  0.5 seconds time elapsed\n" HEAD "  8 cycles\n  3 loads\n\n  0.6 seconds time elapsed\n",
	  "0.0:cycles=7 0.0:branches=5 0.1:cycles=8 0.1:loads=3", 0.5, NO },
	{ "of several runs a group begins where an event comes again",
	  HEAD "  7 cycles (50.00%)\n  5 branches (50.00%)\n  8 cycles (49.00%)\n  3 loads (49.00%)\n" HEAD "  9 cycles\n  4 stores\n",
	  "0.0:cycles=7@50{0} 0.0:branches=5@50{0} 0.0:cycles=8@49{1} 0.0:loads=3@49{1} 0.1:cycles=9{2} 0.1:stores=4{2}", NO, NO },
	{ "the same events again: repeats",
	  HEAD "  7 cycles\n" HEAD "  6 loads\n" HEAD "  8 cycles\n" HEAD "  5 loads\n",
	  "0.0:cycles=7 0.1:loads=6 1.0:cycles=8 1.1:loads=5", NO, NO },
	{ "the same output twice, quoted the second time: one measurement",
	  HEAD "  7 cycles\n  5 loads\n\n  0.5 seconds time elapsed\n" "> " HEAD "> \n>  7 cycles\n>  5 loads\n>\n>  0.5 seconds time elapsed\n",
	  "cycles=7 loads=5", 0.5, NO },
	{ "the same counts in another time: repeats",
	  HEAD "  7 cycles\n\n  0.5 seconds time elapsed\n" HEAD "  7 cycles\n\n  0.6 seconds time elapsed\n",
	  "0.0:cycles=7 1.0:cycles=7", 0.5, NO },
	{ "the same counts without times: repeats", HEAD "  7 cycles\n" HEAD "  7 cycles\n", "0.0:cycles=7 1.0:cycles=7", NO, NO },
	{ "-x, the same output twice",
	  "# started on Sat Nov 21 02:50:01 2026\n\n7,,cycles,9,100.00,,\n# started on Sat Nov 21 02:50:01 2026\n\n7,,cycles,9,100.00,,\n",
	  "cycles=7", NO, NO },
	{ "other subjects: parts",
	  HEAD "  7 cycles\n Performance counter stats for 'false':\n\n  8 cycles\n", "true: cycles=7 | false: cycles=8", NO, NO },
	{ "outputs without headers", "  7 cycles\n\n  0.5 seconds time elapsed\n  8 branches\n  0.25 seconds time elapsed\n",
	  "0.0:cycles=7 0.1:branches=8", 0.5, NO },
	/* -x and -j */
	{ "-x -I", "     1.000067869,7,,cycles,100,50.00,,\n     1.000067869,,,,,,31.1,%  tma_backend_bound,bad\n"
	  "     1.000067869,0.62,msec,task-clock,623999,100.00,,\n     3.000067869,10,,cycles,300,100.00,,\n",
	  "cycles=17@80 [0.000-1.000 cycles=7@50] [1.000-3.000 cycles=10]", 3.000067869, 0.00062 },
	{ "-x -I --per-socket", "     1.000067869,S0,2,7,,cycles,100,100.00,,\n     1.000067869,S1,2,,,,,,31.1,% x\n"
	  "     2.000067869;S0;2;8;;cycles;100;100,00;;\n             summary,S0,2,15,,cycles,100,100.00,,\n",
	  "S0: cycles=15 [0.000-1.000 S0: cycles=7] [1.000-2.000 S0: cycles=8]", 2.000067869, NO },
	{ "-x and -j, percentages", "7,,cycles,1,100.00,,\n,16067494476,100.00,,,,TopdownL1 (cpu_core)\n,,,,,69.9,%  tma_backend_bound\n"
	  ",,,,,nan,%  tma_retiring\n", "cycles=7 tma_backend_bound~69.9 tma_retiring~nan", NO, NO },
	{ "-x, beside a count", "7,,slots,1,100.00,37.1,%  tma_retiring\n", "slots=7 tma_retiring~37.1", NO, NO },
	{ "-x, behind the mark of UTF-8", "\xef\xbb\xbf" "7,,cycles,1,100.00,,\n8,,loads,1,100.00,,\n", "cycles=7 loads=8", NO, NO },
	{ "-x -A", "CPU0,14.13,msec,task-clock,14125105,100.00,1.048,\nCPU0,7,,cycles,1,100.00,,\nCPU12;14;;cycles;14125105;100,00;;\n",
	  "CPU0: cycles=7 | CPU12: cycles=14", NO, 0.01413 },
	{ "-x, places", "S0,2,1,,cycles,9,100.00,,\nS0-D0,2,2,,cycles,9,100.00,,\nS0-D0-C1,1,3,,cycles,9,100.00,,\n"
	  "S0-D0-CLS1,1,4,,cycles,9,100.00,,\nS0-D0-L3-ID0,1,5,,cycles,9,100.00,,\nN0,2,6,,cycles,9,100.00,,\n"
	  "bash-21856,<not counted>,,cycles,0,100.00,,\n7,,cycles,system.slice,9,100.00,,\n",
	  "S0: cycles=1 | S0-D0: cycles=2 | S0-D0-C1: cycles=3 | S0-D0-CLS1: cycles=4 | S0-D0-L3-ID0: cycles=5 | "
	  "N0: cycles=6 | bash-21856: cycles=nan | system.slice: cycles=7", NO, NO },
	{ "-x, outputs in one file", "# started on Sat Nov 21 02:50:01 2026\n\n7,,cycles,9,100.00,,\n8,,duration_time,8,100.00,,\n"
	  "# started on Sat Nov 21 02:50:02 2026\n\n6,,loads,9,100.00,,\n", "0.0:cycles=7 0.1:loads=6", 8e-9, NO },
	{ "-x, both types of cores", "7,,cpu_core/cycles/,1,100.00,,\n8,,cpu_atom/cycles/,1,100.00,,\n",
	  "cpu_core: cpu_core/cycles/=7 | cpu_atom: cpu_atom/cycles/=8", NO, NO },
#define JSON(front, value) "{" front "\"counter-value\" : \"" value "\", \"unit\" : \"\", \"event\" : \"cycles\", " \
	  "\"event-runtime\" : 100, \"pcnt-running\" : 100.00}\n"
	{ "-j -I", JSON("\"interval\" : 1.5, ", "7.000000") JSON("\"interval\" : 2.5, ", "8.000000"),
	  "cycles=15 [0.000-1.500 cycles=7] [1.500-2.500 cycles=8]", 2.5, NO },
	{ "-j, places", JSON("\"cpu\" : \"0\", ", "1") JSON("\"socket\" : \"S0\", \"aggregate-number\" : 2, ", "2")
	  JSON("\"core\" : \"S0-D0-C0\", \"counters\" : 2, ", "3") JSON("\"thread\" : \"bash-1\", ", "4")
	  JSON("\"cgroup\" : \"a\", ", "5"),
	  "CPU0: cycles=1 | S0: cycles=2 | S0-D0-C0: cycles=3 | bash-1: cycles=4 | a: cycles=5", NO, NO },
	/* clang-format on */
};

static int read_text(struct measurement *measured, const char *text, struct arena *arena, struct error *err)
{
	struct session_text all = { .text = text, .length = strlen(text), .source = "stat" };

	return session_read_text(measured, &all, arena, err);
}

static void test_texts(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(text_rows); i++) {
		struct error err = { .text = "" };
		struct measurement measured;
		struct arena arena;

		arena_init(&arena);
		if (read_text(&measured, text_rows[i].text, &arena, &err) < 0) {
			row_expect(&rows, text_rows[i].name, false, err.text);
		} else {
			const struct count_run *run = measured.parts[0].repeats[0].runs;

			row_expect_text(&rows, text_rows[i].name, measured_text(&measured, &arena),
					text_rows[i].counts);
			row_expect_number(&rows, text_rows[i].name, run->wall_s, text_rows[i].wall_s);
			row_expect_number(&rows, text_rows[i].name, run->cpu_s, text_rows[i].cpu_s);
		}
		arena_release(&arena);
	}
	rows_end(&rows);
}

/* ---- what the counts are of ---- */

static const struct {
	const char *subject, *command, *target, *selector;
} subject_rows[] = {
	{ "'sleep 1'", "sleep 1", NULL, NULL },
	{ "'sh -c echo $HOME; true'", "sh -c echo '$HOME;' true", NULL, NULL },
	{ "'system wide'", NULL, "all CPUs", "-a" },
	{ "'CPU(s) 0-3'", NULL, "CPUs 0-3", "-C 0-3" },
	{ "process id '123,4'", NULL, "process 123,4", "-p 123,4" },
	{ "thread id '123'", NULL, "thread 123", "--tid 123" },
	{ "something new", NULL, "something new", "-a" },
};

static void test_subjects(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(subject_rows); i++) {
		const char *row = subject_rows[i].subject;
		struct error err = { .text = "" };
		struct measurement measured;
		struct arena arena;

		arena_init(&arena);
		if (read_text(&measured, arena_printf(&arena, " Performance counter stats for %s:\n\n 7 cycles\n", row),
			      &arena, &err) < 0)
			fail_msg("%s", err.text);
		row_expect_text(&rows, row, measured.parts[0].origin.command, subject_rows[i].command);
		row_expect_text(&rows, row, measured.parts[0].origin.target, subject_rows[i].target);
		row_expect_text(&rows, row, selector_text(&measured.parts[0].origin.selector, &arena),
				subject_rows[i].selector);
		arena_release(&arena);
	}
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_subjects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
