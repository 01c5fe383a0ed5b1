/* SPDX-License-Identifier: GPL-2.0-or-later */
/* execution.c - chains of instructions, and more independent ones than their units take. */
#include "../frame/frame.h"

#if defined(__x86_64__)

#define MORE "r14,r15,rdx,rsi"

KERNEL(rol_throughput, 2, EACH(WORDS, "rol $7, %%\\r"))
KERNEL(rcr_one_chain, 20, "rcr $1, %%rax")
KERNEL(setcc_throughput, 3, EACH("al,cl,r8b,r9b,r10b,r11b,r12b,r13b", "setc %%\\r"))
KERNEL(minimum_chain, 10, "cmp %%rcx, %%rax\n\tcmovg %%rcx, %%rax")
KERNEL(mulx_chain, 10, "mulx %%rax, %%r8, %%rax")
KERNEL(fma_chain, 20, "vfmadd231ps %%ymm1, %%ymm2, %%ymm0")
KERNEL(fma_four_chains, 5, EACH("0,1,2,3", "vfmadd231pd %%ymm4, %%ymm5, %%ymm\\r"))
KERNEL(fma_ten_chains, 2, EACH("0,1,2,3,4,5,6,7,8,9", "vfmadd231ps %%ymm14, %%ymm15, %%ymm\\r"))
KERNEL(vector_shifts, 2, EACH(VECTORS, "vpsrlq $3, %%ymm14, %%ymm\\r"))
KERNEL(pmaddwd_throughput, 2, EACH(VECTORS, "vpmaddwd %%ymm14, %%ymm15, %%ymm\\r"))
KERNEL(haddps_chain, 10, "haddps %%xmm1, %%xmm0")
KERNEL(divss_throughput, 1, EACH("0,1,2,3,4,5,6,7", "vdivss %%xmm14, %%xmm15, %%xmm\\r"))
KERNEL(sqrtss_chain, 5, "sqrtss %%xmm0, %%xmm0")
KERNEL(div_32_chain, 4, "xor %%edx, %%edx\n\tdiv %%esi\n\tor $0x7000000, %%eax")
KERNEL(cvttsd2si_throughput, 2, EACH("rax,rcx,r8,r9", "cvttsd2si %%xmm1, %%\\r"))
KERNEL(movq_throughput, 2, EACH(WORDS, "movq %%xmm1, %%\\r"))
KERNEL(pclmul_chain, 10, "pclmulqdq $0, %%xmm1, %%xmm0")
KERNEL(aes_throughput, 2, EACH(VECTORS, "aesenc %%xmm14, %%xmm\\r"))
KERNEL(fadd_chain, 20, "fadd %%st(1), %%st")
KERNEL(lea_scaled_throughput, 2, EACH(WORDS, "lea 8(%%rdx,%%rsi,4), %%\\r"))
KERNEL(crc32_throughput, 3, EACH(MORE, "crc32 %%rax, %%\\r"))

/* A chain of multiplications with additions beside it that nobody waits for: of them a scheduler's fill. */
KERNEL(chain_beside_work, 8, "imul %%rcx, %%rax\n\t" EACH("r8,r9,r10,r11", "add $1, %%\\r"))

/* What a comparison of vectors found goes to the integer units and is branched on. */
KERNEL(compare_and_test, 4, "pcmpeqb %%xmm1, %%xmm0\n\tpmovmskb %%xmm0, %%eax\n\tmovd %%eax, %%xmm0")

#define PLAIN(name, rounds)                                                                                            \
	{                                                                                                              \
#name, name, rounds, 0, NULL                                                                           \
	}

/* Without this 0 / 0 and worse would go through the divider. */
static uint64_t divide(size_t rounds, char *memory)
{
	__asm__ volatile("mov $7, %%esi\n\tmov $0x7654321, %%eax" ::: "rsi", "rax");
	return div_32_chain(rounds, memory);
}

static uint64_t ones(void)
{
	__asm__ volatile(".irp r,0,1,2,3,4,5,6,7,8,9,10,11,14,15\n\tmov $0x3f800000, %%eax\n\tmovd %%eax, %%xmm\\r\n\t"
			 "pshufd $0, %%xmm\\r, %%xmm\\r\n\t.endr" ::
				 : "rax", "xmm0", "xmm1", "xmm14", "xmm15");
	return 0;
}

static uint64_t divss_of_ones(size_t rounds, char *memory)
{
	return ones() + divss_throughput(rounds, memory);
}

static uint64_t root_of_one(size_t rounds, char *memory)
{
	return ones() + sqrtss_chain(rounds, memory);
}

static uint64_t x87_of_ones(size_t rounds, char *memory)
{
	__asm__ volatile("fninit\n\tfldz\n\tfld1");
	fadd_chain(rounds, memory);
	__asm__ volatile("fninit");
	return rounds;
}

const struct kernel execution_kernels[] = {
	PLAIN(rol_throughput, 200000),
	PLAIN(rcr_one_chain, 100000),
	PLAIN(setcc_throughput, 200000),
	PLAIN(minimum_chain, 100000),
	PLAIN(mulx_chain, 60000),
	PLAIN(fma_chain, 50000),
	PLAIN(fma_four_chains, 100000),
	PLAIN(fma_ten_chains, 150000),
	PLAIN(vector_shifts, 100000),
	PLAIN(pmaddwd_throughput, 100000),
	PLAIN(haddps_chain, 50000),
	{ "divss_throughput", divss_of_ones, 100000, 0, NULL },
	{ "sqrtss_chain", root_of_one, 40000, 0, NULL },
	{ "div_32_chain", divide, 60000, 0, NULL },
	PLAIN(cvttsd2si_throughput, 200000),
	PLAIN(movq_throughput, 150000),
	PLAIN(pclmul_chain, 60000),
	PLAIN(aes_throughput, 100000),
	{ "fadd_chain", x87_of_ones, 30000, 0, NULL },
	PLAIN(lea_scaled_throughput, 150000),
	PLAIN(crc32_throughput, 150000),
	PLAIN(chain_beside_work, 80000),
	PLAIN(compare_and_test, 80000),
	{ NULL, NULL, 0, 0, NULL },
};

#else

const struct kernel execution_kernels[] = { { NULL, NULL, 0, 0, NULL } };

#endif
