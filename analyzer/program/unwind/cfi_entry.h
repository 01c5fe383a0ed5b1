/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfi_entry.h - the entries of a section of call frame information: common ones (CIE), and those of functions (FDE). */
#ifndef TOPDOWN_PROGRAM_UNWIND_CFI_ENTRY_H
#define TOPDOWN_PROGRAM_UNWIND_CFI_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "program/unwind/cfi.h"

/* What functions share. */
struct cfi_common {
	size_t offset; /* of the entry in the section */
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_column;
	uint8_t encoding; /* of addresses: DW_EH_PE_... */
	bool has_lengths; /* augmentation data of FDEs begin with their length */
	bool is_signal;
	struct bytes program; /* that all its functions begin with */
};

/* A function. */
struct cfi_function {
	struct cfi_common common;
	uint64_t begin, length;
	struct bytes program;
};

/* Where the entry behind this one begins, or the section's end; *entry: what is in it, from its id on. */
size_t cfi_entry(const struct cfi *cfi, size_t offset, struct bytes *entry);

/*
 * The function whose entry begins at offset; function->common is taken as it is where it has the same one already,
 * at first all zeros with offset SIZE_MAX. false: a CIE, or damaged.
 */
bool cfi_function(const struct cfi *cfi, size_t offset, struct cfi_function *function) MUST_CHECK;

/* An address as the section has it. false: in a way that is not known. */
bool cfi_address(const struct cfi *cfi, struct bytes *bytes, uint8_t encoding, uint64_t *address) MUST_CHECK;

#endif
