/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/identify/pmu.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "cpu/identify/parts.h"

static const char *entry_value(const struct pmu_entry *entries, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (is_same_name(entries[i].name, name))
			return entries[i].value;
	return NULL;
}

const char *pmu_event(const struct pmu *pmu, const char *name)
{
	const char *value;

	for (size_t i = 0; i < pmu->nevents; i++) {
		if (!is_same_name(pmu->events[i].name, name))
			continue;
		if (!pmu->events[i].value && pmu->files)
			pmu->events[i].value = pmu_event_read(pmu, pmu->events[i].name);
		value = pmu->events[i].value;
		return value && *value ? value : NULL;
	}
	return NULL;
}

const char *pmu_cap(const struct pmu *pmu, const char *name)
{
	return entry_value(pmu->caps, pmu->ncaps, name);
}

static const struct pmu_format *find_format(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->nformats; i++)
		if (is_same_name(pmu->formats[i].name, name))
			return &pmu->formats[i];
	return NULL;
}

/* "7" or "0-7" */
static bool parse_bits(struct pmu_bits *bits, const char *part, size_t length)
{
	uint64_t low, high;

	if (!text_range(part, length, &low, &high) || high > 63)
		return false;
	*bits = (struct pmu_bits){ .low = (unsigned char)low, .high = (unsigned char)high };
	return true;
}

/* "config", "config1", "config2" or "config3" and what follows; -1: none of them. */
static int parse_word(const char **text)
{
	static const char start[] = "config";
	int word = 0;

	if (strncmp(*text, start, strlen(start)) != 0)
		return -1;
	*text += strlen(start);
	if (**text >= '1' && **text <= '3')
		word = *(*text)++ - '0';
	return word;
}

bool pmu_format_parse(struct pmu_format *format, const char *name, const char *text)
{
	int word = parse_word(&text);
	struct pmu_format read = { .name = name, .word = word < 0 ? 0 : (unsigned)word };
	const char *part;
	size_t length;

	if (word < 0 || *text++ != ':')
		return false;
	while ((length = text_next(&text, ",", &part)) > 0)
		if (read.nbits == COUNT_OF(read.bits) || !parse_bits(&read.bits[read.nbits++], part, length))
			return false;
	if (!read.nbits)
		return false;
	*format = read;
	return true;
}

/* Event files of the kernel need no more than these characters in a name. */
static bool is_term_name(const char *text, size_t length)
{
	static const char marks[] = "_-.";

	for (size_t i = 0; i < length; i++) {
		char c = text[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		if (!is_letter && !(c >= '0' && c <= '9') && !strchr(marks, c))
			return false;
	}
	return length > 0;
}

static int parse_term(struct pmu_term *term, const char *text, struct arena *arena, struct error *err)
{
	size_t length = strcspn(text, "=");
	size_t name_length = length;

	while (name_length && text[name_length - 1] == ' ')
		name_length--;
	if (!is_term_name(text, name_length))
		return error_set(err, "'%s' is not a term: write name=number or name", text);
	*term = (struct pmu_term){ .name = arena_strndup(arena, text, name_length), .value = 1 };
	if (text[length] == '=' && !text_u64(text + length + 1, &term->value))
		return error_set(err, "term '%s': '%s' is not a number of up to 64 bits", term->name,
				 text + length + 1);
	return 0;
}

int pmu_parse_terms(const char *text, struct pmu_term *terms, size_t max, struct arena *arena, struct error *err)
{
	const char *part, *cursor = text;
	size_t length, count = 0;

	while ((length = text_next(&cursor, ",", &part)) > 0) {
		if (count == max)
			return error_set(err, "'%s': more than %zu terms", text, max);
		if (parse_term(&terms[count++], arena_strndup(arena, part, length), arena, err) < 0)
			return error_in(err, "'%s'", text);
	}
	if (!count)
		return error_set(err, "'%s': no term", text);
	return (int)count;
}

static unsigned width(const struct pmu_format *format)
{
	unsigned sum = 0;

	for (size_t i = 0; i < format->nbits; i++)
		sum += format->bits[i].high - format->bits[i].low + 1u;
	return sum;
}

static uint64_t mask_of(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* What was there is replaced: of two equal terms the last one counts. */
static void scatter(uint64_t *word, const struct pmu_format *format, uint64_t value)
{
	for (size_t i = 0; i < format->nbits; i++) {
		unsigned low = format->bits[i].low, bits = format->bits[i].high - low + 1u;
		uint64_t mask = mask_of(bits);

		*word = (*word & ~(mask << low)) | (value & mask) << low;
		value = bits >= 64 ? 0 : value >> bits;
	}
}

static int unknown_term(const struct pmu *pmu, const char *name, struct error *err)
{
	char list[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < pmu->nformats && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s, ", pmu->formats[i].name);
	return error_set(err, "PMU %s has no term '%s'; it has %sconfig, config1, config2 and config3", pmu->name, name,
			 list);
}

static int pack_term(uint64_t config[4], const struct pmu *pmu, const struct pmu_term *term, struct error *err)
{
	const struct pmu_format *format = find_format(pmu, term->name);
	const char *rest = term->name;
	int word = parse_word(&rest);

	if (!format && word >= 0 && !*rest) {
		config[word] |= term->value;
		return 0;
	}
	if (!format)
		return unknown_term(pmu, term->name, err);
	if (term->value & ~mask_of(width(format)))
		return error_set(err,
				 "term '%s' of PMU %s: 0x%" PRIx64 " does not fit; it can be 0x%" PRIx64 " at most",
				 term->name, pmu->name, term->value, mask_of(width(format)));
	scatter(&config[format->word], format, term->value);
	return 0;
}

/* Whose bits were meant where a whole word has some in a term's place nobody knows: perf makes one of them. */
static int check_overlap(const struct pmu *pmu, const struct pmu_term *whole, const struct pmu_term *term,
			 struct error *err)
{
	const struct pmu_format *format = find_format(pmu, term->name);
	const char *rest = whole->name;
	uint64_t place = 0;
	int word = parse_word(&rest);

	if (find_format(pmu, whole->name) || *rest || !format || word != (int)format->word)
		return 0;
	scatter(&place, format, UINT64_MAX);
	if (!(whole->value & place))
		return 0;
	return error_set(err, "%s=0x%" PRIx64 " has bits of the term '%s', which is given too: leave one of them out",
			 whole->name, whole->value, term->name);
}

static int check_overlaps(const struct pmu *pmu, const struct pmu_term *terms, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count; k++)
			if (check_overlap(pmu, &terms[i], &terms[k], err) < 0)
				return -1;
	return 0;
}

int pmu_pack(uint64_t config[4], const struct pmu *pmu, const struct pmu_term *terms, size_t count, struct error *err)
{
	memset(config, 0, 4 * sizeof(config[0]));
	if (check_overlaps(pmu, terms, count, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (pack_term(config, pmu, &terms[i], err) < 0)
			return -1;
	return 0;
}

/* ---- PMUs of CPUs that are not at hand: what the kernel shows for the vendor's usual one ---- */

struct assumed_format {
	const char *name, *bits;
};

/* arch/x86/events/intel/core.c, arch/x86/events/amd/core.c, drivers/perf/arm_pmuv3.c */
static const struct assumed_format intel_formats[] = {
	/* clang-format off */
	{ "any",         "config:21" },
	{ "cmask",       "config:24-31" },
	{ "edge",        "config:18" },
	{ "eq",          "config:36" },
	{ "event",       "config:0-7" },
	{ "frontend",    "config1:0-23" },
	{ "in_tx",       "config:32" },
	{ "in_tx_cp",    "config:33" },
	{ "inv",         "config:23" },
	{ "ldlat",       "config1:0-15" },
	{ "offcore_rsp", "config1:0-63" },
	{ "pc",          "config:19" },
	{ "umask",       "config:8-15,40-47" }, /* the upper part from Lunar Lake on */
	/* clang-format on */
};

static const struct assumed_format amd_formats[] = {
	/* clang-format off */
	{ "cmask", "config:24-31" },
	{ "edge",  "config:18" },
	{ "event", "config:0-7,32-35" },
	{ "inv",   "config:23" },
	{ "umask", "config:8-15" },
	/* clang-format on */
};

static const struct assumed_format arm_formats[] = {
	/* clang-format off */
	{ "event", "config:0-15" },
	{ "long",  "config1:0" },
	/* clang-format on */
};

/* Transactions: those names that formulas use and no database has (EVENT_ATTR_STR in arch/x86/events/intel/core.c). */
static const struct pmu_entry intel_events[] = {
	/* clang-format off */
	{ "cycles-ct", "event=0x3c,in_tx=1,in_tx_cp=1" },
	{ "cycles-t",  "event=0x3c,in_tx=1" },
	{ "el-start",  "event=0xc8,umask=0x1" },
	{ "tx-start",  "event=0xc9,umask=0x1" },
	/* clang-format on */
};

static const struct assumed_vendor {
	const char *name;
	const struct assumed_format *formats;
	size_t count;
	const struct pmu_entry *events;
	size_t nevents;
} assumed_vendors[] = {
	/* clang-format off */
	{ "Intel", intel_formats, COUNT_OF(intel_formats), intel_events, COUNT_OF(intel_events) },
	{ "AMD",   amd_formats,   COUNT_OF(amd_formats),   NULL,         0 },
	{ "Arm",   arm_formats,   COUNT_OF(arm_formats),   NULL,         0 },
	/* clang-format on */
};

static const struct assumed_vendor *find_vendor(const char *pmu_name, const char *vendor)
{
	for (size_t i = 0; vendor && i < COUNT_OF(assumed_vendors); i++)
		if (is_same_name(assumed_vendors[i].name, vendor))
			return &assumed_vendors[i];
	return has_name_prefix(pmu_name, "arm") ? &assumed_vendors[2] : &assumed_vendors[0];
}

const struct pmu *pmu_assumed(const char *name, const char *vendor, struct arena *arena)
{
	const struct assumed_vendor *row = find_vendor(name, vendor);
	struct pmu *pmu = arena_alloc(arena, sizeof(*pmu));

	*pmu = (struct pmu){ .name = arena_strdup(arena, name), .type = PERF_TYPE_RAW };
	pmu->formats = arena_array(arena, row->count, sizeof(*pmu->formats));
	for (size_t i = 0; i < row->count; i++)
		if (pmu_format_parse(&pmu->formats[pmu->nformats], row->formats[i].name, row->formats[i].bits))
			pmu->nformats++;
	pmu->events = arena_array(arena, row->nevents + 1, sizeof(*pmu->events));
	for (size_t i = 0; i < row->nevents; i++)
		pmu->events[pmu->nevents++] = row->events[i];
	return pmu;
}
