/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variant.h - a model has variants, Intel's two forms, SMT on or off, whole cores or not: which are counts from
 * elsewhere made for?
 */
#ifndef TOPDOWN_ENGINE_VARIANT_H
#define TOPDOWN_ENGINE_VARIANT_H

#include "engine/target.h"

/*
 * Compiles the target's model in the variant of which these counts give the most of level 1, as far as neither the
 * setup nor the counts say which it is. Where they give nothing of level 1, stalls stand in (cpu/load/stalls.c).
 * counts->origin learns what was assumed. -1 when the model can't be read again.
 */
int target_suit(struct target *target, struct counts *counts, const struct request *request,
		struct error *err) MUST_CHECK;

#endif
