/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/base/shell_words.h"

#include <string.h>

#include "common/base/text.h"

/* While a text is split. */
struct splitting {
	const char *text, *at;
	struct string word;
	struct arena *arena;
};

#define BLANKS	    " \t\n"
#define NEEDS_SHELL "|&;<>()$`*?[#~"

static int needs_shell(const struct splitting *s, struct error *err)
{
	return error_set(err,
			 "'%s': %.1s needs a shell, and none is used; quote it if it is meant literally, else use a "
			 "script or sh -c '...'",
			 s->text, s->at);
}

static int unbalanced(const struct splitting *s, const char *quote, struct error *err)
{
	return error_set(err, "'%s': the quote %s in column %zu is not closed", s->text, *quote == '"' ? "\"" : "'",
			 (size_t)(quote - s->text) + 1);
}

/* Behind the opening quote: all until the next one. */
static int take_single(struct splitting *s, struct error *err)
{
	const char *end = strchr(s->at + 1, '\'');

	if (!end)
		return unbalanced(s, s->at, err);
	string_addn(&s->word, s->at + 1, (size_t)(end - s->at) - 1);
	s->at = end + 1;
	return 0;
}

static int take_double(struct splitting *s, struct error *err)
{
	const char *begin = s->at++;

	while (*s->at && *s->at != '"') {
		if (strchr("$`", *s->at))
			return needs_shell(s, err);
		if (*s->at == '\\' && s->at[1] && strchr("$`\"\\\n", s->at[1])) {
			string_addn(&s->word, s->at + 1, s->at[1] != '\n');
			s->at += 2;
			continue;
		}
		string_addn(&s->word, s->at++, 1);
	}
	if (!*s->at)
		return unbalanced(s, begin, err);
	s->at++;
	return 0;
}

static int take_escaped(struct splitting *s, struct error *err)
{
	if (!s->at[1])
		return error_set(err, "'%s': nothing follows the backslash at its end", s->text);
	if (s->at[1] != '\n')
		string_addn(&s->word, s->at + 1, 1);
	s->at += 2;
	return 0;
}

static bool is_beginning(const struct splitting *s)
{
	return s->at == s->text || strchr(BLANKS, s->at[-1]);
}

static int take_piece(struct splitting *s, struct error *err)
{
	if (*s->at == '\'')
		return take_single(s, err);
	if (*s->at == '"')
		return take_double(s, err);
	if (*s->at == '\\')
		return take_escaped(s, err);
	/* These two mean something at the beginning of a word only. */
	if (strchr(NEEDS_SHELL, *s->at) && (!strchr("#~", *s->at) || is_beginning(s)))
		return needs_shell(s, err);
	string_addn(&s->word, s->at++, 1);
	return 0;
}

int shell_words_split(struct shell_words *split, const char *text, struct arena *arena, struct error *err)
{
	struct splitting s = { .text = text, .at = text, .arena = arena };

	*split = (struct shell_words){ .words = arena_array(arena, strlen(text) / 2 + 2, sizeof(*split->words)) };
	for (s.at += strspn(s.at, BLANKS); *s.at; s.at += strspn(s.at, BLANKS)) {
		s.word = STRING_INIT(arena);
		while (*s.at && !strchr(BLANKS, *s.at))
			if (take_piece(&s, err) < 0)
				return -1;
		split->words[split->count++] = s.word.text;
	}
	return split->count ? 0 : error_set(err, "'%s': it names no program", text);
}

size_t shell_words_first(const char *command)
{
	const char *at = command;
	char quote = '\0';

	for (; *at && (quote || *at != ' '); at++) {
		if (*at == '\\' && quote != '\'' && at[1])
			at++;
		else if (*at == quote)
			quote = '\0';
		else if (!quote && (*at == '\'' || *at == '"'))
			quote = *at;
	}
	return (size_t)(at - command);
}
