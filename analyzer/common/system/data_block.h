/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data_block.h - data that a page of HTML carries in a <script> that browsers don't run. */
#ifndef TOPDOWN_COMMON_SYSTEM_DATA_BLOCK_H
#define TOPDOWN_COMMON_SYSTEM_DATA_BLOCK_H

#include <stddef.h>

#include "common/base/arena.h"

/* The script's type. */
#define DATA_BLOCK_PACKED "application/octet-stream;base64" /* gzip in base64 */
#define DATA_BLOCK_PLAIN  "application/json"		    /* where the program was built without zlib */

/* What stands in it, of JSON, terminated: nothing there ends the script. *type is one of the above. */
const char *data_block(const char *json, size_t length, const char **type, struct arena *arena) MUST_CHECK;

#endif
