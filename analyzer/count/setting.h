/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setting.h - a setting of the kernel, changed because the user asked for it, and as it was before however topdown ends: a
 * process of its own keeps watch, and sees when topdown is gone.
 */
#ifndef TOPDOWN_SETTING_H
#define TOPDOWN_SETTING_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct setting {
	pid_t guard; /* the process that restores it; 0: nothing was changed */
	int alarm;   /* pipe: its end tells the guard that topdown is gone */
};

/*
 * Writes text, one short word, to the file. What says so already is left alone. -1 and err without the right to change it,
 * or when the kernel does not do it.
 */
int setting_change(struct setting *setting, const char *path, const char *text, struct error *err) MUST_CHECK;

/* As it was before; returns when that is done. */
void setting_restore(struct setting *setting);

#endif
