/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_metric.c - percentages of nodes that perf printed beside its counts. Its default events of 2023 and later have
 * them without the events that they were computed from.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "store/perftool/perf_record.h"

#define GROUP "TopdownL"

bool is_perf_metric_group(const char *text)
{
	return has_name_prefix(text, GROUP) && isdigit((unsigned char)text[strlen(GROUP)]);
}

/* The number that ends at text[at], of any locale; false: there is none. */
static bool number_before(double *number, const char *text, size_t at)
{
	char copy[32], *comma;
	size_t start = at;

	while (start && !isspace((unsigned char)text[start - 1]))
		start--;
	if (start == at || at - start >= sizeof(copy))
		return false;
	memcpy(copy, text + start, at - start);
	copy[at - start] = '\0';
	comma = strchr(copy, ',');
	if (comma)
		*comma = '.';
	*number = NOT_COUNTED;
	return !strcmp(copy, "nan") || !strcmp(copy, "-nan") || text_double(copy, number);
}

/* Of old perf the words have a blank between them: "backend bound", "Bad Speculation". */
static size_t metric_name_length(const char *text)
{
	static const char *const second[] = { " bound", " speculation" };
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == '.')
		length++;
	for (size_t i = 0; length && i < COUNT_OF(second); i++)
		if (!strncasecmp(text + length, second[i], strlen(second[i])))
			return length + strlen(second[i]);
	return length;
}

/* "of all branches" is none. */
static const char *node_name(const char *text, struct arena *arena)
{
	size_t length = metric_name_length(text);
	char *name = arena_strndup(arena, text, length), *blank = strchr(name, ' ');

	if (blank)
		*blank = '_';
	return isalpha((unsigned char)*name) && (strchr(name, '_') || is_same_name(name, "retiring")) ? name : NULL;
}

const char *perf_metric_next(double *percent, const char **text, struct arena *arena)
{
	const char *start = *text, *sign = start, *name;

	while ((sign = strchr(sign, '%')) != NULL) {
		size_t at = (size_t)(sign++ - start);

		while (at && start[at - 1] == ' ')
			at--;
		name = node_name(sign + strspn(sign, " "), arena);
		if (!name || !number_before(percent, start, at))
			continue;
		*text = sign;
		return name;
	}
	return NULL;
}
