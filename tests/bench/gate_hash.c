/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_hash.c - a second object of gate_program.c, so that there is an order to link in. */
unsigned hash(const char *text);

unsigned hash(const char *text)
{
	unsigned value = 2166136261u;

	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * 16777619u;
	return value;
}
