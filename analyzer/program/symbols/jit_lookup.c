/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/sorted.h"
#include "common/base/text.h"
#include "common/system/file.h"
#include "program/symbols/jit_codes.h"
#include "program/symbols/lookup.h"
#include "program/symbols/module_file.h"

/* A process, and where its files are. */
struct maker {
	const char *sysroot, *root;
	uint32_t pid, inner_pid; /* as it is called here, and in its own namespace */
	uid_t user;
	struct arena *arena;
};

/* "NSpid:	1234	7": the last one is what the process calls itself (Linux: fs/proc/array.c). */
static uint32_t inner_pid(const struct maker *maker)
{
	struct error err = { .text = "" };
	size_t length;
	const char *path = arena_printf(maker->arena, "%s/proc/%u/status", maker->sysroot, maker->pid);
	const char *status = is_file(path) ? file_read(path, &length, maker->arena, &err) : NULL;
	const char *line = status ? strstr(status, "\nNSpid:") : NULL, *end;
	uint64_t pid = 0, value;

	for (line = line ? line + strlen("\nNSpid:") : ""; *line == '\t' && text_u64_prefix(line + 1, &end, &value);
	     line = end)
		pid = value;
	return pid && pid <= UINT32_MAX ? (uint32_t)pid : maker->pid;
}

/* The user of a process that is gone is taken for this program's. */
static uid_t user_of(const struct maker *maker)
{
	struct stat status;

	return stat(arena_printf(maker->arena, "%s/proc/%u", maker->sysroot, maker->pid), &status) == 0 ? status.st_uid
													: geteuid();
}

/*
 * The content of a file that the process' user or root wrote: /tmp is everybody's, and another's file would give the
 * process false names. NULL: there is none.
 */
static char *read_trusted(const struct maker *maker, const char *path, size_t *length)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct error err = { .text = "" };
	struct stat status;
	char *text = NULL;

	if (descriptor < 0)
		return NULL;
	if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
	    (status.st_uid == maker->user || status.st_uid == 0))
		text = file_read(arena_printf(maker->arena, "/proc/self/fd/%d", descriptor), length, maker->arena,
				 &err);
	close(descriptor);
	return text;
}

/* The same path below the process' root, or here where that is gone. */
static char *read_of(const struct maker *maker, const char *path, size_t *length)
{
	char *text = read_trusted(maker, arena_printf(maker->arena, "%s%s", maker->root, path), length);

	return text ? text : read_trusted(maker, path, length);
}

/* Did the process map it? "…/jit-7.dump", with what it calls itself in it. */
static bool is_dump_of(const struct maker *maker, const char *path)
{
	const char *name = strrchr(path, '/');

	return name && (!strcmp(name + 1, arena_printf(maker->arena, "jit-%u.dump", maker->inner_pid)) ||
			!strcmp(name + 1, arena_printf(maker->arena, "jit-%u.dump", maker->pid)));
}

static bool read_dump(const struct maker *maker, const char *path, struct jit_codes *codes)
{
	size_t length;
	char *bytes = read_of(maker, path, &length);

	return bytes && jitdump_read(codes, (const unsigned char *)bytes, length);
}

/* Writers map their dump, so that profilers learn where it is. */
static bool read_dumps(const struct maker *maker, const struct profile *profile, struct jit_codes *codes)
{
	bool has_any = false;

	for (uint32_t i = 0; i < profile->nmodules; i++)
		if (is_dump_of(maker, profile->modules[i].path))
			has_any |= read_dump(maker, profile->modules[i].path, codes);
	return has_any || read_dump(maker, arena_printf(maker->arena, "/tmp/jit-%u.dump", maker->inner_pid), codes);
}

static bool read_map(const struct maker *maker, struct jit_codes *codes)
{
	size_t length;
	char *text = read_of(maker, arena_printf(maker->arena, "/tmp/perf-%u.map", maker->inner_pid), &length);

	if (text)
		perf_map_read(codes, text);
	return text != NULL;
}

static void jit_lookup_add_place(const struct jit_codes *codes, size_t number, struct answer *answer)
{
	const struct jit_code *code = jit_codes_at(codes, number);
	const struct jit_line *line = code ? jit_code_line(code, codes->addresses[number]) : NULL;

	if (!code)
		return;
	(void)answer_add(
		answer, (uint32_t)number,
		&(struct answer_frame){ .function = answer_text(answer, symbol_demangle(code->name, codes->arena)),
					.file = line ? answer_text(answer, line->file) : ANSWER_NO_TEXT,
					.line = line ? line->line : 0,
					.begin = code->begin,
					.size = code->size });
}

void jit_lookup(const struct lookup *lookup, struct answer *answer, struct arena *arena)
{
	struct maker maker = { .sysroot = lookup->request->sysroot ? lookup->request->sysroot : "",
			       .pid = lookup->profile->modules[lookup->module].pid,
			       .arena = arena };
	struct jit_codes codes;
	bool has_map, has_dump;

	maker.root = process_root(maker.pid, maker.sysroot, arena);
	maker.inner_pid = inner_pid(&maker);
	maker.user = user_of(&maker);
	jit_codes_init(&codes, lookup->addresses, lookup->count, arena);
	has_map = read_map(&maker, &codes);
	has_dump = read_dumps(&maker, lookup->profile, &codes);
	answer->state = has_map || has_dump ? ANSWER_COMPLETE : ANSWER_NO_MAP;
	for (size_t i = 0; i < codes.naddresses; i++)
		jit_lookup_add_place(&codes, i, answer);
}

void jit_codes_init(struct jit_codes *codes, const uint64_t *addresses, size_t count, struct arena *arena)
{
	*codes = (struct jit_codes){ .arena = arena,
				     .addresses = addresses,
				     .owners = arena_array(arena, count, sizeof(*codes->owners)),
				     .naddresses = count };
}

/* The number of the first address that is not below. */
static size_t first_at(const struct jit_codes *codes, uint64_t address)
{
	return sorted_below(SORTED_NUMBERS(codes->addresses, codes->naddresses), address);
}

void jit_codes_add(struct jit_codes *codes, const struct jit_code *code)
{
	if (codes->count >= UINT32_MAX)
		return;
	codes->items = arena_grow(codes->arena, codes->items, codes->count, &codes->capacity, sizeof(*codes->items));
	codes->items[codes->count++] = *code;
	for (size_t i = first_at(codes, code->begin);
	     i < codes->naddresses && codes->addresses[i] - code->begin < code->size; i++)
		codes->owners[i] = (uint32_t)codes->count;
}

const struct jit_code *jit_codes_at(const struct jit_codes *codes, size_t number)
{
	return codes->owners[number] ? &codes->items[codes->owners[number] - 1] : NULL;
}

const struct jit_line *jit_code_line(const struct jit_code *code, uint64_t address)
{
	uint64_t at = address - code->begin + code->made_at;
	const struct jit_line *best = NULL;

	for (size_t i = 0; i < code->nlines; i++)
		if (code->lines[i].address <= at && (!best || code->lines[i].address >= best->address))
			best = &code->lines[i];
	return best;
}

void perf_map_read(struct jit_codes *codes, char *text)
{
	for (char *line = text, *next; line && *line; line = next) {
		struct jit_code code = { .begin = 0 };
		char *end;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		code.begin = code.made_at = strtoull(line, &end, 16);
		if (end == line || *end != ' ')
			continue;
		line = end;
		code.size = strtoull(line, &end, 16);
		if (end == line || *end != ' ' || !code.size)
			continue;
		code.name = end + 1;
		if (*code.name)
			jit_codes_add(codes, &code);
	}
}
