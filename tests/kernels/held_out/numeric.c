/* SPDX-License-Identifier: GPL-2.0-or-later */
/* numeric.c - matrices, transforms, simulations and images. */
#include "../frame/frame.h"

#include <math.h>
#include <string.h>

static void small_numbers(char *memory, size_t size)
{
	for (size_t i = 0; i < size / sizeof(double); i++)
		((double *)memory)[i] = (double)(i * 7919 % 1009) / 1009;
}

/* Blocks of four rows and two columns stay in registers. */
static uint64_t matrix_by_blocks(size_t rounds, char *memory)
{
	const double(*a)[48] = (const double(*)[48])memory, (*b)[48] = a + 48;
	double(*c)[48] = (double(*)[48])memory + 96;

	for (size_t round = 0; round < rounds; round++)
		for (int i = 0; i < 48; i += 4)
			for (int j = 0; j < 48; j += 2) {
				double s0 = 0, s1 = 0, s2 = 0, s3 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0;

				for (int k = 0; k < 48; k++) {
					double x = b[k][j], y = b[k][j + 1];

					s0 += a[i][k] * x, s1 += a[i + 1][k] * x, s2 += a[i + 2][k] * x;
					s3 += a[i + 3][k] * x, t0 += a[i][k] * y, t1 += a[i + 1][k] * y;
					t2 += a[i + 2][k] * y, t3 += a[i + 3][k] * y;
				}
				c[i][j] = s0 + t0, c[i + 1][j] = s1 + t1, c[i + 2][j] = s2 + t2;
				c[i + 3][j] = s3 + t3;
			}
	return (uint64_t)c[3][4];
}

/* 256 rows of 24 numbers, each at a column by chance. */
static uint64_t sparse_product(size_t rounds, char *memory)
{
	const double *values = (const double *)memory, *vector = values + 6144;
	const uint32_t *columns = (const uint32_t *)(vector + 1024);
	double *result = (double *)memory + 6144 + 1024 + 3072;

	for (size_t round = 0; round < rounds; round++)
		for (int row = 0; row < 256; row++) {
			double sum = 0;

			for (int i = row * 24; i < row * 24 + 24; i++)
				sum += values[i] * vector[columns[i]];
			result[row] = sum;
		}
	return (uint64_t)result[7];
}

static void sparse_numbers(char *memory, size_t size)
{
	uint32_t *columns = (uint32_t *)((double *)memory + 6144 + 1024);

	small_numbers(memory, (6144 + 1024) * 8);
	for (uint32_t i = 0; i < 6144; i++)
		columns[i] = i * 2654435761u >> 22;
}

/* Of 256 complex numbers, in place, by two. */
static uint64_t fourier(size_t rounds, char *memory)
{
	double *re = (double *)memory, *im = re + 256, *cosines = im + 256, *sines = cosines + 256;

	for (int i = 0; i < 128; i++) {
		cosines[i] = cos(i * 3.14159265358979 / 128);
		sines[i] = sin(i * 3.14159265358979 / 128);
	}
	for (size_t round = 0; round < rounds; round++)
		for (int half = 128; half; half /= 2)
			for (int at = 0; at < 256; at += 2 * half)
				for (int k = 0; k < half; k++) {
					int i = at + k, j = i + half, w = k * (128 / half);
					double r = re[i] - re[j], m = im[i] - im[j];

					re[i] = (re[i] + re[j]) * 0.5;
					im[i] = (im[i] + im[j]) * 0.5;
					re[j] = r * cosines[w] - m * sines[w];
					im[j] = r * sines[w] + m * cosines[w];
				}
	return (uint64_t)(re[3] * 1e9);
}

static uint64_t five_bodies(size_t rounds, char *memory)
{
	double(*at)[3] = (double(*)[3])memory, (*speed)[3] = at + 5, *mass = (double *)(speed + 5);

	for (size_t round = 0; round < rounds; round++) {
		for (int i = 0; i < 5; i++)
			for (int j = i + 1; j < 5; j++) {
				double x = at[i][0] - at[j][0], y = at[i][1] - at[j][1], z = at[i][2] - at[j][2];
				double square = x * x + y * y + z * z + 0.01, pull = 1e-6 / (square * sqrt(square));

				speed[i][0] -= x * mass[j] * pull, speed[j][0] += x * mass[i] * pull;
				speed[i][1] -= y * mass[j] * pull, speed[j][1] += y * mass[i] * pull;
				speed[i][2] -= z * mass[j] * pull, speed[j][2] += z * mass[i] * pull;
			}
		for (int i = 0; i < 5; i++)
			for (int k = 0; k < 3; k++)
				at[i][k] += 1e-3 * speed[i][k];
	}
	return (uint64_t)(at[1][1] * 1e9);
}

/* Permutations of 7: flips until a 0 is in front. */
static uint64_t pancakes(size_t rounds, char *memory)
{
	uint64_t most = 0, state = RANDOM_START;

	for (size_t round = 0; round < rounds; round++) {
		uint8_t row[8] = { 3, 1, 6, 2, 0, 5, 4, 7 }, kept;
		uint64_t flips = 0;

		for (int i = 6; i > 0; i--) {
			uint64_t other = (random_next(&state) >> 32) * (uint64_t)(i + 1) >> 32;

			kept = row[i];
			row[i] = row[other];
			row[other] = kept;
		}
		for (; row[0]; flips++)
			for (int i = 0, j = row[0]; i < j; i++, j--) {
				kept = row[i];
				row[i] = row[j];
				row[j] = kept;
			}
		most = flips > most ? flips : most;
	}
	return most;
}

/* An image of 128 x 128 bytes, the mean of nine. */
static uint64_t blur(size_t rounds, char *memory)
{
	const uint8_t(*from)[128] = (const uint8_t(*)[128])memory;
	uint8_t(*to)[128] = (uint8_t(*)[128])(memory + 16384);

	for (size_t round = 0; round < rounds; round++)
		for (int i = 1; i < 127; i++)
			for (int j = 1; j < 127; j++) {
				uint32_t sum = 0;

				for (int k = -1; k <= 1; k++)
					sum += from[i + k][j - 1] + 2u * from[i + k][j] + from[i + k][j + 1];
				to[i][j] = (uint8_t)(sum * 21 >> 8);
			}
	return to[3][4];
}

/* Conway's game, 64 cells a word, 64 rows: sums of neighbours bit by bit. */
static uint64_t game_of_life(size_t rounds, char *memory)
{
	uint64_t *now = (uint64_t *)memory, *next = now + 64, *kept;

	for (size_t round = 0; round < rounds; round++, kept = now, now = next, next = kept)
		for (int i = 0; i < 64; i++) {
			uint64_t up = now[(i + 63) & 63], own = now[i], down = now[(i + 1) & 63];
			uint64_t ones = 0, twos = 0, fours = 0,
				 cells[8] = { up, up << 1, up >> 1, down, down << 1, down >> 1, own << 1, own >> 1 };

#pragma GCC unroll 8
			for (int k = 0; k < 8; k++) {
				uint64_t carry = ones & cells[k];

				ones ^= cells[k];
				fours |= twos & carry;
				twos ^= carry;
			}
			next[i] = twos & ~fours & (ones | own);
		}
	return now[5];
}

static uint64_t prefix_sums(size_t rounds, char *memory)
{
	uint32_t *row = (uint32_t *)memory, *sums = row + 4096;

	for (size_t round = 0; round < rounds; round++) {
		uint32_t sum = 0;

		for (int i = 0; i < 4096; i++)
			sums[i] = sum += row[i];
	}
	return sums[9];
}

static uint64_t shortest_paths(size_t rounds, char *memory)
{
	uint32_t(*far)[48] = (uint32_t(*)[48])memory;

	for (size_t round = 0; round < rounds; round++)
		for (int k = 0; k < 48; k++)
			for (int i = 0; i < 48; i++) {
				uint32_t first = far[i][k] & 0xffff;

				for (int j = 0; j < 48; j++) {
					uint32_t length = first + far[k][j];

					ALWAYS(length);
					far[i][j] = length < far[i][j] ? length : far[i][j];
				}
			}
	return far[3][4];
}

const struct kernel numeric_kernels[] = {
	{ "matrix_by_blocks", matrix_by_blocks, 12, 3 * 48 * 48 * 8, small_numbers },
	{ "sparse_product", sparse_product, 80, 90000, sparse_numbers },
	{ "fourier", fourier, 120, 16384, small_numbers },
	{ "five_bodies", five_bodies, 6000, 0, small_numbers },
	{ "pancakes", pancakes, 20000, 0, NULL },
	{ "blur", blur, 12, 32768, fill_randomly },
	{ "game_of_life", game_of_life, 800, 1024, fill_randomly },
	{ "prefix_sums", prefix_sums, 250, 32768, fill_randomly },
	{ "shortest_paths", shortest_paths, 12, 48 * 48 * 4, fill_randomly },
	{ NULL, NULL, 0, 0, NULL },
};
