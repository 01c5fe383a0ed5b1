/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/lines.h"

#include <string.h>

#include "render/human.h"

#define MOST	      10 /* rows of a table; the others are summed up in a line */
#define MOST_VERBOSE  100
#define LEAST	      0.5 /* percent of a row, other than the first */
#define LEAST_VERBOSE 0.05

struct lines_list lines_list(const struct page *page, const struct node_lines *lines, bool is_functions)
{
	bool is_verbose = page->style->is_verbose;
	size_t all = is_functions ? lines->nfunctions : lines->nlines, most = is_verbose ? MOST_VERBOSE : MOST;
	struct lines_list list = { .shares = is_functions ? lines->functions : lines->lines,
				   .is_functions = is_functions };

	while (list.count < all && list.count < most &&
	       (!list.count || list.shares[list.count].percent >= (is_verbose ? LEAST_VERBOSE : LEAST)))
		list.count++;
	list.rest = all - list.count;
	for (size_t i = list.count; i < all; i++)
		list.percent += list.shares[i].percent;
	return list;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *lines_where(const struct page *page, const struct lines_list *list, const struct line_share *share)
{
	const struct source_line *line = share->line;

	if (!list->is_functions && line->line && line->file)
		return arena_printf(page->arena, "%s:%zu", page->style->is_verbose ? line->file : base_name(line->file),
				    line->line);
	return line->object ? arena_printf(page->arena, "[%s]", base_name(line->object)) : "[no file]";
}

const char *lines_function(const struct line_share *share)
{
	return share->line->function ? share->line->function : "(no name)";
}

const char *lines_rest(const struct page *page, const struct lines_list *list)
{
	if (!list->rest)
		return "";
	return arena_printf(page->arena, "and %zu more %s%s: %s %%", list->rest,
			    list->is_functions ? "function" : "line", list->rest == 1 ? "" : "s",
			    human_fixed(page->arena, list->percent, 1));
}
