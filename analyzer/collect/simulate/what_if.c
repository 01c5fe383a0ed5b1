/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/what_if.h"

#include <string.h>

#include "common/base/text.h"

#define MOST_CHANGES 6
#define MOST_PARTS   8

/* A parameter of the core, and what it becomes: a number, or what another parameter is. */
struct change {
	const char *name;
	uint64_t value;
	const char *from; /* NULL: value */
};

enum unit { UNIT_NONE, UNIT_KIB, UNIT_CYCLES };

/* A word, and what the core is then. */
struct row {
	const char *word, *what;
	const char *nodes[TRIAL_NODES];
	struct change changes[MOST_CHANGES];
	const char *parts[MOST_PARTS]; /* other words, all of which it means */
	/* What WORD=VALUE sets; the second one only goes along with `half` and `double`. Limits are the simulator's. */
	const char *valued[2];
	enum unit unit;
	uint64_t most;
};

static const struct row rows[] = {
	{ .word = "branches",
	  .what = "every branch is predicted",
	  .nodes = { "tma_bad_speculation", "tma_branch_mispredicts", "tma_mispredicts_resteers",
		     "tma_branch_resteers" },
	  .changes = { { "ideal_branches", 1, NULL } } },
	{ .word = "targets",
	  .what = "fetch knows each branch and its target",
	  .nodes = { "tma_unknown_branches" },
	  .changes = { { "unknown_branch_penalty", 0, NULL } } },
	{ .word = "icache",
	  .what = "L1I has all code",
	  .nodes = { "tma_icache_misses" },
	  .changes = { { "ideal_code", 1, NULL } } },
	{ .word = "itlb",
	  .what = "the ITLB has all pages",
	  .nodes = { "tma_itlb_misses" },
	  .changes = { { "ideal_itlb", 1, NULL } } },
	{ .word = "microcode",
	  .what = "microcode comes without delay",
	  .nodes = { "tma_ms_switches" },
	  .changes = { { "microcode_width", 16, NULL },
		       { "string_start", 0, NULL },
		       { "string_long_start", 0, NULL } } },
	{ .word = "decode",
	  .what = "decoders are as wide as can be",
	  .nodes = { "tma_mite" },
	  .changes = { { "decode_width", 16, NULL }, { "decode_bytes", 128, NULL } } },
	{ .word = "uop-cache",
	  .what = "the micro-op cache is as wide as can be",
	  .nodes = { "tma_dsb" },
	  .changes = { { "uop_cache_width", 16, NULL },
		       { "uop_cache_fetches", 16, NULL },
		       { "long_run_cycles", 0, NULL },
		       { "call_cycles", 0, NULL },
		       { "return_cycles", 0, NULL },
		       { "indirect_cycles", 0, NULL } } },
	{ .word = "fetch",
	  .what = "nothing delays the delivery of code",
	  .nodes = { "tma_frontend_bound", "tma_fetch_latency", "tma_fetch_bandwidth" },
	  .parts = { "branches", "targets", "icache", "itlb", "microcode", "decode", "uop-cache" } },
	{ .word = "l1-latency",
	  .what = "L1 answers in a cycle, and forwarding takes no time",
	  .nodes = { "tma_l1_bound" },
	  .changes = { { "l1d_latency", 1, NULL },
		       { "store_forward", 0, NULL },
		       { "failed_forward", 0, NULL },
		       { "alias_penalty", 0, NULL } } },
	{ .word = "dtlb",
	  .what = "the DTLB has all pages",
	  .nodes = { "tma_dtlb_load" },
	  .changes = { { "ideal_dtlb", 1, NULL } } },
	{ .word = "l1",
	  .what = "L1 has all data",
	  .nodes = { "tma_l2_bound" },
	  .changes = { { "ideal_l1", 1, NULL }, { "near_strides", 0, NULL }, { "prefetch_lines", 0, NULL } },
	  .valued = { "l1d_kib" },
	  .unit = UNIT_KIB,
	  .most = 1 << 12 },
	{ .word = "l2",
	  .what = "L2 has what L1 misses",
	  .nodes = { "tma_l3_bound" },
	  .changes = { { "ideal_l2", 1, NULL } },
	  .valued = { "l2_kib" },
	  .unit = UNIT_KIB,
	  .most = 1 << 20 },
	{ .word = "l3",
	  .what = "L3 has what L2 misses",
	  .changes = { { "ideal_l3", 1, NULL } },
	  .valued = { "l3_kib" },
	  .unit = UNIT_KIB,
	  .most = 1 << 20 },
	{ .word = "dram",
	  .what = "memory is as quick as L3",
	  .nodes = { "tma_dram_bound" },
	  .changes = { { "dram_latency", 0, "l3_latency" }, { "dram_line_cycles", 1, NULL } },
	  .valued = { "dram_latency", "dram_line_cycles" },
	  .unit = UNIT_CYCLES,
	  .most = 2000 },
	{ .word = "bandwidth",
	  .what = "L2, L3 and memory send as many lines as are asked for",
	  .changes = { { "dram_line_cycles", 1, NULL },
		       { "l2_bytes", 256, NULL },
		       { "l3_bytes", 256, NULL },
		       { "fill_buffers", 64, NULL } } },
	{ .word = "sharing",
	  .what = "lines of other cores come without delay",
	  .nodes = { "tma_false_sharing", "tma_contested_accesses", "tma_data_sharing" },
	  .changes = { { "transfer_latency", 0, NULL } } },
	{ .word = "stores",
	  .what = "the line of each store is there",
	  .nodes = { "tma_store_bound" },
	  .changes = { { "ideal_stores", 1, NULL } } },
	{ .word = "memory",
	  .what = "no load or store waits",
	  .nodes = { "tma_memory_bound" },
	  .parts = { "l1", "l1-latency", "dtlb", "sharing", "stores" } },
	{ .word = "divider",
	  .what = "a division takes as long as a multiplication, and nothing waits for the divider",
	  .nodes = { "tma_divider" },
	  .changes = { { "divide_32", 0, "multiply" },
		       { "divide_64", 0, "multiply" },
		       { "fp_divide_32", 0, "fp_multiply" },
		       { "fp_divide_64", 0, "fp_multiply" },
		       { "fp_root", 0, "fp_multiply" } } },
	{ .word = "fences",
	  .what = "nothing serializes, and atomic operations are like others",
	  .nodes = { "tma_serializing_operation" },
	  .changes = { { "ideal_fences", 1, NULL } } },
	{ .word = "ports",
	  .what = "there are 15 units of each kind",
	  .nodes = { "tma_ports_utilization" },
	  .changes = { { "_units", 15, NULL },
		       { "stores_take_loads", 0, NULL },
		       { "stores_take_transfers", 0, NULL },
		       { "transfer_adders", 0, NULL } } },
	{ .word = "dependencies",
	  .what = "nothing waits for the result of an operation, other than a load or a division",
	  .nodes = { "dependency_chains" },
	  .changes = { { "ideal_dependencies", 1, NULL } } },
	{ .word = "core",
	  .what = "no operation waits for a unit or a result",
	  .nodes = { "tma_core_bound" },
	  .parts = { "divider", "fences", "ports", "dependencies" } },
	{ .word = "backend",
	  .what = "nothing waits for memory, a unit or a result",
	  .nodes = { "tma_backend_bound" },
	  .parts = { "memory", "core" } },
	{ .word = "window",
	  .what = "1024 micro-ops have room in the core",
	  .changes = { { "reorder_buffer", 1024, NULL },
		       { "scheduler", 1024, NULL },
		       { "memory_scheduler", 1024, NULL },
		       { "vector_scheduler", 1024, NULL },
		       { "load_queue", 512, NULL },
		       { "store_queue", 512, NULL } } },
};

static const struct row *what_if_find_row(const char *word, size_t length)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (strlen(rows[i].word) == length && !strncasecmp(rows[i].word, word, length))
			return &rows[i];
	return NULL;
}

const char *what_if_word(size_t number, const char **what)
{
	*what = number < COUNT_OF(rows) ? rows[number].what : NULL;
	return number < COUNT_OF(rows) ? rows[number].word : NULL;
}

const char *what_if_of_node(const char *node)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (size_t k = 0; k < TRIAL_NODES && rows[i].nodes[k]; k++)
			if (!strcmp(rows[i].nodes[k], node))
				return rows[i].word;
	return NULL;
}

/* ---- the core that it means ---- */

static bool has_end(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

/* Sets the parameter, which the core may have by default only. */
static void what_if_put(struct sim_core *core, const char *name, uint64_t value)
{
	for (size_t i = 0; i < core->count; i++)
		if (!strcmp(core->parameters[i].name, name)) {
			core->parameters[i].value = value;
			return;
		}
	core->parameters[core->count++] = (struct sim_parameter){ name, value };
}

/* Units that a kind of port has; a kind without any goes to another one's. */
static void put_units(struct sim_core *core, const struct change *change)
{
	for (size_t i = 0; i < core->count; i++)
		if (has_end(core->parameters[i].name, change->name) && core->parameters[i].value)
			core->parameters[i].value = change->value;
}

/* A kind of operation becomes like another one, which keeps no unit busy. */
static void put_kind(struct sim_core *core, const struct change *change, struct arena *arena)
{
	uint64_t latency = sim_core_get(core, arena_printf(arena, "%s_latency", change->from));

	what_if_put(core, arena_printf(arena, "%s_latency", change->name), latency);
	what_if_put(core, arena_printf(arena, "%s_occupancy", change->name), 1);
}

static void apply(struct sim_core *core, const struct row *row, struct arena *arena)
{
	for (size_t i = 0; i < MOST_CHANGES && row->changes[i].name; i++) {
		const struct change *change = &row->changes[i];

		if (*change->name == '_')
			put_units(core, change);
		else if (change->from && !has_end(change->from, "_latency"))
			put_kind(core, change, arena);
		else
			what_if_put(core, change->name,
				    change->from ? sim_core_get(core, change->from) : change->value);
	}
	for (size_t i = 0; i < MOST_PARTS && row->parts[i]; i++)
		apply(core, what_if_find_row(row->parts[i], strlen(row->parts[i])), arena);
}

/* ---- words ---- */

/* One word while it is read. */
struct word {
	const char *text; /* whole: "l2=2M" */
	const struct row *row;
	const char *value; /* behind the =; NULL: none */
};

static int unknown(const char *word, struct arena *arena, struct error *err)
{
	const char *names[COUNT_OF(rows) + 1], *near;
	struct string list = STRING_INIT(arena);

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		names[i] = rows[i].word;
		string_printf(&list, "%s%s", i ? ", " : "", rows[i].word);
	}
	names[COUNT_OF(rows)] = WHAT_IF_WORST;
	near = nearest_names(arena, word, names, COUNT_OF(names));
	if (near)
		return error_set(err, "{what-if}: nothing is called '%s', did you mean %s?", word, near);
	return error_set(err, "{what-if}: nothing is called '%s': there are %s and " WHAT_IF_WORST, word, list.text);
}

static int no_word(struct error *err)
{
	return error_set(err, "{what-if}: it needs a word, such as branches or " WHAT_IF_WORST);
}

static int bad_value(const struct word *word, struct error *err)
{
	if (word->row->unit == UNIT_KIB)
		return error_set(err,
				 "{what-if} %s: a size is `half`, `double` or a number followed by K or M, such as "
				 "%s=2M, up to %lluM",
				 word->text, word->row->word, (unsigned long long)word->row->most >> 10);
	return error_set(err, "{what-if} %s: it is `half`, `double` or a number of cycles up to %llu", word->text,
			 (unsigned long long)word->row->most);
}

/* "2M" is 2048; 0: it is no size. */
static uint64_t read_kib(const char *text)
{
	static const char units[] = "KMG";
	const char *end, *unit;
	double number;

	if (!text_double_prefix(text, &end, &number) || !*end || (end[1] && strcasecmp(end + 1, "iB") != 0))
		return 0;
	unit = memchr(units, *end & ~0x20, sizeof(units) - 1);
	if (!unit || !(number > 0 && number < 1e6))
		return 0;
	return (uint64_t)(number * (double)(1ull << 10 * (unit - units)) + 0.5);
}

/* `half` or `double`: all that the word sets, by a factor. */
static bool scale(struct sim_core *core, const struct row *row, const char *value)
{
	bool is_half = !strcasecmp(value, "half");

	if (!is_half && strcasecmp(value, "double") != 0)
		return false;
	for (size_t i = 0; i < COUNT_OF(row->valued) && row->valued[i]; i++) {
		uint64_t now = sim_core_get(core, row->valued[i]), then = is_half ? now / 2 : now * 2;

		then = then > row->most ? row->most : then;
		what_if_put(core, row->valued[i], then ? then : 1);
	}
	return true;
}

static int apply_value(struct sim_core *core, const struct word *word, struct error *err)
{
	const struct row *row = word->row;
	uint64_t number = 0;

	if (!row->unit)
		return error_set(err, "{what-if} %s: '%s' takes no value; l1, l2, l3 and dram do", word->text,
				 row->word);
	if (scale(core, row, word->value))
		return 0;
	if (row->unit == UNIT_KIB)
		number = read_kib(word->value);
	else if (!text_u64(word->value, &number))
		number = 0;
	if (!number || number > row->most)
		return bad_value(word, err);
	what_if_put(core, row->valued[0], number);
	return 0;
}

/* "L2 is half as large", "memory takes 200 cycles": a changed part in words. */
static const char *changed_text(const struct word *word, struct arena *arena)
{
	bool is_size = word->row->unit == UNIT_KIB, is_half = !strcasecmp(word->value, "half");
	const char *times = is_half ? "half" : "twice";

	if (*word->value <= '9')
		return is_size ? arena_printf(arena, "L%s has %s", word->row->word + 1, word->value)
			       : arena_printf(arena, "memory takes %s cycles", word->value);
	return is_size ? arena_printf(arena, "L%s is %s as large", word->row->word + 1, times)
		       : arena_printf(arena, "memory takes %s as long", times);
}

/* One of the words between +. */
static int add_word(struct sim_trial *trial, const char *text, struct arena *arena, struct error *err)
{
	size_t length = strcspn(text, "=");
	struct word word = { .text = text,
			     .row = what_if_find_row(text, length),
			     .value = text[length] ? text + length + 1 : NULL };
	const char *what;

	if (!word.row)
		return unknown(arena_strndup(arena, text, length), arena, err);
	if (word.value && apply_value(&trial->core, &word, err) < 0)
		return -1;
	if (!word.value)
		apply(&trial->core, word.row, arena);
	what = word.value ? changed_text(&word, arena) : word.row->what;
	if (trial->what) {
		trial->what = arena_printf(arena, "%s; %s", trial->what, what);
		memset(trial->nodes, 0, sizeof(trial->nodes));
		return 0;
	}
	trial->what = what;
	if (!word.value)
		memcpy(trial->nodes, word.row->nodes, sizeof(trial->nodes));
	return 0;
}

#define MOST_ADDED 16 /* parameters that a core may lack, those that are ideal: fewer than these */

static int add_trial(struct sim_trials *trials, const char *name, const struct sim_core *core, struct arena *arena,
		     struct error *err)
{
	struct sim_trial trial = { .name = name, .core = sim_core_copy(core, MOST_ADDED, arena) };
	const char *cursor = name, *part;
	size_t length;

	for (size_t i = 0; i < trials->count; i++)
		if (!strcasecmp(trials->items[i].name, name))
			return 0;
	if (trials->count == MOST_TRIALS)
		return error_set(err, "{what-if}: at most %d, as each is a simulation", MOST_TRIALS);
	while ((length = text_next(&cursor, "+", &part)) > 0)
		if (add_word(&trial, arena_strndup(arena, part, length), arena, err) < 0)
			return -1;
	if (!trial.what)
		return no_word(err);
	trials->items[trials->count++] = trial;
	return 0;
}

int what_if_parse(struct sim_trials *trials, const char *list, const struct sim_core *core, struct arena *arena,
		  struct error *err)
{
	const char *cursor = list, *part;
	size_t length, count = 0;

	for (; (length = text_next(&cursor, ", ", &part)) > 0; count++) {
		const char *name = arena_strndup(arena, part, length);

		if (!strcasecmp(name, WHAT_IF_WORST))
			trials->wants_worst = true;
		else if (add_trial(trials, name, core, arena, err) < 0)
			return -1;
	}
	return count ? 0 : no_word(err);
}
