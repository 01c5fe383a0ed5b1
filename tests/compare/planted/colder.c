/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that lay side by side come to lie a page apart, where all of them compete for the same few lines of L1I. */
#ifdef AFTER
#define PLACE __attribute__((noinline, noclone, aligned(4096)))
#else
#define PLACE __attribute__((noinline, noclone))
#endif
#define COLD(n, next)                                                                                                  \
	PLACE static long cold_##n(long x)                                                                             \
	{                                                                                                              \
		long y;                                                                                                \
		__asm__ volatile(".rept 12\n\tlea 1000(%0), %1\n\t.endr" : "+r"(x), "=&r"(y));                         \
		return cold_##next(x ^ n);                                                                             \
	}

PLACE static long cold_0(long x) /* HERE */
{
	__asm__ volatile("" : "+r"(x)); /* HERE */
	return x;			/* HERE */
}

/* Each is on the line that a report names. */
/* clang-format off */
COLD(1, 0) COLD(2, 1) COLD(3, 2) COLD(4, 3) COLD(5, 4) COLD(6, 5) /* HERE */
COLD(7, 6) COLD(8, 7) COLD(9, 8) COLD(10, 9) COLD(11, 10) COLD(12, 11) /* HERE */
COLD(13, 12) COLD(14, 13) COLD(15, 14) COLD(16, 15) COLD(17, 16) COLD(18, 17) /* HERE */
COLD(19, 18) COLD(20, 19) COLD(21, 20) COLD(22, 21) COLD(23, 22) COLD(24, 23) /* HERE */
COLD(25, 24) COLD(26, 25) COLD(27, 26) COLD(28, 27) COLD(29, 28) COLD(30, 29) /* HERE */
COLD(31, 30) COLD(32, 31) COLD(33, 32) COLD(34, 33) COLD(35, 34) COLD(36, 35) /* HERE */
COLD(37, 36) COLD(38, 37) COLD(39, 38) COLD(40, 39) COLD(41, 40) COLD(42, 41) /* HERE */
COLD(43, 42) COLD(44, 43) COLD(45, 44) COLD(46, 45) COLD(47, 46) COLD(48, 47) /* HERE */
	/* clang-format on */

	int main(void)
{
	long x = 0;

	for (unsigned i = 0; i < 1000; i++)
		x = cold_48(x);
	return (int)x;
}
