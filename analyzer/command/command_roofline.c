/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_roofline.c - topdown roofline: the machine's ceilings. */
#include "base/file.h"
#include "command/ceiled.h"
#include "command/commands.h"
#include "command/output.h"
#include "render/ceilings_view.h"

static int run_roofline(const struct options *options, struct arena *arena, struct error *err)
{
	struct ceilings_shown shown = { .ceilings = NULL };
	struct ceiled ceiled;
	struct output output;

	if (options->nwords)
		return error_set(err, "roofline %s: roofline takes no words: it measures this machine",
				 options->words[0]);
	if (options->output.path && file_check_writable(options->output.path, err) < 0)
		return -1;
	if (ceiled_get(&ceiled, options, arena, err) < 0)
		return -1;
	shown = (struct ceilings_shown){ &ceiled.ceilings, ceiled.is_kept ? ceiled.path : NULL, ceiled.stale };
	if (output_open(&output, options, stdout, err) < 0)
		return -1;
	if (render_ceilings(output.file, &shown, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}

/* clang-format off */
static const struct option_row roofline_rows[] = {
	{ "fresh", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(roofline.is_fresh), NULL,
	  "measure, though there are kept ceilings that hold" },
	{ "seconds", 0, TAKE_SECONDS, REPEATED_NEVER, "SECONDS", AT(roofline.seconds), NULL,
	  "measuring takes no longer (default: 9)" },
};
/* clang-format on */

static const struct option_set roofline_options = OPTION_SET("ceilings", roofline_rows);

const struct command command_roofline = {
	.name = "roofline",
	.arguments = "[OPTION]...",
	.summary = "how fast this machine can go, measured",
	.examples = "topdown roofline\n"
		    "topdown roofline --fresh -o roofline.html\n",
	.run = run_roofline,
	.sets = { &roofline_options, &sysroot_options, &file_options, &style_options, &general_options },
};
