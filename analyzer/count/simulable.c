/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/simulable.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "count/launch.h"

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
	return *loader && access(loader, F_OK) < 0 ? exec_failed(path, ENOENT, err) : 0;
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
