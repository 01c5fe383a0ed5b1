/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step3.c - a multiplication in the division's place: the scale is the same for all sales. */
#include "sales.h"

int main(int argc, char **argv)
{
	struct sale *sales = make_sales();
	size_t count = take_dear(sales);
	uint32_t reciprocal = reciprocal_of(scale_of(argc, argv));
	uint64_t total = 0;

	for (int pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < count; i++)
			total += divided(sales[i].cents * sales[i].discount, reciprocal);
	printf("%llu\n", (unsigned long long)total);
	return 0;
}
