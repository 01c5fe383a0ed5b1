/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/perftool/perftool_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/measurement/profile.h"

#define MOST_EVENTS   4096
#define MOST_WORDS    65536	/* of a command line */
#define SIZED_ID      (1 << 15) /* PERF_RECORD_MISC_BUILD_ID_SIZE: the byte behind 20 has their number */
#define UPDATE_NAME   2		/* PERF_EVENT_UPDATE__NAME */
#define LEAST_ATTR    PERF_ATTR_SIZE_VER0
#define RECORD_HEADER sizeof(struct perf_event_header)

/* ---- events ---- */

static struct record_format format_of(const struct perf_event_attr *attr)
{
	return (struct record_format){ .sample_type = attr->sample_type,
				       .read_format = attr->read_format,
				       .branch_sample_type = attr->branch_sample_type,
				       .regs_user = attr->sample_regs_user,
				       .regs_intr = attr->sample_regs_intr,
				       .has_ids = attr->sample_id_all };
}

static void add_id(struct perf_facts *facts, uint64_t id, uint32_t event)
{
	facts->ids = arena_grow(facts->arena, facts->ids, facts->nids, &facts->ids_room, sizeof(*facts->ids));
	facts->ids[facts->nids++] = (struct recorded_id){ .id = id, .event = event };
}

bool perf_facts_add_event(struct perf_facts *facts, struct byte_reader *attr, struct byte_reader *ids)
{
	struct recorded_event *event;
	size_t size = attr->left < sizeof(event->attr) ? attr->left : sizeof(event->attr);

	if (size < LEAST_ATTR || attr->is_broken || facts->nevents == MOST_EVENTS)
		return false;
	facts->events =
		arena_grow(facts->arena, facts->events, facts->nevents, &facts->events_room, sizeof(*facts->events));
	event = &facts->events[facts->nevents];
	*event = (struct recorded_event){ .event = PROFILE_NONE };
	memcpy(&event->attr, byte_reader_skip(attr, size), size);
	event->format = format_of(&event->attr);
	while (ids->left >= sizeof(uint64_t))
		add_id(facts, byte_reader_u64(ids), (uint32_t)facts->nevents);
	facts->nevents++;
	return !ids->is_broken;
}

static int compare_ids(const void *a, const void *b)
{
	const struct recorded_id *one = a, *other = b;

	return (one->id > other->id) - (one->id < other->id);
}

struct recorded_id *perf_facts_id(const struct perf_facts *facts, uint64_t id)
{
	const struct recorded_id wanted = { .id = id };

	return facts->nids ? bsearch(&wanted, facts->ids, facts->nids, sizeof(wanted), compare_ids) : NULL;
}

struct recorded_event *perf_facts_event(const struct perf_facts *facts, uint64_t id)
{
	const struct recorded_id *found = perf_facts_id(facts, id);

	return found ? &facts->events[found->event] : NULL;
}

/* ---- names ---- */

/* The kernel's own events, as perf calls them (include/uapi/linux/perf_event.h, perf_hw_id and perf_sw_ids). */
static const char *const hardware_names[] = {
	"cycles",	 "instructions", "cache-references",	    "cache-misses",	      "branches",
	"branch-misses", "bus-cycles",	 "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};
static const char *const software_names[] = {
	"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",	    "bpf-output",   "cgroup-switches",
};

static const char *perf_facts_name_of(const struct perf_event_attr *attr, struct arena *arena)
{
	if (attr->type == PERF_TYPE_HARDWARE && attr->config < COUNT_OF(hardware_names))
		return hardware_names[attr->config];
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config < COUNT_OF(software_names))
		return software_names[attr->config];
	if (attr->type == PERF_TYPE_RAW)
		return arena_printf(arena, "r%llx", (unsigned long long)attr->config);
	return arena_printf(arena, "PMU %u, config 0x%llx", attr->type, (unsigned long long)attr->config);
}

void perf_facts_complete(struct perf_facts *facts)
{
	if (facts->nids)
		qsort(facts->ids, facts->nids, sizeof(*facts->ids), compare_ids);
	for (size_t i = 0; i < facts->nevents; i++)
		if (!facts->events[i].name || !*facts->events[i].name)
			facts->events[i].name = perf_facts_name_of(&facts->events[i].attr, facts->arena);
}

static struct recorded_event *find_unsorted(const struct perf_facts *facts, uint64_t id)
{
	for (size_t i = 0; i < facts->nids; i++)
		if (facts->ids[i].id == id)
			return &facts->events[facts->ids[i].event];
	return NULL;
}

bool perf_facts_rename(struct perf_facts *facts, struct byte_reader reader)
{
	uint64_t kind = byte_reader_u64(&reader), id = byte_reader_u64(&reader);
	struct recorded_event *event = kind == UPDATE_NAME ? find_unsorted(facts, id) : NULL;

	if (event && reader.left)
		event->name = arena_strndup(facts->arena, (const char *)reader.at,
					    strnlen((const char *)reader.at, reader.left));
	return !reader.is_broken;
}

/* Events in their order; the pipe's have no attrs yet, so those are made of the description. */
static bool take_descriptions(struct perf_facts *facts, struct byte_reader *reader)
{
	uint32_t count = byte_reader_u32(reader), size = byte_reader_u32(reader);
	bool has_events = facts->nevents > 0;

	for (uint32_t i = 0; i < count && !reader->is_broken; i++) {
		struct byte_reader attr = { .at = byte_reader_skip(reader, size), .left = size };
		uint32_t nids = byte_reader_u32(reader);
		const char *name = byte_reader_text(reader, facts->arena);
		struct byte_reader ids = { .at = byte_reader_skip(reader, 8 * (uint64_t)nids),
					   .left = 8 * (size_t)nids };

		if (reader->is_broken || (!has_events && !perf_facts_add_event(facts, &attr, &ids)))
			return false;
		if (i < facts->nevents)
			facts->events[i].name = name;
	}
	return !reader->is_broken;
}

/* ---- the machine ---- */

/* "GenuineIntel,6,143,8" becomes "GenuineIntel-6-8F-8", as in events/mapfile.csv; what has another form stays. */
static const char *cpuid_of(const char *text, struct arena *arena)
{
	char vendor[32];
	unsigned family, model, stepping;

	if (!text || sscanf(text, "%31[^,],%u,%u,%u", vendor, &family, &model, &stepping) != 4)
		return text;
	return arena_printf(arena, "%s-%u-%X-%X", vendor, family, model, stepping);
}

static const char *take_command(struct byte_reader *reader, struct arena *arena)
{
	uint32_t count = byte_reader_u32(reader);
	struct string command = STRING_INIT(arena);

	for (uint32_t i = 0; i < count && i < MOST_WORDS && !reader->is_broken; i++) {
		const char *word = byte_reader_text(reader, arena);

		if (!word)
			return NULL;
		if (i)
			string_add(&command, " ");
		string_add_shell_word(&command, word);
	}
	return reader->is_broken ? NULL : command.text;
}

static bool take_build_ids(struct perf_facts *facts, struct byte_reader reader)
{
	while (reader.left) {
		struct perf_event_header header;
		struct byte_reader one = { .at = reader.at };

		if (reader.left < sizeof(header))
			return false;
		memcpy(&header, reader.at, sizeof(header));
		one.left = header.size;
		if (header.size < sizeof(header) || !byte_reader_skip(&reader, header.size) ||
		    !perf_facts_add_build_id(facts, one))
			return false;
	}
	return true;
}

bool perf_facts_add_build_id(struct perf_facts *facts, struct byte_reader reader)
{
	struct recorded_build_id *added;
	struct perf_event_header header;
	const unsigned char *start = byte_reader_skip(&reader, sizeof(header) + sizeof(int32_t)), *id;

	id = byte_reader_skip(&reader, 24);
	if (!start || !id || !reader.left)
		return false;
	memcpy(&header, start, sizeof(header));
	facts->build_ids = arena_grow(facts->arena, facts->build_ids, facts->nbuild_ids, &facts->build_ids_room,
				      sizeof(*facts->build_ids));
	added = &facts->build_ids[facts->nbuild_ids++];
	added->count = header.misc & SIZED_ID && id[20] <= sizeof(added->bytes) ? id[20] : sizeof(added->bytes);
	memcpy(added->bytes, id, sizeof(added->bytes));
	added->path =
		arena_strndup(facts->arena, (const char *)reader.at, strnlen((const char *)reader.at, reader.left));
	return true;
}

const struct recorded_build_id *perf_facts_build_id(const struct perf_facts *facts, const char *path)
{
	for (size_t i = 0; i < facts->nbuild_ids; i++)
		if (!strcmp(facts->build_ids[i].path, path))
			return &facts->build_ids[i];
	return NULL;
}

bool perf_facts_add_feature(struct perf_facts *facts, unsigned feature, struct byte_reader reader)
{
	struct arena *arena = facts->arena;

	switch (feature) {
	case FEATURE_HOSTNAME: facts->host = byte_reader_text(&reader, arena); break;
	case FEATURE_OSRELEASE: facts->release = byte_reader_text(&reader, arena); break;
	case FEATURE_VERSION: facts->version = byte_reader_text(&reader, arena); break;
	case FEATURE_ARCH: facts->arch = byte_reader_text(&reader, arena); break;
	case FEATURE_CPUDESC: facts->cpu = byte_reader_text(&reader, arena); break;
	case FEATURE_CPUID: facts->cpuid = cpuid_of(byte_reader_text(&reader, arena), arena); break;
	case FEATURE_NRCPUS:
		facts->cpus = byte_reader_u32(&reader);
		facts->online_cpus = byte_reader_u32(&reader);
		break;
	case FEATURE_CMDLINE:
		facts->command = text_within(take_command(&reader, arena), MOST_ORIGIN_TEXT, arena);
		break;
	case FEATURE_EVENT_DESC: return take_descriptions(facts, &reader);
	case FEATURE_BUILD_ID: return take_build_ids(facts, reader);
	case FEATURE_DIR_FORMAT: facts->is_directory = true; break;
	default: break;
	}
	return !reader.is_broken;
}
