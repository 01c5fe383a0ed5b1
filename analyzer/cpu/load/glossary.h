/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glossary.h - what a node means, why it hurts and what to try (models/glossary.json),
 * written once, keyed by node name.
 */
#ifndef TOPDOWN_CPU_LOAD_GLOSSARY_H
#define TOPDOWN_CPU_LOAD_GLOSSARY_H

#include "cpu/load/database.h"
#include "cpu/load/model.h"

struct glossary_entry {
	const char *means, *hurts, *advice; /* NULL when there are no words yet */
	const char *cause;		    /* its title in the bottleneck view; NULL: the model's */
};

/*
 * The file with the words about the model's nodes and metrics: models/glossary.json, of a simulated core
 * models/glossary-sim.json. NULL and err when there is none.
 */
const char *glossary_file(const struct database *database, const struct model *model, struct arena *arena,
			  struct error *err) MUST_CHECK;

/*
 * One entry, copied to arena, without reading the rest of the file: the name's own, else that of the first of Families
 * one of whose globs matches it. All NULL when the name has none; -1 when the file can't be read or the entry is no
 * JSON.
 */
int glossary_read_entry(struct glossary_entry *entry, const char *path, const char *name, struct arena *arena,
			struct error *err) MUST_CHECK;

/* What it means, for who needs no more; NULL when path is NULL or can't be read, or the name has no words. */
const char *glossary_meaning(const char *path, const char *name, struct arena *arena) MUST_CHECK;

/*
 * Lets metrics be found under the names that other versions of the method, or Linux, have for them: path is the
 * glossary, whose Header.SameNode lists them. A list of which the model has none says nothing about it. -1 when the
 * glossary can't be read.
 */
int model_add_names(struct model *model, const char *path, struct arena *arena, struct error *err) MUST_CHECK;

#endif
