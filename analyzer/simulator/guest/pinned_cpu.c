/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/guest_internal.h"

/* Of the auxiliary vector (linux/auxvec.h). */
#define AT_HWCAP       16
#define AT_HWCAP2      26
#define AT_MINSIGSTKSZ 51

/* The helpers that VEX calls know no argument of ours. */
static struct {
	const struct parameters *parameters;
	ULong (*time)(void); /* nanoseconds */
} answers;

static IRStmt *call_instead(const IRDirty *call, const HChar *name, void *function)
{
	IRDirty *ours = emptyIRDirty();

	*ours = *call;
	ours->cee = mkIRCallee(call->cee->regparms, name, VG_(fnptr_to_fnentry)(function));
	ours->cee->mcx_mask = call->cee->mcx_mask;
	return IRStmt_Dirty(ours);
}

#if defined(VGA_amd64)

#include "libvex_guest_amd64.h"

#define CAPABILITIES 0x078bfbff /* leaf 1, EDX */
#define SIGNAL_STACK 3632	/* bytes, of a core with AVX and without AVX-512 */

/*
 * What all modelled x86 cores have, as far as VEX translates it: the level x86-64-v3, AES and carry-less products. The
 * bits are those of Intel's manual (volume 2A, CPUID); the identity is the one that VEX gives, a Haswell.
 */
static const struct leaf {
	UInt leaf, part, a, b, c, d;
} leaves[] = {
	{ 0x00000000, 0, 0x0000000d, 0x756e6547, 0x6c65746e, 0x49656e69 },
	{ 0x00000001, 0, 0x000306c3, 0x02100800, 0x3ed83203, CAPABILITIES },
	{ 0x00000002, 0, 0x76036301, 0x00f0b6ff, 0x00000000, 0x00c10000 },
	{ 0x00000007, 0, 0x00000000, 0x00000328, 0x00000000, 0x00000000 },
	{ 0x0000000b, 0, 0x00000001, 0x00000002, 0x00000100, 0x00000002 },
	{ 0x0000000b, 1, 0x00000004, 0x00000008, 0x00000201, 0x00000002 },
	{ 0x0000000d, 0, 0x00000007, 0x00000340, 0x00000340, 0x00000000 },
	{ 0x0000000d, 2, 0x00000100, 0x00000240, 0x00000000, 0x00000000 },
	{ 0x80000000, 0, 0x80000008, 0x00000000, 0x00000000, 0x00000000 },
	{ 0x80000001, 0, 0x00000000, 0x00000000, 0x00000021, 0x2c100800 },
	{ 0x80000002, 0, 0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865 },
	{ 0x80000003, 0, 0x37692029, 0x3139342d, 0x20514d30, 0x20555043 },
	{ 0x80000004, 0, 0x2e322040, 0x48473039, 0x0000007a, 0x00000000 },
	{ 0x80000007, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000100 },
	{ 0x80000008, 0, 0x00003027, 0x00000000, 0x00000000, 0x00000000 },
};

/* Leaf 4: the core's caches, of which the last is everybody's. */
static struct leaf cache_leaf(UInt part)
{
	const struct parameters *p = answers.parameters;
	const struct row {
		UInt a;
		const struct cache_size *size;
	} rows[] = { { 0x1c004121, &p->l1d }, { 0x1c004122, &p->l1i }, { 0x1c004143, &p->l2 }, { 0x1c03c163, &p->l3 } };
	const struct cache_size *size;

	if (part >= sizeof(rows) / sizeof(rows[0]))
		return (struct leaf){ .leaf = 4 };
	size = rows[part].size;
	return (struct leaf){
		.leaf = 4, .a = rows[part].a, .b = (size->ways - 1) << 22 | 63, .c = size->kib * 16 / size->ways - 1
	};
}

/* Those that have parts, which ECX says. */
static Bool has_parts(UInt number)
{
	return number == 7 || number == 0xb || number == 0xd;
}

static struct leaf find_leaf(UInt number, UInt part)
{
	if (number == 4)
		return cache_leaf(part);
	if (!has_parts(number))
		part = 0;
	for (UInt i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
		if (leaves[i].leaf == number && leaves[i].part == part)
			return leaves[i];
	return (struct leaf){ .leaf = number };
}

static void answer_cpuid(VexGuestAMD64State *state)
{
	struct leaf leaf = find_leaf((UInt)state->guest_RAX, (UInt)state->guest_RCX);

	state->guest_RAX = leaf.a;
	state->guest_RBX = leaf.b;
	state->guest_RCX = leaf.c;
	state->guest_RDX = leaf.d;
}

static ULong answer_rdtsc(void)
{
	return answers.time();
}

static void answer_rdtscp(VexGuestAMD64State *state)
{
	ULong time = answers.time();

	state->guest_RAX = time & 0xffffffff;
	state->guest_RDX = time >> 32;
	state->guest_RCX = 0;
}

static const struct helper {
	const HChar *start; /* of VEX's name */
	void *function;
} helpers[] = {
	{ "amd64g_dirtyhelper_CPUID", (void *)(Addr)answer_cpuid },
	{ "amd64g_dirtyhelper_RDTSCP", (void *)(Addr)answer_rdtscp },
	{ "amd64g_dirtyhelper_RDTSC", (void *)(Addr)answer_rdtsc },
};

#define NEEDED (VEX_HWCAPS_AMD64_AVX2 | VEX_HWCAPS_AMD64_BMI | VEX_HWCAPS_AMD64_LZCNT | VEX_HWCAPS_AMD64_F16C)

static const HChar *find_lack(const VexArchInfo *host)
{
	return (host->hwcaps & NEEDED) == NEEDED ? NULL : "AVX2, BMI, LZCNT and F16C";
}

#else

#define CAPABILITIES 3	  /* HWCAP_FP, HWCAP_ASIMD: what each core has (asm/hwcap.h) */
#define SIGNAL_STACK 4720 /* bytes, of a core without SVE */

/* cntvct_el0; what the CPU is only the kernel says here, and Valgrind leaves that out. */
static ULong answer_counter(void)
{
	return answers.time();
}

static const struct helper {
	const HChar *start;
	void *function;
} helpers[] = {
	{ "arm64g_dirtyhelper_MRS_CNTVCT_EL0", (void *)(Addr)answer_counter },
};

static const HChar *find_lack(const VexArchInfo *host)
{
	(void)host;
	return NULL;
}

#endif

Bool pinned_cpu_auxiliary(UWord kind, UWord *value)
{
	if (kind == AT_HWCAP)
		*value = CAPABILITIES;
	else if (kind == AT_HWCAP2)
		*value = 0;
	else if (kind == AT_MINSIGSTKSZ)
		*value = SIGNAL_STACK;
	else
		return False;
	return True;
}

const HChar *pinned_cpu_begin(const struct parameters *parameters, ULong (*time)(void))
{
	VexArch arch;
	VexArchInfo host;

	answers.parameters = parameters;
	answers.time = time;
	VG_(machine_get_VexArchInfo)(&arch, &host);
	return find_lack(&host);
}

IRStmt *pinned_cpu_statement(IRStmt *statement)
{
	const IRDirty *call = statement->tag == Ist_Dirty ? statement->Ist.Dirty.details : NULL;

	for (UInt i = 0; call && i < sizeof(helpers) / sizeof(helpers[0]); i++)
		if (!VG_(strncmp)(call->cee->name, helpers[i].start, VG_(strlen)(helpers[i].start)))
			return call_instead(call, helpers[i].start, helpers[i].function);
	return statement;
}
