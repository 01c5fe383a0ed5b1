/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html.h - text inside HTML and SVG. Whatever a program, a file or a symbol is called stays text in it. */
#ifndef TOPDOWN_PRESENT_DOCUMENT_HTML_H
#define TOPDOWN_PRESENT_DOCUMENT_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "common/base/arena.h"

/*
 * Writes text as an element's content or an attribute's double-quoted value: what would be markup as entities, control
 * characters and those that turn the writing direction as escapes such as \n (cells_safe). NULL: "-".
 */
void html_text(FILE *out, const char *text, struct arena *arena);

/*
 * The page around what the drawer writes: head with styles and script, and their end. title is foreign text. With
 * explores it has the script that fills a place for exploring (explorer.js).
 */
void html_begin(FILE *out, const char *title, bool explores, struct arena *arena);
void html_end(FILE *out, bool explores);

#endif
