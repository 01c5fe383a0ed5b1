/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfmon_model.c - metrics/NAME_metrics.json: the tree of the TMA metrics in depth-first order, then everything else.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/json/json_read.h"
#include "cpu/import/convert.h"
#include "cpu/import/importer.h"

/* ---- names in formulas ---- */

/* One metric's formula on its way into perf's grammar. */
struct translation {
	struct import *import;
	const struct json *metric;
	const struct table *metrics; /* the TMA metrics' names, "tma_..." */
	const char *unknown;	     /* first name met that is nothing at all */
};

static const char *member(const struct json *raw, const char *key)
{
	const char *text = json_text(json_get(raw, key));

	return text ? text : "";
}

/* The constants of the formulas in the words of perf's grammar. */
static const struct constant_row {
	const char *name, *text;
} constants[] = {
	/* clang-format off */
	{ "#NA",                       "(0 / 0)" },
	{ "smt_on",                    "#SMT_on" },
	{ "HYPERTHREADING_ON",         "#SMT_on" },
	{ "THREADS_PER_CORE",          "(1 + #SMT_on)" },
	{ "tsc",                       "TSC" },
	{ "num_cpus",                  "#num_cpus_online" },
	{ "system.sockets[0].cpus.count*system.socket_count", "#num_cpus_online" },
	{ "SOCKET_COUNT",              "#num_packages" },
	{ "CORES_PER_SOCKET",          "(#num_cores / #num_packages)" },
	{ "CHAS_PER_SOCKET",           "source_count(UNC_CHA_CLOCKTICKS)" },
	{ "SYSTEM_TSC_FREQ",           "#SYSTEM_TSC_FREQ" },
	{ "duration_time",             "duration_time" },
	{ "DURATIONTIMEINSECONDS",     "duration_time" },
	{ "DURATIONTIMEINMILLISECONDS", "(duration_time * 1000)" },
	/* clang-format on */
};

static const struct constant_row *find_constant(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(constants); i++)
		if (is_same_name(constants[i].name, name))
			return &constants[i];
	return NULL;
}

/* ":SUP" is ":k", ":ocr_msr_val=0x1" gets its escape, ":perf_metrics" says nothing that the name does not. */
static void add_modifier(struct string *text, const char *modifier, size_t length)
{
	const char *lower = text_lower(text->arena, arena_strndup(text->arena, modifier, length));
	const char *equals = strchr(lower, '=');

	if (!strcmp(lower, "perf_metrics"))
		return;
	if (!strcmp(lower, "sup") || !strcmp(lower, "user"))
		string_printf(text, ":%s", lower[0] == 's' ? "k" : "u");
	else if (equals)
		string_printf(text, ":%.*s\\%s", (int)(equals - lower), lower, equals);
	else
		string_printf(text, ":%s", lower);
}

/* A BaseFormula has names in lower case; a Formula's names are as published, uncore events in mixed case. */
static const char *event_name(const char *name, struct arena *arena)
{
	for (const char *c = name; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			return name;
	return text_upper(arena, name);
}

/* Energy has no row in the files (import_units.c adds it). */
static bool is_of_unit(const struct import *import, const char *name)
{
	return table_get(&import->unit_names, name) != TABLE_NONE || strstr(name, "_ENERGY_STATUS");
}

const char *perfmon_event(struct import *import, const char *spelled, const char **unknown)
{
	struct arena *arena = import->arena;
	const char *rest = spelled, *part;
	size_t length = text_next(&rest, ":", &part);
	const char *name = event_name(arena_strndup(arena, part, length), arena);
	struct string text = STRING_INIT(arena);

	string_add(&text, name);
	while ((length = text_next(&rest, ":", &part)) > 0)
		add_modifier(&text, part, length);
	if (!has_import_event(import, name) && !is_of_unit(import, name) && !*unknown)
		*unknown = name;
	return text.text;
}

static const char *plain_name(struct translation *t, const char *name)
{
	const struct constant_row *constant = find_constant(name);

	if (!constant)
		return perfmon_event(t->import, name, &t->unknown);
	return constant->text;
}

/* A node of another CPU, which loses nothing here; Linux takes 0 for it, and the flattened formula something else. */
static bool is_foreign_node(struct translation *t, const char *name)
{
	static const char suffix[] = "_bound";
	size_t length = strlen(name);

	if (length <= strlen(suffix) || strcmp(name + length - strlen(suffix), suffix) != 0)
		return false;
	import_say(t->import, "%s: 0 for '%s', a node that this CPU does not have", member(t->metric, "MetricName"),
		   name);
	return true;
}

/* Names of a BaseFormula: metrics are tma_..., everything else is an event in lower case or a constant. */
static const char *perfmon_base_name(void *context, const char *name)
{
	struct translation *t = context;
	const char *metric = arena_printf(t->import->arena, "tma_%s", name);

	if (has_name_prefix(name, "tma_")) {
		if (table_get(t->metrics, name) == TABLE_NONE && !t->unknown)
			t->unknown = name;
		return name;
	}
	if (!strchr(name, '.') && !find_constant(name)) {
		if (table_get(t->metrics, metric) != TABLE_NONE)
			return metric; /* a metric whose prefix was forgotten */
		if (is_foreign_node(t, name))
			return "0";
	}
	return plain_name(t, name);
}

#define ONE_UNIT ":one_unit"

/* "a[0]", which is one of the units that count a, as "a:one_unit". */
static const char *with_one_unit(const char *formula, struct arena *arena)
{
	static const char first[] = "[0]";
	struct string text = STRING_INIT(arena);
	const char *found;

	while ((found = strstr(formula, first)) != NULL) {
		string_printf(&text, "%.*s" ONE_UNIT, (int)(found - formula), formula);
		formula = found + strlen(first);
	}
	string_add(&text, formula);
	return text.text;
}

/* Of a constant, which a file has once for each socket, there is but one. */
static const char *name_of_one(struct translation *t, const char *name)
{
	return find_constant(name) ? plain_name(t, name)
				   : plain_name(t, arena_printf(t->import->arena, "%s" ONE_UNIT, name));
}

/* Names of a Formula: letters that stand for events and constants, and constants without a letter. */
static const char *perfmon_alias_name(void *context, const char *name)
{
	static const char *const lists[] = { "Events", "Constants" };
	struct translation *t = context;
	const char *one = strstr(name, ONE_UNIT);

	name = one ? arena_strndup(t->import->arena, name, (size_t)(one - name)) : name;
	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		const struct json *list = json_get(t->metric, lists[i]);

		for (size_t k = 0; k < json_size(list); k++) {
			const char *alias = json_text(json_get(json_at(list, k), "Alias"));
			const char *full = json_text(json_get(json_at(list, k), "Name"));

			if (alias && full && !strcmp(alias, name))
				return one ? name_of_one(t, full) : plain_name(t, full);
		}
	}
	return one ? name_of_one(t, name) : plain_name(t, name);
}

/* ---- the tree ---- */

struct node {
	const struct json *raw;
	const char *name;   /* as published, "L1_Bound" */
	const char *parent; /* published name, NULL: none */
	unsigned level;	    /* 0: not a node */
	bool is_read;
};

struct model_reader {
	struct import *import;
	struct node *nodes; /* all metrics of the file, in its order */
	size_t count;
	struct table by_name; /* nodes by published name */
	struct table metrics; /* TMA metrics by "tma_..." */
};

static const char *threshold_text(const struct json *raw, const char *key)
{
	return member(json_get(raw, "Threshold"), key);
}

static bool is_tma(const struct json *raw)
{
	return !strcmp(member(raw, "Category"), "TMA");
}

static unsigned level_of(const struct json *raw)
{
	const char *name = member(raw, "MetricName"), *text = json_text(json_get(raw, "Level"));
	long long level = text ? strtoll(text, NULL, 10) : json_whole(json_get(raw, "Level"), 0);

	if (!is_tma(raw) || has_name_prefix(name, "Info_") || has_name_prefix(name, "Bottleneck_"))
		return 0;
	return level >= 1 && level <= 9 ? (unsigned)level : 0;
}

static const struct node *find_node(const struct model_reader *r, const char *name)
{
	size_t number = name ? table_get(&r->by_name, name) : TABLE_NONE;

	return number == TABLE_NONE ? NULL : &r->nodes[number];
}

/* The node that a threshold compares second: the parent, because the conditions go up the tree. */
static const char *threshold_parent(const struct json *raw, struct arena *arena)
{
	static const char prefix[] = "_TMA_";
	const char *found = strstr(threshold_text(raw, "BaseFormula"), prefix);

	found = found ? strstr(found + 1, prefix) : NULL;
	if (!found)
		return NULL;
	found += strlen(prefix);
	found += strspn(found, ".");
	return arena_strndup(arena, found,
			     strspn(found, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
}

/* Where the stated parent is not one level up, or there is none, the threshold names the right one. */
static void find_parent(struct model_reader *r, struct node *node)
{
	const char *stated = json_text(json_get(node->raw, "ParentCategory")), *other;
	const struct node *parent = find_node(r, stated);

	if (node->level < 2)
		return;
	node->parent = stated;
	if (parent && parent->level == node->level - 1)
		return;
	other = threshold_parent(node->raw, r->import->arena);
	parent = find_node(r, other);
	if (parent && parent->level == node->level - 1) {
		import_say(r->import, "%s: parent %s is not one level up, taking %s from the threshold", node->name,
			   stated ? stated : "(none)", other);
		node->parent = parent->name;
		return;
	}
	import_say(r->import, "%s: level %u without a parent one level up; no node of the tree", node->name,
		   node->level);
	node->level = 0;
}

static void read_nodes(struct model_reader *r, const struct json *metrics)
{
	struct import *import = r->import;

	r->count = json_size(metrics);
	r->nodes = arena_array(import->arena, r->count + 1, sizeof(*r->nodes));
	r->by_name = TABLE_INIT(import->arena);
	r->metrics = TABLE_INIT(import->arena);
	for (size_t i = 0; i < r->count; i++) {
		struct node *node = &r->nodes[i];

		node->raw = json_at(metrics, i);
		node->name = arena_strdup(import->arena, member(node->raw, "MetricName"));
		node->level = level_of(node->raw);
		if (node->level)
			table_set(&r->by_name, node->name, i);
		if (is_tma(node->raw))
			table_set(&r->metrics,
				  text_lower(import->arena, arena_printf(import->arena, "tma_%s", node->name)), i);
	}
	for (size_t i = 0; i < r->count; i++)
		find_parent(r, &r->nodes[i]);
}

/* The issues that tie related metrics together: "$issueBW, $issueL1". */
static void add_issues(struct string *groups, const struct json *raw)
{
	const char *issue = strchr(threshold_text(raw, "ThresholdIssues"), '$');

	for (; issue; issue = strchr(issue + 1, '$')) {
		size_t length = strcspn(issue + 1, ", $~");

		string_printf(groups, "%stma_%.*s", groups->length ? ";" : "", (int)length, issue + 1);
	}
}

static const char *groups_of(const struct model_reader *r, const struct node *node)
{
	struct string groups = STRING_INIT(r->import->arena);
	const char *list = member(node->raw, "MetricGroup"), *part;
	size_t length;

	while ((length = text_next(&list, ";", &part)) > 0)
		string_printf(&groups, "%s%.*s", groups.length ? ";" : "", (int)length, part);
	if (node->level)
		string_printf(&groups, "%sTopdownL%u;tma_L%u_group", groups.length ? ";" : "", node->level,
			      node->level);
	if (node->level > 1)
		string_printf(&groups, ";tma_%s_group", text_lower(r->import->arena, node->parent));
	add_issues(&groups, node->raw);
	return groups.text;
}

static const struct scale_row {
	const char *measure, *domain, *unit; /* "": any */
} units[] = {
	/* clang-format off */
	{ "percent",         "",             "100%" },
	{ "per instruction", "",             "1per_instr" },
	{ "",                "GB/sec",       "1GB/s" },
	{ "",                "MB/sec",       "1MB/s" },
	{ "",                "Seconds",      "1s" },
	{ "",                "NanoSeconds",  "1ns" },
	{ "",                "Scaled_Slots", "1%" },
	{ "MB/sec",          "",             "1MB/s" },
	{ "GHz",             "",             "1GHz" },
	{ "ns",              "",             "1ns" },
	{ "per second",      "",             "1per_s" },
	/* clang-format on */
};

/* In the metric's older name where nothing else says it: "metric_IIO_bandwidth_read (MB/sec)". */
static const char *measure_of(const struct json *raw)
{
	const char *measure = member(raw, "UnitOfMeasure");

	return !measure[0] && strstr(member(raw, "LegacyName"), "MB/s") ? "MB/sec" : measure;
}

/* A BaseFormula is a fraction, unless it multiplies by 100 itself; a Formula always does. */
static const char *unit_of(const struct json *raw)
{
	const char *measure = measure_of(raw), *domain = member(raw, "CountDomain");
	const char *base = member(raw, "BaseFormula");
	bool is_percent = !strcmp(measure, "percent");

	base += strspn(base, " ");
	if (is_percent && (!is_tma(raw) || has_name_prefix(base, "100 *")))
		return "1%";
	for (size_t i = 0; i < COUNT_OF(units); i++)
		if ((!units[i].measure[0] || !strcmp(units[i].measure, measure)) &&
		    (!units[i].domain[0] || !strcmp(units[i].domain, domain)))
			return units[i].unit;
	return "";
}

static void read_threshold(struct model_reader *r, struct import_metric *metric, const struct json *raw)
{
	const char *text = threshold_text(raw, "BaseFormula"), *other = threshold_text(raw, "Formula");
	struct error err = { 0 };

	if (!*text && strstr(other, "metric_TMA_"))
		text = other; /* the efficient cores' files have the names there */
	text += strspn(text, " ");
	if (!*text || !strcmp(text, "#NA"))
		return;
	metric->threshold = convert_threshold(text, r->import->arena, &err);
	if (!metric->threshold)
		import_say(r->import, "%s: threshold left out: %s", metric->name, err.text);
}

static void read_samples(struct model_reader *r, struct import_metric *metric, const struct json *raw)
{
	const char *list = member(raw, "LocateWith"), *part;
	size_t length;

	while ((length = text_next(&list, ";", &part)) > 0)
		metric_add_sample(r->import, metric, part, length);
}

static const char *perfmon_model_name_of(struct import *import, const struct node *node)
{
	if (!is_tma(node->raw))
		return node->name;
	return text_lower(import->arena, arena_printf(import->arena, "tma_%s", node->name));
}

/* A BaseFormula, with references to other metrics, or a Formula, which is flat and in percent; NULL and err. */
static const char *translate(struct translation *t, bool is_base, struct error *err)
{
	struct convert_names names = { .context = t, .name = is_base ? perfmon_base_name : perfmon_alias_name };

	const char *formula = member(t->metric, is_base ? "BaseFormula" : "Formula");

	t->unknown = NULL;
	formula = is_base ? formula : with_one_unit(formula, t->import->arena);
	return convert_formula(formula, &names, t->import->arena, err);
}

/* A BaseFormula that names what does not exist is replaced by the flat formula of the same metric. */
static const char *expression_of(struct translation *t, struct error *err)
{
	const char *expr = translate(t, is_tma(t->metric), err), *name = member(t->metric, "MetricName");

	if (!is_tma(t->metric) || (expr && !t->unknown && !has_name_prefix(expr, "if ")))
		return expr;
	if (t->unknown)
		import_say(t->import, "%s: its formula names '%s', which does not exist; taking the flattened one",
			   name, t->unknown);
	else
		import_say(t->import, "%s: its formula has no beginning; taking the flattened one", name);
	error_clear(err);
	expr = translate(t, false, err);
	if (!expr || strcmp(member(t->metric, "UnitOfMeasure"), "percent") != 0)
		return expr;
	return arena_printf(t->import->arena, "(%s) / 100", expr);
}

/*
 * "(b / a[0]) * SOCKET_COUNT" is of all sockets where a[0] is what that unit counts on all of them, as perf's pcu_0 is.
 * One unit's count is one socket's here.
 */
static const char *of_all_sockets(struct import *import, const char *name, const char *expr)
{
	static const char sockets[] = " * #num_packages";
	size_t length = strlen(expr), end = strlen(sockets);

	if (!strstr(expr, ONE_UNIT ")") || length < end || strcmp(expr + length - end, sockets) != 0)
		return expr;
	import_say(import, "%s: without '%s', because one unit's count is one socket's", name, sockets + 1);
	return arena_strndup(import->arena, expr, length - end);
}

static const char *repaired(struct import *import, const char *name, const char *expr)
{
	unsigned count;

	expr = of_all_sockets(import, name, expr);
	expr = convert_latency(expr, &count, import->arena);
	if (count)
		import_say(import, "%s: a * (n * f) - (m * f) taken as a * ((n * f) - (m * f)), %u times", name, count);
	return metric_core_cycles(import, name, expr);
}

static void perfmon_model_read_metric(struct model_reader *r, struct node *node)
{
	struct import *import = r->import;
	const struct json *raw = node->raw;
	struct translation translation = { .import = import, .metric = raw, .metrics = &r->metrics };
	struct import_metric *metric;
	struct error err = { 0 };
	const char *expr;

	node->is_read = true;
	expr = expression_of(&translation, &err);
	if (!expr || !*expr || !node->name[0]) {
		import_say(import, "%s: left out: %s", node->name, expr ? "no formula" : err.text);
		return;
	}
	metric = metric_add(import, perfmon_model_name_of(import, node));
	metric->title = is_tma(raw) ? node->name : NULL;
	metric->expr = repaired(import, metric->name, expr);
	metric->groups = groups_of(r, node);
	metric->unit = unit_of(raw);
	metric->domain = arena_strdup(import->arena, member(raw, "CountDomain"));
	metric->text = import->request->with_text ? arena_strdup(import->arena, member(raw, "BriefDescription")) : NULL;
	read_threshold(r, metric, raw);
	read_samples(r, metric, raw);
}

/* Depth first, siblings in the file's order; levels grow downwards, so the depth is at most 9. */
static void read_tree(struct model_reader *r, const struct node *parent)
{
	for (size_t i = 0; i < r->count; i++) {
		struct node *node = &r->nodes[i];
		bool is_child = parent ? node->level == parent->level + 1 && is_same_name(node->parent, parent->name)
				       : node->level == 1;

		if (!is_child || table_get(&r->by_name, node->name) != i)
			continue;
		perfmon_model_read_metric(r, node);
		read_tree(r, node);
	}
}

/* What the walk through the tree did not reach. */
static void read_others(struct model_reader *r, bool is_of_tma)
{
	for (size_t i = 0; i < r->count; i++) {
		struct node *node = &r->nodes[i];

		if (node->is_read || is_tma(node->raw) != is_of_tma)
			continue;
		node->level = 0;
		perfmon_model_read_metric(r, node);
	}
}

static void perfmon_model_read_header(struct import *import, const struct json *header)
{
	const char *version = json_text(json_get(header, "Version")), *tma = json_text(json_get(header, "TmaVersion"));

	import->model_version = version ? arena_strdup(import->arena, version) : NULL;
	import->tma_version = tma ? arena_strdup(import->arena, tma) : NULL;
}

int perfmon_read_model(struct import *import, const char *path, struct error *err)
{
	struct model_reader reader = { .import = import };
	struct json *root = json_read_bulk(path, err);

	if (!root)
		return -1;
	perfmon_model_read_header(import, json_get(root, "Header"));
	read_nodes(&reader, json_get(root, "Metrics"));
	read_tree(&reader, NULL);
	read_others(&reader, true);
	read_others(&reader, false);
	json_free(root);
	return 0;
}
