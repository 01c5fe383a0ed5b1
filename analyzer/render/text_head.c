/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/renderers.h"

#include "render/human.h"

/* The lines above the tree. Each makes its text; "" leaves the line out. */
struct head_line {
	const char *label;
	const char *(*text)(const struct page *page, const struct report *report);
};

static const char *command_text(const struct page *page UNUSED, const struct report *report)
{
	return report->summary.command;
}

static const char *time_text(const struct page *page, const struct report *report)
{
	const struct summary *summary = &report->summary;

	return arena_printf(page->arena, "%s wall, %s CPUs used", human_seconds(page->arena, summary->wall_s),
			    human_fixed(page->arena, summary->cpus_used, 2));
}

static const char *work_text(const struct page *page, const struct report *report)
{
	const struct summary *summary = &report->summary;
	struct arena *arena = page->arena;

	return arena_printf(arena, "%s instructions, %s cycles, IPC %s, %s GHz",
			    human_count(arena, summary->instructions), human_count(arena, summary->cycles),
			    human_fixed(arena, summary->ipc, 2), human_fixed(arena, summary->ghz, 2));
}

static const char *number_of(struct arena *arena, size_t count, const char *thing)
{
	return count ? arena_printf(arena, "%zu %s%s", count, thing, count == 1 ? "" : "s")
		     : arena_printf(arena, "- %ss", thing);
}

static const char *counted_text(const struct page *page, const struct report *report)
{
	const struct summary *summary = &report->summary;
	struct arena *arena = page->arena;

	return arena_printf(arena, "%s, %s, %s", number_of(arena, summary->runs, "run"),
			    number_of(arena, summary->groups, "group"), summary->scope ? summary->scope : "- scope");
}

/* Success is what everybody expects; only another exit status deserves a line. */
static const char *status_text(const struct page *page, const struct report *report)
{
	const struct summary *summary = &report->summary;

	return summary->has_status && summary->status ? arena_printf(page->arena, "%d", summary->status) : "";
}

static const char *cpu_text(const struct page *page, const struct report *report)
{
	const struct summary *summary = &report->summary;
	const char *title = summary->machine ? summary->machine : summary->title;

	return arena_printf(page->arena, "%s (%s)", title ? title : "-", summary->cpu ? summary->cpu : "-");
}

static const char *model_text(const struct page *page, const struct report *report)
{
	const struct model *model = report->model;
	const char *version = model->version ? model->version : "-";

	if (!model->tma_version)
		return arena_printf(page->arena, "%s %s", model->cpu, version);
	return arena_printf(page->arena, "TMA %s, %s %s", model->tma_version, model->cpu, version);
}

void text_head(const struct page *page, const struct report *report)
{
	static const struct head_line lines[] = {
		{ "Command", command_text }, { "Time", time_text },	{ "Work", work_text },
		{ "Counted", counted_text }, { "Status", status_text }, { "CPU", cpu_text },
		{ "Model", model_text },
	};

	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct indent indent = {
			.first = arena_printf(page->arena, "%-9s", lines[i].label),
			.rest = "         ",
			.width = 9,
		};

		page_wrap(page, &indent, page_safe(page, lines[i].text(page, report)));
	}
}
