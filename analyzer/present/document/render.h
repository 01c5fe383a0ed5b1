/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * render.h - what is shown, as text, JSON, CSV, Markdown or one page of HTML, a plan also as commands for perf. The
 * only module that writes results.
 */
#ifndef TOPDOWN_PRESENT_DOCUMENT_RENDER_H
#define TOPDOWN_PRESENT_DOCUMENT_RENDER_H

#include <stdio.h>

#include "analyse/diagnose/diagnosis.h"
#include "analyse/evaluate/report.h"
#include "common/base/arena.h"
#include "common/base/text.h"
#include "cpu/load/glossary.h"
#include "cpu/plan/plan.h"

/* Of all that is printed as JSON: docs/FORMATS.md says when which number changes, and has this one. */
#define SCHEMA_VERSION "1.0.0"

enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_CSV,
	FORMAT_MARKDOWN,
	FORMAT_HTML,
	FORMAT_BRIEF, /* JSON of what matters: a view's own, else all of it; whoever writes it cuts it */
	FORMAT_PERF   /* plans only */
};

struct style {
	enum format format;
	bool has_color;	 /* SGR sequences */
	bool has_utf8;	 /* box drawing and bars; else ASCII */
	bool is_verbose; /* all nodes, those below their threshold dimmed */
	unsigned width;	 /* columns of the page; 0: unknown, 80 is assumed */
	bool is_piped;	 /* the width is not a terminal's, so there are no bars */
};

/* What FORMAT_HTML alone shows. Each is NULL where there is none of it. */
struct measurement;
struct timeline;
struct explored_sides;
struct page_content {
	const struct measurement *measured;    /* for the groups of its runs */
	const struct timeline *timeline;       /* its intervals (timeline.h) */
	const struct explored_sides *explored; /* where its nodes are (explored.h) */
	/* The measurement's session as a data block; without one a sentence that says why. */
	const char *session, *session_type, *no_session;
};

/* All return -1 when the stream refuses the output (a full disk, a closed pipe). content: NULL, or of a page. */
int render_reports(FILE *out, const struct report_set *set, const struct page_content *content,
		   const struct style *style, struct error *err) MUST_CHECK;

/* A plan with the model whose events and metrics it names. */
struct plan_part {
	const struct plan *plan;
	const struct model *model;
	const char *part; /* the type of cores that it is for, "cpu_core"; NULL: there is one only */
};

struct plan_set {
	const struct plan_part *parts; /* of each type of cores; their groups are counted in the same runs */
	size_t count;
	bool is_all_cpus; /* of whole CPUs, not of a program */
};
int render_plans(FILE *out, const struct plan_set *set, const struct style *style, struct error *err) MUST_CHECK;

/* What is in order is explained in text with is_verbose only. */
int render_diagnosis(FILE *out, const struct diagnosis *diagnosis, const struct style *style,
		     struct error *err) MUST_CHECK;

/* What a machine is short of (analyse/host/host_findings.h). Every value stands in text with is_verbose only. */
struct host_findings;
int render_first(FILE *out, const struct host_findings *findings, const struct style *style,
		 struct error *err) MUST_CHECK;

struct explanation {
	size_t metric; /* its number in the model */
	struct glossary_entry words;
};

struct explanation_set {
	const struct model *model;
	const struct explanation *items;
	size_t count;
};
int render_explanations(FILE *out, const struct explanation_set *set, const struct style *style,
			struct error *err) MUST_CHECK;

/* A table of what there is: CPUs, events, metrics, nodes, groups (listing.h). */
struct listing;
int render_listing(FILE *out, const struct listing *listing, const struct style *style, struct error *err) MUST_CHECK;

/* What changed from one measurement to another (analyse/compare/compare.h). */
struct comparison;
int render_comparison(FILE *out, const struct comparison *comparison, const struct page_content *content,
		      const struct style *style, struct error *err) MUST_CHECK;

/*
 * The result of a gate. Of GitHub: the text between two lines that keep it from being commands, then the annotations.
 */
enum gate_form {
	GATE_FORM_TEXT,
	GATE_FORM_JSON,
	GATE_FORM_MARKDOWN,
	GATE_FORM_HTML,
	GATE_FORM_JUNIT,
	GATE_FORM_GITHUB,
	GATE_FORM_BRIEF
};
/* How it is drawn; JUnit's XML and GitHub's annotations by their own writers, with text. */
enum format gate_format(enum gate_form form);

struct gate_result;
struct gate_output {
	enum gate_form form;
	const char *token; /* that nobody can guess; GATE_FORM_GITHUB */
};
int render_gate(FILE *out, const struct gate_result *result, const struct gate_output *form, const struct style *style,
		struct error *err) MUST_CHECK;

/* ---- live_frame.c ---- */

/* An interval as a frame of a terminal's window: the same tree, cut to what fits, with sparklines. */

struct recent_values;

struct live_frame {
	const struct report_set *set;	  /* of an interval */
	const struct recent_values *past; /* with this interval in it (recent_values.h) */
	size_t columns, rows;		  /* of the window */
};

/*
 * Adds its lines, at most rows of them, each of at most columns columns and with its newline. The style's width is the
 * frame's own. -1 when there is no memory.
 */
int live_frame_draw(struct string *text, const struct live_frame *frame, const struct style *style,
		    struct error *err) MUST_CHECK;

/* The same lines in another window: adds what fits of each, and of them as many as fit. */
void live_frame_cut(struct string *text, const char *lines, size_t columns, size_t rows);

/* ---- manual.c ---- */

/*
 * A page of the manual as text for a terminal. The page is Markdown of few kinds: headings, paragraphs, lists,
 * tables, examples, and quotes, each of which explains the line above it.
 */

/*
 * Lines are as wide as style says, and 80 columns at most. With has_color, words are bold or underlined by the
 * terminal's sequences. That it did not arrive is for the stream to say.
 */
void render_manual(FILE *file, const char *markdown, const struct style *style, struct arena *arena);

#endif
