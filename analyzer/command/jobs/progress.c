/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/cells.h"
#include "common/base/text.h"
#include "common/system/loop.h"
#include "store/session/last.h"

#define MINUTE 60.0
#define HOUR   (60 * MINUTE)
#define MANY   99.5 /* of a unit, where the next one is shorter */

#define MOST_LINE     200
#define USUAL_COLUMNS 80

/* It is wiped later, which is possible where it does not wrap only. */
struct line {
	char text[MOST_LINE];
	size_t whole, least; /* bytes, which are columns; least: without what gives way */
};

PRINTF(2, 3) static void add(struct line *line, const char *format, ...)
{
	size_t room = sizeof(line->text) - line->whole;
	va_list list;
	int length;

	va_start(list, format);
	length = vsnprintf(line->text + line->whole, room, format, list);
	va_end(list);
	line->whole += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

static void add_time(struct line *line, double seconds)
{
	if (seconds < MANY)
		add(line, "%.0f s", seconds);
	else if (seconds < MANY * MINUTE)
		add(line, "%.0f min", seconds / MINUTE);
	else
		add(line, "%.0f h", seconds / HOUR);
}

/* The last column stays free: the cursor stands there. */
static void progress_show_one(const struct line *line)
{
	struct winsize size = { 0 };
	size_t columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : USUAL_COLUMNS;
	size_t length = line->whole;

	if (length >= columns && line->least)
		length = line->least;
	if (length >= columns)
		length = columns - 1;
	fprintf(stderr, "\r\033[K%.*s", (int)length, line->text);
}

/* Runs take as long as those before did on average. */
void progress_show(struct progress *progress, size_t run, size_t runs)
{
	double now = clock_now();
	struct line line = { .whole = 0 };

	if (run == 1)
		progress->began_s = now;
	if (run <= 1U + progress->are_two || progress->is_quiet || !isatty(STDERR_FILENO))
		return;
	add(&line, "topdown: run %zu of %zu, ", run, runs);
	add_time(&line, (now - progress->began_s) / (double)(run - 1) * (double)(runs - run + 1));
	add(&line, " left");
	progress_show_one(&line);
	progress->is_shown = true;
}

#define LONG_S	    4  /* what takes longer is a wait that is worth shortening, */
#define VERY_LONG_S 10 /* and in a log worth a line */

bool progress_has_place(void)
{
	return isatty(STDERR_FILENO);
}

/* Once, and not of what is over soon. */
static void tell_once(struct progress *progress, const struct simulated_so_far *so_far)
{
	if (progress->is_told || progress->is_repeated || so_far->seconds < VERY_LONG_S)
		return;
	progress->is_told = true;
	notice_print(NULL, NOTICE_PLAIN,
		     so_far->is_sampled
			     ? "a long simulation takes 10 to 40 times as long as a native run; `--sim-seconds 2` "
			       "takes less, and `topdown sample` runs at about native speed"
			     : "a simulation takes about 100 times as long as a native run; a smaller input takes "
			       "less, and `topdown sample` runs at about native speed");
}

#define LEAST_PACE 0.05 /* of the instructions, from which on the pace says how long it takes */

/*
 * Of a simulation that was made before: which part of which time. Of a sampled one, which goes faster towards its end,
 * by the time; else by the instructions. False: nothing is known, or this one is longer.
 */
static bool show_share(const struct expected *expected, const struct simulated_so_far *so_far)
{
	double share, seconds = expected->seconds;
	struct line line = { .whole = 0 };

	if (!(expected->instructions > 0))
		return false;
	share = so_far->instructions / expected->instructions;
	if (share > 1 || (expected->is_sampled && so_far->seconds >= seconds))
		return false;
	if (expected->is_sampled)
		share = so_far->seconds / seconds;
	else if (share >= LEAST_PACE)
		seconds = so_far->seconds / share;
	add(&line, "topdown: simulated %.0f %% of about ", 100 * share);
	add_time(&line, seconds);
	progress_show_one(&line);
	return true;
}

void progress_show_simulation(struct progress *progress, const struct simulated_so_far *so_far)
{
	double millions = so_far->instructions / 1e6, shown = round(so_far->seconds);
	struct line line = { .whole = 0 };

	if (!progress_has_place()) {
		tell_once(progress, so_far);
		return;
	}
	if (so_far->is_taken)
		progress->is_shown = false;
	else if (so_far->is_idle)
		progress_wipe(progress);
	if (so_far->is_taken || so_far->is_idle)
		return;
	progress->is_shown = true;
	if (show_share(&progress->expected, so_far))
		return;
	add(&line, "topdown: %.0f M instructions in %.0f s", millions, shown);
	line.least = line.whole;
	if (shown >= LONG_S && progress->is_repeated)
		add(&line, " (Ctrl-C: report so far)");
	else if (shown >= LONG_S && !so_far->is_sampled)
		add(&line, " (Ctrl-C: report; faster: a smaller input)");
	else
		add(&line, ", %.1f M/s", millions / so_far->seconds);
	progress_show_one(&line);
}

void progress_wipe(struct progress *progress)
{
	if (progress->is_shown)
		fputs("\r\033[K", stderr);
	progress->is_shown = false;
}

#define NARROWEST 20 /* columns that words still fit into */

/* From a column on, words up to the terminal's last one. */
static void print_wrapped(const char *sentence, size_t columns, size_t column)
{
	const char *word;
	size_t length;

	for (bool is_first = true; (length = text_next(&sentence, " ", &word)) > 0; is_first = false) {
		bool is_broken = column + length >= columns && !is_first;

		fprintf(stderr, "%s%.*s", is_first ? "" : is_broken ? "\n" : " ", (int)length, word);
		column = is_broken ? length : column + length + 1;
	}
	fputc('\n', stderr);
}

void notice_print(void *context UNUSED, enum severity severity, const char *sentence)
{
	struct winsize size = { 0 };
	bool is_wrapped = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > NARROWEST;
	const char *warning = severity == NOTICE_WARNING ? "warning: " : "", *safe;
	struct arena arena;

	arena_init(&arena);
	safe = cells_safe(&arena, sentence, is_utf8_locale());
	fprintf(stderr, "topdown: %s", warning);
	if (is_wrapped)
		print_wrapped(safe, size.ws_col, strlen("topdown: ") + strlen(warning));
	else
		fprintf(stderr, "%s\n", safe);
	arena_release(&arena);
}

static void progress_on_progress(void *context, size_t run, size_t runs)
{
	progress_show(context, run, runs);
}

static void progress_on_simulated(void *context, const struct simulated_so_far *so_far)
{
	progress_show_simulation(context, so_far);
}

static void progress_on_notice(void *context, enum severity severity, const char *sentence)
{
	if (severity == NOTICE_ACTION)
		return;
	progress_wipe(context);
	notice_print(NULL, severity, sentence);
}

struct sink progress_sink(struct progress *progress)
{
	return (struct sink){ .context = progress,
			      .progress = progress_on_progress,
			      .simulated = progress_on_simulated,
			      .has_line = progress_has_place(),
			      .notice = progress_on_notice };
}

static double expected_count_of(const struct repeat *repeat, const char *event)
{
	for (size_t i = 0; i < repeat->count; i++)
		if (!strcmp(repeat->items[i].event, event))
			return repeat->items[i].state == COUNT_OK ? repeat->items[i].value : 0;
	return 0;
}

void expected_from(struct expected *expected, const struct measurement *last, const char *command, const char *options)
{
	const struct counts *counts = last->count ? &last->parts[0] : NULL;
	const struct repeat *repeat = counts ? &counts->repeats[0] : NULL;

	*expected = (struct expected){ .instructions = 0 };
	if (!counts || !counts->origin.cpu || strcmp(counts->origin.cpu, "sim") != 0 || last->cut_by ||
	    repeat->nruns != 1 || repeat->runs[0].is_cut || repeat->runs[0].status > 128 ||
	    compare_texts(counts->origin.command, command) || compare_texts(counts->origin.options, options))
		return;
	/* A thread's part is not all of the program; that of "all" is. */
	if (counts->origin.part && compare_texts(counts->origin.part_kind, "all"))
		return;
	expected->instructions = expected_count_of(repeat, "inst.retired");
	expected->seconds = repeat->runs[0].wall_s;
	expected->is_sampled = expected_count_of(repeat, "inst.modelled") < expected->instructions;
	if (!(expected->instructions > 0) || !(expected->seconds > 0))
		*expected = (struct expected){ .instructions = 0 };
}

void expected_find(struct expected *expected, const struct setup *setup, struct arena *arena)
{
	const char *path = last_is_off() ? NULL : last_path(arena);
	struct measurement last = { .count = 0 };
	struct error none = { .text = "" };

	*expected = (struct expected){ .instructions = 0 };
	if (path && session_read(&last, path, arena, &none) == 0)
		expected_from(expected, &last, program_choice_text(&setup->program, arena), setup->options_unsplit);
}
