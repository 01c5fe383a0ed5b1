/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_page.h - the session that a page of HTML carries, as topdown's own pages do. */
#ifndef TOPDOWN_STORE_SESSION_SESSION_PAGE_H
#define TOPDOWN_STORE_SESSION_SESSION_PAGE_H

#include "store/session/session.h"

/* Does the content begin as a page does? */
bool is_page(const struct session_text *text);

/*
 * Puts the session that the page carries in the page's place; what is packed stays compressed by gzip. -1 where there
 * is none, more than one, or it was cut or changed.
 */
int page_session(struct session_text *text, struct arena *arena, struct error *err) MUST_CHECK;

/*
 * The measurement's session for a page, and *type, the data block's (data_block.h). NULL where it would take more than
 * the page can bear, or can't be made; err says which.
 */
const char *page_session_text(const struct measurement *measured, const char **type, struct arena *arena,
			      struct error *err) MUST_CHECK;

#endif
