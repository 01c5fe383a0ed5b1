/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xml.h - text inside XML, as an element's content or in an attribute's double quotes. */
#ifndef TOPDOWN_COMMON_BASE_XML_H
#define TOPDOWN_COMMON_BASE_XML_H

#include <stdio.h>

/*
 * Writes text with &, <, > and " as entities. What is no character of XML (its production 2) makes no document that
 * can't be read: control characters become escapes such as \x1b, stray bytes, U+FFFE and U+FFFF are left out. Texts of
 * strangers go through cells_safe before, which escapes newlines and what turns the writing direction, too.
 */
void xml_write(FILE *out, const char *text);

#endif
