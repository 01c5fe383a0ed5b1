/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_kinds.h - which system calls of Linux do something that would be done a second time if their program ran again:
 * for the simulator (guest/effects.c), which judges them when they have returned, and for whoever watches a program
 * that runs natively (collect/count/supervisor.c), which judges them before. Needs the numbers of asm/unistd.h, or
 * Valgrind's.
 */
#ifndef TOPDOWN_SIMULATOR_CALL_KINDS_H
#define TOPDOWN_SIMULATOR_CALL_KINDS_H

enum kind {
	CALL_EFFECT,   /* not listed, or with a name for the report */
	CALL_HARMLESS, /* ends with the process, or changes nothing */
	CALL_OPENS,    /* the arguments are those of a path and of flags */
	CALL_READS,    /* from the descriptor */
	CALL_WRITES,   /* to the descriptor */
	CALL_MOVES,    /* from the first descriptor to the second */
	CALL_MAPS,
	CALL_OWN,     /* harmless for the process itself, which is 0 or its number */
	CALL_LIMITS,  /* as CALL_OWN, and without a second argument it only asks */
	CALL_SIGNALS, /* as CALL_OWN, and without a second argument it only asks */
	CALL_CONTROL, /* ioctl */
	CALL_FCNTL,
	CALL_SEEKS,
	CALL_LOCKS,
	CALL_SOCKET,
	CALL_SETS_SOCKET,
	CALL_SERVES
};

/*
 * HARMLESS(call), and JUDGED(call, kind, first, second, name): first and second are the numbers of the arguments that
 * it is about; of CALL_EFFECT first is 1 + that of a path, or 0. name is for the report. What is not here is an effect.
 * Locks, limits, timers and memory end with the process. A pipe by itself, or a socket of the usual families, reaches
 * nobody, and a program that is started has its own system calls judged.
 */
/* clang-format off */
struct call {
	unsigned char kind, first, second;
	const char *name; /* NULL: its number */
};

static const struct call calls[] = {
#define HARMLESS(call) [__NR_##call] = { CALL_HARMLESS, 0, 0, NULL },
#define JUDGED(call, kind, first, second, name) [__NR_##call] = { kind, first, second, name },
/* memory */
HARMLESS(brk) HARMLESS(mprotect) HARMLESS(munmap) HARMLESS(mremap) HARMLESS(madvise) HARMLESS(mincore)
HARMLESS(msync) HARMLESS(mlock) HARMLESS(munlock) HARMLESS(mlockall) HARMLESS(munlockall) HARMLESS(mlock2)
HARMLESS(mbind) HARMLESS(set_mempolicy) HARMLESS(get_mempolicy) HARMLESS(membarrier) HARMLESS(memfd_create)
HARMLESS(pkey_mprotect) HARMLESS(pkey_alloc) HARMLESS(pkey_free) JUDGED(mmap, CALL_MAPS, 4, 3, "write")

/* files that are only looked at */
HARMLESS(close) HARMLESS(fstat) HARMLESS(statfs) HARMLESS(fstatfs) HARMLESS(newfstatat) HARMLESS(statx)
HARMLESS(faccessat) HARMLESS(readlinkat) HARMLESS(getdents64) HARMLESS(getcwd) HARMLESS(chdir)
HARMLESS(fchdir) HARMLESS(umask) HARMLESS(readahead) HARMLESS(fadvise64) HARMLESS(fsync) HARMLESS(fdatasync)
HARMLESS(dup) HARMLESS(dup3) HARMLESS(getxattr) HARMLESS(lgetxattr) HARMLESS(fgetxattr) HARMLESS(listxattr)
HARMLESS(llistxattr) HARMLESS(flistxattr) HARMLESS(inotify_init1) HARMLESS(inotify_add_watch)
HARMLESS(inotify_rm_watch) HARMLESS(name_to_handle_at) JUDGED(openat, CALL_OPENS, 1, 2, "open")
JUDGED(ioctl, CALL_CONTROL, 0, 1, "ioctl") JUDGED(fcntl, CALL_FCNTL, 0, 1, "fcntl")
JUDGED(lseek, CALL_SEEKS, 0, 0, "seek") JUDGED(flock, CALL_LOCKS, 0, 0, "lock")
JUDGED(read, CALL_READS, 0, 0, "read") JUDGED(readv, CALL_READS, 0, 0, "read")
JUDGED(pread64, CALL_READS, 0, 0, "read") JUDGED(preadv, CALL_READS, 0, 0, "read")
JUDGED(preadv2, CALL_READS, 0, 0, "read") JUDGED(write, CALL_WRITES, 0, 0, "write")
JUDGED(writev, CALL_WRITES, 0, 0, "write") JUDGED(pwrite64, CALL_WRITES, 0, 0, "write")
JUDGED(pwritev, CALL_WRITES, 0, 0, "write") JUDGED(pwritev2, CALL_WRITES, 0, 0, "write")
JUDGED(ftruncate, CALL_WRITES, 0, 0, "write") JUDGED(fallocate, CALL_WRITES, 0, 0, "write")
JUDGED(vmsplice, CALL_WRITES, 0, 0, "write") JUDGED(sendfile, CALL_MOVES, 1, 0, "write")
JUDGED(splice, CALL_MOVES, 0, 2, "write") JUDGED(tee, CALL_MOVES, 0, 1, "write")
JUDGED(copy_file_range, CALL_MOVES, 0, 2, "write")

/* its own processes and threads */
HARMLESS(clone) HARMLESS(execve) HARMLESS(execveat) HARMLESS(exit) HARMLESS(exit_group) HARMLESS(wait4)
HARMLESS(waitid) HARMLESS(set_tid_address) HARMLESS(set_robust_list) HARMLESS(get_robust_list) HARMLESS(futex)
HARMLESS(sched_yield) HARMLESS(prctl) HARMLESS(personality) HARMLESS(restart_syscall) HARMLESS(pipe2)
HARMLESS(socketpair) HARMLESS(getsockname) HARMLESS(getpeername) HARMLESS(getsockopt) HARMLESS(eventfd2)
HARMLESS(signalfd4)
HARMLESS(epoll_create1) HARMLESS(epoll_ctl) HARMLESS(epoll_pwait) HARMLESS(ppoll) HARMLESS(pselect6)
HARMLESS(rt_sigaction) HARMLESS(rt_sigprocmask) HARMLESS(rt_sigreturn) HARMLESS(rt_sigpending)
HARMLESS(rt_sigtimedwait) HARMLESS(rt_sigsuspend) HARMLESS(sigaltstack) HARMLESS(setrlimit)
JUDGED(socket, CALL_SOCKET, 0, 1, "socket") JUDGED(setsockopt, CALL_SETS_SOCKET, 0, 1, "setsockopt")
JUDGED(kill, CALL_SIGNALS, 0, 1, "kill") JUDGED(tgkill, CALL_SIGNALS, 0, 2, "kill")
JUDGED(rt_sigqueueinfo, CALL_SIGNALS, 0, 1, "kill") JUDGED(rt_tgsigqueueinfo, CALL_SIGNALS, 0, 2, "kill")
JUDGED(prlimit64, CALL_LIMITS, 0, 2, "prlimit") JUDGED(sched_setaffinity, CALL_OWN, 0, 0, "sched_setaffinity")
JUDGED(sched_setscheduler, CALL_OWN, 0, 0, "sched_setscheduler")
JUDGED(sched_setparam, CALL_OWN, 0, 0, "sched_setparam")
JUDGED(sched_setattr, CALL_OWN, 0, 0, "sched_setattr") JUDGED(move_pages, CALL_OWN, 0, 0, "move_pages")

/* what it asks */
HARMLESS(getpid) HARMLESS(getppid) HARMLESS(gettid) HARMLESS(getuid) HARMLESS(geteuid) HARMLESS(getgid)
HARMLESS(getegid) HARMLESS(getresuid) HARMLESS(getresgid) HARMLESS(getgroups) HARMLESS(getpgid)
HARMLESS(getsid) HARMLESS(capget) HARMLESS(getrlimit) HARMLESS(getrusage) HARMLESS(getpriority)
HARMLESS(ioprio_get) HARMLESS(sched_getaffinity) HARMLESS(sched_getscheduler) HARMLESS(sched_getparam)
HARMLESS(sched_getattr) HARMLESS(sched_get_priority_max) HARMLESS(sched_get_priority_min)
HARMLESS(sched_rr_get_interval) HARMLESS(getcpu) HARMLESS(uname) HARMLESS(sysinfo) HARMLESS(times)
HARMLESS(getrandom) HARMLESS(kcmp)

/* time */
HARMLESS(clock_gettime) HARMLESS(clock_getres) HARMLESS(clock_nanosleep) HARMLESS(nanosleep)
HARMLESS(gettimeofday) HARMLESS(getitimer) HARMLESS(setitimer) HARMLESS(timer_create) HARMLESS(timer_settime)
HARMLESS(timer_gettime) HARMLESS(timer_getoverrun) HARMLESS(timer_delete) HARMLESS(timerfd_create)
HARMLESS(timerfd_settime) HARMLESS(timerfd_gettime)

/* effects with a name */
JUDGED(unlinkat, CALL_EFFECT, 2, 0, "unlink") JUDGED(mkdirat, CALL_EFFECT, 2, 0, "mkdir")
JUDGED(renameat, CALL_EFFECT, 2, 0, "rename") JUDGED(renameat2, CALL_EFFECT, 2, 0, "rename")
JUDGED(linkat, CALL_EFFECT, 4, 0, "link") JUDGED(symlinkat, CALL_EFFECT, 3, 0, "link")
JUDGED(mknodat, CALL_EFFECT, 2, 0, "mknod") JUDGED(fchmodat, CALL_EFFECT, 2, 0, "chmod")
JUDGED(fchmod, CALL_EFFECT, 0, 0, "chmod") JUDGED(fchownat, CALL_EFFECT, 2, 0, "chown")
JUDGED(fchown, CALL_EFFECT, 0, 0, "chown") JUDGED(utimensat, CALL_EFFECT, 2, 0, "utime")
JUDGED(truncate, CALL_EFFECT, 1, 0, "open") JUDGED(setxattr, CALL_EFFECT, 1, 0, "setxattr")
JUDGED(mount, CALL_EFFECT, 2, 0, "mount") JUDGED(umount2, CALL_EFFECT, 1, 0, "umount")
JUDGED(chroot, CALL_EFFECT, 1, 0, "chroot") JUDGED(bind, CALL_EFFECT, 0, 0, "bind")
JUDGED(sendto, CALL_EFFECT, 0, 0, "send") JUDGED(connect, CALL_EFFECT, 0, 0, "connect")
JUDGED(sendmsg, CALL_EFFECT, 0, 0, "send") JUDGED(sendmmsg, CALL_EFFECT, 0, 0, "send")
JUDGED(setsid, CALL_EFFECT, 0, 0, "setsid") JUDGED(setpgid, CALL_EFFECT, 0, 0, "setpgid")
JUDGED(shmget, CALL_EFFECT, 0, 0, "shmget") JUDGED(semget, CALL_EFFECT, 0, 0, "semget")
JUDGED(msgget, CALL_EFFECT, 0, 0, "msgget") JUDGED(mq_open, CALL_EFFECT, 0, 0, "mq_open")
JUDGED(tkill, CALL_EFFECT, 0, 0, "kill") JUDGED(setuid, CALL_EFFECT, 0, 0, "setuid")
JUDGED(setgid, CALL_EFFECT, 0, 0, "setgid") JUDGED(setpriority, CALL_EFFECT, 0, 0, "setpriority")
JUDGED(ptrace, CALL_EFFECT, 0, 0, "ptrace") JUDGED(sync, CALL_EFFECT, 0, 0, "sync")
JUDGED(listen, CALL_SERVES, 0, 0, "listen")

/* newer or older than others */
#if defined(__x86_64__)
HARMLESS(stat) HARMLESS(lstat) HARMLESS(access) HARMLESS(readlink) HARMLESS(getdents) HARMLESS(dup2)
HARMLESS(pipe) HARMLESS(poll) HARMLESS(select) HARMLESS(epoll_create) HARMLESS(epoll_wait) HARMLESS(eventfd)
HARMLESS(signalfd) HARMLESS(inotify_init) HARMLESS(fork) HARMLESS(vfork) HARMLESS(alarm) HARMLESS(pause)
HARMLESS(time) HARMLESS(getpgrp) HARMLESS(arch_prctl) HARMLESS(modify_ldt)
JUDGED(open, CALL_OPENS, 0, 1, "open") JUDGED(creat, CALL_EFFECT, 1, 0, "open")
JUDGED(unlink, CALL_EFFECT, 1, 0, "unlink") JUDGED(rmdir, CALL_EFFECT, 1, 0, "unlink")
JUDGED(mkdir, CALL_EFFECT, 1, 0, "mkdir") JUDGED(rename, CALL_EFFECT, 1, 0, "rename")
JUDGED(link, CALL_EFFECT, 2, 0, "link") JUDGED(symlink, CALL_EFFECT, 2, 0, "link")
JUDGED(mknod, CALL_EFFECT, 1, 0, "mknod") JUDGED(chmod, CALL_EFFECT, 1, 0, "chmod")
JUDGED(chown, CALL_EFFECT, 1, 0, "chown") JUDGED(lchown, CALL_EFFECT, 1, 0, "chown")
JUDGED(utime, CALL_EFFECT, 1, 0, "utime") JUDGED(utimes, CALL_EFFECT, 1, 0, "utime")
#endif
#ifdef __NR_faccessat2
HARMLESS(faccessat2)
#endif
#ifdef __NR_close_range
HARMLESS(close_range)
#endif
#ifdef __NR_rseq
HARMLESS(rseq)
#endif
#ifdef __NR_epoll_pwait2
HARMLESS(epoll_pwait2)
#endif
#undef HARMLESS
#undef JUDGED
};
/* clang-format on */

/*
 * Calls of Linux that Valgrind or its headers may lack, by the numbers that all architectures have in common. Programs
 * do without where they are missing, and nothing of them outlives the process.
 */
static const unsigned short dispensable_calls[] = {
	435,		    /* clone3 */
	436,		    /* close_range */
	439,		    /* faccessat2 */
	441,		    /* epoll_pwait2 */
	449, 454, 455, 456, /* futex_waitv, futex_wake, futex_wait, futex_requeue */
	450,		    /* set_mempolicy_home_node */
	451,		    /* cachestat */
	453,		    /* map_shadow_stack */
	457, 458,	    /* statmount, listmount */
	462,		    /* mseal */
	464, 465,	    /* getxattrat, listxattrat */
};

#endif
