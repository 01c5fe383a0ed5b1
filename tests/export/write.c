/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write.c FORM [WEIGHING [none|process|thread [module|node]]] - a profile that a script describes on standard input, in
 * a form of `topdown export`, or with FORM explored as a page carries it. Texts are in hex; a line each:
 *
 *   W NAME TITLE UNIT event|exact	   a weighing; all before the rows
 *   N TITLE WEIGHING PARENT SLOTS	   a node, for colours; PARENT -1: level 1
 *   M PATH KIND			   a module
 *   P MODULE ADDRESS FUNCTION:FILE:LINE...  a place, its frames innermost first
 *   T PID TID NAME PROGRAM		   a thread
 *   O ROW NUMBER WEIGHT		   what a row that stands above has in a moment of half a second
 *   R TASK SAMPLES WEIGHT,... PLACE,...   a row: its weights, and its stack, innermost first
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "present/explorer/explored.h"
#include "present/export/forms.h"

enum { MOST = 64, WORDS = 4096 };

struct input {
	struct arena *arena;
	struct profile profile;
	struct weighing weighings[MOST];
	struct export_node nodes[MOST];
	size_t nweighings, nnodes, room;
};

/* "-" is NULL. */
static const char *unhex(struct arena *arena, const char *hex, size_t length)
{
	char *text = arena_alloc(arena, length / 2 + 1);
	unsigned byte;

	if (length == 1 && *hex == '-')
		return NULL;
	for (size_t i = 0; i + 1 < length; i += 2) {
		sscanf(hex + i, "%2x", &byte);
		text[i / 2] = (char)byte;
	}
	return text;
}

static const char *text_of(struct input *input, const char *word)
{
	return unhex(input->arena, word, strlen(word));
}

static void read_place(struct input *input, char **words, size_t count)
{
	uint32_t number = profile_place(&input->profile, (uint32_t)atoi(words[1]), strtoull(words[2], NULL, 0));
	struct profile_place *place = &input->profile.places[number];

	place->nframes = count - 3;
	place->frames = arena_array(input->arena, count, sizeof(*place->frames));
	for (size_t i = 3; i < count; i++) {
		char *file = strchr(words[i], ':'), *line = strchr(file + 1, ':');

		place->frames[i - 3].function = unhex(input->arena, words[i], (size_t)(file - words[i]));
		place->frames[i - 3].file = unhex(input->arena, file + 1, (size_t)(line - file - 1));
		place->frames[i - 3].line = (uint32_t)atoi(line + 1);
	}
}

static void read_row(struct input *input, char **words)
{
	struct profile_row key = { .stack = PROFILE_NONE, .task = (uint32_t)atoi(words[1]), .event = 0 };
	char *place = words[4] + strlen(words[4]), *weight = words[3];
	struct profile_row *row;
	uint32_t number;

	while (place > words[4]) {
		*place = '\0';
		while (place > words[4] && place[-1] != ',')
			place--;
		key.stack = profile_stack(&input->profile, (uint32_t)atoi(place), key.stack);
		place -= place > words[4];
	}
	key.interval = input->profile.nrows; /* so that none is like another */
	row = profile_row(&input->profile, &key);
	number = (uint32_t)(row - input->profile.rows);
	row->samples = strtoull(words[2], NULL, 10);
	for (size_t i = 0; i < input->nweighings; i++) {
		struct weighing *weighing = &input->weighings[i];

		weighing->weights = realloc(weighing->weights, (number + 1) * sizeof(double));
		weighing->weights[number] = strtod(weight, &weight);
		weight += *weight == ',';
		weighing->total += weighing->weights[number];
		weighing->samples += weighing->is_exact || !(weighing->weights[number] > 0) ? 0 : row->samples;
	}
}

static void read_moment(struct input *input, char **words)
{
	struct profile *profile = &input->profile;
	const struct profile_moment part = { (uint32_t)atoi(words[1]), (uint32_t)atoi(words[2]),
					     strtod(words[3], NULL) };

	profile->moments = realloc(profile->moments, (profile->nmoments + 1) * sizeof(part));
	profile->moments[profile->nmoments++] = part;
	profile->rows[part.row].weight += part.weight;
	profile->moment_s = 0.5;
	profile->moments_s = fmax(profile->moments_s, 0.5 * (part.number + 1));
}

static void read_line(struct input *input, char **words, size_t count)
{
	struct profile_module module = { .kind = MODULE_FILE };
	struct profile_task task;

	switch (*words[0]) {
	case 'W':
		input->weighings[input->nweighings++] = (struct weighing){ .name = text_of(input, words[1]),
									   .title = text_of(input, words[2]),
									   .unit = text_of(input, words[3]),
									   .event = PROFILE_NONE,
									   .is_exact = !strcmp(words[4], "exact") };
		break;
	case 'N':
		input->nodes[input->nnodes++] = (struct export_node){ .name = text_of(input, words[1]),
								      .title = text_of(input, words[1]),
								      .weighing = (uint32_t)strtoul(words[2], NULL, 10),
								      .parent = (uint32_t)strtoul(words[3], NULL, 10),
								      .slots = strtod(words[4], NULL) };
		break;
	case 'M':
		module.path = text_of(input, words[1]);
		module.kind = (enum module_kind)atoi(words[2]);
		profile_module(&input->profile, &module);
		break;
	case 'P': read_place(input, words, count); break;
	case 'T':
		task = (struct profile_task){ .pid = (uint32_t)atoi(words[1]),
					      .tid = (uint32_t)atoi(words[2]),
					      .name = text_of(input, words[3]),
					      .program = text_of(input, words[4]) };
		profile_task(&input->profile, &task);
		break;
	case 'O': read_moment(input, words); break;
	case 'R': read_row(input, words); break;
	}
}

static void read_all(struct input *input)
{
	char *line = NULL, *words[WORDS], *rest;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		size_t count = 0;

		for (words[0] = strtok_r(line, " \n", &rest); words[count] && count + 1 < WORDS;)
			words[++count] = strtok_r(NULL, " \n", &rest);
		if (count)
			read_line(input, words, count);
	}
	free(line);
	for (size_t i = 0; i < input->nweighings; i++)
		input->weighings[i].whole = input->weighings[i].total;
}

static void write_explored(const struct export_subject *subject, struct arena *arena)
{
	struct explored explored;
	const char *type, *block;

	explored_fill(&explored, subject, NULL, arena);
	block = explored_block(&explored, &type, arena);
	printf("<script type=\"%s\" id=\"%s\">%s</script>\n", type, EXPLORED_ID, block);
}

int main(int argc, char **argv)
{
	static struct input input;
	struct weighings weighings = { .items = input.weighings };
	struct export_subject subject = { .profile = &input.profile,
					  .weighings = &weighings,
					  .command = "./prog <b> & \"c\"",
					  .nodes = input.nodes };
	enum export_form form = argc > 1 ? export_form_named(argv[1]) : EXPORT_FORMS;
	bool is_explored = argc > 1 && !strcmp(argv[1], "explored");
	struct error err = { .text = "" };
	struct arena arena;
	int result = 0;

	if (form == EXPORT_FORMS && !is_explored)
		return 2;
	arena_init(&arena);
	input.arena = &arena;
	profile_init(&input.profile, &arena);
	read_all(&input);
	weighings.count = input.nweighings;
	subject.nnodes = input.nnodes;
	subject.chosen = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
	subject.roots = argc <= 3 || !strcmp(argv[3], "none") ? ROOTS_NONE
			: !strcmp(argv[3], "thread")	      ? ROOTS_THREAD
							      : ROOTS_PROCESS;
	subject.colors = argc > 4 && !strcmp(argv[4], "node") ? COLORS_NODE : COLORS_MODULE;
	if (is_explored)
		write_explored(&subject, &arena);
	else
		result = export_forms[form].write(stdout, &subject, &arena, &err);
	if (result < 0)
		fprintf(stderr, "%s\n", err.text);
	for (size_t i = 0; i < input.nweighings; i++)
		free(input.weighings[i].weights);
	free(input.profile.moments);
	arena_release(&arena);
	return result < 0 ? export_forms[form].missing ? 77 : 1 : 0;
}
