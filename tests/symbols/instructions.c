/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instructions.c - instructions PATH BEGIN END KNOWN...: what topdown reads of a file's instructions, in as many ranges as
 * there are threes of numbers in hex. A line for each: address, jump's target, "call" or "-", text, with tabs between
 * them; at last "#", what is missing. With a name of a source file in SOURCE: its number of lines, and what is said of it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "program/code/disassembly.h"

enum { MOST_RANGES = 64 };

static void print(const struct disassembly *read)
{
	for (size_t i = 0; i < read->count; i++)
		printf("%" PRIx64 "\t%" PRIx64 "\t%s\t%s\n", read->instructions[i].address,
		       read->instructions[i].jump_target, read->instructions[i].is_call ? "call" : "-",
		       read->instructions[i].text);
	printf("#\t%s\n", read->remark ? read->remark : "-");
}

int main(int argc, char **argv)
{
	struct disassembly_range ranges[MOST_RANGES];
	struct disassembly_request request = { .sysroot = "", .ranges = ranges };
	const char *source = getenv("SOURCE");
	struct error err = { .text = "" };
	struct source_text text;
	struct disassembly read;
	struct profile profile;
	struct arena arena;
	int status = 1;

	for (int i = 2; i + 2 < argc && request.nranges < MOST_RANGES; i += 3)
		ranges[request.nranges++] =
			(struct disassembly_range){ strtoull(argv[i], NULL, 16), strtoull(argv[i + 1], NULL, 16),
						    strtoull(argv[i + 2], NULL, 16) };
	arena_init(&arena);
	profile_init(&profile, &arena);
	request.module = profile_module(&profile, &(struct profile_module){ .kind = MODULE_FILE, .path = argv[1] });
	if (source) {
		source_text_read(&text, &(struct source_request){ .file = source, .binary = argv[1] }, &arena);
		printf("%zu\t%s\t%s\n", text.count, text.count ? text.lines[text.count - 1] : "-",
		       text.remark ? text.remark : "-");
	}
	if (request.nranges && disassembly_read(&read, &profile, &request, &arena, &err) < 0)
		printf("%s\n", err.text);
	else {
		if (request.nranges)
			print(&read);
		status = 0;
	}
	arena_release(&arena);
	return status;
}
