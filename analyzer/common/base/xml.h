/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xml.h - text inside XML, as an element's content or in an attribute's double quotes. */
#ifndef TOPDOWN_COMMON_BASE_XML_H
#define TOPDOWN_COMMON_BASE_XML_H

#include <stdio.h>

/*
 * Writes text of cells_safe, in which no control character is left, with &, <, > and " as entities. Stray bytes, U+FFFE
 * and U+FFFF are no characters of XML (its production 2), and are left out.
 */
void xml_write(FILE *out, const char *text);

#endif
