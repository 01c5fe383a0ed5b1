/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "program/symbols/isolate.h"
#include "program/symbols/lookup.h"
#include "program/symbols/module_file.h"

#define MOST_ANSWER   ((size_t)512 << 20)
#define MOST_MAPS     1000 /* processes whose own code has names in a perf map */
#define LIMIT_S	      20.0 /* CPU time for a module: a gigabyte of debug information takes some seconds */
#define PLAIN_LIMIT_S 10.0

#ifdef TOPDOWN_DW
#define HAS_LIBDW true
#else
#define HAS_LIBDW false
#endif

/* A place that has no frames yet. */
struct wanted {
	uint32_t subject; /* its module, or the first one of those that are looked up together */
	uint32_t place;
	uint64_t address;
};

/* The places of one subject. */
struct inquiry {
	struct lookup lookup;
	lookup_way *way;
	uint32_t *numbers;  /* of the places, by the numbers of the answer */
	const char *remark; /* a clause, about how it went */
};

struct inquiries {
	struct profile *profile;
	struct arena *arena; /* until all is done */
	const struct symbol_request *request;
	struct inquiry *items;
	struct isolated *works;
	struct module_users *users; /* NULL: nobody needed them yet */
	size_t count, nmaps;
};

static const char *const state_remarks[ANSWER_STATES] = {
	[ANSWER_EXPORTED] = "it is stripped: only exported functions have names, others their address",
	[ANSWER_UNREADABLE] = "it can't be read as an ELF file",
	[ANSWER_HIDDEN] = "the kernel hides its symbols: root sees them, others where kernel.kptr_restrict is 0",
	[ANSWER_OTHER] = "another kernel is running now",
	[ANSWER_NO_MAP] = ("its process left no /tmp/perf-PID.map that its user or root owns, as java "
			   "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, node --perf-basic-prof and python3 "
			   "-X perf do"),
};

/* ---- which places ---- */

static bool is_kernel(const struct profile *profile, uint32_t module)
{
	return profile->modules[module].kind == MODULE_KERNEL || profile->modules[module].kind == MODULE_DRIVER;
}

/* Of all modules of the kernel the first. */
static uint32_t subject_of(const struct profile *profile, uint32_t module)
{
	for (uint32_t i = 0; is_kernel(profile, module) && i < module; i++)
		if (is_kernel(profile, i))
			return i;
	return module;
}

static int symbols_compare(const void *left, const void *right)
{
	const struct wanted *a = left, *b = right;

	if (a->subject != b->subject)
		return a->subject < b->subject ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static struct wanted *wanted_places(const struct profile *profile, struct arena *arena, size_t *count)
{
	struct wanted *wanted = arena_array(arena, profile->nplaces, sizeof(*wanted));
	uint32_t *subjects = arena_array(arena, profile->nmodules, sizeof(*subjects));

	for (uint32_t i = 0; i < profile->nmodules; i++)
		subjects[i] = subject_of(profile, i);
	*count = 0;
	for (uint32_t i = 0; i < profile->nplaces; i++) {
		const struct profile_place *place = &profile->places[i];

		if (!place->nframes && place->module < profile->nmodules)
			wanted[(*count)++] = (struct wanted){ subjects[place->module], i, place->address };
	}
	if (*count)
		qsort(wanted, *count, sizeof(*wanted), symbols_compare);
	return wanted;
}

/* ---- which way ---- */

/* Debug files stand beside the name that people know, not beside a link below /proc. */
static const char *debug_name(const char *path, const char *module)
{
	return strstr(path, "/exe") || strstr(path, "/map_files/") ? module : path;
}

static void choose_file(struct inquiry *inquiry, struct inquiries *all)
{
	const struct lookup *lookup = &inquiry->lookup;
	struct module_file file =
		module_file_find(all->profile, lookup->module, all->request->sysroot, &all->users, all->arena);

	inquiry->remark = file.remark;
	inquiry->lookup.path = file.path;
	if (file.path)
		inquiry->lookup.name = debug_name(file.path, all->profile->modules[lookup->module].path);
	inquiry->way = file.path ? elf_lookup : NULL;
}

/* Each takes a process of topdown's. */
static void choose_map(struct inquiry *inquiry, struct inquiries *all)
{
	if (all->nmaps < MOST_MAPS)
		inquiry->way = jit_lookup;
	else
		inquiry->remark = "perf maps of so many processes are not looked for";
	all->nmaps++;
}

static void choose_way(struct inquiry *inquiry, struct inquiries *all)
{
	switch (all->profile->modules[inquiry->lookup.module].kind) {
	case MODULE_KERNEL:
	case MODULE_DRIVER: inquiry->way = kallsyms_lookup; break;
	case MODULE_VDSO: inquiry->way = vdso_lookup; break;
	case MODULE_JIT:
	case MODULE_UNKNOWN: choose_map(inquiry, all); break;
	case MODULE_FILE: choose_file(inquiry, all); break;
	}
}

static void add_inquiry(struct inquiries *all, const struct wanted *wanted, size_t count)
{
	struct inquiry *inquiry = &all->items[all->count++];
	uint64_t *addresses = arena_array(all->arena, count, sizeof(*addresses));

	*inquiry = (struct inquiry){ .lookup = { .request = all->request,
						 .profile = all->profile,
						 .module = wanted->subject,
						 .addresses = addresses,
						 .count = count },
				     .numbers = arena_array(all->arena, count, sizeof(*inquiry->numbers)) };
	for (size_t i = 0; i < count; i++) {
		addresses[i] = wanted[i].address;
		inquiry->numbers[i] = wanted[i].place;
	}
	choose_way(inquiry, all);
}

static void make_inquiries(struct inquiries *all)
{
	size_t count, first = 0;
	struct wanted *wanted = wanted_places(all->profile, all->arena, &count);

	all->items = arena_array(all->arena, all->profile->nmodules, sizeof(*all->items));
	all->works = arena_array(all->arena, all->profile->nmodules, sizeof(*all->works));
	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count && wanted[i + 1].subject == wanted[i].subject)
			continue;
		add_inquiry(all, wanted + first, i + 1 - first);
		first = i + 1;
	}
}

/* ---- in processes of their own ---- */

static int symbols_look_up(const void *context, int out)
{
	const struct inquiry *inquiry = context;
	struct arena arena;
	struct answer answer;

	arena_init(&arena);
	answer_init(&answer, &arena);
	inquiry->way(&inquiry->lookup, &answer, &arena);
	return answer_write(&answer, out);
}

/* All that have a way. */
static int run(struct inquiries *all, double limit_s, struct error *err)
{
	size_t count = 0;

	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].way)
			all->works[count++] = (struct isolated){ .work = symbols_look_up,
								 .context = &all->items[i],
								 .limit_s = limit_s,
								 .most = MOST_ANSWER };
	return isolate(all->works, count, all->arena, err);
}

static const char *remark_of(const struct inquiries *all, const struct inquiry *inquiry, enum answer_state state)
{
	bool is_unknown = all->profile->modules[inquiry->lookup.module].kind == MODULE_UNKNOWN;

	if (is_unknown || (state <= ANSWER_EXPORTED && inquiry->remark))
		return inquiry->remark;
	return state_remarks[state];
}

/* It gets its names, or another way to them. */
static void symbols_take(struct inquiries *all, struct inquiry *inquiry, const struct isolated *work)
{
	const struct answer_places asked = { inquiry->numbers, inquiry->lookup.count };
	lookup_way *way = inquiry->way;
	enum answer_state state;

	inquiry->way = NULL;
	if (work->end == ISOLATED_DONE && answer_read(all->profile, &asked, work->answer, work->length, &state) == 0) {
		inquiry->remark = remark_of(all, inquiry, state);
		return;
	}
	inquiry->remark =
		arena_printf(all->arena, "%s its %s %s: %s", "the process that read",
			     way == elf_lookup ? "debug information" : "symbols",
			     work->end == ISOLATED_DONE ? "gave no sound answer" : isolated_end_text(work->end),
			     way == elf_lookup ? "functions by its symbol table only" : "no names");
	if (way == elf_lookup)
		inquiry->way = elf_lookup_plain;
}

static void take_all(struct inquiries *all)
{
	const struct isolated *work = all->works;

	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].way)
			symbols_take(all, &all->items[i], work++);
}

/* ---- what is said about it ---- */

static void set_remarks(const struct inquiries *all)
{
	struct profile *profile = all->profile;

	for (size_t i = 0; i < all->count; i++) {
		const struct inquiry *inquiry = &all->items[i];
		uint32_t subject = inquiry->lookup.module;
		const char *remark = inquiry->remark ? arena_strdup(profile->arena, inquiry->remark) : NULL;

		if (remark)
			profile->modules[subject].remark = remark;
		for (uint32_t m = subject; remark && is_kernel(profile, subject) && m < profile->nmodules; m++)
			if (is_kernel(profile, m))
				profile->modules[m].remark = remark;
	}
}

static void leave_out_elf(struct inquiries *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].way == elf_lookup || all->items[i].way == vdso_lookup) {
			all->items[i].way = NULL;
			all->items[i].remark = "topdown was built without libdw";
		}
}

int symbols_resolve(struct profile *profile, const struct symbol_request *request, struct error *err)
{
	struct inquiries all = { .profile = profile, .request = request };
	struct arena arena;
	int status;

	arena_init(&arena);
	all.arena = &arena;
	make_inquiries(&all);
	if (!HAS_LIBDW)
		leave_out_elf(&all);
	status = run(&all, request->limit_s > 0 ? request->limit_s : LIMIT_S, err);
	if (status == 0) {
		take_all(&all);
		status = run(&all, request->limit_s > 0 ? request->limit_s : PLAIN_LIMIT_S, err);
	}
	if (status == 0)
		take_all(&all);
	set_remarks(&all);
	arena_release(&arena);
	return status;
}
