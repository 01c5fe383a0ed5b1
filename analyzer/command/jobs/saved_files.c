/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/saved_files.h"

#include <string.h>
#include <sys/stat.h>

#include "common/base/text.h"
#include "common/measurement/profile_bound.h"
#include "common/system/file.h"
#include "common/system/gzip.h"
#include "program/symbols/symbols.h"
#include "store/perftool/perf_record.h"
#include "store/session/last.h"
#include "store/session/session.h"

static int read_perf_data(struct measurement *measured, const struct stored_bytes *stored, const char *source,
			  struct arena *arena, struct error *err)
{
	const struct symbol_request request = { .sysroot = "" };
	struct error nameless = { .text = "" };

	if (perf_data_read(measured, stored, source, arena, err) < 0)
		return -1;
	if (symbols_resolve(measured->profile, &request, &nameless) < 0)
		profile_remark(measured->profile, arena_printf(arena, "Places have no names: %s.", nameless.text));
	profile_bound(measured->profile, 0);
	return 0;
}

/* What came through a pipe is gone from there. */
static int read_content(struct measurement *measured, const struct stored_bytes *stored, const char *source,
			struct arena *arena, struct error *err)
{
	char *copy = arena_alloc(arena, stored->length + 1);

	memcpy(copy, stored->bytes, stored->length);
	return session_read_text(measured,
				 &(struct session_text){ .text = copy, .length = stored->length, .source = source },
				 arena, err);
}

static bool is_perf_data_or_packed(const void *bytes, size_t length)
{
	return is_perf_data(bytes, length) || is_gzip(bytes, length);
}

/* Of gzip. */
static int read_packed(struct measurement *measured, const struct stored_bytes *stored, const char *source,
		       struct arena *arena, struct error *err)
{
	struct stored_bytes unpacked = { .length = stored->length };

	unpacked.bytes =
		(unsigned char *)gzip_unpack((const char *)stored->bytes, &unpacked.length, source, arena, err);
	if (!unpacked.bytes)
		return -1;
	if (is_perf_data(unpacked.bytes, unpacked.length))
		return read_perf_data(measured, &unpacked, source, arena, err);
	return read_content(measured, &unpacked, source, arena, err);
}

/* `perf record --threads` writes a folder, with a file for each reader beside the one that describes them. */
static int refuse_folder(const char *path, struct arena *arena, struct error *err)
{
	const char *main_file = is_directory(path) ? arena_printf(arena, "%s/data", path) : NULL;
	struct error unread = { .text = "" };
	struct stored_bytes stored = { .bytes = NULL };
	bool is_recorded =
		main_file && stored_bytes_open(&stored, main_file, is_perf_data, &unread) == 0 && stored.bytes;

	stored_bytes_release(&stored);
	return is_recorded ? error_set(err,
				       "%s: a folder of `perf record --threads`, which can't be read; without "
				       "--threads perf record writes one file",
				       path)
			   : 0;
}

int saved_files_read(struct measurement *measured, const char *path, struct arena *arena, struct error *err)
{
	const char *source = strcmp(path, "-") != 0 ? path : "standard input";
	struct stored_bytes stored;
	int result = refuse_folder(path, arena, err);

	if (result < 0)
		return -1;
	result = stored_bytes_open(&stored, path, is_perf_data_or_packed, err);
	if (result == 0 && !stored.bytes)
		result = session_read(measured, path, arena, err);
	else if (result == 0 && is_perf_data(stored.bytes, stored.length))
		result = read_perf_data(measured, &stored, source, arena, err);
	else if (result == 0 && is_gzip((const char *)stored.bytes, stored.length))
		result = read_packed(measured, &stored, source, arena, err);
	else if (result == 0)
		result = read_content(measured, &stored, source, arena, err);
	stored_bytes_release(&stored);
	return result;
}

/* ---- which file ---- */

/* The file that is named, or the last measurement's. NULL and err where there is none. */
static const char *saved_files_choose(const struct saved_files *files, struct arena *arena, struct error *err)
{
	const char *last, *command = files->command;
	struct stat status;

	if (files->count == 1)
		return files->names[0];
	last = files->count ? NULL : last_path(arena);
	if (last && stat(last, &status) == 0 && S_ISREG(status.st_mode)) /* nobody writes into a FIFO there */
		return last;
	if (files->count)
		error_set(err, "%s: which file? `topdown %s [OPTION]... FILE`, one at a time", command, command);
	else
		error_set(err,
			  "%s: which file? No measurement was kept%s%s; `topdown PROGRAM` measures and keeps one, "
			  "`topdown %s FILE` reads a saved one",
			  command, last ? " in " : ": HOME is not a directory of this user", last ? last : "", command);
	return NULL;
}

static void announce_last(const struct origin *origin, const struct request *request)
{
	const char *what = origin->command ? origin->command : origin->target;

	request_notice(request, NOTICE_PLAIN, "the last measurement: %s, %s", what ? what : "an unnamed program",
		       origin->started ? origin->started : "at an unknown time");
}

static const char *saved_files_place_of(const char *file, bool is_last, struct arena *arena)
{
	struct string word = STRING_INIT(arena);

	if (!strcmp(file, "-"))
		return NULL;
	if (!is_last)
		string_add_shell_word(&word, file);
	return word.text;
}

int saved_files_find(struct saved_file *recorded, struct saved_files files, const struct request *request,
		     struct error *err)
{
	recorded->file = saved_files_choose(&files, request->arena, err);
	if (!recorded->file || saved_files_read(&recorded->measured, recorded->file, request->arena, err) < 0)
		return -1;
	recorded->place = saved_files_place_of(recorded->file, !files.count, request->arena);
	if (!files.count)
		announce_last(&recorded->measured.parts[0].origin, request);
	return 0;
}
