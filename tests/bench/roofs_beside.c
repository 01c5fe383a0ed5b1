/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roofs_beside.c SECONDS - loops by another hand than topdown's, for tests/bench/ceilings.py: fused multiply-adds written in
 * assembly, and STREAM's loops as the compiler makes them. One thread, best of many short windows; a line "name value" each.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define WINDOW	  1e-3
#define FMA_TURNS 10000
#define LARGE	  ((size_t)128 << 20) /* bytes of an array in memory */
#define PIECE	  ((size_t)1 << 20)   /* that is gone through at once */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct arrays {
	double *a, *b, *c;
	size_t at; /* elements */
};

/* Returns operations or bytes of one call. */
typedef double loop(struct arrays *arrays);

#if defined(__x86_64__)
#define TEN(op, r)                                                                                                     \
	op " %%" r "10, %%" r "11, %%" r "0\n\t" op " %%" r "10, %%" r "11, %%" r "1\n\t" op " %%" r "10, %%" r        \
	   "11, %%" r "2\n\t" op " %%" r "10, %%" r "11, %%" r "3\n\t" op " %%" r "10, %%" r "11, %%" r "4\n\t" op     \
	   " %%" r "10, %%" r "11, %%" r "5\n\t" op " %%" r "10, %%" r "11, %%" r "6\n\t" op " %%" r "10, %%" r        \
	   "11, %%" r "7\n\t" op " %%" r "10, %%" r "11, %%" r "8\n\t" op " %%" r "10, %%" r "11, %%" r "9\n\t"
#define FMA_LOOP(name, op, r, lanes)                                                                                   \
	static double name(struct arrays *arrays)                                                                      \
	{                                                                                                              \
		uint64_t turns = FMA_TURNS;                                                                            \
                                                                                                                       \
		(void)arrays;                                                                                          \
		__asm__ volatile("vzeroall\n\t.p2align 6\n1:\n\t" TEN(op, r) TEN(op, r) "dec %[turns]\n\tjnz 1b"       \
											"\n\tvzeroupper"               \
				 : [turns] "+r"(turns)                                                                 \
				 :                                                                                     \
				 : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",       \
				   "xmm9", "xmm10", "xmm11");                                                          \
		return FMA_TURNS * 20.0 * 2 * (lanes);                                                                 \
	}
FMA_LOOP(fma_f64_256, "vfmadd231pd", "ymm", 4)
FMA_LOOP(fma_f32_256, "vfmadd231ps", "ymm", 8)
FMA_LOOP(fma_f64_512, "vfmadd231pd", "zmm", 8)
FMA_LOOP(fma_f32_512, "vfmadd231ps", "zmm", 16)
FMA_LOOP(fma_f64_64, "vfmadd231sd", "xmm", 1)

static void read_piece(const double *from, size_t bytes)
{
	const char *at = (const char *)from, *end = at + bytes;

	__asm__ volatile(".p2align 6\n1:\n\tvmovapd (%[at]), %%zmm0\n\tvmovapd 64(%[at]), %%zmm1\n\t"
			 "vmovapd 128(%[at]), %%zmm2\n\tvmovapd 192(%[at]), %%zmm3\n\tadd $256, %[at]\n\t"
			 "cmp %[end], %[at]\n\tjne 1b\n\tvzeroupper"
			 : [at] "+r"(at)
			 : [end] "r"(end)
			 : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3");
}
#define WIDE __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define WIDE
#endif

/* STREAM's, a piece at a time. */
WIDE static void copy_piece(double *restrict a, const double *restrict b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = b[i];
}

WIDE static void triad_piece(double *restrict a, const double *restrict b, const double *restrict c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + 3.0 * c[i];
}

static size_t next_piece(struct arrays *arrays, size_t bytes)
{
	size_t at = arrays->at, n = PIECE / sizeof(double);

	arrays->at = at + 2 * n <= bytes / sizeof(double) ? at + n : 0;
	return at;
}

/* Not at the same places of their pages, where a load would wait for a store that is another's. */
#define STAGGER ((size_t)160) /* elements */
#define USED	(LARGE - PIECE)

#if defined(__x86_64__)
#define IN_L2 ((size_t)512 << 10) /* bytes */

static double read_l2(struct arrays *arrays)
{
	for (int i = 0; i < 10; i++)
		read_piece(arrays->a, IN_L2);
	return 10.0 * IN_L2;
}

static double read_dram(struct arrays *arrays)
{
	read_piece(arrays->a + next_piece(arrays, USED), PIECE);
	return PIECE;
}
#endif

static double copy_dram(struct arrays *arrays)
{
	size_t at = next_piece(arrays, USED);

	copy_piece(arrays->a + at, arrays->b + at + STAGGER, PIECE / sizeof(double));
	return 2.0 * PIECE;
}

static double triad_dram(struct arrays *arrays)
{
	size_t at = next_piece(arrays, USED);

	triad_piece(arrays->a + at, arrays->b + at + STAGGER, arrays->c + at + 2 * STAGGER, PIECE / sizeof(double));
	return 3.0 * PIECE;
}

#define SMALL 8192 /* bytes of an array in L1 */

WIDE static void triad_passes(double *restrict a, const double *restrict b, const double *restrict c, size_t n)
{
	for (int pass = 0; pass < 100; pass++) {
		for (size_t i = 0; i < n; i++)
			a[i] = b[i] + 3.0 * c[i];
		__asm__ volatile("" ::: "memory");
	}
}

/* In one page of 2 MiB: AMD's first level finds lines by a hash of their addresses, so that pages may collide. */
static double triad_l1(struct arrays *arrays)
{
	size_t n = SMALL / sizeof(double), next = n + STAGGER;

	triad_passes(arrays->a, arrays->a + next, arrays->a + 2 * next, n);
	return 300.0 * SMALL;
}

static const struct {
	const char *name, *feature;
	loop *run;
} loops[] = {
#if defined(__x86_64__)
	{ "fma f64 64", "fma", fma_f64_64 },
	{ "fma f64 256", "fma", fma_f64_256 },
	{ "fma f32 256", "fma", fma_f32_256 },
	{ "fma f64 512", "avx512f", fma_f64_512 },
	{ "fma f32 512", "avx512f", fma_f32_512 },
	{ "L2 read", "avx512f", read_l2 },
	{ "DRAM read", "avx512f", read_dram },
#endif
	{ "L1 triad", "", triad_l1 },
	{ "DRAM copy", "", copy_dram },
	{ "DRAM triad", "", triad_dram },
};
#define LOOPS (sizeof(loops) / sizeof(loops[0]))

static int is_there(const char *feature)
{
#if defined(__x86_64__)
	if (*feature == 'f')
		return __builtin_cpu_supports("fma") != 0;
	if (*feature == 'a')
		return __builtin_cpu_supports("avx512f") != 0;
#endif
	return !*feature;
}

static double window(loop *run, struct arrays *arrays)
{
	double begin = now(), end, done = 0;

	do {
		done += run(arrays);
		end = now();
	} while (end < begin + WINDOW);
	return done / (end - begin);
}

static double *get(void)
{
	void *memory = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	madvise(memory, LARGE, MADV_HUGEPAGE);
	for (size_t i = 0; i < LARGE / sizeof(double); i++)
		((double *)memory)[i] = 1;
	return memory;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? strtod(argv[1], NULL) : 3), best[LOOPS] = { 0 };
	struct arrays arrays = { get(), get(), get(), 0 };

	while (now() < end)
		for (size_t i = 0; i < LOOPS; i++) {
			double value = is_there(loops[i].feature) ? window(loops[i].run, &arrays) : 0;

			best[i] = value > best[i] ? value : best[i];
		}
	for (size_t i = 0; i < LOOPS; i++)
		if (best[i] > 0)
			printf("%s %.6g\n", loops[i].name, best[i]);
	return 0;
}
