/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_crash_test.c - libdw crashes, hangs, takes all memory, or writes an answer of its own: the module has the
 * functions of its symbol table still, and says why it has no more. The test's own program is what is asked for.
 */
#include "rows.h"

#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "program/symbols/symbols.h"

struct Dwfl *__wrap_dwfl_begin(const void *callbacks);
struct Dwfl *__real_dwfl_begin(const void *callbacks);

__attribute__((noinline, used)) void a_known_function(void);

enum trouble { NO_TROUBLE, CRASH, HANG, ABORT, EXIT, SILENCE };

/* What dwfl_begin does: set before the process is made that calls it. */
static enum trouble *trouble(void)
{
	static enum trouble now;

	return &now;
}

struct Dwfl *__wrap_dwfl_begin(const void *callbacks)
{
	volatile bool is_on = true;

	switch (*trouble()) {
	case NO_TROUBLE: break;
	case CRASH: raise(SIGSEGV); break;
	case HANG:
		while (is_on)
			;
		break;
	case ABORT: abort();
	case EXIT: _exit(3);
	case SILENCE: _exit(0);
	}
	return __real_dwfl_begin(callbacks);
}

void a_known_function(void)
{
}

/* Of the program itself, which stands first. */
static int take_bias(struct dl_phdr_info *info, size_t size UNUSED, void *bias)
{
	*(uint64_t *)bias = info->dlpi_addr;
	return 1;
}

static const struct {
	const char *row;
	enum trouble trouble;
	const char *clause; /* of the remark */
} rows[] = {
	{ "nothing happens", NO_TROUBLE, NULL },
	{ "a crash", CRASH, "crashed: functions by its symbol table only" },
	{ "a hang", HANG, "took more than its time: functions by its symbol table only" },
	{ "it aborts", ABORT, "crashed: functions by its symbol table only" },
	{ "it exits", EXIT, "failed: functions by its symbol table only" },
	{ "it says nothing", SILENCE, "gave no sound answer: functions by its symbol table only" },
};

static void run_row(struct rows *found, size_t i, const char *path, uint64_t address)
{
	const struct symbol_request request = { .sysroot = "", .limit_s = rows[i].trouble == HANG ? 0.3 : 20 };
	const struct profile_place *place;
	struct error err = { .text = "" };
	struct profile profile;
	struct arena arena;
	const char *remark;

	arena_init(&arena);
	profile_init(&profile, &arena);
	(void)profile_module(&profile, &(struct profile_module){ .kind = MODULE_FILE, .path = path });
	(void)profile_place(&profile, 0, address);
	*trouble() = rows[i].trouble;
	assert_int_equal(symbols_resolve(&profile, &request, &err), 0);
	place = &profile.places[0];
	remark = profile.modules[0].remark;
	if (remark && strstr(remark, "built without")) {
		arena_release(&arena);
		skip();
	}
	row_expect(found, rows[i].row, place->nframes == 1, "one frame");
	if (place->nframes)
		row_expect_text(found, rows[i].row, place->frames[0].function, "a_known_function");
	row_expect(found, rows[i].row, rows[i].clause ? remark && strstr(remark, rows[i].clause) : !remark,
		   remark ? remark : "no remark");
	arena_release(&arena);
}

static void test_troubles(void **state UNUSED)
{
	char path[4096] = "";
	struct rows found = { 0 };
	uint64_t bias = 0;

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	dl_iterate_phdr(take_bias, &bias);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		run_row(&found, i, path, (uint64_t)(uintptr_t)a_known_function - bias);
	rows_end(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_troubles) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
