/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows come to lie 4096 bytes apart, so that all of a column competes for one set of L1. */
#ifdef AFTER
#define ROW 4096
#else
#define ROW (4096 + 64)
#endif
#define ROWS 48

static _Alignas(4096) char matrix[ROWS * ROW];

__attribute__((noinline, noclone)) static long column(unsigned times)
{
	unsigned row = 0;
	long sum = 0;

	for (unsigned i = 0; i < times; i++) {
		sum += matrix[row * ROW]; /* HERE */
		row = (row + 1 + (unsigned)sum) % ROWS;
	}
	return sum;
}

int main(void)
{
	__asm__ volatile("" : : "r"(matrix) : "memory"); /* may have been written */
	return (int)column(60000);
}
