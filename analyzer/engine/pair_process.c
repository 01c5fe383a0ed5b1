/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/pairs.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/count/input.h"
#include "collect/simulate/anchor.h"
#include "store/session/session.h"

/* What goes through the channel first; behind it a session, or the text of an error. */
struct head {
	int status;    /* 0, or -1 */
	int remainder; /* the measurement's interrupted_by, or the error's status */
};

static void pin_to(size_t cpu)
{
	cpu_set_t only;

	CPU_ZERO(&only);
	CPU_SET(cpu, &only);
	sched_setaffinity(0, sizeof(only), &only);
}

static void answer(int channel, const struct head *head, const struct measurement *result, struct error *err)
{
	FILE *stream = fdopen(channel, "w");

	if (!stream)
		return;
	fwrite(head, sizeof(*head), 1, stream);
	if (head->status == 0 && session_write(stream, result, err) < 0)
		return;
	if (head->status < 0)
		fputs(err->text, stream);
	fclose(stream);
}

static void work_apart(int channel, const struct pair_process_work *work)
{
	struct measurement result = { .count = 0 };
	struct error err = { .text = "" };
	struct head head;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	pin_to(work->cpu);
	head.status = work->measure(work->context, &result, &err);
	head.remainder = head.status == 0 ? result.interrupted_by : err.status;
	answer(channel, &head, &result, &err);
	_exit(0);
}

int pair_process_start(struct pair_process *apart, const struct pair_process_work *work, struct error *err)
{
	int channel[2];

	if (pipe(channel) < 0)
		return error_set(err, "no pipe to a second process: %s", strerror(errno));
	apart->pid = fork();
	if (apart->pid == 0) {
		close(channel[0]);
		work_apart(channel[1], work);
	}
	close(channel[1]);
	apart->channel = channel[0];
	if (apart->pid > 0)
		return 0;
	close(channel[0]);
	return error_set(err, "no second process: %s", strerror(errno));
}

/* All that comes until the process has ended. */
static char *read_all(int channel, size_t *length)
{
	size_t capacity = 0;
	char *bytes = NULL;
	ssize_t got = 1;

	*length = 0;
	while (got > 0) {
		if (capacity - *length < 4096) {
			char *more = realloc(bytes, capacity = 2 * capacity + 65536);

			if (!more)
				break;
			bytes = more;
		}
		got = read(channel, bytes + *length, capacity - *length - 1);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			*length += (size_t)got;
	}
	if (bytes)
		bytes[*length] = '\0';
	return bytes;
}

static int take_answer(struct measurement *result, const char *bytes, size_t length, struct arena *arena,
		       struct error *err)
{
	struct session_text text = { .source = "the measurement" };
	struct head head;

	if (!bytes || length < sizeof(head))
		return error_set(err, "the second process ended before it had measured anything");
	memcpy(&head, bytes, sizeof(head));
	if (head.status < 0) {
		err->status = head.remainder;
		return error_set(err, "%s", bytes + sizeof(head));
	}
	text.text = bytes + sizeof(head);
	text.length = length - sizeof(head);
	if (session_read_text(result, &text, arena, err) < 0)
		return -1;
	result->interrupted_by = head.remainder;
	return 0;
}

int pair_process_finish(struct measurement *result, const struct pair_process *apart, struct arena *arena,
			struct error *err)
{
	size_t length;
	char *bytes = read_all(apart->channel, &length);
	int status = take_answer(result, bytes, length, arena, err);

	free(bytes);
	close(apart->channel);
	waitpid(apart->pid, NULL, 0);
	return status;
}

/* ---- what is not measured ---- */

int pair_run_silently(const struct program *program, struct input *input, size_t number, int *cut_by, struct error *err)
{
	struct program silent = *program;
	struct count_run ended;
	struct signals signals;
	struct plain_run run = { .program = &silent, .signals = &signals, .input = input, .number = number };
	struct child child;
	int result;

	silent.is_output_hidden = true;
	silent.is_output_shown = false;
	if (signals_hold(&signals, err) < 0)
		return -1;
	result = plain_run(&child, &ended, &run, err);
	if (!*cut_by)
		*cut_by = signals.number;
	signals_release(&signals);
	return result < 0 ? -1 : ended.status;
}

int pair_prepare(const char *command, int *cut_by, struct arena *arena, struct error *err)
{
	char *script = command ? arena_printf(arena, "exec < /dev/null\n%s", command) : NULL;
	char *const words[] = { arena_strdup(arena, "sh"), arena_strdup(arena, "-c"), script, NULL };
	struct program shell = { .argv = words };
	struct input none;
	int status;

	if (!command || *cut_by)
		return 0;
	if (program_find(&shell.path, "sh", arena, err) < 0)
		return -1;
	input_init(&none, 1);
	status = pair_run_silently(&shell, &none, 0, cut_by, err);
	input_release(&none);
	if (status > 0 && !*cut_by)
		return error_set(err, "compare: {prepare} '%s' ended with exit status %d", command, status);
	return status < 0 ? -1 : 0;
}
