/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/export/export.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "present/export/forms.h"
#include "present/export/frames.h"

#define SUFFIXES(...) ((const char *const[]){ __VA_ARGS__, NULL })

#ifdef TOPDOWN_PROTOBUF_C
#define NO_PPROF NULL
#else
#define NO_PPROF "protobuf-c"
#endif

const struct export_form_row export_forms[EXPORT_FORMS] = {
	[EXPORT_SVG] = { .name = "svg", .suffixes = SUFFIXES(".svg", ".svg.gz"), .write = flame_graph_write },
	[EXPORT_FOLDED] = { .name = "folded", .suffixes = SUFFIXES(".folded", ".folded.gz"), .write = folded_write },
	[EXPORT_SPEEDSCOPE] = { .name = "speedscope",
				.suffixes = SUFFIXES(".speedscope.json", ".speedscope.json.gz"),
				.write = speedscope_write },
	[EXPORT_FIREFOX] = { .name = "firefox",
			     .suffixes = SUFFIXES(".firefox.json", ".firefox.json.gz"),
			     .write = firefox_write },
	[EXPORT_PPROF] = { .name = "pprof",
			   .suffixes = SUFFIXES(".pb.gz", ".pprof"),
			   .is_packed = true,
			   .missing = NO_PPROF,
			   .write = pprof_write },
	[EXPORT_CALLGRIND] = { .name = "callgrind",
			       .suffixes = SUFFIXES(".callgrind"),
			       .prefix = "callgrind.out",
			       .write = callgrind_write },
};

enum export_form export_form_named(const char *name)
{
	enum export_form form = 0;

	while (form < EXPORT_FORMS && strcmp(export_forms[form].name, name) != 0)
		form++;
	return form;
}

static bool is_file_of(const struct export_form_row *row, const char *file)
{
	size_t length = strlen(file);

	for (const char *const *suffix = row->suffixes; *suffix; suffix++)
		if (length > strlen(*suffix) && !strcasecmp(file + length - strlen(*suffix), *suffix))
			return true;
	return row->prefix && !strncmp(file, row->prefix, strlen(row->prefix));
}

enum export_form export_form_of_file(const char *path)
{
	enum export_form form = 0;

	while (form < EXPORT_FORMS && !is_file_of(&export_forms[form], last_part(path)))
		form++;
	return form;
}

/* ---- forms.h ---- */

#define MOST_WHOLE 9.0e18 /* an int64_t holds it */

uint64_t whole_next(struct whole *whole, double weight)
{
	double rounded;
	uint64_t next;

	if (weight > 0)
		whole->exact += weight;
	rounded = fmin(round(whole->exact), MOST_WHOLE);
	next = (uint64_t)rounded - whole->given;
	whole->given += next;
	return next;
}

bool is_time(const struct weighing *weighing)
{
	return weighing->unit && !strcmp(weighing->unit, "ns");
}
