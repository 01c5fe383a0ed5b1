/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wall_known.c - waits of known kinds, which time themselves. Each argument is a step, WAY:MILLISECONDS; "[" and "]"
 * have a thread of their own for those between, "{" and "}" a process, "exec" begins the program anew with the rest,
 * and "leave" lets the main thread end, and another one go on. A line per thread and kind comes out: "TID KIND
 * SECONDS WAITS", of the wall clock less the thread's CPU time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum kind { LOCK, DISK, NETWORK, PIPE, TIMER, CHILD, OTHER, KINDS };

static const char *const names[KINDS] = { "lock", "disk", "network", "pipe", "timer", "child", "other" };

static __thread struct {
	double seconds[KINDS];
	long waits[KINDS];
} sums;

static double clock_of(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double waited(void)
{
	return clock_of(CLOCK_MONOTONIC) - clock_of(CLOCK_THREAD_CPUTIME_ID);
}

static void need(int is_right, const char *what)
{
	if (is_right)
		return;
	perror(what);
	_exit(9);
}

#define TIMED(kind, call)                                                                                              \
	do {                                                                                                           \
		double at = waited();                                                                                  \
		need((call) >= 0, #call);                                                                              \
		sums.seconds[kind] += waited() - at;                                                                   \
		sums.waits[kind]++;                                                                                    \
	} while (0)

static void say(void)
{
	for (int i = 0; i < KINDS; i++)
		if (sums.waits[i])
			printf("%d %s %.6f %ld\n", (int)gettid(), names[i], sums.seconds[i], sums.waits[i]);
	fflush(stdout);
}

static int no_error(int number)
{
	return number ? -1 : 0;
}

/* ---- a thread that does something later ---- */

struct later {
	int ms;
	int ends[2];
	void (*act)(struct later *later); /* at its end */
	void (*begin)(struct later *later);
	sem_t begun;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
	pthread_cond_t cond;
	pthread_barrier_t barrier;
	sem_t sem;
	pid_t waiter;
	pthread_t waiting;
};

static void *act_later(void *given)
{
	struct later *later = given;

	if (later->begin)
		later->begin(later);
	sem_post(&later->begun);
	usleep((useconds_t)later->ms * 1000);
	if (later->act)
		later->act(later);
	return NULL;
}

static void start(struct later *later)
{
	later->waiting = pthread_self();
	pthread_mutex_init(&later->mutex, NULL);
	pthread_rwlock_init(&later->rwlock, NULL);
	pthread_cond_init(&later->cond, NULL);
	pthread_barrier_init(&later->barrier, NULL, 2);
	sem_init(&later->sem, 0, 0);
	sem_init(&later->begun, 0, 0);
	need(!pthread_create(&later->thread, NULL, act_later, later), "pthread_create");
	TIMED(LOCK, sem_wait(&later->begun));
}

static void finish(struct later *later)
{
	TIMED(LOCK, no_error(pthread_join(later->thread, NULL)));
}

/* ---- lock ---- */

static void take_mutex(struct later *later)
{
	pthread_mutex_lock(&later->mutex);
}
static void free_mutex(struct later *later)
{
	pthread_mutex_unlock(&later->mutex);
}
static void take_rwlock(struct later *later)
{
	pthread_rwlock_wrlock(&later->rwlock);
}
static void free_rwlock(struct later *later)
{
	pthread_rwlock_unlock(&later->rwlock);
}
static void post(struct later *later)
{
	sem_post(&later->sem);
}
static void meet(struct later *later)
{
	pthread_barrier_wait(&later->barrier);
}

static void signal_cond(struct later *later)
{
	pthread_mutex_lock(&later->mutex);
	later->ms = 0;
	pthread_cond_signal(&later->cond);
	pthread_mutex_unlock(&later->mutex);
}

static void wait_mutex(int ms)
{
	struct later later = { .ms = ms, .begin = take_mutex, .act = free_mutex };

	start(&later);
	TIMED(LOCK, no_error(pthread_mutex_lock(&later.mutex)));
	finish(&later);
}

static void wait_rwlock(int ms)
{
	struct later later = { .ms = ms, .begin = take_rwlock, .act = free_rwlock };

	start(&later);
	TIMED(LOCK, no_error(pthread_rwlock_rdlock(&later.rwlock)));
	finish(&later);
}

static int until_signalled(struct later *later)
{
	pthread_mutex_lock(&later->mutex);
	while (later->ms)
		pthread_cond_wait(&later->cond, &later->mutex);
	pthread_mutex_unlock(&later->mutex);
	return 0;
}

static void wait_cond(int ms)
{
	struct later later = { .ms = ms, .act = signal_cond };

	start(&later);
	TIMED(LOCK, until_signalled(&later));
	finish(&later);
}

static void wait_sem(int ms)
{
	struct later later = { .ms = ms, .act = post };

	start(&later);
	TIMED(LOCK, sem_wait(&later.sem));
	finish(&later);
}

static void wait_join(int ms)
{
	struct later later = { .ms = ms };

	start(&later);
	finish(&later);
}

static void wait_barrier(int ms)
{
	struct later later = { .ms = ms, .act = meet };

	start(&later);
	TIMED(LOCK, (pthread_barrier_wait(&later.barrier), 0));
	finish(&later);
}

static int open_file(const char *way)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "known-%s-%d", way, (int)getpid());
	fd = open(path, O_RDWR | O_CREAT, 0600);
	need(fd >= 0, path);
	return fd;
}

static void take_flock(struct later *later)
{
	later->ends[0] = open_file("flock");
	flock(later->ends[0], LOCK_EX);
}

static void close_file(struct later *later)
{
	close(later->ends[0]);
}

static void wait_flock(int ms)
{
	struct later later = { .ms = ms, .begin = take_flock, .act = close_file };
	int fd;

	start(&later);
	fd = open_file("flock");
	TIMED(LOCK, flock(fd, LOCK_EX));
	close(fd);
	finish(&later);
}

/* A lock of the open file, not of the process: else threads do not wait for each other. */
static int lock_range(int fd)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };

	return fcntl(fd, F_OFD_SETLKW, &all);
}

static void take_range(struct later *later)
{
	later->ends[0] = open_file("fcntl");
	lock_range(later->ends[0]);
}

static void wait_fcntl(int ms)
{
	struct later later = { .ms = ms, .begin = take_range, .act = close_file };
	int fd;

	start(&later);
	fd = open_file("fcntl");
	TIMED(LOCK, lock_range(fd));
	close(fd);
	finish(&later);
}

/* ---- pipe ---- */

static void write_byte(struct later *later)
{
	const unsigned long one = 1;

	need(write(later->ends[1], &one, sizeof(one)) > 0, "write");
}

enum call { READ, POLL, SELECT, EPOLL, RECEIVE };

static long wait_input(enum call call, int fd)
{
	struct pollfd polled = { fd, POLLIN, 0 };
	struct epoll_event event = { .events = EPOLLIN };
	unsigned long byte;
	fd_set set;
	int epoll;

	switch (call) {
	case READ: return read(fd, &byte, sizeof(byte));
	case RECEIVE: return recv(fd, &byte, sizeof(byte), 0);
	case POLL: return poll(&polled, 1, -1);
	case SELECT:
		FD_ZERO(&set);
		FD_SET(fd, &set);
		return select(fd + 1, &set, NULL, NULL, NULL);
	case EPOLL: break;
	}
	epoll = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	fd = epoll_wait(epoll, &event, 1, -1);
	close(epoll);
	return fd;
}

static void wait_ends(const int ends[2], int ms, enum kind kind, enum call call)
{
	struct later later = { .ms = ms, .ends = { ends[0], ends[1] }, .act = write_byte };

	start(&later);
	TIMED(kind, wait_input(call, ends[0]));
	finish(&later);
	close(ends[0]);
	if (ends[1] != ends[0])
		close(ends[1]);
}

static void wait_pipe_by(int ms, enum call call)
{
	int ends[2];

	need(pipe(ends) == 0, "pipe");
	wait_ends(ends, ms, PIPE, call);
}

static void wait_pipe(int ms)
{
	wait_pipe_by(ms, READ);
}
static void wait_poll(int ms)
{
	wait_pipe_by(ms, POLL);
}
static void wait_select(int ms)
{
	wait_pipe_by(ms, SELECT);
}
static void wait_epoll(int ms)
{
	wait_pipe_by(ms, EPOLL);
}

static void wait_local(int ms)
{
	int ends[2];

	need(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
	wait_ends(ends, ms, PIPE, RECEIVE);
}

static void wait_eventfd(int ms)
{
	int fd = eventfd(0, 0), ends[2] = { fd, fd };

	wait_ends(ends, ms, PIPE, READ);
}

static void wait_timerfd(int ms)
{
	struct itimerspec after = { .it_value = { ms / 1000, ms % 1000 * 1000000L } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	timerfd_settime(fd, 0, &after, NULL);
	TIMED(PIPE, wait_input(READ, fd));
	close(fd);
}

/* ---- network ---- */

static int bound_socket(int type, struct sockaddr_in *at)
{
	socklen_t length = sizeof(*at);
	int fd = socket(AF_INET, type, 0);

	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	need(bind(fd, (struct sockaddr *)at, sizeof(*at)) == 0, "bind");
	need(getsockname(fd, (struct sockaddr *)at, &length) == 0, "getsockname");
	return fd;
}

/* A process that connects at once, or later, and answers later. */
static pid_t connect_later(const struct sockaddr_in *at, int ms, int answer_ms)
{
	pid_t child = fork();
	int fd;

	if (child)
		return child;
	usleep((useconds_t)ms * 1000);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	need(connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0, "connect");
	usleep((useconds_t)answer_ms * 1000);
	need(write(fd, "12345678", 8) == 8, "answer");
	_exit(0);
}

static void serve(int ms, int answer_ms)
{
	struct sockaddr_in at;
	int server = bound_socket(SOCK_STREAM, &at), fd = -1;
	pid_t child;

	need(listen(server, 1) == 0, "listen");
	child = connect_later(&at, ms, answer_ms);
	TIMED(NETWORK, fd = accept(server, NULL, NULL));
	TIMED(NETWORK, wait_input(RECEIVE, fd));
	TIMED(CHILD, waitpid(child, NULL, 0));
	close(fd);
	close(server);
}

static void wait_tcp(int ms)
{
	serve(0, ms);
}
static void wait_accept(int ms)
{
	serve(ms, 0);
}

static void wait_udp(int ms)
{
	struct sockaddr_in at, from;
	int ends[2] = { bound_socket(SOCK_DGRAM, &at), bound_socket(SOCK_DGRAM, &from) };

	need(connect(ends[1], (struct sockaddr *)&at, sizeof(at)) == 0, "connect");
	wait_ends(ends, ms, NETWORK, RECEIVE);
}

/* ---- timer, disk, child, other ---- */

static void wait_nanosleep(int ms)
{
	const struct timespec length = { ms / 1000, ms % 1000 * 1000000L };

	TIMED(TIMER, nanosleep(&length, NULL));
}

static void wait_usleep(int ms)
{
	TIMED(TIMER, usleep((useconds_t)ms * 1000));
}

/* Short ones: 5 a millisecond. */
static void wait_naps(int ms)
{
	for (int i = 0; i < 5 * ms; i++)
		TIMED(TIMER, usleep(200));
}

/* Short ones for another process, which naps before each byte. */
static void wait_bytes(int ms)
{
	int ends[2];
	pid_t child;

	need(pipe(ends) == 0, "pipe");
	child = fork();
	for (int i = 0; !child && i < 5 * ms; i++) {
		usleep(200);
		need(write(ends[1], "1", 1) == 1, "write");
	}
	if (!child)
		_exit(0);
	for (int i = 0; i < 5 * ms; i++) {
		char byte;

		TIMED(PIPE, read(ends[0], &byte, 1));
	}
	TIMED(CHILD, waitpid(child, NULL, 0));
	close(ends[0]);
	close(ends[1]);
}

static void wait_sync(int ms)
{
	int fd = open_file("sync");

	for (double end = clock_of(CLOCK_MONOTONIC) + ms * 1e-3; clock_of(CLOCK_MONOTONIC) < end;) {
		TIMED(DISK, write(fd, names, sizeof(names)));
		TIMED(DISK, fdatasync(fd));
	}
	close(fd);
}

/* Reads past the cache; nothing where the file system knows none. */
static void wait_direct(int ms)
{
	const size_t block = 65536, nblocks = 32;
	int fd = open_file("direct");
	void *data = NULL;
	char path[64];

	need(!posix_memalign(&data, 4096, block), "posix_memalign");
	memset(data, 1, block);
	for (size_t i = 0; i < nblocks; i++)
		TIMED(DISK, write(fd, data, block));
	TIMED(DISK, fsync(fd));
	close(fd);
	snprintf(path, sizeof(path), "known-direct-%d", (int)getpid());
	fd = open(path, O_RDONLY | O_DIRECT);
	if (fd < 0)
		return;
	for (double end = clock_of(CLOCK_MONOTONIC) + ms * 1e-3; clock_of(CLOCK_MONOTONIC) < end;)
		for (size_t i = 0; i < nblocks; i++)
			TIMED(DISK, pread(fd, data, block, (off_t)(i * block)));
	close(fd);
	free(data);
}

static void wait_child_by(int ms, int is_waitid)
{
	pid_t child = fork();
	siginfo_t info;

	if (!child) {
		usleep((useconds_t)ms * 1000);
		_exit(0);
	}
	if (is_waitid)
		TIMED(CHILD, waitid(P_PID, (id_t)child, &info, WEXITED));
	else
		TIMED(CHILD, waitpid(child, NULL, 0));
}

static void wait_wait4(int ms)
{
	wait_child_by(ms, 0);
}
static void wait_waitid(int ms)
{
	wait_child_by(ms, 1);
}

static void send_signal(struct later *later)
{
	pthread_kill(later->waiting, SIGUSR1);
}
static void do_nothing(int number)
{
	(void)number;
}

static void wait_sigwait(int ms)
{
	struct later later = { .ms = ms, .act = send_signal };
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	start(&later);
	TIMED(OTHER, no_error(sigwait(&set, &number)));
	finish(&later);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* pause() that can miss no signal. */
static void wait_pause(int ms)
{
	struct later later = { .ms = ms, .act = send_signal };
	sigset_t set, old;

	signal(SIGUSR1, do_nothing);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	start(&later);
	TIMED(OTHER, -sigsuspend(&old));
	finish(&later);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Another process stops this one, which runs, and has it go on later. */
static void wait_stop(int ms)
{
	volatile int *runs = mmap(NULL, sizeof(*runs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t own = getpid(), child;
	double at;

	need(runs != MAP_FAILED, "mmap");
	child = fork();

	if (!child) {
		while (!*runs)
			usleep(1000);
		kill(own, SIGSTOP);
		usleep((useconds_t)ms * 1000);
		kill(own, SIGCONT);
		_exit(0);
	}
	at = waited();
	*runs = 1; /* else it may be stopped at the end of fork(), and that has a name of its own */
	while (waited() < at + ms * 0.5e-3)
		;
	sums.seconds[OTHER] += waited() - at;
	sums.waits[OTHER]++;
	TIMED(CHILD, waitpid(child, NULL, 0));
}

static void run(int ms)
{
	for (double end = clock_of(CLOCK_THREAD_CPUTIME_ID) + ms * 1e-3; clock_of(CLOCK_THREAD_CPUTIME_ID) < end;)
		;
}

static const struct {
	const char *name;
	void (*act)(int ms);
} ways[] = { { "mutex", wait_mutex },	      { "rwlock", wait_rwlock },
	     { "cond", wait_cond },	      { "sem", wait_sem },
	     { "join", wait_join },	      { "barrier", wait_barrier },
	     { "flock", wait_flock },	      { "fcntl", wait_fcntl },
	     { "pipe", wait_pipe },	      { "poll", wait_poll },
	     { "select", wait_select },	      { "epoll", wait_epoll },
	     { "local", wait_local },	      { "eventfd", wait_eventfd },
	     { "timerfd", wait_timerfd },     { "tcp", wait_tcp },
	     { "accept", wait_accept },	      { "udp", wait_udp },
	     { "nanosleep", wait_nanosleep }, { "usleep", wait_usleep },
	     { "naps", wait_naps },	      { "bytes", wait_bytes },
	     { "sync", wait_sync },	      { "direct", wait_direct },
	     { "wait4", wait_wait4 },	      { "waitid", wait_waitid },
	     { "sigwait", wait_sigwait },     { "pause", wait_pause },
	     { "stop", wait_stop },	      { "run", run } };

static void take_step(const char *step)
{
	size_t length = strcspn(step, ":");

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strlen(ways[i].name) == length && !strncmp(ways[i].name, step, length)) {
			ways[i].act(atoi(step + length + 1));
			return;
		}
	need(0, step);
}

/* Behind the end that belongs to the first word. */
static char **end_of(char **words)
{
	const char end = **words == '[' ? ']' : '}';

	while (*words && **words != end)
		words++;
	need(*words != NULL, "an end");
	return words + 1;
}

static char **all; /* of the program */

static void *take_steps(void *given)
{
	pthread_t threads[16];
	pid_t children[16];
	int nthreads = 0, nchildren = 0;
	char **words = given;

	for (; *words && !strchr("]}", **words); words++) {
		if (**words == '[') {
			need(!pthread_create(&threads[nthreads++], NULL, take_steps, words + 1), "pthread_create");
			words = end_of(words) - 1;
		} else if (**words == '{') {
			children[nchildren] = fork();
			if (!children[nchildren]) {
				memset(&sums, 0, sizeof(sums));
				take_steps(words + 1);
				_exit(0);
			}
			nchildren++;
			words = end_of(words) - 1;
		} else if (!strcmp(*words, "exec")) {
			say();
			*words = all[0];
			execv("/proc/self/exe", words);
			need(0, "execv");
		} else if (!strcmp(*words, "leave")) {
			pthread_t other;

			need(!pthread_create(&other, NULL, take_steps, words + 1), "pthread_create");
			break;
		} else {
			take_step(*words);
		}
	}
	for (int i = 0; i < nthreads; i++)
		TIMED(LOCK, no_error(pthread_join(threads[i], NULL)));
	for (int i = 0; i < nchildren; i++)
		TIMED(CHILD, waitpid(children[i], NULL, 0));
	say();
	return NULL;
}

int main(int argc, char **argv)
{
	(void)argc;
	all = argv;
	take_steps(argv + 1);
	pthread_exit(NULL);
}
