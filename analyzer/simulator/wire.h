/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire.h - what goes over files between topdown (analyzer/simulate) and the simulator: both include it, and nothing
 * else of each other. The simulator has no C library, so there are only names here, and functions that need none.
 *
 * All files are text, and their first line is WIRE_VERSION_LINE. A reader refuses any other.
 *
 * To the simulator, the core: a line "name value" for each parameter (simulator/model/parameters.c).
 *
 * From the simulator, one file PID.N.counts of the Nth program that process PID became by exec, from 0. A program that
 * is modelled in full at first, and sampled then, has two: WIRE_CONTINUED.
 *
 *   name value                            a line for each count: of the whole process
 *   ^NAME<tab>WHAT                        what another run of the program would do once more (WIRE_EFFECT_...): its
 *                                         first effect, by its system call's name, or else number in WHAT
 *   +NUMBER<tab>COUNT                    a system call's number, and how often the process's threads entered it
 *   $TASK<tab>TID<tab>NAME                a thread, numbered from 1
 *   =PLACE<tab>ADDRESS<tab>INSIDE<tab>EDGE<tab>SITE<tab>LINE<tab>FUNCTION<tab>FILE<tab>OBJECT   a place, numbered
 *                                         from 1: a line of a function, where it is inlined at SITE, all of a
 *                                         function, or an instruction. FUNCTION is the one around all that is inlined,
 *                                         as its symbol is written. ADDRESS is the instruction's, INSIDE that of one
 *                                         that is there, EDGE that of the last begin or end of a loop before it:
 *                                         hexadecimal, as in the object's program headers. What is unknown is 0 or
 *                                         empty
 *   &STACK<tab>CALLER<tab>PLACE<tab>TASK<tab>CUT   a call stack, numbered from 1: called from PLACE in the call stack
 *                                         CALLER; both 0: TASK begins here. CUT 1: callers are missing before CALLER
 *   @STACK<tab>PLACE                      what follows is the part of this place in this call stack
 *   *PLACE<tab>PARTNER<tab>KIND<tab>TRANSFERS   accesses of another thread at PARTNER cost those at PLACE so many
 *                                         transfers of lines between cores; KIND as enum transfer (sharing.h), from 1
 *   %NUMBER<tab>NAME                      what follows is the part of this thread, numbered from 1 as they began
 *   ~NUMBER<tab>NAME                      likewise of a region that the program marks (include/topdown.h); no NAME: of
 *                                         what is in none
 *   !OBSTACLE<tab>PATH                    the program that takes the process's place runs natively, and why
 *   end                                   without this last line the file is not whole
 *
 * Texts between tabs are escaped (wire_escape): a tab, a newline and a backslash within them are \t, \n and \\.
 */
#ifndef TOPDOWN_SIMULATOR_WIRE_H
#define TOPDOWN_SIMULATOR_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#define WIRE_VERSION_NAME "topdown-simulator"
#define WIRE_VERSION_LINE WIRE_VERSION_NAME " 5" /* another number when a name or a form changes its meaning */

#define WIRE_SUFFIX	 ".counts"
#define WIRE_ROW_MARK	 '@'
#define WIRE_PLACE_MARK	 '='
#define WIRE_STACK_MARK	 '&'
#define WIRE_TASK_MARK	 '$'
#define WIRE_THREAD_MARK '%'
#define WIRE_NATIVE_MARK '!'
#define WIRE_REGION_MARK '~'
#define WIRE_PAIR_MARK	 '*'
#define WIRE_CALL_MARK	 '+'
#define WIRE_END	 "end"

/*
 * NAME of an effect is a system call's (open for all that open a file to write, unlink for all that remove, ...), or
 * "device": a device or a named pipe was opened. WHAT is the path, the descriptor, or empty. Beside the first effect:
 */
#define WIRE_EFFECT_MARK     '^'
#define WIRE_EFFECT_LISTENED "listened" /* on a socket, so it was a server */
#define WIRE_EFFECT_STOPPED  "stopped"	/* WHAT is the number of a signal that asked it to end, which it caught */

#define WIRE_MOST_LAYOUTS 255 /* the greatest number of --layout */

/* What the simulator writes to Valgrind's log when it has to give up; the reason follows, up to the end of the line. */
#define WIRE_LOG_PARAMETER "wrong parameter: "
#define WIRE_LOG_VERSION   "another version: " /* the first line of the core's file */
#define WIRE_LOG_UNPINNED  "this machine lacks for --pinned: "
#define WIRE_LOG_UNWRITTEN "the counts can't be written"

/* Why a program can't be simulated, and so runs natively where another one starts it. */
enum wire_obstacle {
	WIRE_NO_OBSTACLE,
	WIRE_RIGHTS,	 /* it has other rights than the user's: set-user-ID, set-group-ID, capabilities */
	WIRE_FOREIGN,	 /* it is no 64-bit program of this machine */
	WIRE_UNREADABLE, /* it may be executed, but not read */
	WIRE_PLACE,	 /* it has to lie where the simulator does: another simulator, or a tool of Valgrind's */
	WIRE_SELF,	 /* it is named by /proc/self/exe, which is Valgrind's own program while it runs one */
	WIRE_SANITIZED,	 /* it is built with AddressSanitizer, which must be the first library and have its memory */
	WIRE_NAMELESS,	 /* it is a file without a name: in memory (memfd), or removed */
	WIRE_OBSTACLES
};

/*
 * What a program with AddressSanitizer calls, from a library of its own or one that was linked in. MemorySanitizer,
 * ThreadSanitizer and the others run under Valgrind.
 */
#define WIRE_SANITIZER_NAME "__asan_init"

/* Is the name one of these, each of which ends with 0? They are a part of a program's .dynstr. */
static inline bool wire_is_name_in(const char *names, size_t length)
{
	static const char name[] = "\0" WIRE_SANITIZER_NAME;
	size_t matched = 0;

	for (size_t i = 0; i < length && matched < sizeof(name); i++)
		matched = names[i] == name[matched] ? matched + 1 : names[i] == '\0';
	return matched == sizeof(name);
}

/*
 * A file that topdown makes where it shows how far a simulation is. The processes add a byte for so many instructions,
 * and WIRE_PROGRESS_OUTPUT when one has written to a terminal, where progress would be in its way. While WIRE_SHOWN is
 * there, topdown's line stands on the terminal: who removes the file wipes the line.
 */
#define WIRE_PROGRESS	     "progress"
#define WIRE_SHOWN	     "shown"
#define WIRE_PROGRESS_STEP   1000000
#define WIRE_PROGRESS_TICK   "."
#define WIRE_PROGRESS_OUTPUT "o"

/*
 * A file that topdown makes when the simulation is to end: each process then writes what it has counted, and is gone;
 * the program does nothing more. It does so after the next step, and where a system call fails with WIRE_STOPS, which
 * is no error of Linux: whoever watches the program has refused the call (collect/count/supervisor.h).
 */
#define WIRE_STOP  "stop"
#define WIRE_STOPS 4093

/*
 * Instructions that are modelled at once in a sample (--sample=N: one window in N instructions), with those
 * before it that fill the core.
 */
#define WIRE_WINDOW 12000

/*
 * Every count: its name within WIRE_..., and in files. They are the events of events/sim.json, but for those
 * that only the simulator and the reader of its files need (wire_is_event).
 * Those of slots are made in windows only, and the file has them scaled to all instructions of its process (times
 * WIRE_RETIRED over WIRE_MODELLED).
 */
enum wire_kind { WIRE_WHOLE, WIRE_SCALED };

/* clang-format off */
#define WIRE_COUNTS(ROW) \
	ROW(RETIRED, "inst.retired", WIRE_WHOLE) \
	ROW(MODELLED, "inst.modelled", WIRE_WHOLE) /* those in windows */ \
	ROW(UNSAMPLED, "inst.unsampled", WIRE_WHOLE) /* those that were modelled because nothing was left out */ \
	ROW(THREADS, "core.threads", WIRE_WHOLE) \
	ROW(EXECS, "core.execs", WIRE_WHOLE) /* 1: another program is to take the process's place after this file */ \
	ROW(EXECS_FAILED, "core.execs_failed", WIRE_WHOLE) /* 1: it did not after the file before */ \
	ROW(EXECS_REFUSED, "core.execs_refused", WIRE_WHOLE) /* 1: of EXECS, one that can't be simulated */ \
	ROW(FORKS, "core.forks", WIRE_WHOLE) /* processes that this one started, each of which writes a file */ \
	ROW(CONTINUED, "core.continued", WIRE_WHOLE) /* 1: the process's next file has more of the same program */ \
	ROW(LINEAGE, "core.lineage", WIRE_WHOLE) /* for the simulator itself, after an exec */ \
	ROW(HEAD, "core.head", WIRE_WHOLE) /* likewise: instructions to model in full before it samples */ \
	ROW(STRATUM, "core.stratum", WIRE_WHOLE) /* of bursts, which each stand for as long a stretch; 0: of none */ \
	ROW(REGIONS_UNBEGUN, "core.regions_unbegun", WIRE_WHOLE) /* ends of regions where none had begun */ \
	ROW(SYSCALLS, "syscalls.all", WIRE_WHOLE) /* those by number are what they consist of */ \
	ROW(INST_VECTOR, "inst.vector", WIRE_WHOLE) /* by kind, for what the model and the machine differ by */ \
	ROW(INST_X87, "inst.x87", WIRE_WHOLE) \
	ROW(INST_CRYPTO, "inst.crypto", WIRE_WHOLE) \
	ROW(INST_GATHERS, "inst.gathers", WIRE_WHOLE) \
	ROW(INST_STRINGS, "inst.strings", WIRE_WHOLE) \
	ROW(FLOPS_F32_SCALAR, "flops.f32_scalar", WIRE_WHOLE) /* in the order of enum flop_kind */ \
	ROW(FLOPS_F32_128, "flops.f32_128", WIRE_WHOLE) \
	ROW(FLOPS_F32_256, "flops.f32_256", WIRE_WHOLE) \
	ROW(FLOPS_F64_SCALAR, "flops.f64_scalar", WIRE_WHOLE) \
	ROW(FLOPS_F64_128, "flops.f64_128", WIRE_WHOLE) \
	ROW(FLOPS_F64_256, "flops.f64_256", WIRE_WHOLE) \
	ROW(BYTES_LOADED, "bytes.loaded", WIRE_WHOLE) \
	ROW(BYTES_STORED, "bytes.stored", WIRE_WHOLE) \
	ROW(LINES_L1_IN, "lines.l1_in", WIRE_WHOLE) /* in the order of enum move; only where asked for */ \
	ROW(LINES_L1_OUT, "lines.l1_out", WIRE_WHOLE) \
	ROW(LINES_L2_IN, "lines.l2_in", WIRE_WHOLE) \
	ROW(LINES_L2_OUT, "lines.l2_out", WIRE_WHOLE) \
	ROW(LINES_L3_IN, "lines.l3_in", WIRE_WHOLE) \
	ROW(LINES_L3_OUT, "lines.l3_out", WIRE_WHOLE) \
	ROW(LINES_STREAMED, "lines.streamed", WIRE_WHOLE) \
	ROW(CYCLES, "core.cycles", WIRE_SCALED) \
	ROW(SLOTS_ALL, "slots.all", WIRE_SCALED) \
	ROW(SLOTS_RETIRED, "slots.retired", WIRE_SCALED) \
	ROW(SLOTS_HEAVY, "slots.heavy", WIRE_SCALED) \
	ROW(SLOTS_FP, "slots.fp", WIRE_SCALED) \
	ROW(SLOTS_MEMORY, "slots.memory", WIRE_SCALED) \
	ROW(SLOTS_BRANCH, "slots.branch", WIRE_SCALED) \
	ROW(INST_MIXED, "inst.mixed", WIRE_SCALED) /* of SSE, right behind AVX of 256 bits */ \
	ROW(LOST_MISPREDICT, "lost.mispredict", WIRE_SCALED) \
	ROW(LOST_RESTEER, "lost.resteer", WIRE_SCALED) \
	ROW(LOST_ICACHE, "lost.icache", WIRE_SCALED) \
	ROW(LOST_ITLB, "lost.itlb", WIRE_SCALED) \
	ROW(LOST_UNKNOWN_BRANCH, "lost.unknown_branch", WIRE_SCALED) \
	ROW(LOST_LEGACY_DECODE, "lost.legacy_decode", WIRE_SCALED) \
	ROW(LOST_UOP_CACHE, "lost.uop_cache", WIRE_SCALED) \
	ROW(LOST_MICROCODE, "lost.microcode", WIRE_SCALED) \
	ROW(LOST_DTLB, "lost.dtlb", WIRE_SCALED) \
	ROW(LOST_L1, "lost.l1", WIRE_SCALED) \
	ROW(LOST_L2, "lost.l2", WIRE_SCALED) \
	ROW(LOST_L3, "lost.l3", WIRE_SCALED) \
	ROW(LOST_DRAM, "lost.dram", WIRE_SCALED) \
	ROW(LOST_CONTESTED, "lost.contested", WIRE_SCALED) \
	ROW(LOST_DATA_SHARING, "lost.data_sharing", WIRE_SCALED) \
	ROW(LOST_FALSE_SHARING, "lost.false_sharing", WIRE_SCALED) \
	ROW(LOST_STORE, "lost.store", WIRE_SCALED) \
	ROW(LOST_DIVIDER, "lost.divider", WIRE_SCALED) \
	ROW(LOST_PORTS, "lost.ports", WIRE_SCALED) \
	ROW(LOST_DEPENDENCY, "lost.dependency", WIRE_SCALED) \
	ROW(LOST_SERIALIZATION, "lost.serialization", WIRE_SCALED) \
	ROW(BRANCH_ALL, "branch.all", WIRE_WHOLE) \
	ROW(BRANCH_MISPREDICTED, "branch.mispredicted", WIRE_WHOLE) \
	ROW(BRANCH_UNKNOWN, "branch.unknown", WIRE_WHOLE) \
	ROW(LOADS_ALL, "loads.all", WIRE_WHOLE) \
	ROW(LOADS_L1_HIT, "loads.l1_hit", WIRE_WHOLE) \
	ROW(LOADS_L2_HIT, "loads.l2_hit", WIRE_WHOLE) \
	ROW(LOADS_L3_HIT, "loads.l3_hit", WIRE_WHOLE) \
	ROW(LOADS_DRAM, "loads.dram", WIRE_WHOLE) \
	ROW(STORES_ALL, "stores.all", WIRE_WHOLE) \
	ROW(STORES_L1_MISS, "stores.l1_miss", WIRE_WHOLE) \
	ROW(CODE_L2_HIT, "code.l2_hit", WIRE_WHOLE) \
	ROW(CODE_L3_HIT, "code.l3_hit", WIRE_WHOLE) \
	ROW(CODE_DRAM, "code.dram", WIRE_WHOLE) \
	ROW(DTLB_MISSES, "dtlb.misses", WIRE_WHOLE) \
	ROW(DTLB_WALKS, "dtlb.walks", WIRE_WHOLE) \
	ROW(ITLB_MISSES, "itlb.misses", WIRE_WHOLE) \
	ROW(ITLB_WALKS, "itlb.walks", WIRE_WHOLE) \
	ROW(PREFETCH_LINES, "prefetch.lines", WIRE_WHOLE) \
	ROW(SAMPLE_WINDOWS, "sample.windows", WIRE_WHOLE) \
	ROW(SAMPLE_INSTRUCTIONS, "sample.instructions", WIRE_WHOLE) \
	ROW(SAMPLE_INSTRUCTIONS_SQUARED, "sample.instructions_squared", WIRE_WHOLE) \
	ROW(SAMPLE_SLOTS, "sample.slots", WIRE_WHOLE) \
	ROW(SAMPLE_SLOTS_SQUARED, "sample.slots_squared", WIRE_WHOLE) \
	ROW(SAMPLE_SLOTS_INSTRUCTIONS, "sample.slots_instructions", WIRE_WHOLE) \
	ROW(SAMPLE_RETIRING, "sample.retiring", WIRE_WHOLE) \
	ROW(SAMPLE_RETIRING_SQUARED, "sample.retiring_squared", WIRE_WHOLE) \
	ROW(SAMPLE_RETIRING_SLOTS, "sample.retiring_slots", WIRE_WHOLE) \
	ROW(SAMPLE_SPECULATION, "sample.speculation", WIRE_WHOLE) \
	ROW(SAMPLE_SPECULATION_SQUARED, "sample.speculation_squared", WIRE_WHOLE) \
	ROW(SAMPLE_SPECULATION_SLOTS, "sample.speculation_slots", WIRE_WHOLE) \
	ROW(SAMPLE_FRONTEND, "sample.frontend", WIRE_WHOLE) \
	ROW(SAMPLE_FRONTEND_SQUARED, "sample.frontend_squared", WIRE_WHOLE) \
	ROW(SAMPLE_FRONTEND_SLOTS, "sample.frontend_slots", WIRE_WHOLE) \
	ROW(SAMPLE_BACKEND, "sample.backend", WIRE_WHOLE) \
	ROW(SAMPLE_BACKEND_SQUARED, "sample.backend_squared", WIRE_WHOLE) \
	ROW(SAMPLE_BACKEND_SLOTS, "sample.backend_slots", WIRE_WHOLE) \
	ROW(TRIGGERS_MISPREDICTED, "triggers.mispredicted", WIRE_WHOLE) /* what slots of one kind follow from, all */ \
	ROW(TRIGGERS_UNKNOWN, "triggers.unknown", WIRE_WHOLE) \
	ROW(TRIGGERS_CODE, "triggers.code", WIRE_WHOLE) \
	ROW(TRIGGERS_CODE_PAGE, "triggers.code_page", WIRE_WHOLE) \
	ROW(TRIGGERS_DATA_PAGE, "triggers.data_page", WIRE_WHOLE) \
	ROW(TRIGGERS_L2, "triggers.l2", WIRE_WHOLE) \
	ROW(TRIGGERS_L3, "triggers.l3", WIRE_WHOLE) \
	ROW(TRIGGERS_DRAM, "triggers.dram", WIRE_WHOLE) \
	ROW(MODELLED_MISPREDICTED, "modelled.mispredicted", WIRE_WHOLE) /* those in windows */ \
	ROW(MODELLED_UNKNOWN, "modelled.unknown", WIRE_WHOLE) \
	ROW(MODELLED_CODE, "modelled.code", WIRE_WHOLE) \
	ROW(MODELLED_CODE_PAGE, "modelled.code_page", WIRE_WHOLE) \
	ROW(MODELLED_DATA_PAGE, "modelled.data_page", WIRE_WHOLE) \
	ROW(MODELLED_L2, "modelled.l2", WIRE_WHOLE) \
	ROW(MODELLED_L3, "modelled.l3", WIRE_WHOLE) \
	ROW(MODELLED_DRAM, "modelled.dram", WIRE_WHOLE)
/* clang-format on */

#define WIRE_NUMBER(id, name, kind) WIRE_##id,
enum wire_count { WIRE_COUNTS(WIRE_NUMBER) WIRE_COUNT };

struct wire_row {
	const char *name;
	enum wire_kind kind;
};

static inline const struct wire_row *wire_row(enum wire_count count)
{
#define WIRE_ROW(id, name, kind) { name, kind },
	static const struct wire_row rows[] = { WIRE_COUNTS(WIRE_ROW) };

	return &rows[count];
}

static inline bool wire_is_event(enum wire_count count)
{
	return count < WIRE_TRIGGERS_MISPREDICTED && count != WIRE_LINEAGE && count != WIRE_HEAD &&
	       count != WIRE_STRATUM && count != WIRE_REGIONS_UNBEGUN;
}

static inline char wire_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Does the text begin with the name, in any case? */
static inline bool wire_begins(const char *text, const char *name)
{
	for (; *name; text++, name++)
		if (wire_lower(*text) != wire_lower(*name))
			return false;
	return true;
}

static inline bool wire_is_identifier(const char *name)
{
	for (; *name; name++)
		if (!((wire_lower(*name) >= 'a' && wire_lower(*name) <= 'z') || (*name >= '0' && *name <= '9') ||
		      *name == '_'))
			return false;
	return true;
}

/*
 * May the function of this symbol be the one that somebody named, by the last part of its name? Of plain symbols it is
 * the same, in any case and with a suffix of the compiler's (".cold"). C++, Rust and D write each part's length before
 * it, so the name stands there behind a digit, or the '_' of Rust; more than what is meant may have it. What is no
 * identifier (an operator, a closure) may be any of theirs.
 */
static inline bool wire_may_mean(const char *name, const char *symbol)
{
	size_t length = 0;

	while (name[length])
		length++;
	if (wire_begins(symbol, name) && (symbol[length] == '\0' || symbol[length] == '.' || symbol[length] == '@'))
		return true;
	if (symbol[0] != '_' || (symbol[1] != 'Z' && symbol[1] != 'R' && symbol[1] != 'D'))
		return false;
	if (!wire_is_identifier(name))
		return true;
	for (symbol += 2; *symbol; symbol++)
		if (((symbol[-1] >= '0' && symbol[-1] <= '9') || symbol[-1] == '_') && wire_begins(symbol, name))
			return true;
	return false;
}

/*
 * Writes the text into a buffer of a size above 0, so that no character of it ends a field or a line. What does not fit
 * is left out, never half of an escape. Returns the length.
 */
static inline size_t wire_escape(char *to, size_t size, const char *text)
{
	size_t length = 0;

	for (; *text; text++) {
		char code = *text == '\t' ? 't' : *text == '\n' ? 'n' : *text == '\\' ? '\\' : '\0';

		if (length + (code ? 2 : 1) >= size)
			break;
		if (code)
			to[length++] = '\\';
		to[length++] = code ? code : *text;
	}
	to[length] = '\0';
	return length;
}

/* The opposite, in place. A backslash before anything else stays. */
static inline void wire_unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		char code = *text == '\\' ? text[1] : '\0';
		char plain = code == 't' ? '\t' : code == 'n' ? '\n' : code == '\\' ? '\\' : '\0';

		text += plain != '\0';
		*to++ = plain ? plain : *text;
	}
	*to = '\0';
}

#endif
