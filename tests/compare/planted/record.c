/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record grows from 8 to 128 bytes, and what fitted into L2 does not any more. */
#ifdef AFTER
#define REST 120
#else
#define REST 0
#endif
#define COUNT 16384u

static struct record {
	long value;
	char rest[REST];
} records[COUNT];

__attribute__((noinline, noclone)) static long total(unsigned times)
{
	unsigned at = 1;
	long sum = 0;

	for (unsigned i = 0; i < times; i++) {
		at = (at * 5 + 1 + (unsigned)sum) % COUNT;
		sum += records[at].value; /* HERE */
	}
	return sum;
}

int main(void)
{
	__asm__ volatile("" : : "r"(records) : "memory"); /* may have been written */
	return (int)total(100000);
}
