/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/guest_internal.h"

void log_file_hide(void)
{
	struct vg_stat log, other;

	VG_(clo_log_fname_unexpanded) = NULL;
	if (VG_(fstat)(VG_(log_output_sink).fd, &log) != 0)
		return;
	for (Int fd = 0; fd < VG_(log_output_sink).fd; fd++) {
		if (VG_(fstat)(fd, &other) != 0 || other.dev != log.dev || other.ino != log.ino)
			continue;
		VG_(close)(fd);
		return;
	}
}
