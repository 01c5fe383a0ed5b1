/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/live_terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#define MOST_MIB   1 /* of what the program says */
#define MOST_BYTES ((off_t)MOST_MIB << 20)
#define CUT_S	   0.1

/* ---- the terminal ---- */

int live_terminal_open(void)
{
	return open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

static bool await_room(int terminal, int patience_ms)
{
	struct pollfd polled = { .fd = terminal, .events = POLLOUT };

	return poll(&polled, 1, patience_ms) > 0;
}

bool live_terminal_has_room(int terminal)
{
	return await_room(terminal, 0);
}

void live_terminal_put(int terminal, const char *bytes, size_t length, int patience_ms)
{
	while (length) {
		ssize_t written = write(terminal, bytes, length);

		if (written < 0 && errno == EAGAIN && !await_room(terminal, patience_ms))
			return;
		if (written < 0 && errno != EINTR && errno != EAGAIN)
			return;
		bytes += written > 0 ? written : 0;
		length -= written > 0 ? (size_t)written : 0;
	}
}

#define USUAL_COLUMNS 80
#define USUAL_ROWS    24

void live_terminal_window(int terminal, size_t *columns, size_t *rows)
{
	struct winsize size = { 0 };

	if (ioctl(terminal, TIOCGWINSZ, &size) < 0)
		size = (struct winsize){ 0 };
	*columns = size.ws_col ? size.ws_col : USUAL_COLUMNS;
	*rows = size.ws_row ? size.ws_row : USUAL_ROWS;
}

void live_terminal_set_keys(int terminal, const struct termios *usual)
{
	struct termios at_once = *usual;

	at_once.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	at_once.c_cc[VMIN] = 1;
	at_once.c_cc[VTIME] = 0;
	tcsetattr(terminal, TCSANOW, &at_once);
}

#define BEGIN_FRAME "\033[?2026h\033[H" /* nothing is painted before its end, where the terminal can do that */
#define END_FRAME   "\033[?2026l"

/* Each line is wiped before it is written: one that fills its row would lose its end otherwise. */
void live_terminal_frame(struct string *text, const char *lines, size_t rows)
{
	size_t row = 0;

	string_add(text, BEGIN_FRAME);
	for (; *lines && row < rows; row++) {
		size_t length = strcspn(lines, "\n");

		string_add(text, row ? "\r\n\033[K" : "\033[K");
		string_addn(text, lines, length);
		string_add(text, "\033[0m");
		lines += length + (lines[length] == '\n');
	}
	if (row < rows)
		string_add(text, "\r\n\033[J");
	string_add(text, END_FRAME);
}

/* The kernel lets a program undo only its own stop, which takes the place of the other one. */
void live_terminal_continue(int terminal)
{
	tcflow(terminal, TCOOFF);
	tcflow(terminal, TCOON);
}

/* ---- what the program says ---- */

static int cut(void *context, struct error *err UNUSED)
{
	struct program_says *says = context;
	struct stat status;
	off_t end;

	if (fstat(says->file, &status) < 0 || status.st_size - says->left_out <= 2 * MOST_BYTES)
		return 0;
	end = status.st_size - MOST_BYTES;
	if (fallocate(says->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, end) == 0)
		says->left_out = end;
	return 0;
}

void program_says_open(struct program_says *says)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);

	*says = (struct program_says){ .file = fd < 0 ? memfd_create("topdown-live", MFD_CLOEXEC) : fd };
	says->cut = (struct loop_alarm){ .call = cut, .context = says, .period_s = CUT_S };
}

void program_says_watch(struct program_says *says, struct loop *loop)
{
	says->cut.is_set = false; /* in the loop of the run before */
	if (says->file >= 0)
		loop_set(loop, &says->cut, clock_now() + CUT_S);
}

/* From a line's beginning, where one comes soon. */
static off_t first_shown(struct program_says *says, int terminal)
{
	char bytes[4096], text[160];
	struct stat status;
	const char *line;
	ssize_t count;
	off_t at;

	if (fstat(says->file, &status) < 0 || status.st_size <= MOST_BYTES)
		return 0;
	at = status.st_size - MOST_BYTES;
	count = pread(says->file, bytes, sizeof(bytes), at);
	line = count > 0 ? memchr(bytes, '\n', (size_t)count) : NULL;
	at += line ? line + 1 - bytes : 0;
	snprintf(text, sizeof(text),
		 "topdown: %.1f MB that the program wrote are left out, before the last %d MiB; its output to a file "
		 "is kept whole\r\n",
		 (double)at * 1e-6, MOST_MIB);
	live_terminal_put(terminal, text, strlen(text), FOR_EVER_MS);
	return at;
}

void program_says_show(struct program_says *says, int terminal)
{
	char bytes[1 << 16];
	ssize_t count;
	off_t at;

	if (says->file < 0)
		return;
	at = first_shown(says, terminal);
	while ((count = pread(says->file, bytes, sizeof(bytes), at)) > 0) {
		live_terminal_put(terminal, bytes, (size_t)count, FOR_EVER_MS);
		at += count;
	}
	close(says->file);
	says->file = -1;
}
