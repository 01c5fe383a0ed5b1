/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/session/session_page.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/bytes.h"
#include "common/base/text.h"
#include "common/measurement/interval_series.h"
#include "common/system/data_block.h"
#include "common/system/file.h"
#include "common/system/gzip.h"

#define BEGIN(type) "<script type=\"" type "\" id=\"topdown-session\">"
#define END	    "</script>"

/* ---- reading ---- */

static bool begins(const char *text, size_t length, const char *word)
{
	return length >= strlen(word) && has_name_prefix(text, word);
}

/* Where it begins, white space and comments ("saved from ...") aside, a page says what it is. */
bool is_page(const struct session_text *text)
{
	size_t at = 0;

	while (at < text->length && text->text[at] && strchr(" \t\r\n", text->text[at]))
		at++;
	return begins(text->text + at, text->length - at, "<!doctype html") ||
	       begins(text->text + at, text->length - at, "<html") ||
	       begins(text->text + at, text->length - at, "<!--");
}

/* Foreign text in a page has no '<', so this can't be a name's. */
static const char *session_page_find(const char *text, size_t length, const char *what)
{
	return memmem(text, length, what, strlen(what));
}

/* NULL: there is none, or more than one, which *count says. */
static const char *find_session(const struct session_text *page, const char **type, size_t *count)
{
	static const char *const types[][2] = { { DATA_BLOCK_PACKED, BEGIN(DATA_BLOCK_PACKED) },
						{ DATA_BLOCK_PLAIN, BEGIN(DATA_BLOCK_PLAIN) } };
	const char *session = NULL;

	*count = 0;
	for (size_t i = 0; i < COUNT_OF(types); i++) {
		const char *end = page->text + page->length, *at = page->text;

		while ((at = session_page_find(at, (size_t)(end - at), types[i][1]))) {
			at += strlen(types[i][1]);
			session = at;
			*type = types[i][0];
			++*count;
		}
	}
	return *count == 1 ? session : NULL;
}

int page_session(struct session_text *text, struct arena *arena, struct error *err)
{
	const char *type, *end;
	size_t count;
	const char *session = find_session(text, &type, &count);

	if (!session && count)
		return error_set(err, "%s: a page with %zu sessions, so it is open which one is meant", text->source,
				 count);
	if (!session)
		return error_set(err, "%s: a page without a session; with {embed} a page of a saved one has it",
				 text->source);
	end = session_page_find(session, (size_t)(text->text + text->length - session), END);
	if (!end)
		return error_set(err, "%s: a page that was cut within its session", text->source);
	text->text = session;
	text->length = (size_t)(end - session);
	if (!strcmp(type, DATA_BLOCK_PLAIN))
		return 0;
	text->text = base64_decode(session, text->length, &text->length, arena);
	return text->text && is_gzip(text->text, text->length)
		       ? 0
		       : error_set(err, "%s: the page's session was changed or cut: it is not gzip in base64",
				   text->source);
}

/* ---- writing ---- */

#define MOST_BYTES  (128 << 20)	      /* before it is packed */
#define MOST_SERIES ((size_t)4 << 20) /* bytes of intervals; the file of --save has eight times as many */
#define MOST_PACKED (12 << 20)	      /* in the page: more would make it slow to open, and too large for a mail */

static const char *too_large(size_t bytes, struct error *err)
{
	error_set(err,
		  "The session is not in this file: with %zu MB it is too large for a page. `{save} FILE.gz` in "
		  "addition to the page keeps it.",
		  bytes >> 20);
	return NULL;
}

const char *page_session_text(const struct measurement *measured, const char **type, struct arena *arena,
			      struct error *err)
{
	struct session_bytes bytes = { .bytes = NULL };
	struct measurement kept = *measured;
	struct interval_series *shorter = kept.series ? interval_series_within(kept.series, MOST_SERIES, arena) : NULL;
	const char *text = NULL;

	kept.series = shorter ? shorter : kept.series;
	if (session_make_bytes(&bytes, &kept, err) < 0)
		error_in(err, "The session is not in this file");
	else if (bytes.length > MOST_BYTES)
		too_large(bytes.length, err);
	else
		text = data_block(bytes.bytes, bytes.length, type, arena);
	if (text && strlen(text) > MOST_PACKED)
		text = too_large(strlen(text), err);
	if (shorter)
		interval_series_release(shorter);
	free(bytes.bytes);
	return text;
}
