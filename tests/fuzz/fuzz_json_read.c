/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_json_read.c - any bytes as JSON: read whole or refused with words. */
#include <stdint.h>
#include <stdlib.h>

#include "common/json/json_read.h"

static int walk(void *context UNUSED, const char *key UNUSED, const struct json *value)
{
	for (size_t i = 0; i < json_size(value); i++)
		walk(NULL, "", json_at(value, i));
	return json_each(value, walk, NULL) + (json_kind(value) == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { .text = "" };
	struct json *root = json_read_text((const char *)data, size, "fuzz", &err);

	if (!root != is_error(&err) || walk(NULL, "", root))
		abort();
	json_free(root);
	return 0;
}
