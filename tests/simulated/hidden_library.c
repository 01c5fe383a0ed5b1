/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hidden_library.c - a library that works in a plain loop, and has code that is never run: CODE is the instructions, or
 * bytes that only look like some.
 */
#ifndef WORK
#define WORK library_work
#endif

#define AVX512                                                                                                         \
	"vpaddd %zmm1, %zmm2, %zmm3\n vpxord %zmm1, %zmm2, %zmm4\n vpmulld 64(%rsi,%rdi), %zmm2, %zmm5\n"              \
	"vpermd 512(%rsi), %zmm1, %zmm6\n vpcmpgtd %zmm1, %zmm2, %k1\n vpternlogd $3, %zmm1, %zmm2, %zmm7\n"           \
	"vmovdqu64 (%rsi), %zmm8{%k1}{z}\n vmovdqu64 %zmm8, 4096(%rdi)\n vcvttsd2usi %xmm1, %rax\n"                    \
	"vpshufd $3, %ymm17, %ymm18\n"

#define SHA                                                                                                            \
	"sha256rnds2 %xmm0, %xmm1, %xmm2\n sha256msg1 %xmm3, %xmm4\n sha256rnds2 %xmm0, %xmm2, %xmm1\n"                \
	"sha256msg2 %xmm4, %xmm5\n sha256rnds2 %xmm0, %xmm8, %xmm9\n sha1rnds4 $1, %xmm1, %xmm2\n"                     \
	"sha1nexte %xmm2, %xmm3\n sha1msg1 %xmm2, %xmm1\n sha1msg2 16(%rsi), %xmm1\n"

#define VAES                                                                                                           \
	"vaesenc %ymm1, %ymm2, %ymm3\n vaesenc %ymm1, %ymm4, %ymm5\n vaesenc %ymm1, %ymm6, %ymm7\n"                    \
	"vaesenclast %ymm1, %ymm8, %ymm9\n vaesdec %ymm1, %ymm2, %ymm3\n vaesdec %ymm1, %ymm4, %ymm5\n"                \
	"vaesdeclast %ymm1, %ymm6, %ymm7\n"

/* A switch's table of offsets, and names, as two compilers left them among code. */
#define TABLES                                                                                                         \
	".rept 40\n .long 0xfd647362, 0xfd647362, 0xfd647612\n .endr\n"                                                \
	".set i, 0\n .rept 40\n .long 0x84fff362 + 0x10000000 * (i % 7), 0x2cff785e + 0x8000000 * (i % 9)\n .set i, "  \
	"i + 1\n .endr\n"                                                                                              \
	".rept 9\n .asciz \"bsub3_then_bsub\", \"qsub1_then_dsub\", \"zsub2_then_hsub\"\n .endr\n"

/* A few instructions are no code for a CPU. */
#define FEW                                                                                                            \
	"vpaddd %zmm1, %zmm2, %zmm3\n vpxord %zmm1, %zmm2, %zmm4\n vpmulld %zmm1, %zmm2, %zmm5\n"                      \
	"vpaddq %zmm1, %zmm2, %zmm6\n vpxorq %zmm1, %zmm2, %zmm7\n nop\n sha256msg1 %xmm3, %xmm4\n"                    \
	"sha256msg2 %xmm3, %xmm5\n sha1msg1 %xmm3, %xmm6\n sha1msg2 %xmm3, %xmm7\n sha1nexte %xmm3, %xmm1\n"

__attribute__((used)) static void never(void)
{
	__asm__ volatile(CODE);
}

__attribute__((noinline)) unsigned WORK(unsigned rounds)
{
	unsigned sum = 1;

	for (unsigned i = 0; i < rounds; i++)
		sum = sum * 1664525 + i;
	return sum;
}
