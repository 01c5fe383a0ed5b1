/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/lookup.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define DELETED " (deleted)" /* the kernel's, behind a path */

static const char *unnamed_code_base_of(const char *path, struct arena *arena)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const size_t length = strlen(base), more = sizeof(DELETED) - 1;

	return length > more && !strcmp(base + length - more, DELETED) ? arena_strndup(arena, base, length - more)
								       : base;
}

void unnamed_code_read(struct unnamed_code *code, const struct lookup *lookup, uint16_t machine, struct arena *arena)
{
	const char *path = lookup->profile->modules[lookup->module].path;
	int descriptor = lookup->path ? open(lookup->path, O_RDONLY | O_CLOEXEC) : -1;
	struct unwind_source source;

	*code = (struct unnamed_code){ .module = path ? unnamed_code_base_of(path, arena) : NULL };
	if (descriptor < 0)
		return;
	source = unwind_source_file(descriptor);
	if (!unwind_image_read(&code->image, &source, machine))
		code->image.eh.nranges = 0;
	close(descriptor);
}

void unnamed_code_release(struct unnamed_code *code)
{
	unwind_image_release(&code->image);
}

const struct cfi_range *unnamed_code_find(const struct unnamed_code *code, uint64_t address)
{
	return code->module ? cfi_range_of(&code->image.eh, address) : NULL;
}

void unnamed_code_add(const struct unnamed_code *code, const struct cfi_range *range, uint32_t place,
		      struct answer *answer)
{
	const char *name = arena_printf(answer->arena, "%s+0x%" PRIx64, code->module, range->begin);

	(void)answer_add(answer, place,
			 &(struct answer_frame){
				 .function = answer_text(answer, name), .begin = range->begin, .size = range->length });
}
