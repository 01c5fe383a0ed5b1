/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "identify/caches.h"

#include <string.h>

#include "base/text.h"
#include "identify/sysfile.h"

#define FOLDER "sys/devices/system/cpu/cpu0/cache"

/* "32K", "1024K"; the kernel prints no other unit. */
static uint64_t read_size(const struct sysfiles *files, const char *index, struct arena *arena)
{
	const char *text = sysfile_read(files, FOLDER "/%s/size", index);
	uint64_t kib = 0;

	if (!text || !*text || text[strlen(text) - 1] != 'K')
		return 0;
	return text_u64(arena_strndup(arena, text, strlen(text) - 1), &kib) ? kib : 0;
}

static bool read_cache(struct cpu_cache *cache, const struct sysfiles *files, const char *index, struct arena *arena)
{
	const char *type = sysfile_read(files, FOLDER "/%s/type", index);
	uint64_t level = 0;

	*cache = (struct cpu_cache){ .kib = read_size(files, index, arena) };
	if (!type || !sysfile_u64(files, &level, FOLDER "/%s/level", index))
		return false;
	cache->level = (unsigned)level;
	cache->holds_code = strcmp(type, "Data") != 0;
	cache->holds_data = strcmp(type, "Instruction") != 0;
	if (!sysfile_u64(files, &cache->ways, FOLDER "/%s/ways_of_associativity", index))
		cache->ways = 0;
	return true;
}

size_t caches_identify(struct cpu_cache **caches, const char *sysroot, struct arena *arena)
{
	struct sysfiles files = sysfiles_below(sysroot, arena);
	const char **names;
	size_t count = sysfile_list(&files, FOLDER, &names), known = 0;

	*caches = arena_array(arena, count + 1, sizeof(**caches));
	for (size_t i = 0; i < count; i++)
		if (has_name_prefix(names[i], "index") && read_cache(&(*caches)[known], &files, names[i], arena))
			known++;
	return known;
}
