/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_waits.c - the member "wall": the wall clock of threads, what each has waited for, and when. */
#include <assert.h>

#include "common/waits/waits.h"
#include "common/json/json_shape.h"
#include "store/session/session_internal.h"

static_assert(sizeof(enum wait_kind) == sizeof(unsigned), "FIELD_CHOICE stores an unsigned");

/* What the thread with that number in the list has waited for. */
struct saved_cause {
	uint32_t thread;
	struct wait_cause own;
};

/* Of the times without a CPU: so many are in this bucket. */
struct saved_bucket {
	uint32_t number;
	uint64_t count;
};

/* What the thread with that number did for a while. */
struct saved_segment {
	uint32_t thread;
	struct wait_segment own;
};

static const char *kind_choices[WAIT_KINDS + 1];

static const struct field waits_fields[] = {
	{ "length_s", FIELD_NUMBER_OR_NULL, offsetof(struct waits, length_s), NULL },
	{ "lost", FIELD_U64, offsetof(struct waits, lost), NULL },
	{ "looks", FIELD_U64, offsetof(struct waits, looks), NULL },
	{ "short_s", FIELD_NUMBER_OR_NULL, offsetof(struct waits, short_s), NULL },
	{ "cpu_s", FIELD_NUMBER_OR_NULL, offsetof(struct waits, cpu_s), NULL },
	{ "wakes", FIELD_TRUE_IF_ANY, offsetof(struct waits, has_wakes), NULL },
	{ "calls", FIELD_TRUE_IF_ANY, offsetof(struct waits, has_calls), NULL },
	{ "summed", FIELD_TRUE_IF_ANY, offsetof(struct waits, is_summed), NULL },
	{ "of_many", FIELD_TRUE_IF_ANY, offsetof(struct waits, is_of_many), NULL },
	{ "refused", FIELD_TEXT_IF_ANY, offsetof(struct waits, refused), NULL },
	{ "unlooked", FIELD_TEXT_IF_ANY, offsetof(struct waits, unlooked), NULL },
};

static const struct field thread_fields[] = {
	{ "pid", FIELD_U32, offsetof(struct waiting_thread, pid), NULL },
	{ "tid", FIELD_U32, offsetof(struct waiting_thread, tid), NULL },
	{ "name", FIELD_TEXT_OR_NULL, offsetof(struct waiting_thread, name), NULL },
	{ "from_s", FIELD_NUMBER_OR_NULL, offsetof(struct waiting_thread, from_s), NULL },
	{ "to_s", FIELD_NUMBER_OR_NULL, offsetof(struct waiting_thread, to_s), NULL },
	{ "running_s", FIELD_NUMBER_OR_NULL, offsetof(struct waiting_thread, running_s), NULL },
	{ "preempted_s", FIELD_NUMBER_OR_NULL, offsetof(struct waiting_thread, preempted_s), NULL },
	{ "throttled_s", FIELD_NUMBER_OR_NULL, offsetof(struct waiting_thread, throttled_s), NULL },
	{ "queued_s", FIELD_NUMBER_OR_NULL, offsetof(struct waiting_thread, queued_s), NULL },
	{ "waits", FIELD_U64, offsetof(struct waiting_thread, waits), NULL },
	{ "preemptions", FIELD_U64, offsetof(struct waiting_thread, preemptions), NULL },
	{ "migrations", FIELD_U64, offsetof(struct waiting_thread, migrations), NULL },
	{ "ready_longest_s", FIELD_NUMBER_OR_NULL, offsetof(struct waiting_thread, ready_longest_s), NULL },
};

static const struct field cause_fields[] = {
	{ "thread", FIELD_U32, offsetof(struct saved_cause, thread), NULL },
	{ "kind", FIELD_CHOICE, offsetof(struct saved_cause, own.kind), kind_choices },
	{ "name", FIELD_TEXT_OR_NULL, offsetof(struct saved_cause, own.name), NULL },
	{ "call", FIELD_TEXT_IF_ANY, offsetof(struct saved_cause, own.call), NULL },
	{ "time_s", FIELD_NUMBER_OR_NULL, offsetof(struct saved_cause, own.time_s), NULL },
	{ "longest_s", FIELD_NUMBER_OR_NULL, offsetof(struct saved_cause, own.longest_s), NULL },
	{ "waits", FIELD_U64, offsetof(struct saved_cause, own.waits), NULL },
	{ "looks", FIELD_U64, offsetof(struct saved_cause, own.looks), NULL },
	{ "by", FIELD_U32, offsetof(struct saved_cause, own.by), NULL },
	{ "by_name", FIELD_TEXT_IF_ANY, offsetof(struct saved_cause, own.by_name), NULL },
};

static const struct field segment_fields[] = {
	{ "thread", FIELD_U32, offsetof(struct saved_segment, thread), NULL },
	{ "from_s", FIELD_NUMBER_OR_NULL, offsetof(struct saved_segment, own.from_s), NULL },
	{ "to_s", FIELD_NUMBER_OR_NULL, offsetof(struct saved_segment, own.to_s), NULL },
	{ "running_s", FIELD_NUMBER_OR_NULL, offsetof(struct saved_segment, own.running_s), NULL },
	{ "ready_s", FIELD_NUMBER_OR_NULL, offsetof(struct saved_segment, own.ready_s), NULL },
	{ "waiting_s", FIELD_NUMBER_OR_NULL, offsetof(struct saved_segment, own.waiting_s), NULL },
	{ "kind", FIELD_CHOICE, offsetof(struct saved_segment, own.kind), kind_choices },
};

#define PART_FIELD(name, part)                                                                                         \
	{                                                                                                              \
		name, FIELD_NUMBER_OR_NULL, offsetof(struct wall_interval, parts) + (part) * sizeof(double), NULL      \
	}

static const struct field interval_fields[] = {
	{ "from_s", FIELD_NUMBER_OR_NULL, offsetof(struct wall_interval, from_s), NULL },
	{ "to_s", FIELD_NUMBER_OR_NULL, offsetof(struct wall_interval, to_s), NULL },
	PART_FIELD("running_s", WALL_RUNNING),
	PART_FIELD("ready_s", WALL_READY),
	PART_FIELD("lock_s", WALL_WAITS + WAIT_LOCK),
	PART_FIELD("disk_s", WALL_WAITS + WAIT_DISK),
	PART_FIELD("network_s", WALL_WAITS + WAIT_NETWORK),
	PART_FIELD("pipe_s", WALL_WAITS + WAIT_PIPE),
	PART_FIELD("timer_s", WALL_WAITS + WAIT_TIMER),
	PART_FIELD("fault_s", WALL_WAITS + WAIT_FAULT),
	PART_FIELD("child_s", WALL_WAITS + WAIT_CHILD),
	PART_FIELD("other_s", WALL_WAITS + WAIT_OTHER),
	PART_FIELD("unknown_s", WALL_WAITS + WAIT_UNKNOWN),
};

static const char *what_choices[] = { "runs", "ready", "waits", "unknown", NULL };

static const struct field link_fields[] = {
	{ "tid", FIELD_U32, offsetof(struct wait_link, tid), NULL },
	{ "thread", FIELD_TEXT_OR_NULL, offsetof(struct wait_link, thread), NULL },
	{ "what", FIELD_CHOICE, offsetof(struct wait_link, what), what_choices },
	{ "cause", FIELD_TEXT_OR_NULL, offsetof(struct wait_link, cause), NULL },
	{ "time_s", FIELD_NUMBER_OR_NULL, offsetof(struct wait_link, time_s), NULL },
	{ "depth", FIELD_U32, offsetof(struct wait_link, depth), NULL },
};

static const struct field bucket_fields[] = {
	{ "number", FIELD_U32, offsetof(struct saved_bucket, number), NULL },
	{ "count", FIELD_U64, offsetof(struct saved_bucket, count), NULL },
};

static const struct field ready_fields[] = {
	{ "sum_ns", FIELD_U64, offsetof(struct log_histogram, sum), NULL },
	{ "least_ns", FIELD_U64, offsetof(struct log_histogram, least), NULL },
	{ "most_ns", FIELD_U64, offsetof(struct log_histogram, most), NULL },
};

static const struct shape bucket_shape = SHAPE(bucket_fields, struct saved_bucket),
			  ready_shape = SHAPE(ready_fields, struct log_histogram);

static const struct shape link_shape = SHAPE(link_fields, struct wait_link);

static const struct shape waits_shape = SHAPE(waits_fields, struct waits),
			  thread_shape = SHAPE(thread_fields, struct waiting_thread),
			  cause_shape = SHAPE(cause_fields, struct saved_cause),
			  segment_shape = SHAPE(segment_fields, struct saved_segment),
			  interval_shape = SHAPE(interval_fields, struct wall_interval);

static void name_kinds(void)
{
	for (unsigned i = 0; i < WAIT_KINDS; i++)
		kind_choices[i] = wait_kind_name(i);
}

static void write_causes(struct json_writer *writer, const struct waits *waits)
{
	struct saved_cause *all;
	size_t count = 0;
	struct arena arena;

	for (size_t i = 0; i < waits->count; i++)
		count += waits->threads[i].ncauses;
	arena_init(&arena);
	all = arena_array(&arena, count + 1, sizeof(*all));
	count = 0;
	for (size_t i = 0; i < waits->count; i++)
		for (size_t k = 0; k < waits->threads[i].ncauses; k++)
			all[count++] = (struct saved_cause){ (uint32_t)i, waits->threads[i].causes[k] };
	objects_write(writer, "causes", &cause_shape, all, count);
	arena_release(&arena);
}

static void write_ready(struct json_writer *writer, const struct log_histogram *ready)
{
	struct saved_bucket buckets[LOG_BUCKETS];
	size_t count = 0;

	if (!ready)
		return;
	for (uint32_t i = 0; i < LOG_BUCKETS; i++)
		if (ready->buckets[i])
			buckets[count++] = (struct saved_bucket){ i, ready->buckets[i] };
	json_write_object(writer, "ready");
	fields_write(writer, &ready_shape, ready);
	objects_write(writer, "buckets", &bucket_shape, buckets, count);
	json_write_end(writer);
}

static int read_ready(struct log_histogram **read, const struct json *object, struct file_position place,
		      struct error *err)
{
	struct log_histogram *ready;
	struct saved_bucket *buckets;
	size_t count;

	if (!object)
		return 0;
	ready = arena_alloc(place.arena, sizeof(*ready));
	place.list = "wall.ready";
	if (fields_read(ready, object, &ready_shape, &place, err) < 0)
		return -1;
	place.list = "wall.ready.buckets";
	buckets = objects_read(&count, json_get(object, "buckets"), &bucket_shape, &place, err);
	if (!buckets)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (buckets[i].number >= LOG_BUCKETS || buckets[i].count > UINT64_MAX - ready->count)
			return error_set(err, "%s: wall.ready.buckets[%zu]: expected a number below %u, and a count",
					 place.source, i, LOG_BUCKETS);
		ready->buckets[buckets[i].number] += buckets[i].count;
		ready->count += buckets[i].count;
	}
	*read = ready;
	return 0;
}

static void write_timeline(struct json_writer *writer, const struct waits *waits)
{
	struct saved_segment *all;
	size_t count = 0;
	struct arena arena;

	for (size_t i = 0; i < waits->count; i++)
		count += waits->threads[i].nsegments;
	arena_init(&arena);
	all = arena_array(&arena, count + 1, sizeof(*all));
	count = 0;
	for (size_t i = 0; i < waits->count; i++)
		for (size_t k = 0; k < waits->threads[i].nsegments; k++)
			all[count++] = (struct saved_segment){ (uint32_t)i, waits->threads[i].segments[k] };
	objects_write(writer, "timeline", &segment_shape, all, count);
	arena_release(&arena);
}

void waits_write(struct json_writer *writer, const struct waits *waits)
{
	if (!waits)
		return;
	name_kinds();
	json_write_object(writer, "wall");
	fields_write(writer, &waits_shape, waits);
	objects_write(writer, "threads", &thread_shape, waits->threads, waits->count);
	write_causes(writer, waits);
	write_timeline(writer, waits);
	objects_write(writer, "links", &link_shape, waits->links, waits->nlinks);
	if (waits->nintervals)
		objects_write(writer, "intervals", &interval_shape, waits->intervals, waits->nintervals);
	write_ready(writer, waits->ready);
	json_write_end(writer);
}

/* They stand in the order of their threads. */
static int give_causes(struct waits *waits, const struct saved_cause *saved, size_t count,
		       const struct file_position *place, struct error *err)
{
	struct wait_cause *causes = arena_array(place->arena, count + 1, sizeof(*causes));

	for (size_t i = 0; i < count; i++) {
		struct waiting_thread *thread;

		if (saved[i].thread >= waits->count || (i && saved[i].thread < saved[i - 1].thread))
			return error_set(err, "%s: wall.causes[%zu].thread: expected threads in their order",
					 place->source, i);
		thread = &waits->threads[saved[i].thread];
		causes[i] = saved[i].own;
		if (!thread->ncauses++)
			thread->causes = &causes[i];
	}
	return 0;
}

/* They stand in the order of their threads, too. */
static int give_segments(struct waits *waits, const struct saved_segment *saved, size_t count,
			 const struct file_position *place, struct error *err)
{
	struct wait_segment *segments = arena_array(place->arena, count + 1, sizeof(*segments));

	for (size_t i = 0; i < count; i++) {
		struct waiting_thread *thread;

		if (saved[i].thread >= waits->count || (i && saved[i].thread < saved[i - 1].thread))
			return error_set(err, "%s: wall.timeline[%zu].thread: expected threads in their order",
					 place->source, i);
		thread = &waits->threads[saved[i].thread];
		segments[i] = saved[i].own;
		if (!thread->nsegments++)
			thread->segments = &segments[i];
	}
	return 0;
}

static int read_timeline(struct waits *waits, const struct json *object, struct file_position *place, struct error *err)
{
	struct saved_segment *saved;
	size_t count;

	if (!json_get(object, "timeline"))
		return 0; /* of a version that kept none */
	place->list = "wall.timeline";
	saved = objects_read(&count, json_get(object, "timeline"), &segment_shape, place, err);
	return saved ? give_segments(waits, saved, count, place, err) : -1;
}

static int read_intervals(struct waits *waits, const struct json *object, struct file_position *place,
			  struct error *err)
{
	if (!json_get(object, "intervals"))
		return 0; /* nobody asked */
	place->list = "wall.intervals";
	waits->intervals = objects_read(&waits->nintervals, json_get(object, "intervals"), &interval_shape, place, err);
	return waits->intervals ? 0 : -1;
}

int waits_read(struct waits **read, const struct json *object, struct file_position place, struct error *err)
{
	struct waits *waits;
	struct saved_cause *saved;
	size_t count;

	if (!object)
		return 0;
	name_kinds();
	waits = arena_alloc(place.arena, sizeof(*waits));
	place.list = "wall";
	place.index = NO_INDEX;
	if (fields_read(waits, object, &waits_shape, &place, err) < 0)
		return -1;
	place.list = "wall.threads";
	waits->threads = objects_read(&waits->count, json_get(object, "threads"), &thread_shape, &place, err);
	if (!waits->threads)
		return -1;
	place.list = "wall.causes";
	saved = objects_read(&count, json_get(object, "causes"), &cause_shape, &place, err);
	if (!saved || give_causes(waits, saved, count, &place, err) < 0)
		return -1;
	place.list = "wall.links";
	waits->links = objects_read(&waits->nlinks, json_get(object, "links"), &link_shape, &place, err);
	if (!waits->links || read_ready(&waits->ready, json_get(object, "ready"), place, err) < 0 ||
	    read_timeline(waits, object, &place, err) < 0 || read_intervals(waits, object, &place, err) < 0)
		return -1;
	*read = waits;
	return 0;
}

/* ---- of each repeat ---- */

void wall_parts_write(struct json_writer *writer, const double *parts)
{
	if (!parts)
		return;
	json_write_object(writer, "wall_parts");
	for (size_t i = 0; i < WALL_PARTS; i++)
		json_write_number(writer, wall_part_name(i), parts[i]);
	json_write_end(writer);
}

int wall_parts_read(const double **read, const struct json *object, struct file_position place, struct error *err)
{
	double *parts;

	if (!object)
		return 0;
	if (!json_is_object(object))
		return field_error(err, &place, "wall_parts", "an object", object);
	place.list = "wall_parts";
	parts = arena_array(place.arena, WALL_PARTS, sizeof(*parts));
	for (size_t i = 0; i < WALL_PARTS; i++) {
		const struct json *value = json_get(object, wall_part_name(i));

		parts[i] = json_amount(value);
		if (!(parts[i] >= 0))
			return field_error(err, &place, wall_part_name(i), "a number from 0 to " JSON_MOST_AMOUNT_TEXT,
					   value);
	}
	*read = parts;
	return 0;
}
