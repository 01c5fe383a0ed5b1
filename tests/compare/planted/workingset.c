/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same number of accesses goes to 8 MiB instead of 16 KiB. */
#ifdef AFTER
#define BYTES (8u << 20)
#else
#define BYTES (16u << 10)
#endif

static unsigned values[BYTES / sizeof(unsigned)];

__attribute__((noinline, noclone)) static unsigned gather(unsigned times)
{
	unsigned at = 1;

	for (unsigned i = 0; i < times; i++) {
		at = at * 1664525 + 1013904223;
		at += values[(at >> 8) % (BYTES / sizeof(unsigned))]; /* HERE */
	}
	return at;
}

int main(void)
{
	__asm__ volatile("" : : "r"(values) : "memory"); /* may have been written */
	return (int)gather(60000);
}
