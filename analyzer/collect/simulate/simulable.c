/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/simulable.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "collect/count/launch.h"
#include "common/base/text.h"
#include "common/system/signal_table.h"
#include "simulator/wire.h"

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_NONE
#endif

/* Set-user-ID, set-group-ID, or file capabilities. */
static bool has_other_rights(const char *path)
{
	struct stat stat_of;

	if (stat(path, &stat_of) == 0 && stat_of.st_mode & (S_ISUID | S_ISGID))
		return true;
	return getxattr(path, "security.capability", NULL, 0) > 0;
}

#define MOST_SCRIPTS 4 /* interpreters that are scripts: as many as the kernel follows */
#define MOST_LINE    256

/* The beginning of a program. */
struct head {
	union {
		Elf64_Ehdr elf; /* up to e_machine the same as the 32-bit one */
		char text[MOST_LINE];
	};
	size_t length;
};

static int read_head(struct head *head, const char *path, struct error *err)
{
	FILE *file = fopen(path, "re");

	*head = (struct head){ .length = 0 };
	if (!file)
		return error_set(err, "%s can't be read (%s), and Valgrind runs only what it can: `chmod +r` or a copy",
				 path, strerror(errno));
	head->length = fread(head->text, 1, sizeof(head->text) - 1, file);
	head->text[head->length] = '\0';
	fclose(file);
	return 0;
}

static bool is_elf(const struct head *head)
{
	return head->length >= sizeof(head->elf) && !memcmp(head->text, ELFMAG, SELFMAG);
}

static bool is_foreign(const Elf64_Ehdr *elf)
{
	return elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_machine != OWN_MACHINE;
}

/* The dynamic loader that the program names; "" where it names none. */
static void read_loader(char loader[MOST_LINE], const Elf64_Ehdr *elf, const char *path)
{
	FILE *file = fopen(path, "re");
	Elf64_Phdr part;

	loader[0] = '\0';
	for (unsigned i = 0; file && i < elf->e_phnum; i++) {
		size_t length;

		if (fseek(file, (long)(elf->e_phoff + i * sizeof(part)), SEEK_SET) != 0 ||
		    fread(&part, sizeof(part), 1, file) != 1)
			break;
		if (part.p_type != PT_INTERP || fseek(file, (long)part.p_offset, SEEK_SET) != 0)
			continue;
		length = fread(loader, 1, part.p_filesz < MOST_LINE ? part.p_filesz : MOST_LINE - 1, file);
		loader[length] = '\0';
		break;
	}
	if (file)
		fclose(file);
}

static bool read_section(FILE *file, const Elf64_Ehdr *elf, unsigned number, Elf64_Shdr *section)
{
	return fseek(file, (long)(elf->e_shoff + number * sizeof(*section)), SEEK_SET) == 0 &&
	       fread(section, sizeof(*section), 1, file) == 1;
}

#define NAMES_AT_ONCE 4096

/* Beginning and end of a piece overlap, so that no name is cut. */
static bool has_name(FILE *file, const Elf64_Shdr *names)
{
	char piece[NAMES_AT_ONCE];
	uint64_t left = names->sh_size;

	if (fseek(file, (long)names->sh_offset, SEEK_SET) != 0)
		return false;
	while (left > 0) {
		size_t length = left < NAMES_AT_ONCE ? (size_t)left : NAMES_AT_ONCE;

		if (fread(piece, 1, length, file) != length)
			return false;
		if (wire_is_name_in(piece, length))
			return true;
		left -= length;
		if (!left || fseek(file, -(long)sizeof(WIRE_SANITIZER_NAME), SEEK_CUR) != 0)
			return false;
		left += sizeof(WIRE_SANITIZER_NAME);
	}
	return false;
}

/* The names of the dynamic symbols are all that says so once a program is stripped. */
static bool has_sanitizer(const Elf64_Ehdr *elf, const char *path)
{
	FILE *file = fopen(path, "re");
	Elf64_Shdr section, names;
	bool is_found = false;

	for (unsigned i = 0; file && i < elf->e_shnum && read_section(file, elf, i, &section); i++) {
		if (section.sh_type != SHT_DYNSYM)
			continue;
		is_found = section.sh_link < elf->e_shnum && read_section(file, elf, section.sh_link, &names) &&
			   has_name(file, &names);
		break;
	}
	if (file)
		fclose(file);
	return is_found;
}

static int check_elf(const Elf64_Ehdr *elf, const char *path, struct error *err)
{
	char loader[MOST_LINE];

	if (is_foreign(elf))
		return error_set(err,
				 "%s is not a 64-bit program of this machine, and only those can be simulated: "
				 "build it for this machine (gcc -m64)",
				 path);
	if (elf->e_type != ET_EXEC && elf->e_type != ET_DYN)
		return exec_failed(path, ENOEXEC, err);
	read_loader(loader, elf, path);
	if (*loader && access(loader, F_OK) < 0)
		return exec_failed(path, ENOENT, err);
	if (!has_sanitizer(elf, path))
		return 0;
	return error_set(err,
			 "%s is built with AddressSanitizer, which can't run under Valgrind: build it without "
			 "-fsanitize=address to simulate it",
			 path);
}

/* "#! /bin/sh -e": what follows up to a blank is the interpreter, which is cut off there; NULL: it is no script. */
static const char *find_interpreter(struct head *head)
{
	char *name = head->text + 2;

	if (strncmp(head->text, "#!", 2) != 0)
		return NULL;
	name += strspn(name, " \t");
	name[strcspn(name, " \t\n")] = '\0';
	return *name ? name : NULL;
}

int simulable_check(const char *path, struct error *err)
{
	const char *program = path;
	char interpreter[MOST_LINE];
	struct head head;

	for (unsigned i = 0; i <= MOST_SCRIPTS; i++) {
		const char *name;

		if (has_other_rights(program))
			return error_set(err,
					 "%s runs with other rights than yours (set-user-ID, set-group-ID or "
					 "capabilities), and Valgrind runs no such program: simulate a copy of it, "
					 "which has none (`cp %s copy`)",
					 program, program);
		if (read_head(&head, program, err) < 0)
			return -1;
		if (is_elf(&head))
			return check_elf(&head.elf, program, err);
		name = find_interpreter(&head);
		if (!name)
			return exec_failed(path, ENOEXEC, err);
		if (access(name, F_OK) < 0)
			return exec_failed(path, ENOENT, err);
		snprintf(interpreter, sizeof(interpreter), "%s", name);
		program = interpreter;
	}
	return exec_failed(path, ELOOP, err);
}

/* ---- when there are no counts ---- */

/* What follows the words in the log, up to the end of the line; NULL when they are not there. */
static const char *find_words(const char *log, const char *words, struct arena *arena)
{
	const char *found = log ? strstr(log, words) : NULL;

	return found ? arena_strndup(arena, found + strlen(words), strcspn(found + strlen(words), "\n")) : NULL;
}

/* "==123== " or "--123-- " in front of what Valgrind says. */
static const char *without_mark(const char *line)
{
	const char *text = line + strspn(line, "=-");

	if (text == line)
		return line;
	text += strspn(text, "0123456789");
	text += strspn(text, "=-");
	return text + strspn(text, " ");
}

/* NULL: it said nothing. */
static const char *last_line(const char *log, struct arena *arena)
{
	const char *cursor = log ? log : "", *part, *last = NULL;
	size_t length;

	while ((length = text_next(&cursor, "\n", &part)) > 0) {
		const char *words = without_mark(arena_strndup(arena, part, length));

		last = *words ? words : last;
	}
	return last;
}

/* The EVEX prefix (Intel SDM, volume 2, section 2.7) is 0x62 in 64-bit mode. */
const char *simulable_instruction(const char *log, struct arena *arena)
{
	const char *bytes = find_words(log, "unhandled instruction bytes: ", arena);

	if (!bytes)
		return NULL;
	if (has_name_prefix(bytes, "0x62"))
		return "uses AVX-512 instructions, which Valgrind can't run: build it for AVX2 "
		       "(gcc -march=x86-64-v3, or -mno-avx512f), or measure it where there is a PMU";
	return arena_printf(arena,
			    "uses an instruction that Valgrind can't run (bytes %s): build it for an older "
			    "CPU (gcc -march=x86-64-v3)",
			    bytes);
}

static int no_counts(const struct simulated_run *run, struct arena *arena, struct error *err)
{
	const char *parameter = find_words(run->log, WIRE_LOG_PARAMETER, arena), *last, *lack;

	if (parameter)
		return error_set(err, "%s: %s", run->core, parameter);
	lack = find_words(run->log, WIRE_LOG_UNPINNED, arena);
	if (lack)
		return error_set(err,
				 "{pinned}: this machine's CPU lacks something of what a pinned program learns (%s): "
				 "leave the option out, or simulate on another machine",
				 lack);
	if (run->end == SIMULATED_VERSIONED || (run->log && strstr(run->log, WIRE_LOG_VERSION)))
		return error_set(err, "the simulator is of another version than this topdown (" WIRE_VERSION_LINE
				      "): install both together");
	err->status = run->status > 128 ? run->status : 0;
	if (run->end == SIMULATED_CUT)
		return error_set(err, "%s has no room for the simulated counts; TMPDIR names another place",
				 run->folder);
	if (run->log && strstr(run->log, WIRE_LOG_UNWRITTEN))
		return error_set(err,
				 "the program could not write its simulated counts to %s at its end, as another "
				 "user or in another root directory: start it as that user (setpriv, su), or there",
				 run->folder);
	if (run->interrupted_by && run->status == 128 + SIGKILL)
		return error_set(err,
				 "topdown got %s, and the program was killed: it still ran %g s later, and its "
				 "simulated counts are lost",
				 signal_name(run->interrupted_by), ENDING_S);
	if (run->status == 128 + SIGKILL)
		return error_set(err, "the program was killed (SIGKILL) before its simulated counts could be written");
	if (run->log && strstr(run->log, "Max number of threads is too low"))
		return error_set(err, "the program has more threads at once than can be simulated (5000)");
	if (run->log && strstr(run->log, "out of memory"))
		return error_set(err, "the simulation ran out of memory: each thread's caches take 1.5 MB, and the "
				      "program's own memory counts too");
	if (run->interrupted_by)
		return error_set(err, "topdown was interrupted before anything was simulated");
	last = last_line(run->log, arena);
	if (!last && run->status > 128)
		return error_set(err, "the program was ended by signal %d before anything was simulated",
				 run->status - 128);
	if (!last)
		return error_set(err, "the simulation left no counts, and Valgrind no word in its log");
	return error_set(err, "the simulation left no counts; Valgrind's last word: %s", last);
}

int simulated_failure(const struct simulated_run *run, struct arena *arena, struct error *err)
{
	const char *words = simulable_instruction(run->log, arena);

	if (words && run->status == 128 + SIGILL) {
		err->status = run->status;
		return error_set(err, "the program %s", words);
	}
	return run->end == SIMULATED_WHOLE ? 0 : no_counts(run, arena, err);
}
