/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_groups.c - of a profile in a session, the groups that were read with samples, and what each has counted
 * between two of them.
 */
#include "store/session/session_columns.h"
#include "store/session/session_internal.h"

/* A group as it is saved: the names of its events are the next ones. */
struct saved_group {
	uint32_t event, nevents;
};

static const struct column group_columns[] = {
	{ "event", COLUMN_INDEX, offsetof(struct saved_group, event), LIST_EVENTS, false },
	{ "members", COLUMN_U32, offsetof(struct saved_group, nevents), LISTS, false },
};

static const struct column delta_columns[] = {
	{ "place", COLUMN_INDEX_OR_NONE, offsetof(struct profile_delta, from), LIST_PLACES, false },
	{ "group", COLUMN_INDEX, offsetof(struct profile_delta, group), LIST_GROUPS, false },
	{ "batch", COLUMN_U32, offsetof(struct profile_delta, batch), LISTS, false },
	{ "pairs", COLUMN_U64, offsetof(struct profile_delta, pairs), LISTS, false },
	{ "loop", COLUMN_LOOP, offsetof(struct profile_delta, loop), LIST_LOOPS, true },
};

static const struct column value_columns[] = {
	{ "value", COLUMN_NUMBER, 0, LISTS, false },
};

static const struct elements group_elements = ELEMENTS("groups", group_columns, struct saved_group);
static const struct elements delta_elements = ELEMENTS("deltas", delta_columns, struct profile_delta);
static const struct elements value_elements = ELEMENTS("delta_values", value_columns, double);

/* Each group takes the next names, each delta the next values, as many as its group has events. */
void sampled_groups_write(struct json_writer *writer, const struct profile *profile, struct arena *arena,
			  const struct text_list *texts)
{
	struct saved_group *groups = arena_array(arena, profile->ngroups + 1u, sizeof(*groups));
	size_t nvalues = 0, next = 0;
	double *values;

	json_write_array(writer, "group_events");
	for (uint32_t i = 0; i < profile->ngroups; i++) {
		groups[i] = (struct saved_group){ profile->groups[i].event, (uint32_t)profile->groups[i].nevents };
		for (size_t k = 0; k < profile->groups[i].nevents; k++)
			json_write_string(writer, NULL, profile->groups[i].events[k]);
	}
	json_write_end(writer);
	for (uint32_t i = 0; i < profile->ndeltas; i++)
		nvalues += profile->groups[profile->deltas[i].group].nevents;
	values = arena_array(arena, nvalues + 1, sizeof(*values));
	for (uint32_t i = 0; i < profile->ndeltas; i++)
		for (size_t k = 0; k < profile->groups[profile->deltas[i].group].nevents; k++)
			values[next++] = profile->deltas[i].values[k];
	elements_write(writer, &group_elements, ARRAY_OF(groups, profile->ngroups), texts);
	elements_write(writer, &delta_elements, ARRAY_OF(profile->deltas, profile->ndeltas), texts);
	elements_write(writer, &value_elements, ARRAY_OF(values, nvalues), texts);
}

struct group_reading {
	struct profile *profile;
	struct column_reader *columns;
};

static int give_names(struct group_reading *reading, const struct array_of *groups, const char **names, size_t count,
		      struct error *err)
{
	struct profile *profile = reading->profile;
	const struct saved_group *saved = groups->first;
	size_t next = 0;

	profile->ngroups = (uint32_t)(reading->columns->sizes[LIST_GROUPS] = groups->count);
	profile->groups = arena_array(reading->columns->place.arena, groups->count, sizeof(*profile->groups));
	for (size_t i = 0; i < groups->count; i++) {
		if (saved[i].nevents > count - next)
			return error_set(err,
					 "%s: profile.groups.members: expected numbers whose sum is at most that "
					 "of group_events, %zu",
					 reading->columns->place.source, count);
		profile->groups[i] = (struct profile_group){ saved[i].event, &names[next], saved[i].nevents };
		next += saved[i].nevents;
	}
	return 0;
}

static int give_values(struct group_reading *reading, const struct array_of *deltas, const struct array_of *values,
		       struct error *err)
{
	struct profile *profile = reading->profile;
	double *next = values->first;
	size_t left = values->count;

	profile->deltas = deltas->first;
	profile->ndeltas = (uint32_t)deltas->count;
	for (uint32_t i = 0; i < profile->ndeltas; i++) {
		struct profile_delta *delta = &profile->deltas[i];
		size_t count = profile->groups[delta->group].nevents;

		if (delta->batch >= PROFILE_BATCHES)
			return error_set(err, "%s: profile.deltas.batch[%u]: expected a number below %d",
					 reading->columns->place.source, i, PROFILE_BATCHES);
		if (count > left)
			return error_set(err, "%s: profile.delta_values: expected a value for each event of each delta",
					 reading->columns->place.source);
		delta->to = delta->from;
		delta->values = next;
		next += count;
		left -= count;
	}
	return 0;
}

int sampled_groups_read(struct profile *profile, struct column_reader *columns, const struct json *object,
			struct error *err)
{
	struct group_reading reading = { profile, columns };
	struct array_of groups, deltas, values;
	const char **names;
	size_t count;

	if (!json_get(object, "groups"))
		return 0;
	reading.columns->place.list = "profile.group_events";
	names = texts_read(&count, json_get(object, "group_events"), &reading.columns->place, err);
	if (!names || elements_read(&groups, reading.columns, &group_elements, json_get(object, "groups"), err) < 0 ||
	    give_names(&reading, &groups, names, count, err) < 0 ||
	    elements_read(&deltas, reading.columns, &delta_elements, json_get(object, "deltas"), err) < 0 ||
	    elements_read(&values, reading.columns, &value_elements, json_get(object, "delta_values"), err) < 0)
		return -1;
	return give_values(&reading, &deltas, &values, err);
}
