/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A third more to do. */
#ifdef AFTER
#define TIMES 130000
#else
#define TIMES 100000
#endif

__attribute__((noinline, noclone)) static unsigned mix(unsigned times)
{
	unsigned value = 1;

	for (unsigned i = 0; i < times; i++)	 /* HERE */
		value = (value ^ i) * 16777619u; /* HERE */
	return value;
}

int main(void)
{
	return (int)mix(TIMES);
}
