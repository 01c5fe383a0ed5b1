/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_values.h - the values of a run, wherever they are in the file: in its row, or in the columns of its block. */
#ifndef TOPDOWN_STORE_HISTORY_RUN_VALUES_H
#define TOPDOWN_STORE_HISTORY_RUN_VALUES_H

#include "store/history/sql.h"

/* Fills run->values, of run->id. */
int run_values_read(struct history *history, struct history_run *run, struct arena *arena,
		    struct error *err) MUST_CHECK;

/* Takes away the blocks of whose runs none is left. */
int run_values_sweep(struct history *history, struct error *err) MUST_CHECK;

#endif
