/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulable_test.c - what is said when a simulation has no counts. */
#include "rows.h"

#include <elf.h>
#include <signal.h>
#include <sys/stat.h>

#include "collect/simulate/simulable.h"
#include "scratch.h"
#include "simulator/wire.h"

#define AVX512 "==7== unhandled instruction bytes: 0x62 0xF1 0x7D\n==7== \n"

static const struct row {
	const char *name;
	struct simulated_run run;
	const char *refusal; /* NULL: none */
	int status;
} rows[] = {
	{ "counts", { .end = SIMULATED_WHOLE, .status = 3, .log = "==7== a warning\n" }, NULL, 0 },
	{ "AVX-512",
	  { .end = SIMULATED_WHOLE, .status = 132, .log = AVX512 },
	  "the program uses AVX-512 instructions, which Valgrind can't run: build it for AVX2 (gcc -march=x86-64-v3, "
	  "or "
	  "-mno-avx512f), or measure it where there is a PMU",
	  132 },
	{ "an instruction that the program got over", { .end = SIMULATED_WHOLE, .status = 0, .log = AVX512 }, NULL, 0 },
	{ "another instruction",
	  { .end = SIMULATED_WHOLE, .status = 132, .log = "==7== unhandled instruction bytes: 0xF\n" },
	  "the program uses an instruction that Valgrind can't run (bytes 0xF): build it for an older CPU (gcc "
	  "-march=x86-64-v3)",
	  132 },
	{ "a core that is none",
	  { .end = SIMULATED_NONE,
	    .status = 1,
	    .core = "my.json",
	    .log = "==7== wrong parameter: 'a 0': it is b\n==7== \n" },
	  "my.json: 'a 0': it is b",
	  0 },
	{ "a simulator that does not know this form of parameters",
	  { .end = SIMULATED_NONE, .status = 1, .log = "==7== another version: topdown-simulator 1\n" },
	  "the simulator is of another version than this topdown (" WIRE_VERSION_LINE "): install both together",
	  0 },
	{ "a simulator that writes another form",
	  { .end = SIMULATED_VERSIONED, .status = 0 },
	  "the simulator is of another version than this topdown (" WIRE_VERSION_LINE "): install both together",
	  0 },
	{ "no room",
	  { .end = SIMULATED_CUT, .status = 0, .folder = "/tmp/x" },
	  "/tmp/x has no room for the simulated counts; TMPDIR names another place",
	  0 },
	{ "killed",
	  { .end = SIMULATED_NONE, .status = 137 },
	  "the program was killed (SIGKILL) before its simulated counts could be written",
	  137 },
	{ "interrupted",
	  { .end = SIMULATED_NONE, .status = 130, .interrupted_by = SIGINT, .log = "==7== topdown\n==7== \n" },
	  "topdown was interrupted before anything was simulated",
	  130 },
	{ "a signal",
	  { .end = SIMULATED_NONE, .status = 139 },
	  "the program was ended by signal 11 before anything was simulated",
	  139 },
	{ "another user",
	  { .end = SIMULATED_NONE, .folder = "/tmp/x", .log = "==7== the counts can't be written to /tmp/x/counts\n" },
	  "the program could not write its simulated counts to /tmp/x at its end, as another user or in another root "
	  "directory: start it as that user (setpriv, su), or there",
	  0 },
	{ "too many threads",
	  { .end = SIMULATED_NONE,
	    .status = 1,
	    .log = "\nvalgrind: the 'impossible' happened:\n   Max number of threads is too low\n\nhost "
		   "stacktrace:\n" },
	  "the program has more threads at once than can be simulated (5000)",
	  0 },
	{ "no memory",
	  { .end = SIMULATED_NONE,
	    .status = 1,
	    .log = "==7== Valgrind's memory management: out of memory:\n==7== x\n" },
	  "the simulation ran out of memory: each thread's caches take 1.5 MB, and the program's own memory counts too",
	  0 },
	{ "words of Valgrind's, without their marks",
	  { .end = SIMULATED_NONE, .status = 1, .log = "==77== first\n--77-- - the last one\n==77== \n\n" },
	  "the simulation left no counts; Valgrind's last word: - the last one",
	  0 },
	{ "no word",
	  { .end = SIMULATED_NONE, .status = 1, .log = "" },
	  "the simulation left no counts, and Valgrind no word in its log",
	  0 },
};

static void test_rows(void **state UNUSED)
{
	struct rows failed = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = { .text = "" };
		int result = simulated_failure(&rows[i].run, &arena, &err);

		row_expect_text(&failed, rows[i].name, result < 0 ? err.text : NULL, rows[i].refusal);
		row_expect(&failed, rows[i].name, err.status == rows[i].status, "another exit status");
	}
	arena_release(&arena);
	rows_end(&failed);
}

/* A program with the names of its dynamic symbols, and nothing else. */
struct program {
	Elf64_Ehdr elf;
	Elf64_Shdr sections[3];
	char names[64];
};

#ifdef __x86_64__
#define OWN EM_X86_64
#else
#define OWN EM_AARCH64
#endif

static const struct program_row {
	const char *name, *symbol;
	bool is_cut; /* before its last section's header */
	bool is_refused;
} program_rows[] = {
	{ "no sanitizer", "memcpy", false, false },
	{ "a sanitizer", WIRE_SANITIZER_NAME, false, true },
	{ "a longer name", WIRE_SANITIZER_NAME "_x", false, false },
	{ "the end of a name", "x" WIRE_SANITIZER_NAME, false, false },
	{ "sections that are not there", WIRE_SANITIZER_NAME, true, false },
};

static struct program made_program(const char *symbol)
{
	struct program made = {
		.elf = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_type = ET_DYN,
			 .e_machine = OWN,
			 .e_version = EV_CURRENT,
			 .e_ehsize = sizeof(Elf64_Ehdr),
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shoff = offsetof(struct program, sections),
			 .e_shnum = 3 },
		.sections = { [1] = { .sh_type = SHT_DYNSYM, .sh_link = 2 },
			      [2] = { .sh_type = SHT_STRTAB,
				      .sh_offset = offsetof(struct program, names),
				      .sh_size = sizeof(made.names) } },
	};

	snprintf(made.names + 1, sizeof(made.names) - 1, "%s", symbol);
	return made;
}

static void test_programs(void **state UNUSED)
{
	struct rows failed = { 0 };
	struct scratch scratch;
	char path[300];

	scratch_init(&scratch);
	for (size_t i = 0; i < COUNT_OF(program_rows); i++) {
		const struct program_row *row = &program_rows[i];
		const struct program made = made_program(row->symbol);
		struct error err = { .text = "" };
		FILE *file;

		scratch_write(&scratch, "program", "", path);
		file = fopen(path, "w");
		assert_non_null(file);
		fwrite(&made, 1, row->is_cut ? offsetof(struct program, sections[2]) : sizeof(made), file);
		fclose(file);
		assert_int_equal(chmod(path, 0700), 0);
		row_expect(&failed, row->name, (simulable_check(path, &err) < 0) == row->is_refused, err.text);
		row_expect(&failed, row->name, !row->is_refused || strstr(err.text, "AddressSanitizer"), err.text);
	}
	scratch_release(&scratch);
	rows_end(&failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows), cmocka_unit_test(test_programs) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
