/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/load/tables.h"

#include <string.h>

#include "common/system/embedded.h"

#define COLUMNS(list)                                                                                                  \
	{                                                                                                              \
		(list), COUNT_OF(list)                                                                                 \
	}

#define HEADER(kind, member)                                                                                           \
	{                                                                                                              \
		COLUMN_##kind, offsetof(struct event_database, member)                                                 \
	}

static const struct column event_header[] = {
	HEADER(TEXT, cpu),
	HEADER(TEXT, short_name),
	HEADER(TEXT, title),
	HEADER(TEXT, vendor),
	HEADER(TEXT, source),
	HEADER(TEXT, version),
	HEADER(TEXT, pmu),
	HEADER(TEXT, pfm),
	HEADER(TEXT, cycles),
	HEADER(TEXT, instructions),
	HEADER(TEXT, reference),
	HEADER(TEXT, slots_event),
	HEADER(TEXT, exclusive),
	HEADER(TEXT, paired),
	HEADER(UNSIGNED, general),
	HEADER(UNSIGNED, general_smt_off),
	HEADER(UNSIGNED, fixed),
	HEADER(UNSIGNED, slots),
	HEADER(UNSIGNED, max_precise),
	HEADER(TEXT, slots_general),
	HEADER(TEXT, system),
};
const struct columns event_header_columns = COLUMNS(event_header);

#define EVENT(kind, member)                                                                                            \
	{                                                                                                              \
		COLUMN_##kind, offsetof(struct event_row, member)                                                      \
	}

static const struct column event[] = {
	EVENT(TEXT, name),
	EVENT(U64, code),
	EVENT(U64, umask),
	EVENT(U64, counters),
	EVENT(U64, period),
	EVENT(U64, counter_mask),
	EVENT(U64, counters_smt_off),
	EVENT(UNSIGNED, precise),
	EVENT(BOOL, has_address),
	EVENT(BOOL, is_deprecated),
	EVENT(BOOL, invert),
	EVENT(BOOL, edge),
	EVENT(UNSIGNED, msr),
	EVENT(UNSIGNED, nmsr),
	EVENT(U64, msr_value),
	EVENT(BOOL, taken_alone),
	EVENT(BOOL, any),
	EVENT(BOOL, equal),
	EVENT(BOOL, is_metric),
	EVENT(DOUBLE, retire_latency),
	EVENT(TEXT, unit),
	EVENT(TEXT, kernel_event),
	EVENT(TEXT, terms),
	EVENT(BOOL, is_one_unit),
	EVENT(DOUBLE, unit_scale),
	EVENT(TEXT, compat),
};
const struct columns event_columns = COLUMNS(event);

#define MODEL(kind, member)                                                                                            \
	{                                                                                                              \
		COLUMN_##kind, offsetof(struct model, member)                                                          \
	}

static const struct column model_header[] = {
	MODEL(TEXT, source),	     MODEL(TEXT, version),	  MODEL(TEXT, tma_version), MODEL(TEXT, no_tree),
	MODEL(BOOL, own_thresholds), MODEL(TEXT, general_source), MODEL(TEXT, generic),
};
const struct columns model_header_columns = COLUMNS(model_header);

#define METRIC(kind, member)                                                                                           \
	{                                                                                                              \
		COLUMN_##kind, offsetof(struct metric_source, member)                                                  \
	}

static const struct column metric[] = {
	METRIC(TEXT, metric.name),	METRIC(TEXT, metric.title),	METRIC(TEXT, metric.groups),
	METRIC(TEXT, metric.domain),	METRIC(TEXT, metric.unit),	METRIC(TEXT, metric.next_groups),
	METRIC(TEXT, expression),	METRIC(DOUBLE, metric.scale),	METRIC(TEXT, threshold),
	METRIC(TEXT, locating),		METRIC(UNSIGNED, metric.level), METRIC(TEXT, general),
	METRIC(UNSIGNED, metric.topic),
};
const struct columns metric_columns = COLUMNS(metric);

static void take_value(void *member, enum column_kind kind, struct bytes *bytes)
{
	switch (kind) {
	case COLUMN_TEXT: *(const char **)member = (const char *)embedded_bytes + bytes_uleb(bytes); break;
	case COLUMN_U64: *(uint64_t *)member = bytes_uleb(bytes); break;
	case COLUMN_UNSIGNED: *(unsigned *)member = (unsigned)bytes_uleb(bytes); break;
	case COLUMN_BOOL: *(bool *)member = true; break;
	case COLUMN_DOUBLE: *(double *)member = bytes_double(bytes); break;
	}
}

static void tables_take_row(void *row, const struct columns *columns, struct bytes *bytes)
{
	uint64_t present = bytes_uleb(bytes);

	for (size_t i = 0; i < columns->count; i++) {
		const struct column *column = &columns->items[i];
		char *member = (char *)row + column->offset;

		if (present >> i & 1)
			take_value(member, column->kind, bytes);
		else if (column->kind == COLUMN_DOUBLE)
			*(double *)(void *)member = NOT_COUNTED;
	}
}

int tables_load_header(void *header, const struct columns *columns, const char *path, struct error *err)
{
	struct bytes rows;

	if (embedded_rows(&rows, path, err) < 0)
		return -1;
	tables_take_row(header, columns, &rows);
	return 0;
}

int tables_load_events(struct event_database *database, const char *path, struct arena *arena, struct error *err)
{
	struct bytes rows;

	if (embedded_rows(&rows, path, err) < 0)
		return -1;
	tables_take_row(database, &event_header_columns, &rows);
	database->count = bytes_uleb(&rows);
	table_reserve(&database->by_name, database->count);
	database->rows = arena_array(arena, database->count, sizeof(*database->rows));
	for (size_t i = 0; i < database->count; i++) {
		tables_take_row(&database->rows[i], &event_columns, &rows);
		table_set(&database->by_name, database->rows[i].name, i);
	}
	return 0;
}

int tables_load_model(struct model *model, struct model_sources *sources, const char *path, struct error *err)
{
	struct bytes rows;

	if (embedded_rows(&rows, path, err) < 0)
		return -1;
	tables_take_row(model, &model_header_columns, &rows);
	sources->count = sources->capacity = bytes_uleb(&rows);
	table_reserve(&sources->by_name, sources->count);
	sources->items = arena_array(sources->arena, sources->count, sizeof(*sources->items));
	for (size_t i = 0; i < sources->count; i++) {
		struct metric_source *source = &sources->items[i];

		tables_take_row(source, &metric_columns, &rows);
		source->path = path;
		table_set(&sources->by_name, source->metric.name, i);
	}
	return 0;
}
