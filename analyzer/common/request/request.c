/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/request/request.h"

#include <stdarg.h>

#include "common/base/text.h"

void request_notice(const struct request *request, enum severity severity, const char *format, ...)
{
	char words[MOST_WORDED];
	va_list list;
	const char *sentence;

	if (!request->sink->notice)
		return;
	va_start(list, format);
	sentence = arena_vprintf(request->arena, text_worded(words, sizeof(words), format), list);
	va_end(list);
	request->sink->notice(request->sink->context, severity, sentence);
}
