/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "evaluate/drill.h"

#include <string.h>

#include "base/text.h"

/* Is the metric in one of these groups? Both are lists with ';'. */
static bool is_in_groups(const struct metric *metric, const char *groups)
{
	const char *wanted, *own;
	size_t length, own_length;

	while ((length = text_next(&groups, ";", &wanted)) > 0)
		for (const char *list = metric->groups; (own_length = text_next(&list, ";", &own)) > 0;)
			if (own_length == length && !memcmp(own, wanted, length))
				return true;
	return false;
}

/* Is the metric what is looked at next, below this node? */
static bool is_below(const struct metric *metric, const struct metric *node, const struct report *report)
{
	if (metric->level)
		return metric->parent != NO_PARENT && &report->model->metrics[metric->parent] == node;
	return is_in_groups(metric, node->next_groups);
}

static bool is_below_bottleneck(const struct metric *metric, const struct report *report)
{
	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].is_bottleneck && is_below(metric, report->nodes[i].metric, report))
			return true;
	return false;
}

size_t drill_next(size_t *items, bool *taken, const struct report *report, unsigned deepest)
{
	const struct model *model = report->model;
	size_t count = 0;

	for (size_t i = 0; i < model->count; i++) {
		const struct metric *metric = &model->metrics[i];

		if (taken[i] || metric->failure || metric->level > deepest || deepest < 2 ||
		    !is_below_bottleneck(metric, report))
			continue;
		taken[i] = true;
		items[count++] = i;
	}
	return count;
}
