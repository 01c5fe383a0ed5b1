/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_calls.c - what a thread waits for, as its registers say when it leaves its CPU: the call's arguments are
 * in them, its number only on arm64. On x86-64 it is in the instructions before the call, which are read once.
 */
#include <string.h>
#include <sys/uio.h>

#include "collect/waits/wait_parts.h"
#include "common/base/finder.h"
#include "common/base/text.h"
#include "cpu/identify/tracepoint.h"

#if defined(__x86_64__)
/* arch/x86/include/uapi/asm/perf_regs.h: DX, SI, DI and IP, and their order in a sample */
#define REGISTERS ((uint64_t)1 << 3 | (uint64_t)1 << 4 | (uint64_t)1 << 5 | (uint64_t)1 << 8)
enum { AT_THIRD, AT_SECOND, AT_FIRST, AT_PLACE, NREGISTERS };
#elif defined(__aarch64__)
/* arch/arm64/include/uapi/asm/perf_regs.h: X0 to X2, X8 and PC */
#define REGISTERS ((uint64_t)7 | (uint64_t)1 << 8 | (uint64_t)1 << 32)
enum { AT_FIRST, AT_SECOND, AT_THIRD, AT_NUMBER, AT_PLACE, NREGISTERS };
#else
#define REGISTERS ((uint64_t)0)
enum { AT_FIRST, AT_SECOND, AT_THIRD, AT_PLACE, NREGISTERS };
#endif

#define CODE_BYTES   24 /* before a call: the instruction that sets its number is among the last */
#define MOST_NUMBER  1024
#define SAME_FOR_NS  1000000000u /* a descriptor may be closed, and its number given to another file */
#define MOST_CALLS   65536	 /* that are known at once; then they are found again */
#define COMPARED     2		 /* arguments */
#define NO_CALL	     (-1)
#define UNKNOWN_CALL (-2)

struct call_site {
	uint32_t pid, image;
	uint64_t place;
	int64_t number; /* of the call there; NO_CALL: no call is there */
};

/* A call with its arguments, and what that waits for. */
struct known_call {
	struct waiting_call call;
	uint64_t found_at;
	uint64_t object; /* that the descriptor led to */
	struct wait_found found;
};

struct wait_calls {
	struct arena *arena;
	struct lock_names *locks;
	struct finder by_place, by_call;
	struct call_site *sites;
	struct known_call *known;
	uint32_t nsites, nknown;
	size_t sites_room, known_room;
};

struct wait_calls *wait_calls_new(struct lock_names *locks, struct arena *arena)
{
	struct wait_calls *calls = arena_alloc(arena, sizeof(*calls));

	calls->arena = arena;
	calls->locks = locks;
	return calls;
}

uint64_t wait_calls_registers(void)
{
	return REGISTERS;
}

/* ---- which call is at a place ---- */

#if defined(__x86_64__)
/* "mov $NUMBER,%eax" or "xor %eax,%eax" before "syscall": the last of them. */
static int64_t number_in(const unsigned char code[CODE_BYTES])
{
	static const unsigned char syscall_code[] = { 0x0f, 0x05 };
	const size_t end = CODE_BYTES - sizeof(syscall_code);

	if (memcmp(code + end, syscall_code, sizeof(syscall_code)) != 0)
		return NO_CALL;
	for (size_t at = end; at-- > 0;) {
		uint32_t number;

		if (at + 5 <= end && code[at] == 0xb8) {
			memcpy(&number, code + at + 1, sizeof(number));
			if (number < MOST_NUMBER)
				return number;
		}
		if (at + 2 <= end && code[at] == 0x31 && code[at + 1] == 0xc0)
			return 0;
	}
	return UNKNOWN_CALL;
}
#else
/* "svc #0" of arm64; the number is in a register. */
static int64_t number_in(const unsigned char code[CODE_BYTES])
{
	static const unsigned char svc_code[] = { 0x01, 0x00, 0x00, 0xd4 };

	return memcmp(code + CODE_BYTES - sizeof(svc_code), svc_code, sizeof(svc_code)) == 0 ? UNKNOWN_CALL : NO_CALL;
}
#endif

static int64_t read_number(const struct waiting_call *who, uint64_t place)
{
	unsigned char code[CODE_BYTES];
	struct iovec here = { code, sizeof(code) }, there = { (void *)(uintptr_t)(place - CODE_BYTES), sizeof(code) };

	/* of a process whose first thread has ended only the others have memory */
	if (place < CODE_BYTES || (process_vm_readv((pid_t)who->pid, &here, 1, &there, 1, 0) != CODE_BYTES &&
				   process_vm_readv((pid_t)who->tid, &here, 1, &there, 1, 0) != CODE_BYTES))
		return UNKNOWN_CALL;
	return number_in(code);
}

static struct waiting_call calling(const struct wait_calls *calls, uint32_t pid, uint32_t tid)
{
	return (struct waiting_call){ .pid = pid, .tid = tid, .image = lock_names_image(calls->locks, pid) };
}

static bool is_same_site(const void *owner, uint32_t number, const void *key)
{
	const struct call_site *a = &((const struct wait_calls *)owner)->sites[number], *b = key;

	return a->pid == b->pid && a->image == b->image && a->place == b->place;
}

static struct call_site *site_of(struct wait_calls *calls, const struct waiting_call *who, uint64_t place)
{
	const struct call_site wanted = { .pid = who->pid, .image = who->image, .place = place };
	const uint64_t numbers[] = { who->pid, who->image, place };
	const struct finder_key key = { hash_numbers(numbers, COUNT_OF(numbers)), is_same_site, calls, &wanted };
	bool is_new;
	uint32_t number = finder_take(&calls->by_place, &key, &calls->nsites, &is_new, calls->arena);

	if (is_new) {
		calls->sites = arena_grow(calls->arena, calls->sites, number, &calls->sites_room, sizeof(wanted));
		calls->sites[number] = wanted;
		calls->sites[number].number = read_number(who, place);
	}
	return &calls->sites[number];
}

/* ---- what it waits for ---- */

static bool is_same_call(const void *owner, uint32_t number, const void *key)
{
	const struct waiting_call *a = &((const struct wait_calls *)owner)->known[number].call, *b = key;

	return a->pid == b->pid && a->image == b->image && a->number == b->number &&
	       a->arguments[0] == b->arguments[0] && a->arguments[1] == b->arguments[1];
}

static void forget_calls(struct wait_calls *calls)
{
	calls->by_call = (struct finder){ .count = 0 };
	calls->nknown = 0;
}

/* By the time that the record is read another file may have the descriptor: only a look while it waits can name it. */
static void find_file(struct known_call *known)
{
	if (known->found.kind != WAIT_DISK || !wait_arguments(known->call.number))
		return;
	known->found.name = system_call_name(known->call.number);
	known->found.is_vague = true;
}

/* A descriptor may have been closed since, and be another socket's. */
static bool is_valid(const struct known_call *known, uint64_t time)
{
	return time <= known->found_at + SAME_FOR_NS &&
	       (known->found.kind != WAIT_NETWORK || known->object == wait_object(&known->call));
}

static const struct wait_found *found_by(struct wait_calls *calls, const struct waiting_call *call, uint64_t time)
{
	const uint64_t numbers[] = { call->pid, call->image, call->number, call->arguments[0], call->arguments[1] };
	const struct finder_key key = { hash_numbers(numbers, COUNT_OF(numbers)), is_same_call, calls, call };
	struct known_call *known;
	bool is_new;
	uint32_t number;

	if (calls->nknown >= MOST_CALLS)
		forget_calls(calls);
	number = finder_take(&calls->by_call, &key, &calls->nknown, &is_new, calls->arena);
	calls->known = arena_grow(calls->arena, calls->known, number, &calls->known_room, sizeof(*calls->known));
	known = &calls->known[number];
	if (is_new || !is_valid(known, time)) {
		*known = (struct known_call){ .call = *call, .found_at = time, .object = wait_object(call) };
		wait_of_call(&known->found, call, calls->locks, calls->arena);
		find_file(known);
		known->found.is_recorded = true;
	}
	return &known->found;
}

/* Which of its arguments are compared: others would make each call a new one. A futex's third is always the same. */
static void keep_telling(struct waiting_call *call)
{
	unsigned count = wait_arguments(call->number);

	for (unsigned i = count; i < COMPARED; i++)
		call->arguments[i] = 0;
}

bool wait_calls_find(struct wait_calls *calls, struct wait_found *found, const struct record *record)
{
	/* or it is stopped: a look would see that */
	static const struct wait_found fault = {
		.kind = WAIT_FAULT, .name = "page fault", .is_recorded = true, .is_vague = true
	};
	const struct record_sample *sample = &record->of.sample;
	const struct record_identity *who = &record->identity;
	struct waiting_call call = calling(calls, who->pid, who->tid);
	int64_t number;

	if (!REGISTERS || sample->nregisters != NREGISTERS || sample->registers_abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	number = site_of(calls, &call, sample->registers[AT_PLACE])->number;
#if defined(__aarch64__)
	number = number == UNKNOWN_CALL ? (int64_t)(sample->registers[AT_NUMBER] & 0xffffffff) : number;
#endif
	if (number == UNKNOWN_CALL)
		return false;
	*found = fault;
	if (number == NO_CALL)
		return true;
	call.number = (uint64_t)number;
	call.arguments[0] = sample->registers[AT_FIRST];
	call.arguments[1] = sample->registers[AT_SECOND];
	call.arguments[2] = sample->registers[AT_THIRD];
	keep_telling(&call);
	*found = *found_by(calls, &call, record->identity.time);
	return true;
}

void wait_calls_learn(struct wait_calls *calls, const struct waiting_call *call, uint64_t place)
{
	struct waiting_call who = calling(calls, call->pid, call->tid);
	struct call_site *site = site_of(calls, &who, place);

	/* One place with several calls says nothing. */
	if (site->number >= 0 && site->number != (int64_t)call->number)
		site->number = UNKNOWN_CALL;
}
