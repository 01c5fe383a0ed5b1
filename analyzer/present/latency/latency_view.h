/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency_view.h - how long calls took, for people and as data. */
#ifndef TOPDOWN_PRESENT_LATENCY_LATENCY_VIEW_H
#define TOPDOWN_PRESENT_LATENCY_LATENCY_VIEW_H

#include "common/latency/call_times.h"
#include "common/latency/log_histogram.h"
#include "present/document/render.h"

int render_latency(FILE *out, const struct call_times *times, const struct style *style, struct error *err) MUST_CHECK;

extern const struct view latency_view; /* of a struct call_times */

/* "function", "syscall" ... */
const char *call_kind_name(enum call_kind kind);

/* The powers of two, in ns, that the histogram's rows go from and to, the last one included; false: it is empty. */
bool latency_powers(const struct call_times *times, unsigned *first, unsigned *last);

/* ---- latency_data.c ---- */

struct json_writer;
struct sheet;
void latency_json(struct json_writer *writer, const void *what, struct arena *arena);
void latency_csv(struct sheet *sheet, const void *what);

#endif
