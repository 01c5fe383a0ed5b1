/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <string.h>

#include "common/base/text.h"
#include "common/json/json_bulk.h"
#include "common/system/embedded.h"
#include "common/system/file.h"
#include "cpu/load/tables.h"
#include "cpu/load/topic.h"

void model_warn(struct model *model, struct arena *arena, const char *format, ...)
{
	va_list args;

	model->warnings = arena_grow(arena, model->warnings, model->nwarnings, &model->warnings_capacity,
				     sizeof(*model->warnings));
	va_start(args, format);
	model->warnings[model->nwarnings++] = arena_vprintf(arena, format, args);
	va_end(args);
}

/* "tma_l1_bound" → "L1_Bound": what a title is when the file has none. */
static const char *make_title(const char *name, struct arena *arena)
{
	char *title = arena_strdup(arena, has_name_prefix(name, "tma_") ? name + 4 : name);
	bool is_start = true;

	for (char *c = title; *c; c++) {
		if (is_start && *c >= 'a' && *c <= 'z')
			*c = (char)(*c - 32);
		is_start = *c == '_';
	}
	return title;
}

/* The n of the group TopdownL<n>; 0 without one. */
static unsigned tree_level(const char *groups)
{
	static const char prefix[] = "TopdownL";
	const char *part;
	size_t length;

	while ((length = text_next(&groups, ";", &part)) > 0)
		if (length == sizeof(prefix) && !memcmp(part, prefix, sizeof(prefix) - 1) && part[length - 1] >= '1' &&
		    part[length - 1] <= '9')
			return (unsigned)(part[length - 1] - '0');
	return 0;
}

void metric_read_unit(struct metric *metric, const char *scale_unit)
{
	const char *unit = scale_unit;

	metric->scale = 1;
	if (scale_unit && !text_double_prefix(scale_unit, &unit, &metric->scale))
		unit = scale_unit;
	metric->unit = unit ? unit : "";
}

/* Up to a full stop before a blank or the end; names have dots inside. */
static size_t sentence_length(const char *text)
{
	size_t n = 0;

	while (text[n] && !(text[n] == '.' && (text[n + 1] == ' ' || !text[n + 1])))
		n++;
	return n;
}

/* Upstream files name the locating events only in prose: "... Sample with: A;B. Related metrics: ...". */
static const char *read_locating(const struct bulk_object *object, struct arena *arena)
{
	static const char marker[] = "Sample with: ";
	const char *list = bulk_get(object, "LocateWith");

	if (list)
		return list;
	list = bulk_get(object, "PublicDescription");
	list = list ? strstr(list, marker) : NULL;
	if (!list)
		return NULL;
	list += strlen(marker);
	return arena_strndup(arena, list, sentence_length(list));
}

static struct metric_source model_read_metric(struct model_sources *sources, const struct bulk_object *object,
					      const char *path)
{
	struct metric_source source = { .path = path };
	struct metric *metric = &source.metric;
	const char *title = bulk_get(object, "Title"), *groups = bulk_get(object, "MetricGroup");
	const char *domain = bulk_get(object, "CountDomain"), *next = bulk_get(object, "NextGroups");

	source.expression = bulk_get(object, "MetricExpr");
	source.general = bulk_get(object, "MetricExprGeneral");
	source.threshold = bulk_get(object, "MetricThreshold");
	metric->name = bulk_get(object, "MetricName");
	metric->title = title ? title : make_title(metric->name, sources->arena);
	metric->groups = groups ? groups : "";
	metric->domain = domain ? domain : "";
	metric->next_groups = next ? next : "";
	metric->level = tree_level(metric->groups);
	metric->topic = topic_of(metric->name, metric->groups);
	metric_read_unit(metric, bulk_get(object, "ScaleUnit"));
	source.locating = read_locating(object, sources->arena);
	return source;
}

/* One file being read into the model. */
struct file_reader {
	struct model_sources *sources;
	struct model *model;
	const char *path;
	bool is_system; /* metrics that are there stay, and the header is another's */
};

static int take_metric(void *context, const struct bulk_object *object, struct error *err UNUSED)
{
	const struct file_reader *r = context;
	struct model_sources *sources = r->sources;
	struct metric_source source;
	size_t before;

	if (!bulk_get(object, "MetricName") || !bulk_get(object, "MetricExpr"))
		return 0; /* an event, or a reference to an architecture's metric */
	source = model_read_metric(sources, object, r->path);
	before = table_get(&sources->by_name, source.metric.name);
	if (before != TABLE_NONE && r->is_system)
		return 0;
	if (before != TABLE_NONE) {
		model_warn(r->model, sources->arena, "%s: metric '%s' appears twice; the last one is used", r->path,
			   source.metric.name);
		sources->items[before] = source;
		return 0;
	}
	sources->items = arena_grow(sources->arena, sources->items, sources->count, &sources->capacity, sizeof(source));
	sources->items[sources->count] = source;
	table_set(&sources->by_name, source.metric.name, sources->count++);
	return 0;
}

static void model_read_header(void *context, const struct bulk_object *header)
{
	const struct file_reader *r = context;
	struct model *model = r->model;
	const char *thresholds = bulk_get(header, "Thresholds");

	model->source = bulk_get(header, "Source");
	model->version = bulk_get(header, "Version");
	model->tma_version = bulk_get(header, "TmaVersion");
	model->general_source = bulk_get(header, "GeneralSource");
	model->generic = bulk_get(header, "Generic");
	model->no_tree = bulk_get(header, "NoTree");
	model->own_thresholds = thresholds && !strcmp(thresholds, "topdown");
}

/* JSON of another form (an upstream metricgroups.json) has no metrics. */
static int read_file(struct model_sources *sources, struct model *model, const char *path, struct error *err)
{
	struct file_reader reader = { .sources = sources, .model = model, .path = path };
	struct bulk_visitor visitor = { .context = &reader,
					.list = "Metrics",
					.is_list_optional = true,
					.header = model_read_header,
					.object = take_metric };

	return bulk_read(path, &visitor, sources->arena, err);
}

int model_read_system(struct model_sources *sources, struct model *model, const char *path, struct error *err)
{
	struct file_reader reader = { .sources = sources, .model = model, .path = path, .is_system = true };
	struct bulk_visitor visitor = { .context = &reader, .list = "Metrics", .object = take_metric };

	return bulk_read(path, &visitor, sources->arena, err);
}

int model_read(struct model_sources *sources, struct model *model, const char *path, struct error *err)
{
	size_t count;
	const char **names;

	if (is_embedded(path))
		return tables_load_model(model, sources, arena_strdup(sources->arena, path), err);
	if (!is_directory(path))
		return read_file(sources, model, arena_strdup(sources->arena, path), err);
	names = directory_list(path, ".json", &count, sources->arena, err);
	if (!names)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (read_file(sources, model, arena_printf(sources->arena, "%s/%s", path, names[i]), err) < 0)
			return -1;
	return 0;
}

int model_load_header(struct model *model, const char *path, struct arena *arena, struct error *err)
{
	struct file_reader reader = { .model = model };

	*model = (struct model){ .by_name = TABLE_INIT(arena) };
	if (is_embedded(path))
		return tables_load_header(model, &model_header_columns, path, err);
	return is_directory(path) ? 0 : bulk_read_header(path, model_read_header, &reader, arena, err);
}
