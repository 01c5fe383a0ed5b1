/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind_machines.h - what differs between architectures when stacks are walked. */
#ifndef TOPDOWN_PROGRAM_UNWIND_UNWIND_MACHINES_H
#define TOPDOWN_PROGRAM_UNWIND_UNWIND_MACHINES_H

#include "program/unwind/cfi.h"

enum { TRAMPOLINE_BYTES = 12, NO_COLUMN = 0xff };

struct unwind_machine {
	uint16_t elf;	  /* EM_... */
	uint8_t ncolumns; /* registers that are followed, by DWARF's numbers; the last is the place in the code */
	uint8_t kernel[CFI_COLUMNS]; /* the kernel's numbers of them: asm/perf_regs.h */
	uint8_t stack, frame;	     /* the stack pointer, the frame pointer */
	uint8_t link;		     /* has the return address until it is saved; NO_COLUMN: there is none */
	uint8_t address_bits;	     /* of code; what is above them signs the address */
	/* The code that handlers of signals return to, and where from the stack pointer on registers are then. */
	uint8_t trampoline_length;
	unsigned char trampoline[TRAMPOLINE_BYTES];
	uint16_t saved[CFI_COLUMNS];
};

/* NULL: none is known. */
const struct unwind_machine *unwind_machine_find(uint16_t elf);

/* The row of a trampoline. */
void unwind_machine_trampoline(const struct unwind_machine *machine, struct cfi_row *row);

#endif
