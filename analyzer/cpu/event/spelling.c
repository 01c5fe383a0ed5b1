/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/event/spelling.h"

#include <string.h>

#include "common/base/text.h"

/* What a modifier or term does to the spelling. Those before SET_USER have a value, and stand there once. */
enum effect {
	SET_CMASK,
	SET_INVERT,
	SET_EDGE,
	SET_ANY,
	SET_EQUAL,
	SET_UMASK,
	SET_MSR,
	SET_USER,
	SET_KERNEL,
	SET_LATENCY,
	SET_ONE_UNIT,
	SET_PERCORE,
	SET_NAME,
	SET_NOTHING,
};

static const struct word_row {
	const char *word;
	enum effect effect;
} term_words[] = {
	/* clang-format off */
	{ "cmask",       SET_CMASK },
	{ "thresh",      SET_CMASK },
	{ "inv",         SET_INVERT },
	{ "edge",        SET_EDGE },
	{ "any",         SET_ANY },
	{ "eq",          SET_EQUAL },
	{ "ldlat",       SET_MSR },
	{ "offcore_rsp", SET_MSR },
	{ "frontend",    SET_MSR },
	{ "umask",       SET_UMASK },
	{ "period",      SET_NOTHING },
	{ "percore",     SET_PERCORE },
	{ "one_unit",    SET_ONE_UNIT },
	/* clang-format on */
}, modifier_words[] = {
	{ "c", SET_CMASK },          { "i", SET_INVERT },    { "e", SET_EDGE },           { "any", SET_ANY },
	{ "t", SET_ANY },            { "eq", SET_EQUAL },    { "ocr_msr_val", SET_MSR },  { "sup", SET_KERNEL },
	{ "k", SET_KERNEL },         { "u", SET_USER },      { "user", SET_USER },
	{ "retire_latency", SET_LATENCY },                   { "r", SET_LATENCY },
	{ "percore", SET_PERCORE },  { "perf_metrics", SET_NOTHING }, { "p", SET_NOTHING }, { "pp", SET_NOTHING },
	{ "ppp", SET_NOTHING },
	{ "one_unit", SET_ONE_UNIT },
};

/* Terms of PMUs beside the cores, by perfmon's names and by the kernel's. */
static const struct unit_word {
	const char *word, *term;
} unit_words[] = {
	/* clang-format off */
	{ "opc",     "filter_opc" }, { "filter_opc", "filter_opc" },
	{ "tid",     "filter_tid" }, { "filter_tid", "filter_tid" },
	{ "nid",     "filter_nid" }, { "filter_nid", "filter_nid" },
	{ "config1", "config1" },    { "config2",    "config2" },
	{ "filter1", "config1" },
	{ "ch_mask", "ch_mask" },    { "fc_mask",    "fc_mask" },
	/* clang-format on */
};

static void take_effect(struct spelling *s, enum effect effect, uint64_t value)
{
	switch (effect) {
	case SET_CMASK: s->cmask = value; break;
	case SET_INVERT: s->invert = value != 0; break;
	case SET_EDGE: s->edge = value != 0; break;
	case SET_ANY: s->any = value != 0; break;
	case SET_EQUAL: s->equal = value != 0; break;
	case SET_USER: s->user_only = true; break;
	case SET_KERNEL: s->kernel_only = true; break;
	case SET_LATENCY: s->is_retire_latency = true; break;
	case SET_PERCORE: s->is_percore = value != 0; break;
	case SET_ONE_UNIT: s->is_one_unit = true; break;
	case SET_NAME:
	case SET_NOTHING: break;
	case SET_UMASK:
		s->has_umask = true;
		s->umask = value;
		break;
	case SET_MSR:
		s->has_msr_value = true;
		s->msr_value = value;
		break;
	}
}

/*
 * Which value of two was meant nobody knows: perf makes one of their bits, libpfm4 refuses them. In any case the
 * canonical name would be that of another event.
 */
static int take_once(struct spelling *s, enum effect effect, const char *word, uint64_t value, struct error *err)
{
	if (effect < SET_USER && s->given & 1u << effect)
		return error_set(err, "'%s' is given twice", word);
	s->given |= 1u << effect;
	take_effect(s, effect, value);
	return 0;
}

/* "c1", "c=1", "c" → its word and value (1 if none); the number may follow the word directly. */
static bool split_number(char *text, uint64_t *value)
{
	char *digits = strchr(text, '=');

	*value = 1;
	if (digits) {
		*digits = '\0';
		return text_u64(digits + 1, value);
	}
	digits = text + strcspn(text, "0123456789");
	if (!*digits || digits == text)
		return true;
	if (!text_u64(digits, value))
		return false;
	*digits = '\0';
	return true;
}

static int spelling_add_term(struct spelling *s, const char *name, uint64_t value, struct error *err)
{
	bool is_umask = !strcmp(name, "umask"), is_twice = is_umask && s->given & 1u << SET_UMASK;

	for (size_t i = 0; i < s->nterms; i++)
		is_twice |= is_same_name(s->terms[i].name, name);
	if (is_twice)
		return error_set(err, "'%s' is given twice", name);
	s->given |= is_umask ? 1u << SET_UMASK : 0;
	if (s->nterms + s->has_umask >= SPELLING_TERMS)
		return error_set(err, "more than %d terms", SPELLING_TERMS);
	s->terms[s->nterms++] = (struct pmu_term){ .name = name, .value = value };
	return 0;
}

/* A modifier behind a colon. :u0x30 is an umask, :u alone the user scope, :uk both scopes. */
static int parse_modifier(struct spelling *s, char *text, struct error *err)
{
	bool is_umask = (text[0] == 'u' || text[0] == 'U') && text[1] == '0';
	uint64_t value;

	if (is_same_name(text, "uk") || is_same_name(text, "ku"))
		return 0;
	if (!split_number(text, &value))
		return error_set(err, "modifier '%s': not a number", text);
	if (is_umask)
		return take_once(s, SET_UMASK, "umask", value, err);
	for (size_t i = 0; i < COUNT_OF(modifier_words); i++)
		if (is_same_name(modifier_words[i].word, text))
			return take_once(s, modifier_words[i].effect, modifier_words[i].word, value, err);
	for (size_t i = 0; i < COUNT_OF(unit_words); i++)
		if (is_same_name(unit_words[i].word, text))
			return spelling_add_term(s, unit_words[i].term, value, err);
	return error_set(err, "unknown modifier ':%s'", text);
}

/* :u and :k together are all that a count without them is. */
static void take_both_modes(struct spelling *s)
{
	if (s->user_only && s->kernel_only)
		s->user_only = s->kernel_only = false;
}

static int parse_modifiers(struct spelling *s, const char *list, struct arena *arena, struct error *err)
{
	const char *part;
	size_t length;

	while ((length = text_next(&list, ":", &part)) > 0)
		if (parse_modifier(s, arena_strndup(arena, part, length), err) < 0)
			return -1;
	take_both_modes(s);
	return 0;
}

/* Behind the last @ or /: letters of perf, R for retire latency. */
static int parse_letters(struct spelling *s, const char *letters, struct error *err)
{
	for (; *letters; letters++) {
		if (*letters == ':')
			continue;
		if (!strchr("ukpR", *letters))
			return error_set(err, "unknown modifier '%c'", *letters);
		if (*letters == 'R')
			s->is_retire_latency = true;
		s->user_only = s->user_only || *letters == 'u';
		s->kernel_only = s->kernel_only || *letters == 'k';
	}
	take_both_modes(s);
	return 0;
}

/* One of "NAME", "event=0xc2", "cmask=1", "edge" between the slashes. */
static int parse_term(struct spelling *s, char *term, struct error *err)
{
	char *equals = strchr(term, '=');
	uint64_t value = 1;

	if (has_name_prefix(term, "name=")) { /* only what perf would print */
		if (s->given & 1u << SET_NAME)
			return error_set(err, "'name' is given twice");
		s->given |= 1u << SET_NAME;
		return 0;
	}
	if (is_same_name(term, "name"))
		return error_set(err, "term 'name' has no value");
	if (equals) {
		*equals = '\0';
		if (!text_u64(equals + 1, &value))
			return error_set(err, "term '%s': '%s' is not a number", term, equals + 1);
	}
	if (s->nterms == 0 || strcmp(term, "umask") != 0) {
		for (size_t i = 0; i < COUNT_OF(term_words); i++) {
			if (!is_same_name(term_words[i].word, term))
				continue;
			if (take_once(s, term_words[i].effect, term_words[i].word, value, err) < 0)
				return -1;
			if (term_words[i].effect == SET_MSR)
				s->msr_term = term_words[i].word;
			return 0;
		}
	}
	if (!equals && !s->name && !s->nterms) {
		s->name = term;
		return 0;
	}
	return spelling_add_term(s, term, value, err);
}

static int parse_terms(struct spelling *s, const char *list, struct arena *arena, struct error *err)
{
	const char *part;
	size_t length;

	while ((length = text_next(&list, ",", &part)) > 0)
		if (parse_term(s, arena_strndup(arena, part, length), err) < 0)
			return -1;
	return 0;
}

/* Formulas escape - , = with a backslash; people who copy from them do so too. */
static const char *unescape(const char *text, struct arena *arena)
{
	char *plain = arena_strdup(arena, text), *to = plain;

	for (const char *from = plain; *from; from++)
		if (*from != '\\')
			*to++ = *from;
	*to = '\0';
	return plain;
}

int spelling_parse(struct spelling *s, const char *spelled, struct arena *arena, struct error *err)
{
	const char *text = unescape(spelled, arena), *rest;
	size_t head = strcspn(text, "@/"), tail;

	*s = (struct spelling){ .name = NULL };
	if (!text[head]) {
		head = strcspn(text, ":");
		s->name = arena_strndup(arena, text, head);
		return parse_modifiers(s, text + head, arena, err);
	}
	s->pmu = arena_strndup(arena, text, head);
	rest = text + head + 1;
	tail = strcspn(rest, "@/");
	if (!rest[tail])
		return error_set(err, "'%s' has no closing '%c'", text, text[head]);
	if (parse_terms(s, arena_strndup(arena, rest, tail), arena, err) < 0)
		return -1;
	return parse_letters(s, rest + tail + 1, err);
}

bool spelling_is_unmodified(const struct spelling *s)
{
	return !s->has_umask && !s->cmask && !s->edge && !s->invert && !s->any && !s->equal && !s->has_msr_value;
}

bool spelling_is_unit_word(const char *term)
{
	for (size_t i = 0; i < COUNT_OF(unit_words); i++)
		if (!strcmp(unit_words[i].term, term))
			return true;
	return false;
}

static bool is_of_core(const char *pmu)
{
	return has_name_prefix(pmu, "cpu") || has_name_prefix(pmu, "armv8_") || has_name_prefix(pmu, "armv9_");
}

const char *spelling_vendor_name(const char *text, struct arena *arena)
{
	struct error unread = { .text = "" };
	struct spelling parts;

	if (spelling_parse(&parts, text, arena, &unread) < 0 || !parts.name)
		return NULL;
	if (is_same_name(parts.name, "slots") || has_name_prefix(parts.name, "topdown-"))
		return parts.name;
	return strpbrk(parts.name, "._") && (!parts.pmu || is_of_core(parts.pmu)) ? parts.name : NULL;
}
