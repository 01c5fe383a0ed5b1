/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/system/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/system/file.h"
#include "common/system/gzip.h"

#define MOST_LINKS 40 /* that the kernel follows */

/* ---- where it goes ---- */

/* The number behind the folder of descriptors; -1: it is another path. */
static int numbered_descriptor(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	uint64_t number;

	for (size_t i = 0; i < COUNT_OF(folders); i++)
		if (has_name_prefix(path, folders[i]) && text_u64(path + strlen(folders[i]), &number) &&
		    number <= INT_MAX)
			return (int)number;
	return -1;
}

/*
 * A name of an open descriptor, which has a position in its file; so is a file that standard output or standard error
 * goes to already, where the program's own lines stand. -1: none.
 */
static int descriptor_of(const char *path, const struct stat *status)
{
	struct stat stream;

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (int fd = STDOUT_FILENO; S_ISREG(status->st_mode) && fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &stream) == 0 && stream.st_dev == status->st_dev && stream.st_ino == status->st_ino)
			return fd;
	return numbered_descriptor(path);
}

/* Where symbolic links lead in the end, be there a file or not. */
static const char *follow(const char *path, struct arena *arena)
{
	char link[PATH_MAX];

	for (int i = 0; i < MOST_LINKS; i++) {
		ssize_t length = readlink(path, link, sizeof(link) - 1);
		const char *slash = strrchr(path, '/');

		if (length < 0)
			return path;
		link[length] = '\0';
		path = *link == '/' || !slash ? arena_strdup(arena, link)
					      : arena_printf(arena, "%.*s/%s", (int)(slash - path), path, link);
	}
	return path;
}

/* ---- opening ---- */

static int open_failed(struct output_file *file, struct error *err)
{
	int cause = errno;

	error_set(err, "%s: %s", file->path, write_failure_text(cause));
	output_file_drop(file);
	return -1;
}

static int open_stream(struct output_file *file, int fd)
{
	if (fd < 0)
		return -1;
	file->stream = file->flags & OUTPUT_PACKED ? gzip_stream(fd) : fdopen(fd, "w");
	if (!file->stream)
		close(fd);
	return file->stream ? 0 : -1;
}

/* As open(2) with O_CREAT would answer, without doing it. */
static int check_place(const struct output_file *file)
{
	if (!*file->name) {
		errno = EISDIR;
		return -1;
	}
	if (faccessat(file->directory, file->name, F_OK, 0) == 0)
		return faccessat(file->directory, file->name, W_OK, 0);
	return faccessat(file->directory, ".", W_OK | X_OK, 0);
}

/* Without a name, on the file system of its place where that can do so, else in memory. */
static int open_content(const struct output_file *file)
{
	int fd = openat(file->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC,
			file->flags & OUTPUT_PRIVATE ? 0600 : 0666);

	return fd >= 0 ? fd : memfd_create("topdown-output", MFD_CLOEXEC);
}

/* The stream has a descriptor of its own: closing it shows what network file systems report only then. */
static int open_in_place(struct output_file *file, struct error *err)
{
	if (file->directory < 0 || check_place(file) < 0)
		return open_failed(file, err);
	file->content = open_content(file);
	if (file->content < 0 || open_stream(file, fcntl(file->content, F_DUPFD_CLOEXEC, 3)) < 0)
		return open_failed(file, err);
	return 0;
}

static void output_file_init(struct output_file *file, const char *path, unsigned flags)
{
	const char *slash = strrchr(path, '/');

	*file = (struct output_file){ .path = path, .flags = flags, .directory = -1, .content = -1, .shown = -1 };
	file->name = slash ? slash + 1 : path;
	file->flags |= is_gzip_name(path) ? OUTPUT_PACKED : 0;
	arena_init(&file->arena);
}

static int open_through(struct output_file *file, int fd, struct error *err)
{
	return open_stream(file, fd) < 0 ? open_failed(file, err) : 0;
}

/* The folder of a path, with its slash. */
static int open_folder(const char *path, struct arena *arena)
{
	const char *slash = strrchr(path, '/'),
		   *folder = slash ? arena_strndup(arena, path, (size_t)(slash - path) + 1) : ".";

	return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int output_file_open(struct output_file *file, const char *path, unsigned flags, struct error *err)
{
	struct stat status = { .st_mode = 0 };
	bool is_there = stat(path, &status) == 0;
	int descriptor = descriptor_of(path, &status);
	const char *target;

	output_file_init(file, path, flags);
	if (!strcmp(path, "-"))
		file->path = "standard output";
	if (descriptor >= 0)
		return open_through(file, fcntl(descriptor, F_DUPFD_CLOEXEC, 3), err);
	if (is_there && !S_ISREG(status.st_mode))
		return open_through(file, open(path, O_WRONLY | O_CLOEXEC), err);
	target = follow(path, &file->arena);
	file->name = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
	file->directory = open_folder(target, &file->arena);
	return open_in_place(file, err);
}

int output_file_open_in(struct output_file *file, int directory, const char *path, unsigned flags, struct error *err)
{
	output_file_init(file, path, flags);
	file->directory = fcntl(directory, F_DUPFD_CLOEXEC, 3);
	return open_in_place(file, err);
}

/* ---- into its place ---- */

/* 0, or -1 with errno. */
static int copy_content(int to, int content, off_t length)
{
	off_t done = 0;
	ssize_t some = 1;

	while (done < length && some > 0)
		some = sendfile(to, content, &done, (size_t)(length - done));
	if (done < length && some == 0)
		errno = EIO;
	return done < length ? -1 : 0;
}

/* Permissions and owner of the file that is replaced, as if it were written over. -1: it has to be. */
static int take_over(const struct output_file *file, int fd, const struct stat *old)
{
	mode_t mode = old->st_mode & (file->flags & OUTPUT_PRIVATE ? 0700 : 0777);
	struct stat made;

	if (old->st_nlink > 1 || fstat(fd, &made) < 0)
		return -1;
	if ((made.st_uid != old->st_uid || made.st_gid != old->st_gid) && fchown(fd, old->st_uid, old->st_gid) < 0)
		return -1;
	return (made.st_mode & 0777) == mode ? 0 : fchmod(fd, mode);
}

/* The content gets a first name, where it is on the file system of its place. */
static int link_content(const struct output_file *file, const char *name)
{
	char content[sizeof("/proc/self/fd/") + 3 * sizeof(int)];

	snprintf(content, sizeof(content), "/proc/self/fd/%d", file->content);
	return linkat(AT_FDCWD, content, file->directory, name, AT_SYMLINK_FOLLOW);
}

/* What is a session has to be there after a power failure, and some disks are full only now. */
static int await_disk(const struct output_file *file, int fd)
{
	return file->flags & OUTPUT_KEPT ? fsync(fd) : 0;
}

/* With status 0 the content is from now on the file of this descriptor, which is closed in any case. */
static int move_to(const struct output_file *file, int fd, int status)
{
	int cause;

	if (status == 0 &&
	    (dup3(fd, file->content, O_CLOEXEC) < 0 || (file->stream && dup3(fd, fileno(file->stream), O_CLOEXEC) < 0)))
		status = -1;
	cause = errno;
	close(fd);
	errno = cause;
	return status;
}

/* And a name of a file that is a copy of it, where it is not. */
static int copy_beside(const struct output_file *file, const char *name, off_t length)
{
	int fd = openat(file->directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			file->flags & OUTPUT_PRIVATE ? 0600 : 0666);

	if (fd < 0)
		return -1;
	return move_to(file, fd, copy_content(fd, file->content, length) < 0 ? -1 : await_disk(file, fd));
}

static const char *temporary_name(struct output_file *file)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_REALTIME, &now);
	return arena_printf(&file->arena, ".topdown.%ld.%ld.tmp", (long)getpid(), now.tv_nsec);
}

static int rename_content(const struct output_file *file, const char *name)
{
	if (!(file->flags & OUTPUT_NEW))
		return renameat(file->directory, name, file->directory, file->name);
	if (linkat(file->directory, name, file->directory, file->name, 0) < 0 && errno != EEXIST)
		return -1;
	return unlinkat(file->directory, name, 0);
}

/* Beside its place, then renamed into it, by which what was there goes. old: NULL where there is none. */
static int put_beside(struct output_file *file, const struct stat *old, off_t length)
{
	const char *name = temporary_name(file);
	int cause;

	if (!old && link_content(file, file->name) == 0)
		return 0;
	if ((link_content(file, name) == 0 || copy_beside(file, name, length) == 0) &&
	    (!old || take_over(file, file->content, old) == 0) && rename_content(file, name) == 0)
		return 0;
	cause = errno;
	unlinkat(file->directory, name, 0);
	errno = cause;
	return -1;
}

/*
 * Into the file that is there: one with other names or of another owner, a mount, or in a directory that is not ours.
 * The room is taken before its first byte is changed.
 */
static int write_over(struct output_file *file, const struct stat *old, off_t length)
{
	off_t start = file->flags & OUTPUT_ADDED ? old->st_size : 0;
	int fd = openat(file->directory, file->name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC), status, cause;

	if (fd < 0)
		return -1;
	if (length && fallocate(fd, FALLOC_FL_KEEP_SIZE, start, length) < 0 && errno != EOPNOTSUPP && errno != ENOSYS)
		return move_to(file, fd, -1);
	if (file->flags & OUTPUT_PRIVATE && fchmod(fd, old->st_mode & 0700) < 0)
		errno = 0; /* another's, or a file system without permissions */
	status = lseek(fd, start, SEEK_SET) < 0 || copy_content(fd, file->content, length) < 0 ? -1 : 0;
	cause = errno;
	if (ftruncate(fd, status < 0 ? start : start + length) < 0 && status == 0)
		return move_to(file, fd, -1);
	errno = cause;
	return move_to(file, fd, status < 0 ? -1 : await_disk(file, fd));
}

static int put_in_place(struct output_file *file)
{
	struct stat old;
	bool is_there = fstatat(file->directory, file->name, &old, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(old.st_mode);
	off_t length = lseek(file->content, 0, SEEK_END);
	int status = -1;

	if (is_there && file->flags & OUTPUT_NEW)
		return 0;
	if (length < 0 || await_disk(file, file->content) < 0)
		return -1;
	if (!is_there || !(file->flags & OUTPUT_ADDED))
		status = put_beside(file, is_there ? &old : NULL, length);
	return status < 0 && is_there ? write_over(file, &old, length) : status;
}

/* Between two names no signal ends topdown. */
static int put(struct output_file *file)
{
	sigset_t all, usual;
	int status, cause;
	bool is_held;

	sigfillset(&all);
	is_held = sigprocmask(SIG_BLOCK, &all, &usual) == 0;
	status = put_in_place(file);
	cause = errno;
	if (is_held)
		sigprocmask(SIG_SETMASK, &usual, NULL);
	errno = cause;
	return status;
}

/* ---- the end ---- */

static int write_failed(const struct output_file *file, struct error *err)
{
	return error_set(err, "%s: %s", file->path, write_failure_text(errno ? errno : EIO));
}

/* Of a stream that has failed before, errno is what it was then. */
static int flush_stream(FILE *stream)
{
	if (!ferror(stream))
		errno = 0;
	return fflush(stream) != 0 || ferror(stream) ? -1 : 0;
}

int output_file_show(struct output_file *file, struct error *err)
{
	if (flush_stream(file->stream) < 0)
		return write_failed(file, err);
	if (file->content < 0 || file->flags & OUTPUT_PACKED)
		return 0;
	if (file->shown < 0 && put(file) < 0)
		return write_failed(file, err);
	file->shown = lseek(file->content, 0, SEEK_END);
	return file->shown < 0 ? write_failed(file, err) : 0;
}

void output_file_drop(struct output_file *file)
{
	if (file->stream)
		fclose(file->stream);
	if (file->shown >= 0 && ftruncate(file->content, file->shown) < 0)
		errno = 0; /* as far as it can be */
	if (file->content >= 0)
		close(file->content);
	if (file->directory >= 0)
		close(file->directory);
	arena_release(&file->arena);
	file->stream = NULL;
	file->content = file->directory = -1;
}

int output_file_close(struct output_file *file, struct error *err)
{
	FILE *stream = file->stream;
	int status = flush_stream(stream), cause = errno;

	file->stream = NULL;
	if (fclose(stream) != 0 && status == 0) {
		status = -1;
		cause = errno;
	}
	if (status == 0 && file->content >= 0 && file->shown < 0) {
		status = put(file);
		cause = errno;
	}
	errno = cause;
	if (status < 0)
		write_failed(file, err);
	else
		file->shown = -1;
	output_file_drop(file);
	return status;
}

int output_file_end(struct output_file *file, int result, struct error *err)
{
	if (result == 0)
		return output_file_close(file, err);
	error_in(err, "%s", file->path);
	output_file_drop(file);
	return -1;
}

int output_file_write(const char *path, const char *text, struct error *err)
{
	struct output_file file;

	if (output_file_open(&file, path, 0, err) < 0)
		return -1;
	fputs(text, file.stream);
	return output_file_close(&file, err);
}
