/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option_sets.c - the options that several commands take. */
#include <assert.h>

#include "command/options.h"
#include "common/base/macros.h"
#include "cpu/load/model.h"

/* A choice is stored as unsigned, whatever enum the field has. */
static_assert(sizeof(enum format) == sizeof(unsigned), "TAKE_CHOICE");
static_assert(sizeof(enum color) == sizeof(unsigned), "TAKE_CHOICE");
static_assert(sizeof(enum form_choice) == sizeof(unsigned), "TAKE_CHOICE");
static_assert(sizeof(enum pmu_choice) == sizeof(unsigned), "TAKE_CHOICE");
static_assert(sizeof(enum interval_plan) == sizeof(unsigned), "TAKE_CHOICE");
static_assert(sizeof(enum anchor_choice) == sizeof(unsigned), "TAKE_CHOICE");
static_assert(sizeof(enum profile_parts) == sizeof(unsigned), "TAKE_CHOICE");
static_assert(sizeof(enum children_choice) == sizeof(unsigned), "TAKE_CHOICE");
static_assert(sizeof(enum stacks_choice) == sizeof(unsigned), "TAKE_CHOICE");
static_assert(sizeof(enum bpf_choice) == sizeof(unsigned), "TAKE_CHOICE");
static_assert(sizeof(enum watchdog_wish) == sizeof(unsigned), "TAKE_CHOICE");

static const char *const format_names[] = {
	[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json",	  [FORMAT_CSV] = "csv",	  [FORMAT_MARKDOWN] = "markdown",
	[FORMAT_HTML] = "html", [FORMAT_BRIEF] = "brief", [FORMAT_PERF] = "perf", NULL
};
static const char *const error_names[] = { "text", "json", NULL };
static const char *const color_names[] = {
	[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never", NULL
};
static const char *const pmu_names[] = { [PMU_AUTO] = "auto", [PMU_CPU] = "cpu", [PMU_SIM] = "sim", NULL };
static const char *const form_names[] = { [FORM_CHOICE_AUTO] = "auto",
					  [FORM_CHOICE_PERF_METRICS] = "perf-metrics",
					  [FORM_CHOICE_GENERAL] = "general",
					  NULL };
static const char *const interval_names[] = { [INTERVAL_ALL] = "all", [INTERVAL_ROTATE] = "rotate", NULL };
static const char *const bpf_names[] = { "auto", "on", "off", NULL };
static const char *const watchdog_names[] = { [WATCHDOG_KEEP] = "keep", [WATCHDOG_OFF] = "off", NULL };

static const char *const anchor_names[] = {
	[ANCHOR_AUTO] = "auto", [ANCHOR_ALWAYS] = "always", [ANCHOR_NEVER] = "never", NULL
};
static const char *const stacks_names[] = {
	[STACKS_AUTO] = "auto",	 [STACKS_BY_FP] = "fp",	     [STACKS_BY_CFI] = "dwarf",
	[STACKS_BY_LBR] = "lbr", [STACKS_LEFT_OUT] = "none", NULL
};
static const char *const parts_names[] = {
	[BY_NOTHING] = "nothing", [BY_THREAD] = "thread",     [BY_PROCESS] = "process",
	[BY_MODULE] = "module",	  [BY_INTERVAL] = "interval", NULL
};
static const char *const children_names[] = { [CHILDREN_TRACED] = "yes", [CHILDREN_LEFT_OUT] = "no", NULL };

const char *const toggle_names[] = { [TOGGLE_UNSAID] = "auto", [TOGGLE_ON] = "on", [TOGGLE_OFF] = "off", NULL };

#define BOTH (REPEATED_SETUP | REPEATED_QUESTION)

/* clang-format off */

/* ---- what to look at ---- */

static const struct option_row source_rows[] = {
	{ "source", 0, TAKE_TEXT, REPEATED_NEVER, "DIR", AT(question.source), NULL,
	  "where the sources for --annotate are" },
};

static const struct option_row level_rows[] = {
	{ "level", 'l', TAKE_LEVEL, REPEATED_QUESTION, "N", AT(question.level), NULL,
	  "tree levels, 1 to " AS_TEXT(DEEPEST_LEVEL) " (default 1; simulated: all)" },
};

static const struct option_row selection_rows[] = {
	{ "nodes", 0, TAKE_TEXT, REPEATED_QUESTION, "LIST", AT(question.nodes), NULL,
	  "only these nodes: Memory_Bound^, DRAM_Bound*, L3_Bound/4, !Retiring" },
	{ "bottlenecks", 'B', TAKE_FLAG, REPEATED_QUESTION, NULL, AT(question.wants_causes), NULL,
	  "the bottleneck view: each cause's share of the slots" },
	{ "groups", 0, TAKE_TEXT, REPEATED_QUESTION, "LIST", AT(question.groups), NULL,
	  "only the nodes and metrics of these groups" },
	{ "metrics", 0, TAKE_TEXT, REPEATED_QUESTION, "LIST", AT(question.metrics), NULL,
	  "only these metrics: IPC, *MPKI*" },
};

static const struct option_row event_rows[] = {
	{ "event", 'e', TAKE_TEXT, REPEATED_NEVER, "LIST", AT(question.events), NULL,
	  "also count these events (comma-separated)" },
};

static const struct option_row worst_rows[] = {
	{ "only-bottleneck", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(question.wants_worst_only), NULL,
	  "show only the worst path" },
};

static const struct option_row lines_rows[] = {
	{ "lines", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(question.wants_lines), NULL,
	  "the source lines that lose the worst node's slots" },
	{ "functions", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(question.wants_functions), NULL,
	  "functions that lose the worst node's slots" },
	{ "callers", 0, TAKE_TEXT, REPEATED_NEVER, "FUNC", AT(question.callers), NULL,
	  "callers and callees of the function FUNC" },
	{ "annotate", 0, TAKE_TEXT, REPEATED_NEVER, "FUNC", AT(question.annotated), NULL,
	  "source and instructions of the function FUNC, with their shares" },
	{ "per-function", 0, TAKE_TENS, REPEATED_NEVER, "[=N]", AT(question.nper_function), NULL,
	  "a tree for each of the N functions with the most cycles (default 10)" },
	{ "by", 0, TAKE_CHOICE, REPEATED_NEVER, "PARTS", AT(question.filter.by), parts_names,
	  "shares by thread, process, module or interval (-I)" },
	{ "thread", 0, TAKE_TEXT, REPEATED_NEVER, "NAME", AT(question.filter.thread), NULL,
	  "restrict --lines etc. to this thread (name or number)" },
	{ "process", 0, TAKE_TEXT, REPEATED_NEVER, "NAME", AT(question.filter.process), NULL,
	  "restrict --lines etc. to this process (program or number)" },
	{ "module", 0, TAKE_TEXT, REPEATED_NEVER, "FILE", AT(question.filter.module), NULL,
	  "restrict --lines etc. to code of this program or library" },
	{ "percent-limit", 0, TAKE_PERCENT, REPEATED_NEVER, "N", AT(question.filter.limit), NULL,
	  "show rows of at least N % (default: top ten)" },
};

/* ---- what to measure ---- */

static const struct option_row all_cpus_rows[] = {
	{ "all-cpus", 'a', TAKE_FLAG, REPEATED_NEVER, NULL, AT(setup.subject.is_all_cpus), NULL,
	  "everything that runs, on all CPUs" },
};

static const struct option_row subject_rows[] = {
	{ "cpus", 'C', TAKE_TEXT, REPEATED_NEVER, "LIST", AT(setup.subject.cpus), NULL,
	  "everything that runs on these CPUs: 0-3,8 or S0-C1-T0" },
	{ "pid", 'p', TAKE_TEXT, REPEATED_NEVER, "LIST", AT(setup.subject.processes), NULL,
	  "these processes, with all their threads" },
	{ "tid", 0, TAKE_TEXT, REPEATED_NEVER, "LIST", AT(setup.subject.threads), NULL, "these threads" },
	{ "cgroup", 0, TAKE_TEXT, REPEATED_NEVER, "PATH", AT(setup.subject.cgroup), NULL,
	  "all processes of this cgroup" },
	{ "user", 'u', TAKE_FLAG, REPEATED_SETUP, NULL, AT(setup.scope.is_user_only), NULL,
	  "count user mode only" },
	{ "kernel", 'k', TAKE_FLAG, REPEATED_SETUP, NULL, AT(setup.scope.is_kernel_only), NULL,
	  "count kernel mode only" },
};

static const struct option_row thread_rows[] = {
	{ "per-thread", 0, TAKE_FLAG, REPEATED_SETUP, NULL, AT(setup.subject.is_per_thread), NULL,
	  "a tree for each thread of -p or --tid, or of a simulated program" },
};

/* ---- parts ---- */

static const struct option_row division_rows[] = {
	{ "global", 0, TAKE_FLAG, REPEATED_SETUP, NULL, AT(question.division.is_whole), NULL,
	  "a tree for all CPUs together, in addition to the parts" },
	{ "per-socket", 0, TAKE_FLAG, REPEATED_SETUP, NULL, AT(question.division.by_socket), NULL,
	  "a tree for each socket" },
	{ "per-core", 0, TAKE_FLAG, REPEATED_SETUP, NULL, AT(question.division.by_core), NULL,
	  "a tree for each core" },
	{ "per-cpu", 'A', TAKE_FLAG, REPEATED_SETUP, NULL, AT(question.division.by_cpu), NULL,
	  "a tree for each logical CPU" },
	{ "idle-threshold", 0, TAKE_PERCENT, REPEATED_SETUP, "N", AT(question.division.idle_percent), NULL,
	  "omit parts with less than N % of the busiest part's cycles" },
};

/* ---- when ---- */

static const struct option_row interval_rows[] = {
	{ "interval", 'I', TAKE_MS, REPEATED_SETUP, "MS", AT(setup.timing.interval_ms), NULL,
	  "a tree every MS milliseconds, and one overall" },
	{ "live", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(output.is_live), NULL,
	  "redraw each interval in place (-I 1000); q quits, p pauses" },
	{ "interval-plan", 0, TAKE_CHOICE, REPEATED_SETUP, "PLAN", AT(setup.timing.interval_plan), interval_names,
	  "all: every group in each interval; rotate: one group per interval" },
};

static const struct option_row timing_rows[] = {
	{ "delay", 'D', TAKE_DELAY, REPEATED_SETUP, "MS", AT(setup.timing.delay), NULL,
	  "start counting after MS milliseconds; -1: wait for SIGUSR2; simulated: after 50M instructions" },
	{ "control", 0, TAKE_TEXT, REPEATED_SETUP, "FIFO[,FIFO]", AT(setup.timing.control), NULL,
	  "read enable, disable and stop from FIFO; answer on the second one" },
	{ "duration", 0, TAKE_SECONDS, REPEATED_SETUP, "SECONDS", AT(setup.timing.duration_s), NULL,
	  "stop counting after SECONDS (only without PROGRAM)" },
	{ "timeout", 0, TAKE_SECONDS, REPEATED_SETUP, "SECONDS", AT(setup.timing.timeout_s), NULL,
	  "stop counting after SECONDS, and send the program SIGTERM" },
};

/* ---- runs and counters ---- */

static const struct option_row repeat_rows[] = {
	{ "repeat", 'r', TAKE_NUMBER, REPEATED_SETUP, "N", AT(setup.packing.repeats), NULL,
	  "measure N times; show mean and 95 % interval" },
	{ "drilldown", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(setup.packing.is_drilldown), NULL,
	  "measure level 1, then only below the bottlenecks" },
	{ "syscalls", 0, TAKE_TEXT, REPEATED_SETUP, "LIST", AT(setup.packing.calls), NULL,
	  "also count system calls: all, or a list (write,read)" },
	{ "all-output", 0, TAKE_FLAG, REPEATED_SETUP, NULL, AT(setup.program.wants_all_output), NULL,
	  "show the program's output in all runs, not only in the first" },
	{ "mux-interval", 0, TAKE_NUMBER, REPEATED_SETUP, "MS", AT(setup.machine.mux_interval_ms), NULL,
	  "multiplexing interval in ms" },
};

static const struct option_row steady_rows[] = {
	{ "steady", 0, TAKE_STEADY, REPEATED_SETUP, "[=LIST]", AT(setup.machine.steady), NULL,
	  "reduce noise: pin,governor,turbo,smt,aslr (default pin); doctor: measure it" },
};

static const struct option_row pressure_rows[] = {
	{ "pressure", 0, TAKE_FLAG, REPEATED_SETUP, NULL, AT(setup.packing.wants_pressure), NULL,
	  "also show the time spent waiting for CPU, memory and storage (PSI)" },
};

static const struct option_row wall_rows[] = {
	{ "wall", 0, TAKE_FLAG, REPEATED_SETUP, NULL, AT(setup.packing.wants_wall), NULL,
	  "also show the wall clock of its threads: running, ready, waiting for what" },
	{ "by-bpf", 0, TAKE_CHOICE, REPEATED_SETUP, "WHEN", AT(setup.packing.by_bpf), bpf_names,
	  "the kernel adds up the wall clock: auto (of CPUs, cgroups), on, off" },
};

static const struct option_row packing_rows[] = {
	{ "retire-latency", 0, TAKE_FLAG, REPEATED_SETUP, NULL, AT(setup.packing.wants_latencies), NULL,
	  "sample retire latencies in an extra run, instead of using vendor means" },
	{ "max-runs", 0, TAKE_NUMBER, REPEATED_SETUP, "N", AT(setup.packing.max_runs), NULL,
	  "run PROGRAM at most N times; multiplex what does not fit" },
	{ "spread-groups", 0, TAKE_FLAG, REPEATED_SETUP, NULL, AT(setup.packing.spreads_groups), NULL,
	  "each rank of a parallel job counts one group, and its report has all" },
	{ "per-node", 0, TAKE_FLAG, REPEATED_SETUP, NULL, AT(setup.packing.is_per_node), NULL,
	  "keep all events of a metric in one group where they fit" },
	{ "counters", 0, TAKE_NUMBER, REPEATED_SETUP, "N", AT(setup.packing.counters), NULL,
	  "use only N of the general counters" },
	{ "nmi-watchdog", 0, TAKE_CHOICE, REPEATED_SETUP, "STATE", AT(setup.machine.watchdog), watchdog_names,
	  "keep, or off while counting (restored afterwards)" },
};

/* ---- simulation ---- */

static const struct option_row pmu_rows[] = {
	{ "pmu", 0, TAKE_CHOICE, REPEATED_QUESTION, "PMU", AT(setup.machine.pmu), pmu_names,
	  "auto, cpu (its counters) or sim (a simulated core)" },
};

static const struct option_row simulation_rows[] = {
	{ "sim-core", 0, TAKE_TEXT, REPEATED_SETUP, "NAME[,NAME]", AT(setup.simulation.core), NULL,
	  "core to simulate (name or file); several are compared" },
	{ "sim-sample", 0, TAKE_FRACTION, REPEATED_SETUP, "F", AT(setup.simulation.sample), NULL,
	  "model this fraction in detail (0.001 to 1)" },
	{ "sim-seconds", 0, TAKE_BUDGET, REPEATED_SETUP, "N", AT(setup.simulation.seconds), NULL,
	  "simulate for N s at most after a native run (30; 0: not at all); see topdown(1)" },
	{ "toggle", 0, TAKE_TEXT, REPEATED_SETUP, "FUNC", AT(setup.simulation.toggle), NULL,
	  "count only during calls of the function FUNC (simulated)" },
	{ "pinned", 0, TAKE_FLAG, REPEATED_SETUP, NULL, AT(setup.simulation.is_pinned), NULL,
	  "fix environment, CPUID and clock: same counts on every machine" },
	{ "layouts", 0, TAKE_NUMBER, REPEATED_SETUP, "K", AT(setup.simulation.layouts), NULL,
	  "simulate K layouts of code, stack and pages; show 95 % intervals" },
	{ "anchor", 0, TAKE_CHOICE, REPEATED_SETUP, "WHEN", AT(setup.simulation.anchor), anchor_names,
	  "also run natively, to compare: auto (if harmless), always, never" },
	{ "trace-children", 0, TAKE_CHOICE, REPEATED_SETUP, "HOW", AT(setup.simulation.children), children_names,
	  "no: do not simulate the programs that PROGRAM starts" },
};

static const struct option_row what_if_rows[] = {
	{ "what-if", 0, TAKE_TEXTS, REPEATED_NEVER, "LIST", AT(setup.simulation.what_if), NULL,
	  "simulate again without a cause: branches, l2=2M, dram=half, worst" },
};

/* ---- sampling ---- */

static const struct option_row sampling_rows[] = {
	{ "stacks", 'g', TAKE_CHOICE, REPEATED_SETUP, "HOW", AT(setup.sampling.stacks), stacks_names,
	  "call stacks: auto, fp, dwarf, lbr or none" },
	{ "frequency", 'F', TAKE_NUMBER, REPEATED_SETUP, "HZ", AT(setup.sampling.frequency), NULL,
	  "samples per second (default 997)" },
	{ "period", 'c', TAKE_COUNT, REPEATED_SETUP, "N", AT(setup.sampling.period), NULL,
	  "one sample every N events (of a clock: N ns)" },
};

/* ---- CPU and machine ---- */

static const struct option_row cpu_rows[] = {
	{ "cpu", 0, TAKE_TEXT, REPEATED_SETUP, "NAME", AT(setup.machine.cpu), NULL,
	  "use this CPU's events and model (clx, neoverse-v1)" },
	{ "db", 0, TAKE_TEXT, BOTH, "DIR", AT(setup.machine.database), NULL,
	  "look in DIR first for events/ and models/" },
};

static const struct option_row smt_rows[] = {
	{ "smt", 0, TAKE_CHOICE, REPEATED_NEVER, "STATE", AT(setup.machine.smt), toggle_names,
	  "assume SMT on or off (default auto: from the machine or file)" },
};

static const struct option_row form_rows[] = {
	{ "form", 0, TAKE_CHOICE, REPEATED_SETUP, "FORM", AT(setup.machine.form), form_names,
	  "which of Intel's formulas to use: auto, perf-metrics or general" },
};

static const struct option_row sysroot_rows[] = {
	{ "sysroot", 0, TAKE_TEXT, REPEATED_NEVER, "DIR", AT(setup.machine.sysroot), NULL,
	  "identify the machine from the proc/ and sys/ below DIR" },
};

/* ---- output ---- */

static const struct option_row style_rows[] = {
	{ "verbose", 'v', TAKE_FLAG, REPEATED_NEVER, NULL, AT(output.is_verbose), NULL,
	  "show everything, also nodes below their threshold" },
	{ "format", 0, TAKE_CHOICE, REPEATED_NEVER, "FORMAT", AT(output.format), format_names,
	  "text, json, csv, markdown, html or brief (4 kB of JSON); for plan also perf" },
	{ "budget", 0, TAKE_NUMBER, REPEATED_NEVER, "BYTES", AT(output.budget), NULL,
	  "at most so many bytes of output (1024 or more), the answer first" },
	{ "color", 0, TAKE_CHOICE, REPEATED_NEVER, "WHEN", AT(output.color), color_names, "auto, always or never" },
};

static const struct option_row file_rows[] = {
	{ "output", 'o', TAKE_TEXT, REPEATED_NEVER, "FILE", AT(output.path), NULL, "write the result to FILE" },
};

static const struct option_row page_rows[] = {
	{ "embed", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(output.embeds), NULL,
	  "a page of HTML holds all counts too, so that `topdown report` reads it" },
	{ "open", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(output.opens), NULL, "show a page of HTML in the browser" },
};

static const struct option_row save_rows[] = {
	{ "save", 0, TAKE_TEXT, REPEATED_NEVER, "FILE", AT(output.save), NULL,
	  "save the counts, for `topdown report FILE`" },
	{ "no-last", 0, TAKE_FLAG, REPEATED_SETUP, NULL, AT(output.has_no_last), NULL,
	  "don't keep the counts for `topdown report` without a FILE" },
	{ "history", 0, TAKE_TEXT, REPEATED_NEVER, "FILE.db", AT(history.file), NULL,
	  "add the run to this history, for `topdown history FILE.db`" },
	{ "tag", 0, TAKE_TAG, REPEATED_NEVER, "KEY=VALUE", AT(history.tags), NULL,
	  "with --history: label the run (may be repeated)" },
};

static const struct option_row general_rows[] = {
	{ "help", 'h', TAKE_FLAG, REPEATED_NEVER, NULL, AT(wants_help), NULL, "this help" },
	{ "version", 'V', TAKE_FLAG, REPEATED_NEVER, NULL, AT(wants_version), NULL, "the version" },
	{ "errors", 0, TAKE_CHOICE, REPEATED_NEVER, "FORM", AT(errors), error_names,
	  "text, or json: why it failed and a command that helps on" },
};

/* clang-format on */

const struct option_alias option_aliases[] = {
	{ "no-anchor", "anchor", "never" },
	{ "multiplex", "max-runs", "1" },
	{ "functions", "per-function", NULL }, /* of roofline: others have a --functions of their own */
};
const size_t noption_aliases = COUNT_OF(option_aliases);
_Static_assert(COUNT_OF(option_aliases) <= MOST_ALIASES, "the parser has room for them");

const struct option_set level_options = OPTION_SET("what to look at", level_rows);
const struct option_set selection_options = OPTION_SET("what to look at", selection_rows);
const struct option_set event_options = OPTION_SET("what to look at", event_rows);
const struct option_set worst_options = OPTION_SET("what to look at", worst_rows);
const struct option_set source_options = OPTION_SET("what to look at", source_rows);
const struct option_set lines_options = OPTION_SET("what to look at", lines_rows);
const struct option_set all_cpus_options = OPTION_SET("what to measure", all_cpus_rows);
const struct option_set subject_options = MEASURING_SET("what to measure", subject_rows);
const struct option_set thread_options = MEASURING_SET("what to measure", thread_rows);
const struct option_set division_options = MEASURING_SET("what to measure", division_rows);
const struct option_set interval_options = MEASURING_SET("when", interval_rows);
const struct option_set timing_options = MEASURING_SET("when", timing_rows);
const struct option_set repeat_options = MEASURING_SET("runs and counters", repeat_rows);
const struct option_set pressure_options = MEASURING_SET("runs and counters", pressure_rows);
const struct option_set wall_options = MEASURING_SET("runs and counters", wall_rows);
const struct option_set steady_options = OPTION_SET("runs and counters", steady_rows);
const struct option_set packing_options = OPTION_SET("runs and counters", packing_rows);
const struct option_set pmu_options = OPTION_SET("simulation", pmu_rows);
const struct option_set simulation_options = MEASURING_SET("simulation", simulation_rows);
const struct option_set what_if_options = MEASURING_SET("simulation", what_if_rows);
const struct option_set sampling_options = MEASURING_SET("sampling", sampling_rows);
const struct option_set cpu_options = OPTION_SET("CPU and machine", cpu_rows);
const struct option_set smt_options = OPTION_SET("CPU and machine", smt_rows);
const struct option_set form_options = OPTION_SET("CPU and machine", form_rows);
const struct option_set sysroot_options = OPTION_SET("CPU and machine", sysroot_rows);
const struct option_set style_options = OPTION_SET("output", style_rows);
const struct option_set file_options = OPTION_SET("output", file_rows);
const struct option_set page_data_options = OPTION_SET("output", page_rows);
const struct option_set save_options = MEASURING_SET("output", save_rows);
const struct option_set general_options = OPTION_SET("output", general_rows);
