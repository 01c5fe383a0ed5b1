/* SPDX-License-Identifier: GPL-2.0-or-later */
/* caches.h - the caches of the first CPU, as sysfs tells them (Documentation/ABI/testing/sysfs-devices-system-cpu). */
#ifndef TOPDOWN_CACHES_H
#define TOPDOWN_CACHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct cpu_cache {
	unsigned level;
	bool holds_code, holds_data;
	uint64_t kib, ways; /* 0: unknown */
};

/* Returns how many there are below sysroot; 0 where the kernel tells none. */
size_t caches_identify(struct cpu_cache **caches, const char *sysroot, struct arena *arena);

#endif
