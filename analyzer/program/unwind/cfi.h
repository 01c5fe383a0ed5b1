/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi.h - call frame information: what .eh_frame and .debug_frame say about finding the caller of an address (DWARF 5,
 * 6.4; Linux Standard Base 5, 10.6). Files come from strangers: nothing outside the section is read, and each loop has
 * an end. Nothing here allocates but the index.
 */
#ifndef TOPDOWN_PROGRAM_UNWIND_CFI_H
#define TOPDOWN_PROGRAM_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/macros.h"

/* DWARF's numbers of the registers that are followed: x86-64 has 0 to 16, aarch64 0 to 31. */
enum { CFI_COLUMNS = 33 };

/* How a register of the caller is found. CFA: the canonical frame address, the caller's stack pointer. */
enum cfi_way {
	CFI_SAME,	   /* it still has it */
	CFI_UNDEFINED,	   /* lost; of the return address: there is no caller */
	CFI_AT_OFFSET,	   /* in memory, at CFA + offset */
	CFI_IS_OFFSET,	   /* CFA + offset itself */
	CFI_REGISTER,	   /* in the register `offset` */
	CFI_AT_EXPRESSION, /* in memory, at what the expression gives */
	CFI_IS_EXPRESSION, /* what the expression gives */
	CFI_REGISTER_PLUS, /* of the CFA alone: register `column` + offset */
	CFI_AT_STACK	   /* in memory, at the stack pointer + offset: not DWARF's, but of signals' trampolines */
};

struct cfi_cell {
	uint8_t column, way;
	uint16_t length; /* of the expression, in bytes */
	int32_t offset;	 /* or where the expression begins in the section */
};

/* One row of the table: the CFA, and each register that is not the same. Equal rows have equal bytes. */
struct cfi_row {
	struct cfi_cell cfa;
	uint8_t return_column;
	bool is_signal; /* the frame that a signal's handler returns to: its caller did not call */
	bool is_debug_frame;
	bool is_outermost; /* the return address is undefined: nobody called */
	uint8_t ncells;
	struct cfi_cell cells[CFI_COLUMNS];
};

/* Functions with information, by address. */
struct cfi_range {
	uint64_t begin;
	uint32_t length, entry; /* entry: where its FDE begins in the section */
};

struct cfi {
	const unsigned char *data; /* borrowed: the section */
	size_t size;
	uint64_t address; /* of data, in the module's addresses */
	bool is_debug_frame;
	struct cfi_range *ranges;
	size_t nranges;
};

/* Reads which functions the section has; what is damaged ends it early. ranges are malloc's: cfi_release. */
void cfi_index(struct cfi *cfi);
void cfi_release(struct cfi *cfi);

/* The function that has an address. NULL: none. */
const struct cfi_range *cfi_range_of(const struct cfi *cfi, uint64_t address);

/* The row of an address. false: the section does not have it, or not in a form that is known. */
bool cfi_find(const struct cfi *cfi, uint64_t address, struct cfi_row *row) MUST_CHECK;

/* What an expression may ask for. read: false where the memory is not known. */
struct cfi_machine {
	const uint64_t *registers; /* by DWARF's numbers, CFI_COLUMNS of them */
	void *context;
	bool (*read)(void *context, uint64_t address, uint64_t *value);
};

/*
 * The value of an expression, of a register with first (the CFA) on the stack. false: it is damaged, does not end,
 * or asks for what is not known.
 */
bool cfi_evaluate(const struct cfi *cfi, const struct cfi_cell *cell, const struct cfi_machine *machine,
		  const uint64_t *first, uint64_t *value) MUST_CHECK;

#endif
