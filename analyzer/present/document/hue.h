/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hue.h - one colour for each cause of level 1, in terminals and on pages: Paul Tol's "vibrant" scheme (Colour schemes,
 * SRON/EPS/TN/09-002), which the colour-blind distinguish; in terminals the nearest of the basic eight.
 */
#ifndef TOPDOWN_PRESENT_DOCUMENT_HUE_H
#define TOPDOWN_PRESENT_DOCUMENT_HUE_H

enum hue { HUE_OTHER, HUE_FRONTEND, HUE_BAD_SPECULATION, HUE_BACKEND, HUE_RETIRING, HUES };

/* By the name or title of a node of level 1, whatever the vendor calls it. */
enum hue hue_of(const char *name);

/* As classes of page.css end: "fe". A plot's series has PLOT_HUES and the hue (plot.h). */
const char *hue_class(enum hue hue);

#endif
