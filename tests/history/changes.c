/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * changes.c - the changes that topdown finds, for a script to compare: changes WINDOW P SEGMENT; each line of standard
 * input is a series, and its line of the output has "index p" of each change.
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/history/trend.h"

static size_t read_numbers(double **numbers, const char *line, struct arena *arena)
{
	size_t count = 0, capacity = 0;
	char *end;

	*numbers = NULL;
	for (double number = strtod(line, &end); end != line; number = strtod(line, &end)) {
		*numbers = arena_grow(arena, *numbers, count, &capacity, sizeof(**numbers));
		(*numbers)[count++] = number;
		line = end;
	}
	return count;
}

int main(int argc, char **argv)
{
	struct change_rule rule;
	struct arena arena;
	char *line = NULL;
	size_t room = 0;

	if (argc != 4)
		return 2;
	rule = (struct change_rule){ .window = strtoul(argv[1], NULL, 10),
				     .most_p = strtod(argv[2], NULL),
				     .segment = strtoul(argv[3], NULL, 10) };
	arena_init(&arena);
	while (getline(&line, &room, stdin) > 0) {
		struct change_point *points;
		double *numbers;
		size_t count = read_numbers(&numbers, line, &arena);
		size_t found = change_points(&points, numbers, count, &rule, &arena);

		for (size_t i = 0; i < found; i++)
			printf("%zu %.17g ", points[i].index, points[i].p);
		printf("\n");
		arena_reset(&arena);
	}
	arena_release(&arena);
	free(line);
	return 0;
}
