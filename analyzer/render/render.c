/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/render.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "render/planned.h"
#include "render/renderers.h"

struct renderer {
	int (*reports)(const struct page *page, const struct report_set *set, struct error *err);
	int (*plan)(const struct page *page, const struct planned *planned, struct error *err);
};

static const struct renderer renderers[] = {
	[FORMAT_TEXT] = { reports_text, plan_text },
	[FORMAT_JSON] = { reports_json, plan_json },
	[FORMAT_CSV] = { reports_csv, plan_csv },
	[FORMAT_MARKDOWN] = { reports_markdown, plan_markdown },
};

/* Output is refused when it leaves the buffer at the latest, so this tells about everything printed before. */
static int finish(FILE *out, int result, struct error *err)
{
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return result;
	return error_set(err, "can't write the output: %s", errno ? strerror(errno) : "the stream has failed before");
}

int render_report(FILE *out, const struct report *report, const struct style *style, struct error *err)
{
	struct report only = *report;
	const struct report_set set = { .parts = &only, .count = 1, .from_s = (double)NAN, .to_s = (double)NAN };

	return render_reports(out, &set, style, err);
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

int render_plan(FILE *out, const struct plan *plan, const struct model *model, const struct style *style,
		struct error *err)
{
	struct planned planned;
	struct arena arena;
	struct page page;
	int result;

	arena_init(&arena);
	page = page_init(out, style, &arena);
	planned = planned_init(plan, model, &arena);
	result = renderers[style->format].plan(&page, &planned, err);
	arena_release(&arena);
	return finish(out, result, err);
}
