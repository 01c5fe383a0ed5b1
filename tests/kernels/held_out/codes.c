/* SPDX-License-Identifier: GPL-2.0-or-later */
/* codes.c - hashes, ciphers, checks, compression and long numbers. Each is written anew from its description. */
#include "../frame/frame.h"

#include <string.h>

/* So much that no predictor remembers how long its parts are. */
#define DATA (256 << 10)

static inline uint32_t rotate(uint32_t value, int by)
{
	return value << by | value >> (32 - by);
}

static uint64_t sha256_blocks(size_t rounds, char *memory)
{
	const uint32_t *keys = (const uint32_t *)memory;
	uint32_t s[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, w[64];

	for (size_t round = 0; round < rounds; round++) {
		uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];

		memcpy(w, memory + 512, 64);
		for (int i = 16; i < 64; i++)
			w[i] = w[i - 16] + w[i - 7] + (rotate(w[i - 15], 25) ^ rotate(w[i - 15], 14) ^ w[i - 15] >> 3) +
			       (rotate(w[i - 2], 15) ^ rotate(w[i - 2], 13) ^ w[i - 2] >> 10);
		for (int i = 0; i < 64; i++) {
			uint32_t one = h + (rotate(e, 26) ^ rotate(e, 21) ^ rotate(e, 7)) + (g ^ (e & (f ^ g))) +
				       keys[i] + w[i];
			uint32_t two = (rotate(a, 30) ^ rotate(a, 19) ^ rotate(a, 10)) + ((a & b) | (c & (a | b)));

			h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
		}
		s[0] += a, s[1] += b, s[2] += c, s[3] += d, s[4] += e, s[5] += f, s[6] += g, s[7] += h;
	}
	return s[0];
}

/* 48 steps of MD5: in each all waits for the last one. */
static uint64_t md5_steps(size_t rounds, char *memory)
{
	const uint32_t *data = (const uint32_t *)memory;
	uint32_t a = 1, b = 2, c = 3, d = 4, kept;

	for (size_t round = 0; round < rounds; round++)
		for (int i = 0; i < 48; i++) {
			kept = b + rotate(a + ((b & c) | (~b & d)) + data[i & 15] + data[64 + i], 7);
			a = d, d = c, c = b, b = kept;
		}
	return b;
}

#define QUARTER(a, b, c, d)                                                                                            \
	x[a] += x[b], x[d] = rotate(x[d] ^ x[a], 16), x[c] += x[d], x[b] = rotate(x[b] ^ x[c], 12), x[a] += x[b],      \
		      x[d] = rotate(x[d] ^ x[a], 8), x[c] += x[d], x[b] = rotate(x[b] ^ x[c], 7)

static uint64_t chacha20_blocks(size_t rounds, char *memory)
{
	const uint32_t *start = (const uint32_t *)memory;
	uint32_t x[16], sum = 0;

	for (size_t round = 0; round < rounds; round++) {
		for (int i = 0; i < 16; i++)
			x[i] = start[i] + (uint32_t)round;
		for (int i = 0; i < 10; i++) {
			QUARTER(0, 4, 8, 12);
			QUARTER(1, 5, 9, 13);
			QUARTER(2, 6, 10, 14);
			QUARTER(3, 7, 11, 15);
			QUARTER(0, 5, 10, 15);
			QUARTER(1, 6, 11, 12);
			QUARTER(2, 7, 8, 13);
			QUARTER(3, 4, 9, 14);
		}
		for (int i = 0; i < 16; i++)
			sum += x[i];
	}
	return sum;
}

static inline uint64_t rotate_long(uint64_t value, int by)
{
	return value << by | value >> (64 - by);
}

#define SIP_ROUND                                                                                                      \
	a += b, c += d, b = rotate_long(b, 13) ^ a, d = rotate_long(d, 16) ^ c, a = rotate_long(a, 32), c += b,        \
			a += d, b = rotate_long(b, 17) ^ c, d = rotate_long(d, 21) ^ a, c = rotate_long(c, 32)

static uint64_t siphash(size_t rounds, char *memory)
{
	const uint64_t *data = (const uint64_t *)memory;
	uint64_t a = 1, b = 2, c = 3, d = 4;

	for (size_t round = 0; round < rounds; round++)
		for (int i = 0; i < 512; i++) {
			d ^= data[i];
			SIP_ROUND;
			SIP_ROUND;
			a ^= data[i];
		}
	return a ^ b ^ c ^ d;
}

static uint64_t four_lane_hash(size_t rounds, char *memory)
{
	const uint32_t *data = (const uint32_t *)memory;
	uint32_t a = 1, b = 2, c = 3, d = 4;

	for (size_t round = 0; round < rounds; round++)
		for (int i = 0; i < 1024; i += 4) {
			a = rotate(a + data[i] * 2246822519u, 13) * 2654435761u;
			b = rotate(b + data[i + 1] * 2246822519u, 13) * 2654435761u;
			c = rotate(c + data[i + 2] * 2246822519u, 13) * 2654435761u;
			d = rotate(d + data[i + 3] * 2246822519u, 13) * 2654435761u;
		}
	return a ^ b ^ c ^ d;
}

static uint64_t adler32(size_t rounds, char *memory)
{
	uint32_t a = 1, b = 0;

	for (size_t round = 0; round < rounds; round++) {
		for (size_t i = 0; i < 4096; i++) {
			a += (uint8_t)memory[i];
			b += a;
		}
		a %= 65521;
		b %= 65521;
	}
	return b << 16 | a;
}

/* Four tables, four bytes a step. */
static uint64_t crc_of_four(size_t rounds, char *memory)
{
	const uint32_t(*table)[256] = (const uint32_t(*)[256])memory, *data = (const uint32_t *)(memory + 4096);
	uint32_t crc = 0;

	for (size_t round = 0; round < rounds; round++)
		for (int i = 0; i < 1024; i++) {
			crc ^= data[i];
			crc = table[3][crc & 255] ^ table[2][crc >> 8 & 255] ^ table[1][crc >> 16 & 255] ^
			      table[0][crc >> 24];
		}
	return crc;
}

/* Codes of 1 to 8 bits by a table of 256: symbol and length. */
static uint64_t huffman_decode(size_t rounds, char *memory)
{
	static uint16_t table[256];
	uint64_t sum = 0;

	for (unsigned i = 0; i < 256; i++)
		table[i] = (uint16_t)(i << 8 | (i & 1 ? 2 : i & 2 ? 3 : i & 4 ? 4 : 6));
	for (size_t round = 0; round < rounds; round++)
		for (uint64_t at = 0, bits; at < 8 * 8000;) {
			memcpy(&bits, memory + at / 8, 8);
			for (int k = 0; k < 8; k++) {
				uint16_t entry = table[bits & 255];

				bits >>= entry & 15;
				at += entry & 15;
				sum += entry >> 8;
			}
		}
	return sum;
}

/* Tokens of a literal's and a match's length, then literals and the match's distance: 4 to 19 and 1 to 16 bytes. */
static void make_tokens(char *memory, size_t size)
{
	uint64_t state = RANDOM_START;

	for (size_t at = 0; at + 40 < size / 2;) {
		uint8_t token = (uint8_t)(random_next(&state) >> 20);

		memory[at++] = (char)token;
		at += token >> 4;
		memory[at++] = (char)(1 + (random_next(&state) >> 20) % 60);
	}
}

static uint64_t lz_decode(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t round = 0; round < rounds; round++) {
		const uint8_t *from = (const uint8_t *)memory;
		char *to = memory + (512 << 10);

		for (int tokens = 0; tokens < 20000; tokens++) {
			unsigned token = *from++, literals = token >> 4, length = (token & 15) + 4;
			const char *match;

			for (unsigned i = 0; i < literals; i++)
				*to++ = (char)*from++;
			match = to - *from++;
			for (unsigned i = 0; i < length; i++) {
				to[i] = match[i];
				__asm__ volatile("" ::: "memory");
			}
			to += length;
		}
		sum += (uint64_t)(to - memory);
	}
	return sum;
}

/* Runs of 1 to 8 equal bytes. */
static void make_runs(char *memory, size_t size)
{
	uint64_t state = RANDOM_START;

	for (size_t at = 0, end; at < size; at = end) {
		end = at + 1 + (random_next(&state) >> 20 & 7);
		memset(memory + at, (int)(at % 251), (end < size ? end : size) - at);
	}
}

static uint64_t run_lengths(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t round = 0; round < rounds; round++) {
		char *to = memory + DATA;

		for (size_t i = 0, k; i < DATA - 16; i = k) {
			for (k = i + 1; memory[k] == memory[i]; k++)
				;
			*to++ = memory[i];
			*to++ = (char)(k - i);
		}
		sum += (uint64_t)(to - memory);
	}
	return sum;
}

/* Numbers of one to three bytes, of which all but the last have the upper bit. */
static uint64_t variable_numbers(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < DATA - 16;) {
			uint64_t number = 0;
			int by = 0;

			for (; memory[i] & 0x80 && by < 21; by += 7)
				number |= (uint64_t)(memory[i++] & 0x7f) << by;
			number |= (uint64_t)(memory[i++] & 0x7f) << by;
			sum += number;
		}
	return sum;
}

static uint64_t long_product(size_t rounds, char *memory)
{
	const uint64_t *a = (const uint64_t *)memory, *b = a + 16;
	uint64_t *product = (uint64_t *)memory + 64;

	for (size_t round = 0; round < rounds; round++) {
		memset(product, 0, 256);
		for (int i = 0; i < 16; i++) {
			uint64_t carry = 0;

			for (int j = 0; j < 16; j++) {
				unsigned __int128 sum = (unsigned __int128)a[i] * b[j] + product[i + j] + carry;

				product[i + j] = (uint64_t)sum;
				carry = (uint64_t)(sum >> 64);
			}
			product[i + 16] = carry;
		}
	}
	return product[9];
}

static uint64_t modular_power(size_t rounds, char *memory)
{
	const uint64_t modulus = 0xffffffff00000001u;
	uint64_t value = 7;

	for (size_t i = 0; i < rounds; i++) {
		unsigned __int128 square = (unsigned __int128)value * value;
		uint64_t low = (uint64_t)square, high = (uint64_t)(square >> 64);

		value = low - high * 5 + (low >> 7);
		value = value >= modulus ? value - modulus : value;
	}
	return value;
}

static inline uint64_t spread(uint64_t x)
{
	x = (x | x << 16) & 0x0000ffff0000ffffu;
	x = (x | x << 8) & 0x00ff00ff00ff00ffu;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
	x = (x | x << 2) & 0x3333333333333333u;
	return (x | x << 1) & 0x5555555555555555u;
}

static uint64_t morton_codes(size_t rounds, char *memory)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rounds; i++)
		sum += spread(i & 0xffff) | spread(i >> 3) << 1;
	return sum;
}

const struct kernel code_kernels[] = {
	{ "sha256_blocks", sha256_blocks, 1500, 4096, fill_randomly },
	{ "md5_steps", md5_steps, 5000, 4096, fill_randomly },
	{ "chacha20_blocks", chacha20_blocks, 3000, 4096, fill_randomly },
	{ "siphash", siphash, 200, 4096, fill_randomly },
	{ "four_lane_hash", four_lane_hash, 800, 4096, fill_randomly },
	{ "adler32", adler32, 150, 4096, fill_randomly },
	{ "crc_of_four", crc_of_four, 150, 8192, fill_randomly },
	{ "huffman_decode", huffman_decode, 20, 16384, fill_randomly },
	{ "lz_decode", lz_decode, 1, 1 << 20, make_tokens },
	{ "run_lengths", run_lengths, 1, 2 * DATA, make_runs },
	{ "variable_numbers", variable_numbers, 2, DATA, fill_randomly },
	{ "long_product", long_product, 2000, 4096, fill_randomly },
	{ "modular_power", modular_power, 150000, 0, NULL },
	{ "morton_codes", morton_codes, 120000, 0, NULL },
	{ NULL, NULL, 0, 0, NULL },
};
