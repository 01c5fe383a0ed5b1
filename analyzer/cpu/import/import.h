/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.h - vendors' published files into ours: events/NAME.json, models/NAME.json and rows of events/mapfile.csv
 * (events/README.md, models/README.md). Facts only, unless text is asked for.
 */
#ifndef TOPDOWN_CPU_IMPORT_IMPORT_H
#define TOPDOWN_CPU_IMPORT_IMPORT_H

#include <stdbool.h>

#include "common/base/arena.h"
#include "common/base/error.h"

enum import_form {
	IMPORT_PERFMON, /* a platform's folder of intel/perfmon: events/, metrics/ */
	IMPORT_PERF,	/* a CPU's folder of Linux' pmu-events */
	IMPORT_ARM,	/* a folder of Arm's telemetry files, one per CPU */
};

/* What was written, repaired and left out, one line each; lives in the arena of import_run. */
struct import_log {
	struct arena *arena;
	const char **lines;
	size_t count, capacity;
};

struct import_request {
	enum import_form form;
	const char *folder;
	/* folders of Linux' metrics, for CPUs whose vendor folder has none, and of Intel's general form */
	const char *const *more;
	size_t nmore;
	const char *out;     /* folder that gets events/ and models/; they are made if they are not there */
	const char *cpus;    /* events/cpus.json: what the vendors' files do not say; NULL: nothing is known */
	const char *generic; /* events/generic: metrics of the architectures; NULL: there are none */
	const char *only;    /* database name of the one CPU that is wanted, NULL: all in the folder */
	bool with_text;	     /* keep the vendor's descriptions */
};

/*
 * Imports every CPU in the folder. A bad event or metric is repaired or left out, with a line in the log. -1 and err
 * when a file can't be read or written, or the folder has no CPU.
 */
int import_run(struct import_log *log, const struct import_request *request, struct arena *arena,
	       struct error *err) MUST_CHECK;

const char *import_form_name(enum import_form form);
/* "perfmon", "perf", "arm"; false for another word. */
bool import_form_named(enum import_form *form, const char *word);

#endif
