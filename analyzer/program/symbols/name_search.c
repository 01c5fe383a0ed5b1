/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program/symbols/symbol_answer.h"

#define FIRST_ROOM  ((size_t)64 << 10)
#define MOST_ANSWER ((size_t)512 << 20)

struct name_search {
	const struct profile *profile; /* that grows */
	const struct symbol_request *request;
	struct profile named; /* of its places the first nplaces, with their names */
	uint32_t room;	      /* of these */
	uint32_t *asked;      /* those of the search that is on its way */
	size_t nasked;
	pid_t pid; /* of the process; 0: none is on its way */
	struct loop *loop;
	struct loop_descriptor pipe;
	unsigned char *bytes; /* of its answer, on the heap */
	size_t length, size;
};

struct name_search *name_search_new(const struct profile *profile, const struct symbol_request *request)
{
	struct name_search *search = arena_alloc(profile->arena, sizeof(*search));
	struct symbol_request *own = arena_alloc(profile->arena, sizeof(*own));

	*own = *request;
	*search = (struct name_search){ .profile = profile, .request = own, .named = { .arena = profile->arena } };
	return search;
}

/* ---- in the process ---- */

/* Ctrl-C is for topdown and the program, and topdown's end takes this process along. */
static void set_signals(pid_t parent)
{
	static const int others[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGTSTP };
	sigset_t none;

	for (size_t i = 0; i < COUNT_OF(others); i++)
		signal(others[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

static void add_frames(struct answer *answer, uint32_t number, const struct profile_place *place)
{
	for (size_t i = 0; i < place->nframes; i++) {
		const struct profile_frame *frame = &place->frames[i];
		const struct answer_frame added = { .begin = frame->begin,
						    .size = frame->size,
						    .function = answer_text(answer, frame->function),
						    .file = answer_text(answer, frame->file),
						    .line = frame->line };

		if (!answer_add(answer, number, &added))
			return;
	}
}

/* Places that were asked for before have frames now, or never will. */
static void leave_out_others(struct name_search *search)
{
	struct profile_frame *nobody = arena_alloc(search->named.arena, sizeof(*nobody));
	uint32_t first = search->named.nplaces - (uint32_t)search->nasked;

	for (uint32_t i = 0; i < first; i++)
		if (!search->named.places[i].nframes) {
			search->named.places[i].frames = nobody;
			search->named.places[i].nframes = 1;
		}
}

static _Noreturn void inside(struct name_search *search, int out, pid_t parent)
{
	struct error err = { .text = "" };
	struct answer answer;
	struct arena arena;

	set_signals(parent);
	arena_init(&arena);
	leave_out_others(search);
	if (symbols_resolve(&search->named, search->request, &err) < 0)
		_exit(1);
	answer_init(&answer, &arena);
	for (size_t i = 0; i < search->nasked; i++)
		add_frames(&answer, (uint32_t)i, &search->named.places[search->asked[i]]);
	_exit(answer_write(&answer, out) < 0);
}

/* ---- outside ---- */

/* It may be collected already, by whoever waits for the program's processes. */
static void collect(struct name_search *search)
{
	loop_remove(search->loop, &search->pipe);
	close(search->pipe.fd);
	if (waitpid(search->pid, NULL, WNOHANG) == 0) {
		kill(search->pid, SIGKILL);
		waitpid(search->pid, NULL, 0);
	}
	search->pid = 0;
}

static void take_answer(struct name_search *search)
{
	const struct answer_places asked = { search->asked, search->nasked };
	enum answer_state state;

	collect(search);
	if (answer_read(&search->named, &asked, search->bytes, search->length, &state) < 0)
		search->nasked = 0; /* it was given up: these places stay without names */
}

static bool name_search_make_room(struct name_search *search)
{
	size_t size = search->size ? 2 * search->size : FIRST_ROOM;
	unsigned char *grown;

	if (search->length < search->size)
		return true;
	grown = size > MOST_ANSWER ? NULL : realloc(search->bytes, size);
	if (!grown)
		return false;
	search->bytes = grown;
	search->size = size;
	return true;
}

static int bytes_are_there(void *context, struct error *err UNUSED)
{
	struct name_search *search = context;
	ssize_t got;

	if (!name_search_make_room(search)) {
		collect(search);
		return 0;
	}
	got = read(search->pipe.fd, search->bytes + search->length, search->size - search->length);
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (got <= 0)
		take_answer(search);
	else
		search->length += (size_t)got;
	return 0;
}

/* The named places become as many as the profile has; the new ones are asked for. */
static void take_new_places(struct name_search *search)
{
	const struct profile *profile = search->profile;
	struct profile *named = &search->named;
	uint32_t before = named->nplaces;

	if (profile->nplaces > search->room) {
		struct profile_place *places;

		search->room = 2 * profile->nplaces;
		places = arena_array(profile->arena, search->room, sizeof(*places));
		if (before)
			memcpy(places, named->places, before * sizeof(*places));
		named->places = places;
	}
	for (uint32_t i = before; i < profile->nplaces; i++)
		named->places[i] = profile->places[i];
	named->nplaces = profile->nplaces;
	named->modules = profile->modules;
	named->nmodules = profile->nmodules;
	free(search->asked);
	search->nasked = named->nplaces - before;
	search->asked = calloc(search->nasked + 1, sizeof(*search->asked));
	for (uint32_t i = before; search->asked && i < named->nplaces; i++)
		search->asked[i - before] = i;
}

static void name_search_start(struct name_search *search)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	search->length = 0;
	search->pid = fork();
	if (search->pid == 0)
		inside(search, ends[1], parent);
	close(ends[1]);
	if (search->pid < 0) {
		search->pid = 0;
		close(ends[0]);
		return;
	}
	search->pipe =
		(struct loop_descriptor){ .fd = ends[0], .events = POLLIN, .call = bytes_are_there, .context = search };
	loop_add(search->loop, &search->pipe);
}

void name_search_begin(struct name_search *search, struct loop *loop)
{
	if (search->pid)
		return;
	search->loop = loop;
	take_new_places(search);
	if (search->nasked && search->asked)
		name_search_start(search);
}

void name_search_wait(struct name_search *search, double seconds)
{
	double end = clock_now() + seconds, left;
	struct error ignored = { .text = "" };

	while (search->pid && (left = end - clock_now()) > 0) {
		struct pollfd ready = { .fd = search->pipe.fd, .events = POLLIN };

		if (poll(&ready, 1, (int)(left * 1e3) + 1) > 0 && bytes_are_there(search, &ignored) < 0)
			return;
	}
}

void name_search_end(struct name_search *search)
{
	if (search->pid)
		collect(search);
	free(search->bytes);
	free(search->asked);
	search->bytes = NULL;
	search->asked = NULL;
	search->nasked = search->length = search->size = 0;
}

/* ---- names around an address ---- */

/* A function whose extent is known. */
struct extent {
	uint32_t module;
	uint64_t begin, end;
	struct profile_frame *frame; /* the one that others are inlined into */
};

static int name_search_compare(const void *left, const void *right)
{
	const struct extent *a = left, *b = right;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static struct extent *find_extents(const struct name_search *search, size_t *count, struct arena *arena)
{
	struct extent *extents = arena_array(arena, (size_t)search->named.nplaces + 1, sizeof(*extents));

	*count = 0;
	for (uint32_t i = 0; i < search->named.nplaces; i++) {
		const struct profile_place *place = &search->named.places[i];
		struct profile_frame *frame = place->nframes ? &place->frames[place->nframes - 1] : NULL;

		if (frame && frame->size)
			extents[(*count)++] =
				(struct extent){ place->module, frame->begin, frame->begin + frame->size, frame };
	}
	if (*count)
		qsort(extents, *count, sizeof(*extents), name_search_compare);
	return extents;
}

/* The last that begins at the address or before it. */
static struct profile_frame *frame_around(const struct extent *extents, size_t count, const struct profile_place *place)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct extent *extent = &extents[middle];

		if (extent->module < place->module ||
		    (extent->module == place->module && extent->begin <= place->address))
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || extents[low - 1].module != place->module || place->address >= extents[low - 1].end)
		return NULL;
	return extents[low - 1].frame;
}

struct profile_place *name_search_places(const struct name_search *search, struct arena *arena)
{
	const struct profile *profile = search->profile;
	struct profile_place *places = arena_array(arena, (size_t)profile->nplaces + 1, sizeof(*places));
	size_t count;
	const struct extent *extents = find_extents(search, &count, arena);

	for (uint32_t i = 0; i < profile->nplaces; i++) {
		struct profile_frame *around;

		places[i] = i < search->named.nplaces ? search->named.places[i] : profile->places[i];
		around = places[i].nframes ? NULL : frame_around(extents, count, &places[i]);
		if (around) {
			places[i].frames = around;
			places[i].nframes = 1;
		}
	}
	return places;
}
