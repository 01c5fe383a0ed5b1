/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base64.h - bytes as letters, as in RFC 4648, section 4. */
#ifndef TOPDOWN_COMMON_BASE_BASE64_H
#define TOPDOWN_COMMON_BASE_BASE64_H

#include <stddef.h>

#include "common/base/arena.h"

/* Terminated, in arena. */
const char *base64_encode(const void *bytes, size_t length, struct arena *arena) MUST_CHECK;

/*
 * The bytes, in arena, and their number. White space between letters is skipped. NULL where anything else stands in the
 * text, or where it is cut: letters come in fours.
 */
char *base64_decode(const char *text, size_t length, size_t *decoded, struct arena *arena) MUST_CHECK;

#endif
