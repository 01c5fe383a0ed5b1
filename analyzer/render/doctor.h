/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor.h - a diagnosis as text, JSON, CSV or Markdown. */
#ifndef TOPDOWN_RENDER_DOCTOR_H
#define TOPDOWN_RENDER_DOCTOR_H

#include "diagnose/diagnosis.h"
#include "render/render.h"

/* -1 when the stream refuses the output. What is in order is explained in text with is_verbose only. */
int render_diagnosis(FILE *out, const struct diagnosis *diagnosis, const struct style *style,
		     struct error *err) MUST_CHECK;

#endif
