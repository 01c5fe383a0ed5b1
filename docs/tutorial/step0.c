/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step0.c - what all discounts cost: the sales are a list, as they came in. */
#include "sales.h"

int main(int argc, char **argv)
{
	struct sale *sales = make_sales();
	uint64_t scale = scale_of(argc, argv), total = 0;

	for (int pass = 0; pass < PASSES; pass++) {
		const struct sale *sale = sales;

		for (size_t i = 0; i < SALES; i++) {
			if (sale->cents >= LEAST)
				total += (uint64_t)sale->cents * sale->discount / scale;
			sale = sale->next;
		}
	}
	printf("%llu\n", (unsigned long long)total);
	return 0;
}
