/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_trials.c - the member "what_if" of a part: further simulations, each on a changed core. */
#include <math.h>

#include "common/json/json_shape.h"
#include "store/session/session_internal.h"

static const struct field trial_fields[] = {
	{ "name", FIELD_TEXT, offsetof(struct tried, name), NULL },
	{ "what", FIELD_TEXT, offsetof(struct tried, what), NULL },
	{ "cycles", FIELD_NUMBER_OR_NULL, offsetof(struct tried, cycles), NULL },
	{ "cycles_ci95", FIELD_NUMBER_IF_ANY, offsetof(struct tried, cycles_ci95), NULL },
};

static const struct shape trial_shape = SHAPE(trial_fields, struct tried);

void trials_write(struct json_writer *writer, const struct counts *counts)
{
	if (!counts->ntrials)
		return;
	json_write_array(writer, "what_if");
	for (size_t i = 0; i < counts->ntrials; i++) {
		const struct tried *trial = &counts->trials[i];

		json_write_object(writer, NULL);
		fields_write(writer, &trial_shape, trial);
		texts_write(writer, "nodes", trial->nodes, trial->nnodes);
		json_write_end(writer);
	}
	json_write_end(writer);
}

int trials_read(struct counts *counts, const struct json *array, struct file_position place, struct error *err)
{
	if (!array)
		return 0;
	place.list = "what_if";
	counts->trials = objects_read(&counts->ntrials, array, &trial_shape, &place, err);
	for (size_t i = 0; counts->trials && i < counts->ntrials; i++) {
		struct tried *trial = &counts->trials[i];

		place.list = arena_printf(place.arena, "what_if[%zu].nodes", i);
		trial->nodes = texts_read(&trial->nnodes, json_get(json_at(array, i), "nodes"), &place, err);
		if (!trial->nodes)
			return -1;
	}
	return counts->trials ? 0 : -1;
}
