/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library.c - what places.c loads: PADDING bytes of code stand before the function, so that two of them differ. */
unsigned long in_library(unsigned long count);

__attribute__((used)) static void padding(void)
{
	__asm__ volatile(".skip " PADDING);
}

unsigned long in_library(unsigned long count)
{
	volatile unsigned long sum = 1;

	for (unsigned long i = 0; i < count; i++)
		sum += 5 * i;
	return sum;
}
