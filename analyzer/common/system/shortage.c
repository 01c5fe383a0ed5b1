/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/system/shortage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_CHECKED 32

/* %s is the limit that this process has; a row without a limit has none. */
static const struct row {
	int error_number;
	int limit; /* RLIMIT_..., or -1 */
	const char *text;
} rows[] = {
	{ EMFILE, RLIMIT_NOFILE,
	  "too few file descriptors are left: this process may have %s open files; `ulimit -n 1024` allows more, up to "
	  "the "
	  "hard limit (`ulimit -Hn`), which root can raise" },
	{ ENFILE, -1, "the system has no file descriptor left%s: `sudo sysctl fs.file-max=1000000` raises the limit" },
	{ EAGAIN, RLIMIT_NPROC,
	  "no further process may be started: this user may have %s (`ulimit -u 4096` allows more, up to `ulimit "
	  "-Hu`), and a container has a limit of its own (pids.max of its cgroup)" },
	{ ENOMEM, -1, "out of memory%s: `free -m` shows what uses it" },
};

static const char *limit_text(char *text, size_t size, int which)
{
	struct rlimit limit;

	if (which < 0)
		return "";
	if (getrlimit((__rlimit_resource_t)which, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return "any number";
	snprintf(text, size, "%llu", (unsigned long long)limit.rlim_cur);
	return text;
}

/* The formats are those of the table, each with one %s. */
static int set_row(struct error *err, const char *what, const struct row *row)
{
	const char *percent = strstr(row->text, "%s");
	char limit[24];

	return error_set(err, "%s%s%.*s%s%s", what, *what ? ": " : "", (int)(percent - row->text), row->text,
			 limit_text(limit, sizeof(limit), row->limit), percent + 2);
}

int shortage(struct error *err, const char *what, int error_number)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].error_number == error_number)
			return set_row(err, what, &rows[i]);
	return error_set(err, "%s: %s", what, strerror(error_number));
}

int shortage_check(size_t descriptors, struct error *err)
{
	int fds[MOST_CHECKED];
	size_t count = 0;
	int failure = 0;

	while (count < descriptors && count < MOST_CHECKED && !failure) {
		fds[count] = open("/", O_PATH | O_CLOEXEC);
		if (fds[count] < 0)
			failure = errno;
		else
			count++;
	}
	while (count)
		close(fds[--count]);
	return failure == EMFILE || failure == ENFILE ? shortage(err, "", failure) : 0;
}

int shortage_check_limit(const struct limit_need *need, struct error *err)
{
	struct rlimit now;

	if (getrlimit((__rlimit_resource_t)need->limit, &now) < 0 || now.rlim_cur >= (rlim_t)need->mib << 20)
		return 0;
	return error_set(err,
			 "%s of %u MiB at least, and %llu KiB are the limit here: `ulimit -%c unlimited` lifts it, up "
			 "to the hard limit (`ulimit -H%c`)",
			 need->text, need->mib, (unsigned long long)now.rlim_cur >> 10, need->letter, need->letter);
}
