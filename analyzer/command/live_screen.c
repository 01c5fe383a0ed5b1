/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "command/jobs/live_terminal.h"
#include "command/jobs/output.h"
#include "command/jobs/progress.h"
#include "common/base/cells.h"
#include "present/document/render.h"
#include "present/report/recent_values.h"

/* ---- is there a terminal? ---- */

static bool is_in_foreground(int terminal)
{
	return tcgetpgrp(terminal) == getpgrp();
}

/* NULL: there is one, which is open. */
static const char *why_no_screen(struct live_screen *live)
{
	const struct output_choice *output = live->choice;
	const char *kind = getenv("TERM");

	if (!isatty(STDERR_FILENO))
		return "standard error is not a terminal";
	if (!kind || !*kind || !strcmp(kind, "dumb"))
		return "this terminal (TERM) can't be redrawn";
	if (!output->path && output->format != FORMAT_TEXT)
		return "only text can be drawn; other formats go to -o FILE";
	live->terminal = live_terminal_open();
	if (live->terminal < 0)
		return "there is no controlling terminal";
	if (!is_in_foreground(live->terminal))
		return "topdown runs in the background";
	return tcgetattr(live->terminal, &live->usual) < 0 ? "the terminal can't be configured" : NULL;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void live_screen_open(struct live_screen *live, const struct output_choice *choice, struct setup *setup,
		      struct arena *arena)
{
	const char *why;

	*live = (struct live_screen){ .arena = arena,
				      .choice = choice,
				      .terminal = -1,
				      .signals = -1,
				      .says = { .file = -1 },
				      .interval_s = setup->timing.interval_ms * 1e-3,
				      .newest_s = NAN,
				      .shown_s = NAN };
	if (!choice->is_live)
		return;
	why = why_no_screen(live);
	if (why) {
		close_one(&live->terminal);
		notice_print(NULL, NOTICE_PLAIN, arena_printf(arena, "--live prints intervals as lines: %s", why));
		return;
	}
	live->past = recent_values_new(arena);
	live->held = STRING_INIT(arena);
	program_says_open(&live->says);
	if (live->says.file >= 0)
		setup->program.no_terminal = live->says.file;
}

/* ---- what is on it ---- */

/* What the terminal does not take is lost, as on one that is gone. */
static void put_words(const struct live_screen *live, const char *words)
{
	live_terminal_put(live->terminal, words, strlen(words), A_MOMENT_MS);
}

static void add_status(struct string *text, const struct live_screen *live)
{
	if (live->is_paused)
		string_printf(text, "paused at %.3f s; p resumes, q quits\n", live->shown_s);
	else if (isnan(live->shown_s))
		string_printf(text, "the first interval ends after %g s; q quits\n", live->interval_s);
	else
		string_printf(text, "%.3f s, every %g s; p pauses, q quits\n", live->shown_s, live->interval_s);
}

static void redraw(const struct live_screen *live)
{
	size_t columns, rows;
	struct arena arena;
	struct string page, cut, text;

	if (!live->is_shown || !live_terminal_has_room(live->terminal))
		return;
	arena_init(&arena);
	page = cut = text = STRING_INIT(&arena);
	live_terminal_window(live->terminal, &columns, &rows);
	add_status(&page, live);
	string_add(&page, live->shown ? live->shown : live->held.text);
	live_frame_cut(&cut, page.text, columns, rows);
	live_terminal_frame(&text, cut.text, rows);
	live_terminal_put(live->terminal, text.text, text.length, A_MOMENT_MS);
	arena_release(&arena);
}

static void take_newest(struct live_screen *live)
{
	if (!live->newest)
		return;
	free(live->shown);
	live->shown = live->newest;
	live->shown_s = live->newest_s;
	live->newest = NULL;
}

/* ---- entering and leaving ---- */

/* In the background the terminal is somebody else's. */
static void enter(struct live_screen *live)
{
	if (live->is_shown || !live->loop || !is_in_foreground(live->terminal))
		return;
	live_terminal_set_keys(live->terminal, &live->usual);
	put_words(live, TERMINAL_ENTER);
	loop_add(live->loop, &live->keys);
	live->is_shown = true;
	redraw(live);
}

static void live_screen_leave(struct live_screen *live)
{
	if (!live->is_shown)
		return;
	loop_remove(live->loop, &live->keys);
	live_terminal_continue(live->terminal);
	if (!live_terminal_has_room(live->terminal))
		tcflush(live->terminal, TCOFLUSH);
	put_words(live, TERMINAL_LEAVE);
	tcsetattr(live->terminal, TCSANOW, &live->usual);
	live->is_shown = false;
}

/* ---- keys and signals ---- */

/* As Ctrl-C does, but not to who else is in the foreground; where that is ignored, as SIGTERM does. */
static void quit(void)
{
	struct sigaction action;
	bool is_ignored = sigaction(SIGINT, NULL, &action) == 0 && action.sa_handler == SIG_IGN;

	kill(getpid(), is_ignored ? SIGTERM : SIGINT);
}

#define CTRL_L '\f'

static void take_key(struct live_screen *live, char key)
{
	if (key == 'q' || key == 'Q') {
		quit();
	} else if ((key == 'p' || key == 'P' || key == ' ') && live->shown) {
		live->is_paused = !live->is_paused;
		if (!live->is_paused)
			take_newest(live);
		redraw(live);
	} else if (key == CTRL_L) {
		put_words(live, "\033[2J");
		redraw(live);
	}
}

/* What begins with ESC is one key, such as an arrow. A terminal that is gone ends it, unless nohup was asked for. */
static int keys_are_there(void *context, struct error *err UNUSED)
{
	struct live_screen *live = context;
	char keys[64];
	ssize_t count;

	count = live->keys.has_hung_up ? 0 : read(live->terminal, keys, sizeof(keys));
	if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) {
		loop_remove(live->loop, &live->keys);
		kill(getpid(), SIGHUP); /* the kernel informs only the leader of the session */
	}
	for (ssize_t i = 0; i < count && keys[0] != '\033'; i++)
		take_key(live, keys[i]);
	return 0;
}

/* Ctrl-Z: the usual screen while it is stopped. The program was sent the same. */
static void stop(struct live_screen *live)
{
	sigset_t stop;

	live_screen_leave(live);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &stop, NULL); /* here it stops */
	sigprocmask(SIG_BLOCK, &stop, NULL);
	enter(live);
}

/* Whoever stopped it without asking has left the terminal as it was: it is set once more. */
static void live_screen_go_on(struct live_screen *live)
{
	if (live->is_shown && is_in_foreground(live->terminal)) {
		live_terminal_set_keys(live->terminal, &live->usual);
		put_words(live, TERMINAL_ENTER);
		redraw(live);
	}
	enter(live);
}

static int changes_are_there(void *context, struct error *err UNUSED)
{
	struct live_screen *live = context;
	struct signalfd_siginfo info;

	while (read(live->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGTSTP)
			stop(live);
		else if (info.ssi_signo == SIGCONT)
			live_screen_go_on(live);
		else
			redraw(live);
	}
	return 0;
}

static void own_signals(sigset_t *set)
{
	struct sigaction action;

	sigemptyset(set);
	sigaddset(set, SIGWINCH);
	sigaddset(set, SIGCONT);
	if (sigaction(SIGTSTP, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
		sigaddset(set, SIGTSTP);
}

/* ---- a run ---- */

static void live_screen_begin(struct live_screen *live, struct loop *loop)
{
	sigset_t set;

	live->loop = loop;
	own_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	live->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	live->keys = (struct loop_descriptor){
		.fd = live->terminal, .events = POLLIN, .call = keys_are_there, .context = live
	};
	live->changes = (struct loop_descriptor){
		.fd = live->signals, .events = POLLIN, .call = changes_are_there, .context = live
	};
	if (live->signals >= 0)
		loop_add(loop, &live->changes);
	program_says_watch(&live->says, loop);
	enter(live);
}

/* One that came last is dropped: there is no screen any more that it could change. */
static void release_signals(struct live_screen *live)
{
	const struct timespec now = { 0 };
	sigset_t set;

	own_signals(&set);
	while (sigtimedwait(&set, NULL, &now) > 0)
		;
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	close_one(&live->signals);
}

static void show_held(struct live_screen *live)
{
	if (live->held.length)
		fputs(live->held.text, stderr);
	live->held = STRING_INIT(live->arena);
}

static void end(struct live_screen *live)
{
	live_screen_leave(live);
	release_signals(live);
	live->loop = NULL;
}

void live_screen_tell(struct live_screen *live)
{
	if (live->terminal < 0)
		return;
	program_says_show(&live->says, live->terminal);
	show_held(live);
	live->is_told = true;
}

void live_screen_attach(struct live_screen *live, struct loop *loop)
{
	if (live->terminal < 0)
		return;
	if (loop)
		live_screen_begin(live, loop);
	else if (live->loop)
		end(live);
}

/* The style is that of the terminal, whatever -o names. */
static struct style style_of(const struct live_screen *live)
{
	const struct output_choice *output = live->choice;
	const char *no_color = getenv("NO_COLOR");
	bool is_plain = output->color == COLOR_NEVER || (output->color == COLOR_AUTO && no_color && *no_color);

	return (struct style){ .format = FORMAT_TEXT,
			       .has_color = !is_plain,
			       .has_utf8 = is_utf8_locale(),
			       .is_verbose = output->is_verbose };
}

/* The first row is the status's. */
static int draw_newest(struct live_screen *live, const struct report_set *set, struct error *err)
{
	const struct style style = style_of(live);
	struct live_frame frame = { .set = set, .past = live->past };
	struct arena arena;
	struct string lines;
	int result;

	live_terminal_window(live->terminal, &frame.columns, &frame.rows);
	frame.rows -= frame.rows > 1;
	arena_init(&arena);
	lines = STRING_INIT(&arena);
	result = live_frame_draw(&lines, &frame, &style, err);
	if (result == 0) {
		free(live->newest);
		live->newest = strdup(lines.text);
		live->newest_s = set->to_s;
	}
	arena_release(&arena);
	return result;
}

int live_screen_show(struct live_screen *live, const struct report_set *set, struct error *err)
{
	recent_values_add(live->past, set);
	if (!live->loop)
		return 0;
	if (draw_newest(live, set, err) < 0)
		return -1;
	enter(live); /* where a shell has brought it back without a word */
	if (live->is_paused)
		return 0;
	take_newest(live);
	redraw(live);
	return 0;
}

bool live_screen_hold(struct live_screen *live, const char *sentence)
{
	if (live->terminal < 0 || live->is_told)
		return false;
	string_printf(&live->held, "topdown: %s\n", cells_safe(live->arena, sentence, is_utf8_locale()));
	redraw(live);
	return true;
}

void live_screen_close(struct live_screen *live)
{
	if (live->terminal < 0)
		return;
	if (live->loop)
		end(live);
	live_screen_tell(live);
	free(live->newest);
	free(live->shown);
	live->newest = live->shown = NULL;
	close_one(&live->terminal);
}
