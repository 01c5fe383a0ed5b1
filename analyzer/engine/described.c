/* SPDX-License-Identifier: GPL-2.0-or-later */
/* described.c - what is known of counts before they are there: whose they are, what was asked, how they come about. */
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "collect/perf/refusals.h"
#include "common/base/text.h"
#include "cpu/identify/surroundings.h"
#include "engine/absent.h"
#include "engine/limits.h"
#include "engine/steps.h"
#include "program/symbols/symbols.h"

static const char *now_text(struct arena *arena)
{
	char text[32] = "";
	time_t now = time(NULL);
	struct tm parts;

	if (gmtime_r(&now, &parts))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	return arena_strdup(arena, text);
}

/* The machine's clock and libraries, and what made the program. Of another machine's files nothing is known. */
static void describe_surroundings(struct origin *origin, const struct target *target, const struct request *request)
{
	const struct program_choice *program = &request->setup->program;
	struct surroundings around;
	struct error unknown = { .text = "" };
	const char *path;
	char libc[64] = "";

	origin->microcode = target->machine.microcode;
	if (*request->setup->machine.sysroot)
		return;
	surroundings_identify(&around, "", request->arena);
	origin->governor = around.governors;
	if (confstr(_CS_GNU_LIBC_VERSION, libc, sizeof(libc)))
		origin->libc = arena_strdup(request->arena, libc);
	if (program->nwords && program_find(&path, program->words[0], request->arena, &unknown) == 0)
		origin->compiler = program_producer(path, request->arena);
	input_files_find(origin, program, request->arena);
}

struct counts *describe(const struct target *target, unsigned level, bool is_simulated, const struct request *request)
{
	const struct setup *setup = request->setup;
	struct counts *counts = arena_alloc(request->arena, sizeof(*counts));
	struct utsname system;

	*counts = (struct counts){ .repeats = arena_alloc(request->arena, sizeof(*counts->repeats)), .nrepeats = 1 };
	counts->question = *request->question;
	counts->question.level = level;
	counts->question.calls = is_simulated ? setup->packing.calls : NULL;
	counts->origin = (struct origin){
		.level = counts->question.level,
		.has_causes = counts->question.wants_causes,
		.cpu = target->cpu,
		.cpuid = target->model.facts.cpuid,
		.machine = target->machine.model_name,
		.facts = target->model.facts,
		.command = program_choice_text(&setup->program, request->arena),
		/* Simulated source lines, the next question, are those of all threads together. */
		.options = is_simulated ? setup->options_unsplit : setup->options,
		.started = now_text(request->arena),
		.tool_version = TOPDOWN_VERSION,
		.model_version = target->model.version,
		.form = model_form_word(&target->model),
	};
	if (uname(&system) == 0) {
		counts->origin.host = arena_strdup(request->arena, system.nodename);
		counts->origin.kernel = arena_strdup(request->arena, system.release);
	}
	describe_surroundings(&counts->origin, target, request);
	return counts;
}

/* What --mux-interval comes to; a drill-down has its groups yet to find. */
static const char *mux_remark(const struct plan *plan, const struct request *request)
{
	unsigned ms = request->setup->machine.mux_interval_ms;

	if (!ms)
		return NULL;
	if (!plan_is_multiplexed(plan) && !request->setup->packing.is_drilldown)
		return arena_worded(
			request->arena,
			"{mux-interval} changed nothing: no run has more than one group, so none shared the counters.");
	return arena_worded(request->arena, "Groups that shared the counters had them for %u ms each ({mux-interval}).",
			    ms);
}

#define NO_SYSFS                                                                                                       \
	"/sys is not mounted: the usual formats of this CPU's counters were assumed, and PERF_METRICS were not "       \
	"used. " REMEDY_SYSFS "."

void described_remark(struct counts *counts, const struct plan *plan, const struct found *found,
		      const struct target *target, const struct request *request)
{
	const char *const texts[] = {
		limits_remark(found, target, request->arena),
		absent_remark(plan, &target->model, request->arena),
		mux_remark(plan, request),
		target->machine.lacks_sysfs ? NO_SYSFS : NULL,
	};
	struct repeat *first = &counts->repeats[0];

	first->remarks = arena_array(request->arena, COUNT_OF(texts), sizeof(*first->remarks));
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		if (texts[i])
			first->remarks[first->nremarks++] = texts[i];
}
