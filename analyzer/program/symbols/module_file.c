/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/module_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"
#include "program/symbols/build_id.h"

#define DELETED	       " (deleted)" /* what the kernel puts behind the path of a file without a name */
#define MOST_PROCESSES 64	    /* that are asked for a file of theirs */

static const char was_replaced[] = "the file was replaced after it was mapped";

struct search {
	const struct profile *profile;
	const char *sysroot, *path; /* the module's, without DELETED */
	uint32_t module;
	bool was_deleted;
	struct arena *arena;
	struct module_file found;
};

const char *process_root(uint32_t pid, const char *sysroot, struct arena *arena)
{
	return arena_printf(arena, "%s/proc/%u/root", sysroot, pid);
}

/* ---- one file ---- */

static const char *reason_of(int error_number)
{
	return error_number == ENOENT || error_number == ENOTDIR ? "the file is gone"
	       : error_number == EACCES || error_number == EPERM ? "the file may be read by its owner or root only"
								 : "the file can't be read";
}

/* Nothing that could block is opened: no pipe, no device. */
static int open_regular(const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (descriptor < 0)
		return -1;
	if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
		return descriptor;
	close(descriptor);
	errno = EINVAL;
	return -1;
}

/*
 * Is it what was mapped? The kernel keeps 20 bytes of a build-id at most. Without one there is only the name, and not
 * even that where another file has come in the place of a deleted one.
 */
static bool is_right(const struct search *search, const struct elf_identity *identity, bool is_held)
{
	const char *wanted = search->profile->modules[search->module].build_id;

	return wanted ? is_same_name(wanted, identity->build_id) : is_held || !search->was_deleted;
}

/* is_held: a process still has it, so that it is none that came later. */
static bool try_file(struct search *search, const char *path, bool is_held)
{
	int descriptor = open_regular(path);
	struct elf_identity identity;
	bool is_elf;

	if (descriptor < 0) {
		if (!search->found.remark)
			search->found.remark = reason_of(errno);
		return false;
	}
	is_elf = elf_identify(&identity, descriptor);
	close(descriptor);
	if (is_elf && is_right(search, &identity, is_held)) {
		search->found =
			(struct module_file){ .path = arena_strdup(search->arena, path), .machine = identity.machine };
		return true;
	}
	search->found.remark = is_elf ? was_replaced : "the file is not an ELF file of this byte order";
	return false;
}

/* ---- processes that still have it ---- */

/* Does the link, below /proc, lead to the module's file, whether or not it has a name still? */
static bool leads_to_it(const struct search *search, const char *link)
{
	size_t wanted = strlen(search->path);
	char target[PATH_MAX];
	ssize_t length = readlink(link, target, sizeof(target) - 1);

	if (length < 0 || (size_t)length < wanted)
		return false;
	target[length] = '\0';
	return !strncmp(target, search->path, wanted) && (!target[wanted] || !strcmp(target + wanted, DELETED));
}

static bool try_link(struct search *search, const char *link)
{
	return leads_to_it(search, link) && try_file(search, link, true);
}

/* Links of map_files may be followed by root only; a process' own program by its user too. */
static bool try_process(struct search *search, uint32_t pid)
{
	const char *folder = arena_printf(search->arena, "%s/proc/%u/map_files", search->sysroot, pid);
	DIR *links;
	bool is_found = try_link(search, arena_printf(search->arena, "%s/proc/%u/exe", search->sysroot, pid));

	links = is_found ? NULL : opendir(folder);
	if (!links)
		return is_found;
	for (struct dirent *link = readdir(links); link && !is_found; link = readdir(links))
		if (*link->d_name != '.')
			is_found = try_link(search, arena_printf(search->arena, "%s/%s", folder, link->d_name));
	closedir(links);
	return is_found;
}

/* Processes by the modules that they were seen in, each with the first ones, in the order of the rows. */
struct module_users {
	uint32_t pids[MOST_PROCESSES];
	size_t count;
};

static void add_user(struct module_users *users, uint32_t pid)
{
	for (size_t i = users->count; i-- > 0;)
		if (users->pids[i] == pid)
			return;
	if (users->count < MOST_PROCESSES)
		users->pids[users->count++] = pid;
}

static struct module_users *users_of_modules(const struct profile *profile, struct arena *arena)
{
	struct module_users *users = arena_array(arena, profile->nmodules, sizeof(*users));

	for (uint32_t i = 0; i < profile->nrows; i++) {
		const struct profile_row *row = &profile->rows[i];
		uint32_t pid = row->task < profile->ntasks ? profile->tasks[row->task].pid : 0;

		for (uint32_t stack = pid ? row->stack : PROFILE_NONE; stack != PROFILE_NONE;
		     stack = profile->stacks[stack].caller) {
			uint32_t module = profile->places[profile->stacks[stack].place].module;

			if (module < profile->nmodules)
				add_user(&users[module], pid);
		}
	}
	return users;
}

static bool try_processes(struct search *search, struct module_users **users)
{
	if (!*users)
		*users = users_of_modules(search->profile, search->arena);
	for (size_t i = 0; i < (*users)[search->module].count; i++)
		if (try_process(search, (*users)[search->module].pids[i]))
			return true;
	return false;
}

/* ---- all ---- */

static bool try_all(struct search *search, uint32_t pid, struct module_users **users)
{
	if (pid && try_file(search,
			    arena_printf(search->arena, "%s%s", process_root(pid, search->sysroot, search->arena),
					 search->path),
			    false))
		return true;
	if (pid && try_process(search, pid))
		return true;
	/* Another root's file of the same name is another file, unless its build-id is the same. */
	if ((!pid || search->profile->modules[search->module].build_id) && try_file(search, search->path, false))
		return true;
	return try_processes(search, users);
}

struct module_file module_file_find(const struct profile *profile, uint32_t module, const char *sysroot,
				    struct module_users **users, struct arena *arena)
{
	const char *path = profile->modules[module].path;
	size_t length = strlen(path), suffix = strlen(DELETED);
	bool was_deleted = length > suffix && !strcmp(path + length - suffix, DELETED);
	struct search search = { .profile = profile,
				 .sysroot = sysroot ? sysroot : "",
				 .module = module,
				 .was_deleted = was_deleted,
				 .arena = arena };

	search.path = was_deleted ? arena_strndup(arena, path, length - suffix) : path;
	if (*search.path != '/')
		return (struct module_file){ .remark = "it has no file" };
	if (!try_all(&search, profile->modules[module].pid, users) && was_deleted)
		search.found.remark = "the file was deleted after it was mapped";
	return search.found;
}
