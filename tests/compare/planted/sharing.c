/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of four threads come to lie in one line. */
#include <pthread.h>

#ifdef AFTER
#define APART 1
#else
#define APART 16
#endif

static _Alignas(128) volatile long counters[4 * 16];

static void *count(void *number)
{
	volatile long *own = &counters[(long)number * APART];

	for (unsigned i = 0; i < 30000; i++)
		*own = i; /* HERE */
	return NULL;
}

int main(void)
{
	pthread_t others[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&others[i], NULL, count, (void *)(i + 1));
	count(NULL);
	for (long i = 0; i < 3; i++)
		pthread_join(others[i], NULL);
	return 0;
}
