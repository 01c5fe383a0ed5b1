/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * document.h - what is shown, built once: headings, facts, tables, sentences, commands, pictures. Text, Markdown and
 * HTML draw it; JSON and CSV come from the same tables of typed cells (data.h). README.md has an example.
 */
#ifndef TOPDOWN_PRESENT_DOCUMENT_DOCUMENT_H
#define TOPDOWN_PRESENT_DOCUMENT_DOCUMENT_H

#include <math.h>
#include <stdint.h>

#include "common/base/text.h"
#include "present/document/render.h"

/* The last ones are hues, of bars: INK_HUES + enum hue (hue.h). */
enum ink { INK_PLAIN, INK_DIM, INK_BOLD, INK_PATH, INK_WORST, INK_HUES };

enum cell_kind {
	CELL_NOTHING, /* unknown: null in JSON */
	CELL_ABSENT,  /* not a question for this row: JSON leaves the key out */
	CELL_TEXT,
	CELL_NUMBER, /* NAN: unknown */
	CELL_WHOLE,
	CELL_TRUTH,
	CELL_PARTS, /* a list of names, ';'-separated; an array in JSON */
	/* Of JSON alone (data.h). */
	CELL_EXACT, /* a number with all of its digits */
	CELL_LIST,  /* an array */
	CELL_ROW,   /* an object: the first row of a grid */
	CELL_ROWS,  /* an array of objects: all rows */
};

struct cell {
	enum cell_kind kind;
	enum ink ink;
	const char *text;
	double number;
	int64_t whole;			 /* of CELL_LIST: the number of its cells */
	const void *inside;		 /* cells of CELL_LIST, the grid of CELL_ROW and CELL_ROWS */
	const char *shown;		 /* as people read it; NULL: as machines do */
	const struct drawn_strip *strip; /* of pages: a drawing instead of text (strip.h); NULL: none */
};

struct cell text_cell(const char *text); /* NULL: nothing */
struct cell word_cell(const char *text); /* NULL or "": nothing */
struct cell number_cell(double number);
struct cell whole_cell(size_t whole);
struct cell known_cell(size_t whole); /* 0: nothing */
struct cell truth_cell(bool truth);
struct cell parts_cell(const char *parts); /* NULL: none */
struct cell names_cell(struct arena *arena, const char *const *names, size_t count);
/* For people only. */
struct cell shown_cell(const char *shown, enum ink ink);
static inline struct cell absent_cell(void)
{
	return (struct cell){ .kind = CELL_ABSENT };
}
/* Known where holds, else nothing. */
struct cell cell_if(bool holds, struct cell cell);

/* What people read in it. */
const char *cell_shown(struct arena *arena, const struct cell *cell);
/* What CSV has; NULL where JSON has null, or nothing. */
const char *cell_exact(struct arena *arena, const struct cell *cell);

enum column_flags {
	COLUMN_RIGHT = 1 << 0,	   /* ends at the column's end */
	COLUMN_TREE = 1 << 1,	   /* behind the tree's lines, by the rows' depth */
	COLUMN_SHRINKS = 1 << 2,   /* cut so that all columns fit into the page */
	COLUMN_FRONT_CUT = 1 << 3, /* cut at its front: the end says more */
	/* may be longer than its column; cut where the page ends, where it has `least` columns at least */
	COLUMN_TO_END = 1 << 4,
	COLUMN_BAR = 1 << 5,   /* a percentage as a bar, of what room is left, on terminals */
	COLUMN_WRAP = 1 << 6,  /* not empty: takes the place of all behind it, on as many lines as it needs */
	COLUMN_LOOSE = 1 << 7, /* follows what is before it, wherever that ends */
	COLUMN_LAST = 1 << 8,  /* moved to the left where it would not fit, or to a line of its own */
	COLUMN_BELOW = 1 << 9, /* on lines of its own below the row, of rows that have more */
	COLUMN_KEPT = 1 << 10, /* keeps its gap where nothing is in it */
	COLUMN_TEXT_ONLY = 1 << 11,
	COLUMN_SHEET_ONLY = 1 << 12, /* in Markdown, not in text */
	COLUMN_JOINED = 1 << 13,     /* Markdown puts it into the cell of the column before */
	COLUMN_LABEL = 1 << 14,	     /* below the row: "Heading: text" */
	COLUMN_NO_HEAD = 1 << 16,    /* text: nothing stands above it */
	COLUMN_IS_NAME = 1 << 15,    /* what a pattern is compared with */
	COLUMN_CODE = 1 << 19,	     /* a program's names and text: as code, with their blanks */
	COLUMN_PAGE_ONLY = 1 << 18,  /* its key is of pages only: JSON says it otherwise */
	COLUMN_SPARE = 1 << 17,	     /* text: left out in a window that is too narrow */
	COLUMN_MIDDLE_CUT = 1 << 20, /* cut in its middle: both ends say something */
	COLUMN_NO_PAGE = 1 << 21,    /* pages have it as a field of their row alone */
};

/* A field: one row makes it appear in every form. */
struct column {
	const char *key;     /* in JSON and CSV; NULL: for people only */
	const char *csv;     /* its name in CSV, where the key would stand there twice; NULL: the key */
	const char *heading; /* for people; NULL: for machines only */
	unsigned flags;
	size_t gap; /* text: blanks before it; of COLUMN_BELOW: where it begins */
	size_t least,
		most; /* text: its width, else that of its widest cell; of COLUMN_BELOW the label's; most 0: any */
};

struct grid_row {
	struct cell *cells;  /* one for each column */
	const char *section; /* heading above the first of its rows in the text; NULL: none */
	unsigned depth;	     /* 0: a root, or no tree; a row's parent is the last one above with less */
	bool has_more;	     /* in text its COLUMN_BELOW cells are shown */
	/* Of pages. */
	const char *id;	   /* to be linked to, as in a block; NULL: none */
	const char *opens; /* id of the card that its name opens; NULL: none */
	const char *link;  /* where its name leads, "#fn=f"; NULL: nowhere */
	bool is_minor;	   /* shown when all rows are asked for */
};

struct grid {
	const struct column *columns;
	size_t ncolumns;
	struct grid_row *rows;
	size_t count, capacity;
	bool has_heads;	     /* in text too; Markdown always has them */
	bool is_catalog;     /* Markdown has all columns, by their keys */
	bool is_wide;	     /* text has 100 columns where no terminal's width is known */
	const char *caption; /* of pages: what the table is about; NULL: the heading before it says so */
};

/* Without rows; columns NULL: the first row brings them (grid_members in data.h). */
struct grid *grid_new(struct arena *arena, const struct column *columns, size_t count);
/* Cells, one for each column, are copied. The row is there until the next one is added. */
struct grid_row *grid_add(struct grid *table, const struct cell *cells, struct arena *arena);

/* "Command  ./prog" */
struct fact {
	const char *label;
	const char *text; /* NULL: unknown; "": the line is left out */
	bool is_code;
};

/* A picture, of pages only: whoever cannot see it has its words, and the tables beside it. */
struct picture {
	const char *title;  /* its caption */
	const char *spoken; /* one or two sentences that say what is to be seen in it; never NULL */
	/*
	 * Writes one <svg>, or HTML with some in it, without ids. Colours are classes of page.css or attributes, never
	 * style attributes, which the page forbids. Foreign text goes through html_text().
	 */
	void (*draw)(FILE *out, const void *what, struct arena *arena);
	const void *what;
};

enum block_kind {
	BLOCK_TITLE,   /* of the page: Markdown and HTML */
	BLOCK_PART,    /* heading of a part: "[socket 0]" in text */
	BLOCK_HEADING, /* above a table or a list */
	BLOCK_FACTS,   /* a list in Markdown */
	BLOCK_CARD,    /* facts about one thing: a table in Markdown */
	BLOCK_TABLE,
	BLOCK_SENTENCE, /* wrapped */
	BLOCK_NOTE,	/* one of a list of sentences */
	BLOCK_COMMAND,	/* to be pasted: never broken */
	BLOCK_DRAWING,	/* lines of text, each as it is; a page has a picture in its place */
	/* Of pages; text and Markdown leave them out, but not what stands between them. */
	BLOCK_SECTION, /* begins a part that the page's contents name, up to the next one; text is its heading */
	BLOCK_FOLD,    /* what follows up to BLOCK_UNFOLD is closed until it is asked for; text is what is seen */
	BLOCK_UNFOLD,
	BLOCK_PICTURE,
	BLOCK_DATA, /* text is for programs that read the page, worded its type, id its name */
};

struct block {
	enum block_kind kind;
	bool is_apart;	/* text: an empty line before it */
	enum ink ink;	/* of a heading, or of facts */
	unsigned level; /* of a heading, in Markdown; 0: none, a sentence */
	const char *text;
	const char *indent; /* of a sentence's further lines, and of a heading; NULL: none */
	const char *first;  /* before a sentence's first line, or a command; NULL: nothing, or two blanks */
	const char *worded; /* the sentence where marks are words, as in Markdown; NULL: the same, "": none */
	const char *rest;   /* of a heading: behind it, without ink; NULL: nothing */
	const struct fact *facts;
	size_t nfacts, label;	  /* columns of the labels */
	const char *const *exact; /* of pages: [nfacts] numbers as JSON has them, or NULL */
	const struct grid *grid;
	const struct picture *picture;
	/*
	 * Of pages. id: of a section or a fold, to be linked to: letters, digits, '_', '-', '.'; NULL: none. A card
	 * with an id is closed until a row opens it; text is its heading. look: a class of page.css; NULL: the usual.
	 */
	const char *id, *look;
	bool is_open;	  /* a fold that is open at first, and on paper */
	bool is_explored; /* data that explorer.js shows */
};

struct recent_values;

/* How a document looks that is drawn again and again in a window; where it has no room for all nodes, some wait. */
struct window {
	const struct recent_values *past; /* for sparklines (recent_values.h) */
	size_t spark;			  /* their columns; 0: none */
	size_t most_nodes;		  /* of each tree */
	bool is_low;			  /* what its marks mean is said in a taller one */
	bool has_no_metrics;		  /* beside a tree they wait too */
};

struct document {
	struct arena *arena;
	const struct style *style;
	size_t width; /* columns of the page; SIZE_MAX: any */
	struct block *blocks;
	size_t count, capacity;
	bool is_apart;		     /* the next block will be */
	bool is_whole;		     /* has room for everything */
	bool is_continued;	     /* a part of a page that has begun already */
	const struct window *window; /* NULL: it is a page */
	bool is_page;		     /* of HTML: folds take what does not fit a screen */
};

static inline bool is_of_pages(enum block_kind kind)
{
	return kind >= BLOCK_SECTION;
}

/* An empty line before the next block, in text. */
void doc_gap(struct document *doc);
/* Adds a block. */
void doc_add(struct document *doc, struct block block);
void doc_sentence(struct document *doc, const char *text);
void doc_commands(struct document *doc, const char *heading, const char *const *commands, size_t count);

/* What stands before an interval: "±". */
const char *plus_minus(const struct document *doc);

/* A subject that can be shown: for people, and as data (data.h). render.c draws and writes it. */
struct sheet;
struct json_writer;
struct view {
	void (*document)(struct document *doc, const void *what);
	/* The same as a page, with pictures, folds and what content has; NULL: what document() makes is the page. */
	void (*page)(struct document *doc, const void *what, const struct page_content *content);
	/* The same as Markdown for a pull request or a ticket; NULL: document() makes it. */
	void (*ticket)(struct document *doc, const void *what);
	/* Into the root object. */
	void (*json)(struct json_writer *writer, const void *what, struct arena *arena);
	/* The same, but what matters, for readers with little room; NULL: that one, cut. */
	void (*brief)(struct json_writer *writer, const void *what, struct arena *arena);
	void (*csv)(struct sheet *sheet, const void *what);
	/* As lines for a shell; NULL: it has no such form. */
	void (*perf)(struct string *text, const void *what);
};

extern const struct view report_view;	    /* of a struct report_set */
extern const struct view plan_view;	    /* of a struct plan_set */
extern const struct view diagnosis_view;    /* of a struct diagnosis */
extern const struct view first_view;	    /* of a struct host_findings */
extern const struct view explanation_view;  /* of a struct explanation_set */
extern const struct view listing_view;	    /* of a struct listing */
extern const struct view comparison_view;   /* of a struct comparison */
extern const struct view verification_view; /* of a struct verification_shown */

#endif
