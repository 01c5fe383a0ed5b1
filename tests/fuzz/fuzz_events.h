/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_events.h - a small event database, read once. */
#ifndef TOPDOWN_FUZZ_EVENTS_H
#define TOPDOWN_FUZZ_EVENTS_H

#include <string.h>

#include "cpu/event/event.h"
#include "cpu/identify/machine.h"
#include "memfile.h"

static inline const struct event_database *fuzz_events(void)
{
	static const char text[] =
		"{\"Header\":{\"Cpu\":\"fuzz\",\"Vendor\":\"Intel\",\"Pmu\":\"cpu\",\"Slots\":6,\"Cycles\":\"CYC\","
		"\"Instructions\":\"INST\",\"SlotsEvent\":\"SLOTS\"},\"Events\":["
		"{\"EventName\":\"CYC\",\"EventCode\":\"0x3c\",\"Counter\":\"Fixed counter 1\"},"
		"{\"EventName\":\"INST\",\"EventCode\":\"0xc0\",\"Counter\":\"Fixed counter 0\"},"
		"{\"EventName\":\"SLOTS\",\"UMask\":\"4\",\"Counter\":\"Fixed counter 3\"},"
		"{\"EventName\":\"PERF_METRICS.RETIRING\",\"UMask\":\"0x80\",\"Counter\":\"Metric 0\"},"
		"{\"EventName\":\"A.B\",\"EventCode\":\"0x48\",\"UMask\":\"2\",\"CounterMask\":\"1\",\"Counter\":\"0,"
		"1\"},"
		"{\"EventName\":\"FE\",\"EventCode\":\"0xc6\",\"UMask\":\"1\",\"MSRIndex\":\"0x3F7\",\"MSRValue\":"
		"\"9\"},"
		"{\"EventName\":\"UNC\",\"EventCode\":\"1\",\"Unit\":\"CHA\"}]}";
	static struct event_database database;
	static struct arena arena;
	struct error err = { .text = "" };
	struct memfile file;

	if (database.count)
		return &database;
	arena_init(&arena);
	memfile_open(&file, text, strlen(text));
	if (event_database_load(&database, file.path, &arena, &err) < 0)
		abort();
	memfile_close(&file);
	return &database;
}

#endif
