/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library.c - is loaded by calls.c, and gone before it ends. */
void from_library(void (*function)(void))
{
	function();
	__asm__ volatile("");
}
