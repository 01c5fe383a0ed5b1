/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/base/titles.h"

#include <string.h>
#include <strings.h>

#include "common/base/text.h"

#define METHOD "tma_" /* of Intel's names */

/* Words that are spelled otherwise than with one capital. */
static const char *const spelled[] = {
	"ASE",	"AVX",	    "BW",     "CAS",  "CCX",  "CPI",  "CPU",  "CPUs",	      "CXL",  "DC",   "DMA",
	"DRAM", "DTLB",	    "FSU",    "HWPF", "IC",   "IIO",  "IO",   "IPC",	      "ITLB", "IXU",  "L1D",
	"L1I",	"L2D",	    "L3D",    "LLC",  "LOB",  "MIPS", "MPI",  "MPKI",	      "MSI",  "NPS1", "NUMA",
	"PC",	"PCI",	    "PKI",    "PMEM", "PTI",  "QPI",  "ROB",  "SMI",	      "SMT",  "SOB",  "SSE",
	"ST",	"STLB",	    "TLB",    "TLBs", "HNF",  "RNI",  "SBSX", "SF",	      "SLC",  "TSX",  "UMC",
	"UPI",	"IpBranch", "GFLOPs", "MLP",  "IpTB", "UpTB", "2MB",  "IpMispredict",
};

/* The word from start to end, in its spelling: "itlb" is "ITLB". */
static void spell_word(char *start, const char *end)
{
	size_t length = (size_t)(end - start);

	if (*start >= 'a' && *start <= 'z')
		*start = (char)(*start - 32);
	for (size_t i = 0; i < COUNT_OF(spelled); i++)
		if (strlen(spelled[i]) == length && !strncasecmp(spelled[i], start, length))
			memcpy(start, spelled[i], length);
}

const char *title_of_name(const char *name, struct arena *arena)
{
	char *title = arena_strdup(arena, name + (has_name_prefix(name, METHOD) ? strlen(METHOD) : 0));

	for (char *word = title; *word; word += strspn(word, "_")) {
		char *end = word + strcspn(word, "_");

		spell_word(word, end);
		word = end;
	}
	return title;
}
