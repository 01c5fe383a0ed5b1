/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.c FILE - the file parsed and freed with cJSON and with jansson: seconds of each. */
#include "bench.h"

#include <cjson/cJSON.h>
#include <jansson.h>

#include "base/file.h"

struct text {
	const char *text;
	size_t length;
};

static void with_cjson(void *context)
{
	const struct text *text = context;
	cJSON *root = cJSON_ParseWithLength(text->text, text->length);

	if (!root)
		exit(1);
	cJSON_Delete(root);
}

static void with_jansson(void *context)
{
	const struct text *text = context;
	json_t *root = json_loadb(text->text, text->length, 0, NULL);

	if (!root)
		exit(1);
	json_decref(root);
}

int main(int argc, char **argv)
{
	struct error err = { .text = "" };
	struct arena arena;
	struct text text;

	if (argc != 2)
		return 2;
	arena_init(&arena);
	text.text = file_read(argv[1], &text.length, &arena, &err);
	if (!text.text) {
		fprintf(stderr, "json: %s\n", err.text);
		return 1;
	}
	printf("%g %g %zu\n", bench_median(with_cjson, &text), bench_median(with_jansson, &text), text.length);
	arena_release(&arena);
	return 0;
}
