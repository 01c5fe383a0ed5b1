/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits_timeline.c - of each of the busiest threads a row: its name, a bar of its whole life, and what it did when.
 * Names are text of the page, so they keep their size at every width; only the drawings are stretched.
 */
#include "present/document/html.h"
#include "present/document/human.h"
#include "present/explorer/explored.h"
#include "present/waits/waits_parts.h"
#include "present/waits/waits_view.h"

#define WIDTH	1000.0 /* of a drawing, in its own units */
#define HEIGHT	20.0
#define LEAST	1.0   /* of its width: a shorter while would not be seen */
#define VISIBLE 0.005 /* a part of a while, or of a life, that is drawn, and named */

struct timeline_picture {
	const struct waits *waits;
	const struct explored *explored;
};

/* Running, ready, and what it waited for: as classes of page.css end, and as words. */
enum { LOOK_RUNNING, LOOK_READY, LOOK_KINDS, LOOKS = LOOK_KINDS + WAIT_KINDS };

static const char *look_class(unsigned look)
{
	return look == LOOK_RUNNING ? "running" : look == LOOK_READY ? "ready" : wait_kind_name(look - LOOK_KINDS);
}

static const char *look_title(unsigned look)
{
	return look == LOOK_RUNNING ? "Running" : look == LOOK_READY ? "Ready, no CPU" : waits_title(look - LOOK_KINDS);
}

/* ---- what a life and a while were ---- */

static void life_parts(const struct waiting_thread *thread, double parts[LOOKS])
{
	double life = thread_life(thread);

	parts[LOOK_RUNNING] = thread->running_s;
	parts[LOOK_READY] = thread->preempted_s + thread->queued_s;
	for (unsigned i = 0; i < WAIT_KINDS; i++)
		parts[LOOK_KINDS + i] = thread_waited(thread, i);
	for (unsigned i = 0; i < LOOKS; i++)
		parts[i] = life > 0 ? fmin(fmax(parts[i] / life, 0), 1) : 0;
}

static void segment_parts(const struct wait_segment *segment, double parts[LOOKS])
{
	double length = segment->to_s - segment->from_s;

	for (unsigned i = 0; i < LOOKS; i++)
		parts[i] = 0;
	parts[LOOK_RUNNING] = segment->running_s;
	parts[LOOK_READY] = segment->ready_s;
	parts[LOOK_KINDS + segment->kind] = segment->waiting_s;
	for (unsigned i = 0; i < LOOKS; i++)
		parts[i] = length > 0 ? fmin(fmax(parts[i] / length, 0), 1) : 0;
}

/* "Running 33.2 %, Lock 66.8 %" */
static const char *parts_text(const double parts[LOOKS], struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (unsigned i = 0; i < LOOKS; i++)
		if (parts[i] >= VISIBLE)
			string_printf(&text, "%s%s %s %%", text.length ? ", " : "", look_title(i),
				      human_fixed(arena, 100 * parts[i], 1));
	return text.length ? text.text : "nothing";
}

/* ---- the drawing ---- */

static void draw_life(FILE *out, const struct waiting_thread *thread, struct arena *arena)
{
	double parts[LOOKS], at = 0;
	const char *text;

	life_parts(thread, parts);
	text = parts_text(parts, arena);
	fprintf(out, "<svg viewBox=\"0 0 %g %g\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"", WIDTH,
		HEIGHT);
	html_text(out, text, arena);
	fputs("\"><title>", out);
	html_text(out, text, arena);
	fputs("</title>", out);
	for (unsigned i = 0; i < LOOKS; at += parts[i++])
		if (parts[i] >= VISIBLE)
			fprintf(out, "<rect class=\"w-%s\" x=\"%.1f\" width=\"%.1f\" height=\"%g\"/>", look_class(i),
				at * WIDTH, parts[i] * WIDTH, HEIGHT);
	fputs("</svg>", out);
}

static double place_of(const struct waits *waits, double at_s)
{
	return waits->length_s > 0 ? fmin(fmax(at_s / waits->length_s, 0), 1) * WIDTH : 0;
}

/* From the bottom: it ran, was ready, waited. */
static void draw_stack(FILE *out, const double parts[LOOKS], double from, double to)
{
	double at = HEIGHT;

	for (unsigned i = 0; i < LOOKS; i++) {
		double height = parts[i] >= VISIBLE ? parts[i] * HEIGHT : 0;

		at -= height;
		if (height > 0)
			fprintf(out, "<rect class=\"w-%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
				look_class(i), fmin(from, WIDTH - LEAST), fmax(at, 0), fmax(to - from, LEAST), height);
	}
}

static void draw_segment(FILE *out, const struct timeline_picture *picture, const struct waiting_thread *thread,
			 const struct wait_segment *segment, struct arena *arena)
{
	double parts[LOOKS];
	size_t span[2];
	bool is_link = picture->explored && explored_span(picture->explored, segment->from_s, segment->to_s, span);

	segment_parts(segment, parts);
	if (is_link)
		fprintf(out, "<a href=\"#span=%zu-%zu\" tabindex=\"-1\"><title>", span[0], span[1]);
	else
		fputs("<g><title>", out);
	html_text(out,
		  arena_printf(arena, "%s, %.3f to %.3f s: %s", waits_thread_text(thread, arena), segment->from_s,
			       segment->to_s, parts_text(parts, arena)),
		  arena);
	fputs("</title>", out);
	draw_stack(out, parts, place_of(picture->waits, segment->from_s), place_of(picture->waits, segment->to_s));
	fputs(is_link ? "</a>\n" : "</g>\n", out);
}

static void draw_thread(FILE *out, const struct timeline_picture *picture, size_t number, struct arena *arena)
{
	const struct waiting_thread *thread = &picture->waits->threads[number];
	const char *name = waits_thread_text(thread, arena);
	bool is_link = waits_has_row(picture->waits, number);

	fputs("<li class=\"thread\"><span>", out);
	if (is_link)
		fprintf(out, "<a href=\"#" WAIT_ROW "%zu\">", number);
	html_text(out, name, arena);
	fputs(is_link ? "</a></span>" : "</span>", out);
	draw_life(out, thread, arena);
	fprintf(out, "<svg viewBox=\"0 0 %g %g\" preserveAspectRatio=\"none\" role=\"group\" aria-label=\"When ", WIDTH,
		HEIGHT);
	html_text(out, name, arena);
	fputs(" did what\">\n", out);
	for (size_t i = 0; i < thread->nsegments; i++)
		draw_segment(out, picture, thread, &thread->segments[i], arena);
	fputs("</svg></li>\n", out);
}

static void draw_looks(FILE *out, const struct waits *waits)
{
	fputs("<ul class=\"legend\">", out);
	for (unsigned look = 0; look < LOOKS; look++) {
		bool has_any = false;

		for (size_t i = 0; i < waits->count && !has_any; i++) {
			double parts[LOOKS];

			life_parts(&waits->threads[i], parts);
			has_any = waits->threads[i].nsegments && parts[look] >= VISIBLE;
		}
		if (has_any)
			fprintf(out,
				"<li><svg class=\"key\" viewBox=\"0 0 20 14\" aria-hidden=\"true\"><rect class=\"w-%s\""
				" width=\"20\" height=\"14\"/></svg>%s</li>",
				look_class(look), look_title(look));
	}
	fputs("</ul>\n", out);
}

static void draw_timeline(FILE *out, const void *what, struct arena *arena)
{
	const struct timeline_picture *picture = what;

	draw_looks(out, picture->waits);
	fputs("<ol class=\"threads\">\n", out);
	for (size_t i = 0; i < picture->waits->count; i++)
		if (picture->waits->threads[i].nsegments)
			draw_thread(out, picture, i, arena);
	fputs("</ol>\n<p class=\"thread ends\"><span></span><span>its whole life</span><span><span>0 s</span><span>",
	      out);
	html_text(out, human_seconds(arena, picture->waits->length_s), arena);
	fputs("</span></span></p>\n", out);
}

void waits_timeline(struct document *doc, const struct waits *waits, const struct explored *explored)
{
	struct timeline_picture *what = arena_alloc(doc->arena, sizeof(*what));
	struct picture *picture = arena_alloc(doc->arena, sizeof(*picture));
	size_t drawn = 0;

	if (explored && explored_moments(explored) < 2)
		explored = NULL;
	for (size_t i = 0; are_waits_known(waits) && i < waits->count; i++)
		drawn += waits->threads[i].nsegments > 0;
	if (!drawn)
		return;
	*what = (struct timeline_picture){ waits, explored };
	*picture = (struct picture){ .title = explored ? "Threads over time: running below, waiting above. A click "
							 "leads to the functions of then."
						       : "Threads over time: running below, waiting above.",
				     .spoken = "A bar and a timeline of each thread; the tables have the sums",
				     .draw = draw_timeline,
				     .what = what };
	doc_add(doc, (struct block){ .kind = BLOCK_PICTURE, .picture = picture });
	if (drawn < waits->count)
		doc_sentence(doc, arena_printf(doc->arena, "%zu more thread%s did less, and %s not drawn.",
					       waits->count - drawn, waits->count - drawn == 1 ? "" : "s",
					       waits->count - drawn == 1 ? "is" : "are"));
}
