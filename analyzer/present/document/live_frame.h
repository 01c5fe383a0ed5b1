/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_frame.h - an interval as a frame of a terminal's window: the same tree, cut to what fits, with sparklines. */
#ifndef TOPDOWN_PRESENT_DOCUMENT_LIVE_FRAME_H
#define TOPDOWN_PRESENT_DOCUMENT_LIVE_FRAME_H

#include "common/base/text.h"
#include "present/document/render.h"

struct past;

struct live_frame {
	const struct report_set *set; /* of an interval */
	const struct past *past;      /* with this interval in it (past.h) */
	size_t columns, rows;	      /* of the window */
};

/*
 * Adds its lines, at most rows of them, each of at most columns columns and with its newline. The style's width is the
 * frame's own. -1 when there is no memory.
 */
int live_frame_draw(struct string *text, const struct live_frame *frame, const struct style *style,
		    struct error *err) MUST_CHECK;

/* The same lines in another window: adds what fits of each, and of them as many as fit. */
void live_frame_cut(struct string *text, const char *lines, size_t columns, size_t rows);

#endif
