/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_kernel.bpf.c - the wall clock of threads, added up in the kernel as they leave and get their CPUs: nothing is
 * recorded. The parts of the kernel's structures that it reads are found by their names when it is loaded (CO-RE).
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "collect/waits/wait_kernel.h"

/* include/linux/sched.h, include/uapi/linux/stat.h, include/linux/socket.h */
#define PF_EXITING	     0x00000004
#define PF_KTHREAD	     0x00200000
#define TASK_UNINTERRUPTIBLE 2
#define S_IFMT		     0170000
#define S_IFSOCK	     0140000
#define S_IFREG		     0100000
#define S_IFBLK		     0060000
#define S_IFDIR		     0040000
#define S_IFIFO		     0010000
#define AF_INET		     2
#define AF_INET6	     10

#define MOST_DESCRIPTOR 65536
#define KEPT		__attribute__((preserve_access_index))

struct inode {
	unsigned short i_mode;
	unsigned long i_ino;
} KEPT;
struct qstr {
	const unsigned char *name;
} KEPT;
struct dentry {
	struct qstr d_name;
} KEPT;
struct path {
	struct dentry *dentry;
} KEPT;
struct sock_common {
	unsigned short skc_family, skc_dport, skc_num;
	__u32 skc_daddr;
} KEPT;
struct sock {
	struct sock_common __sk_common;
} KEPT;
struct socket {
	struct sock *sk;
} KEPT;
struct file {
	struct path f_path;
	struct inode *f_inode;
	void *private_data;
} KEPT;
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} KEPT;
struct files_struct {
	struct fdtable *fdt;
} KEPT;
struct task_struct {
	int pid, tgid;
	unsigned int flags;
	unsigned int __state;
	struct files_struct *files;
	char comm[KERNEL_NAME];
} KEPT;
struct task_struct___before_5_14 {
	long state;
} KEPT;
#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long dx, si, di, orig_ax;
} KEPT;
#else
struct user_pt_regs {
	__u64 regs[31];
} KEPT;
struct pt_regs {
	struct user_pt_regs user_regs;
	int syscallno;
} KEPT;
#endif

const volatile struct kernel_settings settings;
struct kernel_sums sums;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KERNEL_THREADS);
	__type(key, __u32);
	__type(value, struct kernel_thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KERNEL_CAUSES);
	__type(key, struct kernel_key);
	__type(value, struct kernel_cause);
} causes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} messages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} cgroups SEC(".maps");

static __always_inline void note_lost(void)
{
	__sync_fetch_and_add(&sums.lost, 1);
}

/* It stands while measuring pauses. */
static __always_inline __u64 now_measured(void)
{
	__u64 begun = sums.clock.begun, now;

	if (!begun)
		return sums.clock.measured;
	now = bpf_ktime_get_ns();
	return sums.clock.measured + (now > begun ? now - begun : 0);
}

static __always_inline unsigned char shown(__u32 call)
{
	return call < KERNEL_CALLS ? settings.shown_by[call] : SHOWN_BY_CALL;
}

static __always_inline struct kernel_thread *thread_add(struct task_struct *task, __u64 now, __u32 state)
{
	struct kernel_thread thread = {
		.from = now, .since = now, .state = state, .pid = task->tgid, .tid = task->pid
	};
	__u32 tid = task->pid;

	thread.serial = __sync_fetch_and_add(&sums.serials, 1) + 1;
	if (bpf_map_update_elem(&threads, &tid, &thread, BPF_ANY)) {
		note_lost();
		return 0;
	}
	return bpf_map_lookup_elem(&threads, &tid);
}

/* ---- the beginning of a wait ---- */

static __always_inline struct pt_regs *registers_of(struct task_struct *task)
{
	return (struct pt_regs *)bpf_task_pt_regs(task);
}

/* Of an interrupt or a fault there is no number: it is below 0. */
static __always_inline __u32 call_of(const struct pt_regs *registers)
{
#if defined(__TARGET_ARCH_x86)
	long number = BPF_CORE_READ(registers, orig_ax);
#else
	long number = BPF_CORE_READ(registers, syscallno);
#endif
	return number >= 0 && number < KERNEL_CALLS ? number : NO_CALL_NUMBER;
}

static __always_inline __u64 argument_of(const struct pt_regs *registers, int number)
{
#if defined(__TARGET_ARCH_x86)
	return number == 0   ? BPF_CORE_READ(registers, di)
	       : number == 1 ? BPF_CORE_READ(registers, si)
			     : BPF_CORE_READ(registers, dx);
#else
	return BPF_CORE_READ(registers, user_regs.regs[number]);
#endif
}

static __always_inline struct file *file_of(struct task_struct *task, __u64 descriptor)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd), *file = 0;

	if (descriptor >= MOST_DESCRIPTOR || descriptor >= BPF_CORE_READ(table, max_fds))
		return 0;
	bpf_probe_read_kernel(&file, sizeof(file), &files[descriptor]);
	return file;
}

static __always_inline struct file *shown_file(struct task_struct *task, const struct pt_regs *registers, __u32 call)
{
	return file_of(task, argument_of(registers, shown(call) == SHOWN_BY_SECOND_FD));
}

static __always_inline void take_socket(struct kernel_cause_message *to, struct file *file)
{
	struct socket *socket = BPF_CORE_READ(file, private_data);
	struct sock *sock = BPF_CORE_READ(socket, sk);

	to->family = BPF_CORE_READ(sock, __sk_common.skc_family);
	to->object = to->family == AF_INET || to->family == AF_INET6 ? OBJECT_PEER : OBJECT_SOCKET;
	to->port = __builtin_bswap16(BPF_CORE_READ(sock, __sk_common.skc_dport));
	to->own_port = BPF_CORE_READ(sock, __sk_common.skc_num);
	to->address = BPF_CORE_READ(sock, __sk_common.skc_daddr);
}

static __always_inline void take_file(struct kernel_cause_message *to, struct file *file)
{
	unsigned short kind = BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT;

	if (kind == S_IFSOCK) {
		take_socket(to, file);
		return;
	}
	to->object = kind == S_IFIFO					     ? OBJECT_PIPE
		     : kind == S_IFREG || kind == S_IFDIR || kind == S_IFBLK ? OBJECT_FILE
									     : OBJECT_DEVICE;
	bpf_probe_read_kernel_str(to->file, sizeof(to->file), BPF_CORE_READ(file, f_path.dentry, d_name.name));
}

/* A cause that is new: its names are looked for at once, while they are there. The task waits, or just did. */
static __noinline int send_cause(struct kernel_thread *thread, struct task_struct *task)
{
	struct kernel_cause_message *to = bpf_ringbuf_reserve(&messages, sizeof(*to), 0);
	const struct pt_regs *registers;

	if (!to) {
		note_lost();
		return 0;
	}
	__builtin_memset(to, 0, sizeof(*to));
	to->message = MESSAGE_CAUSE;
	to->pid = thread->pid;
	to->tid = thread->tid;
	to->key = thread->key;
	to->is_uninterruptible = thread->is_uninterruptible;
	registers = registers_of(task);
	to->arguments[0] = argument_of(registers, 0);
	to->arguments[1] = argument_of(registers, 1);
	to->arguments[2] = argument_of(registers, 2);
	if (shown(to->key.call) == SHOWN_BY_FIRST_FD || shown(to->key.call) == SHOWN_BY_SECOND_FD) {
		struct file *file = shown_file(task, registers, to->key.call);

		if (file)
			take_file(to, file);
	}
	bpf_ringbuf_submit(to, 0);
	return 0;
}

static __always_inline void thread_waits(struct kernel_thread *thread, struct task_struct *task)
{
	const struct pt_regs *registers = registers_of(task);
	__u32 call = call_of(registers);
	unsigned char by = shown(call);
	struct kernel_cause fresh = { .is_uninterruptible = thread->is_uninterruptible };

	thread->key = (struct kernel_key){ .serial = thread->serial, .call = call, .image = thread->image };
	if (by == SHOWN_BY_LOCK)
		thread->key.object = argument_of(registers, 0);
	else if (by != SHOWN_BY_CALL)
		thread->key.object = (__u64)BPF_CORE_READ(shown_file(task, registers, call), f_inode);
	if (bpf_map_lookup_elem(&causes, &thread->key))
		return;
	if (bpf_map_update_elem(&causes, &thread->key, &fresh, BPF_NOEXIST))
		note_lost();
	else
		send_cause(thread, task);
}

/* ---- its end ---- */

static __always_inline void note_ready(struct kernel_thread *thread, __u64 length)
{
	__u64 rest = length, shift = 0;

	if (length > thread->longest_ready)
		thread->longest_ready = length;
	if (length > sums.ready_longest)
		sums.ready_longest = length;
	__sync_fetch_and_add(&sums.ready_sum, length);
#pragma unroll
	for (int step = 32; step; step /= 2)
		if (rest >> (step + KERNEL_PART_BITS)) {
			rest >>= step;
			shift += step;
		}
	length = rest + (shift << KERNEL_PART_BITS);
	if (length < KERNEL_BUCKETS)
		__sync_fetch_and_add(&sums.ready[length], 1);
}

static __always_inline void vote(struct kernel_cause *cause, __u32 waker, __u64 time)
{
	if (!waker)
		return;
	if (cause->by == waker) {
		cause->by_more += time;
	} else if (cause->by_more >= time) {
		cause->by_more -= time;
	} else {
		cause->by = waker;
		cause->by_more = time - cause->by_more;
	}
}

static __always_inline void wait_ends(struct kernel_thread *thread, __u64 length, __u64 now)
{
	__u64 queued = thread->woken && thread->woken < now ? now - thread->woken : 0;
	struct kernel_cause *cause = bpf_map_lookup_elem(&causes, &thread->key);

	queued = queued < length ? queued : length;
	thread->queued += queued;
	note_ready(thread, queued);
	if (!cause)
		return;
	cause->time += length - queued;
	cause->waits++;
	if (length > cause->longest)
		cause->longest = length;
	vote(cause, thread->waker, length);
}

/* ---- turns ---- */

static __always_inline __u64 length_of(const struct kernel_thread *thread, __u64 now)
{
	return now > thread->since ? now - thread->since : 0;
}

static __always_inline unsigned state_of(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return BPF_CORE_READ(task, __state);
	return BPF_CORE_READ((struct task_struct___before_5_14 *)task, state);
}

static __always_inline bool is_in_scope(const struct task_struct *task)
{
	if (task->flags & (PF_KTHREAD | PF_EXITING))
		return false;
	return settings.scope == KERNEL_ALL ||
	       (settings.scope == KERNEL_CGROUP && bpf_current_task_under_cgroup(&cgroups, 0) == 1);
}

static __always_inline void leave(struct task_struct *task, bool is_preempted, __u64 now)
{
	__u32 tid = task->pid;
	struct kernel_thread *thread = tid ? bpf_map_lookup_elem(&threads, &tid) : 0;
	unsigned state = state_of(task);

	if (!thread) {
		if (!tid || settings.scope == KERNEL_TASKS || !is_in_scope(task))
			return;
		/* where all are seen as they get a CPU, this one has had it all the time */
		thread = thread_add(task, settings.scope == KERNEL_ALL ? 0 : now, KERNEL_RUNS);
		if (!thread)
			return;
	}
	if (thread->state == KERNEL_RUNS)
		thread->running += length_of(thread, now);
	thread->since = now;
	thread->woken = 0;
	thread->waker = 0;
	if (is_preempted || !state) {
		thread->state = KERNEL_READY;
		thread->preemptions++;
		return;
	}
	thread->state = KERNEL_WAITS;
	thread->is_uninterruptible = !!(state & TASK_UNINTERRUPTIBLE);
	thread->waits++;
	thread_waits(thread, task);
}

/* Of all threads: one that had no CPU since measuring began. What it waited for is in its registers. */
static __always_inline struct kernel_thread *thread_meet(struct task_struct *task)
{
	struct kernel_thread *thread;

	if (settings.scope != KERNEL_ALL || !task->pid || !is_in_scope(task))
		return 0;
	thread = thread_add(task, 0, KERNEL_WAITS);
	if (!thread)
		return 0;
	thread_waits(thread, task);
	if (thread->key.call == NO_CALL_NUMBER)
		thread->state = KERNEL_READY;
	return thread;
}

static __always_inline void get(struct task_struct *task, __u64 now)
{
	__u32 tid = task->pid, cpu = bpf_get_smp_processor_id() + 1;
	struct kernel_thread *thread = tid ? bpf_map_lookup_elem(&threads, &tid) : 0;
	__u64 length;

	if (!thread)
		thread = thread_meet(task);
	if (!thread)
		return;
	length = length_of(thread, now);
	if (thread->state == KERNEL_READY) {
		thread->preempted += length;
		note_ready(thread, length);
	} else if (thread->state == KERNEL_WAITS && length) {
		wait_ends(thread, length, now);
	}
	thread->migrations += thread->cpu && thread->cpu != cpu;
	thread->cpu = cpu;
	thread->state = KERNEL_RUNS;
	thread->since = now;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool is_preempted, struct task_struct *from, struct task_struct *to)
{
	__u64 now = now_measured();

	leave(from, is_preempted, now);
	get(to, now);
	return 0;
}

/*
 * Only whoever is in such a call itself, or exits, ended a wait for a lock: an interrupt of a thread that runs its own
 * code is in none.
 */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	__u32 tid = task->pid;
	struct kernel_thread *thread = bpf_map_lookup_elem(&threads, &tid);
	struct task_struct *waker;

	if (!thread || thread->state != KERNEL_WAITS || thread->woken)
		return 0;
	thread->woken = now_measured();
	if (shown(thread->key.call) != SHOWN_BY_LOCK)
		return 0;
	waker = bpf_get_current_task_btf();
	if (waker->flags & PF_EXITING || shown(call_of(registers_of(waker))) == SHOWN_BY_LOCK)
		thread->waker = waker->pid;
	return 0;
}

SEC("tp_btf/task_newtask")
int BPF_PROG(on_new, struct task_struct *task)
{
	struct task_struct *parent = bpf_get_current_task_btf();
	__u32 tid = parent->pid;

	if (task->flags & PF_KTHREAD)
		return 0;
	if (settings.scope == KERNEL_TASKS ? bpf_map_lookup_elem(&threads, &tid) != 0 : is_in_scope(parent))
		thread_add(task, now_measured(), KERNEL_READY);
	return 0;
}

/* Another program: the same address is another lock there. A thread that is not the first one becomes it. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int before)
{
	__u32 tid = task->pid, old = before;
	struct kernel_thread *thread = bpf_map_lookup_elem(&threads, &old);
	struct kernel_exec_message *to;

	if (!thread)
		return 0;
	thread->image++;
	if (old != tid) {
		struct kernel_thread moved = *thread;

		moved.tid = tid;
		bpf_map_update_elem(&threads, &tid, &moved, BPF_ANY);
		bpf_map_delete_elem(&threads, &old);
	}
	to = bpf_ringbuf_reserve(&messages, sizeof(*to), 0);
	if (!to) {
		note_lost();
		return 0;
	}
	to->message = MESSAGE_EXEC;
	to->pid = task->tgid;
	bpf_ringbuf_submit(to, 0);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	__u32 tid = task->pid;
	struct kernel_thread *thread = bpf_map_lookup_elem(&threads, &tid);
	struct kernel_end_message *to;
	__u64 now = now_measured();

	if (!thread)
		return 0;
	if (thread->state == KERNEL_RUNS)
		thread->running += length_of(thread, now);
	thread->since = now;
	to = bpf_ringbuf_reserve(&messages, sizeof(*to), 0);
	if (to) {
		to->message = MESSAGE_END;
		to->unused = 0;
		to->thread = *thread;
		bpf_probe_read_kernel_str(to->thread.name, sizeof(to->thread.name), task->comm);
		bpf_ringbuf_submit(to, 0);
	} else {
		note_lost();
	}
	bpf_map_delete_elem(&threads, &tid);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
