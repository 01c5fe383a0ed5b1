/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guest_internal.h - the tool's parts: what it instruments, what it counts into files. */
#ifndef TOPDOWN_SIMULATOR_GUEST_GUEST_INTERNAL_H
#define TOPDOWN_SIMULATOR_GUEST_GUEST_INTERNAL_H

#include "simulator/guest/core_totals.h"
#include "simulator/guest/effects.h"
#include "simulator/guest/source_rows.h"
#include "simulator/guest/successor.h"
#include "simulator/guest/system_calls.h"
#include "simulator/guest/translate.h"
#include "simulator/guest/valgrind.h"
#include "simulator/guest/writer.h"
#include "simulator/model/parameters.h"
#include "simulator/model/trace.h"

/* ---- counts_file.c ---- */

/*
 * The counts as a file in the form of wire.h: of the process, and with source rows or shares of each source line
 * or thread.
 */

/* What a process keeps when it becomes another program by exec. */
struct heritage {
	ULong lineage;
	ULong head; /* instructions that are still to be modelled in full before sampling begins */
};

struct counts_request {
	const HChar *directory; /* the file's name in it is PID.NUMBER.counts, the first that is free */
	const struct block *blocks;
	const struct guest_threads *threads;
	ULong execs,
		failed_execs; /* another program takes the process's place after this file, or did not after the last */
	struct heritage heritage;	    /* for the program that takes the process's place */
	Bool is_whole;			    /* nothing was left out of the model since the last file */
	Bool is_continued;		    /* the same program goes on, into another file */
	ULong unfollowed;		    /* instructions that were skipped, for which the others stand */
	UInt stratum;			    /* of bursts (fast.h); 0: nothing is skipped on purpose */
	const struct effects *effects;	    /* since the last file */
	const struct system_calls *calls;   /* likewise */
	const struct successor *successor;  /* of execs; what can't be simulated is named */
	ULong forks;			    /* processes that this one has started, each of which writes a file too */
	struct source_rows *source_rows;    /* NULL: nobody asked for them */
	const struct thread_shares *shares; /* all closed; NULL: nobody asked for them */
};

/* False when it can't be written. */
Bool counts_file_write(const struct counts_request *request);

/* From the last file of this process. False, and as it was: it has written none. */
Bool counts_file_inherit(struct heritage *heritage, const HChar *directory);

/* ---- instrument.c ---- */

/*
 * The code that is added to the program's: each block leaves what it is and the addresses of its accesses in a
 * trace, and when that is full, its reader is called before the next block. Nothing else is done while the program
 * runs.
 */

/* The only one, since the added code has its addresses. Valgrind runs one thread at a time. */
extern struct trace instrument_trace;

struct instrumentation {
	struct translator translator;
	Bool is_pinned;			     /* what asks the machine is answered by pinned.c */
	void (*on_full)(void);		     /* the trace is to be emptied */
	void (*on_new)(struct block *block); /* a block was made */
};

IRSB *instrument(struct instrumentation *instrumentation, IRSB *in, IRType word);

/* ---- pinned.c ---- */

/*
 * What a pinned program learns of its machine and of the moment: the same answers on every host, so that the same
 * binary takes the same way. Clocks, random numbers, the number of CPUs and the size of memory are the tool's own.
 * What it learns of the CPU is in pinned_cpu.c. The number of a process stays the kernel's: raise() and kill()
 * need it.
 */

/*
 * Before the first instruction is translated. NULL, or what the host lacks for programs to learn of the same
 * instructions as elsewhere.
 */
const HChar *pinned_begin(const struct parameters *parameters);

/* The thread's first instruction: what the kernel left on the program's stack (auxiliary vector, random bytes). */
void pinned_stack(ThreadId id);

/* Around a system call: a moment to wait for is one of the kernel's clock, an answer one of ours. */
void pinned_call(ThreadId id, UInt number, const UWord *arguments);
void pinned_returned(ThreadId id, UInt number, const UWord *arguments, SysRes result);

/* ---- pinned_cpu.c ---- */

/* What a pinned program learns of its CPU, and of counters that run. */

/* What the answers need; NULL, or what the host lacks of them. */
const HChar *pinned_cpu_begin(const struct parameters *parameters, ULong (*time)(void));

/* In place of a statement that asks the CPU; any other is returned as it is. */
IRStmt *pinned_cpu_statement(IRStmt *statement);

/* Of AT_HWCAP, AT_HWCAP2 and AT_MINSIGSTKSZ in the auxiliary vector; False: the kernel's value is everybody's. */
Bool pinned_cpu_auxiliary(UWord kind, UWord *value);

/* ---- advance.c ---- */

/*
 * How far the simulation is, for topdown to show on a terminal: through files (wire.h) that topdown makes only
 * where it shows it.
 */

/* The counts' directory, and what this process has done so far. */
struct advance {
	const HChar *directory;
	ULong steps;	  /* whole ones so far */
	ULong limit;	  /* instructions, after which it ends; 0: none */
	Bool has_written; /* on a terminal */
};

/* Instructions have been simulated, of which whole steps are added and taken off. True: the simulation is to end. */
Bool advance_count(struct advance *advance, ULong *instructions);

/* Before a system call: topdown's line goes, and stays away, when the program writes on a terminal. */
void advance_call(struct advance *advance, UInt number, const UWord *arguments);

/* ---- folded_rows.c ---- */

/*
 * Rows of instructions become rows of lines again before they are written: those of one line stay apart only where
 * a loop begins or ends between them. Until then nobody knows the loops, and a block may begin before one.
 */

struct folded_rows {
	UInt *of;    /* of each row, the first one that it is written with */
	Addr *edges; /* of each row, the last edge of a loop before it in its function; 0: none */
};

/* Sorts the edges of rows. Without loops each row is its own. */
void folded_rows_init(struct folded_rows *folded, struct source_rows *rows);
void folded_rows_release(struct folded_rows *folded);

/* ---- places_file.c ---- */

/* The part of the counts' file that says where: threads, places, call stacks, and counts of each. */

/* totals say how much of everything was modelled. */
void write_places(struct writer *writer, struct source_rows *rows, const struct guest_threads *threads,
		  const struct totals *totals);

/* ---- unnamed_functions.c ---- */

/*
 * Where functions begin that have no symbol: in the table of .eh_frame_hdr, which strip leaves, and which is
 * mapped with the object (Linux Standard Base 5, 10.6.2).
 */

/* Where the function begins that has the address, which is mapped; 0: unknown. info: of its object. */
Addr unnamed_functions_find(const DebugInfo *info, Addr address);

/* ---- spare_puts.c ---- */

/*
 * Writes of registers that nobody reads, as the block writes the register again first. VEX would remove them
 * before the model sees the block, and with them loads without a use (tool.c). Once the model has seen it they
 * only take time. At each access to memory and at each exit all registers are up to date, as by VEX's
 * allregs-at-mem-access.
 */

/* From a block as it is to run: with all that was added to it. */
void spare_puts_drop(IRSB *block, const VexGuestLayout *layout);

/* ---- kernel_signals.c ---- */

/*
 * Signals that Valgrind keeps from the program, and that the kernel carries out here: SIGTSTP (Ctrl-Z), SIGTTIN and
 * SIGTTOU stop a program without a handler, and signal 64 ends it. Valgrind would drop the first three, and has the
 * last one for its own threads, so no program can have a handler of it. SIGSYS it leaves open to the kernel by mistake,
 * as if only an instruction could raise it, and gives up where a process sends it.
 */

/* Once in each program, when Valgrind has set its handlers up. */
void kernel_signals_begin(void);

/* Whenever a thread begins to run the program's code: what it does not block may stop it from here on. */
void kernel_signals_run(ThreadId id);

/* Before a system call. True: it ends this process by signal 64; continue with kernel_signals_end. */
Bool kernel_signals_ends(UInt number, const UWord *arguments);

void kernel_signals_end(void) __attribute__((noreturn));

/* After a system call: its handlers may be others now, and it may have sent itself such a signal. */
void kernel_signals_returned(ThreadId id, UInt number, const UWord *arguments);

/*
 * Valgrind has opened the log with the first free descriptor, and writes through a copy that lies above those of the
 * program: the first one is closed, since it would be the program's 3. A core file would be put beside the log, and is
 * put into the current directory, as vgcore.PID.
 */
void log_file_hide(void);

/* ---- native_exec.c ---- */

/*
 * Programs that the kernel finds and Valgrind does not: the program itself by /proc/self/exe, which is Valgrind's tool
 * here, and a file without a name (memfd, or removed), of which Valgrind knows the former name alone. They run
 * natively, by a name that leads to the same file for both.
 */

/* Before the system call: the process gives another name. */
void native_exec_prepare(UInt number, const UWord *arguments, enum wire_obstacle obstacle);

/* After it has failed: the process's own name is back; or it asks again, by a name, where Valgrind found none. */
void native_exec_failed(ThreadId id, const UWord *arguments);

#endif
