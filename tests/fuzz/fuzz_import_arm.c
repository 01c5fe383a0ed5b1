/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_import_arm.c - any bytes as a telemetry file of Arm: refused with words, or imported. */
#include "import_folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[32], path[64];

	import_folder_make(folder);
	snprintf(path, sizeof(path), "%s/toy.json", folder);
	import_folder_write(path, data, size);
	import_folder_run(IMPORT_ARM, folder);
	return 0;
}
