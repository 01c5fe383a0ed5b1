/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_history.c - what a history gets from elsewhere. Behind a first byte of 'r' or 'c' are packed bytes, a row or a
 * column: what is taken is the same when it is packed again and read. All else is a CSV table of runs.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/history/run_table.h"
#include "store/history/sql.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_same_number(double a, double b)
{
	return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof(a));
}

static void check_same(const struct packed_value *a, const struct packed_value *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (a[i].metric != b[i].metric || a[i].n != b[i].n || !is_same_number(a[i].value, b[i].value))
			abort();
}

static void read_row(struct packed_bytes bytes, struct arena *arena)
{
	struct packed_value *values, *again;
	size_t count, others;

	if (!unpack_row(&values, &count, bytes, arena))
		return;
	if (!unpack_row(&again, &others, pack_row(values, count, arena), arena) || others != count)
		abort();
	check_same(values, again, count);
}

/* Its first byte is the number of runs. */
static void read_column(struct packed_bytes bytes, struct arena *arena)
{
	struct packed_value values[BLOCK_RUNS] = { 0 }, again[BLOCK_RUNS] = { 0 };
	size_t count = bytes.length ? bytes.bytes[0] % (BLOCK_RUNS + 1) : 0;

	bytes.bytes += bytes.length > 0;
	bytes.length -= bytes.length > 0;
	if (!unpack_column(values, count, bytes))
		return;
	if (!unpack_column(again, count, pack_column(values, count, arena)))
		abort();
	check_same(values, again, count);
}

static void check_run(const struct history_run *run)
{
	if (!run->program || !run->command || !run->machine)
		abort();
	for (size_t i = 0; i < run->nvalues; i++)
		if (!run->values[i].name || isnan(run->values[i].value) || run->values[i].n > UINT16_MAX)
			abort();
}

static void read_table(char *text, size_t length, struct arena *arena)
{
	struct run_table table = { .path = "table.csv", .program = "table" };
	struct error err = { .text = "" };

	if (run_table_read(&table, text, length, arena, &err) < 0 && !*err.text)
		abort();
	for (size_t i = 0; i < table.count; i++)
		check_run(&table.runs[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct packed_bytes rest = { .length = size ? size - 1 : 0 };
	struct arena arena;
	char *text;

	arena_init(&arena);
	text = arena_alloc(&arena, size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	rest.bytes = (unsigned char *)text + 1;
	if (*text == 'r')
		read_row(rest, &arena);
	else if (*text == 'c')
		read_column(rest, &arena);
	else
		read_table(text, size, &arena);
	arena_release(&arena);
	return 0;
}
