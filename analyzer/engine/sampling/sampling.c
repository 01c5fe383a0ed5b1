/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/sampling/sampling.h"

#include <string.h>

#include "analyse/hotspots/locating.h"
#include "collect/perf/perf.h"
#include "common/base/text.h"
#include "cpu/load/select.h"

static const struct {
	const char *name;
	enum sample_source source;
} clocks[] = { { "cpu-clock", SAMPLE_CPU_CLOCK }, { "task-clock", SAMPLE_TASK_CLOCK } };

bool is_clock_name(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(clocks); i++)
		if (!strcmp(name, clocks[i].name))
			return true;
	return false;
}

bool has_counter_events(const char **rest, const char *list, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	const char *part;
	size_t length;

	while (list && (length = text_next(&list, ",", &part)) > 0)
		if (!is_clock_name(arena_strndup(arena, part, length)))
			string_printf(&text, "%s%.*s", text.length ? "," : "", (int)length, part);
	*rest = text.length ? text.text : NULL;
	return text.length > 0;
}

/* ---- beside the counts ---- */

/* Its runs follow those that are only counted. */
static int sampling_on_open(void *context, const struct observer_sites *sites, struct error *err)
{
	struct sampling *sampling = context;
	struct observer_sites own = *sites;
	struct error refused = { .text = "" };

	if (sites->run < sampling->first_run)
		return 0;
	own.run -= sampling->first_run;
	/* What is counted beside it is not lost where nothing can be sampled: sampling_finish says why. */
	if (sampler_observe(&sampling->late, &own, sampling->is_beside ? &refused : err) < 0)
		return sampling->is_beside ? 0 : -1;
	return 0;
}

void sampling_init(struct sampling *sampling, const struct target_types *types, const struct machine *machine,
		   const struct request *request)
{
	*sampling = (struct sampling){ .request = request, .machine = machine, .ntypes = types->count };
	sampling->types = arena_array(request->arena, types->count, sizeof(*sampling->types));
	for (size_t i = 0; i < types->count; i++) {
		const struct target *target = &types->items[i];
		struct sampled_type *type = &sampling->types[i];

		type->target = target;
		if (target->model.database)
			event_set_init(&type->set, target->model.database, target->model.events.pmu,
				       target->model.events.smt_on, request->arena);
	}
	sampler_observer_init(&sampling->late);
	sampling->late.observer.open = sampling_on_open;
}

void sampling_limit(struct sampling *sampling, size_t type, const struct plan_limits *limits)
{
	sampling->types[type].limits = *limits;
	sampling->types[type].has_limits = true;
}

/* ---- which events ---- */

static bool has_model(const struct sampled_type *type)
{
	return type->target->model.database != NULL;
}

/* The core type that a hybrid's events are of. */
static const char *pmu_name(const struct sampling *sampling, size_t type)
{
	return sampling->ntypes > 1 ? sampling->types[type].target->pmu->name : NULL;
}

/* How often: as the user has it, else as the vendor has it, else the usual frequency. */
static void set_rate(struct sample_event *event, const struct sampling *sampling, uint64_t published)
{
	const struct sampling_choice *choice = &sampling->request->setup->sampling;

	event->period = choice->period;
	event->frequency = choice->frequency;
	if (!event->period && !event->frequency)
		event->period = published;
	if (!event->period && !event->frequency)
		event->frequency = USUAL_FREQUENCY;
}

static void sampling_add(struct sampling *sampling, const struct sample_event *event, size_t number)
{
	struct arena *arena = sampling->request->arena;
	size_t capacity = sampling->capacity;

	sampling->events =
		arena_grow(arena, sampling->events, sampling->nevents, &sampling->capacity, sizeof(*sampling->events));
	sampling->numbers =
		arena_grow(arena, sampling->numbers, sampling->nevents, &capacity, sizeof(*sampling->numbers));
	sampling->events[sampling->nevents] = *event;
	sampling->numbers[sampling->nevents++] = number;
}

static void add_clock(struct sampling *sampling, const char *name)
{
	struct sample_event event = { .name = clocks[0].name };

	for (size_t i = 0; i < COUNT_OF(clocks); i++)
		if (!strcmp(name, clocks[i].name)) {
			event.name = clocks[i].name;
			event.source = clocks[i].source;
		}
	set_rate(&event, sampling, 0);
	sampling_add(sampling, &event, TABLE_NONE);
}

#define MOST_BY_IBS 2 /* arch/x86/events/amd/ibs.c, forward_event_to_ibs */

/*
 * As high as the PMU goes; arm64's take any, and sample as ever. AMD's core PMU says 0, as x86_pmu_max_precise() knows
 * of PEBS only, and yet the kernel has its IBS sample what is precise.
 */
static unsigned most_precise(const struct sampling *sampling, const struct pmu *pmu)
{
	const char *cap = pmu ? pmu_cap(pmu, "max_precise") : NULL;
	uint64_t most = 3;

	if (sampling->machine->arch == ARCH_ARM64)
		return 0;
	if (machine_pmu_type("ibs_op", sampling->request->arena))
		return MOST_BY_IBS;
	return cap && text_u64(cap, &most) && most < 3 ? (unsigned)most : 3;
}

/* What can't be counted here can't be sampled either. */
static const char *hidden_events_because(const struct sampled_type *type, const char *name)
{
	const struct event_set *counted = &type->target->model.events;
	size_t number = event_set_find(counted, name);

	return number == TABLE_NONE ? NULL : counted->events[number].absent;
}

/* Is it sampled already, for another node? */
static bool is_taken(const struct sampling *sampling, size_t type, size_t number)
{
	for (size_t i = 0; i < sampling->nevents; i++)
		if (sampling->events[i].type == type && sampling->numbers[i] == number)
			return true;
	return false;
}

/* One of the database; -1 where it is not to be had. */
static int sampling_add_event(struct sampling *sampling, const char *spelling, const struct sample_event *like,
			      uint64_t published, struct error *err)
{
	struct sampled_type *type = &sampling->types[like->type];
	struct sample_event event = *like;
	size_t number = event_set_add(&type->set, spelling, err);
	const char *absent;

	if (number == TABLE_NONE)
		return event_set_suggest(&type->set, spelling, err);
	absent = hidden_events_because(type, type->set.events[number].name);
	if (absent)
		return error_set(err, "%s can't be sampled: %s", spelling, absent);
	if (type->set.events[number].kind != EVENT_CORE)
		return error_set(err, "%s can't be sampled: no counter of its own counts it", spelling);
	if (is_taken(sampling, like->type, number))
		return 0;
	event.source = SAMPLE_EVENT;
	event.pmu = pmu_name(sampling, like->type);
	if (!event.name)
		event.name = type->set.events[number].name;
	set_rate(&event, sampling, published);
	sampling_add(sampling, &event, number);
	return 0;
}

/* By the kernel's own event where the CPU is unknown. A base beside other events has the usual frequency. */
static int add_cycles(struct sampling *sampling, size_t number, bool is_base, struct error *err)
{
	const struct sampled_type *type = &sampling->types[number];
	const char *cycles = has_model(type) ? type->target->model.database->cycles : NULL;
	struct sample_event event = { .name = "cycles",
				      .type = number,
				      .source = SAMPLE_CYCLES,
				      .precise = most_precise(sampling, type->target->pmu) };
	size_t before = sampling->nevents;

	if (cycles && sampling_add_event(sampling, cycles, &event, 0, err) < 0)
		return -1;
	if (!cycles) {
		set_rate(&event, sampling, 0);
		sampling_add(sampling, &event, TABLE_NONE);
	}
	if (is_base && sampling->nevents > before && sampling->request->setup->sampling.period) {
		sampling->events[before].period = 0;
		sampling->events[before].frequency = USUAL_FREQUENCY;
	}
	return 0;
}

/* ---- topdown sample ---- */

/* Of each type that has it. */
static int add_asked(struct sampling *sampling, const char *name, struct error *err)
{
	struct error first = { .text = "" };
	size_t before = sampling->nevents;

	for (size_t i = 0; i < sampling->ntypes; i++) {
		const struct event_database *database = sampling->types[i].target->model.database;
		const struct event_row *row = database ? event_database_find(database, name) : NULL;
		const struct sample_event like = { .type = i, .precise = row ? locating_precise(database, row) : 0 };

		if (database && sampling_add_event(sampling, name, &like, row ? row->period : 0, &first) < 0)
			continue;
	}
	if (sampling->nevents == before && is_error(&first))
		return error_set(err, "%s", first.text);
	return 0;
}

/* Commas within cpu/.../ and cpu@...@ belong to the event. */
static size_t event_length(const char *list)
{
	bool is_inside = false;
	size_t length = 0;

	for (; list[length] && (is_inside || list[length] != ','); length++)
		if (list[length] == '/' || list[length] == '@')
			is_inside = !is_inside;
	return length;
}

static int choose_events(struct sampling *sampling, const char *list, struct error *err)
{
	while (*list) {
		size_t length = event_length(list);
		const char *name = arena_strndup(sampling->request->arena, list, length);

		if (is_clock_name(name))
			add_clock(sampling, name);
		else if (add_asked(sampling, name, err) < 0)
			return strstr(err->text, name) ? -1 : error_in(err, "{e} %s", name);
		list += list[length] ? length + 1 : length;
	}
	return 0;
}

/* The nodes that --nodes names, or all that it selects where it has only globs: beside groups there is no room. */
static int choose_by_name(struct sampling *sampling, size_t type, struct error *err)
{
	const struct request *request = sampling->request;
	const struct model *model = &sampling->types[type].target->model;
	const struct select_request selected = { .nodes = request->question->nodes };
	const struct metric **nodes = arena_array(request->arena, model->count + 1, sizeof(const struct metric *));
	struct selection selection;
	size_t count = 0;

	if (select_metrics(&selection, model, &selected, request->arena, err) < 0)
		return -1;
	for (size_t i = 0; i < selection.count; i++)
		if (selection.is_named[selection.items[i]])
			nodes[count++] = &model->metrics[selection.items[i]];
	if (count || sampling->is_beside)
		return sampling_choose_nodes(sampling, type, nodes, count, err);
	for (size_t i = 0; i < selection.count; i++)
		nodes[i] = &model->metrics[selection.items[i]];
	return sampling_choose_nodes(sampling, type, nodes, selection.count, err);
}

static int choose_nodes(struct sampling *sampling, struct error *err)
{
	for (size_t i = 0; i < sampling->ntypes; i++)
		if (choose_by_name(sampling, i, err) < 0)
			return -1;
	return 0;
}

static bool counts_cycles(const struct sampled_type *type)
{
	return type->target->pmu && type->target->pmu->is_real;
}

static int choose_time(struct sampling *sampling, struct error *err)
{
	for (size_t i = 0; i < sampling->ntypes; i++)
		if (counts_cycles(&sampling->types[i]) && add_cycles(sampling, i, false, err) < 0)
			return -1;
	if (!sampling->nevents)
		add_clock(sampling, clocks[0].name);
	return 0;
}

/* perf record --off-cpu calls it so. Whoever wants the kernel to add up wants no record of each switch. */
static void add_waits(struct sampling *sampling)
{
	const struct sample_event event = { .name = "offcpu-time", .source = SAMPLE_WAITS, .period = 1 };
	const struct packing_choice *packing = &sampling->request->setup->packing;

	if (packing->wants_wall && packing->by_bpf != BPF_ON)
		sampling_add(sampling, &event, TABLE_NONE);
}

int sampling_choose(struct sampling *sampling, struct error *err)
{
	const struct question *question = sampling->request->question;

	if (question->events && choose_events(sampling, question->events, err) < 0)
		return -1;
	if (question->nodes && choose_nodes(sampling, err) < 0)
		return -1;
	if (!sampling->nevents && choose_time(sampling, err) < 0)
		return -1;
	add_waits(sampling);
	return 0;
}

void sampling_choose_clock(struct sampling *sampling)
{
	add_clock(sampling, clocks[0].name);
}

/* Does a formula count something else by the same register? */
static bool is_register_shared(const struct sampling *sampling, const struct sample_event *event, size_t number)
{
	const struct sampled_type *type = &sampling->types[event->type];
	const struct event_set *counted = &type->target->model.events;
	const struct event *sampled = number == TABLE_NONE ? NULL : &type->set.events[number];

	for (size_t i = 0; sampled && sampled->msr && i < counted->count; i++)
		if (counted->events[i].msr == sampled->msr)
			return true;
	return false;
}

static void leave_out_shared(struct sampling *sampling)
{
	size_t count = 0;

	for (size_t i = 0; i < sampling->nevents; i++) {
		if (is_register_shared(sampling, &sampling->events[i], sampling->numbers[i])) {
			request_notice(sampling->request, NOTICE_WARNING,
				       "%s is not sampled: it shares a register with events that are counted meanwhile",
				       sampling->events[i].name);
			continue;
		}
		sampling->events[count] = sampling->events[i];
		sampling->numbers[count++] = sampling->numbers[i];
	}
	sampling->nevents = count;
}

int sampling_choose_beside(struct sampling *sampling, struct error *err)
{
	sampling->is_beside = true;
	if (sampling->request->question->nodes && choose_nodes(sampling, err) < 0)
		return -1;
	if (!sampling->nevents && choose_time(sampling, err) < 0)
		return -1;
	leave_out_shared(sampling);
	add_waits(sampling);
	return 0;
}

/* ---- nodes ---- */

int sampling_choose_nodes(struct sampling *sampling, size_t type, const struct metric *const *nodes, size_t count,
			  struct error *err)
{
	const struct model *model = &sampling->types[type].target->model;
	struct locating_event events[MOST_LOCATING];

	for (size_t i = 0; i < count; i++) {
		size_t nevents = locating_events(events, model, nodes[i]);

		for (size_t k = 0; k < nevents; k++) {
			const struct sample_event like = { .type = type,
							   .node = nodes[i]->name,
							   .precise = events[k].precise };
			struct error absent = { .text = "" };

			if (sampling_add_event(sampling, events[k].row->name, &like, events[k].period, &absent) < 0)
				request_notice(sampling->request, NOTICE_WARNING, "%s: %s", nodes[i]->title,
					       absent.text);
		}
	}
	return add_cycles(sampling, type, true, err);
}

/* ---- groups ---- */

/* The events of a group that the kernel counts, in their order: slots, if they are there, lead. */
static const struct event **find_members(size_t *count, const struct model *model, const struct plan_group *group,
					 struct arena *arena)
{
	const struct event **members = arena_array(arena, group->count + 1, sizeof(const struct event *));

	*count = 0;
	for (size_t i = 0; i < group->count; i++) {
		const struct event *event = &model->events.events[group->events[i]];

		if (is_kernel_event(event) && !event->absent)
			members[(*count)++] = event;
	}
	return members;
}

static bool sampling_has_event(const struct plan_group *group, size_t number)
{
	for (size_t i = 0; i < group->count; i++)
		if (group->events[i] == number)
			return true;
	return false;
}

/* precise_ip 0: address and counts of a sample are then of the same moment, that of the interrupt. */
static void sampling_add_group(struct sampling *sampling, size_t type, const struct plan_group *group)
{
	const struct model *model = &sampling->types[type].target->model;
	struct sample_event event = { .source = SAMPLE_EVENT, .type = type, .pmu = pmu_name(sampling, type) };

	event.event = &model->events.events[model->roles[ROLE_CYCLES]];
	event.name = event.event->name;
	event.members = find_members(&event.nmembers, model, group, sampling->request->arena);
	set_rate(&event, sampling, 0);
	sampling_add(sampling, &event, TABLE_NONE);
}

/* A group of a plan that has no cycles, while it is divided. */
struct dividing {
	const struct sampled_type *type;
	const struct plan_group *group;
	size_t next;		/* of its events */
	struct plan_group part; /* the last one: events of the group, and cycles at the end */
};

static struct dividing divide_group(const struct sampling *sampling, size_t type, const struct plan_group *group)
{
	struct dividing dividing = { .type = &sampling->types[type], .group = group };

	dividing.part.events = arena_array(sampling->request->arena, group->count + 2, sizeof(size_t));
	return dividing;
}

static bool has_room(struct dividing *dividing, size_t event)
{
	const struct model *model = &dividing->type->target->model;
	struct plan_group *part = &dividing->part;

	part->events[part->count] = event;
	part->events[part->count + 1] = model->roles[ROLE_CYCLES];
	return plan_fits(&dividing->type->limits, &model->events, part->events, part->count + 2, NULL);
}

/* The next part, with as many events as there is room for: 1 is cycles alone. False: there is none. */
static bool next_part(struct dividing *dividing)
{
	const struct plan_group *group = dividing->group;

	dividing->part.count = 0;
	if (dividing->next == group->count)
		return false;
	while (dividing->next < group->count && has_room(dividing, group->events[dividing->next])) {
		dividing->part.count++;
		dividing->next++;
	}
	dividing->next += !dividing->part.count;
	dividing->part.events[dividing->part.count++] = dividing->type->target->model.roles[ROLE_CYCLES];
	return true;
}

static void sampling_add_parts(struct sampling *sampling, size_t type, const struct plan_group *group)
{
	const struct model *model = &sampling->types[type].target->model;
	struct dividing dividing = divide_group(sampling, type, group);

	while (next_part(&dividing))
		if (dividing.part.count > 1)
			sampling_add_group(sampling, type, &dividing.part);
		else
			request_notice(sampling->request, NOTICE_WARNING,
				       "%s is left out for functions: no counters hold it together with cycles, which "
				       "are sampled",
				       model->events.events[group->events[dividing.next - 1]].name);
}

void sampling_choose_groups(struct sampling *sampling, size_t type, const struct plan *plan)
{
	const size_t cycles = sampling->types[type].target->model.roles[ROLE_CYCLES];

	if (cycles == TABLE_NONE) {
		request_notice(sampling->request, NOTICE_WARNING,
			       "functions are left out: their cycles would be sampled, which this CPU does not count");
		return;
	}
	for (size_t i = 0; i < plan->ngroups; i++)
		if (sampling_has_event(&plan->groups[i], cycles))
			sampling_add_group(sampling, type, &plan->groups[i]);
		else
			sampling_add_parts(sampling, type, &plan->groups[i]);
}

size_t sampling_count_groups(const struct sampling *sampling, size_t type, const struct plan *plan)
{
	const size_t cycles = sampling->types[type].target->model.roles[ROLE_CYCLES];
	size_t count = 0;

	for (size_t i = 0; cycles != TABLE_NONE && i < plan->ngroups; i++) {
		struct dividing dividing = divide_group(sampling, type, &plan->groups[i]);

		if (sampling_has_event(&plan->groups[i], cycles)) {
			count++;
			continue;
		}
		while (next_part(&dividing))
			count += dividing.part.count > 1;
	}
	return count;
}
