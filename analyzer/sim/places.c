/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/places.h"

#include "sim/memory.h"

#define FIRST_ROWS  1024 /* powers of two */
#define MOST_ROWS   (1u << 22)
#define FIRST_TEXTS 1024
#define MOST_PATH   4096

static void make_room(struct places *places)
{
	struct attribution *attribution = places->attribution;
	UInt before = attribution->capacity, after = before ? 2 * before : FIRST_ROWS;

	places->rows = VG_(realloc)("topdown", places->rows, after * sizeof(*places->rows));
	attribution->rows = VG_(realloc)("topdown", attribution->rows, after * sizeof(*attribution->rows));
	VG_(memset)(attribution->rows + before, 0, (after - before) * sizeof(*attribution->rows));
	attribution->capacity = after;
}

void places_init(struct places *places, struct attribution *attribution)
{
	*places = (struct places){ .attribution = attribution, .count = 1, .texts_size = FIRST_TEXTS };
	places->texts = sim_allocate(FIRST_TEXTS, sizeof(*places->texts));
	make_room(places);
}

/* ---- texts ---- */

/* FNV-1a (Fowler, Noll, Vo) */
static UInt hash_text(const HChar *text)
{
	UInt hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (UChar)*text) * 16777619u;
	return hash;
}

/* Where the text is, or is to be put. */
static UInt find_text(const struct places *places, const HChar *text)
{
	UInt at = hash_text(text) & (places->texts_size - 1);

	while (places->texts[at] && VG_(strcmp)(places->texts[at], text) != 0)
		at = (at + 1) & (places->texts_size - 1);
	return at;
}

static void grow_texts(struct places *places)
{
	const HChar **before = places->texts;
	UInt size = places->texts_size;

	places->texts_size = 2 * size;
	places->texts = sim_allocate(places->texts_size, sizeof(*places->texts));
	for (UInt i = 0; i < size; i++)
		if (before[i])
			places->texts[find_text(places, before[i])] = before[i];
	VG_(free)(before);
}

/* Control characters would end a line or a field of the output. */
static const HChar *keep_text(struct places *places, const HChar *text)
{
	HChar safe[MOST_PATH];
	UInt length = 0, at;

	if (!text || !*text)
		return NULL;
	for (; text[length] && length < sizeof(safe) - 1; length++)
		safe[length] = (UChar)text[length] < ' ' ? '?' : text[length];
	safe[length] = '\0';
	if (2 * places->ntexts >= places->texts_size)
		grow_texts(places);
	at = find_text(places, safe);
	if (!places->texts[at]) {
		places->texts[at] = VG_(strdup)("topdown", safe);
		places->ntexts++;
	}
	return places->texts[at];
}

/* ---- places ---- */

static const HChar *keep_path(struct places *places, const HChar *directory, const HChar *file)
{
	HChar path[MOST_PATH];

	if (!directory || !*directory || file[0] == '/' ||
	    VG_(strlen)(directory) + VG_(strlen)(file) + 2 > sizeof(path))
		return keep_text(places, file);
	VG_(sprintf)(path, "%s/%s", directory, file);
	return keep_text(places, path);
}

/* Each answer is kept before the next question, which may overwrite it. */
static struct place look_up(struct places *places, Addr address)
{
	DiEpoch now = VG_(current_DiEpoch)();
	const HChar *text, *directory = NULL;
	struct place place = { .line = 0 };

	if (VG_(get_filename_linenum)(now, address, &text, &directory, &place.line))
		place.file = keep_path(places, directory, text);
	if (!place.file)
		place.line = 0;
	if (VG_(get_fnname)(now, address, &text))
		place.function = keep_text(places, text);
	if (VG_(get_objname)(now, address, &text))
		place.object = keep_text(places, text);
	return place;
}

static Bool is_same(const struct place *a, const struct place *b)
{
	return a->line == b->line && a->function == b->function && a->file == b->file && a->object == b->object;
}

/* Where the place's number is in the index, or is to be put. */
static UInt find_place(const struct places *places, const struct place *place)
{
	UWord mixed = (UWord)place->function * 31 + (UWord)place->file * 17 + (UWord)place->object + place->line;
	UInt at = (UInt)(mixed * 0x9e3779b97f4a7c15ull >> 32) & (places->index_size - 1);

	while (places->index[at] && !is_same(&places->rows[places->index[at]], place))
		at = (at + 1) & (places->index_size - 1);
	return at;
}

/* Twice as large as there are rows, so that half of it stays free. */
static void grow_index(struct places *places)
{
	VG_(free)(places->index);
	places->index_size = 2 * places->attribution->capacity;
	places->index = sim_allocate(places->index_size, sizeof(*places->index));
	for (UInt i = 1; i < places->count; i++)
		places->index[find_place(places, &places->rows[i])] = i;
}

UInt places_of(struct places *places, Addr address)
{
	struct place place = look_up(places, address);
	UInt at;

	if (places->count == places->attribution->capacity && places->count < MOST_ROWS)
		make_room(places);
	if (places->index_size < 2 * places->attribution->capacity)
		grow_index(places);
	at = find_place(places, &place);
	if (!places->index[at] && places->count < places->attribution->capacity) {
		places->rows[places->count] = place;
		places->index[at] = places->count++;
	}
	return places->index[at];
}

void places_forget(struct places *places)
{
	if (places->attribution)
		VG_(memset)(places->attribution->rows, 0, places->count * sizeof(*places->attribution->rows));
}
