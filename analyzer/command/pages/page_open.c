/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/pages/page_open.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/text.h"

/* In a folder that only the user reads, where there is one. */
static const char *folder_of_pages(void)
{
	const char *const names[] = { "XDG_RUNTIME_DIR", "TMPDIR" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value == '/' && access(value, W_OK) == 0)
			return value;
	}
	return "/tmp";
}

int page_open_choose(struct output_choice *choice, struct arena *arena, struct error *err)
{
	if (!choice->opens)
		return 0;
	if (choice->path || choice->has_format)
		return error_set(err, "--open and %s exclude each other: the page gets a file of its own",
				 choice->path ? "-o" : "--format");
	choice->format = FORMAT_HTML;
	choice->path = arena_printf(arena, "%s/topdown-%ld.html", folder_of_pages(), (long)getpid());
	return 0;
}

static bool has_desktop(void)
{
	const char *const names[] = { "DISPLAY", "WAYLAND_DISPLAY", "BROWSER" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return true;
	}
	return false;
}

void page_open(const struct output_choice *choice)
{
	char program[] = "xdg-open", *path;
	pid_t child;
	int status = -1;

	if (!choice->opens)
		return;
	path = strdup(choice->path);
	if (path && has_desktop() &&
	    posix_spawnp(&child, program, NULL, NULL, (char *[]){ program, path, NULL }, environ) == 0)
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	if (status != 0)
		puts(choice->path);
	free(path);
}
