/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/count/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const words[] = {
	[CONTROL_NONE] = "", [CONTROL_ENABLE] = "enable", [CONTROL_DISABLE] = "disable", [CONTROL_STOP] = "stop"
};

/* A FIFO that is open for both directions neither waits for the other side nor ends when that goes. */
static int open_fifo(const char *path, size_t length, struct error *err)
{
	char copy[4096];
	struct stat status;
	int fd;

	if (length == 0)
		return error_set(err, "{control}: which FIFO? `mkfifo NAME` makes one");
	if (length >= sizeof(copy))
		return error_set(err, "{control}: a path of %zu bytes is too long", length);
	memcpy(copy, path, length);
	copy[length] = '\0';
	fd = open(copy, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, "{control} %s: %s; `mkfifo %s` makes it", copy, strerror(errno), copy);
	if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode))
		return fd;
	close(fd);
	return error_set(err, "{control} %s: not a FIFO; `mkfifo` makes one", copy);
}

/* Otherwise topdown would read its own answers as words. */
static int check_different(const struct control *control, struct error *err)
{
	struct stat one, other;

	if (fstat(control->words, &one) < 0 || fstat(control->answers, &other) < 0 || one.st_dev != other.st_dev ||
	    one.st_ino != other.st_ino)
		return 0;
	return error_set(err, "{control}: the answers need a FIFO of their own, not the same one");
}

int control_open(struct control *control, const char *paths, struct error *err)
{
	size_t length = paths ? strcspn(paths, ",") : 0;

	*control = (struct control)CONTROL_CLOSED;
	if (!paths)
		return 0;
	control->words = open_fifo(paths, length, err);
	if (control->words >= 0 && paths[length])
		control->answers = open_fifo(paths + length + 1, strlen(paths + length + 1), err);
	return is_error(err) ? -1 : check_different(control, err);
}

/* An answer that nobody reads is lost: the FIFO is full then. */
static void answer(const struct control *control, const char *text)
{
	if (control->answers >= 0 && write(control->answers, text, strlen(text)) < 0)
		return;
}

void control_done(const struct control *control)
{
	answer(control, "ack\n");
}

static enum control_word word_of(struct control *control)
{
	char text[128];

	for (size_t i = CONTROL_ENABLE; i < COUNT_OF(words); i++)
		if (!strcmp(control->line, words[i]))
			return (enum control_word)i;
	snprintf(text, sizeof(text), "unknown word '%s': must be enable, disable or stop\n", control->line);
	answer(control, text);
	if (!*control->unknown)
		memcpy(control->unknown, control->line, sizeof(control->unknown));
	return CONTROL_NONE;
}

/*
 * A line that is too long for a word is cut, which makes it an unknown one. It is shown, so
 * only printable text is kept.
 */
static void control_add(struct control *control, char c)
{
	if (control->length < sizeof(control->line) - 1)
		control->line[control->length++] = c >= ' ' && c <= '~' ? c : '?';
}

enum control_word control_next(struct control *control)
{
	enum control_word word;
	char c;

	while (control->words >= 0 && read(control->words, &c, 1) == 1) {
		if (c != '\n') {
			control_add(control, c);
			continue;
		}
		control->line[control->length] = '\0';
		word = control->length ? word_of(control) : CONTROL_NONE;
		control->length = 0;
		if (word != CONTROL_NONE)
			return word;
	}
	return CONTROL_NONE;
}

void control_close(struct control *control)
{
	if (control->words >= 0)
		close(control->words);
	if (control->answers >= 0)
		close(control->answers);
	control->words = control->answers = -1;
}
