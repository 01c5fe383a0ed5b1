/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instructions.c - loops in the manner of instruction tables: a chain of one instruction has its latency, many
 * independent ones its throughput.
 */
#include "../frame/frame.h"

#if defined(__x86_64__)

KERNEL(add_chain, 20, "add %%rcx, %%rax")
KERNEL(imul_chain, 20, "imul %%rcx, %%rax")
KERNEL(cmov_chain, 20, "cmovc %%rcx, %%rax")
KERNEL(adc_chain, 20, "adc %%rcx, %%rax")
KERNEL(lea_three_chain, 20, "lea 8(%%rax,%%rcx), %%rax")
KERNEL(lea_scaled_chain, 20, "lea (%%rcx,%%rax,8), %%rax")
KERNEL(shift_by_cl_chain, 20, "shl %%cl, %%rax")
KERNEL(pdep_chain, 20, "pdep %%rcx, %%rax, %%rax")
KERNEL(crc32_chain, 20, "crc32 %%rcx, %%rax")
KERNEL(aesenc_chain, 20, "aesenc %%xmm1, %%xmm0")
KERNEL(addsd_chain, 20, "addsd %%xmm1, %%xmm0")
KERNEL(mulsd_chain, 20, "mulsd %%xmm1, %%xmm0")
KERNEL(vpaddd_chain, 20, "vpaddd %%ymm1, %%ymm0, %%ymm0")
KERNEL(pmulld_chain, 20, "pmulld %%xmm1, %%xmm0")
KERNEL(vperm_chain, 20, "vpermq $0x1b, %%ymm0, %%ymm0")
KERNEL(movd_there_and_back, 10, "movq %%rax, %%xmm0\n\tmovq %%xmm0, %%rax")
KERNEL(convert_there_and_back, 10, "cvtsi2sd %%rax, %%xmm0\n\tcvttsd2si %%xmm0, %%rax")
KERNEL(idiv_chain, 4, "mov $7, %%ecx\n\tcqto\n\tidiv %%rcx\n\tadd $77777777, %%rax")
KERNEL(divsd_chain, 10, "divsd %%xmm1, %%xmm0")
KERNEL(sqrtpd_throughput, 1, EACH("0,2,3,4", "sqrtpd %%xmm1, %%xmm\\r"))
KERNEL(add_throughput, 3, EACH(WORDS, "add %%rdx, %%\\r"))
KERNEL(imul_throughput, 2, EACH(WORDS, "imul %%rdx, %%\\r"))
KERNEL(shuffle_throughput, 2, EACH(VECTORS, "vpshufb %%ymm14, %%ymm15, %%ymm\\r"))
KERNEL(vector_add_throughput, 2, EACH(VECTORS, "vpaddd %%ymm14, %%ymm15, %%ymm\\r"))
KERNEL(load_throughput, 3, EACH(WORDS, "mov 64(%[memory]), %%\\r"))
KERNEL(store_throughput, 2, EACH(WORDS, "mov %%\\r, 64(%[memory])"))
KERNEL(nop_throughput, 24, "nop")
KERNEL(zeroing_throughput, 3, EACH(WORDS, "xor %%\\r, %%\\r"))
KERNEL(not_taken, 12, "test %%rax, %%rax\n\tjs 9f")
KERNEL(taken, 24, "jmp 3f\n\t.p2align 5\n3:")
KERNEL(lock_add, 4, "lock addq $1, 64(%[memory])")
KERNEL(load_fences, 4, "lfence")
KERNEL(pauses, 4, "pause")
KERNEL(vector_forward_chain, 4, "movdqa %%xmm0, 64(%[memory])\n\tmovdqa 64(%[memory]), %%xmm0")
KERNEL(push_and_pop, 8, "push %%rax\n\tpop %%rax")

/* Nops of 3 bytes: more of them than a micro-op cache has, and as much as L1I has; of 8 bytes from L2. */
KERNEL(code_of_l1, 10000, ".byte 0x0f, 0x1f, 0x00")
KERNEL(code_of_l2, 32768, "nopl 0x11223344(%%rax,%%rax,1)")

const struct kernel instruction_kernels[] = {
	{ "add_chain", add_chain, 200000, 0, NULL },
	{ "imul_chain", imul_chain, 80000, 0, NULL },
	{ "cmov_chain", cmov_chain, 200000, 0, NULL },
	{ "adc_chain", adc_chain, 200000, 0, NULL },
	{ "lea_three_chain", lea_three_chain, 100000, 0, NULL },
	{ "lea_scaled_chain", lea_scaled_chain, 100000, 0, NULL },
	{ "shift_by_cl_chain", shift_by_cl_chain, 200000, 0, NULL },
	{ "pdep_chain", pdep_chain, 80000, 0, NULL },
	{ "crc32_chain", crc32_chain, 80000, 0, NULL },
	{ "aesenc_chain", aesenc_chain, 60000, 0, NULL },
	{ "addsd_chain", addsd_chain, 80000, 0, NULL },
	{ "mulsd_chain", mulsd_chain, 80000, 0, NULL },
	{ "vpaddd_chain", vpaddd_chain, 200000, 0, NULL },
	{ "pmulld_chain", pmulld_chain, 80000, 0, NULL },
	{ "vperm_chain", vperm_chain, 60000, 0, NULL },
	{ "movd_there_and_back", movd_there_and_back, 60000, 0, NULL },
	{ "convert_there_and_back", convert_there_and_back, 40000, 0, NULL },
	{ "idiv_chain", idiv_chain, 60000, 0, NULL },
	{ "divsd_chain", divsd_chain, 40000, 0, NULL },
	{ "sqrtpd_throughput", sqrtpd_throughput, 100000, 0, NULL },
	{ "add_throughput", add_throughput, 600000, 0, NULL },
	{ "imul_throughput", imul_throughput, 250000, 0, NULL },
	{ "shuffle_throughput", shuffle_throughput, 300000, 0, NULL },
	{ "vector_add_throughput", vector_add_throughput, 600000, 0, NULL },
	{ "load_throughput", load_throughput, 500000, 0, NULL },
	{ "store_throughput", store_throughput, 400000, 0, NULL },
	{ "nop_throughput", nop_throughput, 800000, 0, NULL },
	{ "zeroing_throughput", zeroing_throughput, 800000, 0, NULL },
	{ "not_taken", not_taken, 500000, 0, NULL },
	{ "taken", taken, 150000, 0, NULL },
	{ "lock_add", lock_add, 50000, 0, NULL },
	{ "load_fences", load_fences, 50000, 0, NULL },
	{ "pauses", pauses, 20000, 0, NULL },
	{ "vector_forward_chain", vector_forward_chain, 100000, 0, NULL },
	{ "push_and_pop", push_and_pop, 300000, 0, NULL },
	{ "code_of_l1", code_of_l1, 1000, 0, NULL },
	{ "code_of_l2", code_of_l2, 150, 0, NULL },
	{ NULL, NULL, 0, 0, NULL },
};

#else

const struct kernel instruction_kernels[] = { { NULL, NULL, 0, 0, NULL } };

#endif
