/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_gate.c - topdown gate -- PROGRAM: is a change within its limits? For CI jobs: exit status 3 where it is not,
 * 4 where the measurement can't tell.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "analyse/gate/gate_calls.h"
#include "analyse/gate/gate_judge.h"
#include "command/commands.h"
#include "command/foreign.h"
#include "command/jobs/comparison_side.h"
#include "command/jobs/gate_baseline.h"
#include "command/jobs/gate_history.h"
#include "command/jobs/history_record.h"
#include "command/jobs/output.h"
#include "command/jobs/progress.h"
#include "common/base/text.h"
#include "common/system/file.h"
#include "engine/pairs.h"
#include "engine/saved.h"
#include "store/session/last.h"
#include "store/session/session.h"

#define USUAL_LIMITS "topdown-limits.json"

struct gate {
	struct options own;
	struct request request; /* from own */
	struct gate_limits limits;
	struct gate_baseline baseline;
	struct measurement measured;
	struct compare_request compared;
	struct comparison comparison;
	struct gate_request judged;
	struct gate_result result;
	struct arena *arena;
};

/* ---- before anything is measured ---- */

/* Elsewhere it means CSV, which a gate has not: text in such a file would be a surprise. */
static int check_suffix(const char *path, struct error *err)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	return dot && !strcmp(dot, ".csv") ? error_set(err,
						       "-o %s: gate writes no CSV; .json, .md, .html and .xml (JUnit) "
						       "choose a format, and other names get text",
						       path)
					   : 0;
}

static int check_files(const struct options *options, struct error *err)
{
	const char *summary = options->gate.form == GATE_FORM_GITHUB ? getenv("GITHUB_STEP_SUMMARY") : NULL;
	const char *paths[] = { options->output.path, options->output.save, summary && *summary ? summary : NULL };
	static const char *const names[] = { "-o", "--save", "GITHUB_STEP_SUMMARY" };

	for (size_t i = 0; i < COUNT_OF(paths); i++)
		if (paths[i] && strcmp(paths[i], "-") != 0 && file_check_writable(paths[i], err) < 0)
			return error_in(err, "%s", names[i]);
	return check_suffix(options->output.path, err);
}

static int read_limits(struct gate *gate, struct error *err)
{
	const char *path = gate->own.gate.limits;

	if (!path && is_file(USUAL_LIMITS))
		path = USUAL_LIMITS;
	if (path)
		return gate_limits_read(&gate->limits, path, gate->arena, err);
	gate->limits = gate_limits_default(gate->own.setup.machine.pmu == PMU_SIM);
	return 0;
}

/* One of the sides: a limit's names are those of metrics, whichever side has them. */
static int compare_sides(struct gate *gate, struct measurement *before, struct measurement *after, struct error *err)
{
	const char *label = gate->own.setup.program.words[0];
	const char **judged = arena_array(gate->arena, gate->limits.count + 1, sizeof(*judged));

	gate->compared =
		(struct compare_request){ .is_paired = gate->baseline.program && !is_simulated_measurement(after),
					  .judged = judged,
					  .njudged = gate->limits.count,
					  .wants_all_functions = true };
	for (size_t i = 0; i < gate->limits.count; i++)
		judged[i] =
			is_same_name(gate->limits.items[i].metric, "time") ? "wall_s" : gate->limits.items[i].metric;
	gate->compared.before.label = before == after ? label : gate->baseline.label;
	gate->compared.after.label = label;
	if (saved_side(&gate->compared.before, before, &gate->request, err) < 0 ||
	    saved_side(&gate->compared.after, after, &gate->request, err) < 0 ||
	    compare(&gate->comparison, &gate->compared, gate->arena, err) < 0)
		return error_in(err, "gate");
	return 0;
}

/*
 * Misspelt names and wrong units are found in the baseline, before the program has run; and in what becomes the first
 * baseline, and not by the next job.
 */
static int check_limits(struct gate *gate, struct measurement *baseline, struct error *err)
{
	if (!baseline || !gate->limits.source)
		return 0;
	if (compare_sides(gate, baseline, baseline, err) < 0)
		return -1;
	return gate_check(&gate->limits, &gate->comparison, gate->arena, err);
}

/* The next job would meet the mistake, and could not judge. */
static int check_update(struct gate *gate, struct error *err)
{
	if (check_limits(gate, &gate->measured, err) < 0)
		return -1;
	return gate->limits.source ? gate_check_functions(&gate->limits, &gate->comparison, gate->arena, err) : 0;
}

static int choose_setup(struct gate *gate, struct error *err)
{
	const struct gate_baseline *baseline = &gate->baseline;
	struct options *own = &gate->own;
	enum pmu_choice was = PMU_AUTO;

	if (baseline->measured)
		was = is_simulated_measurement(baseline->measured) ? PMU_SIM : PMU_CPU;
	own->setup.options = options_repeated(own, REPEATED_SETUP, baseline->program ? "repeat" : "", gate->arena);
	own->setup.options_unsplit = own->setup.options;
	return gate_runs_choose(&own->setup, &own->question, was, gate->arena, err);
}

static int prepare(struct gate *gate, struct error *err)
{
	if (!gate->own.setup.program.nwords)
		return error_set(err, "gate: which program? `topdown gate [OPTION]... -- PROGRAM [ARG]...`");
	if (!gate->own.is_behind_dashes &&
	    foreign_command(gate->own.setup.program.words, gate->own.setup.program.nwords, gate->arena, err) < 0)
		return -1;
	if (compared_core_check(&gate->own.setup, err) < 0 || check_files(&gate->own, err) < 0 ||
	    history_record_check(&gate->own.history, err) < 0 ||
	    gate_find_baseline(&gate->baseline, &gate->own.gate, &gate->own.history, &gate->request, err) < 0 ||
	    choose_setup(gate, err) < 0 || read_limits(gate, err) < 0)
		return -1;
	if (gate->own.setup.machine.pmu != PMU_SIM && !gate->own.setup.packing.calls)
		gate->own.setup.packing.calls = gate_calls_asked(&gate->limits, gate->arena);
	if (gate->own.gate.wants_update && !gate->baseline.is_of_history &&
	    file_check_writable(gate_baseline_path(&gate->baseline), err) < 0)
		return error_in(err, "gate: --update");
	return check_limits(gate, gate->baseline.measured, err);
}

/* ---- measuring ---- */

/* No measurement fails because it could not be kept. */
static void keep_last(const struct gate *gate)
{
	struct error unkept = { .text = "" };

	if (!gate->own.output.has_no_last && !last_is_off() && last_keep(&gate->measured, &unkept) < 0 &&
	    gate->own.output.is_verbose)
		notice_print(NULL, NOTICE_PLAIN, unkept.text);
}

static int command_gate_measure(struct gate *gate, struct error *err)
{
	const struct options *own = &gate->own;
	const struct gate_runs_request request = { &own->setup, &own->question, gate->baseline.program };
	struct progress progress = { .is_quiet = own->setup.program.wants_all_output };
	const struct sink sink = progress_sink(&progress);
	struct gate_runs *runs = arena_alloc(gate->arena, sizeof(*runs));
	int result = gate_runs_measure(runs, &request, &sink, gate->arena, err);

	progress_wipe(&progress);
	if (result < 0)
		return -1;
	gate->measured = runs->now;
	if (gate->baseline.program)
		gate->baseline.measured = &runs->before;
	else
		keep_last(gate);
	return own->output.save ? session_save(own->output.save, &gate->measured, err) : 0;
}

/* ---- judging ---- */

/* What a checkout of the repository calls the file, where that is known: absolute and ../ paths are the compiler's. */
static const char *path_in_repository(const char *file, struct arena *arena)
{
	const char *root = getenv("GITHUB_WORKSPACE");
	char here[4096];
	size_t length;

	if (!root || !*root)
		root = getcwd(here, sizeof(here));
	length = root ? strlen(root) : 0;
	if (length > 1 && !strncmp(file, root, length) && file[length] == '/')
		return arena_strdup(arena, file + length + 1);
	while (!strncmp(file, "../", 3) || !strncmp(file, "./", 2))
		file += file[1] == '.' ? 3 : 2;
	return file;
}

static void name_files(struct gate_result *result, struct arena *arena)
{
	for (size_t i = 0; i < result->count; i++)
		for (size_t k = 0; k < result->rows[i].ncauses; k++) {
			struct gate_cause *cause = &result->rows[i].causes[k];

			if (cause->file)
				cause->file = path_in_repository(cause->file, arena);
		}
}

static const char *closer_look(const struct gate *gate)
{
	struct string text = STRING_INIT(gate->arena);

	if (!gate->baseline.path || gate->baseline.program || gate->baseline.is_of_history ||
	    gate->own.output.has_no_last)
		return NULL;
	string_add(&text, "topdown compare ");
	string_add_shell_word(&text, gate->baseline.path);
	return text.text;
}

static int command_gate_judge(struct gate *gate, struct error *err)
{
	struct measurement *before = gate->baseline.measured;

	gate->judged = (struct gate_request){ .limits = &gate->limits,
					      .comparison = &gate->comparison,
					      .has_baseline = before,
					      .look_closer = closer_look(gate) };
	if (compare_sides(gate, before ? before : &gate->measured, &gate->measured, err) < 0 ||
	    gate_check(&gate->limits, &gate->comparison, gate->arena, err) < 0)
		return -1;
	if (!gate->limits.count)
		return error_set(
			err, "gate: nothing that the default limits cover was measured; --limits FILE names others");
	if (before && !gate->baseline.program)
		gate->judged.doubt = gate_doubt(before, &gate->measured, gate->arena);
	gate_judge(&gate->result, &gate->judged, gate->arena);
	name_files(&gate->result, gate->arena);
	return 0;
}

/* ---- showing ---- */

static const char *make_token(struct arena *arena)
{
	unsigned long long token = 0;

	if (getrandom(&token, sizeof(token), 0) != sizeof(token))
		token = (unsigned long long)getpid();
	return arena_printf(arena, "topdown-%016llx", token);
}

/* The page of the job, which GitHub shows: what is there already stays. */
static int write_summary(const struct gate *gate, struct error *err)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	const struct gate_output form = { .form = GATE_FORM_MARKDOWN };
	const struct style style = { .has_utf8 = true };
	struct output_file file;

	if (!path || !*path)
		return 0;
	if (output_file_open(&file, path, OUTPUT_ADDED, err) < 0 ||
	    output_file_end(&file, render_gate(file.stream, &gate->result, &form, &style, err), err) < 0)
		return error_in(err, "GITHUB_STEP_SUMMARY");
	return 0;
}

static enum gate_form choose_form(const struct options *options)
{
	static const struct {
		const char *suffix;
		enum gate_form form;
	} rows[] = { { ".json", GATE_FORM_JSON },
		     { ".md", GATE_FORM_MARKDOWN },
		     { ".html", GATE_FORM_HTML },
		     { ".htm", GATE_FORM_HTML },
		     { ".xml", GATE_FORM_JUNIT } };
	const char *dot = options->output.path ? strrchr(options->output.path, '.') : NULL;

	for (size_t i = 0; i < COUNT_OF(rows) && dot && options->gate.form == GATE_FORM_TEXT; i++)
		if (is_same_name(dot, rows[i].suffix))
			return rows[i].form;
	return (enum gate_form)options->gate.form;
}

static int command_gate_show(const struct gate *gate, struct error *err)
{
	const struct gate_output form = { .form = choose_form(&gate->own), .token = make_token(gate->arena) };
	struct output_choice choice = gate->own.output;
	struct output output;

	choice.format = gate_format(form.form);
	if (choice.budget && (form.form == GATE_FORM_JUNIT || form.form == GATE_FORM_GITHUB))
		return error_set(err,
				 "--budget is for people's forms and JSON: half of what a machine expects is none");
	if (output_open(&output, &choice, stderr, err) < 0)
		return -1;
	if (render_gate(output.file, &gate->result, &form, &output.style, err) < 0)
		return output_failed(&output, err);
	if (output_close(&output, err) < 0)
		return -1;
	return form.form == GATE_FORM_GITHUB ? write_summary(gate, err) : 0;
}

/* Replaces the file at once, or leaves it as it was. */
static int update(const struct gate *gate, struct error *err)
{
	const char *path = gate_baseline_path(&gate->baseline);

	if (gate->baseline.is_of_history) {
		notice_print(NULL, NOTICE_PLAIN,
			     arena_printf(gate->arena, "this run is accepted as the baseline in %s",
					  history_path(&gate->own.history)));
		return 0;
	}
	if (session_publish(path, &gate->measured, err) < 0)
		return error_in(err, "gate: --update");
	notice_print(NULL, NOTICE_PLAIN, arena_printf(gate->arena, "%s is the new baseline", path));
	return 0;
}

static int run_gate(const struct options *options, struct arena *arena, struct error *err)
{
	struct gate *gate = arena_alloc(arena, sizeof(*gate));

	*gate = (struct gate){ .own = *options, .arena = arena };
	gate->own.history.is_accepted = options->gate.wants_update;
	gate->request = request_of(&gate->own, arena);
	if (prepare(gate, err) < 0 || command_gate_measure(gate, err) < 0)
		return -1;
	if (gate->measured.interrupted_by)
		return STATUS_OF_SIGNAL + gate->measured.interrupted_by;
	if (is_cut_short(&gate->measured))
		return error_set(err, "gate: the measurement was cut short, so nothing is judged");
	if (gate->own.gate.wants_update && check_update(gate, err) < 0)
		return -1;
	if (history_path(&gate->own.history) &&
	    gate_history_add(&gate->measured, &gate->own.history, &gate->request, err) < 0)
		return -1;
	if (gate->own.gate.wants_update && !gate->baseline.measured)
		return update(gate, err);
	if (command_gate_judge(gate, err) < 0 || command_gate_show(gate, err) < 0)
		return -1;
	return gate->own.gate.wants_update ? update(gate, err) : gate_status(&gate->result);
}

static const char *const form_names[] = { [GATE_FORM_TEXT] = "text",	     [GATE_FORM_JSON] = "json",
					  [GATE_FORM_MARKDOWN] = "markdown", [GATE_FORM_HTML] = "html",
					  [GATE_FORM_JUNIT] = "junit",	     [GATE_FORM_GITHUB] = "github",
					  [GATE_FORM_BRIEF] = "brief",	     NULL };
static const char *const color_names[] = {
	[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never", NULL
};

/* clang-format off */
static const struct option_row gate_rows[] = {
	{ "limits", 0, TAKE_TEXT, REPEATED_NEVER, "FILE", AT(gate.limits), NULL,
	  "limits on what a change may cost (default: " USUAL_LIMITS ")" },
	{ "baseline", 0, TAKE_TEXT, REPEATED_NEVER, "FILE", AT(gate.baseline), NULL,
	  "a session, or the old program (default: topdown-baseline.json.gz)" },
	{ "update", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(gate.wants_update), NULL,
	  "make this measurement the new baseline" },
};

static const struct option_row form_rows[] = {
	{ "budget", 0, TAKE_NUMBER, REPEATED_NEVER, "BYTES", AT(output.budget), NULL,
	  "at most so many bytes of output (1024 or more)" },
	{ "format", 0, TAKE_CHOICE, REPEATED_NEVER, "FORMAT", AT(gate.form), form_names,
	  "text, json, markdown, html, junit, github or brief (4 kB of JSON)" },
	{ "color", 0, TAKE_CHOICE, REPEATED_NEVER, "WHEN", AT(output.color), color_names, "auto, always or never" },
};
/* clang-format on */

static const struct option_set gate_options = OPTION_SET("what to judge", gate_rows);
static const struct option_set gate_form_options = OPTION_SET("output", form_rows);

const struct command command_gate = {
	.name = "gate",
	.arguments = "[OPTION]... [PROGRAM [ARG]...]",
	.summary = "check a change against limits (for CI: exit status 3 if exceeded)",
	.examples = "topdown gate --update -- ./prog\n"
		    "topdown gate -- ./prog\n"
		    "topdown gate --format github -- ./prog\n"
		    "topdown gate --baseline ./old -- ./prog\n",
	.has_program = true,
	.begins_program = true,
	.has_own_forms = true,
	.run = run_gate,
	.sets = { &gate_options, &level_options, &selection_options, &repeat_options, &wall_options, &packing_options,
		  &pmu_options, &simulation_options, &cpu_options, &form_options, &sysroot_options, &file_options,
		  &save_options, &gate_form_options, &general_options },
};
