/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/symbol_answer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/cells.h"
#include "common/base/text.h"

#define FIRST_SLOTS 256
#define ELLIPSIS    "..."

static const char magic[8] = "answers";

/* In front of the frames, their places' numbers, and the texts. Both ends are the same program. */
struct header {
	char magic[sizeof(magic)];
	uint32_t state, ntexts;
	uint64_t nframes, nbytes;
};

void answer_init(struct answer *answer, struct arena *arena)
{
	*answer = (struct answer){ .arena = arena, .texts = STRING_INIT(arena) };
}

/* ---- texts ---- */

const char *answer_text_of(const struct answer *answer, uint32_t number)
{
	return number == ANSWER_NO_TEXT ? NULL : answer->texts.text + answer->starts[number - 1];
}

/* FNV-1a. */
static size_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return (size_t)(hash ^ hash >> 32);
}

/* Of the text, or free. */
static size_t answer_slot_of(const struct answer *answer, const char *text)
{
	size_t slot = hash_of(text) & (answer->nslots - 1);

	while (answer->slots[slot] && compare_texts(answer_text_of(answer, answer->slots[slot]), text) != 0)
		slot = (slot + 1) & (answer->nslots - 1);
	return slot;
}

static void grow_slots(struct answer *answer)
{
	answer->nslots = answer->nslots ? 2 * answer->nslots : FIRST_SLOTS;
	answer->slots = arena_array(answer->arena, answer->nslots, sizeof(*answer->slots));
	for (uint32_t number = 1; number <= answer->ntexts; number++)
		answer->slots[answer_slot_of(answer, answer_text_of(answer, number))] = number;
}

/* Is there nothing to change in it? */
static bool is_fine(const char *text)
{
	const char *at = text;
	uint32_t code;

	for (; *at && at - text <= (ptrdiff_t)ANSWER_MOST_TEXT; at += utf8_next(at, &code))
		if ((unsigned char)*at >= 0x80) {
			utf8_next(at, &code);
			if (code == UTF8_INVALID)
				return false;
		}
	return !*at && at - text <= (ptrdiff_t)ANSWER_MOST_TEXT;
}

static const char *repaired(struct arena *arena, const char *text)
{
	struct string fine = STRING_INIT(arena);
	uint32_t code;

	while (*text && fine.length < ANSWER_MOST_TEXT - sizeof(ELLIPSIS) - sizeof("\\x00")) {
		size_t length = utf8_next(text, &code);

		if (code == UTF8_INVALID)
			string_printf(&fine, "\\x%02x", (unsigned char)*text);
		else
			string_addn(&fine, text, length);
		text += length;
	}
	if (*text)
		string_add(&fine, ELLIPSIS);
	return fine.text;
}

uint32_t answer_text(struct answer *answer, const char *text)
{
	size_t slot;

	if (!text || !*text)
		return ANSWER_NO_TEXT;
	if (!is_fine(text))
		text = repaired(answer->arena, text);
	if (2 * (answer->ntexts + 1) > answer->nslots)
		grow_slots(answer);
	slot = answer_slot_of(answer, text);
	if (answer->slots[slot])
		return answer->slots[slot];
	answer->starts =
		arena_grow(answer->arena, answer->starts, answer->ntexts, &answer->start_room, sizeof(*answer->starts));
	answer->starts[answer->ntexts] = answer->texts.length;
	string_addn(&answer->texts, text, strlen(text) + 1);
	answer->slots[slot] = (uint32_t)++answer->ntexts;
	return answer->slots[slot];
}

/* ---- frames ---- */

bool answer_add(struct answer *answer, uint32_t place, const struct answer_frame *frame)
{
	size_t number = answer->nframes, first = number;

	while (first && answer->places[first - 1] == place)
		first--;
	if (number - first >= ANSWER_MOST_FRAMES)
		return false;
	answer->frames =
		arena_grow(answer->arena, answer->frames, number, &answer->frame_room, sizeof(*answer->frames));
	answer->places =
		arena_grow(answer->arena, answer->places, number, &answer->place_room, sizeof(*answer->places));
	answer->frames[number] = *frame;
	answer->frames[number].more = 0;
	answer->places[number] = place;
	for (size_t i = first; i < number; i++)
		answer->frames[i].more++;
	answer->nframes++;
	return true;
}

/* ---- through the pipe ---- */

static int write_whole(int descriptor, const void *bytes, size_t length)
{
	const char *at = bytes;

	while (length) {
		ssize_t written = write(descriptor, at, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return -1;
		at += written;
		length -= (size_t)written;
	}
	return 0;
}

int answer_write(const struct answer *answer, int descriptor)
{
	struct header header = { .state = (uint32_t)answer->state,
				 .ntexts = (uint32_t)answer->ntexts,
				 .nframes = answer->nframes,
				 .nbytes = answer->texts.length };

	memcpy(header.magic, magic, sizeof(magic));
	if (write_whole(descriptor, &header, sizeof(header)) < 0 ||
	    write_whole(descriptor, answer->frames, answer->nframes * sizeof(*answer->frames)) < 0 ||
	    write_whole(descriptor, answer->places, answer->nframes * sizeof(*answer->places)) < 0)
		return -1;
	return write_whole(descriptor, answer->texts.text, answer->texts.length);
}

/* What came, its parts found and checked. */
struct reading {
	struct header header;
	const unsigned char *frames, *places;
	const char *bytes;
	const char **texts; /* [ntexts + 1], the first is NULL; in the profile's arena */
};

static struct answer_frame frame_at(const struct reading *reading, uint64_t number)
{
	struct answer_frame frame;

	memcpy(&frame, reading->frames + number * sizeof(frame), sizeof(frame));
	return frame;
}

static uint32_t place_at(const struct reading *reading, uint64_t number)
{
	uint32_t place;

	memcpy(&place, reading->places + number * sizeof(place), sizeof(place));
	return place;
}

/* False: the parts are not as long as all of it. */
static bool find_parts(struct reading *reading, const void *bytes, size_t length)
{
	const size_t each = sizeof(struct answer_frame) + sizeof(uint32_t);
	const unsigned char *at = bytes;
	size_t left = length;

	if (left < sizeof(reading->header))
		return false;
	memcpy(&reading->header, at, sizeof(reading->header));
	left -= sizeof(reading->header);
	if (memcmp(reading->header.magic, magic, sizeof(magic)) != 0 || reading->header.state >= ANSWER_STATES ||
	    reading->header.nframes > left / each ||
	    reading->header.nbytes != left - (size_t)reading->header.nframes * each)
		return false;
	reading->frames = at + sizeof(reading->header);
	reading->places = reading->frames + (size_t)reading->header.nframes * sizeof(struct answer_frame);
	reading->bytes = (const char *)reading->places + (size_t)reading->header.nframes * sizeof(uint32_t);
	return true;
}

/* Each text ends, none is empty, too long or no UTF-8, and together they are all bytes. */
static bool are_texts_sound(const struct reading *reading)
{
	const char *at = reading->bytes, *end = at + reading->header.nbytes;
	uint64_t count = 0;

	if (at == end)
		return !reading->header.ntexts;
	if (end[-1])
		return false;
	for (; at < end; at += strlen(at) + 1, count++)
		if (!*at || !is_fine(at))
			return false;
	return count == reading->header.ntexts;
}

/* Places rise, are among those that were asked for, and each place's frames count down. */
static bool are_frames_sound(const struct reading *reading, size_t count)
{
	for (uint64_t i = 0; i < reading->header.nframes; i++) {
		struct answer_frame frame = frame_at(reading, i), before = { .more = 0 };
		uint32_t place = place_at(reading, i);

		if (i)
			before = frame_at(reading, i - 1);
		if (place >= count || frame.function > reading->header.ntexts || frame.file > reading->header.ntexts ||
		    frame.more >= ANSWER_MOST_FRAMES || frame.more >= reading->header.nframes - i)
			return false;
		if (before.more ? place != place_at(reading, i - 1) || frame.more + 1 != before.more
				: i && place <= place_at(reading, i - 1))
			return false;
	}
	return true;
}

static void copy_texts(struct reading *reading, struct arena *arena)
{
	char *copied = arena_alloc(arena, (size_t)reading->header.nbytes + 1);

	memcpy(copied, reading->bytes, (size_t)reading->header.nbytes);
	reading->texts = arena_array(arena, (size_t)reading->header.ntexts + 1, sizeof(*reading->texts));
	for (uint32_t i = 1; i <= reading->header.ntexts; i++, copied += strlen(copied) + 1)
		reading->texts[i] = copied;
}

static void answer_fill(struct profile_frame *frames, const struct reading *reading, uint64_t first, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct answer_frame frame = frame_at(reading, first + i);

		frames[i] = (struct profile_frame){ .function = reading->texts[frame.function],
						    .file = reading->texts[frame.file],
						    .line = frame.line,
						    .begin = frame.begin,
						    .size = frame.size };
	}
}

int answer_read(struct profile *profile, const struct answer_places *asked, const void *bytes, size_t length,
		enum answer_state *state)
{
	struct reading reading = { .texts = NULL };
	uint64_t i = 0;

	if (!find_parts(&reading, bytes, length) || !are_texts_sound(&reading) ||
	    !are_frames_sound(&reading, asked->count))
		return -1;
	copy_texts(&reading, profile->arena);
	while (i < reading.header.nframes) {
		struct profile_place *place = &profile->places[asked->numbers[place_at(&reading, i)]];

		place->nframes = (size_t)frame_at(&reading, i).more + 1;
		place->frames = arena_array(profile->arena, place->nframes, sizeof(*place->frames));
		answer_fill(place->frames, &reading, i, place->nframes);
		i += place->nframes;
	}
	*state = (enum answer_state)reading.header.state;
	return 0;
}
