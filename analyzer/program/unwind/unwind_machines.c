/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_machines.c - architectures as rows. Numbers of registers: System V psABI for x86-64, figure 3.36; "DWARF for
 * the Arm 64-bit architecture", 4.1; Linux: uapi/asm/perf_regs.h. Trampolines: what handlers of signals return to is
 * the system call rt_sigreturn (15, 139); what the kernel left above it is struct rt_sigframe of its asm/sigframe.h and
 * signal.c, with uapi/asm/sigcontext.h.
 */
#include "program/unwind/unwind_internal.h"

#include <elf.h>

#include "common/base/macros.h"

static const struct unwind_machine machines[] = {
	{
		.elf = EM_X86_64,
		.ncolumns = 17,
		.kernel = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 },
		.stack = 7,
		.frame = 6,
		.link = NO_COLUMN,
		.address_bits = 64,
		/* mov $15, %rax; syscall */
		.trampoline_length = 9,
		.trampoline = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 },
		/* Behind flags, link and stack of struct ucontext: 40 bytes. */
		.saved = { 144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96, 168 },
	},
	{
		.elf = EM_AARCH64,
		.ncolumns = 33,
		.kernel = { 0,	1,  2,	3,  4,	5,  6,	7,  8,	9,  10, 11, 12, 13, 14, 15, 16,
			    17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 },
		.stack = 31,
		.frame = 29,
		.link = 30,
		.address_bits = 48,
		/* mov x8, #139; svc #0 */
		.trampoline_length = 8,
		.trampoline = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 },
		/* Behind siginfo (128), flags, link, stack, mask of struct ucontext, and fault_address. */
		.saved = { 312, 320, 328, 336, 344, 352, 360, 368, 376, 384, 392, 400, 408, 416, 424, 432, 440,
			   448, 456, 464, 472, 480, 488, 496, 504, 512, 520, 528, 536, 544, 552, 560, 568 },
	},
};

const struct unwind_machine *unwind_machine_find(uint16_t elf)
{
	for (size_t i = 0; i < COUNT_OF(machines); i++)
		if (machines[i].elf == elf)
			return &machines[i];
	return NULL;
}

void unwind_machine_trampoline(const struct unwind_machine *machine, struct cfi_row *row)
{
	*row = (struct cfi_row){ .cfa = { 0, CFI_AT_STACK, 0, machine->saved[machine->stack] },
				 .return_column = machine->ncolumns - 1,
				 .is_signal = true,
				 .ncells = machine->ncolumns };
	for (uint8_t i = 0; i < machine->ncolumns; i++)
		row->cells[i] = (struct cfi_cell){ i, CFI_AT_STACK, 0, machine->saved[i] };
}
