/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_import_sheet.c - any bytes as a sheet of Intel's, for a CPU with a few events: refused with words, or imported. */
#include "import_folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char events[] = "[{\"EventName\":\"A\",\"EventCode\":\"0x1\",\"Counter\":\"0,1\"},"
			     "{\"EventName\":\"B.C\",\"EventCode\":\"0x2\",\"Counter\":\"Fixed counter 0\"}]";
static const char cpus[] = "[{\"File\":\"toy\",\"Name\":\"toy\",\"Vendor\":\"Intel\",\"Sheet\":\"sheet.csv NEW\"}]";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[32], known[64], path[64];
	const char *const more[] = { folder };

	import_folder_make(folder);
	snprintf(path, sizeof(path), "%s/events", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/events/toy_core.json", folder);
	import_folder_write(path, events, sizeof(events) - 1);
	snprintf(known, sizeof(known), "%s/cpus.json", folder);
	import_folder_write(known, cpus, sizeof(cpus) - 1);
	snprintf(path, sizeof(path), "%s/sheet.csv", folder);
	import_folder_write(path, data, size);
	import_folder_ask((struct import_request){
		.form = IMPORT_PERFMON, .folder = folder, .more = more, .nmore = 1, .cpus = known });
	return 0;
}
