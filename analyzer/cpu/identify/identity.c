/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/identify/identity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/embedded.h"
#include "cpu/identify/sysfile.h"

/* machine-id(5) asks for a hash that is the application's own. 64 of its 128 bits are left. */
static const char *hashed(const char *id, struct arena *arena)
{
	const char *text = arena_printf(arena, "topdown history %s", id);

	return arena_printf(arena, "%016" PRIx64, content_hash(text, strlen(text)));
}

static const char *machine_of(const struct sysfiles *files, struct arena *arena)
{
	const char *named = getenv("TOPDOWN_MACHINE"), *id, *host;

	if (named && *named)
		return named;
	id = sysfile_read(files, "etc/machine-id");
	if (!id || !*id)
		id = sysfile_read(files, "var/lib/dbus/machine-id");
	if (id && *id && strcmp(id, "uninitialized") != 0)
		return hashed(id, arena);
	host = sysfile_read(files, "proc/sys/kernel/hostname");
	return host && *host ? host : "unknown";
}

struct identity identity_of(const char *sysroot, struct arena *arena)
{
	const struct sysfiles files = sysfiles_below(sysroot, arena);
	const char *cpuinfo = sysfile_read(&files, "proc/cpuinfo");

	return (struct identity){ .machine = machine_of(&files, arena),
				  .microcode = cpuinfo ? sysfile_field(cpuinfo, "microcode", arena) : NULL };
}
