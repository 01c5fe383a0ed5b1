/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.c - names KIND PATH BUILD_ID PID [SEARCH]: what topdown says of the addresses that come on stdin, one a line in
 * hex. A line for each frame, innermost first: address, function, file, line, begin, size, with tabs between them; at last
 * "#", the module's remark. "-" is none. KIND is a number of enum module_kind; with "demangle", names come on stdin, and go.
 * SYSROOT is where proc/ is.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "program/symbols/symbols.h"

static const char *or_none(const char *text)
{
	return text ? text : "-";
}

static const char *or_null(const char *word)
{
	return strcmp(word, "-") ? word : NULL;
}

static void print_place(const struct profile_place *place)
{
	if (!place->nframes)
		printf("%" PRIx64 "\t-\t-\t0\t0\t0\n", place->address);
	for (size_t i = 0; i < place->nframes; i++) {
		const struct profile_frame *frame = &place->frames[i];

		printf("%" PRIx64 "\t%s\t%s\t%" PRIu32 "\t%" PRIx64 "\t%" PRIx64 "\n", place->address,
		       or_none(frame->function), or_none(frame->file), frame->line, frame->begin, frame->size);
	}
}

static int demangle(void)
{
	static char name[1 << 20];
	struct arena arena;

	arena_init(&arena);
	while (fgets(name, sizeof(name), stdin)) {
		name[strcspn(name, "\n")] = '\0';
		puts(symbol_demangle(name, &arena));
		arena_reset(&arena);
	}
	arena_release(&arena);
	return 0;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	struct profile_module module;
	struct symbol_request request = { .sysroot = getenv("SYSROOT") };
	struct error err = { .text = "" };
	struct profile profile;
	struct arena arena;
	uint64_t address;
	double begin;
	int status;

	if (argc == 2 && !strcmp(argv[1], "demangle"))
		return demangle();
	if (argc < 5)
		return 2;
	module = (struct profile_module){ .kind = (enum module_kind)atoi(argv[1]),
					  .path = argv[2],
					  .build_id = or_null(argv[3]),
					  .pid = (uint32_t)atoi(argv[4]) };
	request.search = argc > 5 ? argv[5] : NULL;
	arena_init(&arena);
	profile_init(&profile, &arena);
	(void)profile_module(&profile, &module);
	while (scanf("%" SCNx64, &address) == 1)
		(void)profile_place(&profile, 0, address);
	begin = now();
	status = symbols_resolve(&profile, &request, &err);
	for (uint32_t i = 0; i < profile.nplaces && status == 0 && !getenv("QUIET"); i++)
		print_place(&profile.places[i]);
	printf("#\t%s\n", status == 0 ? or_none(profile.modules[0].remark) : err.text);
	fprintf(stderr, "%.4f s\n", now() - begin);
	arena_release(&arena);
	return status == 0 ? 0 : 1;
}
