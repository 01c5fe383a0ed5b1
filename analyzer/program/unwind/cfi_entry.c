/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfi_entry.c - entries, and the index of the functions that they are of. */
#include "program/unwind/cfi_entry.h"

#include <stdlib.h>

/* DW_EH_PE_...: the low four bits say how a number is written, the next three what is to be added. */
enum { PE_OMIT = 0xff, PE_FORM = 0x0f, PE_BASE = 0x70, PE_PCREL = 0x10, PE_INDIRECT = 0x80 };

enum { MOST_RANGES = 1 << 24, MOST_LETTERS = 16 };

/* By form: size, and is it signed? Size 0: none, or LEB128. */
static const struct {
	uint8_t size;
	bool is_signed;
} forms[16] = {
	[0x0] = { 8, false }, [0x2] = { 2, false }, [0x3] = { 4, false }, [0x4] = { 8, false },
	[0xa] = { 2, true },  [0xb] = { 4, true },  [0xc] = { 8, true },
};

enum { FORM_ULEB = 0x1, FORM_SLEB = 0x9 };

static bool number(struct bytes *bytes, uint8_t encoding, uint64_t *value)
{
	const uint8_t form = encoding & PE_FORM;

	if (form == FORM_ULEB)
		*value = bytes_uleb(bytes);
	else if (form == FORM_SLEB)
		*value = (uint64_t)bytes_sleb(bytes);
	else if (!forms[form].size)
		return false;
	else if (forms[form].is_signed)
		*value = (uint64_t)bytes_signed(bytes, forms[form].size);
	else
		*value = bytes_unsigned(bytes, forms[form].size);
	return !bytes->is_broken;
}

bool cfi_address(const struct cfi *cfi, struct bytes *bytes, uint8_t encoding, uint64_t *address)
{
	const uint64_t here = cfi->address + (uint64_t)(bytes->at - cfi->data);

	if ((encoding & PE_INDIRECT) || !number(bytes, encoding, address))
		return false;
	if ((encoding & PE_BASE) == PE_PCREL)
		*address += here;
	return (encoding & PE_BASE) == PE_PCREL || !(encoding & PE_BASE);
}

size_t cfi_entry(const struct cfi *cfi, size_t offset, struct bytes *entry)
{
	struct bytes bytes = { cfi->data + offset, cfi->data + cfi->size, false };
	uint64_t length = bytes_unsigned(&bytes, 4);
	const bool is_long = length == UINT32_MAX;

	if (is_long)
		length = bytes_unsigned(&bytes, 8);
	*entry = (struct bytes){ bytes.at, bytes.at, is_long };
	if (!length || bytes.is_broken || length > bytes_left(&bytes))
		return cfi->size;
	entry->end += length;
	return (size_t)(entry->end - cfi->data);
}

/*
 * Where the CIE of an entry begins; SIZE_MAX: it is a CIE itself, or damaged. At first entry->is_broken says that the
 * form with 64 bits is used.
 */
static size_t common_of(const struct cfi *cfi, struct bytes *entry)
{
	const bool is_long = entry->is_broken;
	const size_t here = (size_t)(entry->at - cfi->data);
	uint64_t id;

	entry->is_broken = false;
	id = bytes_unsigned(entry, is_long && cfi->is_debug_frame ? 8 : 4);
	if (cfi->is_debug_frame)
		return id < cfi->size ? id : SIZE_MAX;
	return id && id <= here ? here - id : SIZE_MAX;
}

/* The augmentation's letters, each with its data. false: one is not known, so what follows isn't either. */
static bool read_augmentation(const char *letters, struct bytes *data, struct cfi_common *common)
{
	uint64_t unused;
	uint8_t encoding;

	for (; *letters; letters++)
		switch (*letters) {
		case 'R': common->encoding = (uint8_t)bytes_unsigned(data, 1); break;
		case 'S': common->is_signal = true; break;
		case 'L': bytes_skip(data, 1); break;
		case 'B': /* Arm: return addresses are signed with the key B */
		case 'G': break;
		case 'P':
			encoding = (uint8_t)bytes_unsigned(data, 1);
			if (encoding != PE_OMIT && !number(data, encoding, &unused))
				return false;
			break;
		default: return false;
		}
	return !data->is_broken;
}

static bool read_common(const struct cfi *cfi, size_t offset, struct cfi_common *common)
{
	struct bytes entry, data;
	const char *letters;
	unsigned version;

	cfi_entry(cfi, offset, &entry);
	*common = (struct cfi_common){ .offset = offset };
	if (common_of(cfi, &entry) != SIZE_MAX)
		return false;
	version = (unsigned)bytes_unsigned(&entry, 1);
	letters = (const char *)entry.at;
	if (!memchr(entry.at, 0, bytes_left(&entry) < MOST_LETTERS ? bytes_left(&entry) : MOST_LETTERS))
		return false;
	bytes_skip(&entry, strlen(letters) + 1);
	if (version == 4 && bytes_unsigned(&entry, 2) != 8) /* size of addresses, then of segments */
		return false;
	common->code_factor = bytes_uleb(&entry);
	common->data_factor = bytes_sleb(&entry);
	common->return_column = version == 1 ? bytes_unsigned(&entry, 1) : bytes_uleb(&entry);
	common->has_lengths = *letters == 'z';
	data = (struct bytes){ entry.at, entry.at, false };
	if (common->has_lengths) {
		const uint64_t length = bytes_uleb(&entry);

		data.at = bytes_skip(&entry, length);
		data.end = entry.at;
	}
	if (!read_augmentation(letters + common->has_lengths, &data, common))
		return false;
	common->program = entry;
	return !entry.is_broken && version && version <= 4 && version != 2 && common->return_column < CFI_COLUMNS;
}

bool cfi_function(const struct cfi *cfi, size_t offset, struct cfi_function *function)
{
	struct bytes entry;
	size_t common;

	cfi_entry(cfi, offset, &entry);
	common = common_of(cfi, &entry);
	if (common == SIZE_MAX || entry.is_broken)
		return false;
	if (common != function->common.offset && !read_common(cfi, common, &function->common)) {
		function->common.offset = SIZE_MAX;
		return false;
	}
	if (!cfi_address(cfi, &entry, function->common.encoding, &function->begin) ||
	    !number(&entry, function->common.encoding & PE_FORM, &function->length))
		return false;
	if (function->common.has_lengths)
		bytes_skip(&entry, bytes_uleb(&entry));
	function->program = entry;
	return !entry.is_broken;
}

static int cfi_entry_compare(const void *a, const void *b)
{
	const struct cfi_range *left = a, *right = b;

	return (left->begin > right->begin) - (left->begin < right->begin);
}

static bool add_range(struct cfi *cfi, size_t *capacity, const struct cfi_range *range)
{
	if (cfi->nranges == *capacity) {
		const size_t wanted = *capacity ? *capacity * 2 : 256;
		struct cfi_range *grown = wanted > MOST_RANGES ? NULL : realloc(cfi->ranges, wanted * sizeof(*grown));

		if (!grown)
			return false;
		cfi->ranges = grown;
		*capacity = wanted;
	}
	cfi->ranges[cfi->nranges++] = *range;
	return true;
}

void cfi_index(struct cfi *cfi)
{
	struct cfi_function function = { .common.offset = SIZE_MAX };
	size_t capacity = 0, next;
	bool is_sorted = true, has_room = true;
	struct bytes entry;

	cfi->ranges = NULL;
	cfi->nranges = 0;
	for (size_t offset = 0; offset < cfi->size && has_room; offset = next) {
		next = cfi_entry(cfi, offset, &entry);
		/* The linker leaves functions that it dropped at 0. */
		if (!cfi_function(cfi, offset, &function) || !function.begin || !function.length)
			continue;
		is_sorted &= !cfi->nranges || cfi->ranges[cfi->nranges - 1].begin <= function.begin;
		has_room = add_range(
			cfi, &capacity,
			&(struct cfi_range){ function.begin,
					     function.length > UINT32_MAX ? UINT32_MAX : (uint32_t)function.length,
					     (uint32_t)offset });
	}
	if (!is_sorted)
		qsort(cfi->ranges, cfi->nranges, sizeof(*cfi->ranges), cfi_entry_compare);
}

void cfi_release(struct cfi *cfi)
{
	free(cfi->ranges);
	cfi->ranges = NULL;
	cfi->nranges = 0;
}
