/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.c - what programs do with text: encode, split, search, compare, convert numbers. */
#include "../frame/frame.h"

#include <string.h>

/* So long that no predictor remembers where its words end. */
#define TEXT  (256 << 10)
#define SHORT 16384

/* Of so many letters from the first on, and a separator with a probability of some 256ths. */
static void letters(char *text, size_t size, unsigned count, char separator, unsigned often)
{
	uint64_t state = RANDOM_START;

	for (size_t i = 0; i < size; i++) {
		uint64_t number = random_next(&state) >> 20;

		text[i] = (number & 255) < often ? separator : (char)('a' + (number >> 8) % count);
	}
}

static void words(char *memory, size_t size)
{
	letters(memory, size, 26, ' ', 50);
}

static void fields(char *memory, size_t size)
{
	letters(memory, size, 10, ',', 40);
}

static void four_letters(char *memory, size_t size)
{
	letters(memory, size, 4, 'a', 0);
}

static void marked_up(char *memory, size_t size)
{
	letters(memory, size, 26, '<', 20);
}

static uint64_t base64_encode(size_t rounds, char *memory)
{
	static const char code[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *from = (const uint8_t *)memory;
	char *to = memory + 4096;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < 1024; i++) {
			uint32_t three = (uint32_t)from[3 * i] << 16 | (uint32_t)from[3 * i + 1] << 8 | from[3 * i + 2];

			to[4 * i] = code[three >> 18];
			to[4 * i + 1] = code[three >> 12 & 63];
			to[4 * i + 2] = code[three >> 6 & 63];
			to[4 * i + 3] = code[three & 63];
		}
	return (uint64_t)to[5];
}

/* Characters of one, two and three bytes by chance. */
static void characters(char *memory, size_t size)
{
	uint64_t state = RANDOM_START;

	for (size_t i = 0; i + 3 < size;) {
		uint64_t kind = random_next(&state) >> 20 & 3;

		if (kind > 1)
			memory[i++] = 'x';
		else if (kind == 1) {
			memory[i++] = '\xc3';
			memory[i++] = '\xa4';
		} else {
			memory[i++] = '\xe2';
			memory[i++] = '\x82';
			memory[i++] = '\xac';
		}
	}
}

static uint64_t utf8_decode(size_t rounds, char *memory)
{
	const uint8_t *text = (const uint8_t *)memory;
	uint64_t sum = 0;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < TEXT - 4;) {
			uint32_t letter = text[i++];

			if (letter >= 0xe0) {
				letter = (letter & 15) << 12 | (text[i] & 63u) << 6 | (text[i + 1] & 63u);
				i += 2;
			} else if (letter >= 0xc0)
				letter = (letter & 31) << 6 | (text[i++] & 63u);
			ALWAYS(i);
			sum += letter;
		}
	return sum;
}

static void json_rows(char *memory, size_t size)
{
	uint64_t state = RANDOM_START;

	for (size_t at = 0; at + 64 < size;)
		at += (size_t)sprintf(memory + at, "{\"id\": %u, \"name\": \"%.*s\", \"on\": %s},\n",
				      (unsigned)(random_next(&state) >> 20) % 100000u,
				      (int)(random_next(&state) >> 20) % 12, "abcdefghijklm",
				      random_next(&state) >> 20 & 1 ? "true" : "false");
}

static uint64_t json_tokens(size_t rounds, char *memory)
{
	uint64_t strings = 0, numbers = 0, others = 0;

	for (size_t round = 0; round < rounds; round++)
		for (const char *at = memory; at < memory + TEXT - 64 && *at;)
			if (*at == '"') {
				for (at++; *at != '"'; at++)
					;
				at++;
				strings++;
			} else if (*at >= '0' && *at <= '9') {
				uint64_t number = 0;

				for (; *at >= '0' && *at <= '9'; at++)
					number = number * 10 + (uint64_t)(*at - '0');
				numbers += number;
			} else if (*at == ' ' || *at == '\n')
				at++;
			else {
				others++;
				at++;
			}
	return strings + numbers + others;
}

static uint64_t number_to_text(size_t rounds, char *memory)
{
	for (size_t i = 0; i < rounds; i++) {
		uint64_t number = 0x8000000000000000u + i * 0x123456789u;
		char *at = memory + 32;

		for (int digit = 0; digit < 19; digit++) {
			*--at = (char)('0' + number % 10);
			number /= 10;
		}
	}
	return (uint64_t)memory[20];
}

static void digits(char *memory, size_t size)
{
	letters(memory, size, 10, 'a', 0);
	for (size_t i = 0; i < size; i++)
		memory[i] = (char)(memory[i] - 'a' + '0');
}

static uint64_t text_to_number(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < TEXT; i += 8) {
			uint32_t number = 0;

			for (int k = 0; k < 8; k++)
				number = number * 10 + (uint32_t)(memory[i + k] - '0');
			sum += number;
		}
	return sum;
}

/* 16 states, 8 classes of letters: where the automaton of an expression goes. */
static uint64_t run_automaton(size_t rounds, char *memory)
{
	static uint8_t classes[256], next[16][8];
	uint64_t state = 0;

	for (int i = 0; i < 256; i++)
		classes[i] = (uint8_t)(i * 7 % 8);
	for (int i = 0; i < 128; i++)
		next[i / 8][i % 8] = (uint8_t)(i * 11 % 16);
	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < TEXT; i++)
			state = next[state][classes[(uint8_t)memory[i]]];
	return state;
}

static uint64_t count_words(size_t rounds, char *memory)
{
	uint64_t count = 0;

	for (size_t round = 0; round < rounds; round++) {
		int inside = 0;

		for (size_t i = 0; i < TEXT; i++)
			if (memory[i] == ' ')
				inside = 0;
			else if (!inside) {
				inside = 1;
				count++;
				ALWAYS(count);
			}
	}
	return count;
}

#if defined(__SSE2__)
#include <emmintrin.h>

static uint64_t find_byte(size_t rounds, char *memory)
{
	uint64_t found = 0;

	for (size_t round = 0; round < rounds; round++) {
		const __m128i what = _mm_set1_epi8((char)(200 + round % 8));
		size_t i = 0;

		while (i < SHORT &&
		       !_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128((const __m128i *)(memory + i)), what)))
			i += 16;
		found += i;
	}
	return found;
}
#endif

/* Of four letters, so every fourth place begins like the word. */
static uint64_t find_word(size_t rounds, char *memory)
{
	uint64_t found = 0;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < TEXT - 8; i++) {
			size_t k = 0;

			while (k < 6 && memory[i + k] == "abcdab"[k])
				k++;
			found += k == 6;
		}
	return found;
}

/* Horspool: the last letter says how far to go. */
static uint64_t find_by_skips(size_t rounds, char *memory)
{
	static const char word[] = "zyxwvutsrq";
	static uint8_t skips[256];
	uint64_t found = 0;

	memset(skips, 10, sizeof(skips));
	for (int i = 0; i < 9; i++)
		skips[(uint8_t)word[i]] = (uint8_t)(9 - i);
	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 9; i < TEXT; i += skips[(uint8_t)memory[i]])
			if (memory[i] == 'q' && memory[i - 1] == 'r')
				found += !memcmp(memory + i - 9, word, 10);
	return found;
}

static uint64_t edit_distance(size_t rounds, char *memory)
{
	uint32_t row[65];
	uint64_t sum = 0;

	for (size_t round = 0; round < rounds; round++) {
		for (uint32_t j = 0; j <= 64; j++)
			row[j] = j;
		for (uint32_t i = 1; i <= 64; i++) {
			uint32_t corner = row[0], least;

			row[0] = i;
			for (uint32_t j = 1; j <= 64; j++) {
				least = corner + (memory[i + round % 64] != memory[200 + j]);
				corner = row[j];
				least = corner + 1 < least ? corner + 1 : least;
				row[j] = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
			}
		}
		sum += row[64];
	}
	return sum;
}

static uint64_t escape_markup(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t round = 0; round < rounds; round++) {
		char *to = memory + TEXT;

		for (size_t i = 0; i < TEXT; i++)
			if (memory[i] == '<') {
				memcpy(to, "&lt;", 4);
				to += 4;
			} else
				*to++ = memory[i];
		sum += (uint64_t)(to - memory);
	}
	return sum;
}

static uint64_t to_hexadecimal(size_t rounds, char *memory)
{
	char *to = memory + 4096;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < 4096; i++) {
			uint8_t value = (uint8_t)memory[i];

			to[2 * i] = "0123456789abcdef"[value >> 4];
			to[2 * i + 1] = "0123456789abcdef"[value & 15];
		}
	return (uint64_t)to[7];
}

static uint64_t split_fields(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t round = 0; round < rounds; round++) {
		uint32_t *ends = (uint32_t *)(memory + TEXT), count = 0;

		for (uint32_t i = 0; i < TEXT; i++)
			if (memory[i] == ',')
				ends[count++] = i;
		sum += count;
	}
	return sum;
}

static uint64_t rolling_hash(size_t rounds, char *memory)
{
	uint32_t hash = 0, found = 0;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 16; i < TEXT; i++) {
			hash = (hash - (uint8_t)memory[i - 16] * 0x7a64ae41u) * 16777619u + (uint8_t)memory[i];
			found += hash == 77;
		}
	return found;
}

const struct kernel text_kernels[] = {
	{ "base64_encode", base64_encode, 200, 8192, fill_randomly },
	{ "utf8_decode", utf8_decode, 2, TEXT, characters },
	{ "json_tokens", json_tokens, 1, TEXT, json_rows },
	{ "number_to_text", number_to_text, 15000, 0, NULL },
	{ "text_to_number", text_to_number, 2, TEXT, digits },
	{ "run_automaton", run_automaton, 2, TEXT, words },
	{ "count_words", count_words, 2, TEXT, words },
#if defined(__SSE2__)
	{ "find_byte", find_byte, 1000, SHORT, words },
#endif
	{ "find_word", find_word, 1, TEXT, four_letters },
	{ "find_by_skips", find_by_skips, 10, TEXT, words },
	{ "edit_distance", edit_distance, 80, 0, words },
	{ "escape_markup", escape_markup, 2, TEXT * 3, marked_up },
	{ "to_hexadecimal", to_hexadecimal, 100, 16384, fill_randomly },
	{ "split_fields", split_fields, 2, TEXT * 2, fields },
	{ "rolling_hash", rolling_hash, 2, TEXT, words },
	{ NULL, NULL, 0, 0, NULL },
};
