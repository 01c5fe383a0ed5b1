/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/gate/gate_limits.h"

#include <math.h>
#include <string.h>

#include "common/base/text.h"
#include "common/json/json_read.h"
#include "common/system/file.h"

#define FORMAT	      "topdown-limits"
#define MOST_LIMITS   1000
#define MOST_BYTES    256000
#define MOST_INCREASE 1e6 /* percent: more is a typing error */

static const char *const bound_names[] = { [BOUND_MAX_INCREASE] = "max_increase",
					   [BOUND_MAX_DECREASE] = "max_decrease",
					   [BOUND_MAX] = "max",
					   [BOUND_MIN] = "min" };

const char *gate_bound_name(enum gate_bound bound)
{
	return bound_names[bound];
}

bool is_relative(const struct gate_limit *limit)
{
	return limit->bound == BOUND_MAX_INCREASE || limit->bound == BOUND_MAX_DECREASE;
}

/* ---- the defaults ---- */

#define DEFAULT(what, kind, amount, text)                                                                              \
	{                                                                                                              \
		.metric = (what), .bound = (kind), .value = (amount), .unit = UNIT_PERCENT, .written = (text)          \
	}

/* A pinned simulation differs by nothing but the program, so little is allowed. */
static struct gate_limit simulated_defaults[] = {
	DEFAULT("instructions", BOUND_MAX_INCREASE, 0.3, "0.3 %"),
	DEFAULT("cycles", BOUND_MAX_INCREASE, 1, "1 %"),
};

/* Of a PMU; what it lacks is left out. */
static struct gate_limit counted_defaults[] = {
	DEFAULT("time", BOUND_MAX_INCREASE, 5, "5 %"),	     DEFAULT("instructions", BOUND_MAX_INCREASE, 1, "1 %"),
	DEFAULT("IPC", BOUND_MAX_DECREASE, 10, "10 %"),	     DEFAULT("LLC_MPKI", BOUND_MAX_INCREASE, 15, "15 %"),
	DEFAULT("L1D_MPKI", BOUND_MAX_INCREASE, 20, "20 %"), DEFAULT("Branch_MPKI", BOUND_MAX_INCREASE, 20, "20 %"),
};

struct gate_limits gate_limits_default(bool is_simulated)
{
	return is_simulated ? (struct gate_limits){ .items = simulated_defaults, .count = COUNT_OF(simulated_defaults) }
			    : (struct gate_limits){ .items = counted_defaults, .count = COUNT_OF(counted_defaults) };
}

/* ---- places ---- */

struct reading {
	struct gate_limits *limits;
	const char *text;
	size_t length;
	size_t item; /* the limit that is read */
	struct arena *arena;
	struct error *err;
};

/* Of a member of the limit that is read; "": the limit itself. */
static struct json_place gate_limits_place_of(const struct reading *reading, const char *key)
{
	const struct json_step steps[] = { { .key = "limits" }, { .item = reading->item }, { .key = key } };

	return json_place_of(reading->text, reading->length, steps, *key ? 3 : 2);
}

static int fail_at(const struct reading *reading, struct json_place place, const char *sentence)
{
	return error_set(reading->err, "%s: line %zu, column %zu: %s", reading->limits->source, place.line,
			 place.column, sentence);
}

static int gate_limits_fail(const struct reading *reading, const char *key, const char *sentence)
{
	return fail_at(reading, gate_limits_place_of(reading, key), sentence);
}

int gate_limit_error(struct error *err, const struct gate_limits *limits, const struct gate_limit *limit,
		     const char *sentence)
{
	if (!limits->source)
		return error_set(err, "%s", sentence);
	return error_set(err, "%s: line %zu, column %zu: %s", limits->source, limit->place.line, limit->place.column,
			 sentence);
}

/* ---- amounts ---- */

/* "0.3 %", "20 points", "12": behind a number the unit. */
static bool read_amount(struct gate_limit *limit, const char *text)
{
	const char *rest = text;

	if (!text_double_prefix(text, &rest, &limit->value) || !isfinite(limit->value))
		return false;
	rest += strspn(rest, " ");
	if (!*rest)
		limit->unit = UNIT_OWN;
	else if (!strcmp(rest, "%"))
		limit->unit = UNIT_PERCENT;
	else if (!strcmp(rest, "points") || !strcmp(rest, "point"))
		limit->unit = UNIT_POINTS;
	else
		return false;
	return true;
}

static int check_amount(const struct reading *reading, const struct gate_limit *limit)
{
	const char *key = bound_names[limit->bound];

	if (limit->value < 0 && is_relative(limit))
		return gate_limits_fail(
			reading, key,
			arena_printf(reading->arena, "%s is below 0: a limit of change is 0 or more", key));
	if (limit->bound == BOUND_MAX_DECREASE && limit->unit == UNIT_PERCENT && limit->value >= 100)
		return gate_limits_fail(reading, key, "max_decrease of 100 % or more: no value gets so small");
	if (limit->unit == UNIT_PERCENT && limit->value > MOST_INCREASE)
		return gate_limits_fail(reading, key,
					arena_printf(reading->arena, "%s is more than a limit can be", key));
	return 0;
}

static int read_bound(struct gate_limit *limit, const struct json *value, const struct reading *reading)
{
	const char *key = bound_names[limit->bound], *text = json_text(value);

	limit->unit = UNIT_OWN;
	if (json_is_number(value) && isfinite(json_number(value))) {
		limit->value = json_number(value);
		limit->written = arena_printf(reading->arena, "%g", limit->value);
	} else if (!text || !read_amount(limit, text)) {
		return gate_limits_fail(
			reading, key,
			arena_printf(reading->arena,
				     "%s: \"0.3 %%\", \"2 points\" or a number in the metric's own unit is "
				     "expected, and this is %s%s",
				     key, text ? text : json_kind(value), text && !*text ? "nothing" : ""));
	} else {
		limit->written = arena_strdup(reading->arena, text);
	}
	limit->place = gate_limits_place_of(reading, key);
	return check_amount(reading, limit);
}

/* ---- one limit ---- */

static const char *const keys[] = {
	"metric", "node", "function", "note", "max_increase", "max_decrease", "max", "min"
};

static int check_key(void *context, const char *key, const struct json *value UNUSED)
{
	const struct reading *reading = context;
	const char *near;

	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (!strcmp(key, keys[i]))
			return 0;
	near = nearest_names(reading->arena, key, keys, COUNT_OF(keys));
	return gate_limits_fail(
		reading, key,
		near ? arena_printf(reading->arena, "%s: a limit has no such member; did you mean %s?", key, near)
		     : arena_printf(reading->arena,
				    "%s: a limit has no such member; it has metric, function, note, max_increase, "
				    "max_decrease, max and min",
				    key));
}

/* A text that is not empty; *text stays NULL where there is none. */
static int read_limits_text(const char **text, const struct json *object, const char *key,
			    const struct reading *reading)
{
	const struct json *value = json_get(object, key);
	const char *found = json_text(value);

	if (value && (!found || !*found))
		return gate_limits_fail(reading, key,
					arena_printf(reading->arena, "%s is %s, where a name is expected", key,
						     found ? "empty" : json_kind(value)));
	*text = found ? arena_strdup(reading->arena, found) : NULL;
	return 0;
}

static int read_names(struct gate_limit *limit, const struct json *object, const struct reading *reading)
{
	const char *node;

	if (read_limits_text(&limit->metric, object, "metric", reading) < 0 ||
	    read_limits_text(&node, object, "node", reading) < 0 ||
	    read_limits_text(&limit->function, object, "function", reading) < 0 ||
	    read_limits_text(&limit->note, object, "note", reading) < 0)
		return -1;
	if (limit->metric && node)
		return gate_limits_fail(reading, "node",
					"a limit is of one metric or of one node, and this one has both");
	if (node)
		limit->metric = node;
	if (!limit->metric && limit->function)
		limit->metric = "cycles";
	if (!limit->metric)
		return gate_limits_fail(reading, "", "of what? A limit has \"metric\", \"node\" or \"function\"");
	return 0;
}

/* Twice the same bound of the same thing is a contradiction, or will be one. */
static int check_twice(const struct reading *reading, const struct gate_limit *limit)
{
	for (size_t i = 0; i < reading->limits->count; i++) {
		const struct gate_limit *other = &reading->limits->items[i];

		if (other->bound == limit->bound && is_same_name(other->metric, limit->metric) &&
		    compare_texts(other->function, limit->function) == 0)
			return gate_limits_fail(
				reading, bound_names[limit->bound],
				arena_printf(reading->arena, "%s of %s%s%s is already in line %zu",
					     bound_names[limit->bound], limit->metric, limit->function ? " in " : "",
					     limit->function ? limit->function : "", other->place.line));
	}
	return 0;
}

static int read_limit(const struct json *object, struct reading *reading)
{
	struct gate_limit limit = { .metric = NULL };
	size_t before = reading->limits->count;

	if (!json_is_object(object))
		return gate_limits_fail(
			reading, "",
			arena_printf(reading->arena, "a limit is an object, and this is %s", json_kind(object)));
	if (json_each(object, check_key, reading) < 0 || read_names(&limit, object, reading) < 0)
		return -1;
	for (size_t i = 0; i < COUNT_OF(bound_names); i++) {
		const struct json *value = json_get(object, bound_names[i]);

		limit.bound = (enum gate_bound)i;
		if (!value)
			continue;
		if (read_bound(&limit, value, reading) < 0 || check_twice(reading, &limit) < 0)
			return -1;
		reading->limits->items[reading->limits->count++] = limit;
	}
	if (reading->limits->count == before)
		return gate_limits_fail(reading, "", "how much? A limit has max_increase, max_decrease, max or min");
	return 0;
}

/* ---- the file ---- */

static int check_head(const struct json *root, const struct reading *reading)
{
	const char *format = json_text(json_get(root, "format")), *source = reading->limits->source;
	const struct json_step version[] = { { .key = "version" } }, limits[] = { { .key = "limits" } };

	if (!json_is_object(root) || !format || strcmp(format, FORMAT) != 0)
		return error_set(reading->err,
				 "%s: no limits: a file of them begins with {\"format\": \"" FORMAT
				 "\", \"version\": 1, \"limits\": [",
				 source);
	if (json_whole(json_get(root, "version"), 1) != 1)
		return fail_at(reading, json_place_of(reading->text, reading->length, version, 1),
			       "this topdown reads version 1 of the limits");
	if (!json_is_array(json_get(root, "limits")))
		return fail_at(reading, json_place_of(reading->text, reading->length, limits, 1),
			       "\"limits\" is not a list of objects, one per limit: "
			       "[{\"metric\": \"instructions\", \"max_increase\": \"0.3 %\"}]");
	if (!json_size(json_get(root, "limits")))
		return fail_at(reading, json_place_of(reading->text, reading->length, limits, 1),
			       "\"limits\" is empty: a gate without a limit checks nothing");
	return 0;
}

/* People write it; for each limit its place in the text is looked for. */
static int check_size(const struct json *root, const struct reading *reading)
{
	if (reading->length <= MOST_BYTES && json_size(json_get(root, "limits")) <= MOST_LIMITS)
		return 0;
	return error_set(reading->err, "%s: too large for limits: they are up to %d in %d kB", reading->limits->source,
			 MOST_LIMITS, MOST_BYTES / 1000);
}

static int check_root_key(void *context, const char *key, const struct json *value UNUSED)
{
	static const char *const known[] = { "format", "version", "limits", "note" };
	const struct reading *reading = context;
	const struct json_step steps[] = { { .key = key } };

	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (!strcmp(key, known[i]))
			return 0;
	return fail_at(reading, json_place_of(reading->text, reading->length, steps, 1),
		       arena_printf(reading->arena,
				    "%s: limits have no such member; they have format, version, limits "
				    "and note",
				    key));
}

static int read_root(const struct json *root, struct reading *reading)
{
	const struct json *items = json_get(root, "limits");

	if (check_head(root, reading) < 0 || json_each(root, check_root_key, reading) < 0)
		return -1;
	reading->limits->items =
		arena_array(reading->arena, json_size(items) * COUNT_OF(bound_names), sizeof(struct gate_limit));
	for (reading->item = 0; reading->item < json_size(items); reading->item++)
		if (read_limit(json_at(items, reading->item), reading) < 0)
			return -1;
	return 0;
}

int gate_limits_read_text(struct gate_limits *limits, const char *text, const char *source, struct arena *arena,
			  struct error *err)
{
	struct reading reading = { .limits = limits, .text = text, .length = strlen(text), .arena = arena, .err = err };
	struct json *root = json_read_strict(text, reading.length, source, err);
	int result;

	*limits = (struct gate_limits){ .source = source };
	if (!root)
		return -1;
	result = check_size(root, &reading) < 0 ? -1 : read_root(root, &reading);
	json_free(root);
	return result;
}

int gate_limits_read(struct gate_limits *limits, const char *path, struct arena *arena, struct error *err)
{
	size_t length;
	const char *text = file_read(path, &length, arena, err);

	if (!text)
		return -1;
	return gate_limits_read_text(limits, text, strcmp(path, "-") != 0 ? path : "standard input", arena, err);
}
