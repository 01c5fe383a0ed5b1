/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/foreign.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/macros.h"
#include "common/base/text.h"

/* ---- options ---- */

#define TOPLEV	 "toplev's"
#define PERF	 "perf's"
#define ARM_TOOL "topdown-tool's"

#define SAMPLING "`topdown -l3 --lines PROGRAM` samples the worst node, `topdown sample --nodes NODE PROGRAM` any"
#define CORES	 "-C LIST chooses CPUs (0-3,8, S0-C1-T0); -A, --per-core and --per-socket give each its tree"

#define TRANSACTIONS "--metrics 'tsx_*' counts transactions, where the CPU has them; -e LIST adds their events"

#define NOTHING NULL

/*
 * cli.foreign holds each row against the options that there are: `ours` is one of them and stands in the answer, and
 * `lacks` is none. An option that topdown takes under the same name, with the same meaning, needs no row.
 */
static const struct {
	const char *name; /* NULL: a letter only */
	char letter;	  /* 0: none */
	const char *whose;
	const char *ours;  /* the option or command that the answer recommends; NOTHING: there is nothing to be typed */
	const char *lacks; /* the option that topdown would have if it had this; NOTHING: it has all of it */
	const char *answer;
} options[] = {
	/* clang-format off */
	/* what is looked at */
	{ "all", 0, TOPLEV, "--metrics", NOTHING,
	  "-l9 --metrics '*' asks for all nodes and metrics" },
	{ "metric-group", 0, TOPLEV " and " ARM_TOOL, "--groups", NOTHING,
	  "--groups LIST selects the metrics of a group" },
	{ NULL, 'm', TOPLEV " and " ARM_TOOL, "--metrics", NOTHING,
	  "--metrics LIST selects metrics ('*': all), --groups LIST groups" },
	{ NULL, 'M', PERF, "--metrics", NOTHING,
	  "--metrics LIST selects metrics, --groups LIST groups of them" },
	{ NULL, 'N', TOPLEV, "--groups", NOTHING,
	  "--groups tma_issueTLB selects what is related to a node (`topdown list groups`)" },
	{ NULL, 'n', ARM_TOOL, "--nodes", NOTHING,
	  "--nodes LIST selects nodes" },
	{ "stages", 's', ARM_TOOL, "--metrics", NOTHING,
	  "-l1 is the first stage, --metrics '*' the second" },
	{ "topdown", 0, PERF, "--level", NOTHING,
	  "it is what topdown does: level 1 without an option, -l2 one level more" },
	{ "td-level", 0, PERF, "--level", NOTHING,
	  "-l N is the level" },
	{ "detailed", 0, PERF, "--metrics", NOTHING,
	  "--metrics Common has IPC, clock and misses on every CPU" },
	{ NULL, 'd', PERF, "--metrics", NOTHING,
	  "--metrics Common has IPC, clock and misses on every CPU; "
	  "descriptions are `topdown explain NODE`, a time is --duration SECONDS" },
	{ "power", 0, TOPLEV, "--metrics", NOTHING,
	  "-a counts energy and sleep states (`topdown list metrics '*power*'`); --metrics "
	  "and -e power/energy-pkg/ select them" },
	{ "sw", 0, TOPLEV, "--event", NOTHING,
	  "not needed: the report has CPU time, context switches, migrations and page faults; "
	  "-e LIST adds other software events" },
	{ "no-uncore", 0, TOPLEV, "--nodes", NOTHING,
	  "not needed: uncore PMUs are counted only with -a or for metrics that need them, "
	  "and not with --nodes LIST" },
	{ "no-util", 0, TOPLEV, NOTHING, NOTHING,
	  "not needed: the CPUs used stand above the tree, and take no counter" },
	{ "tune", 0, TOPLEV, "--db", NOTHING,
	  "there is nothing to tune; --db DIR has other formulas" },
	/* whose work, and when */
	{ "core", 0, TOPLEV, "--cpus", NOTHING,
	  CORES },
	{ "cputype", 0, TOPLEV, "--cpu", NOTHING,
	  "all core types are measured, each with a tree; --cpu adl:core or adl:atom takes one of them" },
	{ "single-thread", 'S', TOPLEV, NOTHING, NOTHING,
	  "not needed: a program is counted by itself, on cores with SMT too" },
	{ "no-inherit", 'i', PERF, "--trace-children", "--inherit",
	  "processes that the program starts are always counted; --trace-children no leaves them out of a simulation" },
	{ NULL, 't', PERF, "--tid", NOTHING,
	  "--tid LIST counts threads; -I MS is an interval" },
	{ NULL, 'G', PERF, "--cgroup", NOTHING,
	  "--cgroup PATH counts a cgroup" },
	{ "per-die", 0, PERF, "--per-socket", "--per-die",
	  "--per-socket, --per-core and -A are what there is" },
	{ "per-cluster", 0, PERF, "--per-socket", "--per-cluster",
	  "--per-socket, --per-core and -A are what there is" },
	{ "interval-count", 0, PERF, "--duration", "--interval-count",
	  "--duration SECONDS ends the measurement" },
	{ "summary", 0, TOPLEV " and " PERF, "--interval", NOTHING,
	  "not needed: -I ends with a tree for all of the time" },
	{ "no-aggr", 0, TOPLEV " and " PERF, "--per-cpu", NOTHING,
	  "-A gives each CPU its tree" },
	{ "host", 0, TOPLEV, NOTHING, "--host",
	  "work in virtual machines is not distinguished from the host's" },
	{ "guest", 0, TOPLEV, NOTHING, "--guest",
	  "work in virtual machines is not distinguished from the host's; topdown runs inside a guest" },
	{ "exclude-guest", 0, PERF, NOTHING, "--exclude-guest",
	  "work in virtual machines is not distinguished from the host's" },
	{ "all-kernel", 0, PERF, "--kernel", NOTHING,
	  "-k counts the kernel only" },
	{ "all-user", 0, PERF, "--user", NOTHING,
	  "-u counts user code only" },
	{ "show-cpu", 0, TOPLEV, NOTHING, NOTHING,
	  "CPU and model stand above the tree" },
	{ "per-numa", 0, PERF, "--per-socket", "--per-numa",
	  "--per-socket, --per-core and -A are what there is" },
	{ "per-cache", 0, PERF, "--per-socket", "--per-cache",
	  "--per-socket, --per-core and -A are what there is" },
	/* runs and counters */
	{ "no-multiplex", 0, TOPLEV, NOTHING, NOTHING,
	  "it is the default here: as many runs as the counters need" },
	{ "reserved-counters", 0, TOPLEV, "--counters", NOTHING,
	  "--counters N is the number to use" },
	{ "max-events", 0, ARM_TOOL, "--counters", NOTHING,
	  "--counters N is the number to use" },
	{ "collect-by", 0, ARM_TOOL, "--per-node", NOTHING,
	  "--per-node counts each metric whole in one group, --max-runs 1 all in one run" },
	{ "print", 0, TOPLEV, "plan", NOTHING,
	  "`topdown plan` prints what would be counted; with --format perf as perf stat lines" },
	{ "gen-script", 0, TOPLEV, "plan", NOTHING,
	  "`topdown plan --format perf` prints a script that counts where perf is" },
	{ "script-record", 0, TOPLEV, "plan", NOTHING,
	  "`topdown plan --format perf` prints a script that counts where perf is" },
	{ "perf-path", 0, ARM_TOOL, NOTHING, NOTHING,
	  "no perf is needed" },
	{ "perf-args", 0, ARM_TOOL, NOTHING, NOTHING,
	  "no perf is needed" },
	{ "no-group", 0, TOPLEV, "--max-runs", NOTHING,
	  "--max-runs 1 or --per-node chooses how events are grouped; `topdown plan` prints the groups" },
	{ "print-group", 0, TOPLEV, "plan", NOTHING,
	  "`topdown plan` prints the groups of events" },
	{ "exclusive", 0, TOPLEV, NOTHING, NOTHING,
	  "not needed: a group has only events that fit on the counters together" },
	{ "weak", 0, TOPLEV, NOTHING, NOTHING,
	  "not needed: a group has only events that fit on the counters together" },
	{ "no-mux", 0, TOPLEV, NOTHING, NOTHING,
	  "it is the default here: as many runs as the counters need" },
	{ "no-perf", 0, TOPLEV, NOTHING, NOTHING,
	  "no perf is needed" },
	{ "perf", 0, TOPLEV, "plan", NOTHING,
	  "no perf is run; `topdown plan --format perf` prints perf stat lines that count the same" },
	{ "null", 0, PERF, NOTHING, "--null",
	  "a tree needs counts; `perf stat --null` takes the time alone" },
	{ "no-scale", 0, PERF, "--save", NOTHING,
	  "nothing is scaled in the default runs; --save FILE keeps the counts as they were read" },
	{ "scale", 0, PERF, NOTHING, NOTHING,
	  "it is so where a count needs it, and such a value is marked" },
	{ "metric-no-group", 0, PERF, "--per-node", NOTHING,
	  "--per-node counts each metric whole in one group, --max-runs 1 all in one run" },
	{ "metric-no-merge", 0, PERF, "plan", NOTHING,
	  "`topdown plan` shows which events are counted together" },
	{ "metric-no-threshold", 0, PERF, "--verbose", NOTHING,
	  "-v shows all nodes, those below their threshold too" },
	{ "no-merge", 0, PERF, "--event", NOTHING,
	  "units of one PMU are added up: -e uncore_cha_0/EVENT/ counts one of them; -A gives each CPU its tree" },
	{ "hybrid-merge", 0, PERF, NOTHING, "--hybrid-merge",
	  "each core type has a tree of its own: their events differ" },
	{ "bpf-prog", 0, PERF, "--pid", "--bpf-prog",
	  "BPF programs are not counted: -p PID, --cgroup PATH and -C LIST choose what is" },
	{ "bpf-counters", 0, PERF, NOTHING, "--bpf-counters",
	  "it is not used: the counters are the kernel's own" },
	{ "for-each-cgroup", 0, PERF, "--cgroup", "--for-each-cgroup",
	  "--cgroup PATH counts one cgroup" },
	{ "interval-clear", 0, PERF, "--live", NOTHING,
	  "--live draws each interval over the last one" },
	{ "smi-cost", 0, PERF, "--metrics", NOTHING,
	  "--metrics 'smi_*' with -a counts SMIs and what they cost, where the kernel has the PMU msr" },
	{ "iostat", 0, PERF, "--metrics", "--iostat",
	  "--metrics '*io_bandwidth*' has the traffic of all PCIe devices together, where the CPU's PMUs count it" },
	{ "transaction", 'T', PERF, "--metrics", NOTHING,
	  TRANSACTIONS },
	{ "tsx", 0, TOPLEV, "--metrics", NOTHING,
	  TRANSACTIONS },
	{ "pre", 0, PERF, NOTHING, "--pre",
	  "a script around topdown does that: only PROGRAM is counted" },
	{ "post", 0, PERF, NOTHING, "--post",
	  "a script around topdown does that: only PROGRAM is counted" },
	{ "sync", 0, PERF, NOTHING, "--sync",
	  "sync before topdown does that: only PROGRAM is counted" },
	/* CPU and machine */
	{ "force-cpu", 0, TOPLEV, "--cpu", NOTHING,
	  "--cpu NAME takes this CPU's events and model (`topdown list cpus`)" },
	{ "force-cpuinfo", 0, TOPLEV, "--sysroot", NOTHING,
	  "--sysroot DIR identifies the machine by the proc/ and sys/ below DIR" },
	{ "force-topology", 0, TOPLEV, "--sysroot", NOTHING,
	  "--sysroot DIR identifies the machine by the proc/ and sys/ below DIR" },
	{ "force-events", 0, TOPLEV, "--db", NOTHING,
	  "--db DIR has other events/ and models/" },
	{ "force-metrics", 0, TOPLEV, "--db", NOTHING,
	  "--db DIR has other events/ and models/" },
	{ "force-hypervisor", 0, TOPLEV, "doctor", NOTHING,
	  "`topdown doctor` says what a virtual machine lacks" },
	{ "ignore-errata", 0, TOPLEV, NOTHING, NOTHING,
	  "it is so: no event is left out for its errata" },
	{ "handle-errata", 0, TOPLEV, NOTHING, "--errata",
	  "no event is left out for its errata: the vendor's notes say what they change" },
	{ "no-check", 0, TOPLEV, "--cpu", NOTHING,
	  "a CPU that no data file knows is measured by its architecture's events; --cpu NAME takes another's" },
	{ "tune-model", 0, TOPLEV, "--db", NOTHING,
	  "there is nothing to tune; --db DIR has other formulas" },
	{ "fp16", 0, TOPLEV, NOTHING, NOTHING,
	  "the model of the CPU that is found has what it can count" },
	{ "hbm-only", 0, TOPLEV, "--cpu", NOTHING,
	  "the model of the CPU that is found has what it can count; --cpu NAME chooses another" },
	{ "ret-latency", 0, TOPLEV, "--retire-latency", NOTHING,
	  "latencies come from the database: --retire-latency measures them, --db DIR has other ones" },
	{ "aux", 0, TOPLEV, "--metrics", NOTHING,
	  "not needed: --metrics LIST selects any metric" },
	{ "node-metrics", 0, TOPLEV, "--groups", NOTHING,
	  "--groups tma_issueTLB selects what is related to a node (`topdown list groups`)" },
	{ "areas", 0, TOPLEV, "--groups", NOTHING,
	  "--groups LIST selects the metrics of a group" },
	/* recordings */
	{ "import", 0, TOPLEV, "report", NOTHING,
	  "`topdown report FILE` evaluates sessions and what perf stat printed" },
	{ "subset", 0, TOPLEV, "report", NOTHING,
	  "`topdown report FILE` shows each interval of the file" },
	{ "perf-output", 0, TOPLEV, "--save", NOTHING,
	  "--save FILE keeps the counts, and `topdown report FILE` evaluates them" },
	{ "raw", 0, TOPLEV, "--save", NOTHING,
	  "--save FILE keeps the counts as they were read" },
	{ "valcsv", 0, TOPLEV, "--save", NOTHING,
	  "--save FILE keeps the counts as they were read (-V is the version)" },
	/* sampling */
	{ "run-sample", 0, TOPLEV, "--lines", NOTHING,
	  SAMPLING },
	{ "show-sample", 0, TOPLEV, "--lines", NOTHING,
	  SAMPLING },
	{ "show-sample-events", 0, ARM_TOOL, "--lines", NOTHING,
	  SAMPLING },
	{ "sample-args", 0, TOPLEV, "--lines", NOTHING,
	  SAMPLING },
	{ "call-graph", 0, PERF, "--stacks", NOTHING,
	  "-g HOW chooses how call stacks are made: auto, fp, dwarf, lbr or none" },
	{ "perf-summary", 0, TOPLEV, "--save", NOTHING,
	  "--save FILE keeps the counts, and `topdown report FILE` evaluates them" },
	{ "stats", 0, TOPLEV, "--save", NOTHING,
	  "--save FILE keeps each count with the time that it was on a counter" },
	{ "parallel", 0, TOPLEV, "report", NOTHING,
	  "not needed: `topdown report FILE` evaluates a file at once" },
	{ "sample-repeat", 0, TOPLEV, "--lines", NOTHING,
	  SAMPLING },
	{ "sample-basename", 0, TOPLEV, "--lines", NOTHING,
	  SAMPLING },
	/* words */
	{ "no-desc", 0, TOPLEV, "explain", NOTHING,
	  "not needed: only the worst node is described; `topdown explain NODE` has the others" },
	{ "desc", 0, TOPLEV, "explain", NOTHING,
	  "`topdown explain NODE` describes a node" },
	{ "long-desc", 0, TOPLEV, "explain", NOTHING,
	  "`topdown explain NODE` describes a node" },
	{ "descriptions", 0, ARM_TOOL, "explain", NOTHING,
	  "`topdown explain NODE` describes a node" },
	{ "describe", 0, TOPLEV, "explain", NOTHING,
	  "`topdown explain NODE` describes a node" },
	{ "list-metrics", 0, TOPLEV " and " ARM_TOOL, "list", NOTHING,
	  "`topdown list metrics`" },
	{ "list-nodes", 0, TOPLEV, "list", NOTHING,
	  "`topdown list nodes`" },
	{ "list-metric-groups", 0, TOPLEV, "list", NOTHING,
	  "`topdown list groups`" },
	{ "list-groups", 0, ARM_TOOL, "list", NOTHING,
	  "`topdown list groups`" },
	{ "list-all", 0, TOPLEV, "list", NOTHING,
	  "`topdown list nodes` and `topdown list metrics`" },
	{ "list-cpus", 0, ARM_TOOL, "list", NOTHING,
	  "`topdown list cpus`" },
	{ "short-desc", 0, TOPLEV, "explain", NOTHING,
	  "`topdown explain NODE` describes a node" },
	/* output */
	{ "csv", 0, ARM_TOOL, "--format", NOTHING,
	  "--format csv" },
	{ "field-separator", 'x', PERF, "--format", "--field-separator",
	  "--format csv; its fields are separated by commas" },
	{ "json", 0, TOPLEV, "--format", NOTHING,
	  "--format json" },
	{ "json-output", 'j', PERF, "--format", NOTHING,
	  "--format json" },
	{ "xlsx", 0, TOPLEV, "--format", "--xlsx",
	  "--format csv -o FILE writes what a spreadsheet reads" },
	{ "graph", 0, TOPLEV, "--interval", NOTHING,
	  "-I MS -o FILE.html draws each value over time; --format csv writes what a plotting program reads" },
	{ "split-output", 0, TOPLEV, NOTHING, NOTHING,
	  "all parts stand in one output; CSV has them in the column part" },
	{ "columns", 0, TOPLEV, NOTHING, NOTHING,
	  "all parts stand below each other; CSV has them in the column part" },
	{ "no-big-num", 0, PERF, "--format", NOTHING,
	  "not needed: --format csv and json have plain numbers" },
	{ "big-num", 0, PERF, "--format", NOTHING,
	  "numbers are as long as they have to be; --format json has all digits" },
	{ "metric-only", 0, PERF, "--event", NOTHING,
	  "it is so; -e LIST adds events" },
	{ "append", 0, PERF, "--output", "--append",
	  "-o FILE writes a new file" },
	{ "log-fd", 0, PERF, "--output", "--log-fd",
	  "-o FILE writes to a file, -o - to standard output" },
	{ "quiet", 'q', TOPLEV, "--output", NOTHING,
	  "progress appears on a terminal only; -o FILE writes the tree to a file" },
	{ "no-area", 0, TOPLEV, "--format", NOTHING,
	  "there is no such column; --format csv has the columns that a program reads" },
	{ "abbrev", 0, TOPLEV, NOTHING, NOTHING,
	  "names stand below their parents and are short" },
	{ "no-sort", 0, TOPLEV, "--bottlenecks", NOTHING,
	  "nodes stand in the tree's order; -B sorts causes by their share" },
	{ "no-output", 0, TOPLEV, "--save", NOTHING,
	  "--save FILE -o /dev/null keeps the counts and prints nothing" },
	{ "title", 0, TOPLEV, "--format", "--title",
	  "plots of --format html are named after their nodes, and the page after the program" },
	{ "no-csv-header", 0, TOPLEV, NOTHING, NOTHING,
	  "the first line names the columns (`tail -n +2` drops it)" },
	{ "no-csv-footer", 0, TOPLEV, NOTHING, NOTHING,
	  "there is none" },
	{ "no-json-header", 0, TOPLEV, "--format", NOTHING,
	  "--format json writes one whole document" },
	{ "no-json-footer", 0, TOPLEV, "--format", NOTHING,
	  "--format json writes one whole document" },
	{ "no-version", 0, TOPLEV, NOTHING, NOTHING,
	  "there is no such line; the model's version stands above the tree" },
	{ "table", 0, PERF, "--repeat", NOTHING,
	  "-r N has the interval of the mean; --format json has each value" },
	{ "filter", 0, PERF, "--event", NOTHING,
	  "-e LIST adds events, and --nodes, --groups and --metrics select" },
	/* clang-format on */
};

static bool is_option(const char *word, const char *name, char letter)
{
	size_t length = name ? strlen(name) : 0;

	if (word[0] != '-')
		return false;
	if (word[1] != '-')
		return letter && word[1] == letter;
	return name && !strncmp(word + 2, name, length) && (!word[2 + length] || word[2 + length] == '=');
}

int foreign_option(const char *word, struct error *err)
{
	for (size_t i = 0; i < COUNT_OF(options); i++)
		if (is_option(word, options[i].name, options[i].letter))
			return error_set(err, "%.*s is %s: %s", (int)strcspn(word, "="), word, options[i].whose,
					 options[i].answer);
	return 0;
}

/* ---- commands ---- */

#define ONE_FILE "`topdown report FILE` evaluates one file of counts"

static const struct {
	const char *word;
	const char *answer;
} words[] = {
	/* clang-format off */
	{ "annotate", "`topdown report --annotate FUNC FILE` has lines and instructions of a session with a profile" },
	{ "archive",  ONE_FILE },
	{ "collect",  "`topdown -l3 --save FILE PROGRAM` measures a program and keeps the counts" },
	{ "diff",     "`topdown compare BEFORE AFTER` says what changed" },
	{ "evlist",   "`topdown list events` has a CPU's events; " ONE_FILE },
	{ "measure",  "`topdown PROGRAM` measures, without a command; `topdown help options` has its options" },
	{ "record",   "`topdown sample --save FILE PROGRAM` samples a program and keeps the profile" },
	{ "script",   ONE_FILE },
	{ "show",     ONE_FILE },
	{ "stat",     "`topdown PROGRAM` measures a program; " ONE_FILE },
	{ "top",      "`topdown -a --live` shows the whole machine, a tree every second; " ONE_FILE },
	/* clang-format on */
};

const char *foreign_answer(const char *word)
{
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (!strcmp(words[i].word, word))
			return words[i].answer;
	return NULL;
}

#define HEAD 512 /* bytes in which a file of counts has said what it is */

/* A regular file that begins like one that topdown writes, or reads as flat counts. */
static bool is_counts_file(const char *path)
{
	char head[HEAD + 1] = "";
	struct stat about;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t length = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) ? read(fd, head, HEAD) : 0;

	if (fd >= 0)
		close(fd);
	head[length > 0 ? length : 0] = '\0';
	return strstr(head, "\"topdown-session\"") || strstr(head, "\"topdown-counts\"");
}

static const char *find_counts(char *const *typed, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_counts_file(typed[i]))
			return typed[i];
	return NULL;
}

int foreign_command(char *const *typed, size_t count, struct arena *arena, struct error *err)
{
	const char *answer = foreign_answer(typed[0]), *file;
	struct string word = STRING_INIT(arena);

	if (is_counts_file(typed[0])) {
		string_add_shell_word(&word, typed[0]);
		return error_set(err, "%s is a file of counts, not a program: `topdown report %s` evaluates it",
				 typed[0], word.text);
	}
	file = answer ? find_counts(typed + 1, count - 1) : NULL;
	if (!file)
		return 0;
	return error_set(err,
			 "topdown has no command %s, and %s is a file of counts: %s. To run a program called %s, "
			 "put it after --",
			 typed[0], file, answer, typed[0]);
}
