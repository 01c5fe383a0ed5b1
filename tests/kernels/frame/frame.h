/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.h - what runs a set of kernels, one by its name: each has rounds and a memory. A set says what it has in
 * kernel_lists. tests/bench has what is expected of each.
 */
#ifndef TOPDOWN_TESTS_FRAME_H
#define TOPDOWN_TESTS_FRAME_H

#include "../kernel.h"

/* rounds through a kernel's memory, which prepare has filled; what comes back only keeps the work from being left out. */
typedef uint64_t kernel_run(size_t rounds, char *memory);
typedef void kernel_prepare(char *memory, size_t size);

struct kernel {
	const char *name;
	kernel_run *run;
	size_t rounds;		 /* that take some millions of cycles */
	size_t size;		 /* of its memory, in bytes; 0: a page */
	kernel_prepare *prepare; /* NULL: the memory is zero */
};

/* Runs it. Of each thread the simulator counts what it does in here. */
uint64_t measured(const struct kernel *kernel, char *memory);

/* The set's lists, of which each ends with a kernel without a name; NULL behind the last. */
extern const struct kernel *const kernel_lists[];

/* A ring of pointers through all places, a step apart, in a random order. */
void make_ring(char *memory, size_t size, size_t step);
void fill_randomly(char *memory, size_t size);

/* The compiler may not know the value, so what depends on it stays where it is. */
#define ALWAYS(value) __asm__ volatile("" : "+r"(value))

#if defined(__x86_64__)

/* The body as often as it says, from the start of a line on, and once more until nothing is left. */
#define LOOP(times, body)                                                                                              \
	(void)memory;                                                                                                  \
	__asm__ volatile("xor %%eax, %%eax\n\txor %%ecx, %%ecx\n\t.p2align 6\n1:\n\t.rept " #times "\n\t" body         \
			 "\n\t.endr\n\tdec %[rounds]\n\tjnz 1b\n9:"                                                    \
			 : [rounds] "+r"(rounds)                                                                       \
			 : [memory] "r"(memory)                                                                        \
			 : "memory", "cc", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",  \
			   "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",      \
			   "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");                                      \
	return rounds

#define KERNEL(name, times, body)                                                                                      \
	static uint64_t name(size_t rounds, char *memory)                                                              \
	{                                                                                                              \
		LOOP(times, body);                                                                                     \
	}

#define EACH(registers, body) ".irp r," registers "\n\t" body "\n\t.endr"
#define WORDS		      "rax,rcx,r8,r9,r10,r11,r12,r13"
#define VECTORS		      "0,1,2,3,4,5,6,7,8,9,10,11"

#endif

#endif
