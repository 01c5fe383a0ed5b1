/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loop is unrolled until it fits no micro-op cache. Valgrind knows no line of more than 4095 bytes. */
#ifdef AFTER
#define TIMES 40
#define REPT  "100"
#else
#define TIMES 500
#define REPT  "8"
#endif
#define ADDS                                                                                                           \
	__asm__ volatile(".rept " REPT "\n\tadd $1000, %0\n\tadd $2000, %1\n\tadd $3000, %2\n\tadd $4000, %3\n\t"      \
			 "add $5000, %4\n\t.endr"                                                                      \
			 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));

__attribute__((noinline, noclone)) static long sums(long times)
{
	long a = 0, b = 0, c = 0, d = 0, e = 0;

	for (long i = 0; i < times; i++) {
		ADDS									     /* HERE */
			ADDS								     /* HERE */
				ADDS							     /* HERE */
					ADDS						     /* HERE */
						ADDS					     /* HERE */
							ADDS				     /* HERE */
								ADDS			     /* HERE */
									ADDS		     /* HERE */
										ADDS	     /* HERE */
											ADDS /* HERE */
	}
	return a + b + c + d + e;
}

int main(void)
{
	return (int)sums(TIMES);
}
