/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/loop.h"
#include "base/text.h"

#define MINUTE 60.0
#define HOUR   (60 * MINUTE)
#define MANY   99.5 /* of a unit, where the next one is shorter */

static void print_time(double seconds)
{
	if (seconds < MANY)
		fprintf(stderr, "%.0f s", seconds);
	else if (seconds < MANY * MINUTE)
		fprintf(stderr, "%.0f min", seconds / MINUTE);
	else
		fprintf(stderr, "%.0f h", seconds / HOUR);
}

/* Runs take as long as those before did on average. */
void progress_show(struct progress *progress, size_t run, size_t runs)
{
	double now = clock_now();

	if (run == 1)
		progress->began_s = now;
	if (run == 1 || progress->is_quiet || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[Ktopdown: run %zu of %zu, ", run, runs);
	print_time((now - progress->began_s) / (double)(run - 1) * (double)(runs - run + 1));
	fputs(" left", stderr);
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
	if (progress->is_told || so_far->seconds < VERY_LONG_S)
		return;
	progress->is_told = true;
	notice_print(
		NULL, NOTICE_PLAIN,
		so_far->is_sampled
			? "a simulation takes some 100 times as long as the program by itself, and a smaller input less"
			: "a simulation takes some 100 times as long as the program by itself. --sim-sample 0.1 models "
			  "a "
			  "tenth of the instructions, in a half to a third of the time");
}

#define LEAST_PACE 0.05 /* of the instructions, from which on the pace says how long it takes */

/*
 * Of a simulation that was made before: which part of which time. Of a sampled one, which goes faster towards its end,
 * by the time; else by the instructions. False: nothing is known, or this one is longer.
 */
static bool show_share(const struct expected *expected, const struct simulated_so_far *so_far)
{
	double share, seconds = expected->seconds;

	if (!(expected->instructions > 0))
		return false;
	share = so_far->instructions / expected->instructions;
	if (share > 1 || (expected->is_sampled && so_far->seconds >= seconds))
		return false;
	if (expected->is_sampled)
		share = so_far->seconds / seconds;
	else if (share >= LEAST_PACE)
		seconds = so_far->seconds / share;
	fprintf(stderr, "\r\033[Ktopdown: simulated %.0f %% of about ", 100 * share);
	print_time(seconds);
	return true;
}

/* At most 79 columns, so that the line can be wiped. */
void progress_show_simulation(struct progress *progress, const struct simulated_so_far *so_far)
{
	double millions = so_far->instructions / 1e6, shown = round(so_far->seconds);

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
	fprintf(stderr, "\r\033[Ktopdown: %.0f M instructions simulated in %.0f s, %.1f M/s%s", millions, shown,
		millions / so_far->seconds, shown >= LONG_S && !so_far->is_sampled ? "; faster: --sim-sample 0.1" : "");
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
	const char *warning = severity == NOTICE_WARNING ? "warning: " : "";

	fprintf(stderr, "topdown: %s", warning);
	if (is_wrapped)
		print_wrapped(sentence, size.ws_col, strlen("topdown: ") + strlen(warning));
	else
		fprintf(stderr, "%s\n", sentence);
}

static void on_progress(void *context, size_t run, size_t runs)
{
	progress_show(context, run, runs);
}

static void on_simulated(void *context, const struct simulated_so_far *so_far)
{
	progress_show_simulation(context, so_far);
}

static void on_notice(void *context, enum severity severity, const char *sentence)
{
	if (severity == NOTICE_ACTION)
		return;
	progress_wipe(context);
	notice_print(NULL, severity, sentence);
}

struct sink progress_sink(struct progress *progress)
{
	return (struct sink){ .context = progress,
			      .progress = on_progress,
			      .simulated = on_simulated,
			      .has_line = progress_has_place(),
			      .notice = on_notice };
}
