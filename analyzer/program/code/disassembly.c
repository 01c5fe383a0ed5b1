/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/code/disassembly.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"
#include "program/symbols/isolate.h"
#include "program/symbols/module_file.h"

#define LIMIT_S	  30.0
#define MOST_TEXT ((size_t)256 << 20)
#define NEAR	  4096 /* bytes between ranges that cost less than another run */
#define LEAD	  64   /* bytes before a range, after which a decoder has found where instructions begin */
#define TAIL	  16   /* bytes behind a range, in which its last instruction may end */
#define NOT_FOUND 127

#if defined(__x86_64__)
#define MACHINE_HERE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE_HERE EM_AARCH64
#else
#define MACHINE_HERE EM_NONE
#endif

/* Names of objdump: the first that is there. By the file's machine, where it is not this one. */
static const struct {
	uint16_t machine; /* EM_NONE: any */
	const char *program;
} disassemblers[] = {
	{ EM_AARCH64, "aarch64-linux-gnu-objdump" },
	{ EM_X86_64, "x86_64-linux-gnu-objdump" },
	{ EM_386, "x86_64-linux-gnu-objdump" },
	{ EM_NONE, "llvm-objdump" },
	{ EM_NONE, "llvm-objdump-14" },
};

/* A run of objdump over ranges that are near each other. */
struct stretch {
	const char *file;
	uint16_t machine;
	const struct disassembly_range *ranges;
	size_t nranges;
};

/* ---- running objdump ---- */

static void execute(const struct stretch *stretch, const char *program)
{
	const struct disassembly_range *first = stretch->ranges, *last = &stretch->ranges[stretch->nranges - 1];
	uint64_t lead = first->known && first->begin > LEAD ? LEAD : 0;
	char start[64], stop[64];
	const char *arguments[] = {
		program, "--disassemble", "--no-show-raw-insn", "--demangle", start, stop, stretch->file, NULL
	};

	snprintf(start, sizeof(start), "--start-address=0x%" PRIx64, first->begin - lead);
	snprintf(stop, sizeof(stop), "--stop-address=0x%" PRIx64, last->end + TAIL);
	execvp(program, (char *const *)arguments);
}

/* In the new process, whose stdout becomes the pipe. Returns only where none could be executed. */
static int disassemble(const void *context, int out)
{
	const struct stretch *stretch = context;
	bool is_here = stretch->machine == MACHINE_HERE || (stretch->machine == EM_386 && MACHINE_HERE == EM_X86_64);

	setenv("LC_ALL", "C", 1);
	if (dup2(out, STDOUT_FILENO) < 0)
		return -1;
	if (is_here)
		execute(stretch, "objdump");
	for (size_t i = 0; i < COUNT_OF(disassemblers); i++)
		if (disassemblers[i].machine == stretch->machine || disassemblers[i].machine == EM_NONE)
			execute(stretch, disassemblers[i].program);
	_exit(NOT_FOUND);
}

/* ---- what it wrote ---- */

/* Words that stand before x86's mnemonics. */
static bool is_prefix(const char *word, size_t length)
{
	static const char *const prefixes[] = { "bnd", "notrack", "lock", "rep", "repz",   "repnz",  "cs",   "ds",
						"es",  "ss",	  "fs",	  "gs",	 "data16", "addr32", "rex.W" };

	for (size_t i = 0; i < COUNT_OF(prefixes); i++)
		if (strlen(prefixes[i]) == length && !strncmp(word, prefixes[i], length))
			return true;
	return false;
}

enum branch { BRANCH_NONE, BRANCH_JUMP, BRANCH_CALL };

/* Exact mnemonics; those that end in '*' begin so. x86's and AArch64's don't contradict each other. */
static const struct {
	const char *mnemonic;
	enum branch branch;
} branches[] = {
	{ "call*", BRANCH_CALL },  { "bl", BRANCH_CALL },   { "j*", BRANCH_JUMP },  { "loop*", BRANCH_JUMP },
	{ "xbegin", BRANCH_JUMP }, { "b", BRANCH_JUMP },    { "b.*", BRANCH_JUMP }, { "bc.*", BRANCH_JUMP },
	{ "cbz", BRANCH_JUMP },	   { "cbnz", BRANCH_JUMP }, { "tbz", BRANCH_JUMP }, { "tbnz", BRANCH_JUMP },
};

static enum branch branch_of(const char *mnemonic, size_t length)
{
	for (size_t i = 0; i < COUNT_OF(branches); i++) {
		size_t known = strlen(branches[i].mnemonic);
		bool is_start = branches[i].mnemonic[known - 1] == '*';

		if (is_start ? length >= known - 1 && !strncmp(mnemonic, branches[i].mnemonic, known - 1)
			     : length == known && !strncmp(mnemonic, branches[i].mnemonic, known))
			return branches[i].branch;
	}
	return BRANCH_NONE;
}

/* The last operand, "1139 <main+0x10>", as objdump and llvm-objdump ("0x1139 <...>") write it; 0: it is none. */
static uint64_t target_of(const char *operands)
{
	const char *symbol = strstr(operands, " <"), *comment = strchr(operands, '#'), *at = symbol;
	char *end;
	uint64_t target;

	if (comment && comment < symbol)
		return 0; /* of what memory has */
	while (at && at > operands && !strchr(" ,\t", at[-1]))
		at--;
	if (!at)
		return 0;
	target = strtoull(at, &end, 16);
	return end == symbol ? target : 0;
}

static void set_branch(struct instruction *instruction)
{
	const char *word = instruction->text;
	size_t length = strcspn(word, " ,");

	while (is_prefix(word, length)) {
		word += length + strspn(word + length, " ");
		length = strcspn(word, " ,");
	}
	switch (branch_of(word, length)) {
	case BRANCH_NONE: return;
	case BRANCH_CALL: instruction->is_call = true; break;
	case BRANCH_JUMP: break;
	}
	instruction->jump_target = target_of(word + length);
	instruction->is_call = instruction->is_call && instruction->jump_target;
}

/* Tabs become blanks, those at the end go. */
static void tidy(char *text)
{
	size_t length = strlen(text);

	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	for (; *text; text++)
		if (*text == '\t')
			*text = ' ';
}

static bool disassembly_is_wanted(const struct stretch *stretch, uint64_t address)
{
	for (size_t i = 0; i < stretch->nranges; i++)
		if (address >= stretch->ranges[i].begin && address < stretch->ranges[i].end)
			return true;
	return false;
}

/* "    1139:\tpush   %rbp"; other lines are headings. False: it is none, or none that is wanted. */
static bool parse_line(char *line, const struct stretch *stretch, struct instruction *instruction)
{
	char *end, *text = line + strspn(line, " ");
	uint64_t address = strtoull(text, &end, 16);

	if (end == text || *end != ':' || (end[1] != '\t' && end[1] != ' ') || !disassembly_is_wanted(stretch, address))
		return false;
	text = end + 1 + strspn(end + 1, " \t");
	tidy(text);
	*instruction = (struct instruction){ .address = address, .text = text };
	set_branch(instruction);
	return *text != '\0';
}

struct listing {
	struct arena *arena;
	struct instruction *items;
	size_t count, room;
};

static void parse(struct listing *listing, const struct stretch *stretch, char *text)
{
	struct instruction instruction;

	for (char *line = text, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!parse_line(line, stretch, &instruction))
			continue;
		listing->items =
			arena_grow(listing->arena, listing->items, listing->count, &listing->room, sizeof(instruction));
		listing->items[listing->count++] = instruction;
	}
}

/* ---- ranges that begin anywhere ---- */

/*
 * A range around a hot place may begin within an instruction. What was decoded from there is dropped up to the place
 * that is known, unless an instruction was found to begin there: then the decoder was right before, too.
 */
static void drop_misread(struct listing *listing, const struct disassembly_range *range)
{
	size_t kept = 0;
	bool is_right = false;

	for (size_t i = 0; i < listing->count; i++)
		is_right |= listing->items[i].address == range->known;
	for (size_t i = 0; i < listing->count; i++) {
		uint64_t address = listing->items[i].address;

		if (is_right || address < range->begin || address >= range->known)
			listing->items[kept++] = listing->items[i];
	}
	listing->count = kept;
}

/* ---- all ---- */

static size_t make_stretches(struct stretch *stretches, const struct disassembly_request *request,
			     const struct module_file *file)
{
	size_t count = 0;

	for (size_t i = 0; i < request->nranges; i++) {
		const struct disassembly_range *range = &request->ranges[i];

		if (i && range->begin - range[-1].end <= NEAR)
			stretches[count - 1].nranges++;
		else
			stretches[count++] = (struct stretch){
				.file = file->path, .machine = file->machine, .ranges = range, .nranges = 1
			};
	}
	return count;
}

static int run(struct isolated *works, const struct stretch *stretches, size_t count, struct arena *arena,
	       struct error *err)
{
	for (size_t i = 0; i < count; i++)
		works[i] = (struct isolated){
			.work = disassemble, .context = &stretches[i], .limit_s = LIMIT_S, .most = MOST_TEXT
		};
	if (isolate(works, count, arena, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (works[i].end == ISOLATED_FAILED && works[i].status == NOT_FOUND)
			return error_set(err,
					 "objdump is not here: install binutils, or llvm for another architecture");
		else if (works[i].end != ISOLATED_DONE && !works[i].length)
			return error_set(err, "objdump %s on %s: try `objdump -d` alone",
					 isolated_end_text(works[i].end), stretches[i].file);
	return 0;
}

int disassembly_read(struct disassembly *result, const struct profile *profile,
		     const struct disassembly_request *request, struct arena *arena, struct error *err)
{
	const struct profile_module *module = &profile->modules[request->module];
	struct module_file file = { .path = NULL, .remark = "it is mapped from no file" };
	struct stretch *stretches = arena_array(arena, request->nranges, sizeof(*stretches));
	struct isolated *works = arena_array(arena, request->nranges, sizeof(*works));
	struct listing listing = { .arena = arena };
	struct module_users *users = NULL;
	size_t count;

	*result = (struct disassembly){ .file = NULL };
	if (request->is_foreign && !module->build_id)
		file.remark =
			"these counts were not made by you on this machine, and no build-id says which file it was";
	else if (module->kind == MODULE_FILE)
		file = module_file_find(profile, request->module, request->sysroot, &users, arena);
	if (!file.path)
		return error_set(err, "%s has no instructions to show: %s; disassemble where it is", module->path,
				 file.remark);
	count = make_stretches(stretches, request, &file);
	if (run(works, stretches, count, arena, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		works[i].answer[works[i].length] = '\0';
		parse(&listing, &stretches[i], (char *)works[i].answer);
		if (works[i].end != ISOLATED_DONE)
			result->remark = arena_printf(arena, "Instructions are missing: objdump %s.",
						      isolated_end_text(works[i].end));
	}
	for (size_t i = 0; i < request->nranges; i++)
		if (request->ranges[i].known)
			drop_misread(&listing, &request->ranges[i]);
	result->file = file.path;
	result->instructions = listing.items;
	result->count = listing.count;
	return listing.count
		       ? 0
		       : error_set(err, "objdump finds no instructions there in %s: see whether the file is whole",
				   file.path);
}
