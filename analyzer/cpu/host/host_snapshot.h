/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_snapshot.h - what the kernel counts of the whole machine in /proc and /sys. Two snapshots make an interval, with
 * what was seen every now and then between them. Unknown is NAN.
 */
#ifndef TOPDOWN_CPU_HOST_HOST_SNAPSHOT_H
#define TOPDOWN_CPU_HOST_HOST_SNAPSHOT_H

#include "cpu/identify/usage.h"

/* Counts since the machine's start, or levels at the moment. */
enum host_count {
	HOST_LOAD_1,	       /* /proc/loadavg */
	HOST_RUN_DELAY,	       /* s in which runnable threads had no CPU; /proc/schedstat */
	HOST_THROTTLED,	       /* s; cpu.stat of the own cgroup */
	HOST_MEMORY,	       /* KiB; /proc/meminfo */
	HOST_AVAILABLE,	       /* KiB */
	HOST_SWAPPED_IN,       /* pages; /proc/vmstat */
	HOST_SWAPPED_OUT,      /* pages */
	HOST_RECLAIMS,	       /* allocations that had to free memory first */
	HOST_MAJOR_FAULTS,     /* pages that had to be read */
	HOST_OOM_KILLS,	       /* processes */
	HOST_CORRECTED,	       /* memory errors; EDAC */
	HOST_UNCORRECTED,      /* memory errors */
	HOST_SENT,	       /* TCP segments, of both families; /proc/net/snmp */
	HOST_RESENT,	       /* ... once more */
	HOST_LISTEN_OVERFLOWS, /* connections for which a listener had no room; /proc/net/netstat */
	HOST_BACKLOG_DROPS,    /* packets for which a CPU's queue had no room; /proc/net/softnet_stat */
	HOST_SQUEEZES,	       /* times when a CPU had more packets than it may take at once */
	HOST_PRESSURE_CPU,     /* s in which some thread waited; /proc/pressure */
	HOST_PRESSURE_MEMORY,  /* s */
	HOST_PRESSURE_IO,      /* s */
	HOST_STALLED_MEMORY,   /* s in which all of them waited */
	HOST_STALLED_IO,       /* s */
	HOST_COUNTS
};

struct host_cpu {
	unsigned number;
	struct cpu_spent times;
};

/* /proc/diskstats (Documentation/admin-guide/iostats.rst) */
struct host_disk {
	const char *name;
	double reads, read_bytes, read_s, writes, written_bytes, written_s;
	double busy_s;	 /* with at least one request */
	double queued_s; /* the sum over all requests */
	double errors;	 /* of SCSI and ATA; others do not count them */
};

/* /proc/net/dev */
struct host_link {
	const char *name;
	double received_bytes, sent_bytes, errors;
	double drops;	    /* packets for which there was no room, or that nobody wanted */
	double bytes_per_s; /* of the link; NAN: it has none, as a virtual one */
};

struct host_snapshot {
	double at_s; /* of an own clock */
	double counts[HOST_COUNTS];
	struct cpu_spent all; /* all CPUs together */
	struct host_cpu *cpus;
	size_t ncpus;
	struct host_disk *disks;
	size_t ndisks;
	struct host_link *links;
	size_t nlinks;
};

/* All but the processes; in the arena of files. */
void host_snapshot_read(struct host_snapshot *snapshot, const struct sysfiles *files);

struct host_process {
	uint64_t pid;
	double began;			     /* ticks since the machine's start: with the number it is one process */
	double cpu_s;			     /* of all its threads, ended ones too */
	double first_s;			     /* the same when it was seen first, or 0: it has begun since */
	double children_s, first_children_s; /* the same of ended children that it has waited for */
	double resident_bytes;		     /* memory that it has; shared memory counts for each process */
	unsigned blocked;		     /* scans that found its main thread waiting uninterruptibly */
	char state;
	char name[16]; /* as long as the kernel's */
};

/* What is seen from time to time: who runs, and who waits. */
struct host_watch {
	struct sysfiles files; /* its arena is of one look */
	struct arena looked, kept[2];
	struct host_process *processes; /* that run, by number; in the newer of kept */
	size_t nprocesses;
	unsigned scans;
	double cost_s;	/* of the last scan */
	double running; /* sum over looks: threads that run or could, without this one */
	unsigned looks; /* that found it */
};

void host_watch_init(struct host_watch *watch, const char *sysroot);
void host_watch_release(struct host_watch *watch);

/* The number of threads that run or could. */
void host_watch_look(struct host_watch *watch);

/* All processes: their CPU time and their states. */
void host_watch_scan(struct host_watch *watch);

/* Seconds since the machine's start, by a clock that an interval is measured with. NAN: a made-up machine lacks it. */
double host_clock(const struct sysfiles *files);

#endif
