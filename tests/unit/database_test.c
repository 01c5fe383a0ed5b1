/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * database_test.c - which files belong to which CPU: perf's rules for mapfile.csv (linux tools/perf,
 * arch/x86/util/header.c and arch/arm64/util/header.c), the names people type, and the order in which directories are searched.
 */
#include "rows.h"

#include <regex.h>

#include "common/base/text.h"
#include "cpu/load/database.h"
#include "scratch.h"

static const char map_text[] = "# a comment\n"
			       "Family-model,Version,Filename,EventType,ShortName\n"
			       "GenuineIntel-6-55-[01234],v1,skylakex,core,SKX\r\n"
			       "GenuineIntel-6-55-[56789ABCDEF],v1,cascadelakex,core,CLX\n"
			       "GenuineIntel-6-A[DE],v1,graniterapids,core,GNR\n"
			       "GenuineIntel-6-(97|9A|B7),v1,alderlake,core\n"
			       "GenuineIntel-6-9,v1,short,core\n"
			       "GenuineIntel-6-97,v1,too-late,core\n"
			       "GenuineIntel-6-55,v1,uncore-part,uncore\n"
			       "\n"
			       "AuthenticAMD-23-([12][0-9A-F]|[0-9A-F]),v2,amdzen1,core\n"
			       "AuthenticAMD-23-[[:xdigit:]]+,v1,amdzen2,core\n"
			       "AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]]),v1,amdzen3,core\n"
			       "AuthenticAMD-25-[[:xdigit:]]+,v1,amdzen4,core\n"
			       "AuthenticAMD-26-[[:xdigit:],v1,unbalanced,core\n"
			       "Zhaoxin-7-12*,v1,some,core\n"
			       "Zhaoxin-8-(1|2)3|Hygon-24-[12],v1,either,core\n"
			       "Shanghai-7-1B?|Hygon-25-1,v1,other,core\n"
			       "0x00000000410fd0c0,v1,arm/neoverse-n1,core,N1\n"
			       "0x00000000410fd493,v1,arm/neoverse-n2-r0p3,core\n"
			       "0x00000000410fd490,v1,arm/neoverse-n2,core\n";

static const struct {
	const char *cpuid, *name; /* NULL: no row matches */
} match_rows[] = {
	/* clang-format off */
	{ "GenuineIntel-6-55-0",   "skylakex" },
	{ "GenuineIntel-6-55-4",   "skylakex" },
	{ "GenuineIntel-6-55-5",   "cascadelakex" },
	{ "GenuineIntel-6-55-7",   "cascadelakex" },
	{ "GenuineIntel-6-55-B",   "cascadelakex" },
	{ "GenuineIntel-6-55",     NULL }, /* the patterns want a stepping */
	{ "GenuineIntel-6-AD-1",   "graniterapids" }, /* the pattern names none: ignored */
	{ "GenuineIntel-6-AE",     "graniterapids" },
	{ "GenuineIntel-6-AF-1",   NULL },
	{ "GenuineIntel-6-97-2",   "alderlake" }, /* the first match wins */
	{ "GenuineIntel-6-B7",     "alderlake" },
	{ "GenuineIntel-6-9-1",    "short" }, /* the whole string, not its beginning */
	{ "GenuineIntel-6-9E-1",   NULL },
	{ "XGenuineIntel-6-97-2",  NULL },
	{ "GenuineIntel-16-97-2",  NULL },
	{ "genuineintel-6-97-2",   NULL },
	{ "AuthenticAMD-23-1-1",   "amdzen1" },
	{ "AuthenticAMD-23-18-1",  "amdzen1" },
	{ "AuthenticAMD-23-31-0",  "amdzen2" },
	{ "AuthenticAMD-23-A0-0",  "amdzen2" },
	{ "AuthenticAMD-25-1-1",   "amdzen3" },
	{ "AuthenticAMD-25-50-0",  "amdzen3" },
	{ "AuthenticAMD-25-11-1",  "amdzen4" },
	{ "AuthenticAMD-25-61-2",  "amdzen4" },
	{ "AuthenticAMD-26-2-1",   NULL }, /* a broken pattern matches nothing */
	{ "Zhaoxin-7-1",           "some" }, /* none of the last letter, or many */
	{ "Zhaoxin-7-122",         "some" },
	{ "Zhaoxin-7-2",           NULL },
	{ "Zhaoxin-8-13",          "either" }, /* alternatives of the whole pattern, not of a part */
	{ "Hygon-24-1",            "either" },
	{ "Hygon-24-3",            NULL },
	{ "Hygon-25-1",            "other" },
	{ "Shanghai-7-1",          "other" },
	{ "0x410fd0c0",            "neoverse-n1" },
	{ "0x00000000413fd0c1",    "neoverse-n1" }, /* r3p1 */
	{ "0x00000000410fd492",    "neoverse-n2" },
	{ "0x00000000410fd493",    "neoverse-n2-r0p3" },
	{ "0x00000000411fd490",    "neoverse-n2-r0p3" }, /* r1p0: at least that revision */
	{ "0x00000000410fd4f0",    NULL },
	{ "0x00000000420fd0c0",    NULL },
	{ "",                      NULL },
	{ "GenericProcessor",      NULL },
	{ "----",                  NULL },
	/* clang-format on */
};

struct place {
	struct scratch scratch;
	struct arena arena;
	char path[256];
};

/* No directory of the user or the environment plays a part. */
static void place_init(struct place *place)
{
	scratch_init(&place->scratch);
	arena_init(&place->arena);
	unsetenv("TOPDOWN_DB");
	setenv("XDG_DATA_HOME", arena_printf(&place->arena, "%s/nothing", place->scratch.path), 1);
}

static void place_release(struct place *place)
{
	unsetenv("XDG_DATA_HOME");
	unsetenv("TOPDOWN_DB");
	arena_release(&place->arena);
	scratch_release(&place->scratch);
}

static void write_map(struct place *place, const char *directory, const char *text)
{
	scratch_write(&place->scratch, arena_printf(&place->arena, "%s/events/mapfile.csv", directory), text,
		      place->path);
}

static const char *below(struct place *place, const char *name)
{
	return arena_printf(&place->arena, "%s/%s", place->scratch.path, name);
}

static void open_database(struct database *database, struct place *place, const char *option)
{
	struct error err = { .text = "" };

	if (database_open(database, option, &place->arena, &err) < 0)
		fail_msg("%s", err.text);
}

/* The made-up map's rows stand before those of the installed or source tree. */
static void test_match(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct database database;
	struct place place;

	place_init(&place);
	write_map(&place, "db", map_text);
	open_database(&database, &place, below(&place, "db"));
	database.ncpus = 17; /* only these: two rows above are no CPUs */
	database.is_complete = true;
	assert_string_equal(database.cpus[16].name, "neoverse-n2");
	assert_string_equal(database.cpus[0].short_name, "SKX");
	assert_string_equal(database.cpus[3].short_name, "");
	for (size_t i = 0; i < COUNT_OF(match_rows); i++)
		row_expect_text(&rows, match_rows[i].cpuid, database_match(&database, match_rows[i].cpuid, NULL),
				match_rows[i].name);
	place_release(&place);
	rows_end(&rows);
}

static const struct {
	const char *typed, *name, *error;
} name_rows[] = {
	/* clang-format off */
	{ "skylakex",     "skylakex",     "" },
	{ "SkylakeX",     "skylakex",     "" },
	{ "SKX",          "skylakex",     "" },
	{ "clx",          "cascadelakex", "" },
	{ "n1",           "neoverse-n1",  "" },
	{ "alderlake:atom", "alderlake:atom", "" },
	{ "ADL:ATOM",     "alderlake:atom", "" },
	{ "adl:core",     "alderlake:core", "" },
	{ "alderlake",    "alderlake:core", "" },
	{ "ADL",          "alderlake:core", "" },
	{ "skylake",      NULL, "unknown CPU 'skylake': did you mean skylakex?" },
	{ "skx1",         NULL, "unknown CPU 'skx1': did you mean SKX?" },
	{ "Altra",        "neoverse-n1",  "" },
	{ "Grace",        "neoverse-v2",  "" },
	{ "A64FX",        "a64fx",        "" },
	{ "monaka",       NULL, "unknown CPU 'monaka': its events are in Linux' tools/perf/pmu-events/arch/arm64/fujitsu/monaka, of which "
	                        "`topdown import` makes files" },
	{ "quantum-9000-turbo", NULL, "unknown CPU 'quantum-9000-turbo': `topdown list cpus` names those that are known" },
	/* clang-format on */
};

static void test_names(void **state UNUSED)
{
	static const char text[] =
		"GenuineIntel-6-55-[01234],v1,skylakex,core,SKX\nGenuineIntel-6-55-[5],v1,cascadelakex,core,CLX\n"
		"GenuineIntel-6-97,v1,alderlake:core,core,ADL:core\n"
		"GenuineIntel-6-97,v1,alderlake:atom,core,ADL:atom\n"
		"0x00000000410fd0c0,v1,neoverse-n1,core,N1\n0x00000000410fd4f0,v1,neoverse-v2,core,V2\n"
		"0x00000000460f0010,v1,a64fx,core,A64FX";
	struct rows rows = { 0 };
	struct database database;
	struct place place;

	place_init(&place);
	write_map(&place, "db", text);
	open_database(&database, &place, below(&place, "db"));
	database.ncpus = 7;
	database.is_complete = true;
	for (size_t i = 0; i < COUNT_OF(name_rows); i++) {
		struct error err = { .text = "" };

		row_expect_text(&rows, name_rows[i].typed,
				database_name(&database, name_rows[i].typed, &place.arena, &err), name_rows[i].name);
		row_expect_text(&rows, name_rows[i].typed, err.text, name_rows[i].error);
	}
	place_release(&place);
	rows_end(&rows);
}

/* Three databases, all with a row for the same CPU: --db, $TOPDOWN_DB and $XDG_DATA_HOME/topdown. */
static void three_places(struct place *place)
{
	place_init(place);
	write_map(place, "option", "0x1,v1,one,core\n");
	write_map(place, "env", "0x1,v1,two,core\n");
	write_map(place, "xdg/topdown", "0x1,v1,three,core\n");
	scratch_write(&place->scratch, "option/models/a.json", "{}", place->path);
	scratch_write(&place->scratch, "env/models/a.json", "{}", place->path);
	scratch_write(&place->scratch, "env/models/b.json", "{}", place->path);
	scratch_write(&place->scratch, "xdg/topdown/models/b.json", "{}", place->path);
	scratch_write(&place->scratch, "xdg/topdown/models/c.json", "{}", place->path);
	scratch_write(&place->scratch, "xdg/topdown/events/up/pipeline.json", "[]", place->path);
	setenv("TOPDOWN_DB", below(place, "env"), 1);
	setenv("XDG_DATA_HOME", below(place, "xdg"), 1);
}

static const struct {
	const char *kind, *name, *found;
} file_rows[] = {
	/* clang-format off */
	{ "models", "a",  "option/models/a.json" },
	{ "models", "b",  "env/models/b.json" },
	{ "models", "c",  "xdg/topdown/models/c.json" },
	{ "events", "up", "xdg/topdown/events/up" }, /* an upstream directory has both */
	{ "models", "up", "xdg/topdown/events/up" },
	/* clang-format on */
};

/* The first directory that has the file. */
static void test_files(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct database database;
	struct error err = { .text = "" };
	struct place place;

	three_places(&place);
	open_database(&database, &place, below(&place, "option"));
	for (size_t i = 0; i < COUNT_OF(file_rows); i++)
		row_expect_text(&rows, file_rows[i].found,
				database_file(&database, file_rows[i].kind, file_rows[i].name, &place.arena, &err),
				below(&place, file_rows[i].found));
	row_expect(&rows, "nowhere", !database_file(&database, "models", "nope", &place.arena, &err), "was found");
	row_expect_text(&rows, "nowhere", err.text,
			arena_printf(&place.arena, "no models/nope.json in %s or the other database directories",
				     below(&place, "option")));
	place_release(&place);
	rows_end(&rows);
}

/* The first directory whose map has a row. */
static void test_map_order(void **state UNUSED)
{
	struct database database;
	struct place place;

	three_places(&place);
	open_database(&database, &place, below(&place, "option"));
	assert_string_equal(database_match(&database, "0x1", NULL), "one");
	assert_string_equal(database.cpus[1].name, "two");
	assert_string_equal(database.cpus[2].name, "three");
	open_database(&database, &place, NULL);
	assert_string_equal(database_match(&database, "0x1", NULL), "two");
	unsetenv("TOPDOWN_DB");
	open_database(&database, &place, NULL);
	assert_string_equal(database_match(&database, "0x1", NULL), "three");
	place_release(&place);
}

static void test_no_database(void **state UNUSED)
{
	struct database database;
	struct error err = { .text = "" };
	struct place place;

	place_init(&place);
	assert_int_equal(database_open(&database, place.scratch.path, &place.arena, &err), -1);
	assert_string_equal(
		err.text, arena_printf(&place.arena, "--db %s: neither events/ nor models/ in it", place.scratch.path));
	error_clear(&err);
	assert_int_equal(database_open(&database, "/no/such/place", &place.arena, &err), -1);
	assert_string_equal(err.text, "--db /no/such/place: neither events/ nor models/ in it");
	place_release(&place);
}

/* Patterns whose matches can be guessed wrongly; those that are shipped stand behind them. */
static const char odd_map[] = "X-[a-c]1,v1,range,core\n"
			      "X-[^a]2,v1,not,core\n"
			      "X-[]x]3,v1,bracket,core\n"
			      "X-[-a]4,v1,dash,core\n"
			      "X-(a[12]|b)?5,v1,maybe,core\n"
			      "X-(a|(b|c))6,v1,nested,core\n"
			      "X-(a|b)+7,v1,many,core\n"
			      "X-[ab]*8,v1,any,core\n"
			      "X-(|c)9,v1,empty,core\n"
			      "X-([ab]|d)0,v1,class,core\n"
			      "X-ab?x,v1,optional,core\n"
			      "X-(ab?|c)y,v1,inside,core\n"
			      "X-[[:alpha:]-]z,v1,named,core\n";

static bool is_regex_match(const char *pattern, const char *text)
{
	regmatch_t match;
	regex_t regex;
	bool is_match;

	if (regcomp(&regex, pattern, REG_EXTENDED) != 0)
		return false;
	is_match = regexec(&regex, text, 1, &match, 0) == 0 && match.rm_so == 0 && !text[match.rm_eo];
	regfree(&regex);
	return is_match;
}

/* The first row by the C library alone. */
static const char *first_by_regex(const struct database *database, const char *cpuid)
{
	for (size_t i = 0; i < database->ncpus; i++)
		if (!database->cpus[i].kernel_event[0] && is_regex_match(database->cpus[i].pattern, cpuid))
			return database->cpus[i].name;
	return NULL;
}

static void expect_regex(struct rows *rows, struct database *database, const char *cpuid)
{
	row_expect_text(rows, cpuid, database_match(database, cpuid, NULL), first_by_regex(database, cpuid));
}

/* Most patterns are ruled out without a regular expression: never one that would have matched. */
static void test_all_patterns(void **state UNUSED)
{
	static const char *const families[] = { "GenuineIntel-6", "GenuineIntel-18", "AuthenticAMD-23",
						"AuthenticAMD-25", "AuthenticAMD-26" };
	static const char *const parts[] = { "", "a", "b", "c", "d", "x", "]", "-", "^", "1", "2", "a1", "ab", "bb" };
	struct error err = { .text = "" };
	struct rows rows = { 0 };
	struct database database;
	struct place place;

	place_init(&place);
	write_map(&place, "odd", odd_map);
	open_database(&database, &place, below(&place, "odd"));
	assert_int_equal(database_complete(&database, &err), 0);
	for (size_t i = 0; i < COUNT_OF(families); i++)
		for (unsigned model = 0; model < 256; model++)
			expect_regex(&rows, &database, arena_printf(&place.arena, "%s-%X", families[i], model));
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		for (const char *end = "0123456789xyz"; *end; end++)
			expect_regex(&rows, &database, arena_printf(&place.arena, "X-%s%c", parts[i], *end));
	place_release(&place);
	rows_end(&rows);
}

/* A row with a sixth column is of machines whose PMU shows that event of the kernel's. */
static void test_kernel_event(void **state UNUSED)
{
	static const char map[] = "X-9,v1,wide,core,,slots\n"
				  "X-9,v1,two:core,core,,slots\n"
				  "X-9,v1,two:atom,core,,topdown-retiring\n"
				  "X-9,v1,narrow,core,\n";
	struct pmu_entry slots[] = { { .name = "slots", .value = "event=0x00,umask=0x4" } };
	struct pmu_entry retiring[] = { { .name = "topdown-retiring", .value = "event=0xc2" } };
	const struct pmu none = { .name = "cpu" }, has_slots = { .name = "cpu", .events = slots, .nevents = 1 };
	const struct pmu core = { .name = "cpu_core", .events = slots, .nevents = 1 };
	const struct pmu atom = { .name = "cpu_atom", .events = retiring, .nevents = 1 };
	struct database database;
	struct place place;

	place_init(&place);
	write_map(&place, "events", map);
	open_database(&database, &place, below(&place, "events"));
	assert_string_equal(database_match(&database, "X-9", NULL), "narrow");
	assert_string_equal(database_match(&database, "X-9", &none), "narrow");
	assert_string_equal(database_match(&database, "X-9", &has_slots), "wide");
	assert_string_equal(database_match_type(&database, "X-9", &core), "two:core");
	assert_string_equal(database_match_type(&database, "X-9", &atom), "two:atom");
	assert_null(database_match_type(&database, "X-9", &has_slots));
	place_release(&place);
}

/* The rows inside the program come when a CPU is in none of the directories' maps. */
static void test_complete(void **state UNUSED)
{
	struct database database;
	struct place place;
	size_t before;

	place_init(&place);
	write_map(&place, "odd", odd_map);
	open_database(&database, &place, below(&place, "odd"));
	before = database.ncpus;
	assert_string_equal(database_match(&database, "X-a1", NULL), "range");
	assert_false(database.is_complete);
	assert_null(database_match(&database, "X-nothing", NULL));
	assert_true(database.is_complete);
	assert_true(database.ncpus > before + 60);
	before = database.ncpus;
	assert_null(database_match_type(&database, "X-nothing", &(struct pmu){ .name = "cpu_atom" }));
	assert_int_equal(database.ncpus, before);
	place_release(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_event), cmocka_unit_test(test_match),
		cmocka_unit_test(test_names),	     cmocka_unit_test(test_files),
		cmocka_unit_test(test_map_order),    cmocka_unit_test(test_no_database),
		cmocka_unit_test(test_all_patterns), cmocka_unit_test(test_complete),
	};

	return cmocka_run_group_tests_name("database", tests, NULL, NULL);
}
