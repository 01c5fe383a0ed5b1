/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counts_head.c - what is known of counts before they are there: whose they are, what was asked, how they come about,
 * and which files the program is given.
 */
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "collect/perf/refusals.h"
#include "common/base/text.h"
#include "common/system/job_place.h"
#include "cpu/identify/surroundings.h"
#include "engine/hidden_events.h"
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
		.job = job_place_find(),
	};
	if (uname(&system) == 0) {
		counts->origin.host = arena_strdup(request->arena, system.nodename);
		counts->origin.kernel = arena_strdup(request->arena, system.release);
	}
	counts->origin.job.is_spread = setup->packing.spreads_groups;
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

void counts_head_remark(struct counts *counts, const struct plan *plan, const struct found *found,
			const struct target *target, const struct request *request)
{
	const char *const texts[] = {
		limits_remark(found, target, request->arena),
		hidden_events_remark(plan, &target->model, request->arena),
		mux_remark(plan, request),
		target->machine.lacks_sysfs ? NO_SYSFS : NULL,
	};
	struct repeat *first = &counts->repeats[0];

	first->remarks = arena_array(request->arena, COUNT_OF(texts), sizeof(*first->remarks));
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		if (texts[i])
			first->remarks[first->nremarks++] = texts[i];
}

#define MOST_INPUTS 16
#define MOST_BYTES  (16u << 20) /* that are read before a program starts: some ms */
#define CHUNK	    65536u

/* A step of splitmix64, for each eight bytes. The file's length is compared besides. */
static uint64_t input_files_mix(uint64_t state, const unsigned char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
		uint64_t word = 0;

		memcpy(&word, bytes + i, length - i < sizeof(word) ? length - i : sizeof(word));
		state = (state ^ word) + 0x9e3779b97f4a7c15;
		state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
		state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
		state ^= state >> 31;
	}
	return state;
}

/* All chunks but the last one are full, however many bytes a read returns. */
static size_t read_chunk(int file, unsigned char *chunk, uint64_t at)
{
	size_t length = 0;
	ssize_t got;

	while (length < CHUNK && (got = pread(file, chunk + length, CHUNK - length, (off_t)(at + length))) > 0)
		length += (size_t)got;
	return length;
}

/* Of what the file has now. NULL: it can't be read. */
static const char *digest(int file, uint64_t bytes, struct arena *arena)
{
	unsigned char *chunk = arena_alloc(arena, CHUNK);
	uint64_t state = 0, at = 0;

	while (at < bytes) {
		size_t length = read_chunk(file, chunk, at);

		if (!length)
			return NULL;
		state = input_files_mix(state, chunk, length);
		at += length;
	}
	return arena_printf(arena, "%016" PRIx64, state);
}

static void input_files_add(struct origin *origin, const char *name, int file, struct arena *arena)
{
	struct input_file *input = &origin->inputs[origin->ninputs];
	struct stat status;

	if (fstat(file, &status) < 0 || !S_ISREG(status.st_mode))
		return;
	*input = (struct input_file){ .name = name, .bytes = (uint64_t)status.st_size };
	if (input->bytes <= MOST_BYTES)
		input->digest = digest(file, input->bytes, arena);
	origin->ninputs++;
}

static bool is_regular(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The whole word, else what is behind its first "=". NULL: neither is a file. */
static const char *path_in(const char *word)
{
	const char *sign = strchr(word, '=');

	if (is_regular(word))
		return word;
	return sign && is_regular(sign + 1) ? sign + 1 : NULL;
}

static void add_path(struct origin *origin, const char *path, struct arena *arena)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat status;

	if (file >= 0) {
		input_files_add(origin, arena_strdup(arena, path), file, arena);
		close(file);
	} else if (stat(path, &status) == 0) {
		origin->inputs[origin->ninputs++] =
			(struct input_file){ .name = arena_strdup(arena, path), .bytes = (uint64_t)status.st_size };
	}
}

void input_files_find(struct origin *origin, const struct program_choice *program, struct arena *arena)
{
	if (!program->nwords)
		return;
	origin->inputs = arena_array(arena, MOST_INPUTS, sizeof(*origin->inputs));
	input_files_add(origin, STANDARD_INPUT, STDIN_FILENO, arena);
	for (size_t i = 1; i < program->nwords && origin->ninputs < MOST_INPUTS; i++) {
		const char *path = path_in(program->words[i]);

		if (path)
			add_path(origin, path, arena);
	}
}
