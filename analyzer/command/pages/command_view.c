/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_view.c - topdown view [FILE]: what a page explores, in a terminal: functions, their lines, nodes, time. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "analyse/evaluate/timeline.h"
#include "command/commands.h"
#include "command/jobs/export_choice.h"
#include "command/jobs/progress.h"
#include "command/pages/explored_sources.h"
#include "common/system/file.h"
#include "engine/saved.h"
#include "present/explorer/explored.h"
#include "program/code/disassembly.h"

struct viewing {
	const struct options *options;
	struct saved_file recorded;
	struct timeline *timeline;
	struct arena *arena;
};

/* ---- keys ---- */

/* What begins with ESC: xterm's names of keys. */
static const struct {
	const char *bytes;
	int key;
} sequences[] = {
	{ "\033[A", KEY_UP },	    { "\033[B", KEY_DOWN },	  { "\033OA", KEY_UP },	  { "\033OB", KEY_DOWN },
	{ "\033[5~", KEY_PAGE_UP }, { "\033[6~", KEY_PAGE_DOWN }, { "\033[H", KEY_HOME }, { "\033[F", KEY_END },
	{ "\033[1~", KEY_HOME },    { "\033[4~", KEY_END },	  { "\033OH", KEY_HOME }, { "\033OF", KEY_END },
};

static int byte_key(char byte)
{
	switch (byte) {
	case '\r':
	case '\n': return KEY_ENTER;
	case '\b':
	case 0x7f: return KEY_ERASE;
	case '\033': return KEY_ESCAPE;
	default: return (unsigned char)byte;
	}
}

/* The key at bytes, and its length. */
static int next_key(const char *bytes, size_t count, size_t *length)
{
	for (size_t i = 0; i < COUNT_OF(sequences); i++) {
		*length = strlen(sequences[i].bytes);
		if (count >= *length && !strncmp(bytes, sequences[i].bytes, *length))
			return sequences[i].key;
	}
	*length = *bytes == '\033' && count > 1 ? count : 1;
	return *length > 1 ? 0 : byte_key(*bytes);
}

/* ---- the screen ---- */

static volatile sig_atomic_t ended_by, has_changed;

static void on_signal(int number)
{
	if (number == SIGWINCH || number == SIGCONT)
		has_changed = 1;
	else
		ended_by = number;
}

struct view_screen {
	int terminal;
	struct termios usual;
	struct explored_view view;
	const struct style *style;
};

static void draw(struct view_screen *screen)
{
	struct explored_window window = { .style = screen->style };
	struct arena arena;
	struct string lines, frame;

	arena_init(&arena);
	lines = frame = STRING_INIT(&arena);
	live_terminal_window(screen->terminal, &window.columns, &window.rows);
	explored_view_draw(&lines, &screen->view, &window, &arena);
	live_terminal_frame(&frame, lines.text, window.rows);
	live_terminal_put(screen->terminal, frame.text, frame.length, FOR_EVER_MS);
	arena_release(&arena);
}

/* False: q, or the terminal is gone. */
static bool take_keys(struct view_screen *screen)
{
	char bytes[64];
	ssize_t count = read(screen->terminal, bytes, sizeof(bytes));
	bool goes_on = true;
	struct arena arena;

	if (count <= 0)
		return count < 0 && (errno == EINTR || errno == EAGAIN);
	arena_init(&arena);
	for (size_t at = 0, length; at < (size_t)count && goes_on; at += length) {
		int key = next_key(bytes + at, (size_t)count - at, &length);

		goes_on = explored_view_take(&screen->view, key, &arena);
	}
	arena_release(&arena);
	return goes_on;
}

static void wait_for_keys(const struct view_screen *screen, const sigset_t *usual)
{
	struct pollfd keys = { .fd = screen->terminal, .events = POLLIN };

	ppoll(&keys, 1, NULL, usual);
}

static void take_signals(sigset_t *usual)
{
	static const int numbers[] = { SIGWINCH, SIGCONT, SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		sigaddset(&set, numbers[i]);
		sigaction(numbers[i], &action, NULL);
	}
	signal(SIGTSTP, SIG_IGN); /* the other screen would stay */
	sigprocmask(SIG_BLOCK, &set, usual);
}

static int run_screen(struct view_screen *screen)
{
	bool goes_on = true;
	sigset_t usual;

	take_signals(&usual);
	live_terminal_set_keys(screen->terminal, &screen->usual);
	live_terminal_put(screen->terminal, TERMINAL_ENTER, strlen(TERMINAL_ENTER), FOR_EVER_MS);
	while (goes_on && !ended_by) {
		has_changed = 0;
		draw(screen);
		wait_for_keys(screen, &usual);
		goes_on = has_changed || ended_by || take_keys(screen);
	}
	live_terminal_put(screen->terminal, TERMINAL_LEAVE, strlen(TERMINAL_LEAVE), A_MOMENT_MS);
	tcsetattr(screen->terminal, TCSANOW, &screen->usual);
	sigprocmask(SIG_SETMASK, &usual, NULL);
	return 0;
}

/* On no terminal it is a table. */
static int print_table(const struct explored *explored, const struct output *output, struct arena *arena,
		       struct error *err)
{
	const struct explored_window window = { output->style.width ? output->style.width : 80, SIZE_MAX,
						&output->style };
	struct string text = STRING_INIT(arena);
	struct explored_view view;

	explored_view_init(&view, explored);
	explored_view_draw(&text, &view, &window, arena);
	fputs(text.text, stdout);
	return file_flush(stdout, err);
}

static int view_explored(const struct viewing *viewing, const struct explored *explored, struct error *err)
{
	struct view_screen screen = { .terminal = -1 };
	struct output output;
	int result = -1;

	if (output_open(&output, &viewing->options->output, stdout, err) < 0)
		return -1;
	screen.style = &output.style;
	explored_view_init(&screen.view, explored);
	if (isatty(STDOUT_FILENO) && isatty(STDIN_FILENO))
		screen.terminal = live_terminal_open();
	if (screen.terminal < 0 || tcgetattr(screen.terminal, &screen.usual) < 0)
		result = print_table(explored, &output, viewing->arena, err);
	else
		result = run_screen(&screen);
	if (screen.terminal >= 0)
		close(screen.terminal);
	return result;
}

/* ---- the file ---- */

static int command_view_on_measured(void *context UNUSED, struct measurement *measured UNUSED, struct error *err UNUSED)
{
	return 0;
}

static int command_view_on_outcome(void *context, const struct outcome *outcome, struct error *err)
{
	struct viewing *viewing = context;
	const struct report_set *reports = outcome->reports;
	const struct source_request like = { .folder = viewing->options->question.source,
					     .is_foreign = outcome->measured->is_foreign };
	struct explored *explored;

	if (!outcome->is_last) {
		timeline_add(viewing->timeline, reports);
		return 0;
	}
	explored = export_choice_explored(outcome->measured, reports->count ? &reports->parts[0] : NULL,
					  viewing->timeline->nintervals ? viewing->timeline : NULL, viewing->arena);
	if (!explored)
		return error_set(err, "%s: nothing to view: it has neither nodes nor a profile",
				 viewing->recorded.file);
	explored_sources_read(explored, &like, viewing->arena);
	return view_explored(viewing, explored, err);
}

/* Samples alone have no levels. */
static bool has_counts(const struct measurement *measured)
{
	return measured->count && measured->parts[0].nrepeats && measured->parts[0].repeats[0].count;
}

static int run_view(const struct options *options, struct arena *arena, struct error *err)
{
	struct viewing viewing = { .options = options, .timeline = timeline_new(arena), .arena = arena };
	struct question question = options->question;
	const struct sink sink = { .context = &viewing,
				   .measured = command_view_on_measured,
				   .outcome = command_view_on_outcome,
				   .notice = notice_print,
				   .says_where = true };
	const struct request request = { &question, &options->setup, &sink, arena };
	struct saved saved = { .measured = &viewing.recorded.measured };

	if (saved_files_find(&viewing.recorded, options_files(options), &request, err) < 0)
		return -1;
	if (has_counts(&viewing.recorded.measured) && !question.level)
		question.level = DEEPEST_LEVEL;
	saved.file = viewing.recorded.file;
	return engine_report(&saved, &request, err);
}

const struct command command_view = {
	.name = "view",
	.arguments = "[OPTION]... [FILE]",
	.summary = "explore saved counts in the terminal",
	.examples = "topdown view run.json\n"
		    "topdown view | head\n",
	.run = run_view,
	.sets = { &level_options, &source_options, &cpu_options, &form_options, &sysroot_options, &general_options },
};
