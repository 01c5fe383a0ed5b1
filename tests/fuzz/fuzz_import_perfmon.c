/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_import_perfmon.c - any bytes as a metrics file of intel/perfmon beside a few events: refused with words, or imported. */
#include "import_folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char events[] = "[{\"EventName\":\"A\",\"EventCode\":\"0x1\",\"Counter\":\"0,1\"},"
			     "{\"EventName\":\"B.C\",\"EventCode\":\"0x2\",\"Counter\":\"Fixed counter 0\"}]";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[32], path[64];

	import_folder_make(folder);
	snprintf(path, sizeof(path), "%s/events", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/metrics", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/events/toy_core.json", folder);
	import_folder_write(path, events, sizeof(events) - 1);
	snprintf(path, sizeof(path), "%s/metrics/toy_metrics.json", folder);
	import_folder_write(path, data, size);
	import_folder_run(IMPORT_PERFMON, folder);
	return 0;
}
