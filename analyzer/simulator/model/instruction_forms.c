/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/instruction_forms.h"

#define KEY_WIDE    (1u << 17)
#define MOST_BYTES  15
#define MOST_CYCLES 200
#define MOST_APART  20000

/* ---- what an instruction's bytes say ---- */

enum page { PAGE_ONE_BYTE, PAGE_0F, PAGE_0F38, PAGE_0F3A };

struct encoding {
	const uint8_t *bytes;
	size_t length, at; /* at: of the opcode */
	uint8_t page, prefix;
	bool is_wide, is_long; /* 64 bits of a general register, 256 bits of a vector */
};

static uint8_t byte_at(const struct encoding *e, size_t at)
{
	return at < e->length ? e->bytes[at] : 0;
}

/* Of operand size, repetition and REX; the last one decides, and those of segments and LOCK say nothing here. */
static void read_prefixes(struct encoding *e)
{
	for (;; e->at++) {
		uint8_t byte = byte_at(e, e->at);

		if (byte == 0x66 || byte == 0xf2 || byte == 0xf3)
			e->prefix = byte;
		else if (byte != 0x2e && byte != 0x3e && byte != 0x64 && byte != 0x65 && byte != 0xf0)
			break;
	}
	if ((byte_at(e, e->at) & 0xf0) == 0x40)
		e->is_wide = byte_at(e, e->at++) & 8;
}

static void read_vex(struct encoding *e)
{
	static const uint8_t prefixes[] = { 0, 0x66, 0xf3, 0xf2 };
	bool is_short = byte_at(e, e->at) == 0xc5;
	uint8_t last = byte_at(e, e->at + (is_short ? 1 : 2));

	e->page = is_short ? PAGE_0F : byte_at(e, e->at + 1) & 0x1f;
	e->is_wide = !is_short && last & 0x80;
	e->is_long = last & 4;
	e->prefix = prefixes[last & 3];
	e->at += is_short ? 2 : 3;
}

static void read_page(struct encoding *e)
{
	static const uint8_t pages[][2] = { { 0x38, PAGE_0F38 }, { 0x3a, PAGE_0F3A } };
	uint8_t next = byte_at(e, e->at + 1);

	e->page = PAGE_0F;
	for (size_t i = 0; i < 2; i++)
		if (next == pages[i][0])
			e->page = pages[i][1];
	e->at += e->page == PAGE_0F ? 1 : 2;
}

static struct encoding read_encoding(const uint8_t *bytes, size_t length)
{
	struct encoding e = { .bytes = bytes, .length = length < MOST_BYTES ? length : MOST_BYTES };

	read_prefixes(&e);
	if (byte_at(&e, e.at) == 0xc4 || byte_at(&e, e.at) == 0xc5)
		read_vex(&e);
	else if (byte_at(&e, e.at) == 0x0f)
		read_page(&e);
	return e;
}

/* Three bits of the next byte say which operation it is. */
static bool is_group(unsigned page, uint8_t opcode)
{
	static const uint8_t groups[][2] = {
		{ PAGE_ONE_BYTE, 0xc0 }, { PAGE_ONE_BYTE, 0xc1 }, { PAGE_ONE_BYTE, 0xd0 }, { PAGE_ONE_BYTE, 0xd1 },
		{ PAGE_ONE_BYTE, 0xd2 }, { PAGE_ONE_BYTE, 0xd3 }, { PAGE_ONE_BYTE, 0xf6 }, { PAGE_ONE_BYTE, 0xf7 },
		{ PAGE_ONE_BYTE, 0xfe }, { PAGE_ONE_BYTE, 0xff }, { PAGE_0F, 0x71 },	   { PAGE_0F, 0x72 },
		{ PAGE_0F, 0x73 },	 { PAGE_0F, 0xba },	  { PAGE_0F, 0xc7 },	   { PAGE_0F38, 0xf3 },
	};

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (groups[i][0] == page && groups[i][1] == opcode)
			return true;
	return false;
}

/* One opcode for those that differ in where their operands are, or in the condition. */
static uint8_t plain_opcode(unsigned page, uint8_t opcode, unsigned operation)
{
	if (page == PAGE_ONE_BYTE && (opcode == 0x80 || opcode == 0x81 || opcode == 0x83))
		return (uint8_t)(operation << 3 | (opcode & 1)); /* ADD and the like of a constant */
	if (page == PAGE_ONE_BYTE && opcode < 0x40)
		return opcode & 0xf9;
	if (page == PAGE_0F && ((opcode & 0xf0) == 0x40 || (opcode & 0xf0) == 0x90)) /* CMOVcc, SETcc: two flags */
		return (opcode & 0x0e) == 6 ? opcode & 0xf6 : opcode & 0xf0;
	if (page == PAGE_0F && (opcode & 0xf8) == 0xc8) /* BSWAP */
		return 0xc8;
	return opcode;
}

uint32_t form_key(const uint8_t *bytes, size_t length)
{
	struct encoding e = read_encoding(bytes, length);
	uint8_t opcode = byte_at(&e, e.at);
	uint8_t operation = byte_at(&e, e.at + 1) >> 3 & 7;

	if (e.at >= e.length || e.page > PAGE_0F3A || (e.page == PAGE_ONE_BYTE && opcode == 0x62))
		return 0;
	return 1u << 31 | (uint32_t)(is_group(e.page, opcode) ? operation : 0) << 24 | (uint32_t)e.page << 20 |
	       (e.is_wide ? KEY_WIDE : 0) | (uint32_t)e.is_long << 16 | (uint32_t)e.prefix << 8 |
	       plain_opcode(e.page, opcode, operation);
}

enum crossing form_crossing(const uint8_t *bytes, size_t length)
{
	static const struct {
		uint8_t page, prefix, opcode, crossing;
	} rows[] = {
		{ PAGE_0F, 0x66, 0x6e, CROSSES_TO_VECTOR }, /* MOVD, MOVQ */
		{ PAGE_0F, 0x66, 0x7e, CROSSES_TO_GENERAL },
		{ PAGE_0F, 0x66, 0xc4, CROSSES_TO_VECTOR }, /* PINSRW, PINSRB, PINSRD */
		{ PAGE_0F3A, 0x66, 0x20, CROSSES_TO_VECTOR },
		{ PAGE_0F3A, 0x66, 0x22, CROSSES_TO_VECTOR },
		{ PAGE_0F, 0x66, 0xc5, CROSSES_TO_GENERAL }, /* PEXTRW, PEXTRB, PEXTRW, PEXTRD, EXTRACTPS */
		{ PAGE_0F3A, 0x66, 0x14, CROSSES_TO_GENERAL },
		{ PAGE_0F3A, 0x66, 0x15, CROSSES_TO_GENERAL },
		{ PAGE_0F3A, 0x66, 0x16, CROSSES_TO_GENERAL },
		{ PAGE_0F3A, 0x66, 0x17, CROSSES_TO_GENERAL },
		{ PAGE_0F, 0x66, 0xd7, CROSSES_TO_GENERAL }, /* PMOVMSKB, MOVMSKPS, MOVMSKPD */
		{ PAGE_0F, 0, 0x50, CROSSES_TO_GENERAL },
		{ PAGE_0F, 0x66, 0x50, CROSSES_TO_GENERAL },
		{ PAGE_0F, 0xf2, 0x2a, CROSSES_TO_VECTOR }, /* CVTSI2SD, CVTSI2SS */
		{ PAGE_0F, 0xf3, 0x2a, CROSSES_TO_VECTOR },
		{ PAGE_0F, 0xf2, 0x2c, CROSSES_TO_GENERAL }, /* CVTTSD2SI and the like */
		{ PAGE_0F, 0xf3, 0x2c, CROSSES_TO_GENERAL },
		{ PAGE_0F, 0xf2, 0x2d, CROSSES_TO_GENERAL },
		{ PAGE_0F, 0xf3, 0x2d, CROSSES_TO_GENERAL },
		{ PAGE_0F, 0, 0x2e, CROSSES_TO_FLAGS }, /* UCOMISS, COMISS, UCOMISD, COMISD */
		{ PAGE_0F, 0, 0x2f, CROSSES_TO_FLAGS },
		{ PAGE_0F, 0x66, 0x2e, CROSSES_TO_FLAGS },
		{ PAGE_0F, 0x66, 0x2f, CROSSES_TO_FLAGS },
	};
	struct encoding e = read_encoding(bytes, length);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].page == e.page && rows[i].prefix == e.prefix && rows[i].opcode == byte_at(&e, e.at) &&
		    byte_at(&e, e.at + 1) >= 0xc0)
			return (enum crossing)rows[i].crossing;
	return CROSSES_NOT;
}

/* ---- the table ---- */

/* Where a key is, or would be. */
static uint32_t place_of(const struct forms *forms, uint32_t key)
{
	uint32_t place = (key * 2654435761u) >> 22; /* Knuth's multiplicative hash */

	while (forms->places[place % FORM_PLACES].key && forms->places[place % FORM_PLACES].key != key)
		place++;
	return place % FORM_PLACES;
}

const struct form *forms_find(const struct forms *forms, uint32_t key)
{
	const struct form *form = &forms->places[place_of(forms, key)];

	if (!form->key)
		form = &forms->places[place_of(forms, key ^ KEY_WIDE)];
	return key && form->key ? form : NULL;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static size_t read_bytes(uint8_t *bytes, const char **text)
{
	size_t length = 0;

	while (length < MOST_BYTES && digit_of((*text)[0]) >= 0 && digit_of((*text)[1]) >= 0) {
		bytes[length++] = (uint8_t)(digit_of((*text)[0]) << 4 | digit_of((*text)[1]));
		*text += 2;
	}
	return length;
}

/* " 25", which is at most as large as given; false for anything else. */
static bool read_figure(uint32_t *figure, uint32_t most, const char **text)
{
	const char *start = *text + 1;

	if (**text != ' ')
		return false;
	*figure = 0;
	for (*text = start; **text >= '0' && **text <= '9' && *figure <= most; (*text)++)
		*figure = *figure * 10 + (uint32_t)(**text - '0');
	return *text > start && *figure <= most;
}

bool forms_read(struct forms *forms, const char **text)
{
	uint8_t bytes[MOST_BYTES];
	size_t length = read_bytes(bytes, text);
	uint32_t latency, apart, slots, key = form_key(bytes, length);
	struct form *form = &forms->places[place_of(forms, key)];

	if (!key || form->key || forms->count == MOST_FORMS || !read_figure(&latency, MOST_CYCLES, text) ||
	    !read_figure(&apart, MOST_APART, text) || !read_figure(&slots, UINT8_MAX, text))
		return false;
	*form = (struct form){
		.key = key, .latency = (uint8_t)latency, .slots = (uint8_t)slots, .apart = (uint16_t)apart
	};
	forms->count++;
	return true;
}
