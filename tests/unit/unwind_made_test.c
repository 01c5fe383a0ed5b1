/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_made_test.c - stacks and call frame information that the test made up, of both architectures: what their readers
 * seldom meet, and what is damaged. Expected are the return addresses that the test itself put on the stack.
 */
#include "rows.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "made_elf.h"
#include "program/unwind/unwind.h"

/* Where the file is mapped; its functions, as offsets in it; the copied stack. */
enum { BASE = 0x7000000, LEAF = 0x200, MIDDLE = 0x300, OUTER = 0x400, SIGNAL = 0x500, ODD = 0x600, NOWHERE = 0x800 };
enum { STACK = 0x100000, WORDS = 128, PID = 42, MOST = 32 };

#define PROGRAM(text) text, sizeof(text) - 1

struct world {
	struct made_elf made;
	struct unwinder *unwinder;
	int fd;
	char path[64];
	uint64_t inode;
	uint64_t stack[WORDS];
	uint64_t registers[33];
	uint64_t found[MOST];
	size_t n;
	bool is_truncated;
	uint16_t machine;
};

static void world_begin(struct world *world, uint16_t machine)
{
	memset(world, 0, sizeof(*world));
	made_begin(&world->made, machine);
	world->machine = machine;
	world->fd = -1;
	world->unwinder = unwinder_new_for("", machine);
	assert_non_null(world->unwinder);
}

static void world_map(struct world *world, uint64_t inode)
{
	unwinder_map(world->unwinder, &(struct unwind_mapping){ PID, BASE, MADE_ROOM, 0, world->path, inode });
}

/* The file is there, and mapped. */
static void world_file(struct world *world)
{
	struct stat status;

	world->fd = memfd_create("made", 0);
	assert_true(world->fd >= 0);
	assert_int_equal(write(world->fd, world->made.bytes, world->made.size), (ssize_t)world->made.size);
	assert_int_equal(fstat(world->fd, &status), 0);
	world->inode = status.st_ino;
	snprintf(world->path, sizeof(world->path), "/proc/%d/fd/%d", getpid(), world->fd);
	world_map(world, world->inode);
}

static void world_walk(struct world *world, uint32_t pid, size_t stack_bytes)
{
	uint64_t packed[33];
	size_t n = 0;
	struct unwind_sample sample = { .pid = pid,
					.mask = unwind_registers_for(world->machine),
					.registers = packed,
					.stack = (const unsigned char *)world->stack,
					.size = stack_bytes };

	for (size_t i = 0; i < 33; i++)
		if (sample.mask >> i & 1)
			packed[n++] = world->registers[i];
	world->n = unwinder_walk(world->unwinder, &sample, world->found, MOST, &world->is_truncated);
}

static void world_expect(const struct world *world, const uint64_t *expected, size_t n, bool is_truncated)
{
	for (size_t i = 0; i < world->n && i < n; i++)
		assert_int_equal(world->found[i], BASE + expected[i]);
	assert_int_equal(world->n, n);
	assert_int_equal(world->is_truncated, is_truncated);
}

#define EXPECT(world, is_truncated, ...)                                                                               \
	world_expect(world, (const uint64_t[]){ __VA_ARGS__ }, COUNT_OF(((const uint64_t[]){ __VA_ARGS__ })),          \
		     is_truncated)

static void world_end(struct world *world)
{
	unwinder_free(world->unwinder);
	if (world->fd >= 0)
		close(world->fd);
}

/* By the kernel's numbers. */
enum {
	X86_FRAME = 6,
	X86_STACK = 7,
	X86_PC = 8,
	X86_R8 = 16,
	ARM_FRAME = 29,
	ARM_LINK = 30,
	ARM_STACK = 31,
	ARM_PC = 32
};

/*
 * Arm: LEAF keeps its return address in the register. MIDDLE saved both registers on 32 bytes, signed. OUTER has no caller.
 * SIGNAL is what a handler returns to.
 */
static void arm_functions(struct made_elf *made)
{
	made_common(made, "zR", 30, PROGRAM("\x0c\x1f\x00"));
	made_function(made, LEAF, 0x80, "", 0);
	made_function(made, MIDDLE, 0x80, PROGRAM("\x44\x2d\x0e\x20\x9d\x04\x9e\x03\x44\x0a\xde\xdd\x0e\x00\x44\x0b"));
	made_function(made, OUTER, 0x80, PROGRAM("\x07\x1e"));
	made_end(made, NULL);
	memcpy(made->bytes + SIGNAL, "\x68\x11\x80\xd2\x01\x00\x00\xd4", 8);
}

/* Addresses of another width than code has are signed ones. */
static void test_arm(void **state UNUSED)
{
	const uint64_t signature = 0x00ab000000000000;
	struct world world;

	world_begin(&world, EM_AARCH64);
	arm_functions(&world.made);
	world_file(&world);
	world.registers[ARM_PC] = BASE + LEAF + 8;
	world.registers[ARM_LINK] = signature + BASE + MIDDLE + 16;
	world.registers[ARM_STACK] = STACK;
	world.stack[0] = 7; /* MIDDLE's frame: x29, x30 at CFA - 32 and CFA - 24 */
	world.stack[1] = signature + BASE + OUTER + 4;
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, false, LEAF + 8, MIDDLE + 15, OUTER + 3);
	world.registers[ARM_PC] = BASE + MIDDLE + 8; /* between the two rows where registers were restored */
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, false, MIDDLE + 8, MIDDLE + 15, OUTER + 3);
	world_end(&world);
}

/* A handler, that the kernel called on top of MIDDLE at its entry, whose caller is OUTER. */
static void test_arm_signal(void **state UNUSED)
{
	struct world world;

	world_begin(&world, EM_AARCH64);
	arm_functions(&world.made);
	world_file(&world);
	world.registers[ARM_PC] = BASE + LEAF;
	world.registers[ARM_LINK] = BASE + SIGNAL;
	world.registers[ARM_STACK] = STACK;
	world.stack[312 / 8 + 30] = BASE + OUTER + 12;
	world.stack[312 / 8 + 31] = STACK + 800;
	world.stack[312 / 8 + 32] = BASE + MIDDLE;
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, false, LEAF, SIGNAL, MIDDLE, OUTER + 11);
	world_end(&world);
}

/*
 * x86-64: the CFA is 16 above the stack pointer from MIDDLE on. LEAF is an entry of a procedure linkage table: one word
 * more from its byte 11 on. ODD has its return address in r8, and its CFA in a loop that does not end from byte 16 on.
 */
static void x86_functions(struct made_elf *made, const char *letters)
{
	made_common(made, letters, 16, PROGRAM("\x0c\x07\x08\x90\x01"));
	made_function(made, LEAF, 0x80, PROGRAM("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"));
	made_function(made, MIDDLE, 0x80, PROGRAM("\x0e\x10\x86\x02"));
	made_function(made, OUTER, 0x80, PROGRAM("\x07\x10"));
	made_function(made, ODD, 0x80, PROGRAM("\x09\x10\x08\x14\x06\x02\x50\x0f\x03\x2f\xfd\xff"));
	memcpy(made->bytes + SIGNAL, "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9);
}

static void x86_begin(struct world *world, const char *letters)
{
	world_begin(world, EM_X86_64);
	x86_functions(&world->made, letters);
	made_end(&world->made, *letters ? NULL : ".debug_frame");
	world_file(world);
	world->registers[X86_STACK] = STACK;
	world->registers[X86_PC] = BASE + LEAF + 6;
	world->stack[0] = BASE + MIDDLE + 5;
	world->stack[2] = BASE + OUTER + 9;
}

static void test_plt(void **state UNUSED)
{
	struct world world;

	x86_begin(&world, "zR");
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, false, LEAF + 6, MIDDLE + 4, OUTER + 8);
	memmove(world.stack + 1, world.stack, 24);
	world.registers[X86_PC] = BASE + LEAF + 11;
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, false, LEAF + 11, MIDDLE + 4, OUTER + 8);
	world_end(&world);
}

/* The same rows from the other section. */
static void test_debug_frame(void **state UNUSED)
{
	struct world world;

	x86_begin(&world, "");
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, false, LEAF + 6, MIDDLE + 4, OUTER + 8);
	world_end(&world);
}

static void test_odd_rows(void **state UNUSED)
{
	struct world world;

	x86_begin(&world, "zR");
	world.registers[X86_PC] = BASE + ODD;
	world.registers[X86_R8] = BASE + MIDDLE + 1;
	world.stack[2] = BASE + OUTER + 1;
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, false, ODD, MIDDLE, OUTER);
	world.registers[X86_PC] = BASE + ODD + 16;
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, true, ODD + 16);
	world_end(&world);
}

/* What was not copied: the callers are said to be missing, those that were reached stay. */
static void test_short(void **state UNUSED)
{
	struct world world;

	x86_begin(&world, "zR");
	world_walk(&world, PID, 16);
	EXPECT(&world, true, LEAF + 6, MIDDLE + 4);
	world_walk(&world, PID, 7);
	EXPECT(&world, true, LEAF + 6);
	world_walk(&world, PID, 0);
	EXPECT(&world, true, LEAF + 6);
	world_walk(&world, PID + 1, sizeof(world.stack));
	EXPECT(&world, true, LEAF + 6);
	world.stack[0] = 0; /* the end, as those write it that start threads */
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, false, LEAF + 6);
	world.stack[0] = 4711; /* nothing is mapped there */
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, true, LEAF + 6);
	world_end(&world);
}

/* Code that was generated has frame pointers or nothing; from there the rows of a file go on. */
static void test_generated(void **state UNUSED)
{
	struct world world;

	x86_begin(&world, "zR");
	unwinder_map(world.unwinder, &(struct unwind_mapping){ PID, 0x100, 0x1000, 0, "//anon", 0 });
	world.registers[X86_PC] = 0x400;
	world.registers[X86_FRAME] = STACK + 40;
	world.stack[5] = STACK + 64;
	world.stack[6] = 0x501;
	world.stack[8] = 0;
	world.stack[9] = BASE + MIDDLE + 1;
	world.stack[11] = BASE + OUTER + 1;
	world_walk(&world, PID, sizeof(world.stack));
	assert_int_equal(world.n, 4);
	assert_int_equal(world.found[0], 0x400);
	assert_int_equal(world.found[1], 0x500);
	assert_int_equal(world.found[2], BASE + MIDDLE);
	assert_false(world.is_truncated);
	world.stack[5] = STACK + 8; /* a chain does not go down */
	world_walk(&world, PID, sizeof(world.stack));
	assert_int_equal(world.n, 2);
	assert_true(world.is_truncated);
	world_end(&world);
}

/* The C library of some has no rows for what handlers return to. */
static void test_x86_signal(void **state UNUSED)
{
	struct world world;

	x86_begin(&world, "zR");
	world.stack[0] = BASE + SIGNAL;
	world.stack[1 + 160 / 8] = STACK + 800;
	world.stack[1 + 168 / 8] = BASE + MIDDLE;
	world.stack[101] = BASE + OUTER + 1;
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, false, LEAF + 6, SIGNAL, MIDDLE, OUTER);
	world_end(&world);
}

/* Linkers leave stubs without rows: without a frame, too. */
static void test_stub(void **state UNUSED)
{
	struct world world;

	x86_begin(&world, "zR");
	world.registers[X86_FRAME] = 1;
	world.registers[X86_PC] = BASE + NOWHERE;
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, false, NOWHERE, MIDDLE + 4, OUTER + 8);
	world.stack[0] = STACK;
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, true, NOWHERE);
	world_end(&world);
}

/* Processes: a child has its parent's mappings, until it executes something; a file that took another's place is not read. */
static void test_processes(void **state UNUSED)
{
	struct world world;

	x86_begin(&world, "zR");
	unwinder_fork(world.unwinder, PID, PID + 1);
	unwinder_fork(world.unwinder, PID, PID);
	unwinder_exit(world.unwinder, PID);
	world_walk(&world, PID + 1, sizeof(world.stack));
	EXPECT(&world, false, LEAF + 6, MIDDLE + 4, OUTER + 8);
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, true, LEAF + 6);
	unwinder_exec(world.unwinder, PID + 1);
	world_walk(&world, PID + 1, sizeof(world.stack));
	EXPECT(&world, true, LEAF + 6);
	world_map(&world, world.inode + 1);
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, true, LEAF + 6);
	world_end(&world);
}

/* Code in the middle of a mapping is replaced, and back; what is around it stays where it was. */
static void test_replaced(void **state UNUSED)
{
	struct world world;

	x86_begin(&world, "zR");
	world.registers[X86_FRAME] = 1;
	unwinder_map(world.unwinder, &(struct unwind_mapping){ PID, BASE + 0x280, 0x100, 0, "//anon", 0 });
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, true, LEAF + 6, MIDDLE + 4);
	unwinder_map(world.unwinder,
		     &(struct unwind_mapping){ PID, BASE + 0x280, 0x100, 0x280, world.path, world.inode });
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, false, LEAF + 6, MIDDLE + 4, OUTER + 8);
	unwinder_map(world.unwinder, &(struct unwind_mapping){ PID, BASE - 0x1000, 0x10000, 0, "//anon", 0 });
	world_walk(&world, PID, sizeof(world.stack));
	EXPECT(&world, true, LEAF + 6);
	world_end(&world);
}

/* Each byte of a file changed, one after the other, and each length: something comes out, and nothing else happens. */
static void test_damaged(void **state UNUSED)
{
	struct world world;
	size_t whole;

	x86_begin(&world, "zR");
	whole = world.made.size;
	for (size_t i = 0; i < whole; i += i == 0xb0 ? MADE_HEADER - 0xb0 : 1) {
		const unsigned char byte = (unsigned char)(world.made.bytes[i] ^ 0xff);
		struct unwinder *before = world.unwinder;

		assert_int_equal(pwrite(world.fd, &byte, 1, (off_t)i), 1);
		world.unwinder = unwinder_new_for("", world.machine);
		world_map(&world, world.inode);
		world_walk(&world, PID, sizeof(world.stack));
		assert_in_range(world.n, 1, 3);
		assert_int_equal(world.found[0], BASE + LEAF + 6);
		unwinder_free(world.unwinder);
		world.unwinder = before;
		assert_int_equal(pwrite(world.fd, &world.made.bytes[i], 1, (off_t)i), 1);
	}
	world_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arm),	    cmocka_unit_test(test_arm_signal), cmocka_unit_test(test_plt),
		cmocka_unit_test(test_debug_frame), cmocka_unit_test(test_odd_rows),   cmocka_unit_test(test_short),
		cmocka_unit_test(test_generated),   cmocka_unit_test(test_x86_signal), cmocka_unit_test(test_processes),
		cmocka_unit_test(test_replaced),    cmocka_unit_test(test_damaged),    cmocka_unit_test(test_stub),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
