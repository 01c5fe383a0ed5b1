/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/identify/identity.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/system/file.h"

#define SHORTEST_HASH 40 /* SHA-1; SHA-256 has 64 */
#define MOST_LINKS    5	 /* of a reference to the next, as git has it */
#define HEADS	      "refs/heads/"

/* A repository's files: those of a worktree of its own, and those that all worktrees share. */
struct repository {
	const char *own, *shared;
	struct arena *arena;
};

/* A file's first line, without what ends it; NULL: there is none. */
static char *first_line(const char *folder, const char *name, struct arena *arena)
{
	const char *path = arena_printf(arena, "%s/%s", folder, name);
	struct error unheard = { .text = "" };
	size_t length;
	char *text = is_file(path) ? file_read(path, &length, arena, &unheard) : NULL;

	if (text)
		text[strcspn(text, "\r\n")] = '\0';
	return text;
}

static const char *behind(const char *text, const char *start)
{
	return text && !strncmp(text, start, strlen(start)) ? text + strlen(start) : NULL;
}

static const char *within(const char *folder, const char *path, struct arena *arena)
{
	return *path == '/' ? path : arena_printf(arena, "%s/%s", folder, path);
}

/* ".git" is a folder, or of worktrees and submodules a file that names one. */
static const char *git_folder(const char *folder, struct arena *arena)
{
	const char *path = arena_printf(arena, "%s/.git", folder), *named;

	if (is_directory(path))
		return path;
	named = behind(first_line(folder, ".git", arena), "gitdir: ");
	return named ? within(folder, named, arena) : NULL;
}

static bool find_repository(struct repository *repository, const char *directory)
{
	struct arena *arena = repository->arena;
	const char *named = getenv("GIT_DIR"), *shared;
	char *folder = realpath(directory && *directory ? directory : ".", NULL);

	repository->own = named && *named ? arena_strdup(arena, named) : NULL;
	while (folder && !repository->own) {
		char *slash = strrchr(folder, '/');

		repository->own = git_folder(folder, arena);
		if (!slash || slash == folder)
			break;
		*slash = '\0';
	}
	free(folder);
	if (!repository->own)
		return false;
	shared = first_line(repository->own, "commondir", arena);
	repository->shared = shared ? within(repository->own, shared, arena) : repository->own;
	return true;
}

/* ---- references ---- */

static bool is_hash(const char *text)
{
	size_t length = strspn(text, "0123456789abcdef");

	return length >= SHORTEST_HASH && (!text[length] || isspace((unsigned char)text[length]));
}

static const char *hash_of(const char *text, struct arena *arena)
{
	return text && is_hash(text) ? arena_strndup(arena, text, strspn(text, "0123456789abcdef")) : NULL;
}

/* Lines "HASH NAME", beside others. */
static const char *packed_hash(const struct repository *repository, const char *name)
{
	const char *path = arena_printf(repository->arena, "%s/packed-refs", repository->shared);
	struct error unheard = { .text = "" };
	size_t length;
	char *text = is_file(path) ? file_read(path, &length, repository->arena, &unheard) : NULL, *rest = NULL;

	for (char *line = text ? strtok_r(text, "\r\n", &rest) : NULL; line; line = strtok_r(NULL, "\r\n", &rest)) {
		char *blank = strchr(line, ' ');

		if (blank && !strcmp(blank + 1, name))
			return hash_of(line, repository->arena);
	}
	return NULL;
}

/* A reference may name another one. */
static const char *checkout_resolve(const struct repository *repository, const char *name)
{
	for (int links = 0; name && links < MOST_LINKS; links++) {
		const char *text = first_line(repository->own, name, repository->arena), *hash;

		if (!text)
			text = first_line(repository->shared, name, repository->arena);
		hash = text ? hash_of(text, repository->arena) : packed_hash(repository, name);
		if (hash)
			return hash;
		name = behind(text, "ref: ");
	}
	return NULL;
}

static void read_head(struct checkout *checkout, const struct repository *repository)
{
	const char *head = first_line(repository->own, "HEAD", repository->arena);
	const char *name = behind(head, "ref: ");

	if (name)
		checkout->revision = checkout_resolve(repository, name);
	else
		checkout->revision = hash_of(head, repository->arena);
	/* ".invalid" stands there where references are in tables ("reftable"), which are not read. */
	if (behind(name, HEADS) && strcmp(behind(name, HEADS), ".invalid") != 0)
		checkout->branch = behind(name, HEADS);
}

/* ---- CI systems ---- */

/* By what each documents; the first that is set. A pull request's branch stands before that of its merge. */
static const char *const revision_variables[] = { "GITHUB_SHA",		 "CI_COMMIT_SHA",    "GIT_COMMIT",
						  "CIRCLE_SHA1",	 "BUILDKITE_COMMIT", "BITBUCKET_COMMIT",
						  "BUILD_SOURCEVERSION", "TRAVIS_COMMIT",    "DRONE_COMMIT_SHA" };
static const char *const branch_variables[] = { "GITHUB_HEAD_REF",
						"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
						"GITHUB_REF_NAME",
						"CI_COMMIT_REF_NAME",
						"GIT_BRANCH",
						"CIRCLE_BRANCH",
						"BUILDKITE_BRANCH",
						"BITBUCKET_BRANCH",
						"BUILD_SOURCEBRANCHNAME",
						"TRAVIS_BRANCH",
						"DRONE_BRANCH" };

static const char *first_of(const char *const *variables, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *found = getenv(variables[i]);
		if (found && *found)
			return found;
	}
	return NULL;
}

struct checkout checkout_identify(const char *directory, struct arena *arena)
{
	struct repository repository = { .arena = arena };
	struct checkout checkout = { .revision = NULL };

	if (find_repository(&repository, directory))
		read_head(&checkout, &repository);
	checkout.is_of_files = checkout.revision;
	if (!checkout.revision)
		checkout.revision = first_of(revision_variables, COUNT_OF(revision_variables));
	if (!checkout.branch)
		checkout.branch = first_of(branch_variables, COUNT_OF(branch_variables));
	return checkout;
}
