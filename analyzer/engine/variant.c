/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/steps.h"

/* Which of the model's events have a number. */
static const bool *find_counted(const struct model *model, const struct counts *counts, struct arena *arena)
{
	bool *is_counted = arena_array(arena, model->events.count + 1, sizeof(*is_counted));

	for (size_t i = 0; i < counts->repeats[0].count; i++) {
		const struct count *item = &counts->repeats[0].items[i];
		size_t number = event_set_find(&model->events, item->event);

		if (number != TABLE_NONE && item->state == COUNT_OK)
			is_counted[number] = true;
	}
	return is_counted;
}

/* The numbers of those that these counts have all events of, but for corrections. */
struct fit {
	size_t roots;	/* level-1 nodes */
	size_t metrics; /* of all levels */
};

static struct fit fit_of(const struct model *model, const struct counts *counts, struct arena *arena)
{
	const bool *is_counted = find_counted(model, counts, arena);
	struct fit fit = { 0 };

	for (size_t i = 0; i < model->count; i++)
		fit.metrics += metric_is_computable(&model->metrics[i], is_counted);
	for (size_t i = 0; i < model->nnodes; i++)
		fit.roots += model->metrics[i].level == 1 && metric_is_computable(&model->metrics[i], is_counted);
	return fit;
}

static size_t all_roots(const struct model *model)
{
	size_t roots = 0;

	for (size_t i = 0; i < model->nnodes; i++)
		roots += model->metrics[i].level == 1;
	return roots;
}

struct variant {
	enum model_form form;
	double smt_on, core_wide;
};

#define MOST_VARIANTS 6 /* both forms, with SMT in two ways and without */

static struct variant variant_of(const struct model *model)
{
	return (struct variant){ .form = model->form,
				 .smt_on = model->facts.smt_on,
				 .core_wide = model->facts.core_wide };
}

static bool is_same_machine(const struct variant *a, const struct variant *b)
{
	return a->form == b->form && a->smt_on == b->smt_on;
}

static int variant_compile(struct target *target, const struct variant *variant, const struct counts *counts,
			   const struct request *request, struct error *err)
{
	struct variant now = variant_of(&target->model);

	if (is_same_machine(&now, variant) && now.core_wide == variant->core_wide)
		return 0;
	target->model.facts.smt_on = variant->smt_on;
	target->model.facts.core_wide = variant->core_wide;
	return target_take_form(target, variant->form, counts->question.events, request, err);
}

/* Whole cores have formulas for both; what a program's part would be of whole cores' events, nobody knows. */
static bool is_core_open(const struct model *model, const struct origin *origin)
{
	return origin->is_flat && origin->cores != CORES_SHARED && model->facts.smt_on == 1 && model->has_shared_slots;
}

/*
 * What is open, the likeliest first: the form of this machine or CPU, with SMT, is what most counts are. Without SMT a
 * core has one thread, and so one formula.
 */
static size_t list_variants(struct variant variants[MOST_VARIANTS], const struct target *target,
			    const struct counts *counts, const struct request *request)
{
	const struct model *model = &target->model;
	bool is_form_open =
		request->setup->machine.form == FORM_CHOICE_AUTO && !counts->origin.form && model->has_forms;
	bool is_smt_open =
		counts->origin.is_flat && !counts->origin.has_smt && !target->has_machine && model->facts.smt_on != 0;
	bool is_core_wide_open = is_core_open(model, &counts->origin);
	struct variant first = variant_of(model);
	size_t count = 0;

	if (is_core_wide_open)
		first.core_wide = counts->origin.cores == CORES_WHOLE;
	for (int smt_off = 0; smt_off <= is_smt_open; smt_off++)
		for (int way = 0; way <= (is_core_wide_open && !smt_off); way++)
			for (int other = 0; other <= is_form_open; other++) {
				struct variant *variant = &variants[count++];

				*variant = first;
				if (other)
					variant->form = first.form == FORM_GENERAL ? FORM_PERF_METRICS : FORM_GENERAL;
				if (smt_off)
					variant->smt_on = 0;
				if (way)
					variant->core_wide = first.core_wide == 0;
			}
	return count;
}

/* Deeper nodes decide only between formulas for the same machine. */
static bool variant_is_better(const struct fit *fit, const struct variant *variant, const struct fit *best_fit,
			      const struct variant *best)
{
	return fit->roots > best_fit->roots ||
	       (fit->roots == best_fit->roots && is_same_machine(variant, best) && fit->metrics > best_fit->metrics);
}

static void note_guesses(struct origin *origin, const struct variant *best, const struct variant *first)
{
	origin->is_smt_guessed = origin->is_flat && best->smt_on == 0 && first->smt_on != 0;
	if (origin->is_smt_guessed)
		origin->facts.smt_on = 0;
	origin->is_core_wide_guessed = origin->cores == CORES_UNSAID && best->core_wide == 1 && first->core_wide == 0;
	if (origin->is_core_wide_guessed)
		origin->facts.core_wide = 1;
}

static int take_variant(struct target *target, struct counts *counts, const struct request *request, struct error *err)
{
	struct variant variants[MOST_VARIANTS], best;
	size_t count = list_variants(variants, target, counts, request);
	struct fit most;

	if (count == 1)
		return 0;
	if (variant_compile(target, &variants[0], counts, request, err) < 0)
		return -1;
	most = fit_of(&target->model, counts, request->arena);
	best = variants[0];
	for (size_t i = 1; i < count && most.roots < all_roots(&target->model); i++) {
		struct fit fit;

		if (variant_compile(target, &variants[i], counts, request, err) < 0)
			return -1;
		fit = fit_of(&target->model, counts, request->arena);
		if (variant_is_better(&fit, &variants[i], &most, &best)) {
			most = fit;
			best = variants[i];
		}
	}
	note_guesses(&counts->origin, &best, &variants[0]);
	return variant_compile(target, &best, counts, request, err);
}

int target_suit(struct target *target, struct counts *counts, const struct request *request, struct error *err)
{
	if (take_variant(target, counts, request, err) < 0)
		return -1;
	return target_take_stalls(target, find_counted(&target->model, counts, request->arena), &counts->question,
				  request, err);
}
