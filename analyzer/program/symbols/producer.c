/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/symbols.h"

#ifdef TOPDOWN_DW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "program/symbols/isolate.h"

#define LIMIT_S	    1.0
#define MOST_LENGTH 1024

static int write_producer(const void *path, int out)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC), status = -1;
	Dwarf *dwarf = descriptor >= 0 ? dwarf_begin(descriptor, DWARF_C_READ) : NULL;
	Dwarf_Off offset = 0, next;
	size_t header;
	Dwarf_Attribute attribute;
	Dwarf_Die die;

	if (dwarf && dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0 &&
	    dwarf_offdie(dwarf, offset + header, &die) && dwarf_attr(&die, DW_AT_producer, &attribute)) {
		const char *text = dwarf_formstring(&attribute);
		size_t length = text ? strnlen(text, MOST_LENGTH) : 0;

		status = text && write(out, text, length) == (ssize_t)length ? 0 : -1;
	}
	dwarf_end(dwarf);
	if (descriptor >= 0)
		close(descriptor);
	return status;
}

const char *program_producer(const char *path, struct arena *arena)
{
	struct isolated work = { .work = write_producer, .context = path, .limit_s = LIMIT_S, .most = MOST_LENGTH };
	struct error unknown = { .text = "" };

	if (isolate(&work, 1, arena, &unknown) < 0 || work.end != ISOLATED_DONE || !work.length)
		return NULL;
	return arena_strndup(arena, (const char *)work.answer, work.length);
}
#else
const char *program_producer(const char *path, struct arena *arena)
{
	(void)path;
	(void)arena;
	return NULL;
}
#endif
