/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/successor.h"

#include <elf.h>

#include "simulator/guest/arch.h"
#include "simulator/model/host.h"

#if defined(VGA_amd64)
#define OWN_MACHINE EM_X86_64
#else
#define OWN_MACHINE EM_AARCH64
#endif

#define MOST_SCRIPTS 4	       /* interpreters that are scripts: as many as the kernel follows */
#define MOST_LINE    256       /* of a script that the kernel reads */
#define OWN_ROOM     0x1000000 /* around the simulator's code, where no program can lie */
#define AT_EMPTY     0x1000    /* AT_EMPTY_PATH of execveat: the descriptor is the program */
#define AT_CURRENT   (-100)    /* AT_FDCWD: no descriptor, but the current directory */

/* The beginning of a program. */
union head {
	Elf64_Ehdr elf;
	HChar text[MOST_LINE];
};

static Bool has_other_rights(const HChar *path)
{
	struct vg_stat file;

	if (sr_isError(VG_(stat)(path, &file)))
		return False;
	if (file.mode & (VKI_S_ISUID | VKI_S_ISGID))
		return True;
	return !sr_isError(
		VG_(do_syscall)(__NR_getxattr, (UWord)path, (UWord) "security.capability", 0, 0, 0, 0, 0, 0));
}

/* Does the part lie where this tool does, or name a dynamic loader that is not here? */
static enum wire_obstacle check_part(Int fd, const Elf64_Ehdr *elf, const Elf64_Phdr *part)
{
	Addr own = (Addr)check_part;
	HChar loader[MOST_LINE] = "";
	struct vg_stat file;

	if (part->p_type == PT_LOAD && elf->e_type == ET_EXEC)
		return part->p_vaddr < own + OWN_ROOM && part->p_vaddr + part->p_memsz > own - OWN_ROOM
			       ? WIRE_PLACE
			       : WIRE_NO_OBSTACLE;
	if (part->p_type != PT_INTERP || part->p_filesz >= sizeof(loader) ||
	    VG_(lseek)(fd, (Off64T)part->p_offset, VKI_SEEK_SET) < 0 ||
	    VG_(read)(fd, loader, (Int)part->p_filesz) != (Int)part->p_filesz)
		return WIRE_NO_OBSTACLE;
	return sr_isError(VG_(stat)(loader, &file)) ? WIRE_FOREIGN : WIRE_NO_OBSTACLE;
}

#define NAMES_AT_ONCE 4096

/* Beginning and end of a piece overlap, so that no name is cut. */
static Bool has_name(Int fd, const Elf64_Shdr *names)
{
	HChar piece[NAMES_AT_ONCE];
	ULong overlap = sizeof(WIRE_SANITIZER_NAME), at = 0;

	while (at < names->sh_size) {
		ULong left = names->sh_size - at;
		Int length = (Int)(left < NAMES_AT_ONCE ? left : NAMES_AT_ONCE);

		if (VG_(lseek)(fd, (Off64T)(names->sh_offset + at), VKI_SEEK_SET) < 0 ||
		    VG_(read)(fd, piece, length) != length)
			return False;
		if (wire_is_name_in(piece, (SizeT)length))
			return True;
		if (left <= NAMES_AT_ONCE)
			break;
		at += NAMES_AT_ONCE - overlap;
	}
	return False;
}

static Bool read_section(Int fd, const Elf64_Ehdr *elf, UInt number, Elf64_Shdr *section)
{
	ULong at = elf->e_shoff + (ULong)number * sizeof(*section);

	return VG_(lseek)(fd, (Off64T)at, VKI_SEEK_SET) >= 0 &&
	       VG_(read)(fd, section, sizeof(*section)) == (Int)sizeof(*section);
}

/* The names of the dynamic symbols are all that says so once a program is stripped. */
static Bool has_sanitizer(Int fd, const Elf64_Ehdr *elf)
{
	Elf64_Shdr section, names;

	for (UInt i = 0; i < elf->e_shnum && read_section(fd, elf, i, &section); i++)
		if (section.sh_type == SHT_DYNSYM)
			return section.sh_link < elf->e_shnum && read_section(fd, elf, section.sh_link, &names) &&
			       has_name(fd, &names);
	return False;
}

static enum wire_obstacle check_elf(Int fd, const Elf64_Ehdr *elf)
{
	enum wire_obstacle obstacle = WIRE_NO_OBSTACLE;
	Elf64_Phdr part;

	if (elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_machine != OWN_MACHINE)
		return WIRE_FOREIGN;
	for (UInt i = 0; i < elf->e_phnum && !obstacle; i++) {
		if (VG_(lseek)(fd, (Off64T)elf->e_phoff + (Off64T)i * (Off64T)sizeof(part), VKI_SEEK_SET) < 0 ||
		    VG_(read)(fd, &part, sizeof(part)) != (Int)sizeof(part))
			break;
		obstacle = check_part(fd, elf, &part);
	}
	return !obstacle && has_sanitizer(fd, elf) ? WIRE_SANITIZED : obstacle;
}

/* "#! /bin/sh -e": what follows up to a blank is the interpreter, which is cut off there; NULL: it is no script. */
static const HChar *find_interpreter(HChar *text)
{
	HChar *name = text + 2, *end;

	if (text[0] != '#' || text[1] != '!')
		return NULL;
	while (*name == ' ' || *name == '\t')
		name++;
	for (end = name; *end && *end != ' ' && *end != '\t' && *end != '\n'; end++)
		;
	*end = '\0';
	return *name ? name : NULL;
}

/*
 * What the file is. interpreter gets the program that runs it where it is a script, and is empty otherwise. What is no
 * program at all has no obstacle: Valgrind refuses it as the kernel does.
 */
static enum wire_obstacle check_file(const HChar *path, HChar interpreter[MOST_LINE])
{
	SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
	union head head = { .text = "" };
	const HChar *name = NULL;
	enum wire_obstacle obstacle = WIRE_NO_OBSTACLE;
	Int fd = (Int)sr_Res(opened), length;

	interpreter[0] = '\0';
	if (sr_isError(opened))
		return sr_Err(opened) == VKI_EACCES && VG_(access)(path, False, False, True) == 0 ? WIRE_UNREADABLE
												  : WIRE_NO_OBSTACLE;
	length = VG_(read)(fd, head.text, MOST_LINE - 1);
	if (length >= (Int)sizeof(head.elf) && VG_(memcmp)(head.text, ELFMAG, SELFMAG) == 0)
		obstacle = check_elf(fd, &head.elf);
	else
		name = find_interpreter(head.text);
	VG_(close)(fd);
	if (name)
		VG_(strcpy)(interpreter, name);
	return obstacle;
}

/* What starts a tool of Valgrind's hands it words in the environment, which a simulated program can't. */
static Bool is_launcher(const HChar *path)
{
	static const HChar own[] = "/topdown/launcher";
	const HChar *name = VG_(basename)(path);
	SizeT length = VG_(strlen)(path);

	return VG_(strcmp)(name, "valgrind") == 0 || VG_(strcmp)(name, "valgrind.bin") == 0 ||
	       (length >= sizeof(own) && VG_(strcmp)(path + length - (sizeof(own) - 1), own) == 0);
}

/* Below /proc, a name of the tool that runs this program: /proc/self/exe, /proc/PID/exe and the like. */
static Bool is_self(const HChar *path)
{
	struct vg_stat file, own;

	return VG_(strncmp)(path, "/proc/", 6) == 0 && !sr_isError(VG_(stat)(path, &file)) &&
	       !sr_isError(VG_(stat)("/proc/self/exe", &own)) && file.dev == own.dev && file.ino == own.ino;
}

static enum wire_obstacle find_obstacle(const HChar *path)
{
	enum wire_obstacle obstacle = is_launcher(path) ? WIRE_PLACE : WIRE_NO_OBSTACLE;
	HChar program[MOST_LINE], interpreter[MOST_LINE] = "";

	for (UInt i = 0; i <= MOST_SCRIPTS && !obstacle; i++) {
		obstacle = has_other_rights(path) ? WIRE_RIGHTS : check_file(path, interpreter);
		if (!interpreter[0])
			break;
		VG_(strcpy)(program, interpreter);
		path = program;
	}
	return obstacle;
}

/* A path that the kernel can follow, so it is one, whatever the process has given. */
static Bool is_path(const HChar *path)
{
	struct vg_stat file;

	return !sr_isError(VG_(stat)(path, &file));
}

/* Of execveat: the file of a descriptor, or one in its folder. */
static void name_below(HChar path[VKI_PATH_MAX], Int folder, const HChar *name)
{
	HChar link[64];
	SSizeT length;

	VG_(sprintf)(link, "/proc/self/fd/%d", folder);
	length = VG_(readlink)(link, path, VKI_PATH_MAX - 1);
	path[length > 0 ? length : 0] = '\0';
	if (!name || length <= 0 || (SizeT)length + VG_(strlen)(name) + 2 > VKI_PATH_MAX)
		return;
	VG_(strcat)(path, "/");
	VG_(strcat)(path, name);
}

/* Of a descriptor, the path gets what it leads to. */
static void follow_descriptor(HChar path[VKI_PATH_MAX])
{
	static HChar target[VKI_PATH_MAX];
	SSizeT length = VG_(readlink)(path, target, VKI_PATH_MAX - 1);

	if (length <= 0 || (VG_(strncmp)(path, "/proc/", 6) != 0 && VG_(strncmp)(path, "/dev/fd/", 8) != 0))
		return;
	target[length] = '\0';
	VG_(strcpy)(path, target);
}

/* What the kernel says of a descriptor whose file has no name any more, or never had one. */
static Bool is_nameless(const HChar *path)
{
	static const HChar removed[] = " (deleted)";
	SizeT length = VG_(strlen)(path), end = sizeof(removed) - 1;

	return length > end && VG_(strcmp)(path + length - end, removed) == 0 && !is_path(path);
}

Bool successor_is_descriptor(UInt number, const UWord *arguments)
{
	return number != __NR_execve && arguments[4] & AT_EMPTY;
}

static void find_path(HChar path[VKI_PATH_MAX], UInt number, const UWord *arguments)
{
	Bool is_below = number != __NR_execve;
	const HChar *name = (const HChar *)arguments[is_below];

	path[0] = '\0';
	if (successor_is_descriptor(number, arguments))
		name_below(path, (Int)arguments[0], NULL);
	else if (!VG_(am_is_valid_for_client)((Addr)name, 1, VKI_PROT_READ))
		return;
	else if (is_below && name[0] != '/' && (Int)arguments[0] != AT_CURRENT)
		name_below(path, (Int)arguments[0], name);
	else if (is_path(name) && VG_(strlen)(name) < VKI_PATH_MAX)
		VG_(strcpy)(path, name);
}

void successor_find(struct successor *successor, UInt number, const UWord *arguments)
{
	find_path(successor->path, number, arguments);
	if (is_self(successor->path)) {
		successor->obstacle = WIRE_SELF;
		return;
	}
	follow_descriptor(successor->path);
	successor->obstacle = !successor->path[0]	     ? WIRE_NO_OBSTACLE
			      : is_nameless(successor->path) ? WIRE_NAMELESS
							     : find_obstacle(successor->path);
}

Bool successor_can_start(const HChar *core_file, const HChar *directory)
{
	return VG_(access)(VG_(name_of_launcher), False, False, True) == 0 &&
	       VG_(access)(core_file, True, False, False) == 0 && VG_(access)(directory, True, True, True) == 0;
}
