/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/selection.h"

#include <fnmatch.h>

#include "cpu/load/select.h"
#include "engine/reports.h"

static struct select_request selected_by(const struct request *request)
{
	const struct question *asked = request->question;

	return (struct select_request){ asked->nodes, asked->groups, asked->metrics, asked->level,
					asked->wants_causes };
}

unsigned wanted_level(const struct request *request)
{
	const struct select_request selected = selected_by(request);

	return request->question->level || is_selecting(&selected) ? request->question->level : 1;
}

static int check_computable(const struct selection *selection, const struct model *model, struct error *err)
{
	const struct metric *first = &model->metrics[selection->items[0]];

	for (size_t i = 0; i < selection->count; i++)
		if (!model->metrics[selection->items[i]].failure)
			return 0;
	return error_set(err, "nothing that was asked for can be computed on %s: %s %s", model->cpu, first->title,
			 first->failure);
}

/* Memory, its latency, where it is, input and output, energy and sleep: what a look at a whole machine begins with. */
static const char *const of_machine[] = {
	"memory_bandwidth_*",
	"*dram_bw_use",
	"*mem_read_latency",
	"llc_*_read_*miss_latency",
	"numa_reads_*_remote_dram",
	"io_bandwidth_read",
	"io_bandwidth_write",
	"upi_data_transmit_bw",
	"qpi_data_transmit_bw",
	"*system_power",
	"c?_*_residency",
	"c10_pkg_residency",
	"uncore_freq*",
	"umc_mem_*bandwidth",
	"umc_data_bus_utilization",
	"l3_read_miss_latency*",
	"nps1_die_to_dram",
	"all_remote_links_outbound",
};

static bool is_countable(const struct model *model, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (model->events.events[metric->events[i]].absent)
			return false;
	return !metric->failure;
}

static bool is_wanted_of_machine(const struct model *model, const struct metric *metric)
{
	if (!metric->is_of_machine || metric->reads_core || !is_countable(model, metric))
		return false;
	for (size_t i = 0; i < COUNT_OF(of_machine); i++)
		if (fnmatch(of_machine[i], metric->name, FNM_CASEFOLD) == 0)
			return true;
	return false;
}

/* Where all CPUs are counted, what belongs to none of them is counted too, as far as this machine can. */
static void want_machine(struct plan_request *planned, const struct model *model, const struct request *request)
{
	size_t *numbers;

	if (!request->setup->subject.is_all_cpus)
		return;
	numbers = arena_array(request->arena, model->count + 1, sizeof(*numbers));
	for (size_t i = 0; i < model->count; i++)
		if (is_wanted_of_machine(model, &model->metrics[i]))
			numbers[planned->nbeside++] = i;
	planned->beside = numbers;
}

int selection_fill(struct plan_request *planned, const struct model *model, const struct request *request,
		   struct error *err)
{
	struct select_request asked = selected_by(request);
	struct selection selection;

	planned->level = request->question->level ? request->question->level : 1;
	if (!is_selecting(&asked)) {
		want_machine(planned, model, request);
		return 0;
	}
	if (select_metrics(&selection, model, &asked, request->arena, err) < 0 ||
	    check_computable(&selection, model, err) < 0)
		return -1;
	planned->level = selection.level;
	planned->wanted = selection.items;
	planned->nwanted = selection.count;
	return 0;
}

static void warn(const char *cpu, const struct error *why, const struct request *request)
{
	request_notice(request, NOTICE_WARNING, "%s is left out: %s", cpu, why->text);
}

/* Types stay where they are in memory, because their models refer to them: the list is a new one. */
int selection_types(struct target_types *types, const struct request *request, struct error *err)
{
	struct target_types kept = { .items = arena_array(request->arena, types->count, sizeof(*kept.items)) };
	struct error *errors = arena_array(request->arena, types->count, sizeof(*errors));

	for (size_t i = 0; i < types->count; i++) {
		struct plan_request planned = { .level = 0 };

		if (selection_fill(&planned, &types->items[i].model, request, &errors[i]) == 0)
			kept.items[kept.count++] = types->items[i];
	}
	if (!kept.count)
		return error_set(err, "%s", errors[0].text);
	for (size_t i = 0; i < types->count; i++)
		if (is_error(&errors[i]))
			warn(types->items[i].cpu, &errors[i], request);
	*types = kept;
	return 0;
}

static int check_part(const struct counts *counts, const struct model *model, struct arena *arena, struct error *err)
{
	const struct question *asked = &counts->question;
	struct select_request request = { asked->nodes, asked->groups, asked->metrics, asked->level,
					  asked->wants_causes };
	struct selection selection;

	return is_selecting(&request) ? select_metrics(&selection, model, &request, arena, err) : 0;
}

int selection_parts(struct measurement *measured, const struct target_types *types, const struct request *request,
		    struct error *err)
{
	struct error *errors = arena_array(request->arena, measured->count + 1, sizeof(*errors));
	size_t count = 0;

	for (size_t i = 0; i < measured->count; i++)
		if (check_part(&measured->parts[i], &target_of(types, &measured->parts[i])->model, request->arena,
			       &errors[i]) == 0)
			count++;
	if (!count)
		return error_set(err, "%s", errors[0].text);
	count = 0;
	for (size_t i = 0; i < measured->count; i++) {
		const struct origin *origin = &measured->parts[i].origin;

		if (is_error(&errors[i]))
			warn(origin->part ? origin->part : origin->cpu, &errors[i], request);
		else
			measured->parts[count++] = measured->parts[i];
	}
	measured->count = count;
	return 0;
}
