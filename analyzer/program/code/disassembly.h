/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disassembly.h - the instructions of a function, as the distribution's objdump writes them, and the lines of a source
 * file. What is returned lives in the arena, and is data from strangers: to be escaped where it is shown.
 */
#ifndef TOPDOWN_PROGRAM_CODE_DISASSEMBLY_H
#define TOPDOWN_PROGRAM_CODE_DISASSEMBLY_H

#include "common/base/error.h"
#include "common/measurement/profile.h"
#include "program/symbols/symbols.h"

struct instruction {
	uint64_t address;     /* in its module, as places have it */
	const char *text;     /* "jne    1139 <main+0x10>" */
	uint64_t jump_target; /* of a jump or call whose target the instruction has in it; 0: of none */
	bool is_call;	      /* which comes back; of a jump_target only */
};

/* Which instructions: those that begin in [begin, end). */
struct disassembly_range {
	uint64_t begin, end;
	uint64_t known; /* an instruction begins there: a sampled place between begin and end. 0: one begins at begin */
};

struct disassembly_request {
	const char *sysroot; /* as in struct symbol_request */
	bool is_foreign;     /* a stranger named the module: it is read where its build-id is right */
	uint32_t module;     /* of the profile */
	const struct disassembly_range *ranges; /* sorted, apart from each other; a long function is cut into some */
	size_t nranges;
};

struct disassembly {
	const char *file; /* that objdump read */
	struct instruction *instructions;
	size_t count;
	const char *remark; /* what is missing: a whole sentence; NULL: nothing */
};

/*
 * -1 and the reason, with a remedy, where there are no instructions: the file is gone or was replaced, objdump is not
 * here, or took more than its time. All ranges of [begin, end) at once cost one run of objdump, where they are near.
 */
int disassembly_read(struct disassembly *result, const struct profile *profile,
		     const struct disassembly_request *request, struct arena *arena, struct error *err) MUST_CHECK;

struct source_request {
	const char *file;   /* as a frame has it */
	const char *binary; /* that was compiled from it, struct disassembly's file; NULL: unknown */
	const char *folder; /* where it is looked for, as "/build/src/a.c", "src/a.c" and "a.c"; NULL: nowhere else */
	bool is_foreign;    /* a stranger named it: only the folder is looked in */
};

struct source_text {
	const char *file;   /* that was read; NULL: none */
	const char **lines; /* line n is lines[n - 1], without its end */
	size_t count;	    /* 0: there is none, and remark says why */
	const char *remark; /* a whole sentence: it can't be read, or is newer than the binary; NULL: nothing */
};

/* Nothing that links lead out of the folder is taken from it, and only what is a regular file of a disk. */
void source_text_read(struct source_text *source, const struct source_request *request, struct arena *arena);

#endif
