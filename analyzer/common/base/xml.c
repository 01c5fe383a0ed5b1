/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/base/xml.h"

#include "common/base/cells.h"

void xml_write(FILE *out, const char *text)
{
	uint32_t code;

	for (size_t length; *text; text += length) {
		length = utf8_next(text, &code);
		switch (*text) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		default:
			if (code < ' ' && code != '\n' && code != '\t')
				fprintf(out, "\\x%02x", (unsigned)code);
			else if (code != UTF8_INVALID && (code & 0xfffe) != 0xfffe)
				fwrite(text, 1, length, out);
		}
	}
}
