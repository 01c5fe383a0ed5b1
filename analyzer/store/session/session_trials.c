/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_trials.c - the member "what_if" of a part: further simulations, each on a changed core. */
#include <math.h>

#include "common/json/json_shape.h"
#include "store/session/session_internal.h"

static const struct field trial_fields[] = {
	{ "name", FIELD_TEXT, offsetof(struct tried, name), NULL },
	{ "what", FIELD_TEXT, offsetof(struct tried, what), NULL },
	{ "cycles", FIELD_NUMBER_OR_NULL, offsetof(struct tried, cycles), NULL },
};

static const struct shape trial_shape = { .fields = trial_fields, .count = COUNT_OF(trial_fields) };

void trials_write(struct json_writer *writer, const struct counts *counts)
{
	if (!counts->ntrials)
		return;
	json_write_array(writer, "what_if");
	for (size_t i = 0; i < counts->ntrials; i++) {
		const struct tried *trial = &counts->trials[i];

		json_write_object(writer, NULL);
		fields_write(writer, &trial_shape, trial);
		json_write_array(writer, "nodes");
		for (size_t k = 0; k < trial->nnodes; k++)
			json_write_string(writer, NULL, trial->nodes[k]);
		json_write_end(writer);
		json_write_end(writer);
	}
	json_write_end(writer);
}

static int read_nodes(struct tried *trial, const struct json *array, const struct file_position *place,
		      struct error *err)
{
	if (!json_is_array(array))
		return field_error(err, place, "nodes", "an array", array);
	trial->nnodes = json_size(array);
	trial->nodes = arena_array(place->arena, trial->nnodes + 1, sizeof(*trial->nodes));
	for (size_t i = 0; i < trial->nnodes; i++) {
		const char *name = json_text(json_at(array, i));

		if (!name)
			return field_error(err, place, "nodes", "names of nodes", json_at(array, i));
		trial->nodes[i] = arena_strdup(place->arena, name);
	}
	return 0;
}

int trials_read(struct counts *counts, const struct json *array, struct file_position place, struct error *err)
{
	if (!array)
		return 0;
	if (!json_is_array(array))
		return field_error(err, &place, "what_if", "an array", array);
	counts->ntrials = json_size(array);
	counts->trials = arena_array(place.arena, counts->ntrials + 1, sizeof(*counts->trials));
	place.list = "what_if";
	for (place.index = 0; place.index < counts->ntrials; place.index++) {
		struct tried *trial = &counts->trials[place.index];
		const struct json *object = json_at(array, place.index);

		if (fields_read(trial, object, &trial_shape, &place, err) < 0 ||
		    read_nodes(trial, json_get(object, "nodes"), &place, err) < 0)
			return -1;
	}
	return 0;
}
