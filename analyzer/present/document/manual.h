/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manual.h - a page of the manual as text for a terminal. The page is Markdown of few kinds: headings, paragraphs,
 * lists, tables, examples, and quotes, each of which explains the line above it.
 */
#ifndef TOPDOWN_PRESENT_DOCUMENT_MANUAL_H
#define TOPDOWN_PRESENT_DOCUMENT_MANUAL_H

#include <stdio.h>

#include "common/base/arena.h"
#include "present/document/render.h"

/*
 * Lines are as wide as style says, and 80 columns at most. With has_color, words are bold or underlined by the
 * terminal's sequences. That it did not arrive is for the stream to say.
 */
void render_manual(FILE *file, const char *markdown, const struct style *style, struct arena *arena);

#endif
