/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_plane.h - a plot of characters, for terminals: both axes logarithmic, with level and slanting ceilings and with
 * points. The same struct plot is drawn on pages (plot.h).
 */
#ifndef TOPDOWN_PRESENT_PLOT_TEXT_PLANE_H
#define TOPDOWN_PRESENT_PLOT_TEXT_PLANE_H

#include "present/plot/plot.h"

/*
 * The plot's marks and points as a block of lines that fit the document's width. Marks are drawn in their order, later
 * ones over earlier ones: level ones only right of the first slanting one, slanting ones only below the first level
 * one, which is the roof. Of series only PLOT_POINTS are drawn, each as the letter that its legend has. NULL where the
 * document is too narrow for a plot, or an axis has no range.
 */
const struct block *text_plane_block(const struct document *doc, const struct plot *plot);

/* Of the n-th point that is drawn, from 0; beyond Z all are "*". */
const char *text_plane_letter(size_t n, struct arena *arena);

#endif
