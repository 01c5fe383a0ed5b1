/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step2.c - only the sales that have a discount: no loop asks what never changes. */
#include "sales.h"

int main(int argc, char **argv)
{
	struct sale *sales = make_sales();
	size_t count = take_dear(sales);
	uint64_t scale = scale_of(argc, argv), total = 0;

	for (int pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < count; i++)
			total += (uint64_t)sales[i].cents * sales[i].discount / scale;
	printf("%llu\n", (unsigned long long)total);
	return 0;
}
