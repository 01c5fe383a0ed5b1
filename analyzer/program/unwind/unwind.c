/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind.c - one frame after the other: the row of the address says where the caller's registers are. Code without rows
 * (generated at run time, mostly) is believed to keep a frame pointer, as long as that makes sense.
 */
#include "program/unwind/unwind.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "program/unwind/unwind_internal.h"

struct unwinder {
	const struct unwind_machine *machine;
	struct unwind_modules *modules;
	struct unwind_processes processes;
};

/* The frame that a walk is at. */
struct walk {
	struct unwinder *unwinder;
	const struct unwind_sample *sample;
	struct unwind_process *process;
	struct unwind_module *module; /* of the code; NULL: no file */
	uint64_t registers[CFI_COLUMNS];
	uint64_t known;	 /* which of them are: a bit each */
	uint64_t bottom; /* where the copy of the stack begins */
	uint64_t pc;	 /* to which the frame's callee returns, or was interrupted at */
	bool is_call;	 /* it called: pc is behind the call, and what is asked for is one less */
};

/* What a step came to. */
enum progress { WENT_ON, IS_OUTERMOST, IS_LOST };

#if defined(__x86_64__)
enum { HERE = EM_X86_64 };
#elif defined(__aarch64__)
enum { HERE = EM_AARCH64 };
#else
enum { HERE = EM_NONE };
#endif

struct unwinder *unwinder_new(const char *sysroot)
{
	return unwinder_new_for(sysroot, HERE);
}

struct unwinder *unwinder_new_for(const char *sysroot, uint16_t machine)
{
	const struct unwind_machine *found = unwind_machine_find(machine);
	struct unwinder *unwinder = found ? calloc(1, sizeof(*unwinder)) : NULL;

	if (unwinder) {
		unwinder->machine = found;
		unwinder->modules = unwind_modules_new(sysroot, found);
	}
	return unwinder;
}

void unwinder_free(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	unwind_modules_free(unwinder->modules);
	unwind_processes_release(&unwinder->processes);
	free(unwinder);
}

uint64_t unwind_registers(void)
{
	return unwind_registers_for(HERE);
}

uint64_t unwind_registers_for(uint16_t machine)
{
	const struct unwind_machine *found = unwind_machine_find(machine);
	uint64_t mask = 0;

	for (size_t i = 0; found && i < found->ncolumns; i++)
		mask |= (uint64_t)1 << found->kernel[i];
	return mask;
}

void unwinder_map(struct unwinder *unwinder, const struct unwind_mapping *mapping)
{
	unwind_process_map(&unwinder->processes, mapping);
}

void unwinder_fork(struct unwinder *unwinder, uint32_t parent, uint32_t child)
{
	unwind_process_fork(&unwinder->processes, parent, child);
}

void unwinder_exec(struct unwinder *unwinder, uint32_t pid)
{
	unwind_process_forget(&unwinder->processes, pid);
}

void unwinder_exit(struct unwinder *unwinder, uint32_t pid)
{
	unwind_process_forget(&unwinder->processes, pid);
}

/* 8 bytes of the stack's copy. */
static bool read_stack(const struct walk *walk, uint64_t address, uint64_t *value)
{
	const uint64_t at = address - walk->bottom;

	if (address < walk->bottom || at > walk->sample->size || walk->sample->size - at < sizeof(*value))
		return false;
	memcpy(value, walk->sample->stack + at, sizeof(*value));
	return true;
}

static bool read_for_expression(void *context, uint64_t address, uint64_t *value)
{
	return read_stack(context, address, value);
}

static bool unwind_is_known(const struct walk *walk, size_t column)
{
	return column < CFI_COLUMNS && (walk->known >> column & 1);
}

static void set_register(struct walk *walk, size_t column, uint64_t value)
{
	walk->registers[column] = value;
	walk->known |= (uint64_t)1 << column;
}

static void forget_register(struct walk *walk, size_t column)
{
	walk->known &= ~((uint64_t)1 << column);
}

static struct unwind_mapped *find_code(struct walk *walk, uint64_t address)
{
	struct unwind_mapped *mapped = walk->process ? unwind_process_at(walk->process, address) : NULL;

	if (mapped && !mapped->has_looked) {
		mapped->has_looked = true;
		mapped->module = unwind_modules_open(walk->unwinder->modules,
						     &(struct unwind_file){ walk->process->pid, mapped->begin,
									    mapped->end, mapped->inode, mapped->path });
	}
	return mapped;
}

/* The row of the frame's code; *address: where that is in its module. NULL: it has none. */
static const struct cfi_row *unwind_find_row(struct walk *walk, uint64_t *address)
{
	const uint64_t pc = walk->pc - walk->is_call;
	const struct unwind_mapped *mapped = find_code(walk, pc);

	walk->module = mapped ? mapped->module : NULL;
	if (!walk->module)
		return NULL;
	/* The vdso's mapping begins where its image does, whatever the record says. */
	if (!unwind_image_address(&walk->module->image, pc - mapped->begin + (walk->module->path ? mapped->offset : 0),
				  address))
		return NULL;
	return unwind_modules_row(walk->unwinder->modules, walk->module, *address);
}

static bool evaluate(struct walk *walk, const struct cfi_row *row, const struct cfi_cell *cell, const uint64_t *cfa,
		     uint64_t *value)
{
	const struct cfi_machine machine = { walk->registers, walk, read_for_expression };
	const struct unwind_image *image = &walk->module->image;

	return cfi_evaluate(row->is_debug_frame ? &image->debug : &image->eh, cell, &machine, cfa, value);
}

static bool find_cfa(struct walk *walk, const struct cfi_row *row, uint64_t *cfa)
{
	const struct cfi_cell *cell = &row->cfa;

	switch (cell->way) {
	case CFI_REGISTER_PLUS:
		*cfa = walk->registers[cell->column] + (uint64_t)cell->offset;
		return unwind_is_known(walk, cell->column);
	case CFI_AT_STACK:
		return read_stack(walk, walk->registers[walk->unwinder->machine->stack] + (uint64_t)cell->offset, cfa);
	case CFI_IS_EXPRESSION: return evaluate(walk, row, cell, NULL, cfa);
	default: return false;
	}
}

/* A register of the caller; before: the frame's own registers. */
static bool find_cell(struct walk *walk, const struct cfi_row *row, const struct cfi_cell *cell, uint64_t cfa,
		      uint64_t *value)
{
	uint64_t address = cfa + (uint64_t)cell->offset;

	switch (cell->way) {
	case CFI_AT_OFFSET: return read_stack(walk, address, value);
	case CFI_IS_OFFSET: *value = address; return true;
	case CFI_REGISTER: *value = walk->registers[cell->offset]; return unwind_is_known(walk, (size_t)cell->offset);
	case CFI_AT_STACK:
		return read_stack(walk, walk->registers[walk->unwinder->machine->stack] + (uint64_t)cell->offset,
				  value);
	case CFI_AT_EXPRESSION: return evaluate(walk, row, cell, &cfa, &address) && read_stack(walk, address, value);
	case CFI_IS_EXPRESSION: return evaluate(walk, row, cell, &cfa, value);
	default: return false;
	}
}

/* The frame's registers become the caller's. */
static void find_registers(struct walk *walk, const struct cfi_row *row, uint64_t cfa)
{
	uint64_t values[CFI_COLUMNS], found = 0;

	for (size_t i = 0; i < row->ncells; i++) {
		const struct cfi_cell *cell = &row->cells[i];

		if (find_cell(walk, row, cell, cfa, &values[i]))
			found |= (uint64_t)1 << i;
	}
	set_register(walk, walk->unwinder->machine->stack, cfa);
	for (size_t i = 0; i < row->ncells; i++) {
		const struct cfi_cell *cell = &row->cells[i];

		/* Saved below the stack's end, it was taken back from there already: the register has it. */
		if (found >> i & 1)
			set_register(walk, cell->column, values[i]);
		else if (cell->way != CFI_AT_OFFSET || cfa + (uint64_t)cell->offset >= walk->bottom)
			forget_register(walk, cell->column);
	}
}

/* The caller's frame, whose registers are found already, is the walk's. */
static enum progress unwind_go_on(struct walk *walk, uint64_t address, bool is_call)
{
	const unsigned bits = walk->unwinder->machine->address_bits;

	if (bits < 64)
		address &= ((uint64_t)1 << bits) - 1;
	if (!address)
		return IS_OUTERMOST;
	walk->pc = address;
	walk->is_call = is_call;
	return find_code(walk, address - is_call) ? WENT_ON : IS_LOST;
}

/* Frames lie one above the other; those of signals' handlers may be on a stack of their own. */
static bool is_above(const struct walk *walk, const struct cfi_row *row, uint64_t stack)
{
	const uint64_t caller = walk->registers[walk->unwinder->machine->stack];

	return row->is_signal || caller > stack || (caller == stack && !walk->is_call);
}

static enum progress step_by_row(struct walk *walk, const struct cfi_row *row, uint64_t address)
{
	const struct unwind_machine *machine = walk->unwinder->machine;
	const uint64_t stack = walk->registers[machine->stack];
	const uint8_t column = row->return_column;
	uint64_t cfa;

	if (row->is_outermost)
		return IS_OUTERMOST;
	/* An expression may ask for the place in the code: the module's, since it compares low bits only. */
	set_register(walk, machine->ncolumns - 1, address + walk->is_call);
	if (!find_cfa(walk, row, &cfa))
		return IS_LOST;
	forget_register(walk, machine->ncolumns - 1);
	if (walk->is_call && machine->link != NO_COLUMN)
		forget_register(walk, machine->link); /* the call wrote it */
	find_registers(walk, row, cfa);
	if (!unwind_is_known(walk, column) || !is_above(walk, row, stack))
		return IS_LOST;
	return unwind_go_on(walk, walk->registers[column], !row->is_signal);
}

/* By the frame pointer: it lies on the stack, and so do the caller's and the return address, which is of code. */
static enum progress step_by_frame(struct walk *walk)
{
	const struct unwind_machine *machine = walk->unwinder->machine;
	const uint64_t frame = walk->registers[machine->frame];
	uint64_t caller, address;

	if (!unwind_is_known(walk, machine->frame))
		return IS_LOST;
	if (!frame && walk->is_call)
		return IS_OUTERMOST;
	if (frame % 8 || frame < walk->registers[machine->stack] || !read_stack(walk, frame, &caller) ||
	    !read_stack(walk, frame + 8, &address))
		return IS_LOST;
	set_register(walk, machine->frame, caller);
	set_register(walk, machine->stack, frame + 16);
	return unwind_go_on(walk, address, true);
}

/*
 * Code without rows in a file that has some: a stub of the linker's, or assembler. Where it was interrupted it has no
 * frame yet, if what would then be the return address is one of a file's code.
 */
static bool step_by_stub(struct walk *walk)
{
	const struct unwind_machine *machine = walk->unwinder->machine;
	const uint64_t stack = walk->registers[machine->stack];
	const bool is_on_stack = machine->link == NO_COLUMN;
	uint64_t address = is_on_stack ? 0 : walk->registers[machine->link];
	const struct unwind_mapped *mapped;

	if (walk->is_call || !walk->module || !walk->module->image.eh.nranges ||
	    (is_on_stack && !read_stack(walk, stack, &address)))
		return false;
	mapped = address ? find_code(walk, address - 1) : NULL;
	if (!mapped || !mapped->module || unwind_go_on(walk, address, true) != WENT_ON)
		return false;
	set_register(walk, machine->stack, stack + (is_on_stack ? sizeof(address) : 0));
	return true;
}

/* *found: the frame's address. */
static enum progress step(struct walk *walk, uint64_t *found)
{
	uint64_t address = 0;
	const struct cfi_row *row = unwind_find_row(walk, &address);

	/* A handler returns to the trampoline's begin, which called nobody. */
	*found = walk->pc - (walk->is_call && !(row && row->is_signal));
	if (row)
		return step_by_row(walk, row, address);
	return step_by_stub(walk) ? WENT_ON : step_by_frame(walk);
}

static void unwind_begin(struct walk *walk, struct unwinder *unwinder, const struct unwind_sample *sample)
{
	const struct unwind_machine *machine = unwinder->machine;

	walk->unwinder = unwinder;
	walk->sample = sample;
	walk->process = unwind_process_find(&unwinder->processes, sample->pid);
	walk->known = 0;
	walk->is_call = false;
	memset(walk->registers, 0, sizeof(walk->registers));
	for (size_t i = 0; i < machine->ncolumns; i++) {
		const uint64_t bit = (uint64_t)1 << machine->kernel[i];

		if (sample->mask & bit)
			set_register(walk, i, sample->registers[__builtin_popcountll(sample->mask & (bit - 1))]);
	}
	walk->pc = walk->registers[machine->ncolumns - 1];
	walk->bottom = walk->registers[machine->stack];
}

size_t unwinder_walk(struct unwinder *unwinder, const struct unwind_sample *sample, uint64_t *addresses, size_t most,
		     bool *is_truncated)
{
	const struct unwind_machine *machine = unwinder->machine;
	enum progress progress = WENT_ON;
	struct walk walk;
	size_t n = 0;

	unwind_begin(&walk, unwinder, sample);
	*is_truncated = true;
	if (!unwind_is_known(&walk, machine->ncolumns - 1) || !unwind_is_known(&walk, machine->stack))
		return 0;
	while (progress == WENT_ON && n < most)
		progress = step(&walk, &addresses[n++]);
	*is_truncated = progress != IS_OUTERMOST;
	return n;
}
