/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_unwind.c - any bytes as call frame information, registers and stack: a walk ends, within its room, and begins where
 * the sample was. The first byte says which architecture and whether all of the file is the input's.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../unit/made_elf.h"
#include "memfile.h"
#include "program/unwind/unwind.h"

enum { PID = 7, BASE = 0x10000, MOST = 64, WORDS = 33, IS_ARM = 1, IS_FILE = 2, IS_DEBUG = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make(struct made_elf *made, uint8_t choice, const uint8_t *data, size_t size)
{
	made_begin(made, choice & IS_ARM ? EM_AARCH64 : EM_X86_64);
	if (choice & IS_FILE) {
		made->size = 0;
		made_put(made, data, size);
		return;
	}
	made_put(made, data, size);
	made_end(made, choice & IS_DEBUG ? ".debug_frame" : NULL);
}

/* Registers come first, then the stack, then the file. */
static void walk(struct unwinder *unwinder, uint16_t machine, const uint8_t *data, size_t size)
{
	uint64_t registers[WORDS] = { 0 }, addresses[MOST];
	struct unwind_sample sample = { .pid = PID, .mask = unwind_registers_for(machine), .registers = registers };
	const size_t length = size < sizeof(registers) ? size : sizeof(registers);
	const uint64_t pc = (uint64_t)1 << (machine == EM_AARCH64 ? 32 : 8);
	bool is_truncated;
	size_t n;

	if (length)
		memcpy(registers, data, length);
	sample.stack = data + length;
	sample.size = size - length;
	n = unwinder_walk(unwinder, &sample, addresses, MOST, &is_truncated);
	if (!n || n > MOST || addresses[0] != registers[__builtin_popcountll(sample.mask & (pc - 1))])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct made_elf made;
	const uint8_t choice = size ? data[0] : 0;
	const uint16_t machine = choice & IS_ARM ? EM_AARCH64 : EM_X86_64;
	const size_t state = size < 512 ? size / 2 : 400;
	struct unwinder *unwinder;
	struct memfile file;

	if (!size)
		return 0;
	unwinder = unwinder_new_for("", machine);
	make(&made, choice, data + 1 + state, size - 1 - state);
	memfile_open(&file, made.bytes, made.size);
	unwinder_map(unwinder, &(struct unwind_mapping){ PID, BASE, MADE_ROOM, 0, file.path, 0 });
	unwinder_map(unwinder, &(struct unwind_mapping){ PID, BASE + MADE_ROOM, MADE_ROOM, 0, "//anon", 0 });
	walk(unwinder, machine, data + 1, state);
	walk(unwinder, machine, data + 1, state);
	memfile_close(&file);
	unwinder_free(unwinder);
	return 0;
}
