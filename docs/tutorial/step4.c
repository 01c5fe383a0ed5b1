/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step4.c - columns of what is read, in the place of records of 64 bytes. */
#include "sales.h"

int main(int argc, char **argv)
{
	struct sale *sales = make_sales();
	size_t count = take_dear(sales);
	uint32_t reciprocal = reciprocal_of(scale_of(argc, argv));
	const struct columns *columns = make_columns(sales, count);
	uint64_t total = 0;

	for (int pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < count; i++)
			total += divided(columns->cents[i] * columns->discount[i], reciprocal);
	printf("%llu\n", (unsigned long long)total);
	return 0;
}
