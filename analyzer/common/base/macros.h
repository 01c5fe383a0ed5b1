/* SPDX-License-Identifier: GPL-2.0-or-later */
/* macros.h - compiler attributes and the few macros that every module uses. */
#ifndef TOPDOWN_COMMON_BASE_MACROS_H
#define TOPDOWN_COMMON_BASE_MACROS_H

#define MUST_CHECK		__attribute__((warn_unused_result))
#define NEVER_NULL		__attribute__((returns_nonnull))
#define PRINTF(text, arguments) __attribute__((format(printf, text, arguments)))
#define COUNT_OF(array)		(sizeof(array) / sizeof((array)[0]))
#define UNUSED			__attribute__((unused))

/* A constant's number as a string literal, for messages. */
#define AS_TEXT(constant)     AS_TEXT_HERE(constant)
#define AS_TEXT_HERE(written) #written

/* A number that was not counted, or that nobody knows: printed as "-", never as 0. isnan() asks for it. */
#define NOT_COUNTED __builtin_nan("")

#endif
