/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step1.c - the sales are an array: the next address is known before the sale is there. */
#include "sales.h"

int main(int argc, char **argv)
{
	const struct sale *sales = make_sales();
	uint64_t scale = scale_of(argc, argv), total = 0;

	for (int pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < SALES; i++)
			if (sales[i].cents >= LEAST)
				total += (uint64_t)sales[i].cents * sales[i].discount / scale;
	printf("%llu\n", (unsigned long long)total);
	return 0;
}
