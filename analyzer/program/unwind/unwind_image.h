/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_image.h - what an unwinder needs of an ELF file: where its segments lie, its call frame information, its
 * code's bytes. Copied, not mapped: a file that shrinks while it is mapped would end this process. All numbers of the
 * file are checked against its size.
 */
#ifndef TOPDOWN_PROGRAM_UNWIND_UNWIND_IMAGE_H
#define TOPDOWN_PROGRAM_UNWIND_UNWIND_IMAGE_H

#include "program/unwind/cfi.h"

enum { IMAGE_SEGMENTS = 16 };

struct unwind_segment {
	uint64_t offset, size, address;
};

struct unwind_image {
	struct unwind_segment segments[IMAGE_SEGMENTS]; /* with code */
	size_t nsegments;
	struct cfi eh, debug; /* .eh_frame, and .debug_frame */
	unsigned char *memory[2];
	bool has_looked_for_debug;
	unsigned char id[20]; /* its build-id */
	size_t id_length;     /* 0: it has none */
};

/* Where an ELF file's bytes come from. */
struct unwind_source {
	int fd;			     /* a file, or -1 */
	const unsigned char *memory; /* or NULL */
	uint64_t size;
};

/* The file of fd, which the caller closes; -1: none. */
struct unwind_source unwind_source_file(int fd);

/* Of an ELF file for this machine (EM_...). false: it is none, or damaged; image then has nothing. */
bool unwind_image_read(struct unwind_image *image, const struct unwind_source *source, uint16_t machine) MUST_CHECK;
void unwind_image_release(struct unwind_image *image);

/* .debug_frame of the file, or of its separate debug file. */
void unwind_image_add_debug(struct unwind_image *image, const struct unwind_source *source);

/* The module's address of an offset in the file. false: no code is there. */
bool unwind_image_address(const struct unwind_image *image, uint64_t offset, uint64_t *address) MUST_CHECK;

/* The other way round. */
bool unwind_image_offset(const struct unwind_image *image, uint64_t address, uint64_t *offset) MUST_CHECK;

/* length bytes at an offset of the source, in memory that the caller frees. NULL: it has not as many. */
unsigned char *unwind_source_read(const struct unwind_source *source, uint64_t offset, uint64_t length) MUST_CHECK;

#endif
