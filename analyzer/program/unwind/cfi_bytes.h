/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfi_bytes.h - reading DWARF's numbers from bytes that may end anywhere: behind the end everything is 0. */
#ifndef TOPDOWN_PROGRAM_UNWIND_CFI_BYTES_H
#define TOPDOWN_PROGRAM_UNWIND_CFI_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "program/unwind/cfi.h"

struct bytes {
	const unsigned char *at, *end;
	bool is_short; /* more was asked for than there is: what was read since is worth nothing */
};

static inline size_t bytes_left(const struct bytes *bytes)
{
	return (size_t)(bytes->end - bytes->at);
}

/* size bytes, little-endian as all machines here are; at most 8. */
static inline uint64_t bytes_unsigned(struct bytes *bytes, size_t size)
{
	uint64_t value = 0;

	if (size > bytes_left(bytes)) {
		bytes->is_short = true;
		bytes->at = bytes->end;
		return 0;
	}
	memcpy(&value, bytes->at, size);
	bytes->at += size;
	return value;
}

static inline int64_t bytes_signed(struct bytes *bytes, size_t size)
{
	const unsigned unused = (unsigned)(64 - 8 * size);

	return (int64_t)(bytes_unsigned(bytes, size) << unused) >> unused;
}

enum { LEB_SHIFTS = 7 * 16 }; /* a longer number is padded by someone who wants to keep us busy */

/* The next byte of a LEB128 number; *shift is that of its bits. */
static inline unsigned char bytes_leb(struct bytes *bytes, uint64_t *value, unsigned *shift)
{
	const unsigned char byte = (unsigned char)bytes_unsigned(bytes, 1);

	if (*shift < 64)
		*value |= (uint64_t)(byte & 0x7f) << *shift;
	*shift += 7;
	bytes->is_short |= *shift > LEB_SHIFTS;
	return bytes->is_short ? 0 : byte;
}

static inline uint64_t bytes_uleb(struct bytes *bytes)
{
	uint64_t value = 0;
	unsigned shift = 0;

	while (bytes_leb(bytes, &value, &shift) & 0x80)
		;
	return value;
}

static inline int64_t bytes_sleb(struct bytes *bytes)
{
	uint64_t value = 0;
	unsigned shift = 0;
	unsigned char byte;

	do
		byte = bytes_leb(bytes, &value, &shift);
	while (byte & 0x80);
	if ((byte & 0x40) && shift < 64)
		value |= ~(uint64_t)0 << shift;
	return (int64_t)value;
}

/* Leaves length bytes out, and gives where they begin. */
static inline const unsigned char *bytes_skip(struct bytes *bytes, uint64_t length)
{
	const unsigned char *begin = bytes->at;

	if (length > bytes_left(bytes)) {
		bytes->is_short = true;
		length = bytes_left(bytes);
	}
	bytes->at += length;
	return begin;
}

/* ---- cfi_entry.c ---- */

/* The entries of a section of call frame information: common ones (CIE), and those of functions (FDE). */

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
