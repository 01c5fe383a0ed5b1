/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * last.h - the user's last measurement, kept so that a closer look costs no second run:
 * $XDG_STATE_HOME/topdown/last.json, or ~/.local/state/topdown/last.json.
 */
#ifndef TOPDOWN_STORE_SESSION_LAST_H
#define TOPDOWN_STORE_SESSION_LAST_H

#include <stdbool.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/measurement/counts.h"
#include "store/session/session.h"

/* Its file, which may not be there; NULL: this user has no home directory. */
const char *last_path(struct arena *arena);

/* TOPDOWN_LAST=0 switches it off. */
bool last_is_off(void);

/*
 * Where something was counted, replaces the last measurement, with mode 0600, in a directory of the user's own with
 * mode 0700. Nothing is made in the directories of other users, and no symbolic link is followed there. -1 when it
 * can't be kept: a measurement does not fail for that.
 */
int last_keep(const struct measurement *measured, struct error *err) MUST_CHECK;
int last_keep_bytes(const struct measurement *measured, struct session_bytes *made, struct error *err) MUST_CHECK;

#endif
