/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.c - units NAME COUNT: rounds of instructions for which one thing alone decides, so that a vendor's table of latencies and units says how long
 * a round takes. units.py has the cycles of each, and why.
 */
#include "kernel.h"

#include <string.h>

#if defined(__x86_64__)
/* Rounds from the start of a line on. What they lose is their own: the next loop waits until all of it is through. */
#define LOOP(body, ...)                                                                                                \
	__asm__ volatile(".p2align 6\n1:\n" body "sub $1, %[count]\n\tjnz 1b\n\tlfence"                                \
			 : [count] "+r"(count)                                                                         \
			 : [memory] "r"(memory)                                                                        \
			 : "memory", "cc", __VA_ARGS__)
#define VECTORS                                                                                                        \
	"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",     \
		"xmm13", "xmm14", "xmm15"
#define STACK "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)"

#define TWELVE(instruction)                                                                                            \
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11\n\t" instruction " %%ymm14, %%ymm15, %%ymm\\n\n\t.endr\n\t"

/* A chain of packed, and of scalar multiply-adds. */
static void fma_chain(size_t count, char *memory)
{
	LOOP("vfmadd231pd %%ymm1, %%ymm2, %%ymm0\n\t", VECTORS);
}

static void fma_floats(size_t count, char *memory)
{
	LOOP("vfmadd231ps %%ymm1, %%ymm2, %%ymm0\n\t", VECTORS);
}

static void fma_scalar(size_t count, char *memory)
{
	LOOP("vfmadd231sd %%xmm1, %%xmm2, %%xmm0\n\t", VECTORS);
}

/* The same, and its result goes through another register, whose halves VEX moves one by one. */
static void fma_moved(size_t count, char *memory)
{
	LOOP("vfmadd213ss %%xmm1, %%xmm2, %%xmm0\n\tvmovaps %%xmm0, %%xmm3\n\tvmovaps %%xmm3, %%xmm0\n\t", VECTORS);
}

/* Twelve without any chain between them: as many as units. */
static void fma_peak(size_t count, char *memory)
{
	LOOP(TWELVE("vfmadd231pd"), VECTORS);
}

static void add_peak(size_t count, char *memory)
{
	LOOP(TWELVE("vaddpd"), VECTORS);
}

static void multiply_add_peak(size_t count, char *memory)
{
	LOOP(".irp n,0,1,2,3,4,5\n\tvmulpd %%ymm14, %%ymm15, %%ymm\\n\n\t.endr\n\t"
	     ".irp n,6,7,8,9,10,11\n\tvaddpd %%ymm14, %%ymm15, %%ymm\\n\n\t.endr\n\t",
	     VECTORS);
}

static void x87_add(size_t count, char *memory)
{
	__asm__ volatile("fninit\n\tfldz\n\tfld1\n\t" ::: STACK);
	LOOP("fadd %%st(1), %%st\n\t", STACK);
	__asm__ volatile("fninit" ::: STACK);
}

static void x87_multiply(size_t count, char *memory)
{
	__asm__ volatile("fninit\n\tfld1\n\tfld1\n\t" ::: STACK);
	LOOP("fmul %%st(1), %%st\n\t", STACK);
	__asm__ volatile("fninit" ::: STACK);
}

static void bits(size_t count, char *memory)
{
	LOOP("popcnt %%rax, %%rax\n\tlzcnt %%rax, %%rax\n\ttzcnt %%rax, %%rax\n\t", "rax");
}

static void gather(size_t count, char *memory)
{
	LOOP("vpcmpeqd %%ymm2, %%ymm2, %%ymm2\n\tvpxor %%xmm1, %%xmm1, %%xmm1\n\t"
	     "vpgatherdd %%ymm2, (%[memory],%%ymm1,4), %%ymm0\n\t",
	     VECTORS);
}

/* A counter in memory: the store is the next round's load. */
static void forward_same(size_t count, char *memory)
{
	LOOP("addq $1, 8(%[memory])\n\t", "rax");
}

/* Two of them in turns: what the instruction stored last is not what it loads. */
static void forward_turns(size_t count, char *memory)
{
	__asm__ volatile("xor %%ecx, %%ecx" ::: "rcx");
	LOOP("addq $1, (%[memory],%%rcx,8)\n\txor $1, %%ecx\n\t", "rcx");
}

/* Two stores of which a load wants both: it waits until they are in L1. */
static void forward_fails(size_t count, char *memory)
{
	LOOP("mov %%eax, (%[memory])\n\tmov %%eax, 4(%[memory])\n\tmov (%[memory]), %%rax\n\t", "rax");
}

/*
 * The load's address has the same low twelve bits as the store's, and neither is known before the last load: what the
 * load adds is the wait for their pages to be compared.
 */
static void alias(size_t count, char *memory)
{
	__asm__ volatile("xor %%eax, %%eax" ::: "rax");
	LOOP("mov %%rax, 128(%[memory])\n\tmov 4224(%[memory],%%rax), %%rax\n\t", "rax");
}

/* Six loads of 8 bytes, each into a register of its own: over the end of a line, of a page, and of neither. */
#define SIX_LOADS(offset) ".irp to,rax,rcx,rdx,r8,r9,r10\n\tmov " offset "(%[memory]), %%\\to\n\t.endr\n\t"
#define SIX		  "rax", "rcx", "rdx", "r8", "r9", "r10"

static void line_ends(size_t count, char *memory)
{
	LOOP(SIX_LOADS("60"), SIX);
}

static void page_ends(size_t count, char *memory)
{
	LOOP(SIX_LOADS("4092"), SIX);
}

static void within_line(size_t count, char *memory)
{
	LOOP(SIX_LOADS("52"), SIX);
}

/* Four stores, and a fence behind them. */
static void full_fence(size_t count, char *memory)
{
	LOOP("mov %%rax, (%[memory])\n\tmov %%rax, 64(%[memory])\n\tmov %%rax, 128(%[memory])\n\tmov %%rax, "
	     "192(%[memory])\n\t"
	     "mfence\n\t",
	     "rax");
}

static void load_fence(size_t count, char *memory)
{
	LOOP("imul %%rax, %%rax\n\timul %%rax, %%rax\n\tlfence\n\t", "rax");
}

/* Sums by LEA, of which each waits for the one before: of three parts, and with a scaled index. */
static void long_sums(size_t count, char *memory)
{
	LOOP(".rept 4\n\tlea 8(%%rax,%%rcx), %%rax\n\t.endr\n\t", "rax", "rcx");
}

static void scaled_sums(size_t count, char *memory)
{
	LOOP(".rept 4\n\tlea (%%rcx,%%rax,8), %%rax\n\t.endr\n\t", "rax", "rcx");
}

/* Each load's index is what the last one found: 0. */
static void scaled_loads(size_t count, char *memory)
{
	__asm__ volatile("xor %%eax, %%eax" ::: "rax");
	LOOP("mov 8192(%[memory],%%rax,8), %%rax\n\t", "rax");
}

/* Bytes made wider, to another register and back. */
static void extends(size_t count, char *memory)
{
	LOOP("movzbl %%al, %%ecx\n\tmovzbl %%cl, %%eax\n\t", "rax", "rcx");
}

/* To a vector register and back. */
static void vector_move(size_t count, char *memory)
{
	LOOP("movq %%rax, %%xmm0\n\tmovq %%xmm0, %%rax\n\t", "rax", "xmm0");
}

static void cross_lane(size_t count, char *memory)
{
	LOOP("vperm2i128 $1, %%ymm0, %%ymm0, %%ymm0\n\t", VECTORS);
}

static void stores_of_line(size_t count, char *memory)
{
	LOOP(".irp at,0,8,16,24,32,40,48,56\n\tmov %%rax, \\at(%[memory])\n\t.endr\n\t", "rax");
}

#define EIGHT(instruction) ".irp r,rax,rcx,rdx,rsi,r8,r9,r10,r11\n\t" instruction "\n\t.endr\n\t"
#define GENERAL		   "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11"

static void shifts(size_t count, char *memory)
{
	LOOP(EIGHT("shl $3, %%\\r"), GENERAL);
}

static void rotations(size_t count, char *memory)
{
	LOOP(EIGHT("rol $3, %%\\r"), GENERAL);
}

static void selects(size_t count, char *memory)
{
	LOOP(EIGHT("cmovl %%r12, %%\\r"), GENERAL);
}

/* The choice waits for the comparison, and the next comparison for the choice. */
static void compared(size_t count, char *memory)
{
	LOOP(".rept 4\n\tcmp %%r12, %%rax\n\tcmovl %%r12, %%rax\n\t.endr\n\t", "rax");
}

static void upper_products(size_t count, char *memory)
{
	LOOP(".rept 4\n\tmul %%rdx\n\tmov %%rdx, %%rax\n\t.endr\n\t", "rax", "rdx");
}

static void crossings(size_t count, char *memory)
{
	LOOP(EIGHT("cvttsd2si %%xmm0, %%\\r"), GENERAL);
}

static void crossings_beside(size_t count, char *memory)
{
	LOOP(".rept 4\n\tpmovmskb %%xmm0, %%eax\n\tlea 4(%%rbx), %%rcx\n\tlea 4(%%rbx), %%rdx\n\tlea 4(%%rbx), "
	     "%%rsi\n\t"
	     ".endr\n\t",
	     "rax", "rcx", "rdx", "rsi");
}

static void shifts_beside(size_t count, char *memory)
{
	LOOP(EIGHT("shl $3, %%\\r") EIGHT("add $3, %%\\r") EIGHT("add $5, %%\\r"), GENERAL);
}

static void vector_stores(size_t count, char *memory)
{
	LOOP(".rept 8\n\tmovaps %%xmm0, (%[memory])\n\t.endr\n\t", "rax");
}

static void turned_stores(size_t count, char *memory)
{
	LOOP(".rept 4\n\tmovaps %%xmm0, (%[memory])\n\tmov %%rbx, 16(%[memory])\n\t.endr\n\t", "rax");
}

/* A load that is an operand, behind its store. */
static void operand_forward(size_t count, char *memory)
{
	LOOP("mov %%rax, (%[memory])\n\tadd (%[memory]), %%rax\n\t", "rax");
}

static void constants(size_t count, char *memory)
{
	LOOP(EIGHT("mov $0x1234567, %%\\r"), GENERAL);
}

static void bit_tests(size_t count, char *memory)
{
	LOOP(EIGHT("bt %%r12, %%\\r"), GENERAL);
}

static void carried(size_t count, char *memory)
{
	LOOP(".rept 4\n\trcl $1, %%rax\n\t.endr\n\t", "rax");
}

static void word_extends(size_t count, char *memory)
{
	LOOP("movzwl %%ax, %%ecx\n\tmovzwl %%cx, %%eax\n\t", "rax", "rcx");
}

static void pause_only(size_t count, char *memory)
{
	LOOP("pause\n\t", "rax");
}

/* What DEC leaves is in the flags, too, while the carry that it keeps is still the product's. */
static void counted_product(size_t count, char *memory)
{
	__asm__ volatile("mov $1, %%eax" ::: "rax");
	LOOP("imul %%rax, %%rcx\n\tdec %%rcx\n\tjz 2f\n\t2:\n\t", "rax", "rcx");
}

/* Six loads of vectors. */
static void vector_loads(size_t count, char *memory)
{
	LOOP(".irp n,0,1,2,3,4,5\n\tmovups 16*\\n(%[memory]), %%xmm\\n\n\t.endr\n\t", VECTORS);
}

/* Six loads and two stores: eight addresses. */
static void loads_and_stores(size_t count, char *memory)
{
	LOOP(SIX_LOADS("64") "mov %%rax, 512(%[memory])\n\tmov %%rax, 520(%[memory])\n\t", SIX);
}

/* Chains of 200 additions, of which a new one begins where the last one ends: how far ahead does the core look? */
static void new_chains(size_t count, char *memory)
{
	LOOP("mov (%[memory]), %%rax\n\t.rept 200\n\tadd %%rax, %%rax\n\t.endr\n\t", "rax");
}

/* What fetch takes for many micro-ops up to a taken branch. */
static void long_run(size_t count, char *memory)
{
	LOOP(".rept 30\n\tnop\n\t.endr\n\t", "rax");
}

#define EIGHT_CALLS                                                                                                    \
	"lea -128(%%rsp), %%rsp\n\tjmp 4f\n\t.p2align 6\n\t3: ret\n\t.p2align 6\n\t4:\n\t"                             \
	".rept 8\n\tcall 3b\n\t.p2align 6\n\t.endr\n\tlea 128(%%rsp), %%rsp\n\t"

/* Calls of a function that does nothing. */
static void calls(size_t count, char *memory)
{
	LOOP(EIGHT_CALLS, "rax");
}

/* The same behind 300 micro-ops, during which prediction can come to some of them. */
static void far_calls(size_t count, char *memory)
{
	LOOP(".rept 300\n\tnop\n\t.endr\n\t" EIGHT_CALLS, "rax");
}

static void indirect_jumps(size_t count, char *memory)
{
	LOOP(".irp n,0,1,2,3,4,5,6,7\n\tlea 3f(%%rip), %%rax\n\tmov %%rax, 8*\\n(%[memory])\n\t"
	     "jmp *8*\\n(%[memory])\n\t.p2align 6\n\t3:\n\t.endr\n\t",
	     "rax");
}

static const struct loop {
	const char *name;
	void (*run)(size_t count, char *memory);
} loops[] = {
	{ "fma_chain", fma_chain },
	{ "fma_floats", fma_floats },
	{ "fma_scalar", fma_scalar },
	{ "fma_moved", fma_moved },
	{ "fma_peak", fma_peak },
	{ "add_peak", add_peak },
	{ "multiply_add_peak", multiply_add_peak },
	{ "x87_add", x87_add },
	{ "x87_multiply", x87_multiply },
	{ "bits", bits },
	{ "counted_product", counted_product },
	{ "vector_loads", vector_loads },
	{ "loads_and_stores", loads_and_stores },
	{ "new_chains", new_chains },
	{ "long_run", long_run },
	{ "calls", calls },
	{ "far_calls", far_calls },
	{ "indirect_jumps", indirect_jumps },
	{ "gather", gather },
	{ "forward_same", forward_same },
	{ "forward_turns", forward_turns },
	{ "forward_fails", forward_fails },
	{ "alias", alias },
	{ "line_ends", line_ends },
	{ "page_ends", page_ends },
	{ "within_line", within_line },
	{ "full_fence", full_fence },
	{ "load_fence", load_fence },
	{ "long_sums", long_sums },
	{ "scaled_sums", scaled_sums },
	{ "scaled_loads", scaled_loads },
	{ "extends", extends },
	{ "vector_move", vector_move },
	{ "cross_lane", cross_lane },
	{ "stores_of_line", stores_of_line },
	{ "pause_only", pause_only },
	{ "shifts", shifts },
	{ "rotations", rotations },
	{ "selects", selects },
	{ "compared", compared },
	{ "upper_products", upper_products },
	{ "crossings", crossings },
	{ "crossings_beside", crossings_beside },
	{ "shifts_beside", shifts_beside },
	{ "vector_stores", vector_stores },
	{ "turned_stores", turned_stores },
	{ "operand_forward", operand_forward },
	{ "constants", constants },
	{ "bit_tests", bit_tests },
	{ "carried", carried },
	{ "word_extends", word_extends },
};

static int run_loop(const char *name, size_t count)
{
	char *memory = take_memory(16384);

	memset(memory, 0, 16384);
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		if (!strcmp(name, "all") || !strcmp(loops[i].name, name))
			loops[i].run(count, memory);
	return 0;
}
#else
static int run_loop(const char *name, size_t count)
{
	(void)name;
	(void)count;
	return 77;
}
#endif

int main(int argc, char **argv)
{
	return run_loop(argc > 1 ? argv[1] : "", argument(argc, argv, 2, 1000000));
}
