/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function has another name, and takes a few more turns; another one is new, and one is gone. */
#ifdef AFTER
#define NAME   mixed_well
#define OTHER  fresh
#define ROUNDS 60000
#else
#define NAME   mixed
#define OTHER  stale
#define ROUNDS 50000
#endif

__attribute__((noinline, noclone)) static unsigned NAME(unsigned times)
{
	unsigned value = 1, other = 2;

	for (unsigned i = 0; i < times; i++) {
		value = (value ^ i) * 16777619u; /* HERE */
		other += value >> 3;		 /* HERE */
		if (other & 1)			 /* HERE */
			value += 7;		 /* HERE */
	}
	return value + other;
}

__attribute__((noinline, noclone)) static unsigned OTHER(unsigned times)
{
	unsigned value = 1;

	for (unsigned i = 0; i < times; i++)
#ifdef AFTER
		value = value * 5 + i;
#else
		value ^= value << 5;
#endif
	return value;
}

int main(void)
{
	return (int)(NAME(ROUNDS) + OTHER(20000));
}
