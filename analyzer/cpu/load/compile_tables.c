/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compile_tables.c SOURCE LIST OUT - a program of the build: the databases as they go into topdown. LIST has names of
 * files below SOURCE, one a line. OUT gets embedded_files.bin and embedded_files.c (embedded.h, tables.h).
 * Nothing in them depends on the machine that topdown is for.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/bytes.h"
#include "common/base/text.h"
#include "common/system/embedded.h"
#include "common/system/file.h"
#include "cpu/load/tables.h"

/* Of the program that is being made; this one has none inside. */
const struct embedded_file embedded_files[1];
const size_t embedded_count = 0;
const unsigned char embedded_bytes[1];

/* Every text once, whichever file it is in. */
struct pool {
	struct arena *arena;
	struct string bytes;
	uint32_t *index; /* open addressing: offsets, 0 is free */
	size_t count, size;
};

struct compiler {
	const char *source;
	struct arena *arena;
	struct pool texts;
	struct string rows; /* and the files that are kept as texts */
	struct embedded_file *files;
	size_t count, capacity;
};

static size_t find_text(const struct pool *pool, const char *text)
{
	size_t mask = pool->size - 1, at = content_hash(text, strlen(text)) & mask;

	while (pool->index[at] && strcmp(pool->bytes.text + pool->index[at], text) != 0)
		at = (at + 1) & mask;
	return at;
}

static void grow_pool(struct pool *pool)
{
	const uint32_t *old = pool->index;
	size_t size = pool->size;

	pool->size = size ? size * 2 : 1024;
	pool->index = arena_array(pool->arena, pool->size, sizeof(*pool->index));
	for (size_t i = 0; i < size; i++)
		if (old[i])
			pool->index[find_text(pool, pool->bytes.text + old[i])] = old[i];
}

static uint32_t pool_offset(struct pool *pool, const char *text)
{
	size_t at;

	if (!*text)
		return 0;
	if (pool->count * 2 >= pool->size)
		grow_pool(pool);
	at = find_text(pool, text);
	if (!pool->index[at]) {
		pool->index[at] = (uint32_t)pool->bytes.length;
		pool->count++;
		string_addn(&pool->bytes, text, strlen(text) + 1);
	}
	return pool->index[at];
}

static void put_number(struct string *out, uint64_t number)
{
	unsigned char bytes[LEB_MOST];

	string_addn(out, (const char *)bytes, (size_t)(leb_put(bytes, number) - bytes));
}

static void put_double(struct string *out, double value)
{
	char bytes[sizeof(value)];

	string_addn(out, memcpy(bytes, &value, sizeof(bytes)), sizeof(bytes));
}

static bool has_value(const void *member, enum column_kind kind)
{
	switch (kind) {
	case COLUMN_TEXT: return *(const char *const *)member != NULL;
	case COLUMN_U64: return *(const uint64_t *)member != 0;
	case COLUMN_UNSIGNED: return *(const unsigned *)member != 0;
	case COLUMN_BOOL: return *(const bool *)member;
	case COLUMN_DOUBLE: return !isnan(*(const double *)member);
	}
	return false;
}

static void put_value(struct compiler *c, const void *member, enum column_kind kind)
{
	switch (kind) {
	case COLUMN_TEXT: put_number(&c->rows, pool_offset(&c->texts, *(const char *const *)member)); break;
	case COLUMN_U64: put_number(&c->rows, *(const uint64_t *)member); break;
	case COLUMN_UNSIGNED: put_number(&c->rows, *(const unsigned *)member); break;
	case COLUMN_BOOL: break;
	case COLUMN_DOUBLE: put_double(&c->rows, *(const double *)member); break;
	}
}

static void put_row(struct compiler *c, const void *row, const struct columns *columns)
{
	uint64_t present = 0;

	for (size_t i = 0; i < columns->count; i++)
		if (has_value((const char *)row + columns->items[i].offset, columns->items[i].kind))
			present |= 1ull << i;
	put_number(&c->rows, present);
	for (size_t i = 0; i < columns->count; i++)
		if (present >> i & 1)
			put_value(c, (const char *)row + columns->items[i].offset, columns->items[i].kind);
}

static int refuse_warnings(const char *const *warnings, size_t count, struct error *err)
{
	return count ? error_set(err, "%s", warnings[0]) : 0;
}

static int put_events(struct compiler *c, const char *path, struct error *err)
{
	struct event_database database;

	if (event_database_load(&database, path, c->arena, err) < 0 ||
	    refuse_warnings(database.warnings, database.nwarnings, err) < 0)
		return -1;
	put_row(c, &database, &event_header_columns);
	put_number(&c->rows, database.count);
	for (size_t i = 0; i < database.count; i++)
		put_row(c, &database.rows[i], &event_columns);
	return 0;
}

static int put_model(struct compiler *c, const char *path, struct error *err)
{
	struct model_sources sources = { .arena = c->arena, .by_name = TABLE_INIT(c->arena) };
	struct model model = { .by_name = TABLE_INIT(c->arena) };

	if (model_read(&sources, &model, path, err) < 0 || refuse_warnings(model.warnings, model.nwarnings, err) < 0)
		return -1;
	put_row(c, &model, &model_header_columns);
	put_number(&c->rows, sources.count);
	for (size_t i = 0; i < sources.count; i++)
		put_row(c, &sources.items[i], &metric_columns);
	return 0;
}

/* The files of CPUs: events/NAME.json and models/NAME.json. */
static bool is_of_cpu(const char *name)
{
	const char *base = strrchr(name, '/'), *end = strrchr(name, '.');

	return base == strchr(name, '/') && end && !strcmp(end, ".json") && strcmp(base, "/cpus.json") != 0 &&
	       strncmp(base, "/glossary", strlen("/glossary")) != 0 && strcmp(base, "/common.json") != 0 &&
	       strcmp(base, "/assessment.json") != 0 && strcmp(base, "/roofline.json") != 0;
}

static int put_file(struct compiler *c, const char *name, struct error *err)
{
	const char *path = arena_printf(c->arena, "%s/%s", c->source, name);
	size_t length, start = c->rows.length;
	const char *content = file_read(path, &length, c->arena, err);
	struct embedded_file file = { .size = length, .offset = (uint32_t)start, .is_rows = is_of_cpu(name) };
	int result = 0;

	if (!content)
		return -1;
	if (strlen(name) >= sizeof(file.name))
		return error_set(err, "%s: the name is too long", name);
	memcpy(file.name, name, strlen(name));
	file.hash = content_hash(content, length);
	if (!file.is_rows)
		string_addn(&c->rows, content, length + 1);
	else
		result = name[0] == 'e' ? put_events(c, path, err) : put_model(c, path, err);
	file.length = (uint32_t)(c->rows.length - start);
	file.sum = content_hash(c->rows.text + start, file.length);
	c->files = arena_grow(c->arena, c->files, c->count, &c->capacity, sizeof(file));
	c->files[c->count++] = file;
	return result;
}

static FILE *create(const char *folder, const char *name, struct arena *arena, struct error *err)
{
	const char *path = arena_printf(arena, "%s/%s", folder, name);
	FILE *out = fopen(path, "w");

	if (!out)
		error_set(err, "%s can't be written", path);
	return out;
}

static int compile_tables_finish(FILE *out, const char *name, struct error *err)
{
	bool is_whole = !ferror(out);

	return fclose(out) == 0 && is_whole ? 0 : error_set(err, "%s can't be written", name);
}

static int write_bytes(const struct compiler *c, const char *folder, struct error *err)
{
	FILE *out = create(folder, "embedded_files.bin", c->arena, err);

	if (!out)
		return -1;
	fwrite(c->texts.bytes.text, 1, c->texts.bytes.length, out);
	fwrite(c->rows.text, 1, c->rows.length, out);
	return compile_tables_finish(out, "embedded_files.bin", err);
}

static int write_index(const struct compiler *c, const char *folder, struct error *err)
{
	FILE *out = create(folder, "embedded_files.c", c->arena, err);

	if (!out)
		return -1;
	fprintf(out,
		"/* Made by compile_tables. */\n#include \"common/system/embedded.h\"\n\n"
		"__asm__(\".section .rodata\\n\"\n\t\".globl embedded_bytes\\n\"\n\t\"embedded_bytes:\\n\"\n"
		"\t\".incbin \\\"%s/embedded_files.bin\\\"\\n\"\n\t\".previous\\n\");\n\n"
		"const struct embedded_file embedded_files[] = {\n",
		folder);
	for (size_t i = 0; i < c->count; i++) {
		const struct embedded_file *file = &c->files[i];

		fprintf(out, "\t{ \"%s\", %llu, 0x%llxu, %zu, %u, 0x%llxu, %u },\n", file->name,
			(unsigned long long)file->size, (unsigned long long)file->hash,
			c->texts.bytes.length + file->offset, file->length, (unsigned long long)file->sum,
			file->is_rows);
	}
	fprintf(out, "};\nconst size_t embedded_count = %zu;\n", c->count);
	return compile_tables_finish(out, "embedded_files.c", err);
}

static int compile_tables_compile(struct compiler *c, const char *list, const char *folder, struct error *err)
{
	size_t length;
	char *names = file_read(list, &length, c->arena, err), *rest;

	if (!names)
		return -1;
	string_addn(&c->texts.bytes, "", 1);
	for (char *name = strtok_r(names, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest))
		if (put_file(c, name, err) < 0)
			return -1;
	return write_bytes(c, folder, err) < 0 ? -1 : write_index(c, folder, err);
}

int main(int argc, char **argv)
{
	struct error err = { .text = "" };
	struct arena arena;
	int result;

	if (argc != 4) {
		fputs("compile_tables SOURCE LIST OUT\n", stderr);
		return 2;
	}
	arena_init(&arena);
	result = compile_tables_compile(&(struct compiler){ .source = argv[1],
							    .arena = &arena,
							    .texts = { .arena = &arena, .bytes = STRING_INIT(&arena) },
							    .rows = STRING_INIT(&arena) },
					argv[2], argv[3], &err);
	if (result < 0)
		fprintf(stderr, "compile_tables: %s\n", err.text);
	arena_release(&arena);
	return result < 0 ? 1 : 0;
}
