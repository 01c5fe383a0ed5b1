/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/count/supervisor.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "collect/count/descendants.h"
#include "common/base/macros.h"
#include "simulator/call_kinds.h"

/* ---- what a process has ---- */

#define SMALL_PAGE 4096UL

/* False: the memory is not to be read. */
static bool read_memory(pid_t thread, unsigned long address, void *data, size_t size)
{
	const struct iovec to = { data, size };
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): another process's address is a number here */
	const struct iovec from = { (void *)address, size };

	return process_vm_readv(thread, &to, 1, &from, 1, 0) == (ssize_t)size;
}

/* Page by page, since the next one need not be there. */
static bool read_text(pid_t thread, unsigned long address, char *text, size_t size)
{
	size_t length = 0;

	while (length < size - 1) {
		size_t part = SMALL_PAGE - (address + length) % SMALL_PAGE;

		if (part > size - 1 - length)
			part = size - 1 - length;
		if (!read_memory(thread, address + length, text + length, part))
			return false;
		if (memchr(text + length, '\0', part))
			return true;
		length += part;
	}
	text[length] = '\0';
	return true;
}

static bool has_written(pid_t pid)
{
	char text[512];
	const char *found = task_file_read(pid, "io", text, sizeof(text)) ? strstr(text, "wchar: ") : NULL;

	return !found || strtoull(found + strlen("wchar: "), NULL, 10) > 0;
}

/* Of the process and of those that it has waited for: fields 14 to 17 of /proc/PID/stat, behind the name's bracket. */
static double cpu_time(pid_t pid)
{
	char text[1024];
	const char *at = task_file_read(pid, "stat", text, sizeof(text)) ? strrchr(text, ')') : NULL;
	double ticks = 0;

	for (unsigned field = 3; at && field <= 17; field++) {
		at = strchr(at + 1, ' ');
		if (at && field >= 14)
			ticks += strtod(at, NULL);
	}
	return ticks / (double)sysconf(_SC_CLK_TCK);
}

bool supervisor_has_shown(pid_t program, pid_t thread, double *cpu_s)
{
	*cpu_s = cpu_time(program) + (thread == program ? 0 : cpu_time(thread));
	return has_written(program) || has_written(thread);
}

/* ---- paths ---- */

/* The folder that a path begins in, by its link in /proc. */
static bool read_folder(char *folder, size_t size, pid_t thread, int directory)
{
	char link[64];
	ssize_t length;

	if (directory == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", (int)thread);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)thread, directory);
	length = readlink(link, folder, size - 1);
	folder[length > 0 ? length : 0] = '\0';
	return length > 0;
}

/* A path from the root. False: too long, or nobody knows where it begins. */
static bool find_path(char *found, size_t size, pid_t thread, int directory, const char *path)
{
	char folder[PATH_MAX] = "";
	int length;

	if (*path != '/' && !read_folder(folder, sizeof(folder), thread, directory))
		return false;
	length = snprintf(found, size, *path == '/' ? "%s%s" : "%s/%s", folder, path);
	return length >= 0 && (size_t)length < size;
}

/* null, zero, full, random, urandom: endless and without a memory (Documentation/admin-guide/devices.txt). */
static bool is_harmless_device(const struct stat *file)
{
	unsigned minor_number = minor(file->st_rdev);

	return S_ISCHR(file->st_mode) && major(file->st_rdev) == 1 &&
	       (minor_number == 3 || minor_number == 5 || (minor_number >= 7 && minor_number <= 9));
}

static bool is_terminal(const struct stat *file)
{
	return S_ISCHR(file->st_mode) && major(file->st_rdev) == 5;
}

static bool lies_in(const char *path, const char *folder)
{
	size_t length = folder ? strlen(folder) : 0;

	while (length && folder[length - 1] == '/')
		length--;
	return length && !strncmp(path, folder, length) && path[length] == '/' && path[length + 1];
}

/* Settings of the process itself end with it. */
static bool is_own_file(const struct supervisor *supervisor, const char *path)
{
	return lies_in(path, "/proc/self") || lies_in(path, "/proc/thread-self") ||
	       (supervisor->folder && !strncmp(path, supervisor->folder, strlen(supervisor->folder))) ||
	       (supervisor->folder && strstr(path, "/valgrind_proc_"));
}

/* The process of a thread. */
static pid_t process_of(pid_t thread)
{
	char text[4096];
	const char *found = task_file_read(thread, "status", text, sizeof(text)) ? strstr(text, "\nTgid:") : NULL;

	return found ? (pid_t)strtol(found + strlen("\nTgid:"), NULL, 10) : thread;
}

/* ---- scratch: files that are nobody else's ---- */

static bool is_for_scratch(const char *path)
{
	return !strstr(path, "/../") && (lies_in(path, "/tmp") || lies_in(path, "/var/tmp") ||
					 lies_in(path, "/dev/shm") || lies_in(path, getenv("TMPDIR")));
}

/* It, or a folder that it is in, was made by the program. */
static bool is_scratch(const struct supervisor *supervisor, const char *path)
{
	for (size_t i = 0; i < supervisor->nscratch; i++)
		if (!strcmp(path, supervisor->scratch[i]) || lies_in(path, supervisor->scratch[i]))
			return !strstr(path, "/../");
	return false;
}

#define RANDOM 6 /* characters that mkstemp chooses, at least */

/* Are so many letters and digits of two kinds side by side in the name? "cc2aD4G1.s", "etilqs_514c69dcfc82c96a" */
static bool has_random_name(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t length = 0;
	unsigned kinds = 0;

	for (name = name ? name + 1 : path; *name; name++) {
		if (!isalnum((unsigned char)*name)) {
			length = kinds = 0;
			continue;
		}
		kinds |= isdigit((unsigned char)*name) ? 1 : isupper((unsigned char)*name) ? 2 : 4;
		if (++length >= RANDOM && kinds & (kinds - 1))
			return true;
	}
	return false;
}

/* Has the name a process' number in it? "hsperfdata_me/1234", "list.1234" */
static bool has_number(const char *path, pid_t process)
{
	const char *name = strrchr(path, '/');
	char *end;

	for (name = name ? name + 1 : path; *name; name++) {
		if (!isdigit((unsigned char)*name))
			continue;
		if (strtol(name, &end, 10) == process)
			return true;
		name = end - 1;
	}
	return false;
}

/*
 * A new file where temporary ones are, under a name that nobody had: as mkstemp and mkdtemp make them, or with the
 * number of the process. Another run takes another name.
 */
static bool becomes_scratch(struct supervisor *supervisor, pid_t thread, const char *path, bool is_exclusive)
{
	struct stat file;

	return !supervisor->has_no_scratch && is_for_scratch(path) &&
	       ((is_exclusive && has_random_name(path)) || has_number(path, supervisor->program) ||
		has_number(path, process_of(thread))) &&
	       lstat(path, &file) < 0 && supervisor_add_scratch(supervisor, path);
}

/* Of the folder that a new file would be in. */
static bool is_folder_writable(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash)
		return true;
	*slash = '\0';
	return faccessat(AT_FDCWD, *path ? path : "/", W_OK, AT_EACCESS) == 0;
}

/* Would it succeed, and change something? */
static bool opens_for_good(char *path, unsigned long flags)
{
	struct stat file;

	if (stat(path, &file) < 0)
		return flags & O_CREAT && is_folder_writable(path);
	if (is_harmless_device(&file) || is_terminal(&file))
		return false;
	return !(flags & O_CREAT && flags & O_EXCL) && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

/* ---- calls ---- */

/* Does the call need a file that is there, or one that is not? */
static bool makes_path(unsigned number)
{
	switch (number) {
	case __NR_mkdirat:
	case __NR_linkat:
	case __NR_symlinkat:
	case __NR_mknodat:
#if defined(__x86_64__)
	case __NR_mkdir:
	case __NR_link:
	case __NR_symlink:
	case __NR_mknod:
#endif
		return true;
	default: return false;
	}
}

static bool makes_folder(unsigned number)
{
#if defined(__x86_64__)
	if (number == __NR_mkdir)
		return true;
#endif
	return number == __NR_mkdirat;
}

/* The directory's descriptor stands before the path in the calls that have one. */
static int directory_of(const struct held_call *asked, unsigned path_argument)
{
	if (!path_argument)
		return AT_FDCWD;
	switch (asked->number) {
#if defined(__x86_64__)
	case __NR_link:
	case __NR_symlink:
	case __NR_rename:
#endif
	case __NR_mount: return AT_FDCWD;
	default: return (int)asked->arguments[path_argument - 1];
	}
}

/* A file that is renamed is a result, unless it is a temporary one under its new name too. */
static bool stays_scratch(const struct supervisor *supervisor, const struct held_call *asked)
{
	const unsigned argument = asked->number == __NR_renameat || asked->number == __NR_renameat2 ? 3 : 1;
	char written[PATH_MAX], path[PATH_MAX];

	switch (asked->number) {
#if defined(__x86_64__)
	case __NR_rename:
#endif
	case __NR_renameat:
	case __NR_renameat2:
		return read_text(asked->thread, asked->arguments[argument], written, sizeof(written)) &&
		       find_path(path, sizeof(path), asked->thread, directory_of(asked, argument), written) &&
		       is_scratch(supervisor, path);
	default: return true;
	}
}

/* A path that can't be read is nothing that anybody knows of: an effect. */
static bool judge_path(struct supervisor *supervisor, const struct held_call *asked, unsigned argument, char *what)
{
	char path[PATH_MAX + 64];
	struct stat file;

	if (!read_text(asked->thread, asked->arguments[argument], what, SUPERVISOR_WHAT) ||
	    !find_path(path, sizeof(path), asked->thread, directory_of(asked, argument), what))
		return true;
	if (is_own_file(supervisor, path))
		return false;
	if (is_scratch(supervisor, path) && stays_scratch(supervisor, asked))
		return false;
	if (makes_folder(asked->number) && becomes_scratch(supervisor, asked->thread, path, true))
		return false;
	return (lstat(path, &file) < 0) == makes_path(asked->number);
}

static bool judge_open(struct supervisor *supervisor, const struct held_call *asked, const struct call *call,
		       char *what)
{
	const unsigned long flags = asked->arguments[call->second];
	char path[PATH_MAX + 64];

	if (!read_text(asked->thread, asked->arguments[call->first], what, SUPERVISOR_WHAT) ||
	    !find_path(path, sizeof(path), asked->thread, directory_of(asked, call->first), what))
		return true;
	if (is_own_file(supervisor, path) || is_scratch(supervisor, path))
		return false;
	if (flags & O_CREAT && becomes_scratch(supervisor, asked->thread, path, flags & O_EXCL))
		return false;
	return opens_for_good(path, flags);
}

/* On what is neither a terminal nor another device it fails. */
static bool judge_control(const struct held_call *asked)
{
	char path[64];
	struct stat file;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)asked->thread, (int)asked->arguments[0]);
	return stat(path, &file) == 0 && (S_ISCHR(file.st_mode) || S_ISSOCK(file.st_mode) || S_ISBLK(file.st_mode)) &&
	       !is_harmless_device(&file);
}

static bool is_usual_socket(unsigned long family, unsigned long type)
{
	unsigned long kind = type & 0xf; /* without flags: linux/net.h */

	return (family == AF_UNIX || family == AF_INET || family == AF_INET6) &&
	       (kind == SOCK_STREAM || kind == SOCK_DGRAM || kind == SOCK_SEQPACKET);
}

union any_address {
	struct sockaddr any;
	struct sockaddr_un local;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

static bool read_address(union any_address *address, const struct held_call *asked)
{
	size_t length = asked->arguments[2] < sizeof(*address) ? asked->arguments[2] : sizeof(*address) - 1;

	memset(address, 0, sizeof(*address));
	return length >= sizeof(address->any.sa_family) &&
	       read_memory(asked->thread, asked->arguments[1], address, length);
}

/* A daemon that the C library asks, and that does not run on most machines. */
static bool judge_connect(const struct held_call *asked)
{
	union any_address address;
	struct stat file;

	return !read_address(&address, asked) || address.any.sa_family != AF_UNIX || !*address.local.sun_path ||
	       stat(address.local.sun_path, &file) == 0;
}

/* An address that others know is a server's; what else takes one, as the kernel chooses it, is about to send. */
static bool binds_to_serve(const struct held_call *asked)
{
	union any_address address;

	if (!read_address(&address, asked))
		return false;
	switch (address.any.sa_family) {
	case AF_UNIX: return asked->arguments[2] > sizeof(address.any.sa_family);
	case AF_INET: return address.four.sin_port != 0;
	case AF_INET6: return address.six.sin6_port != 0;
	default: return false;
	}
}

/* Without new rights a program that is to have its owner's fails. */
static bool judge_exec(struct supervisor *supervisor, const struct held_call *asked, char *what)
{
	const unsigned argument = asked->number == __NR_execveat;
	char path[PATH_MAX + 64];
	struct stat file;

	if (supervisor->has_rights || !read_text(asked->thread, asked->arguments[argument], what, SUPERVISOR_WHAT) ||
	    !find_path(path, sizeof(path), asked->thread, directory_of(asked, argument), what) || stat(path, &file) < 0)
		return false;
	return (file.st_mode & S_ISUID && file.st_uid != geteuid()) ||
	       (file.st_mode & S_ISGID && file.st_mode & S_IXGRP && file.st_gid != getegid()) ||
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

static bool judge_effect(struct supervisor *supervisor, const struct held_call *asked, const struct call *call,
			 char *what, bool *is_server)
{
	if (call->first)
		return judge_path(supervisor, asked, call->first - 1U, what);
	if (asked->number == __NR_connect)
		return judge_connect(asked);
	if (asked->number == __NR_bind)
		*is_server = binds_to_serve(asked);
	return true;
}

/* Is a descriptor among the arguments still the one that it was given? What the program has opened there is its own. */
static bool judge_given(struct supervisor *supervisor, const struct held_call *asked, const struct call *call,
			char *what)
{
	const int used[] = { (int)asked->arguments[call->first], (int)asked->arguments[call->second] };
	char path[64];
	struct stat file, given;

	for (unsigned i = 0; i < (call->kind == CALL_MOVES ? 2U : 1U); i++)
		for (unsigned k = 0; k < supervisor->ngiven; k++) {
			if (used[i] != supervisor->given[k])
				continue;
			snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)asked->thread, used[i]);
			snprintf(what, SUPERVISOR_WHAT, "%d", used[i]);
			if (stat(path, &file) < 0 || fstat(used[i], &given) < 0 ||
			    (file.st_dev == given.st_dev && file.st_ino == given.st_ino))
				return true;
		}
	return false;
}

static bool judge_kind(struct supervisor *supervisor, const struct held_call *asked, const struct call *call,
		       char *what, bool *is_server)
{
	switch (call->kind) {
	case CALL_OPENS: return judge_open(supervisor, asked, call, what);
	case CALL_CONTROL: return judge_control(asked);
	case CALL_OWN:
	case CALL_LIMITS: return process_of((pid_t)asked->arguments[call->first]) != process_of(asked->thread);
	case CALL_SIGNALS: return (pid_t)asked->arguments[call->first] != process_of(asked->thread);
	case CALL_SOCKET: return !is_usual_socket(asked->arguments[call->first], asked->arguments[call->second]);
	case CALL_SETS_SOCKET:
		return asked->arguments[call->second] != SOL_SOCKET && asked->arguments[call->second] != IPPROTO_TCP;
	case CALL_SERVES: *is_server = true; return true;
	case CALL_EFFECT: return judge_effect(supervisor, asked, call, what, is_server);
	case CALL_MOVES:
	case CALL_READS:
	case CALL_WRITES:
	case CALL_LOCKS: return judge_given(supervisor, asked, call, what);
	/* From where it is by nothing: a question. */
	case CALL_SEEKS:
		return (asked->arguments[1] || asked->arguments[2] != SEEK_CUR) &&
		       judge_given(supervisor, asked, call, what);
	default: return false;
	}
}

bool supervisor_is_copy(unsigned number)
{
	switch (number) {
	case __NR_dup:
	case __NR_dup3:
#if defined(__x86_64__)
	case __NR_dup2:
#endif
		return true;
	default: return false;
	}
}

bool supervisor_judge(struct supervisor *supervisor, const struct held_call *asked, char *call, char *what,
		      bool *is_server)
{
	static const struct call unknown = { CALL_EFFECT, 0, 0, NULL };
	const struct call *kind = asked->number < COUNT_OF(calls) ? &calls[asked->number] : &unknown;

	if (asked->number == __NR_execve || asked->number == __NR_execveat) {
		snprintf(call, SUPERVISOR_CALL, "exec");
		return judge_exec(supervisor, asked, what);
	}
	if (supervisor_is_copy(asked->number) || kind->kind == CALL_FCNTL) {
		snprintf(call, SUPERVISOR_CALL, "given");
		return judge_given(supervisor, asked, kind, what);
	}
	snprintf(call, SUPERVISOR_CALL, "%s", kind->name ? kind->name : "");
	if (!kind->name)
		snprintf(what, SUPERVISOR_WHAT, "%u", asked->number);
	return judge_kind(supervisor, asked, kind, what, is_server);
}
