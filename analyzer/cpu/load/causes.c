/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/load/select.h"

#include "common/base/text.h"

#define PUBLISHED "tma_bottleneck_"

static bool find_published(bool *is_cause, const struct model *model)
{
	bool has_any = false;

	for (size_t i = model->nnodes; i < model->count; i++) {
		is_cause[i] = has_name_prefix(model->metrics[i].name, PUBLISHED);
		has_any |= is_cause[i];
	}
	return has_any;
}

static bool is_share_of_slots(const struct metric *metric)
{
	return is_same_name(metric->domain, "Slots");
}

/* Has it children, and are they shares of slots, all of them? Others do not add up to it. */
static bool is_divided(const struct model *model, size_t node)
{
	size_t children = 0;

	for (size_t i = node + 1; i < model->nnodes; i++) {
		if (model->metrics[i].parent != node)
			continue;
		if (!is_share_of_slots(&model->metrics[i]))
			return false;
		children++;
	}
	return children > 0;
}

/* Parents stand before their children: a node is in the division when what is above it is divided. */
static bool divide_tree(bool *is_cause, const struct model *model)
{
	bool has_any = false;

	for (size_t i = 0; i < model->nnodes; i++) {
		const struct metric *node = &model->metrics[i];
		bool is_reached = true;

		for (size_t up = node->parent; up != NO_PARENT; up = model->metrics[up].parent)
			is_reached &= is_divided(model, up);
		is_cause[i] = is_reached && is_share_of_slots(node) && !is_divided(model, i);
		has_any |= is_cause[i];
	}
	return has_any;
}

bool causes_find(bool *is_cause, const struct model *model)
{
	return find_published(is_cause, model) || divide_tree(is_cause, model);
}
