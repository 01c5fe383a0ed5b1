/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/perftool/perf_record.h"

#include <math.h>
#include <string.h>
#include <sys/utsname.h>

#include "common/base/text.h"
#include "store/perftool/perftool_internal.h"

#define MAGIC	      "PERFILE2"
#define MAGIC_SWAPPED "2ELIFREP" /* the same number, written by a machine of the other byte order */
#define MAGIC_OLD     "PERFFILE"
#define MAGIC_BYTES   8
#define FILE_HEADER   104 /* tools/perf/util/header.h, struct perf_file_header */
#define PIPE_HEADER   16
#define SECTION	      16

struct section {
	uint64_t offset, size;
};

/* What is being read. */
struct perf_file {
	const struct stored_bytes *stored;
	struct perf_facts facts;
	struct section data; /* size UINT64_MAX: up to the end */
	const char *remark;  /* NULL: nothing is odd about the header */
	struct profile *profile;
};

bool is_perf_data(const void *bytes, size_t length)
{
	return length >= MAGIC_BYTES && (!memcmp(bytes, MAGIC, MAGIC_BYTES) || !memcmp(bytes, MAGIC_OLD, MAGIC_BYTES) ||
					 !memcmp(bytes, MAGIC_SWAPPED, MAGIC_BYTES));
}

/* ---- the header of a file ---- */

static struct byte_reader reader_at(const struct stored_bytes *stored, const struct section *section)
{
	if (section->offset > stored->length || section->size > stored->length - section->offset)
		return (struct byte_reader){ .is_broken = true };
	return (struct byte_reader){ .at = stored->bytes + section->offset, .left = (size_t)section->size };
}

static struct section take_section(struct byte_reader *reader)
{
	uint64_t offset = byte_reader_u64(reader);

	return (struct section){ offset, byte_reader_u64(reader) };
}

/* Each is a perf_event_attr of whichever size, and the section of its ids. */
static int read_events(struct perf_file *file, const struct section *section, uint64_t size, struct error *err)
{
	struct byte_reader reader = reader_at(file->stored, section);

	if (reader.is_broken || size < PERF_ATTR_SIZE_VER0 + SECTION)
		return error_set(err, "the header's section of events is damaged");
	while (reader.left >= size) {
		struct byte_reader attr = { .at = byte_reader_skip(&reader, size - SECTION),
					    .left = (size_t)size - SECTION };
		struct section place = take_section(&reader);
		struct byte_reader ids = reader_at(file->stored, &place);

		if (ids.is_broken && place.size)
			return error_set(err, "the ids of event %zu are not in the file", file->facts.nevents + 1);
		ids.is_broken = false;
		if (!perf_facts_add_event(&file->facts, &attr, &ids))
			return error_set(err, "event %zu is damaged", file->facts.nevents + 1);
	}
	return 0;
}

/* Behind the data: sections for the set bits, in their order. */
static void read_features(struct perf_file *file, const uint64_t *bits)
{
	struct section table = { file->data.offset + file->data.size, 0 };
	struct byte_reader reader;

	for (unsigned i = 0; i < PERF_FEATURES; i++)
		table.size += SECTION * (bits[i / 64] >> i % 64 & 1);
	reader = reader_at(file->stored, &table);
	for (unsigned i = 0; i < PERF_FEATURES && !reader.is_broken; i++) {
		struct section section;
		struct byte_reader content;

		if (!(bits[i / 64] >> i % 64 & 1))
			continue;
		section = take_section(&reader);
		content = reader_at(file->stored, &section);
		if (content.is_broken || !perf_facts_add_feature(&file->facts, i, content))
			file->remark = "A part of the file's header is damaged: some facts of the machine are missing.";
	}
	if (reader.is_broken && table.size)
		file->remark = "The file ends before the facts of the machine and of the programs' files.";
}

static int read_file_header(struct perf_file *file, struct byte_reader *reader, struct error *err)
{
	uint64_t attr_size = byte_reader_u64(reader), bits[PERF_FEATURES / 64];
	struct section events = take_section(reader);

	file->data = take_section(reader);
	take_section(reader); /* event types, which nothing uses any more */
	for (size_t i = 0; i < COUNT_OF(bits); i++)
		bits[i] = byte_reader_u64(reader);
	if (reader->is_broken)
		return error_set(err, "it ends within its header, at byte %zu", file->stored->length);
	if (read_events(file, &events, attr_size, err) < 0)
		return -1;
	if (file->data.size) {
		if (file->data.offset <= UINT64_MAX - file->data.size)
			read_features(file, bits);
		return 0;
	}
	file->data.size = UINT64_MAX;
	file->remark = "perf record did not finish: the facts of the machine and of the programs' files, which "
		       "it writes last, are missing.";
	return 0;
}

static int perf_data_read_header(struct perf_file *file, struct error *err)
{
	struct byte_reader reader = { .at = file->stored->bytes, .left = file->stored->length };
	const unsigned char *magic = byte_reader_skip(&reader, MAGIC_BYTES);
	uint64_t size = byte_reader_u64(&reader);

	if (magic && !memcmp(magic, MAGIC_SWAPPED, MAGIC_BYTES))
		return error_set(
			err, "it was recorded on a machine of the other byte order; `topdown report` there reads it");
	if (magic && !memcmp(magic, MAGIC_OLD, MAGIC_BYTES))
		return error_set(err, "it was written by a perf older than Linux 3.0, in the format of that time; "
				      "record it with a newer one");
	if (size == PIPE_HEADER) {
		file->data = (struct section){ PIPE_HEADER, UINT64_MAX };
		return 0;
	}
	if (reader.is_broken || size < FILE_HEADER)
		return error_set(err, "its header is damaged, at byte %d", MAGIC_BYTES);
	return read_file_header(file, &reader, err);
}

/* ---- what was sampled ---- */

static bool is_dummy(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_DUMMY || attr->config == PERF_COUNT_SW_BPF_OUTPUT);
}

/* An event that is not sampled itself, as in {A,B}:S, is read at the samples of the one before. */
static void perf_data_add_events(struct perf_file *file)
{
	const struct perf_event_attr *leader = &file->facts.events[0].attr; /* there is one at least */

	for (size_t i = 0; i < file->facts.nevents; i++) {
		struct recorded_event *recorded = &file->facts.events[i];
		const struct perf_event_attr *attr = &recorded->attr, *pace = attr->sample_period ? attr : leader;
		const struct profile_event event = { .event = recorded->name,
						     .period = pace->freq ? 0 : pace->sample_period,
						     .frequency = pace->freq ? (uint32_t)pace->sample_freq : 0,
						     .precise = attr->precise_ip,
						     .wanted = attr->precise_ip };

		leader = pace;
		if (!is_dummy(attr))
			recorded->event = profile_event(file->profile, &event);
	}
}

static void finish_events(struct perf_file *file)
{
	for (size_t i = 0; i < file->facts.nevents; i++) {
		const struct recorded_event *recorded = &file->facts.events[i];

		if (recorded->event == PROFILE_NONE)
			continue;
		file->profile->events[recorded->event].lost =
			recorded->lost > recorded->lost_samples ? recorded->lost : recorded->lost_samples;
		file->profile->events[recorded->event].throttled = recorded->throttled;
	}
}

static const char *scope_of(const struct perf_facts *facts)
{
	bool has_user = false, has_kernel = false;

	for (size_t i = 0; i < facts->nevents; i++) {
		has_user = has_user || !facts->events[i].attr.exclude_user;
		has_kernel = has_kernel || !facts->events[i].attr.exclude_kernel;
	}
	return has_user && has_kernel ? "user+kernel" : has_kernel ? "kernel" : "user";
}

/* ---- remarks ---- */

static void remark_records(struct perf_file *file, const struct perf_records *records, const struct delivery *seen)
{
	struct profile *profile = file->profile;
	struct arena *arena = profile->arena;

	if (file->remark)
		profile_remark(profile, file->remark);
	if (is_error(&records->broken))
		profile_remark(profile, arena_printf(arena,
						     "Not all of the file could be read: %s. What comes before that is "
						     "here, the rest is missing.",
						     records->broken.text));
	if (seen->damaged)
		profile_remark(profile, arena_printf(arena, "%llu damaged records were left out.",
						     (unsigned long long)seen->damaged));
	if (seen->strangers)
		profile_remark(profile, arena_printf(arena, "%llu samples are of events that the file does not have.",
						     (unsigned long long)seen->strangers));
	if (seen->guests)
		profile_remark(profile,
			       arena_printf(arena,
					    "%llu samples of virtual machines are left out: their programs are "
					    "not known here.",
					    (unsigned long long)seen->guests));
	if (records->traced)
		profile_remark(profile, "The file has an AUX area trace too, which is left out; `perf script --itrace` "
					"reads it.");
}

static bool has_copied_stacks(const struct perf_facts *facts)
{
	for (size_t i = 0; i < facts->nevents; i++)
		if (facts->events[i].attr.sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	return false;
}

/* Nothing that the report could show. */
static int perf_data_refuse(const struct perf_file *file, const struct perf_records *records, struct error *err)
{
	if (is_error(&records->broken))
		return error_set(err, "%s, and there is no sample before that", records->broken.text);
	if (records->traced)
		return error_set(
			err,
			"it has an AUX area trace (Intel PT, CoreSight) and no samples; `perf inject --itrace=i100us "
			"-i FILE -o SAMPLES` makes samples of it");
	if (records->counted)
		return error_set(
			err, "it is of `perf stat record`; `perf stat report -j -i FILE` prints counts that topdown "
			     "reads");
	if (file->facts.is_directory)
		return error_set(err,
				 "perf record --threads put the samples into other files of the directory; without "
				 "--threads they are in one");
	return error_set(err, "it has no samples");
}

/* ---- the measurement ---- */

static const char *tool_of(const struct perf_facts *facts, struct arena *arena)
{
	return facts->version ? arena_printf(arena, "perf %s", facts->version) : "perf";
}

static void make_measurement(struct measurement *measured, const struct perf_file *file, struct arena *arena)
{
	const struct perf_facts *facts = &file->facts;
	struct counts *part = arena_alloc(arena, sizeof(*part));
	struct repeat *repeat = arena_alloc(arena, sizeof(*repeat));

	repeat->runs = arena_array(arena, 1, sizeof(*repeat->runs));
	repeat->runs[0] =
		(struct count_run){ .wall_s = file->profile->seconds, .cpu_s = NOT_COUNTED, .status = STATUS_UNKNOWN };
	repeat->nruns = 1;
	part->repeats = repeat;
	part->nrepeats = 1;
	part->origin = (struct origin){ .cpuid = facts->cpuid,
					.machine = facts->cpu,
					.host = facts->host,
					.kernel = facts->release,
					.command = facts->command,
					.scope = file->profile->scope,
					.tool_version = tool_of(facts, arena) };
	part->origin.facts = (struct facts){ .smt_on = NOT_COUNTED,
					     .core_wide = NOT_COUNTED,
					     .num_cpus = facts->cpus ? facts->cpus : NOT_COUNTED,
					     .num_cpus_online = facts->online_cpus ? facts->online_cpus : NOT_COUNTED,
					     .num_cores = NOT_COUNTED,
					     .num_dies = NOT_COUNTED,
					     .num_packages = NOT_COUNTED,
					     .slots = NOT_COUNTED,
					     .system_tsc_freq = NOT_COUNTED,
					     .has_pmem = NOT_COUNTED };
	*measured = (struct measurement){
		.parts = part, .count = 1, .from_s = NOT_COUNTED, .to_s = NOT_COUNTED, .profile = file->profile
	};
}

/* Its stacks can be unwound here, and its files may be here. */
static bool is_of_here(const struct perf_facts *facts)
{
	struct utsname here;

	return facts->host && facts->arch && uname(&here) == 0 && !strcmp(here.nodename, facts->host) &&
	       !strcmp(here.machine, facts->arch);
}

static int take_records(struct perf_file *file, struct perf_records *records, struct error *err)
{
	struct delivery seen = { .samples = 0 };
	struct delivery_setup setup = { .records = records, .profile = file->profile };

	perf_records_read(records, file->stored, file->data.offset, file->data.size);
	if (file->facts.nevents) {
		perf_facts_complete(&file->facts);
		perf_data_add_events(file);
		setup.is_of_here = is_of_here(&file->facts);
		perf_deliver(&seen, &setup);
		finish_events(file);
	}
	if (!seen.samples)
		return perf_data_refuse(file, records, err);
	file->profile->seconds = (double)(seen.last_ns - seen.first_ns) * 1e-9;
	file->profile->scope = scope_of(&file->facts);
	perf_kernel_move(file->profile, &file->facts, seen.kernel_text);
	remark_records(file, records, &seen);
	if (has_copied_stacks(&file->facts) && !setup.is_of_here)
		profile_remark(file->profile,
			       "Stacks were copied (--call-graph dwarf) and have to be unwound with the files of "
			       "the machine that recorded them; only the kernel's parts are here.");
	return 0;
}

int perf_data_read(struct measurement *measured, const struct stored_bytes *stored, const char *source,
		   struct arena *arena, struct error *err)
{
	struct perf_file file = { .stored = stored, .facts = { .arena = arena } };
	struct perf_records records = { .facts = &file.facts };
	int result = perf_data_read_header(&file, err);

	file.profile = arena_alloc(arena, sizeof(*file.profile));
	profile_init(file.profile, arena);
	if (result == 0)
		result = take_records(&file, &records, err);
	perf_records_release(&records);
	if (result < 0)
		return error_in(err, "%s", source);
	make_measurement(measured, &file, arena);
	return 0;
}
