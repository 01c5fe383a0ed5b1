/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/perftool/perftool_internal.h"

#include <stdlib.h>
#include <string.h>

#include "collect/sample/intake.h"
#include "common/base/arena.h"
#include "common/base/text.h"

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1u << 4)
#endif

#define KERNEL_PREFIX "[kernel.kallsyms]"
#define MOST_RECORD   65536
#define MOST_DRIVERS  2048

struct courier {
	struct delivery *seen;
	const struct delivery_setup *setup;
	struct perf_facts *facts;
	struct profile *profile;
	struct intake *intake;
	uint64_t registers; /* the mask that the unwinder knows */
	size_t ndrivers;
	uint64_t aligned[MOST_RECORD / sizeof(uint64_t)]; /* a record that the file has at an odd place */
};

/* ---- whose record it is ---- */

static const struct perf_event_header *align(struct courier *courier, const unsigned char *at)
{
	struct perf_event_header header;

	if ((uintptr_t)at % sizeof(uint64_t) == 0)
		return (const struct perf_event_header *)(const void *)at;
	memcpy(&header, at, sizeof(header));
	memcpy(courier->aligned, at, header.size);
	return (const struct perf_event_header *)(const void *)courier->aligned;
}

/*
 * The id says it: it stands first or last where PERF_SAMPLE_IDENTIFIER is set. Without it, perf writes events of one
 * layout only. A record that is no sample may have no id. NULL: a sample of an unknown event.
 */
static struct recorded_event *event_of(const struct perf_facts *facts, const struct perf_event_header *header)
{
	const struct record_format *any;
	struct recorded_event *event;
	struct record record;
	uint64_t id = 0;

	if (!facts->events || facts->nevents == 1)
		return facts->events;
	any = &facts->events[0].format;
	if (!record_find_id(&id, header, any) && any->sample_type & PERF_SAMPLE_ID &&
	    record_parse(&record, header, any))
		id = record.identity.id;
	event = perf_facts_event(facts, id);
	return event || header->type == PERF_RECORD_SAMPLE ? event : facts->events;
}

/* ---- order ---- */

static int by_time(const void *a, const void *b)
{
	const struct queued_record *one = a, *other = b;

	return (one->time > other->time) - (one->time < other->time);
}

/* Stable, and at once where they are in order already, as those of one buffer are. */
static void sort(struct queued_record *items, struct queued_record *spare, size_t count)
{
	size_t half = count / 2, left = 0, right = half, to = 0;

	if (count < 2)
		return;
	sort(items, spare, half);
	sort(items + half, spare, count - half);
	if (by_time(&items[half - 1], &items[half]) <= 0)
		return;
	memcpy(spare, items, count * sizeof(*items));
	while (left < half && right < count)
		items[to++] = by_time(&spare[left], &spare[right]) <= 0 ? spare[left++] : spare[right++];
	memcpy(items + to, spare + left, (half - left) * sizeof(*items));
	to += half - left;
	memcpy(items + to, spare + right, (count - right) * sizeof(*items));
}

/*
 * What perf made up of /proc has the time 0 and belongs before everything, wherever it stands. A record without a time
 * stays behind the one before it. perf's marks of finished rounds bound how late a record may come; sorting all needs
 * none of them.
 */
static void order(struct courier *courier)
{
	struct perf_records *records = courier->setup->records;
	struct queued_record *spare = calloc(records->count + 1, sizeof(*spare));
	uint64_t last = 0;

	for (size_t i = 0; i < records->count; i++) {
		const struct perf_event_header *header = align(courier, records->items[i].at);
		const struct recorded_event *event = event_of(courier->facts, header);
		struct record record;

		if (event && record_parse(&record, header, &event->format) && record.identity.has_time)
			last = record.identity.time;
		records->items[i].time = last;
	}
	if (!spare)
		memory_ended();
	sort(records->items, spare, records->count);
	free(spare);
}

/* ---- records ---- */

/* "/lib/modules/6.1/kernel/net/nf_tables.ko.xz" is "[nf_tables]". */
static const char *driver_name(const char *path, struct arena *arena)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = strcspn(base, ".");
	char *name;

	if (*base == '[')
		return base;
	name = arena_printf(arena, "[%.*s]", (int)length, base);
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return name;
}

/* The kernel's own text is the first, with a name such as "[kernel.kallsyms]_text"; the others are its modules. */
static void map_kernel(struct courier *courier, const struct record_mapping *mapping)
{
	bool is_text = !strncmp(mapping->path, KERNEL_PREFIX, strlen(KERNEL_PREFIX));

	if (is_text && !courier->seen->kernel_text)
		courier->seen->kernel_text = mapping->offset ? mapping->offset : mapping->address;
	if (!mapping->is_data && courier->ndrivers++ < MOST_DRIVERS)
		kernel_add_module(intake_files(courier->intake),
				  is_text ? KERNEL_PREFIX : driver_name(mapping->path, courier->profile->arena),
				  mapping->address, mapping->length);
}

/* The files' build-ids stand elsewhere, unless the kernel wrote them. */
static void identify(const struct courier *courier, struct record_mapping *mapping)
{
	const struct recorded_build_id *found =
		mapping->build_id ? NULL : perf_facts_build_id(courier->facts, mapping->path);

	if (!found)
		return;
	mapping->build_id = found->bytes;
	mapping->build_id_bytes = found->count;
}

static void take_mapping(struct courier *courier, struct record *record)
{
	if (record->cpumode == PERF_RECORD_MISC_GUEST_KERNEL || record->cpumode == PERF_RECORD_MISC_GUEST_USER)
		return;
	if (record->cpumode == PERF_RECORD_MISC_KERNEL) {
		map_kernel(courier, &record->of.mapping);
		return;
	}
	identify(courier, &record->of.mapping);
	intake_take(courier->intake, record, PROFILE_NONE);
}

#define GROUP_FORMAT (PERF_FORMAT_GROUP | PERF_FORMAT_ID)

/* `perf record -e '{A,B}:S'`: only A is sampled, and each sample has what all of the group counted until then. */
static bool has_group_values(const struct record_format *format)
{
	return format->sample_type & PERF_SAMPLE_READ && (format->read_format & GROUP_FORMAT) == GROUP_FORMAT;
}

/* Each event has a sample here, of as much as it has counted since the last one; perf report --group does the same. */
static void take_group(struct courier *courier, struct record *record, const struct record_format *format)
{
	const struct record_sample *sample = &record->of.sample;
	uint64_t form = format->read_format;
	size_t head =
		1u + (form & PERF_FORMAT_TOTAL_TIME_ENABLED ? 1 : 0) + (form & PERF_FORMAT_TOTAL_TIME_RUNNING ? 1 : 0);
	size_t each = form & PERF_FORMAT_LOST ? 3 : 2;
	const uint64_t *values = sample->read;

	for (size_t at = head; values && at + each <= sample->nread; at += each) {
		struct recorded_id *id = perf_facts_id(courier->facts, values[at + 1]);
		uint64_t counted = id && values[at] > id->seen ? values[at] - id->seen : 0;

		if (!counted)
			continue;
		id->seen = values[at];
		record->of.sample.period = counted;
		intake_take(courier->intake, record, courier->facts->events[id->event].event);
	}
}

static void perf_delivery_take_sample(struct courier *courier, struct record *record,
				      const struct recorded_event *event)
{
	struct delivery *seen = courier->seen;
	uint64_t time = record->identity.time;

	if (record->cpumode == PERF_RECORD_MISC_GUEST_KERNEL || record->cpumode == PERF_RECORD_MISC_GUEST_USER) {
		seen->guests++;
		return;
	}
	if (event->event == PROFILE_NONE)
		return;
	if (!(event->format.sample_type & PERF_SAMPLE_PERIOD) && !event->attr.freq)
		record->of.sample.period = event->attr.sample_period;
	if (event->attr.sample_regs_user != courier->registers)
		record->of.sample.registers = NULL;
	if (!seen->samples)
		intake_begin_run(courier->intake, time);
	seen->first_ns = seen->samples && seen->first_ns < time ? seen->first_ns : time;
	seen->last_ns = seen->last_ns > time ? seen->last_ns : time;
	seen->samples++;
	if (has_group_values(&event->format))
		take_group(courier, record, &event->format);
	else
		intake_take(courier->intake, record, event->event);
}

/* The kernel counts what did not fit twice: as records of the buffer, and, since 6.0, as samples of the event. */
static void take_loss(const struct courier *courier, const struct record *record, struct recorded_event *event)
{
	struct recorded_event *own = perf_facts_event(courier->facts, record->of.loss.id);

	if (record->type == PERF_RECORD_LOST_SAMPLES)
		event->lost_samples += record->of.loss.count;
	else
		(own ? own : event)->lost += record->of.loss.count;
}

static void perf_delivery_take(struct courier *courier, const unsigned char *at)
{
	const struct perf_event_header *header = align(courier, at);
	struct recorded_event *event = event_of(courier->facts, header);
	struct record record;

	if (!event) {
		courier->seen->strangers++;
		return;
	}
	if (!record_parse(&record, header, &event->format)) {
		courier->seen->damaged++;
		return;
	}
	switch (record.type) {
	case PERF_RECORD_SAMPLE: perf_delivery_take_sample(courier, &record, event); break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: take_mapping(courier, &record); break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES: take_loss(courier, &record, event); break;
	case PERF_RECORD_THROTTLE: event->throttled++; break;
	default: intake_take(courier->intake, &record, PROFILE_NONE); break;
	}
}

/* ---- stacks ---- */

static bool has_call_records(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_BRANCH_STACK && attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

/* As perf record's --call-graph had it; copied stacks are unwound with the files of this machine only. */
static struct intake_setup setup_of(const struct courier *courier)
{
	struct intake_setup setup = { .profile = courier->profile, .stacks = SAMPLE_STACKS_NONE };

	for (size_t i = 0; i < courier->facts->nevents; i++) {
		const struct perf_event_attr *attr = &courier->facts->events[i].attr;

		if (attr->sample_type & PERF_SAMPLE_CALLCHAIN && setup.stacks == SAMPLE_STACKS_NONE)
			setup.stacks = SAMPLE_STACKS_FP;
		if (has_call_records(attr))
			setup.stacks = SAMPLE_STACKS_LBR;
		if (!(attr->sample_type & PERF_SAMPLE_STACK_USER) || !attr->sample_regs_user || setup.registers ||
		    !courier->setup->is_of_here)
			continue;
		setup.stacks = SAMPLE_STACKS_CFI;
		setup.registers = attr->sample_regs_user;
	}
	return setup;
}

static const char *method_of(enum sample_stacks stacks)
{
	switch (stacks) {
	case SAMPLE_STACKS_FP: return "fp";
	case SAMPLE_STACKS_CFI: return "dwarf";
	case SAMPLE_STACKS_LBR: return "lbr";
	default: return NULL;
	}
}

void perf_deliver(struct delivery *delivery, const struct delivery_setup *setup)
{
	struct courier courier = {
		.seen = delivery, .setup = setup, .facts = setup->records->facts, .profile = setup->profile
	};
	struct intake_setup intake = setup_of(&courier);

	*delivery = (struct delivery){ .samples = 0 };
	setup->profile->method = method_of(intake.stacks);
	courier.registers = intake.registers;
	courier.intake = intake_new(&intake);
	order(&courier);
	for (size_t i = 0; i < setup->records->count; i++)
		perf_delivery_take(&courier, setup->records->items[i].at);
	if (delivery->samples)
		intake_end_run(courier.intake, delivery->last_ns);
	intake_release(courier.intake);
}
