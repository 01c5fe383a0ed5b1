/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sheet.h - rows of text in CSV or in a Markdown table. */
#ifndef TOPDOWN_SHEET_H
#define TOPDOWN_SHEET_H

#include "render/page.h"

/* Quoted as in RFC 4180, but UTF-8 whatever the style and lines that end as on this system. NULL is an empty field. */
void csv_row(const struct page *page, const char *const *fields, size_t count);

/* A row of a Markdown table; what would be markup is escaped. NULL is an empty cell. */
void markdown_row(const struct page *page, const char *const *fields, size_t count);
/* The line below the table's head; columns with right[i] are right-aligned. */
void markdown_rule(const struct page *page, const bool *right, size_t count);

/* Text outside of tables, and text as code, whatever backquotes it has. */
const char *markdown_text(const struct page *page, const char *text);
const char *markdown_code(const struct page *page, const char *text);

#endif
