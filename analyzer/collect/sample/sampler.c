/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampler.c - sampling as an observer: opened with a run, read while it runs, closed when it has ended. */
#include "collect/sample/sampler.h"

#include "program/unwind/unwind.h"

#define LOOK_S	  0.1	   /* how often rings are read at least; they wake topdown when they are half full */
#define IN_FLIGHT 2000000u /* ns: a record may have an older time and not be written yet */
#define UNLIMITED UINT64_MAX
#define NS	  1e-9

static uint64_t wanted_registers(const struct sample_request *request)
{
	bool is_wanted = request->stacks == SAMPLE_STACKS_AUTO || request->stacks == SAMPLE_STACKS_CFI;

	return is_wanted ? unwind_registers() : 0;
}

uint64_t extra_of_stacks(const struct sampler *sampler)
{
	uint64_t extra = 0;

	if (sampler->request.stacks != SAMPLE_STACKS_NONE)
		extra |= PERF_SAMPLE_CALLCHAIN;
	if (sampler->request.stacks == SAMPLE_STACKS_LBR)
		extra |= PERF_SAMPLE_BRANCH_STACK;
	if (sampler->request.wants_latencies)
		extra |= PERF_SAMPLE_WEIGHT_STRUCT;
	if (sampler->registers)
		extra |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	return extra;
}

/* ---- records ---- */

/* Ids grow with each event that is opened. */
static struct opened *find_opened(struct sampler *sampler, uint64_t id)
{
	size_t low = 0, high = sampler->nopened;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sampler->opened[middle].sampled.id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < sampler->nopened && sampler->opened[low].sampled.id == id ? &sampler->opened[low] : NULL;
}

#define MOST_VALUES 64

/* What a group had counted at this sample, which is in the profile already. */
static void take_values(struct sampler *sampler, const struct record *record, const struct opened *opened,
			uint32_t place)
{
	const struct perf_sampled *sampled = &opened->sampled;
	uint64_t values[MOST_VALUES];
	struct delta_sample sample = { .group = sampler->fates[opened->event - sampler->first].group,
				       .counters = opened->counters,
				       .is_of_thread = opened->is_of_task,
				       .tid = record->identity.tid,
				       .place = place,
				       .values = values };

	if (sample.group != PROFILE_NONE && sampled->nmembers <= MOST_VALUES &&
	    record_read_values(values, &record->of.sample, sampled->ids, sampled->nmembers))
		deltas_take(sampler->deltas, &sample);
}

/* What breaks the sequence of a thread's samples. */
static void follow(struct sampler *sampler, const struct record *record)
{
	if (record->type == PERF_RECORD_LOST || record->type == PERF_RECORD_LOST_SAMPLES ||
	    record->type == PERF_RECORD_THROTTLE)
		deltas_interrupt(sampler->deltas);
	else if (record->type == PERF_RECORD_EXIT)
		deltas_end_thread(sampler->deltas, record->of.task.tid);
}

/* opened NULL: it is no sample of an event that is open. */
static void sampler_take_sample(struct sampler *sampler, const struct record *record, const struct opened *opened)
{
	uint32_t place = intake_take(sampler->intake, record, opened ? opened->event : PROFILE_NONE);

	if (opened && sampler->deltas && place != PROFILE_NONE)
		take_values(sampler, record, opened, place);
}

static bool is_turn(const struct record *record)
{
	return record->type == PERF_RECORD_SAMPLE || record->type == PERF_RECORD_SWITCH;
}

static void take_record(void *context, const struct record *record)
{
	struct sampler *sampler = context;
	uint64_t id = record->type == PERF_RECORD_LOST ? record->of.loss.id : record->identity.id;
	struct opened *opened = find_opened(sampler, id);
	uint32_t event = opened ? opened->event : PROFILE_NONE;

	if (sampler->deltas)
		follow(sampler, record);
	if (opened && (record->type == PERF_RECORD_LOST || record->type == PERF_RECORD_LOST_SAMPLES))
		opened->lost += record->of.loss.count;
	else if (record->type == PERF_RECORD_THROTTLE && event != PROFILE_NONE)
		sampler->profile->events[event].throttled++;
	else if (opened && opened->is_of_waits && is_turn(record))
		intake_take_waiting(sampler->intake, record, event);
	else
		sampler_take_sample(sampler, record, opened);
}

static void read_rings(struct sampler *sampler, uint64_t until)
{
	rings_read(&sampler->rings, &sampler->format, until, take_record, sampler);
}

/* ---- the observer ---- */

/* Where room gets scarce, the order of what is just being written on several CPUs counts for less. */
static int look_is_due(void *context, struct error *err UNUSED)
{
	struct sampler *sampler = context;

	read_rings(sampler, perf_sampling_clock() - IN_FLIGHT);
	if (rings_are_tight(&sampler->rings))
		read_rings(sampler, perf_sampling_clock());
	return 0;
}

/* NULL: there is none yet. */
static struct sampler *sampler_of(void *context)
{
	return ((struct sampler_observer *)context)->sampler;
}

int sampler_observe(void *context, const struct observer_sites *sites, struct error *err)
{
	struct sampler *sampler = sampler_of(context);

	if (!sampler)
		return 0;
	sampler->is_on = sampler->has_begun = false;
	return sampler_open(sampler, sites, err);
}

static void on_attach(void *context, struct loop *loop)
{
	struct sampler *sampler = sampler_of(context);

	if (!sampler || !sampler->rings.count)
		return;
	for (size_t i = 0; i < sampler->rings.count; i++) {
		struct cpu_ring *ring = &sampler->rings.items[i];

		ring->wakeup = (struct loop_descriptor){
			.fd = ring->fd, .events = POLLIN, .call = look_is_due, .context = sampler
		};
		loop_add(loop, &ring->wakeup);
	}
	sampler->look = (struct loop_alarm){ .call = look_is_due, .context = sampler, .period_s = LOOK_S };
	loop_set(loop, &sampler->look, clock_now() + LOOK_S);
}

static void change(struct sampler *sampler, bool is_on)
{
	uint64_t now = perf_sampling_clock();

	for (size_t i = 0; i < sampler->nopened; i++)
		if (sampler->opened[i].event != PROFILE_NONE && !(is_on && sampler->starts_by_itself))
			perf_sampled_switch(&sampler->opened[i].sampled, is_on);
	sampler->starts_by_itself = false;
	if (!is_on) {
		read_rings(sampler, now);
		intake_end_waits(sampler->intake, now);
	}
	if (sampler->is_on && sampler->nopened)
		sampler->profile->seconds += (double)(now - sampler->since) * NS;
	if (is_on && !sampler->has_begun) {
		sampler->has_begun = true;
		intake_begin_run(sampler->intake, now);
	}
	sampler->since = now;
	sampler->is_on = is_on;
}

static void on_change(void *context, bool is_on)
{
	if (sampler_of(context))
		change(sampler_of(context), is_on);
}

/* Whoever looks at the interval that ends finds what was sampled in it. */
static void on_interval(void *context, size_t number UNUSED)
{
	struct sampler *sampler = sampler_of(context);
	uint64_t now = perf_sampling_clock();

	if (!sampler)
		return;
	intake_next_interval(sampler->intake, now);
	read_rings(sampler, now - IN_FLIGHT);
}

/* A task's events on all CPUs are enabled for the same time, and run one after the other. */
static void add_times(struct sampler *sampler, const struct opened *opened, bool is_same_site)
{
	struct profile_event *event = &sampler->profile->events[opened->event];

	if (!is_same_site)
		event->enabled_ns += (double)opened->sampled.enabled_ns;
	event->running_ns += (double)opened->sampled.running_ns;
}

static void add_up(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->nopened; i++) {
		struct opened *opened = &sampler->opened[i];
		bool is_same_site = false;
		uint64_t lost;

		perf_sampled_read(&opened->sampled);
		lost = opened->sampled.has_lost ? opened->sampled.lost : opened->lost;
		if (opened->event == PROFILE_NONE) {
			sampler->lost_changes += lost;
			continue;
		}
		sampler->profile->events[opened->event].lost += lost;
		for (size_t k = i; k-- > 0 && !is_same_site && sampler->opened[k].site == opened->site;)
			is_same_site = sampler->opened[k].event == opened->event;
		add_times(sampler, opened, is_same_site);
	}
}

void sampler_drop(struct sampler *sampler)
{
	rings_release(&sampler->rings);
	for (size_t i = 0; i < sampler->nopened; i++)
		perf_sampled_close(&sampler->opened[i].sampled);
	sampler->nopened = 0;
}

/* The loop has ended: nothing waits for these rings any more. */
static void end_run(struct sampler *sampler)
{
	if (sampler->is_on)
		change(sampler, false);
	read_rings(sampler, UNLIMITED);
	if (sampler->has_begun)
		intake_end_run(sampler->intake, sampler->since);
	sampler->has_begun = false;
	add_up(sampler);
	sampler_drop(sampler);
}

static void on_close(void *context)
{
	if (sampler_of(context))
		end_run(sampler_of(context));
}

void sampler_observer_init(struct sampler_observer *place)
{
	*place = (struct sampler_observer){ .observer = { .context = place,
							  .open = sampler_observe,
							  .attach = on_attach,
							  .change = on_change,
							  .interval = on_interval,
							  .close = on_close } };
}

/* ---- the whole ---- */

static size_t runs_of(const struct sample_request *request)
{
	size_t runs = 0;

	for (size_t i = 0; i < request->nevents; i++)
		if (request->events[i].run + 1 > runs)
			runs = request->events[i].run + 1;
	return runs;
}

static void sampler_add_group(struct sampler *sampler, size_t number, uint32_t event)
{
	const struct sample_event *request = &sampler->request.events[number];
	struct profile_group group = { .event = event, .nevents = request->nmembers };

	if (!request->nmembers)
		return;
	group.events = arena_array(sampler->arena, request->nmembers, sizeof(*group.events));
	for (size_t i = 0; i < request->nmembers; i++)
		group.events[i] = request->members[i]->name;
	sampler->fates[number].group = profile_group(sampler->profile, &group);
	if (!sampler->deltas)
		sampler->deltas = deltas_new(sampler->profile);
}

static void sampler_add_events(struct sampler *sampler)
{
	const struct sample_request *request = &sampler->request;

	sampler->first = sampler->profile->nevents;
	sampler->fates = arena_array(sampler->arena, request->nevents, sizeof(*sampler->fates));
	for (size_t i = 0; i < request->nevents; i++) {
		const struct sample_event *event = &request->events[i];
		const struct profile_event added = { .event = event->name,
						     .node = event->node,
						     .pmu = event->pmu,
						     .period = event->period,
						     .frequency = event->period ? 0 : event->frequency,
						     .wanted = event->precise,
						     .run = (uint32_t)event->run };

		sampler->fates[i].group = PROFILE_NONE;
		sampler_add_group(sampler, i, profile_event(sampler->profile, &added));
	}
}

/* Frequencies above the kernel's limit are refused (kernel/events/core.c, perf_event_open). */
static void limit_frequency(struct sampler *sampler)
{
	unsigned limit = sysctl_number("kernel/perf_event_max_sample_rate");

	for (size_t i = 0; limit && i < sampler->request.nevents; i++)
		if (!sampler->request.events[i].period && sampler->request.events[i].frequency > limit) {
			sampler->frequency_limit = limit;
			sampler->profile->events[sampler->first + i].frequency = limit;
		}
}

static const char *method_of(enum sample_stacks stacks)
{
	static const char *const names[] = { [SAMPLE_STACKS_AUTO] = "auto",
					     [SAMPLE_STACKS_FP] = "fp",
					     [SAMPLE_STACKS_CFI] = "dwarf",
					     [SAMPLE_STACKS_LBR] = "lbr",
					     [SAMPLE_STACKS_NONE] = NULL };

	return names[stacks];
}

struct sampler *sampler_new(struct profile *profile, const struct sample_request *request)
{
	struct sampler *sampler = arena_alloc(profile->arena, sizeof(*sampler));
	struct intake_setup setup = { .profile = profile, .is_live = true, .stacks = request->stacks };

	*sampler = (struct sampler){ .request = *request, .profile = profile, .arena = profile->arena };
	sampler->registers = wanted_registers(request);
	sampler->most_chain = sysctl_number("kernel/perf_event_max_stack");
	setup.registers = sampler->registers;
	setup.most_chain = sampler->most_chain;
	sampler->intake = intake_new(&setup);
	sampler->format = (struct record_format){ .sample_type = SAMPLING_TYPE | extra_of_stacks(sampler),
						  .branch_sample_type = PERF_SAMPLE_BRANCH_USER,
						  .regs_user = sampler->registers,
						  .has_ids = true };
	profile->method = method_of(request->stacks);
	sampler_add_events(sampler);
	limit_frequency(sampler);
	return sampler;
}

size_t sampler_runs(const struct sampler *sampler)
{
	return runs_of(&sampler->request);
}

int sampler_finish(struct sampler *sampler, struct error *err)
{
	end_run(sampler);
	remark_given_up(sampler);
	intake_release(sampler->intake);
	if (sampler->was_any_opened)
		return 0;
	return error_set(err, "%s",
			 is_error(&sampler->first_error) ? sampler->first_error.text : "nothing was sampled");
}
