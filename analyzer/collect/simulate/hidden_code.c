/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hidden_code.c - the libraries that may run other code natively, before the run and by what they did in it. */
#include "collect/simulate/simulate_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"

/* ---- the machine ---- */

static unsigned kinds_of_machine(const char *flags)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < HIDDEN_KINDS; i++)
		if (flags && has_word(flags, " ", hidden_kind(i)->flag))
			kinds |= 1u << i;
	return kinds;
}

static void add_listed(struct string *text, const char *name, size_t number, size_t count)
{
	string_printf(text, "%s%s", !number ? "" : number + 1 == count ? " and " : ", ", name);
}

/* "AVX-512 and SHA" */
static const char *kinds_text(unsigned kinds, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	size_t added = 0;

	for (size_t i = 0; i < HIDDEN_KINDS; i++)
		if (kinds & 1u << i)
			add_listed(&text, hidden_kind(i)->name, added++, (size_t)__builtin_popcount(kinds));
	return text.text;
}

/* ---- what is known of libraries ---- */

/*
 * OpenSSL's own variable: two numbers of 64 bits, the second one CPUID's leaf 7, EBX and ECX. '~': bits
 * that are taken away (OPENSSL_ia32cap(3)).
 */
static unsigned allowed_of_openssl(void)
{
	static const unsigned bits[HIDDEN_KINDS] = { [HIDDEN_AVX512] = 16, [HIDDEN_SHA] = 29, [HIDDEN_VAES] = 41 };
	const char *value = getenv("OPENSSL_ia32cap"), *second = value ? strchr(value, ':') : NULL;
	unsigned long long mask;
	unsigned allowed = 0;

	if (!second)
		return ~0u;
	mask = second[1] == '~' ? ~strtoull(second + 2, NULL, 0) : strtoull(second + 1, NULL, 0);
	for (size_t i = 0; i < HIDDEN_KINDS; i++)
		if (bits[i] && mask >> bits[i] & 1)
			allowed |= 1u << i;
	return allowed;
}

/*
 * Of the C library the string functions have such code, which took 0.9 to 1.1 times as long as that for AVX2 (glibc
 * 2.36, EPYC 9004); nothing calls libmvec's but what is itself built for AVX-512.
 */
static const struct library {
	const char *name;
	bool is_slight;
	unsigned (*allowed)(void);
	const char *gain; /* of SHA: openssl speed -evp sha256 with and without it, OpenSSL 3.0 */
} libraries[] = {
	{ .name = "libc.so.", .is_slight = true },
	{ .name = "libc-", .is_slight = true },
	{ .name = "ld-linux", .is_slight = true },
	{ .name = "libmvec", .is_slight = true },
	{ .name = "libcrypto.so.",
	  .allowed = allowed_of_openssl,
	  .gain = " (OpenSSL's SHA-256: 3.2 times as fast on an EPYC 9004)" },
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const struct library *find_library(const char *path)
{
	static const struct library other = { .name = "" };

	for (size_t i = 0; i < COUNT_OF(libraries); i++)
		if (has_name_prefix(base_name(path), libraries[i].name))
			return &libraries[i];
	return &other;
}

/* What the file would use natively. */
static unsigned kinds_in(const char *path, unsigned wanted)
{
	const struct library *library = find_library(path);
	struct code_file file;

	wanted &= library->allowed ? library->allowed() : ~0u;
	if (!wanted || library->is_slight)
		return 0;
	code_file_read(&file, path, wanted);
	return file.kinds;
}

static const char *gain_of(const char *path, unsigned kinds)
{
	const char *gain = find_library(path)->gain;

	return gain && kinds & 1u << HIDDEN_SHA ? gain : "";
}

/* ---- before the run ---- */

#define MOST_NAMED 3

struct named {
	const char *paths[MOST_NAMED];
	size_t count; /* may be more than are named */
	unsigned kinds;
	const char *gain;
};

static void name_file(struct named *named, const char *path, unsigned wanted)
{
	unsigned kinds = kinds_in(path, wanted);

	if (!kinds)
		return;
	if (named->count < MOST_NAMED)
		named->paths[named->count] = path;
	named->count++;
	named->kinds |= kinds;
	if (*gain_of(path, kinds))
		named->gain = gain_of(path, kinds);
}

/* "	libz.so.1 => /lib/libz.so.1 (0x00007f...)", and without the arrow what is named by its path. */
static const char *path_in(const char *line, struct arena *arena)
{
	const char *arrow = strstr(line, " => "), *path = arrow ? arrow + strlen(" => ") : line + strspn(line, " \t");
	const char *end = strstr(path, " (0x");

	return *path == '/' && end ? arena_strndup(arena, path, (size_t)(end - path)) : NULL;
}

/* The program's own loader says what it would load: with caches, paths and variables, and nothing of it runs. */
static void name_libraries(struct named *named, const char *loader, const char *program, unsigned wanted,
			   struct arena *arena)
{
	const char *name = base_name(loader), *cursor, *line;
	struct error ignored = { .text = "" };
	size_t length;

	if (*loader != '/' || (!has_name_prefix(name, "ld-linux") && !has_name_prefix(name, "ld-musl")))
		return;
	cursor = ask_program((const char *const[]){ loader, "--list", program, NULL }, NULL, arena, &ignored);
	while (cursor && (length = text_next(&cursor, "\n", &line)) > 0) {
		const char *path = path_in(arena_strndup(arena, line, length), arena);

		if (path && strcmp(path, loader) != 0)
			name_file(named, path, wanted);
	}
}

static const char *named_text(const struct named *named, struct arena *arena)
{
	size_t shown = named->count < MOST_NAMED ? named->count : MOST_NAMED, parts = shown + (named->count > shown);
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < shown; i++)
		add_listed(&text, base_name(named->paths[i]), i, parts);
	if (named->count > shown)
		add_listed(&text, arena_printf(arena, "%zu more", named->count - shown), shown, parts);
	return text.text;
}

void hidden_code_find(struct hidden_code *hidden, const char *flags, const char *program, struct arena *arena)
{
	struct named named = { .gain = "" };
	struct code_file file;

	*hidden = (struct hidden_code){ .kinds = kinds_of_machine(flags) };
	if (!hidden->kinds)
		return;
	hidden->features = kinds_text(hidden->kinds, arena);
	code_file_read(&file, program, 0);
	name_file(&named, program, hidden->kinds);
	name_libraries(&named, file.loader, program, hidden->kinds, arena);
	if (named.count)
		hidden->clause = arena_printf(
			arena, "%s %s code for this CPU's %s, which Valgrind hides: natively it may run that%s",
			named_text(&named, arena), named.count == 1 ? "has" : "have", kinds_text(named.kinds, arena),
			named.gain);
}

/* ---- after it ---- */

/* As OpenSSL, libgcrypt, nettle, coreutils and the kernel's own library call them. */
static bool is_hash(const char *function)
{
	return function && (strcasestr(function, "sha1") || strcasestr(function, "sha2") ||
			    strcasestr(function, "sha512") || strcasestr(function, "sha_"));
}

/* Of these libraries a distribution leaves few names: what has none is of hashes or ciphers. */
static bool is_of_ciphers(const char *path, const char *function)
{
	const char *library = base_name(path);

	return (strstr(library, "crypt") || strstr(library, "nettle")) && (!function || strstr(function, "+0x"));
}

static bool hashes(const struct profile_place *place, const char *path)
{
	const char *function = place->nframes ? place->frames[place->nframes - 1].function : NULL;

	return is_hash(function) || is_of_ciphers(path, function);
}

/* Retired slots in a file, and of them those in code that hashes. */
struct module_work {
	double all, hashes;
};

#define LEAST_WORK 0.05

/* Of one file, whose processes may have it under several numbers. */
static double sum_work(struct module_work *works, const struct profile *profile, const struct repeat *repeat)
{
	double all = 0;
	size_t item = 0;

	while (item < repeat->count && strcmp(repeat->items[item].event, "slots.retired") != 0)
		item++;
	for (uint32_t i = 0; i < profile->nrows; i++) {
		const struct profile_row *row = &profile->rows[i];
		const struct profile_place *place = &profile->places[profile->stacks[row->stack].place];
		const char *path = profile->modules[place->module].path;
		struct module_work *work = &works[place->module];

		for (size_t k = 0; k < row->ncounts; k++) {
			if (row->counts[k].item != item)
				continue;
			all += row->counts[k].value;
			work->all += row->counts[k].value;
			work->hashes += path && hashes(place, path) ? row->counts[k].value : 0;
		}
	}
	return all;
}

const char *hidden_code_work(const struct hidden_code *hidden, const struct profile *profile,
			     const struct repeat *repeat, struct arena *arena)
{
	struct module_work *works;
	const char *most = NULL;
	unsigned most_kinds = 0;
	double all, share = 0;

	if (!profile || !profile->nrows || !hidden->kinds)
		return hidden->clause;
	works = arena_array(arena, profile->nmodules, sizeof(*works));
	all = sum_work(works, profile, repeat);
	for (uint32_t i = 0; i < profile->nmodules; i++) {
		const char *path = profile->modules[i].path;
		unsigned kinds = path && works[i].all >= LEAST_WORK * all ? kinds_in(path, hidden->kinds) : 0;
		double work = kinds == 1u << HIDDEN_SHA ? works[i].hashes : kinds ? works[i].all : 0;

		if (work / all < LEAST_WORK || work / all <= share)
			continue;
		share = work / all;
		most = path;
		most_kinds = kinds;
	}
	if (!most)
		return NULL;
	return arena_printf(arena,
			    "%.0f %% of its work is in %s, which has code for this CPU's %s; Valgrind hides "
			    "them, so it may run that natively%s",
			    100 * share, base_name(most), kinds_text(most_kinds, arena), gain_of(most, most_kinds));
}
