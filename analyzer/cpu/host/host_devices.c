/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_devices.c - disks and network interfaces. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"
#include "cpu/host/host_parts.h"

#define SECTOR 512 /* of /proc/diskstats, whatever the disk's is */

/* Partitions are no disks: their work is their disk's too. Without /sys nobody knows. */
static bool is_disk(const struct sysfiles *files, const char *name)
{
	const char **names;

	return sysfile_read(files, "sys/block/%s/size", name) || sysfile_list(files, "sys/block", &names) == 0;
}

/* "0x0"; iodone, ioerr: of SCSI (Documentation/scsi). */
static double disk_errors(const struct sysfiles *files, const char *name)
{
	uint64_t count;

	return sysfile_u64(files, &count, "sys/block/%s/device/ioerr_cnt", name) ? (double)count : NOT_COUNTED;
}

void host_read_disks(struct host_snapshot *snapshot, const struct sysfiles *files)
{
	const char *text = sysfile_read(files, "proc/diskstats"), *line;
	size_t capacity = 0;

	while ((line = host_line(&text))) {
		char name[64];
		double n[11];
		int length = 0;

		if (sscanf(line, " %*u %*u %63s%n", name, &length) != 1 || strchr(name, '/') || *name == '.' ||
		    host_numbers(line + length, n, COUNT_OF(n)) < COUNT_OF(n) || !is_disk(files, name))
			continue;
		snapshot->disks = arena_grow(files->arena, snapshot->disks, snapshot->ndisks, &capacity,
					     sizeof(*snapshot->disks));
		snapshot->disks[snapshot->ndisks++] = (struct host_disk){ .name = arena_strdup(files->arena, name),
									  .reads = n[0],
									  .read_bytes = n[2] * SECTOR,
									  .read_s = n[3] * 1e-3,
									  .writes = n[4],
									  .written_bytes = n[6] * SECTOR,
									  .written_s = n[7] * 1e-3,
									  .busy_s = n[9] * 1e-3,
									  .queued_s = n[10] * 1e-3,
									  .errors = disk_errors(files, name) };
	}
}

/* Mbit/s; -1 of one that is down, and no file or an error of what has no speed. */
static double link_speed(const struct sysfiles *files, const char *name)
{
	uint64_t mbits;

	return sysfile_u64(files, &mbits, "sys/class/net/%s/speed", name) && mbits && mbits < UINT32_MAX
		       ? (double)mbits * 1e6 / 8
		       : NOT_COUNTED;
}

/* dev_seq_printf_stats (net/core/net-procfs.c): eight numbers received, eight sent. */
void host_read_links(struct host_snapshot *snapshot, const struct sysfiles *files)
{
	const char *text = sysfile_read(files, "proc/net/dev"), *line;
	size_t capacity = 0;

	while ((line = host_line(&text))) {
		char name[64];
		double n[16];
		int length = 0;

		if (sscanf(line, " %63[^: \n]:%n", name, &length) != 1 || !length || strchr(name, '/') ||
		    *name == '.' || host_numbers(line + length, n, COUNT_OF(n)) < COUNT_OF(n))
			continue;
		snapshot->links = arena_grow(files->arena, snapshot->links, snapshot->nlinks, &capacity,
					     sizeof(*snapshot->links));
		snapshot->links[snapshot->nlinks++] = (struct host_link){ .name = arena_strdup(files->arena, name),
									  .received_bytes = n[0],
									  .sent_bytes = n[8],
									  .errors = n[2] + n[10],
									  .drops = n[3] + n[4] + n[11] + n[12],
									  .bytes_per_s = link_speed(files, name) };
	}
}
