/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/system/data_block.h"

#include <string.h>

#include "common/base/bytes.h"
#include "common/base/text.h"
#include "common/system/gzip.h"

/* In a data block "<" could begin what ends it; in JSON it stands in texts only, where it has another spelling. */
static const char *escaped(const char *json, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t plain; *json; json += plain + (json[plain] != '\0')) {
		plain = strcspn(json, "<");
		string_addn(&text, json, plain);
		string_add(&text, json[plain] ? "\\u003c" : "");
	}
	return text.text;
}

const char *data_block(const char *json, size_t length, const char **type, struct arena *arena)
{
	size_t packed_length;
	const void *packed = gzip_pack(json, length, &packed_length, arena);

	*type = packed ? DATA_BLOCK_PACKED : DATA_BLOCK_PLAIN;
	return packed ? base64_encode(packed, packed_length, arena) : escaped(json, arena);
}
