/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that lay side by side come to lie a page apart, where all of them compete for the same few lines of L1I. */
#ifdef AFTER
#define PLACE __attribute__((noinline, aligned(4096)))
#else
#define PLACE __attribute__((noinline))
#endif
#define COLD(n)                                                                                                        \
	PLACE static long cold_##n(long x)                                                                             \
	{                                                                                                              \
		long y;                                                                                                \
		__asm__ volatile(".rept 80\n\tlea 1000(%0), %1\n\t.endr" : "+r"(x), "=&r"(y));                         \
		return x;                                                                                              \
	}
#define EACH(m) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11) m(12) m(13) m(14) m(15) m(16)
#define CALL(n) x = cold_##n(x);

EACH(COLD) /* HERE */

int main(void)
{
	long x = 0;

	for (unsigned i = 0; i < 300; i++) {
		EACH(CALL)
	}
	return (int)x;
}
