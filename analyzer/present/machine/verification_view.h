/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verification_view.h - known kernels and a diagnosis, as one file for people or machines. */
#ifndef TOPDOWN_PRESENT_MACHINE_VERIFICATION_VIEW_H
#define TOPDOWN_PRESENT_MACHINE_VERIFICATION_VIEW_H

#include "analyse/verify/verification.h"
#include "present/document/render.h"

struct verification_shown {
	const struct verification *verification;
	const struct diagnosis *diagnosis;
};

int render_verification(FILE *out, const struct verification_shown *shown, const struct style *style,
			struct error *err) MUST_CHECK;

#endif
