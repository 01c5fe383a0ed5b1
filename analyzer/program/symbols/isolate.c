/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/system/loop.h"
#include "common/system/shortage.h"

#define WAITING	     3		       /* times the CPU time */
#define MOST_MEMORY  ((rlim_t)8 << 30) /* of a process; a file that is mapped does not count */
#define LEAST_MEMORY ((rlim_t)512 << 20)
#define STACK	     ((rlim_t)64 << 20) /* for names of deep templates */
#define FIRST_ROOM   ((size_t)16 << 10)

#if defined(__SANITIZE_ADDRESS__)
#define HAS_SHADOW 1 /* AddressSanitizer reserves terabytes */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SHADOW 1
#endif
#endif
#ifndef HAS_SHADOW
#define HAS_SHADOW 0
#endif

#ifdef __GLIBC__
typedef __rlimit_resource_t resource_kind;
#else
typedef int resource_kind;
#endif

struct pool;

/* A process. */
struct chamber {
	struct pool *pool;
	struct isolated *work; /* NULL: it is idle */
	pid_t pid;
	struct loop_descriptor pipe;
	struct loop_alarm deadline;
	unsigned char *bytes; /* by malloc: an arena would keep each step of its growth */
	size_t length, room;
};

struct pool {
	struct loop loop;
	struct arena *arena;
	struct isolated *next, *end;
	struct chamber *chambers;
	size_t nchambers;
	rlim_t memory; /* of each process */
};

const char *isolated_end_text(enum isolated_end end)
{
	static const char *const texts[] = { [ISOLATED_DONE] = "is done",
					     [ISOLATED_FAILED] = "failed",
					     [ISOLATED_CRASHED] = "crashed",
					     [ISOLATED_LATE] = "took more than its time",
					     [ISOLATED_TOO_LONG] = "said more than can be" };

	return texts[end];
}

/* ---- in the new process ---- */

static void limit(resource_kind what, rlim_t most)
{
	struct rlimit now;

	if (getrlimit(what, &now) < 0)
		return;
	now.rlim_cur = now.rlim_max == RLIM_INFINITY || now.rlim_max > most ? most : now.rlim_max;
	(void)setrlimit(what, &now);
}

static void close_streams(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int stream = STDIN_FILENO; stream <= STDERR_FILENO && null >= 0; stream++)
		dup2(null, stream);
}

/* Ctrl-C is for topdown, which still reports; its end takes this process along. */
static void set_signals(pid_t parent)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGPIPE, SIGXCPU, SIGALRM };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < COUNT_OF(fatal); i++)
		signal(fatal[i], SIG_DFL);
	signal(SIGINT, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

static _Noreturn void inside(const struct chamber *chamber, int out, pid_t parent)
{
	set_signals(parent);
	close_streams();
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, (rlim_t)ceil(chamber->work->limit_s));
	limit(RLIMIT_STACK, STACK);
	if (!HAS_SHADOW)
		limit(RLIMIT_DATA, chamber->pool->memory);
	_exit(chamber->work->work(chamber->work->context, out) < 0 ? 1 : 0);
}

/* ---- outside ---- */

static enum isolated_end end_of(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status) ? ISOLATED_FAILED : ISOLATED_DONE;
	return WTERMSIG(status) == SIGXCPU ? ISOLATED_LATE : ISOLATED_CRASHED;
}

/* The process is over, or shall be: end is why then. */
static void isolate_finish(struct chamber *chamber, enum isolated_end end)
{
	struct isolated *work = chamber->work;
	int status = 0;

	if (end != ISOLATED_DONE)
		kill(chamber->pid, SIGKILL);
	loop_cancel(&chamber->pool->loop, &chamber->deadline);
	loop_remove(&chamber->pool->loop, &chamber->pipe);
	close(chamber->pipe.fd);
	while (waitpid(chamber->pid, &status, 0) < 0 && errno == EINTR)
		;
	work->end = end == ISOLATED_DONE ? end_of(status) : end;
	work->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	work->length = chamber->length;
	work->answer = arena_alloc(chamber->pool->arena, chamber->length + 1);
	if (chamber->length)
		memcpy(work->answer, chamber->bytes, chamber->length);
	chamber->work = NULL;
}

static int isolate_go_on(struct chamber *chamber, struct error *err);

static int finish_and_go_on(struct chamber *chamber, enum isolated_end end, struct error *err)
{
	isolate_finish(chamber, end);
	return isolate_go_on(chamber, err);
}

static int on_deadline(void *context, struct error *err)
{
	return finish_and_go_on(context, ISOLATED_LATE, err);
}

static bool isolate_make_room(struct chamber *chamber)
{
	size_t room = chamber->room ? 2 * chamber->room : FIRST_ROOM;
	unsigned char *grown;

	if (chamber->length < chamber->room)
		return true;
	grown = realloc(chamber->bytes, room);
	if (!grown)
		return false;
	chamber->bytes = grown;
	chamber->room = room;
	return true;
}

static int on_bytes(void *context, struct error *err)
{
	struct chamber *chamber = context;
	ssize_t got;

	if (!isolate_make_room(chamber) || chamber->length > chamber->work->most)
		return finish_and_go_on(chamber, ISOLATED_TOO_LONG, err);
	got = read(chamber->pipe.fd, chamber->bytes + chamber->length, chamber->room - chamber->length);
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (got <= 0)
		return finish_and_go_on(chamber, ISOLATED_DONE, err);
	chamber->length += (size_t)got;
	return 0;
}

static int isolate_start(struct chamber *chamber, struct error *err)
{
	struct pool *pool = chamber->pool;
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return shortage(err, "a process that looks up symbols can't be started", errno);
	chamber->work = pool->next;
	chamber->pid = fork();
	if (chamber->pid == 0)
		inside(chamber, ends[1], parent);
	close(ends[1]);
	if (chamber->pid < 0) {
		chamber->work = NULL;
		shortage(err, "a process that looks up symbols can't be started", errno);
		close(ends[0]);
		return -1;
	}
	pool->next++;
	chamber->length = 0;
	chamber->pipe =
		(struct loop_descriptor){ .fd = ends[0], .events = POLLIN, .call = on_bytes, .context = chamber };
	chamber->deadline = (struct loop_alarm){ .call = on_deadline, .context = chamber };
	loop_add(&pool->loop, &chamber->pipe);
	loop_set(&pool->loop, &chamber->deadline, clock_now() + WAITING * chamber->work->limit_s);
	return 0;
}

static bool is_any_busy(const struct pool *pool)
{
	for (size_t i = 0; i < pool->nchambers; i++)
		if (pool->chambers[i].work)
			return true;
	return false;
}

/* With the next work, if any is left. Where the system gives no more processes, those that there are do it. */
static int isolate_go_on(struct chamber *chamber, struct error *err)
{
	struct error shortness = { .text = "" };

	if (chamber->pool->next == chamber->pool->end || isolate_start(chamber, &shortness) == 0 ||
	    is_any_busy(chamber->pool))
		return 0;
	return error_set(err, "%s", shortness.text);
}

/* Those that this process may use. */
static size_t cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

/* Half of the machine's, for all processes together. */
static rlim_t memory_of_each(size_t processes)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	rlim_t each = pages > 0 && page > 0 ? (rlim_t)pages * (rlim_t)page / 2 / processes : LEAST_MEMORY;

	return each > MOST_MEMORY ? MOST_MEMORY : each < LEAST_MEMORY ? LEAST_MEMORY : each;
}

int isolate(struct isolated *works, size_t count, struct arena *arena, struct error *err)
{
	size_t processes = count < cpus() ? count : cpus();
	struct pool pool = { .arena = arena, .next = works, .end = works + count };
	int status = 0;

	if (!count)
		return 0;
	loop_init(&pool.loop, arena);
	pool.memory = memory_of_each(processes);
	pool.chambers = arena_array(arena, processes, sizeof(*pool.chambers));
	pool.nchambers = processes;
	for (size_t i = 0; i < processes && status == 0; i++) {
		pool.chambers[i].pool = &pool;
		status = isolate_go_on(&pool.chambers[i], err);
	}
	if (status == 0)
		status = loop_run(&pool.loop, err);
	for (size_t i = 0; i < pool.nchambers; i++) {
		if (pool.chambers[i].work)
			isolate_finish(&pool.chambers[i], ISOLATED_FAILED);
		free(pool.chambers[i].bytes);
	}
	return status;
}
