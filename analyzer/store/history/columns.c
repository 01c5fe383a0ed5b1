/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/history/columns.h"

#include <string.h>

int columns_damaged(const struct history *history, struct error *err)
{
	return error_set(err, "%s: the file is damaged: values are not as topdown writes them. Nothing was changed",
			 history->path);
}

static bool columns_fill(struct block *block, sqlite3_stmt *row)
{
	struct packed_bytes runs = sql_bytes(row, 1);

	block->id = sqlite3_column_int64(row, 0);
	block->count = runs.length / sizeof(*block->runs);
	if (runs.length % sizeof(*block->runs) || block->count > BLOCK_RUNS || block->id < 0 || block->id > MOST_BLOCKS)
		return false;
	if (runs.length)
		memcpy(block->runs, runs.bytes, runs.length);
	return true;
}

int blocks_read(struct block_list *blocks, struct history *history, int64_t series, struct arena *arena,
		struct error *err)
{
	sqlite3_stmt *row = sql_begin(
		history, err, "SELECT id, runs FROM block WHERE ?1 < 0 OR series = ?1 ORDER BY id", "i", series);
	size_t capacity = 0;
	int answer = row ? 1 : -1;

	*blocks = (struct block_list){ .count = 0 };
	while (answer > 0 && (answer = sql_row(history, row, err)) > 0) {
		blocks->items = arena_grow(arena, blocks->items, blocks->count, &capacity, sizeof(*blocks->items));
		if (!columns_fill(&blocks->items[blocks->count++], row)) {
			sql_end(row);
			return columns_damaged(history, err);
		}
	}
	return answer;
}
