/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/json_plain.h"

#include <string.h>

/* Most files have fewer members and rows than these lengths allow for; what is not used of an array takes no memory. */
#define MEMBER_LENGTH 16
#define ROW_LENGTH    128

/* One pass over the text, which is changed only when all of it has been understood. */
struct parser {
	struct plain_file *file;
	struct arena *arena;
	const char *at, *end;
	const char *list;
};

static void skip_blanks(struct parser *p)
{
	while (*p->at == '\n' || *p->at == ' ' || *p->at == '\t' || *p->at == '\r')
		p->at++;
}

/* The character, with blanks before it; blanks behind it are skipped too. */
static bool take(struct parser *p, char symbol)
{
	skip_blanks(p);
	if (*p->at != symbol)
		return false;
	p->at++;
	skip_blanks(p);
	return true;
}

static uint32_t offset(const struct parser *p)
{
	return (uint32_t)(p->at - p->file->text);
}

static bool is_plain(char c)
{
	unsigned char byte = (unsigned char)c;

	return byte >= ' ' && byte < 0x80 && byte != '"' && byte != '\\';
}

#define EACH(byte) (0x0101010101010101u * (byte))
#define TOP_BITS   EACH(0x80u)

/* The top bit of each byte that is 0; above the lowest such byte, of others too. */
static uint64_t zero_bytes(uint64_t word)
{
	return (word - EACH(1)) & ~word & TOP_BITS;
}

/* 0 where eight bytes are all plain. */
static uint64_t special_bytes(const char *eight)
{
	uint64_t word;

	memcpy(&word, eight, sizeof(word));
	return (((word - EACH(' ')) | word) & TOP_BITS) | zero_bytes(word ^ EACH('"')) | zero_bytes(word ^ EACH('\\'));
}

static void skip_plain(struct parser *p)
{
	while (p->end - p->at >= 8 && !special_bytes(p->at))
		p->at += 8;
	while (is_plain(*p->at))
		p->at++;
}

static bool take_string(struct parser *p, uint32_t *start, uint32_t *end)
{
	if (*p->at != '"')
		return false;
	p->at++;
	*start = offset(p);
	for (;;) {
		skip_plain(p);
		if (*p->at != '\\' || !p->at[1] || !strchr("\\\"/", p->at[1]))
			break;
		p->at += 2;
	}
	*end = offset(p);
	return *p->at++ == '"';
}

/* As JSON spells whole numbers; others, and such as only a wider type holds, are left to the library. */
static bool take_number(struct parser *p, uint32_t *start, uint32_t *end)
{
	*start = offset(p);
	while (*p->at >= '0' && *p->at <= '9')
		p->at++;
	*end = offset(p);
	return *end > *start && *end - *start < 16 && (p->file->text[*start] != '0' || *end == *start + 1) &&
	       !strchr(".eE", *p->at);
}

static bool take_member(struct parser *p)
{
	struct plain_file *file = p->file;
	struct plain_member member;

	if (!take_string(p, &member.key, &member.key_end) || !take(p, ':'))
		return false;
	if (*p->at == '"' ? !take_string(p, &member.value, &member.value_end)
			  : !take_number(p, &member.value, &member.value_end))
		return false;
	file->members = arena_grow(p->arena, file->members, file->nmembers, &file->members_capacity, sizeof(member));
	file->members[file->nmembers++] = member;
	return true;
}

static uint64_t key_bit(const char *key, size_t length)
{
	return 1ull << (((unsigned char)key[0] + length) % 64);
}

static uint64_t last_key_bit(const struct plain_file *file)
{
	const struct plain_member *member = &file->members[file->nmembers - 1];

	return key_bit(file->text + member->key, member->key_end - member->key);
}

static bool take_row(struct parser *p, struct plain_row *row)
{
	*row = (struct plain_row){ .first = p->file->nmembers };
	if (!take(p, '{'))
		return false;
	do {
		if (!take_member(p))
			return false;
		row->keys |= last_key_bit(p->file);
	} while (take(p, ','));
	row->count = p->file->nmembers - row->first;
	return take(p, '}');
}

static bool take_rows(struct parser *p)
{
	struct plain_file *file = p->file;
	struct plain_row row;

	if (!take(p, '['))
		return false;
	do {
		if (!take_row(p, &row))
			return false;
		file->rows = arena_grow(p->arena, file->rows, file->count, &file->capacity, sizeof(row));
		file->rows[file->count++] = row;
	} while (take(p, ','));
	return take(p, ']');
}

static bool take_key(struct parser *p, const char *key)
{
	uint32_t start, end;

	return take_string(p, &start, &end) && end - start == strlen(key) &&
	       !memcmp(p->file->text + start, key, end - start) && take(p, ':');
}

static bool take_file(struct parser *p)
{
	skip_blanks(p);
	if (*p->at == '[')
		return take_rows(p);
	return take(p, '{') && take_key(p, "Header") && take_row(p, &p->file->header) && take(p, ',') &&
	       take_key(p, p->list) && take_rows(p) && take(p, '}');
}

/* An escape is a backslash and the character that it stands for. */
static void terminate(char *text, uint32_t start, uint32_t end)
{
	char *to = memchr(text + start, '\\', end - start);

	text[end] = '\0';
	if (!to)
		return;
	for (const char *from = to; *from; from++) {
		from += *from == '\\';
		*to++ = *from;
	}
	*to = '\0';
}

bool plain_read(struct plain_file *file, char *text, size_t length, const char *list, struct arena *arena)
{
	struct parser p = { .file = file, .arena = arena, .at = text, .end = text + length, .list = list };

	*file = (struct plain_file){ .text = text };
	file->members = arena_reserve(arena, length / MEMBER_LENGTH, &file->members_capacity, sizeof(*file->members));
	file->rows = arena_reserve(arena, length / ROW_LENGTH, &file->capacity, sizeof(*file->rows));
	if (length >= UINT32_MAX || !take_file(&p) || p.at != p.end)
		return false;
	for (size_t i = 0; i < file->nmembers; i++) {
		terminate(text, file->members[i].key, file->members[i].key_end);
		terminate(text, file->members[i].value, file->members[i].value_end);
	}
	return true;
}

const char *plain_get(const struct plain_file *file, const struct plain_row *row, const char *key)
{
	size_t length = strlen(key);

	if (!(row->keys & key_bit(key, length)))
		return NULL;
	for (size_t i = 0; i < row->count; i++) {
		const struct plain_member *member = &file->members[row->first + i];

		if (member->key_end - member->key == length && file->text[member->key] == *key &&
		    !memcmp(file->text + member->key, key, length))
			return file->text + member->value;
	}
	return NULL;
}
