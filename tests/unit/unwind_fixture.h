/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind_fixture.h - registers of a signal's context as perf has them, and the mappings of this process. */
#ifndef TOPDOWN_TEST_UNWIND_FIXTURE_H
#define TOPDOWN_TEST_UNWIND_FIXTURE_H

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "program/unwind/unwind.h"

#if defined(__x86_64__)
enum { FIXTURE_IS_STUBLESS = 0 };

/* All, by perf's numbers; gives the stack pointer. */
static inline const unsigned char *fixture_registers(const void *context, uint64_t *registers)
{
	/* By perf's number: that of the context. Segments and flags are not needed. */
	static const int from[24] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
				      REG_RIP, -1,	-1,	 -1,	  -1,	   -1,	    -1,	     -1,
				      REG_R8,  REG_R9,	REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };
	const ucontext_t *user = context;

	for (size_t i = 0; i < 24; i++)
		registers[i] = from[i] < 0 ? 0 : (uint64_t)user->uc_mcontext.gregs[from[i]];
	return (const unsigned char *)user->uc_mcontext.gregs[REG_RSP];
}

static inline uint64_t fixture_pc(const uint64_t *registers)
{
	return registers[8];
}
#else
/* Stubs of the linker have no rows there, so the compiler's own unwinder ends at them; ours goes on. */
enum { FIXTURE_IS_STUBLESS = 1 };

static inline const unsigned char *fixture_registers(const void *context, uint64_t *registers)
{
	const ucontext_t *user = context;

	memcpy(registers, user->uc_mcontext.regs, 31 * sizeof(*registers));
	registers[31] = user->uc_mcontext.sp;
	registers[32] = user->uc_mcontext.pc;
	return (const unsigned char *)user->uc_mcontext.sp;
}

static inline uint64_t fixture_pc(const uint64_t *registers)
{
	return registers[32];
}
#endif

/* The registers that the unwinder wants, in the order of the mask. */
static inline void fixture_pack(const uint64_t *registers, struct unwind_sample *sample, uint64_t *packed)
{
	size_t n = 0;

	sample->mask = unwind_registers();
	sample->registers = packed;
	for (size_t i = 0; i < 33; i++)
		if (sample->mask >> i & 1)
			packed[n++] = registers[i];
}

/* Calls take with each mapping of executable memory; it gives false to end. */
static inline void fixture_each_mapping(bool (*take)(void *context, const struct unwind_mapping *mapping),
					void *context)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4352], path[4096], permissions[5];
	uint64_t begin, end, offset, inode;

	while (maps && fgets(line, sizeof(line), maps)) {
		*path = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %4095[^\n]", &begin, &end,
			   permissions, &offset, &inode, path) < 5 ||
		    permissions[2] != 'x')
			continue;
		if (!take(context, &(struct unwind_mapping){ 0, begin, end - begin, offset, path, inode }))
			break;
	}
	if (maps)
		fclose(maps);
}

struct fixture_mapper {
	struct unwinder *unwinder;
	uint32_t pid;
};

static inline bool fixture_map_one(void *context, const struct unwind_mapping *mapping)
{
	const struct fixture_mapper *mapper = context;
	struct unwind_mapping own = *mapping;

	own.pid = mapper->pid;
	unwinder_map(mapper->unwinder, &own);
	return true;
}

static inline void fixture_map(struct unwinder *unwinder, uint32_t pid)
{
	fixture_each_mapping(fixture_map_one, &(struct fixture_mapper){ unwinder, pid });
}

/* Where this thread's stack ends. */
static inline const unsigned char *fixture_stack_end(void)
{
	pthread_attr_t attributes;
	void *begin = NULL;
	size_t size = 0;

	if (!pthread_getattr_np(pthread_self(), &attributes)) {
		pthread_attr_getstack(&attributes, &begin, &size);
		pthread_attr_destroy(&attributes);
	}
	return (const unsigned char *)begin + size;
}

/* For a message. */
static inline const char *fixture_name(uint64_t address)
{
	Dl_info info = { 0 };

	return dladdr((const void *)address, &info) && info.dli_sname ? info.dli_sname : "?";
}

#endif
