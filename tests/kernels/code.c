/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.c - code CALLS: 2 MiB of straight code in 4096 functions of 512 bytes, called in random order. An instruction of the functions is
 * one of 4 bytes on arm64, of 8 bytes on x86-64, so that neither the number of instructions nor what they do is in the way.
 */
#include "kernel.h"

#define FUNCTIONS 4096

#if defined(__aarch64__)
#define BODY ".rept 127\n add x0, x0, #1\n .endr\n ret\n"
#else /* leaq 0x100(,%rax,1), %rax in its form of 8 bytes, and a return */
#define BODY ".rept 63\n leaq 0x100(,%rax,1), %rax\n .endr\n ret\n"
#endif

__asm__(".text\n .balign 512\n code_start:\n .rept 4096\n .balign 512\n" BODY ".endr\n code_end:\n");

extern const char code_start[];

int main(int argc, char **argv)
{
	size_t calls = argument(argc, argv, 1, 2000000);
	uint64_t state = RANDOM_START;

	for (size_t i = 0; i < calls; i++) {
		void (*function)(void) =
			(void (*)(void))(uintptr_t)(code_start + random_next(&state) % FUNCTIONS * 512);

		function();
	}
	printf("%llu\n", (unsigned long long)state);
	return 0;
}
