/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#ifdef TOPDOWN_DW
#include <libiberty/demangle.h>
#endif

#include "common/base/text.h"
#include "program/symbols/symbols.h"

#ifdef TOPDOWN_DW

/*
 * libiberty takes a stack of some 80 bytes a character, and by itself refuses names of more than 1024 characters, which
 * templates exceed. A few bytes can stand for a name without end, so what comes out has a limit too.
 */
#define MOST_NAME 16384
#define MOST_TEXT 65536
#define OPTIONS	  (DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT | DMGL_RET_DROP) /* templates have a return type */

struct growth {
	struct string text;
	jmp_buf too_long;
};

/* The callback's caller has nothing to free. */
static void demangle_add(const char *text, size_t length, void *context)
{
	struct growth *growth = context;

	if (growth->text.length + length > MOST_TEXT)
		longjmp(growth->too_long, 1);
	string_addn(&growth->text, text, length);
}

typedef int demangler(const char *name, struct growth *growth);

static int as_rust(const char *name, struct growth *growth)
{
	return rust_demangle_callback(name, DMGL_PARAMS, demangle_add, growth);
}

static int as_cxx(const char *name, struct growth *growth)
{
	return cplus_demangle_v3_callback(name, OPTIONS, demangle_add, growth);
}

static int as_d(const char *name, struct growth *growth)
{
	char *text = dlang_demangle(name, DMGL_PARAMS);
	size_t length = text ? strlen(text) : 0;

	if (text && length <= MOST_TEXT)
		demangle_add(text, length, growth);
	free(text);
	return text && length <= MOST_TEXT;
}

/* NULL: the name is none of this language. */
static const char *attempt(demangler *language, const char *name, struct arena *arena)
{
	struct growth growth = { .text = STRING_INIT(arena) };

	if (setjmp(growth.too_long) || !language(name, &growth) || !growth.text.length)
		return NULL;
	return growth.text.text;
}

/* By how names begin. Rust's older form is C++ with a hash behind it, so Rust is asked first. */
static const struct {
	const char *prefix;
	demangler *language;
} languages[] = {
	{ "_R", as_rust }, { "_ZN", as_rust }, { "_Z", as_cxx }, { "_D", as_d }, { "_GLOBAL_", as_cxx },
};

const char *symbol_demangle(const char *name, struct arena *arena)
{
	const char *text = NULL;

	if (*name != '_' || strlen(name) > MOST_NAME)
		return name;
	for (size_t i = 0; i < COUNT_OF(languages) && !text; i++)
		if (!strncmp(name, languages[i].prefix, strlen(languages[i].prefix)))
			text = attempt(languages[i].language, name, arena);
	return text ? text : name;
}

#else

const char *symbol_demangle(const char *name, struct arena *arena UNUSED)
{
	return name;
}

#endif
