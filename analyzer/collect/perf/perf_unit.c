/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_group.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "collect/perf/refusals.h"
#include "common/base/text.h"
#include "cpu/identify/units.h"

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* A group while it is opened. */
struct opening {
	const struct event_set *set;
	const struct machine *machine;
	struct arena *arena;
	const char
		*name; /* whose units were read last: a PMU may have dozens, and most events of a group have the same */
	struct unit *units;
	size_t nunits;
};

/* Residencies pass for each core or socket, and an SMI stops all CPUs at once (events of the PMU msr). */
static bool is_mean_of_units(const struct event *event)
{
	return has_name_prefix(event->unit, "cstate_") ||
	       (!strcmp(event->unit, "msr") && event->alias && !strcmp(event->alias, "smi"));
}

static bool has_format(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->nformats; i++)
		if (is_same_name(pmu->formats[i].name, name))
			return true;
	return false;
}

/* "cmask" on some PMUs is "thresh" on others, and the same. */
static const char *term_of(const struct pmu *pmu, const char *name)
{
	static const char *const same[][2] = { { "cmask", "thresh" }, { "thresh", "cmask" }, { "inv", "inv" } };

	for (size_t i = 0; i < COUNT_OF(same) && !has_format(pmu, name); i++)
		if (!strcmp(name, same[i][0]) && has_format(pmu, same[i][1]))
			return same[i][1];
	return name;
}

/* The alias's terms of sysfs, and over them those that were spelled. */
static int terms_of(struct pmu_term *terms, const struct event *event, const struct unit *unit, struct arena *arena,
		    struct error *err)
{
	const char *text = event->alias ? pmu_event(&unit->pmu, event->alias) : "";
	int count;

	if (!text)
		return error_set(err, "PMU %s has no event '%s' (/sys/bus/event_source/devices/%s/events)",
				 unit->pmu.name, event->alias, unit->pmu.name);
	count = *text ? pmu_parse_terms(text, terms, EVENT_TERMS, arena, err) : 0;
	for (size_t i = 0; count >= 0 && i < event->nterms && count < EVENT_TERMS; i++) {
		terms[count] = event->terms[i];
		terms[count++].name = term_of(&unit->pmu, event->terms[i].name);
	}
	return count;
}

static double scale_of(const struct event *event, const struct unit *unit)
{
	double scale = event->alias ? unit_event_scale(unit, event->alias) : 1;

	return isnan(event->unit_scale) ? scale : scale / event->unit_scale;
}

static const char *offline_text(const struct opening *o, unsigned cpu, const struct unit *unit)
{
	return arena_printf(o->arena, "CPU %u, on which PMU %s counts, is offline", cpu, unit->pmu.name);
}

static const char *refusal_text(const struct opening *o, const struct event *event, const struct unit *unit,
				const struct perf_target *target, int error_number)
{
	struct error err = { .text = "" };

	if (error_number == ENODEV || error_number == ENXIO)
		return offline_text(o, *target->cpu, unit);
	if (error_number == EINVAL)
		return arena_printf(o->arena, "PMU %s does not take %s", unit->pmu.name, event->name);
	(void)perf_refuse(&err, error_number, target, event, false);
	return arena_strdup(o->arena, err.text);
}

static int attr_of(struct perf_event_attr *attr, const struct opening *o, const struct event *event,
		   const struct unit *unit, struct error *err)
{
	struct pmu_term terms[EVENT_TERMS];
	int count = terms_of(terms, event, unit, o->arena, err);

	if (count < 0 || perf_attr_init(attr, &unit->pmu, terms, (size_t)count, err) < 0)
		return -1;
	attr->disabled = 1;
	attr->read_format = TIMES;
	return 0;
}

/* False: the event has a reason now. */
static bool open_place(const struct opening *o, struct perf_unit_event *item, const struct unit *unit, unsigned cpu)
{
	const struct event *event = &o->set->events[item->event];
	const struct perf_target target = { .pid = -1, .cpu = &cpu, .machine = o->machine, .arena = o->arena };
	struct perf_unit_place place = { .cpu = cpu, .scale = scale_of(event, unit) };
	struct perf_event_attr attr;
	struct error err = { .text = "" };

	if (attr_of(&attr, o, event, unit, &err) < 0) {
		item->reason = arena_strdup(o->arena, err.text);
		return false;
	}
	place.fd = perf_open_at(&attr, &target, -1);
	if (place.fd < 0) {
		item->reason = refusal_text(o, event, unit, &target, -place.fd);
		return false;
	}
	item->places[item->nplaces++] = place;
	return true;
}

static size_t count_places(const struct unit *units, size_t count)
{
	size_t places = 0;

	for (size_t i = 0; i < count; i++)
		places += units[i].ncpus;
	return places;
}

static void close_event(struct perf_unit_event *item)
{
	for (size_t i = 0; i < item->nplaces; i++)
		close(item->places[i].fd);
	item->nplaces = 0;
}

static void read_units(struct opening *o, const char *name)
{
	if (o->name && !strcmp(o->name, name))
		return;
	o->nunits = machine_units(&o->units, o->machine, name, o->arena);
	o->name = name;
}

static void open_units(const struct opening *o, struct perf_unit_event *item, const struct event *event)
{
	for (size_t i = 0; i < o->nunits && !item->reason && !(event->is_one_unit && item->nplaces); i++) {
		const struct unit *unit = &o->units[i];

		if (!unit_is_compatible(unit, event->row ? event->row->compat : NULL))
			continue;
		if (unit->noffline)
			item->reason = offline_text(o, unit->offline, unit);
		for (size_t k = 0; k < unit->ncpus && !item->reason; k++)
			if (!open_place(o, item, unit, unit->cpus[k]) || event->is_one_unit)
				break;
	}
}

static void open_event(struct opening *o, struct perf_unit_event *item)
{
	const struct event *event = &o->set->events[item->event];

	read_units(o, event->unit);
	item->is_mean = is_mean_of_units(event);
	item->places = arena_array(o->arena, count_places(o->units, o->nunits) + 1, sizeof(*item->places));
	open_units(o, item, event);
	if (!item->nplaces && !item->reason)
		item->reason = arena_printf(o->arena, "this machine shows no PMU %s", event->unit);
	if (item->reason)
		close_event(item);
}

void perf_unit_open(struct perf_unit *unit, const struct plan_unit *plan, const struct event_set *set,
		    const struct machine *machine, struct arena *arena)
{
	struct opening opening = { .set = set, .machine = machine, .arena = arena };

	*unit = (struct perf_unit){ .events = arena_array(arena, plan->count, sizeof(*unit->events)),
				    .count = plan->count };
	for (size_t i = 0; i < plan->count; i++) {
		unit->events[i].event = plan->events[i];
		open_event(&opening, &unit->events[i]);
	}
}

static void for_places(const struct perf_unit *unit, void (*use)(struct perf_unit_place *place))
{
	for (size_t i = 0; i < unit->count; i++)
		for (size_t k = 0; k < unit->events[i].nplaces; k++)
			use(&unit->events[i].places[k]);
}

static void switch_on(struct perf_unit_place *place)
{
	(void)ioctl(place->fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void switch_off(struct perf_unit_place *place)
{
	(void)ioctl(place->fd, PERF_EVENT_IOC_DISABLE, 0);
}

void perf_unit_switch(const struct perf_unit *unit, bool is_on)
{
	for_places(unit, is_on ? switch_on : switch_off);
}

static void read_place(struct perf_unit_place *place)
{
	uint64_t words[3];

	if (read(place->fd, words, sizeof(words)) != (ssize_t)sizeof(words))
		return;
	place->value = words[0];
	place->enabled_ns = words[1];
	place->running_ns = words[2];
}

void perf_unit_read(const struct perf_unit *unit)
{
	for_places(unit, read_place);
}

static void remember_place(struct perf_unit_place *place)
{
	place->value_before = place->value;
	place->enabled_before = place->enabled_ns;
	place->running_before = place->running_ns;
}

void perf_unit_remember(const struct perf_unit *unit)
{
	for_places(unit, remember_place);
}

/* Adds one unit's. False: it was never on a counter, and without it the sum would be too small. */
static bool perf_unit_add_place(struct count *count, const struct perf_unit_place *place, bool is_since)
{
	uint64_t value = place->value - (is_since ? place->value_before : 0);
	uint64_t enabled = place->enabled_ns - (is_since ? place->enabled_before : 0);
	uint64_t running = place->running_ns - (is_since ? place->running_before : 0);

	count->enabled_ns += enabled;
	if (!running)
		return false;
	count->running_ns += running;
	count->raw += value;
	count->value += (double)value * place->scale * (running < enabled ? (double)enabled / (double)running : 1);
	return true;
}

void perf_unit_count(struct count *count, const struct perf_unit_event *event, bool is_since)
{
	count->state = event->reason ? COUNT_REFUSED : COUNT_OK;
	count->reason = event->reason;
	count->value = 0;
	for (size_t i = 0; i < event->nplaces; i++)
		if (!perf_unit_add_place(count, &event->places[i], is_since))
			count->state = COUNT_NEVER_RAN;
	if (count->state != COUNT_OK)
		count->value = NOT_COUNTED;
	else if (event->is_mean)
		count->value /= (double)event->nplaces;
}

static void close_place(struct perf_unit_place *place)
{
	close(place->fd);
	place->fd = -1;
}

void perf_unit_close(const struct perf_unit *unit)
{
	for_places(unit, close_place);
}
