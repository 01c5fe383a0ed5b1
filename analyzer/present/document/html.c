/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/document/html.h"

#include "common/base/cells.h"
#include "common/base/xml.h"

/* Made from page.css, page.js and explorer.js when topdown is built, with their SHA-256 in base64. */
extern const char page_css[], page_css_hash[];
extern const char page_js[], page_js_hash[];
extern const char explorer_js[], explorer_js_hash[];

void html_text(FILE *out, const char *text, struct arena *arena)
{
	xml_write(out, cells_safe(arena, text, true));
}

/* The policy allows these styles and this script, no others, and no address at all. */
void html_begin(FILE *out, const char *title, bool explores, struct arena *arena)
{
	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-%s'; "
		"script-src 'sha256-%s'%s%s%s; base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"topdown\">\n"
		"<title>",
		page_css_hash, page_js_hash, explores ? " 'sha256-" : "", explores ? explorer_js_hash : "",
		explores ? "'" : "");
	html_text(out, title, arena);
	fprintf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n", page_css);
}

void html_end(FILE *out, bool explores)
{
	fprintf(out, "<script>%s</script>\n", page_js);
	if (explores)
		fprintf(out, "<script>%s</script>\n", explorer_js);
	fputs("</body>\n</html>\n", out);
}
