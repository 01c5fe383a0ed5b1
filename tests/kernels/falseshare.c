/* SPDX-License-Identifier: GPL-2.0-or-later */
/* falseshare.c - falseshare ROUNDS BYTES: four threads, each with a counter of its own, so many bytes apart. */
#include <pthread.h>

#include "kernel.h"

#define THREADS 4

struct work {
	volatile uint64_t *counter;
	size_t rounds;
};

static void *count_up(void *argument)
{
	const struct work *work = argument;

	for (size_t i = 0; i < work->rounds; i++)
		*work->counter += 1; /* shared: up */
	return NULL;
}

static void *count_down(void *argument)
{
	const struct work *work = argument;

	for (size_t i = 0; i < work->rounds; i++)
		*work->counter -= 1; /* shared: down */
	return NULL;
}

int main(int argc, char **argv)
{
	size_t rounds = argument(argc, argv, 1, 400000), bytes = argument(argc, argv, 2, 8);
	char *counters = take_memory(THREADS * bytes + sizeof(uint64_t));
	pthread_t threads[THREADS];
	struct work work[THREADS];

	for (int i = 0; i < THREADS; i++) {
		work[i] = (struct work){ .counter = (volatile uint64_t *)(void *)(counters + (size_t)i * bytes),
					 .rounds = rounds };
		if (pthread_create(&threads[i], NULL, i % 2 ? count_down : count_up, &work[i]))
			return 1;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
