/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A division comes into a loop that only shifted. */
__attribute__((noinline, noclone)) static unsigned long scale(unsigned times, unsigned long by)
{
	unsigned long value = 1ul << 60;

	for (unsigned i = 0; i < times; i++)
#ifdef AFTER
		value = (1ul << 60) + (value + i) / by; /* HERE */
#else
		value = (1ul << 60) + ((value + i) >> by);
#endif
	return value;
}

int main(int argc, char **argv)
{
	(void)argv;
	return (int)scale(50000, (unsigned long)argc + 2);
}
