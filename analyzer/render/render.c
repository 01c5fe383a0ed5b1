/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/render.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "render/planned.h"
#include "render/renderers.h"

struct renderer {
	int (*reports)(const struct page *page, const struct report_set *set, struct error *err);
	int (*plans)(const struct page *page, const struct planned_set *set, struct error *err);
};

static const struct renderer renderers[] = {
	[FORMAT_TEXT] = { reports_text, plans_text },
	[FORMAT_JSON] = { reports_json, plans_json },
	[FORMAT_CSV] = { reports_csv, plans_csv },
	[FORMAT_MARKDOWN] = { reports_markdown, plans_markdown },
};

/* Output is refused when it leaves the buffer at the latest, so this tells about everything printed before. */
static int finish(FILE *out, int result, struct error *err)
{
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return result;
	return error_set(err, "can't write the output: %s", errno ? strerror(errno) : "the stream has failed before");
}

int render_reports(FILE *out, const struct report_set *set, const struct style *style, struct error *err)
{
	struct arena arena;
	struct page page;
	int result;

	arena_init(&arena);
	page = page_init(out, style, &arena);
	result = renderers[style->format].reports(&page, set, err);
	arena_release(&arena);
	return finish(out, result, err);
}

int render_plans(FILE *out, const struct plan_part *parts, size_t count, const struct style *style, struct error *err)
{
	struct planned *planned;
	struct arena arena;
	struct page page;
	int result;

	arena_init(&arena);
	page = page_init(out, style, &arena);
	planned = arena_array(&arena, count, sizeof(*planned));
	for (size_t i = 0; i < count; i++)
		planned[i] = planned_init(&parts[i], &arena);
	result = renderers[style->format].plans(&page, &(struct planned_set){ planned, count }, err);
	arena_release(&arena);
	return finish(out, result, err);
}
