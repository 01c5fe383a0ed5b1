/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small function is no longer inlined. */
#ifdef AFTER
#define HOW __attribute__((noinline, noclone))
#else
#define HOW inline __attribute__((always_inline))
#endif

static HOW unsigned step(unsigned value, unsigned by) /* HERE */
{
	__asm__ volatile("" : "+r"(value)); /* HERE */
	return value + by;		    /* HERE */
} /* HERE */

__attribute__((noinline, noclone)) static unsigned walk(unsigned times)
{
	unsigned value = 1;

	for (unsigned i = 0; i < times; i++) /* HERE */
		value = step(value, i);	     /* HERE */
	return value;
}

int main(void)
{
	return (int)walk(100000);
}
