/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/history/trend.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

/* ---- which way is worse ---- */

/* The first row that fits says it. */
static const struct {
	const char *name; /* a glob, without regard to case, of what stands behind the part's name */
	enum worse worse;
} directions[] = {
	/* clang-format off */
	{ "wall",             WORSE_MORE },
	{ "cpu_time",         WORSE_MORE },
	{ "wall.*",           WORSE_MORE },
	{ "instructions",     WORSE_MORE },
	{ "cycles",           WORSE_MORE },
	{ "*IPC*",            WORSE_LESS },
	{ "*UopPI*",          WORSE_MORE },
	{ "*CPI*",            WORSE_MORE },
	{ "syscalls*",        WORSE_MORE },
	{ "*MPKI*",           WORSE_MORE },
	{ "*miss*",           WORSE_MORE },
	{ "*misp*",           WORSE_MORE },
	{ "*latency*",        WORSE_MORE },
	{ "*hit*",            WORSE_LESS },
	{ "*coverage*",       WORSE_LESS },
	{ "*retiring",        WORSE_LESS },
	{ "*_bound",          WORSE_MORE },
	{ "*bad_speculation", WORSE_MORE },
	{ "*bandwidth",       WORSE_UNSAID },
	{ "*mispredict*",     WORSE_MORE },
	{ "*clears*",         WORSE_MORE },
	{ "*bottleneck*",     WORSE_MORE },
	{ "*heavy_operations", WORSE_MORE },
	{ "*microcode*",      WORSE_MORE },
	/* clang-format on */
};

static const char *behind_part(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

enum worse worse_of(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(directions); i++)
		if (fnmatch(directions[i].name, behind_part(name), FNM_CASEFOLD) == 0)
			return directions[i].worse;
	return WORSE_UNSAID;
}

const char *worse_name(enum worse worse)
{
	return worse == WORSE_MORE ? "more" : worse == WORSE_LESS ? "less" : NULL;
}

static enum turn trend_judge(enum worse worse, double before, double after)
{
	if (worse == WORSE_UNSAID)
		return TURN_UNSAID;
	return (after > before) == (worse == WORSE_MORE) ? TURN_WORSE : TURN_BETTER;
}

/* ---- the values that were measured ---- */

struct measured {
	double *values;
	size_t *runs;
	size_t count;
};

static struct measured measured_of(const struct trend *trend, struct arena *arena)
{
	size_t count = trend->series->count;
	struct measured measured = { .values = arena_array(arena, count + 1, sizeof(double)),
				     .runs = arena_array(arena, count + 1, sizeof(size_t)) };

	for (size_t i = 0; i < count; i++) {
		if (!isfinite(trend->values.values[i]))
			continue;
		measured.values[measured.count] = trend->values.values[i];
		measured.runs[measured.count++] = i;
	}
	return measured;
}

/* Within a stretch: a mean of what was before a change and behind it would be of neither. */
static void roll(struct trend *trend, const struct measured *measured, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		size_t first = i + 1 > from + ROLLING ? i + 1 - ROLLING : from;
		double sum = 0;

		for (size_t k = first; k <= i; k++)
			sum += measured->values[k];
		trend->mean[measured->runs[i]] = sum / (double)(i + 1 - first);
	}
}

static void score(struct trend *trend, const struct measured *measured, size_t from, size_t to)
{
	double mean, sum = 0, squares = 0, count = (double)(to - from);

	/* Of the differences, so that equal values have their own as the mean, to the last bit. */
	for (size_t i = from; i < to; i++)
		sum += measured->values[i] - measured->values[from];
	mean = from < to ? measured->values[from] + sum / count : 0;
	for (size_t i = from; i < to; i++)
		squares += (measured->values[i] - mean) * (measured->values[i] - mean);
	if (count < 2 || squares <= 0)
		return;
	for (size_t i = from; i < to; i++)
		trend->score[measured->runs[i]] = (measured->values[i] - mean) / sqrt(squares / (count - 1));
}

/* ---- changes ---- */

static bool is_accepted(const struct series *series, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (series->runs[i].accepted_ms)
			return true;
	return false;
}

static void take_change(struct trend *trend, const struct measured *measured, const struct change_point *point,
			size_t next)
{
	double percent =
		fabs(point->before) > 0 ? 100 * (point->after - point->before) / fabs(point->before) : NOT_COUNTED;
	size_t run = measured->runs[point->index];
	size_t end = next < measured->count ? measured->runs[next] : trend->series->count;

	trend->changes[trend->nchanges++] =
		(struct trend_change){ .run = run,
				       .before = point->before,
				       .after = point->after,
				       .percent = percent,
				       .p = point->p,
				       .turn = trend_judge(trend->worse, point->before, point->after),
				       .is_accepted = is_accepted(trend->series, run, end) };
}

static struct change_rule rule_of(const struct trend *trend, const struct trend_rule *rule)
{
	const double parts = 100; /* in a percentage */
	struct change_rule made = { .window = CHANGE_WINDOW, .most_p = CHANGE_P, .segment = CHANGE_SEGMENT };

	if (trend->values.unit[0] == '%')
		made.absolute = rule->least;
	else
		made.relative = rule->least / parts;
	return made;
}

void trend_of(struct trend *trend, const struct trend_rule *rule, struct arena *arena)
{
	const struct change_rule made = rule_of(trend, rule);
	struct measured measured = measured_of(trend, arena);
	struct change_point *points;
	size_t count = trend->series->count, npoints;

	trend->worse = worse_of(trend->values.name);
	trend->nmeasured = measured.count;
	trend->mean = arena_array(arena, count + 1, sizeof(double));
	trend->score = arena_array(arena, count + 1, sizeof(double));
	for (size_t i = 0; i < count; i++)
		trend->mean[i] = trend->score[i] = NOT_COUNTED;
	npoints = change_points(&points, measured.values, measured.count, &made, arena);
	trend->changes = arena_array(arena, npoints + 1, sizeof(*trend->changes));
	for (size_t i = 0; i <= npoints; i++) {
		size_t from = i ? points[i - 1].index : 0, to = i < npoints ? points[i].index : measured.count;

		roll(trend, &measured, from, to);
		score(trend, &measured, from, to);
		if (i)
			take_change(trend, &measured, &points[i - 1], to);
	}
}

static bool is_relative(const struct trend *trend)
{
	const char *name = behind_part(trend->values.name);

	return trend->values.unit[0] == '%' || fnmatch("*IPC*", name, FNM_CASEFOLD) == 0 ||
	       fnmatch("*CPI*", name, FNM_CASEFOLD) == 0 || fnmatch("*UopPI*", name, FNM_CASEFOLD) == 0;
}

static bool has_agreeing(const struct trend *cost, const struct trend_change *change)
{
	for (size_t i = 0; i < cost->nchanges; i++) {
		const struct trend_change *own = &cost->changes[i];
		size_t apart = own->run > change->run ? own->run - change->run : change->run - own->run;

		if (apart <= 1 && own->turn == change->turn)
			return true;
	}
	return false;
}

void trends_agree(struct trend *trends, size_t count, const struct trend *costs, size_t ncosts)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; is_relative(&trends[i]) && k < trends[i].nchanges; k++) {
			bool is_agreed = false;

			for (size_t n = 0; n < ncosts; n++)
				is_agreed = is_agreed || has_agreeing(&costs[n], &trends[i].changes[k]);
			if (!is_agreed)
				trends[i].changes[k].turn = TURN_UNSAID;
		}
}

int trend_read(struct trend *trend, const struct trend_rule *rule, struct history *history, struct arena *arena,
	       struct error *err)
{
	if (series_values_read(&trend->values, trend->series, history, arena, err) < 0)
		return -1;
	trend_of(trend, rule, arena);
	return 0;
}
