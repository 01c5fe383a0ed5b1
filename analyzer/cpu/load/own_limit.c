/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/load/own_limit.h"

#include <string.h>

#include "common/base/text.h"

bool is_duration(const struct metric *metric)
{
	return is_same_name(metric->domain, "Seconds") || !strcmp(metric->unit, "s");
}

bool own_limit(struct own_limit *limit, const struct model *model, const struct metric *metric)
{
	size_t number = (size_t)(metric - model->metrics), length = strlen(metric->name);
	const char *text, *end;

	if (number >= model->count || !metric->has_threshold || is_duration(metric) || !model->thresholds)
		return false;
	text = program_text(model->thresholds, number);
	text = text ? text + strspn(text, "( ") : "";
	if (!has_name_prefix(text, metric->name))
		return false;
	text += length + strspn(text + length, " ");
	if (*text != '<' && *text != '>')
		return false;
	limit->is_below = *text == '<';
	text += strspn(text, "<>= ");
	if (!text_double_prefix(text, &end, &limit->value))
		return false;
	limit->value *= metric->scale;
	end += strspn(end, " ");
	return !*end || strchr("&|)", *end) != NULL;
}
