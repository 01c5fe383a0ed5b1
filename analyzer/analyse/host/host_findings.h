/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_findings.h - what two snapshots of a machine come to: utilisation, saturation and errors of each resource, as
 * Brendan Gregg's USE method asks for them, the worst first. No file is read.
 */
#ifndef TOPDOWN_ANALYSE_HOST_HOST_FINDINGS_H
#define TOPDOWN_ANALYSE_HOST_HOST_FINDINGS_H

#include "cpu/host/host_snapshot.h"

enum host_severity { HOST_FINE, HOST_LOOK, HOST_BAD };
enum host_aspect { HOST_USED, HOST_SATURATED, HOST_ERRORS, HOST_ASPECTS };
enum host_resource { HOST_CPU, HOST_MEM, HOST_DISK, HOST_LINK, HOST_TCP, HOST_PRESSURE };

/* What was seen. */
struct host_seen {
	const struct host_snapshot *before, *after;
	const struct host_watch *watch; /* its processes and sums; no file of it is read */
};

/* Something that is measured of a resource: a row of host_judge.c. */
struct host_measure {
	const char *key;
	const char *unit;  /* "%", "/s", "ms", "MB/s" or "" */
	const char *words; /* with its value in the place of '*' */
	const char *why;   /* it may be unknown */
	enum host_aspect aspect;
};

struct host_value {
	const struct host_measure *measure;
	double value;
	enum host_severity severity;
	bool is_worth; /* of being shown, though nothing is wrong with it */
};

struct host_finding {
	enum host_resource resource;
	const char *name; /* of the disk or interface; "": there is one only */
	enum host_severity severity;
	bool is_idle; /* a device that did next to nothing */
	double used;  /* the first of HOST_USED */
	struct host_value *values;
	size_t count;
};

/* A process, over the interval. */
struct host_task {
	uint64_t pid;
	const char *name;
	char state;	/* at the end, as ps has it */
	double cpu;	/* %, of one CPU */
	double blocked; /* %, of the looks: its main thread waited uninterruptibly, mostly for a disk */
};

struct host_findings {
	double seconds;
	size_t ncpus;
	double running;		    /* threads that ran or could, on average */
	struct host_finding *items; /* the worst first */
	size_t count;
	struct host_task *tasks; /* those that ran or were blocked most */
	size_t ntasks;
	double unseen; /* %, of the CPU time: of processes that have ended, or that are not seen here */
	const struct host_process *largest; /* in memory; NULL: no process is seen */
	const struct host_process *parent;  /* whose children most of these were; NULL: nobody to speak of */
};

extern const char *const host_severity_names[], *const host_aspect_names[], *const host_resource_names[];

void host_judge(struct host_findings *findings, const struct host_seen *seen, struct arena *arena);

/* The value of this name; NULL: it has none. */
const struct host_value *host_value_of(const struct host_finding *finding, const char *key);

#endif
