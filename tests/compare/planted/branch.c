/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A branch that was always taken follows random bits. */
#ifdef AFTER
#define ALWAYS 0
#else
#define ALWAYS (1ul << 20)
#endif

__attribute__((noinline, noclone)) static long pick(unsigned times, unsigned long always)
{
	unsigned long state = 88172645463325252;
	long sum = 0;

	for (unsigned i = 0; i < times; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		if ((state | always) & 1ul << 20) /* HERE */
			__asm__ volatile("add $1, %0" : "+r"(sum));
		else
			__asm__ volatile("add $2, %0" : "+r"(sum));
	}
	return sum;
}

int main(int argc, char **argv)
{
	(void)argv;
	return (int)pick(60000, ALWAYS * (unsigned long)argc);
}
