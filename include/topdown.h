/* SPDX-License-Identifier: 0BSD */
/*
 * topdown.h - a program marks its regions, and `topdown --pmu sim` shows a tree for each of them:
 *
 *	topdown_begin("sort");
 *	sort(rows);
 *	topdown_end();
 *
 * Regions nest, and belong to the thread that begins them; what runs in an inner one does not count for the outer one.
 * In C++ a topdown::region begins one, and ends it with its scope.
 *
 * Natively, and under anything but topdown's simulator, both do nothing: they load a number and take a branch. It is
 * found once, by the first region of each file, in some fifteen instructions. On other architectures than x86-64 and
 * arm64 they are empty.
 *
 * This file needs no other, and may be copied into any program.
 */
#ifndef TOPDOWN_H
#define TOPDOWN_H

#include <stdint.h>

/* "TD" in the upper half: the requests are for topdown's tool. */
#define TOPDOWN_REQUEST_BEGIN 0x54440000u
#define TOPDOWN_REQUEST_END   0x54440001u
#define TOPDOWN_REQUEST_THERE 0x54440002u

/*
 * A sequence that changes nothing, and that Valgrind looks for: it asks its tool with the words at an address. The answer
 * is 0 where nobody does.
 */
static inline uint64_t topdown_request(uint64_t code, const void *argument)
{
	volatile uint64_t words[6] = { code, (uint64_t)(uintptr_t)argument, 0, 0, 0, 0 };
	uint64_t answer = 0;

#if defined(__x86_64__) && defined(__linux__) && !defined(__ILP32__)
	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\txchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(words)
			 : "cc", "memory");
#elif defined(__aarch64__) && defined(__linux__)
	register uint64_t result __asm__("x3") = 0;
	register const volatile uint64_t *address __asm__("x4") = words;

	__asm__ volatile(
		"ror x12, x12, #3\n\tror x12, x12, #13\n\tror x12, x12, #51\n\tror x12, x12, #61\n\torr x10, x10, x10"
		: "+r"(result)
		: "r"(address)
		: "cc", "memory");
	answer = result;
#endif
	(void)words;
	return answer;
}

/* Is topdown there? It stays as it is as long as the program runs, so each thread finds the same. */
static inline int topdown_is_there(void)
{
	enum { UNKNOWN, THERE, NOBODY };
	static int found;
	int known = __atomic_load_n(&found, __ATOMIC_RELAXED);

	if (__builtin_expect(known == NOBODY, 1))
		return 0;
	if (known == UNKNOWN) {
		known = topdown_request(TOPDOWN_REQUEST_THERE, (const void *)0) ? THERE : NOBODY;
		__atomic_store_n(&found, known, __ATOMIC_RELAXED);
	}
	return known == THERE;
}

/* The region of this name begins; regions of one name are one. */
static inline void topdown_begin(const char *name)
{
	if (topdown_is_there())
		topdown_request(TOPDOWN_REQUEST_BEGIN, name);
}

/* The region that was begun last, and has not ended, ends. */
static inline void topdown_end(void)
{
	if (topdown_is_there())
		topdown_request(TOPDOWN_REQUEST_END, (const void *)0);
}

#ifdef __cplusplus
namespace topdown
{
/* A region as long as its scope: `topdown::region parse("parse");`, also where that is left by an exception. */
class region
{
      public:
	explicit region(const char *name)
	{
		topdown_begin(name);
	}
	~region()
	{
		topdown_end();
	}
	region(const region &) = delete;
	region &operator=(const region &) = delete;
};
} // namespace topdown
#endif

#endif
