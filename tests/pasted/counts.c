/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counts.c - what topdown reads of a file: a line for each count, "part, event, value, percent of the time" with tabs
 * between. Copies under plain names, which reading adds to "cycles:u", are there too. For records.py.
 */
#include <stdio.h>

#include "store/session/session.h"

static void print_part(const struct counts *counts)
{
	for (size_t i = 0; i < counts->nrepeats; i++)
		for (size_t k = 0; k < counts->repeats[i].count; k++) {
			const struct count *count = &counts->repeats[i].items[k];
			double percent = 100 * (double)count->running_ns / (double)count->enabled_ns;

			printf("%s\t%s\t%.17g\t%.4f\n", counts->origin.part ? counts->origin.part : "", count->event,
			       count->state == COUNT_WITHHELD ? (double)count->raw * 100 / percent : count->value,
			       percent);
		}
}

int main(int argc, char **argv)
{
	struct error err = { .text = "" };
	struct measurement measured;
	struct arena arena;

	arena_init(&arena);
	if (argc != 2 || session_read(&measured, argv[1], &arena, &err) < 0) {
		fprintf(stderr, "%s\n", argc == 2 ? err.text : "usage: counts FILE");
		return 1;
	}
	for (size_t i = 0; i < measured.count; i++)
		print_part(&measured.parts[i]);
	arena_release(&arena);
	return 0;
}
