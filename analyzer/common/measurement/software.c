/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/measurement/software.h"

#include <math.h>
#include <string.h>

#include "common/base/macros.h"
#include "common/base/text.h"

const struct software_row software_rows[SOFTWARE_KINDS] = {
	[SOFTWARE_TASK_CLOCK] = { "task_clock_s", "task-clock", NULL, "task-clock", "s",
				  "CPU time of all threads together." },
	[SOFTWARE_USER] = { "user_s", "user_time", NULL, "user", "s", "CPU time in user mode." },
	[SOFTWARE_SYSTEM] = { "system_s", "system_time", NULL, "system", "s", "CPU time in the kernel." },
	[SOFTWARE_SWITCHES] = { "context_switches", "context-switches", "cs", "context switches", "",
				"How often a thread left its CPU." },
	[SOFTWARE_MIGRATIONS] = { "cpu_migrations", "cpu-migrations", "migrations", "migrations", "",
				  "How often a thread went on at another CPU." },
	[SOFTWARE_MINOR] = { "minor_faults", "minor-faults", NULL, "minor faults", "",
			     "Page faults that needed no disk." },
	[SOFTWARE_MAJOR] = { "major_faults", "major-faults", NULL, "major faults", "",
			     "Page faults that waited for a disk." },
	[SOFTWARE_ALIGNMENT] = { "alignment_faults", "alignment-faults", NULL, "alignment faults", "",
				 "Unaligned accesses that the kernel had to complete." },
	[SOFTWARE_EMULATION] = { "emulation_faults", "emulation-faults", NULL, "emulation faults", "",
				 "Instructions that the kernel had to emulate." },
	[SOFTWARE_READ] = { "read_bytes", "read_bytes", NULL, "read from storage", "B",
			    "Bytes that came from storage, not from the page cache." },
	[SOFTWARE_WRITTEN] = { "written_bytes", "written_bytes", NULL, "written to storage", "B",
			       "Bytes that go to storage, at once or later." },
	[SOFTWARE_RUN_DELAY] = { "run_delay_s", NULL, NULL, "waited for a CPU", "s",
				 "Time in which its threads could have run and had no CPU." },
	[SOFTWARE_GROUP_CPU] = { "cgroup_pressure_cpu_s", NULL, NULL, "CPU pressure, cgroup", "s",
				 "Time in which a task of the cgroup waited for a CPU." },
	[SOFTWARE_GROUP_MEMORY] = { "cgroup_pressure_memory_s", NULL, NULL, "memory pressure, cgroup", "s",
				    "Time in which a task of the cgroup waited for memory." },
	[SOFTWARE_GROUP_IO] = { "cgroup_pressure_io_s", NULL, NULL, "I/O pressure, cgroup", "s",
				"Time in which a task of the cgroup waited for storage." },
	[SOFTWARE_MACHINE_CPU] = { "machine_pressure_cpu_s", NULL, NULL, "CPU pressure, machine", "s",
				   "Time in which a task of the whole machine waited for a CPU." },
	[SOFTWARE_MACHINE_MEMORY] = { "machine_pressure_memory_s", NULL, NULL, "memory pressure, machine", "s",
				      "Time in which a task of the whole machine waited for memory." },
	[SOFTWARE_MACHINE_IO] = { "machine_pressure_io_s", NULL, NULL, "I/O pressure, machine", "s",
				  "Time in which a task of the whole machine waited for storage." },
};

enum software_kind software_find(const char *name)
{
	for (enum software_kind kind = 0; kind < SOFTWARE_KINDS; kind++) {
		const struct software_row *row = &software_rows[kind];

		if (is_same_name(row->key, name) || (row->event && is_same_name(row->event, name)) ||
		    (row->alias && is_same_name(row->alias, name)))
			return kind;
	}
	return SOFTWARE_KINDS;
}

struct software_value software_event(const struct software *software, const char *event)
{
	enum software_kind kind = software_find(event);

	if (!software)
		return software_withheld("the kernel's own counters were not read");
	if (kind != SOFTWARE_KINDS)
		return software->values[kind];
	for (size_t i = 0; i < software->ntraced; i++)
		if (!strcmp(software->traced[i].name, event))
			return software->traced[i].value;
	if (is_same_name(event, "page-faults"))
		return software_sum(software->values[SOFTWARE_MINOR], software->values[SOFTWARE_MAJOR]);
	return software_withheld("nothing of the kernel's has this name");
}

struct software software_unknown(void)
{
	struct software all = { .ntraced = 0 };

	for (size_t i = 0; i < SOFTWARE_KINDS; i++)
		all.values[i] = (struct software_value){ .value = NOT_COUNTED };
	return all;
}

struct software_value software_known(double value, const char *source)
{
	return (struct software_value){ .value = value, .source = source };
}

struct software_value software_withheld(const char *reason)
{
	return (struct software_value){ .value = NOT_COUNTED, .reason = reason };
}

bool is_software_asked(const struct software_value *value)
{
	return !isnan(value->value) || value->reason;
}

struct software_value software_sum(struct software_value a, struct software_value b)
{
	if (isnan(a.value))
		return a;
	if (isnan(b.value))
		return b;
	a.value += b.value;
	return a;
}

struct software_value software_since(struct software_value now, struct software_value before)
{
	if (isnan(now.value))
		return now;
	if (isnan(before.value))
		return before;
	if (now.value < before.value)
		return software_withheld("a process ended meanwhile, and what it had used is unknown");
	now.value -= before.value;
	return now;
}
