/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ceilings.h - how fast this machine can go: peaks of computing and of moving bytes, measured. They are the roofs of a
 * roofline. Measured once and kept in a file, as long as the conditions stay what they were.
 */
#ifndef TOPDOWN_ANALYSE_CEILINGS_CEILINGS_H
#define TOPDOWN_ANALYSE_CEILINGS_CEILINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/ceilings/crew.h"
#include "common/base/arena.h"
#include "common/base/error.h"
#include "cpu/identify/machine.h"

enum ceiling_kind {
	CEILING_COMPUTE,   /* operations a second */
	CEILING_BANDWIDTH, /* bytes a second */
	CEILING_KINDS,
};

enum ceiling_type {
	CEILING_F64,
	CEILING_F32,
	CEILING_INT, /* 32 bits */
	CEILING_TYPES,
};

enum ceiling_operation {
	CEILING_NO_OPERATION, /* of bandwidth */
	CEILING_MUL_ADD,      /* as many multiplications as additions: instructions of their own, each one operation */
	CEILING_FMA,	      /* one instruction does both: two operations a lane; of integers a multiply-accumulate */
	CEILING_ADD,	      /* of integers: additions alone */
	CEILING_OPERATIONS,
};

enum ceiling_level {
	CEILING_NO_LEVEL, /* of compute: operands stay in registers */
	CEILING_L1,
	CEILING_L2,
	CEILING_L3,
	CEILING_DRAM,
	CEILING_LEVELS,
};

/* Bytes are those that the instructions read and write: the line that a store fetches first is not among them. */
enum ceiling_pattern {
	CEILING_NO_PATTERN, /* of compute */
	CEILING_READ,
	CEILING_WRITE,
	CEILING_COPY,	  /* a[i] = b[i] */
	CEILING_TRIAD,	  /* a[i] = b[i] + s * c[i] */
	CEILING_WRITE_NT, /* non-temporal stores, which fetch no line; of DRAM only */
	CEILING_COPY_NT,
	CEILING_TRIAD_NT,
	CEILING_PATTERNS,
};

/* Whose ceiling it is. */
enum ceiling_scope {
	CEILING_THREAD, /* one thread, alone on the machine as far as topdown goes */
	CEILING_ALL,	/* a thread on each core that topdown may use */
	CEILING_SOCKET, /* a thread on each of a socket's cores; there are more sockets */
	CEILING_NODE,	/* a thread on each of a NUMA node's cores, in the node's memory; there are more nodes */
	CEILING_SCOPES,
};

/* What held a value down, as far as it was seen; bits. */
enum ceiling_limit {
	CEILING_BY_CLOCK = 1 << 0,    /* slower than the nominal clock while it ran */
	CEILING_BY_LOAD = 1 << 1,     /* threads waited for a CPU that others had */
	CEILING_BY_STEAL = 1 << 2,    /* the hypervisor gave the CPU to others */
	CEILING_BY_QUOTA = 1 << 3,    /* a cgroup's quota: fewer threads than cores, or throttled */
	CEILING_BY_SMT = 1 << 4,      /* siblings of the cores were busy */
	CEILING_BY_SPREAD = 1 << 5,   /* never steady: the best three attempts differ by more than 2 % */
	CEILING_BY_MEMORY = 1 << 6,   /* a smaller size than wanted, since there is too little free memory */
	CEILING_BY_FLOATING = 1 << 7, /* threads could not be pinned to their CPUs */
};
#define CEILING_LIMITS 8

struct ceiling {
	enum ceiling_kind kind;
	enum ceiling_type type;		  /* of bandwidth CEILING_F64: the width of an element matters to nothing */
	enum ceiling_operation operation; /* of compute */
	enum ceiling_level level;	  /* of bandwidth */
	enum ceiling_pattern pattern;	  /* of bandwidth */
	enum ceiling_scope scope;
	unsigned place;	  /* CEILING_SOCKET, CEILING_NODE: its number in sysfs; else 0 */
	unsigned threads; /* that ran it */
	unsigned bits;	  /* of the vectors: 64 or 32 is scalar (the element's size), 128, 256, 512, or SVE's length */
	bool is_scalable; /* SVE instructions */
	double value;	  /* operations or bytes a second, of all threads; the best attempt. NAN: not measured */
	double spread;	  /* how far the third best attempt is below the best: 0.01 is 1 %; NAN: fewer than three */
	unsigned attempts;
	uint64_t bytes;	 /* of bandwidth: what each thread goes through, all arrays together; else 0 */
	double clock_hz; /* mean of the threads' clocks while it ran; NAN: unknown */
	unsigned limits; /* of enum ceiling_limit */
};

enum ceiling_source {
	CEILING_SIZES_SYSFS,
	CEILING_SIZES_LIBRARY, /* of the C library, which asks CPUID */
	CEILING_SIZES_ASSUMED, /* those of small cores, for nobody knows */
};

/* Under which it was measured. The first five are the key: another one of them makes the values stale. */
struct ceiling_conditions {
	const char *cpu;       /* the machine's cpuid and its model's name, "AuthenticAMD-26-2-1, AMD EPYC 9555" */
	const char *microcode; /* NULL: unknown, here and below */
	const char *kernel;
	const char *governor; /* cpufreq's, each once */
	const char *cpus;     /* those that topdown may use: "0-3,8" */
	const char *measured; /* when: "2026-11-23T08:41:07Z" */
	const char *version;  /* of topdown */
	double took_s;
	double nominal_hz;	/* NAN: unknown */
	const char *nominal_of; /* where that is from: "cpufreq", "the TSC"; NULL: unknown */
	double quota_cpus;	/* the cgroup's; NAN: none */
	double load;		/* of /proc/loadavg when it began; NAN: unknown */
	double steal;		/* share of the CPUs' time that the hypervisor took meanwhile; NAN: unknown */
	double waited;		/* share of the threads' time that they waited for a CPU; NAN: unknown */
	bool smt_on;
	uint64_t l1, l2, l3; /* bytes of the first CPU's data caches; 0: it has none */
	unsigned l3_cpus;    /* that share it */
	enum ceiling_source sizes;
};

struct ceilings {
	struct ceiling *rows; /* by scope, one thread first; of each compute before bandwidth */
	size_t count;
	struct ceiling_conditions conditions;
};

/* Names as the file, JSON and CSV have them: "compute", "f64", "fma", "DRAM", "triad", "all"; "" of CEILING_NO_... */
extern const char *const ceiling_kind_names[],
	*const ceiling_type_names[], *const ceiling_operation_names[], *const ceiling_level_names[],
									       *const ceiling_pattern_names[],
										       *const ceiling_scope_names[];
extern const char *const ceiling_limit_names[CEILING_LIMITS]; /* by bit: "clock", "load", ... */

/* The highest row of a kind that fits; a member of 0 (and of type CEILING_TYPES) fits all. NULL: there is none. */
struct ceiling_wanted {
	enum ceiling_kind kind;
	enum ceiling_type type; /* CEILING_TYPES: any; not asked of bandwidth */
	enum ceiling_operation operation;
	enum ceiling_level level;
	enum ceiling_pattern pattern;
	enum ceiling_scope scope; /* exactly this one */
	unsigned place;		  /* of CEILING_SOCKET and CEILING_NODE */
	unsigned bits;		  /* 0: any */
};
const struct ceiling *ceilings_find(const struct ceilings *ceilings, const struct ceiling_wanted *wanted);

/*
 * The file that keeps them: $XDG_STATE_HOME/topdown/ceilings-MACHINE.json, or below ~/.local/state, so that a home
 * that machines share has one of each. NULL: this user has no home directory.
 */
const char *ceilings_path(const char *machine, struct arena *arena);

/* All that is read lives in arena. -1 and "PATH: ..." when it can't be read or is no such file. */
int ceilings_read(struct ceilings *ceilings, const char *path, struct arena *arena, struct error *err) MUST_CHECK;

/* Replaces the machine's file, mode 0600, in a directory of the user's own. -1 when it can't be kept. */
int ceilings_keep(const struct ceilings *ceilings, const char *machine, struct error *err) MUST_CHECK;

/* "the kernel is 6.2.0, and was 6.1.0": what has changed since, in arena. NULL: they hold. */
const char *ceilings_stale(const struct ceiling_conditions *then, const struct ceiling_conditions *now,
			   struct arena *arena);

/* ---- ceilings_measure.c ---- */

/* Runs the kernels on this machine: best of many short windows, until they agree. */

/* Where it is measured. */
struct ceilings_machine {
	const struct machine *machine;
	const struct resources *resources;
	const char *governors; /* struct surroundings; NULL: unknown */
	const char *sysroot;
};

/* How long it may take. */
struct ceilings_effort {
	double seconds; /* about, at most; a calm machine takes less */
	/* Asked before each window, part from 0 to 1; false ends it. NULL: nobody asks. */
	bool (*go_on)(void *context, double part);
	void *context;
};

#define CEILINGS_SECONDS 9.0 /* what an effort usually has */

/* What is known of the machine without running anything: the key by which kept ceilings are stale or not. */
struct ceiling_conditions ceilings_conditions(const struct ceilings_machine *here, struct arena *arena);

/*
 * The result borrows from arena. -1 with err where threads or memory can't be had, or with "interrupted" where go_on
 * said so.
 */
int ceilings_measure(struct ceilings *ceilings, const struct ceilings_machine *here,
		     const struct ceilings_effort *effort, struct arena *arena, struct error *err) MUST_CHECK;

#endif
