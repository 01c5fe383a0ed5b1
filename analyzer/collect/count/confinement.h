/* SPDX-License-Identifier: GPL-2.0-or-later */
/* confinement.h - a process that leaves nothing behind in the file system. */
#ifndef TOPDOWN_COLLECT_COUNT_CONFINEMENT_H
#define TOPDOWN_COLLECT_COUNT_CONFINEMENT_H

/*
 * For the calling process and what it starts, by Landlock: it can't open files for writing, nor make, remove or rename
 * them, but for devices without a memory. Where the kernel knows these, TCP connections, abstract sockets and signals
 * to other processes fail too. The errors are EACCES or EPERM. Rights that a program would gain by exec it does not
 * get. What the kernel lacks is left as it was: all of it before Linux 5.13, or without Landlock.
 */
void confine(void);

#endif
