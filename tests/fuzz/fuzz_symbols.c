/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_symbols.c - what strangers' files can do to topdown itself. Bytes that begin as an ELF file go the whole way:
 * the program's own reading of the build-id, then names, in a process that libdw may crash, which costs names only.
 * Other bytes are taken for the answer of such a process. libdw's code is not searched: what it does is contained.
 */
#include "memfile.h"

#include <elf.h>
#include <string.h>

#include "program/symbols/build_id.h"
#include "program/symbols/symbol_answer.h"
#include "program/symbols/symbols.h"

#define FIRST 0x401000 /* where the corpus' file has its code */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PLACES = 64 };

static void check(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->nplaces; i++) {
		const struct profile_place *place = &profile->places[i];

		if (place->nframes > ANSWER_MOST_FRAMES)
			abort();
		for (size_t k = 0; k < place->nframes; k++)
			if ((place->frames[k].function && strlen(place->frames[k].function) > ANSWER_MOST_TEXT) ||
			    (place->frames[k].file && strlen(place->frames[k].file) > ANSWER_MOST_TEXT))
				abort();
	}
}

static void make_profile(struct profile *profile, struct arena *arena, const char *path, uint32_t *numbers)
{
	profile_init(profile, arena);
	(void)profile_module(profile, &(struct profile_module){ .kind = MODULE_FILE, .path = path });
	for (uint32_t i = 0; i < PLACES; i++)
		numbers[i] = profile_place(profile, 0, FIRST + i);
}

static void read_file(struct arena *arena, const uint8_t *data, size_t size)
{
	const struct symbol_request request = { .sysroot = "", .search = "/nowhere", .limit_s = 1 };
	struct error err = { .text = "" };
	struct elf_identity identity;
	struct profile profile;
	uint32_t numbers[PLACES];
	struct memfile file;

	memfile_open(&file, data, size);
	if (elf_identify(&identity, file.fd) && strlen(identity.build_id) > (size_t)2 * BUILD_ID_MOST)
		abort();
	make_profile(&profile, arena, file.path, numbers);
	if (symbols_resolve(&profile, &request, &err) < 0)
		abort();
	check(&profile);
	memfile_close(&file);
}

static void read_answer(struct arena *arena, const uint8_t *data, size_t size)
{
	enum answer_state state = ANSWER_STATES;
	struct profile profile;
	uint32_t numbers[PLACES];

	make_profile(&profile, arena, "/bin/a", numbers);
	if (answer_read(&profile, &(struct answer_places){ numbers, PLACES }, data, size, &state) == 0 &&
	    state >= ANSWER_STATES)
		abort();
	check(&profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;

	arena_init(&arena);
	if (size > SELFMAG && !memcmp(data, ELFMAG, SELFMAG))
		read_file(&arena, data, size);
	else
		read_answer(&arena, data, size);
	arena_release(&arena);
	return 0;
}
