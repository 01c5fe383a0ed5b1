/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_job.c - the member "job": which process of a parallel job it was. */
#include "store/session/session_internal.h"

#include "common/base/text.h"
#include "common/json/json_shape.h"

static const struct field job_fields[] = {
	{ "launcher", FIELD_TEXT, offsetof(struct job_place, launcher), NULL },
	{ "id", FIELD_TEXT_OR_NULL, offsetof(struct job_place, id), NULL },
	{ "rank", FIELD_U64, offsetof(struct job_place, rank), NULL },
	{ "size", FIELD_U64, offsetof(struct job_place, size), NULL },
	{ "local_rank", FIELD_U64, offsetof(struct job_place, local), NULL },
	{ "spread", FIELD_TRUE_IF_ANY, offsetof(struct job_place, is_spread), NULL },
};

static const struct shape job_shape = SHAPE(job_fields, struct job_place);

void job_write(struct json_writer *writer, const struct job_place *job)
{
	if (job->launcher)
		object_write(writer, "job", &job_shape, job);
}

int job_read(struct job_place *job, const struct json *object, struct file_position place, struct error *err)
{
	if (!object)
		return 0;
	place.list = "job";
	if (fields_read(job, object, &job_shape, &place, err) < 0)
		return -1;
	job->launcher = text_within(job->launcher, MOST_ORIGIN_TEXT, place.arena);
	job->id = text_within(job->id, MOST_ORIGIN_TEXT, place.arena);
	return 0;
}
