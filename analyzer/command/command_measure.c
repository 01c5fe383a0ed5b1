/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_measure.c - the main job: topdown -l3 ./prog. The engine measures; here stands where its outcomes go. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command/commands.h"
#include "command/foreign.h"
#include "command/jobs/history_record.h"
#include "command/jobs/progress.h"
#include "command/pages/page_open.h"
#include "command/pages/report_output.h"
#include "common/base/text.h"
#include "common/measurement/profile.h"
#include "common/system/file.h"
#include "cpu/identify/tracepoint.h"
#include "present/screen/screen.h"
#include "store/session/last.h"
#include "store/session/session.h"

#define STATUS_NOT_FOUND 127
#define LIVE_MS		 1000 /* of an interval, where -I does not say it */

/* Where the outcomes go. */
struct listener {
	const struct options *options;
	const struct setup *setup; /* theirs, as it is measured */
	struct arena *arena;
	struct report_output to;
	struct progress progress;
	struct live_screen live;
	int status;	      /* of the program; 0 where there was none */
	int interrupted_by;   /* the signal that topdown was to end by; 0: none came */
	bool is_unsaved;      /* the session could not be saved; the report is printed all the same, */
	struct error unsaved; /* and this says why */
};

/* After the last run, as during the runs (signals.h): what can't be written is an error, not topdown's end. */
static void hold_write_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* As whatever writes into a pipe that nobody reads ends, without a word, unless its caller ignores SIGPIPE. */
static void end_unread(struct error *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGPIPE);
	err->status = 0;
}

static bool is_kept(const struct options *options)
{
	return !options->output.has_no_last && !last_is_off();
}

/* No measurement fails because it could not be kept; -v says why it was not. */
static bool keep_last(const struct options *options, const struct measurement *measured, struct session_bytes *made,
		      struct arena *arena)
{
	struct error err = { .text = "" };

	if (!is_kept(options))
		return false;
	if (last_keep_bytes(measured, made, &err) == 0)
		return true;
	if (options->output.is_verbose)
		notice_print(NULL, NOTICE_PLAIN, arena_printf(arena, "not kept as the last measurement: %s", err.text));
	return false;
}

/* Where a closer look finds the counts (struct origin); NULL: nowhere. */
static const char *command_measure_keep(struct listener *listener, const struct measurement *measured)
{
	const char *save = listener->options->output.save;
	struct session_bytes made = { .bytes = NULL };
	bool is_last = keep_last(listener->options, measured, &made, listener->arena);
	struct string word = STRING_INIT(listener->arena);

	listener->is_unsaved = save && session_save_bytes(save, measured, &made, &listener->unsaved) < 0;
	free(made.bytes);
	if (!save || listener->is_unsaved || !strcmp(save, "-") || !is_file(save))
		return is_last ? "" : NULL;
	string_add_shell_word(&word, save);
	return word.text;
}

static int command_measure_on_measured(void *context, struct measurement *measured, struct error *err UNUSED)
{
	struct listener *listener = context;
	const struct repeat *first = &measured->parts[0].repeats[0];
	const char *file;

	live_screen_tell(&listener->live);
	hold_write_signals();
	file = command_measure_keep(listener, measured);
	report_output_keep(&listener->to, measured);
	listener->status = first->nruns ? first->runs[0].status : 0;
	listener->interrupted_by = measured->interrupted_by;
	if (measured->cut_by)
		listener->status = STATUS_OF_SIGNAL + measured->cut_by;
	for (size_t i = 0; i < measured->count; i++)
		measured->parts[i].origin.file = file;
	return 0;
}

/* What nobody reads any more ends the measurement too. */
static int command_measure_show(struct listener *listener, const struct outcome *outcome, struct error *err)
{
	if (report_output_add(&listener->to, outcome, err) == 0)
		return 0;
	if (listener->to.is_unread)
		err->status = STATUS_UNREAD;
	return -1;
}

/* The report is there when the history is written: whatever happens to that, it is not lost. */
static int command_measure_finish(struct listener *listener, const struct outcome *outcome, struct error *err)
{
	const struct history_choice *history = &listener->options->history;
	const struct request request = request_of(listener->options, listener->arena);

	if (command_measure_show(listener, outcome, err) < 0)
		return -1;
	if (history_path(history) &&
	    history_record_add(history, outcome->measured, outcome->reports, &request, err) < 0)
		return -1;
	return listener->is_unsaved ? error_set(err, "%s", listener->unsaved.text) : 0;
}

static int on_outcome(void *context, const struct outcome *outcome, struct error *err)
{
	struct listener *listener = context;

	progress_wipe(&listener->progress);
	if (outcome->is_last)
		return command_measure_finish(listener, outcome, err);
	if (live_screen_is_on(&listener->live) && live_screen_show(&listener->live, outcome->reports, err) < 0)
		return -1;
	if (outcome->reports->sampled || (live_screen_is_on(&listener->live) && !listener->options->output.path))
		return 0;
	return command_measure_show(listener, outcome, err);
}

static void on_attach(void *context, struct loop *loop)
{
	live_screen_attach(&((struct listener *)context)->live, loop);
}

static void command_measure_on_progress(void *context, size_t run, size_t runs)
{
	progress_show(&((struct listener *)context)->progress, run, runs);
}

/* Where a machine reads the report, nothing else is to be in the way. */
static bool is_read_by_people(const struct options *options)
{
	return options->output.path || options->output.format == FORMAT_TEXT;
}

/* The first answer. What is simulated behind it takes a while, and shows how far it is. */
static void command_measure_on_native(void *context, const struct outcome *outcome, double budget_s)
{
	struct listener *listener = context;

	listener->progress.is_repeated = true;
	if (is_read_by_people(listener->options))
		notice_print(NULL, NOTICE_PLAIN,
			     arena_printf(listener->arena, "%s Now simulated, for up to %.0f s; Ctrl-C: report so far",
					  screen_native(outcome->reports, listener->arena), budget_s));
}

static void command_measure_on_simulated(void *context, const struct simulated_so_far *so_far)
{
	struct listener *listener = context;

	if (progress_has_place() && !listener->progress.is_expected) {
		expected_find(&listener->progress.expected, listener->setup, listener->arena);
		listener->progress.is_expected = true;
	}
	if (progress_has_place() || listener->options->output.format == FORMAT_TEXT)
		progress_show_simulation(&listener->progress, so_far);
}

static void command_measure_on_notice(void *context, enum severity severity, const char *sentence)
{
	const struct listener *listener = context;

	if (!is_read_by_people(listener->options))
		return;
	progress_wipe(&((struct listener *)context)->progress);
	if (!live_screen_hold(&((struct listener *)context)->live, sentence))
		notice_print(NULL, severity, sentence);
}

/* What can't be written is found before the program has run, not after. */
static int check_files(const struct output_choice *choice, struct error *err)
{
	const struct {
		const char *option, *path;
	} files[] = { { "-o", choice->path }, { "--save", choice->save } };

	if (choice->path && choice->save && is_one_file(choice->path, choice->save))
		return error_set(err, "-o and --save are the same file, %s: the report would overwrite the counts",
				 choice->save);
	for (size_t i = 0; i < COUNT_OF(files); i++)
		if (files[i].path && strcmp(files[i].path, "-") != 0 && file_check_writable(files[i].path, err) < 0)
			return error_in(err, "%s", files[i].option);
	return 0;
}

static int check_subject(const struct setup *setup, const struct command *command, struct error *err)
{
	const char *blank = command->name ? " " : "", *name = command->name ? command->name : "";

	if (setup->program.nwords || setup_has_subject(setup))
		return 0;
	if (setup->timing.duration_s > 0)
		return error_set(err, "--duration of what? -a counts all CPUs; -p, --tid, -C and --cgroup count less");
	return error_set(
		err,
		"which program? `topdown%s%s [OPTION]... PROGRAM [ARG]...`; `topdown%s%s --help` lists the options",
		blank, name, blank, name);
}

/* A word that nearly is a command was meant as one. Always -1. */
static int suggest_command(const char *word, struct arena *arena, struct error *err)
{
	const char **names = arena_array(arena, ncommands, sizeof(*names)), *near, *foreign = foreign_answer(word);
	size_t count = 0;

	if (foreign) {
		*err = (struct error){ .status = STATUS_NOT_FOUND };
		return error_set(err, "%s: no such program in PATH, and topdown has no command of that name: %s", word,
				 foreign);
	}
	for (size_t i = 0; i < ncommands; i++)
		if (commands[i]->name)
			names[count++] = commands[i]->name;
	near = nearest_names(arena, word, names, count);
	if (!near)
		return -1;
	*err = (struct error){ .status = STATUS_NOT_FOUND };
	return error_set(err, "%s: no such program in PATH; did you mean the command %s? Put it before all options",
			 word, near);
}

static int measure_all(const struct options *options, struct arena *arena, struct error *err)
{
	struct listener listener = { .options = options,
				     .arena = arena,
				     .progress = { .is_quiet = options->setup.program.wants_all_output } };
	struct sink sink = { .context = &listener,
			     .measured = command_measure_on_measured,
			     .outcome = on_outcome,
			     .progress = command_measure_on_progress,
			     .attach = on_attach,
			     .native = command_measure_on_native,
			     .simulated = command_measure_on_simulated,
			     .has_line = progress_has_place(),
			     .says_where = output_says_where(options->output.format),
			     .notice = command_measure_on_notice };
	struct question question = options->question;
	struct setup setup = options->setup;
	int result;

	listener.setup = &setup;
	report_output_init(&listener.to, &options->output, stderr, arena);
	listener.to.source = options->question.source;
	if (check_subject(&setup, options->command, err) < 0 || check_files(&options->output, err) < 0)
		return -1;
	if (history_record_check(&options->history, err) < 0)
		return -1;
	if (setup.program.nwords && !options->is_behind_dashes &&
	    foreign_command(setup.program.words, setup.program.nwords, arena, err) < 0)
		return -1;
	if (options->output.is_live && !(setup.timing.interval_ms > 0)) {
		setup.timing.interval_ms = LIVE_MS;
		setup.timing.is_of_live = true;
	}
	live_screen_open(&listener.live, &options->output, &setup, arena);
	sink.wants_sampled_intervals = live_screen_is_on(&listener.live);
	setup.simulation.keeps_lines = is_kept(options) && last_path(arena);
	setup.options = options_repeated(options, REPEATED_SETUP, "", arena);
	setup.options_unsplit = options_repeated(options, REPEATED_SETUP, "per-thread", arena);
	if (sink.wants_sampled_intervals && question.filter.is_by_default)
		question.filter.by = BY_NOTHING;
	result = engine_measure(&(struct request){ &question, &setup, &sink, arena }, err);
	live_screen_close(&listener.live);
	progress_wipe(&listener.progress);
	if (result < 0 && err->status == STATUS_UNREAD && listener.interrupted_by)
		err->status =
			STATUS_OF_SIGNAL + listener.interrupted_by; /* a terminal that has hung up reads nothing */
	else if (result < 0 && err->status == STATUS_UNREAD)
		end_unread(err);
	if (result < 0 && err->status == STATUS_NOT_FOUND && !strchr(setup.program.words[0], '/') &&
	    !is_directory(setup.program.words[0]))
		return suggest_command(setup.program.words[0], arena, err);
	return result < 0 ? -1 : listener.status;
}

int run_measurement(const struct options *options, struct arena *arena, struct error *err)
{
	struct options own = *options;
	int result;

	if (page_open_choose(&own.output, arena, err) < 0 ||
	    report_output_check_source(&own.output, &own.question, err) < 0)
		return -1;
	if (own.question.events &&
	    !(own.question.events = tracepoints_expand(own.question.events, own.setup.machine.sysroot, arena, err)))
		return -1;
	result = measure_all(&own, arena, err);
	if (result >= 0)
		page_open(&own.output);
	return result;
}

const struct command command_measure = {
	.arguments = "[OPTION]... PROGRAM [ARG]...",
	.summary = "measure a program",
	.examples = "topdown -l3 ./prog\n"
		    "topdown -l3 --save run.json ./prog\n"
		    "topdown -l2 -p 1234 --duration 5\n"
		    "topdown --pmu sim --lines ./prog\n",
	.run = run_measurement,
	.sets = { &level_options,     &selection_options, &event_options,    &worst_options,	&lines_options,
		  &source_options,    &all_cpus_options,  &subject_options,  &thread_options,	&division_options,
		  &interval_options,  &timing_options,	  &repeat_options,   &pressure_options, &wall_options,
		  &steady_options,    &packing_options,	  &sampling_options, &pmu_options,	&simulation_options,
		  &what_if_options,   &cpu_options,	  &form_options,     &sysroot_options,	&file_options,
		  &page_data_options, &save_options,	  &style_options,    &general_options },
};
