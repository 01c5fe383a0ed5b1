/* SPDX-License-Identifier: GPL-2.0-or-later */
/* glossary.h - what a node means, why it hurts and what to try (models/glossary.json), written once, keyed by node name. */
#ifndef TOPDOWN_GLOSSARY_H
#define TOPDOWN_GLOSSARY_H

#include "base/arena.h"
#include "base/error.h"

struct glossary_entry {
	const char *means, *hurts, *advice; /* NULL when there are no words yet */
};

/*
 * One entry, copied to arena, without reading the rest of the file. All NULL when the name has none; -1 when the file can't be
 * read or the entry is no JSON.
 */
int glossary_read_entry(struct glossary_entry *entry, const char *path, const char *name, struct arena *arena,
			struct error *err) MUST_CHECK;

#endif
