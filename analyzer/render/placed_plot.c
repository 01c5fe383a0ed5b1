/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placed_plot.c - ceilings and points on logarithmic axes: as lines of text, or as a picture of a page. */
#include <math.h>
#include <string.h>

#include "render/human.h"
#include "render/plot.h"
#include "render/placed_parts.h"

#define ROWS	    16
#define LEAST_WIDTH 40
#define MOST_WIDTH  72 /* columns of the area */
#define AXIS	    11 /* columns of the labels beside it */
#define MOST_MARKS  24

char placed_letter(const struct placed *roofline, size_t point)
{
	return point < roofline->nwhole ? (char)('A' + point % 26) : (char)('a' + (point - roofline->nwhole) % 26);
}

/* A point's place: the level that limits it, or else memory. NAN: nowhere. */
static double intensity_of(const struct placed_point *point)
{
	enum roofline_quantity level = point->limit == ROOFLINE_FLOPS ? ROOFLINE_DRAM : point->limit;

	for (enum roofline_quantity i = ROOFLINE_L1; i < ROOFLINE_QUANTITIES && !(point->levels[level].intensity > 0);
	     i++)
		level = i;
	return isfinite(point->levels[level].intensity) ? point->levels[level].intensity : NOT_COUNTED;
}

/* The ceilings that are drawn: of each level the highest, and of each type and width. */
static bool is_drawn(const struct placed *roofline, size_t number)
{
	const struct roof *roof = &roofline->roofs->items[number];

	if (roof->threads != roofline->threads || !(roof->value > 0) || (roof->type && !strcmp(roof->type, "int")))
		return false;
	for (size_t i = 0; i < roofline->roofs->count; i++) {
		const struct roof *other = &roofline->roofs->items[i];
		bool is_same = roof->level ? other->level && !strcmp(other->level, roof->level)
					   : !other->level && other->bits == roof->bits && other->type && roof->type &&
						     !strcmp(other->type, roof->type);

		if (is_same && other->threads == roof->threads &&
		    (other->value > roof->value || (!(other->value < roof->value) && i < number)))
			return false;
	}
	return true;
}

/* ---- the range ---- */

struct range {
	double x_low, x_high, y_low, y_high;
};

static void widen(double *low, double *high, double value)
{
	if (!(value > 0) || !isfinite(value))
		return;
	*low = value < *low ? value : *low;
	*high = value > *high ? value : *high;
}

static double highest_peak(const struct placed *roofline)
{
	double peak = 0;

	for (size_t i = 0; i < roofline->roofs->count; i++)
		if (!roofline->roofs->items[i].level && is_drawn(roofline, i))
			peak = fmax(peak, roofline->roofs->items[i].value);
	return peak;
}

/* All points, and where each bandwidth meets the peak. */
static struct range range_of(const struct placed *roofline)
{
	struct range r = { (double)INFINITY, 0, (double)INFINITY, 0 };
	double peak = highest_peak(roofline);

	widen(&r.y_low, &r.y_high, peak);
	for (size_t i = 0; i < roofline->count; i++) {
		widen(&r.x_low, &r.x_high, intensity_of(&roofline->points[i]));
		widen(&r.y_low, &r.y_high, roofline->points[i].performance);
	}
	for (size_t i = 0; i < roofline->roofs->count; i++)
		if (roofline->roofs->items[i].level && is_drawn(roofline, i))
			widen(&r.x_low, &r.x_high, peak / roofline->roofs->items[i].value);
	r.x_low /= 2;
	r.x_high *= 4;
	r.y_low = fmin(r.y_low / 2, r.y_high / 100);
	r.y_high *= 2;
	return r;
}

/* ---- as text ---- */

struct canvas {
	char *cells; /* ROWS lines of width columns */
	size_t width;
	struct range range;
};

static double x_of(const struct canvas *c, double column)
{
	double share = column / (double)(c->width - 1);

	return c->range.x_low * pow(c->range.x_high / c->range.x_low, share);
}

static long row_of(const struct canvas *c, double y)
{
	double share = log(y / c->range.y_low) / log(c->range.y_high / c->range.y_low);

	return lround((1 - share) * (ROWS - 1));
}

static long column_of(const struct canvas *c, double x)
{
	return lround(log(x / c->range.x_low) / log(c->range.x_high / c->range.x_low) * (double)(c->width - 1));
}

static void put(struct canvas *c, long row, long column, char mark)
{
	if (row >= 0 && row < ROWS && column >= 0 && column < (long)c->width)
		c->cells[row * (long)c->width + column] = mark;
}

/* Behind what is drawn there. */
static void put_text(struct canvas *c, long row, long column, const char *text)
{
	for (; *text; text++, column++)
		put(c, row, column, *text);
}

static const char *roof_label(const struct roof *roof, struct arena *arena)
{
	return roof->level ? arena_printf(arena, " %s %s GB/s ", roof->level, human_fixed(arena, roof->value / 1e9, 0))
			   : arena_printf(arena, " %s ", roof_name(roof, arena));
}

/* A bandwidth ends where it meets the highest peak; a peak begins where the highest bandwidth does. */
static void draw_roof(struct canvas *c, const struct placed *roofline, const struct roof *roof, double fastest)
{
	double peak = highest_peak(roofline);

	for (size_t column = 0; column < c->width; column++) {
		double x = x_of(c, (double)column), y = roof->level ? roof->value * x : roof->value;

		if (roof->level ? y <= peak : x * fastest >= y)
			put(c, row_of(c, y), (long)column, roof->level ? '/' : '-');
	}
}

static void label_roof(struct canvas *c, const struct roof *roof, struct arena *arena)
{
	const char *text = roof_label(roof, arena);
	long length = (long)strlen(text), row;

	if (!roof->level) {
		put_text(c, row_of(c, roof->value), (long)c->width - length, text);
		return;
	}
	/* Where the line comes into the area. */
	row = row_of(c, roof->value * c->range.x_low);
	if (row < 0 || row >= ROWS)
		return;
	put_text(c, row, 0, text + 1);
}

static double fastest_level(const struct placed *roofline)
{
	double fastest = 0;

	for (size_t i = 0; i < roofline->roofs->count; i++)
		if (roofline->roofs->items[i].level && is_drawn(roofline, i))
			fastest = fmax(fastest, roofline->roofs->items[i].value);
	return fastest > 0 ? fastest : (double)INFINITY;
}

static void draw_all(struct canvas *c, const struct placed *roofline, struct arena *arena)
{
	double fastest = fastest_level(roofline);

	for (size_t i = 0; i < roofline->roofs->count; i++)
		if (is_drawn(roofline, i))
			draw_roof(c, roofline, &roofline->roofs->items[i], fastest);
	for (size_t i = 0; i < roofline->roofs->count; i++)
		if (is_drawn(roofline, i))
			label_roof(c, &roofline->roofs->items[i], arena);
	for (size_t i = roofline->count; i-- > 0;) {
		double x = intensity_of(&roofline->points[i]), y = roofline->points[i].performance;

		if (x > 0 && y > 0)
			put(c, row_of(c, y), column_of(c, x), placed_letter(roofline, i));
	}
}

/* "12.3 G" beside the rows, some of them. */
static void print_row(struct string *text, const struct canvas *c, long row, struct arena *arena)
{
	double y = c->range.y_high * pow(c->range.y_low / c->range.y_high, (double)row / (ROWS - 1));
	size_t length = c->width;

	while (length && c->cells[row * (long)c->width + (long)length - 1] == ' ')
		length--;
	string_printf(text, "%*s |", AXIS - 2, row % 5 == 0 ? human_count(arena, y) : "");
	string_addn(text, c->cells + row * (long)c->width, length);
	string_add(text, "\n");
}

static void print_axis(struct string *text, const struct canvas *c, struct arena *arena)
{
	size_t at = 0;

	string_printf(text, "%*s +", AXIS - 2, "FLOP/s");
	for (size_t i = 0; i < c->width; i++)
		string_add(text, "-");
	string_printf(text, "\n%*s", AXIS, "");
	for (size_t i = 0; i + 12 < c->width; i += c->width / 4) {
		const char *label = arena_printf(arena, "%.2g", x_of(c, (double)i));

		string_printf(text, "%*s%s", (int)(i - at), "", label);
		at = i + strlen(label);
	}
	string_add(text, "  FLOP/B");
}

static void draw_text_plot(struct document *doc, const struct placed *roofline)
{
	size_t width = doc->width < AXIS + MOST_WIDTH ? doc->width - AXIS : MOST_WIDTH;
	struct canvas c = { .width = width < LEAST_WIDTH ? LEAST_WIDTH : width, .range = range_of(roofline) };
	struct string text = STRING_INIT(doc->arena);

	c.cells = arena_array(doc->arena, ROWS * c.width, 1);
	memset(c.cells, ' ', ROWS * c.width);
	draw_all(&c, roofline, doc->arena);
	for (long row = 0; row < ROWS; row++)
		print_row(&text, &c, row, doc->arena);
	print_axis(&text, &c, doc->arena);
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_DRAWING, .text = text.text });
}

/* ---- as a picture ---- */

static size_t take_marks(struct plot_mark *marks, const struct placed *roofline, struct arena *arena)
{
	size_t count = 0;

	for (size_t i = 0; i < roofline->roofs->count && count < MOST_MARKS; i++) {
		const struct roof *roof = &roofline->roofs->items[i];

		if (!is_drawn(roofline, i))
			continue;
		marks[count++] = (struct plot_mark){
			.kind = roof->level ? PLOT_MARK_CEILING : PLOT_MARK_Y,
			.at = roof->value / 1e9,
			.label = roof_name(roof, arena),
			.said = arena_printf(arena, "%s: %s %s", roof_name(roof, arena),
					     human_fixed(arena, roof->value / 1e9, 1),
					     roof->level ? "GB/s" : "GFLOP/s"),
		};
	}
	return count;
}

/* The points from one number to another. */
static struct plot_series series_of(const struct placed *roofline, size_t from, size_t to, struct arena *arena)
{
	double *x = arena_array(arena, to - from + 1, sizeof(*x)), *y = arena_array(arena, to - from + 1, sizeof(*y));
	const char **said = arena_array(arena, to - from + 1, sizeof(*said));

	for (size_t i = from; i < to; i++) {
		const struct placed_point *point = &roofline->points[i];

		x[i - from] = intensity_of(point);
		y[i - from] = point->performance / 1e9;
		said[i - from] =
			arena_printf(arena, "%s: %s", point->name ? point->name : "the program", point->verdict);
	}
	return (struct plot_series){ .kind = PLOT_POINTS, .x = x, .y = y, .said = said, .count = to - from };
}

static void draw_picture(struct document *doc, const struct placed *roofline)
{
	struct plot *plot = arena_alloc(doc->arena, sizeof(*plot));
	struct plot_series *series = arena_array(doc->arena, 2, sizeof(*series));
	struct plot_mark *marks = arena_array(doc->arena, MOST_MARKS, sizeof(*marks));
	struct range r = range_of(roofline);
	size_t count = 1;

	series[0] = series_of(roofline, 0, roofline->nwhole, doc->arena);
	series[0].name = "program";
	if (roofline->count > roofline->nwhole) {
		series[count] = series_of(roofline, roofline->nwhole, roofline->count, doc->arena);
		series[count].name = "functions";
		series[count++].color = 1;
	}
	*plot = (struct plot){ .name = "Roofline",
			       .x = { .scale = PLOT_LOG10, .title = "FLOP/B", .low = r.x_low, .high = r.x_high },
			       .y = { .scale = PLOT_LOG10,
				      .title = "GFLOP/s",
				      .unit = "GFLOP/s",
				      .low = r.y_low / 1e9,
				      .high = r.y_high / 1e9 },
			       .series = series,
			       .nseries = count,
			       .marks = marks,
			       .nmarks = take_marks(marks, roofline, doc->arena) };
	doc_add(doc, plot_block(doc, plot, "Operations a second by operations a byte, below the ceilings",
				roofline->points[0].verdict));
}

void placed_plot(struct document *doc, const struct placed *roofline)
{
	if (!roofline->roofs || !(highest_peak(roofline) > 0))
		return;
	if (doc->is_page)
		draw_picture(doc, roofline);
	else
		draw_text_plot(doc, roofline);
}
