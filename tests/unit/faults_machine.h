/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faults_machine.h - a made-up machine that can count anywhere: its core PMU is the kernel's software PMU (type 1), and its
 * tree divides page faults into minor and major ones.
 */
#ifndef TOPDOWN_TEST_FAULTS_MACHINE_H
#define TOPDOWN_TEST_FAULTS_MACHINE_H

#include <stdio.h>

#include "common/base/table.h"
#include "scratch.h"

#define CPUINFO                                                                                                        \
	"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 250\nmodel name\t: Test\n"             \
	"stepping\t: 1\nphysical id\t: 0\ncore id\t\t: 0\n"
#define MAP "Family-model,Version,Filename,EventType,ShortName\nGenuineIntel-6-FA,v1,faults,core,FLT\n"
#define EVENTS                                                                                                         \
	"{\"Header\":{\"Cpu\":\"faults\",\"Vendor\":\"Intel\",\"GeneralCounters\":2,\"Pmu\":\"cpu\"},\"Events\":["     \
	"{\"EventName\":\"FAULTS\",\"EventCode\":\"0x2\",\"Counter\":\"0,1\"},"                                        \
	"{\"EventName\":\"MINOR\",\"EventCode\":\"0x5\",\"Counter\":\"0,1\"},"                                         \
	"{\"EventName\":\"MAJOR\",\"EventCode\":\"0x6\",\"Counter\":\"0,1\"},"                                         \
	"{\"EventName\":\"SWITCHES\",\"EventCode\":\"0x3\",\"Counter\":\"0,1\"}]}"
/* Each node needs two events, and the PMU has two counters: two runs. */
#define MODEL                                                                                                          \
	"{\"Header\":{\"Cpu\":\"faults\",\"Version\":\"1\"},\"Metrics\":["                                             \
	"{\"MetricName\":\"minor\",\"Title\":\"Minor\",\"MetricExpr\":\"MINOR / FAULTS\",\"MetricGroup\":"             \
	"\"TopdownL1\",\"MetricThreshold\":\"minor > 0.01\",\"ScaleUnit\":\"100%\",\"CountDomain\":\"Slots\"},"        \
	"{\"MetricName\":\"major\",\"Title\":\"Major\",\"MetricExpr\":\"MAJOR / FAULTS\",\"MetricGroup\":"             \
	"\"TopdownL1\",\"MetricThreshold\":\"major > 2\",\"ScaleUnit\":\"100%\",\"CountDomain\":\"Slots\"}]}"

struct faults_machine {
	char sysroot[256], database[256]; /* of struct machine_choice */
};

static inline void faults_machine_make(struct faults_machine *machine, const struct scratch *scratch)
{
	static const char *const files[][2] = {
		{ "root/proc/cpuinfo", CPUINFO },
		{ "root/sys/bus/event_source/devices/cpu/type", "1\n" },
		{ "root/sys/bus/event_source/devices/cpu/format/event", "config:0-63\n" },
		{ "db/events/mapfile.csv", MAP },
		{ "db/events/faults.json", EVENTS },
		{ "db/models/faults.json", MODEL },
	};
	char path[256];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		scratch_write(scratch, files[i][0], files[i][1], path);
	snprintf(machine->sysroot, sizeof(machine->sysroot), "%s/root", scratch->path);
	snprintf(machine->database, sizeof(machine->database), "%s/db", scratch->path);
}

#endif
