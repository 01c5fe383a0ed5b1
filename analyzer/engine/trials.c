/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/simulation_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/evaluate/evaluate.h"
#include "common/base/text.h"

#define LEAST_LOST 5.0 /* percent of the slots, for a cause to be worth a simulation */
#define MOST_WORST 4   /* causes that `worst` tries */
#define MOST_WORDS 32

int trials_read_words(struct trial_choice *choice, const struct sim_core *core, const struct target *target,
		      const struct request *request, struct error *err)
{
	const struct text_choice *lists = &request->setup->simulation.what_if;

	*choice = (struct trial_choice){ .request = request, .target = target, .core = *core };
	for (unsigned i = 0; i < lists->count; i++)
		if (what_if_parse(&choice->trials, lists->items[i], core, request->arena, err) < 0)
			return -1;
	return 0;
}

/* ---- the worst ones ---- */

/* A cause, and the slots that were lost to it, in percent. */
struct loss {
	const char *word;
	double percent;
};

struct losses {
	struct loss items[MOST_WORDS];
	size_t count;
};

static void add_loss(struct losses *losses, const char *word, double percent)
{
	for (size_t i = 0; i < losses->count; i++)
		if (!strcmp(losses->items[i].word, word)) {
			losses->items[i].percent += percent;
			return;
		}
	if (losses->count < MOST_WORDS)
		losses->items[losses->count++] = (struct loss){ word, percent };
}

static int by_size(const void *a, const void *b)
{
	const struct loss *first = a, *second = b;

	return (first->percent < second->percent) - (first->percent > second->percent);
}

static void find_losses(struct losses *losses, const struct report *report)
{
	for (size_t i = 0; i < report->nnodes; i++) {
		const struct result *node = &report->nodes[i];
		const char *word = what_if_of_node(node->metric->name);

		if (word && isfinite(node->value))
			add_loss(losses, word, own_value(report->model, report->nodes, report->nnodes, node));
	}
	if (losses->count)
		qsort(losses->items, losses->count, sizeof(*losses->items), by_size);
}

/* With all nodes, whatever was asked for. */
static int evaluate_all(struct report *report, const struct trial_choice *choice, const struct counts *counts,
			struct error *err)
{
	struct counts deep = *counts;

	deep.question = (struct question){ .level = DEEPEST_LEVEL };
	return evaluate(report, &choice->target->model, &deep, choice->request->arena, err);
}

static void add_worst(struct trial_choice *choice, const struct counts *counts)
{
	struct losses losses = { .count = 0 };
	struct error err = { .text = "" };
	struct report report;
	size_t added = 0;

	if (evaluate_all(&report, choice, counts, &err) == 0)
		find_losses(&losses, &report);
	for (size_t i = 0; i < losses.count && added < MOST_WORST && losses.items[i].percent >= LEAST_LOST;
	     i++, added++)
		if (what_if_parse(&choice->trials, losses.items[i].word, &choice->core, choice->request->arena, &err) <
		    0)
			break;
	if (is_error(&err))
		request_notice(choice->request, NOTICE_WARNING, "%s", err.text);
	else if (!added)
		request_notice(choice->request, NOTICE_WARNING,
			       "{what-if} worst: no removable cause has lost %.0f %% of the slots", LEAST_LOST);
}

const struct sim_trials *trials_find(void *context, const struct counts *counts)
{
	struct trial_choice *choice = context;
	struct string names = STRING_INIT(choice->request->arena);

	if (choice->trials.wants_worst)
		add_worst(choice, counts);
	for (size_t i = 0; i < choice->trials.count; i++)
		string_printf(&names, "%s%s", i ? ", " : "", choice->trials.items[i].name);
	if (choice->trials.count)
		request_notice(choice->request, NOTICE_ACTION, "%s runs %zu more time%s ({what-if}): %s",
			       choice->request->setup->program.words[0], choice->trials.count,
			       choice->trials.count == 1 ? "" : "s", names.text);
	return &choice->trials;
}
