/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/writer.h"

#define MOST_TEXT 8192 /* bytes of a name or a path, escaped */

enum wire_count cause_count(enum cause cause)
{
	static const UChar counts[CAUSE_COUNT] = {
		[CAUSE_MISPREDICT] = WIRE_LOST_MISPREDICT,
		[CAUSE_RESTEER] = WIRE_LOST_RESTEER,
		[CAUSE_ICACHE] = WIRE_LOST_ICACHE,
		[CAUSE_ITLB] = WIRE_LOST_ITLB,
		[CAUSE_UNKNOWN_BRANCH] = WIRE_LOST_UNKNOWN_BRANCH,
		[CAUSE_LEGACY_DECODE] = WIRE_LOST_LEGACY_DECODE,
		[CAUSE_UOP_CACHE] = WIRE_LOST_UOP_CACHE,
		[CAUSE_MICROCODE_SWITCH] = WIRE_LOST_MICROCODE,
		[CAUSE_DTLB] = WIRE_LOST_DTLB,
		[CAUSE_L1] = WIRE_LOST_L1,
		[CAUSE_L2] = WIRE_LOST_L2,
		[CAUSE_L3] = WIRE_LOST_L3,
		[CAUSE_DRAM] = WIRE_LOST_DRAM,
		[CAUSE_CONTESTED] = WIRE_LOST_CONTESTED,
		[CAUSE_SHARED] = WIRE_LOST_DATA_SHARING,
		[CAUSE_FALSE] = WIRE_LOST_FALSE_SHARING,
		[CAUSE_STORE] = WIRE_LOST_STORE,
		[CAUSE_DIVIDER] = WIRE_LOST_DIVIDER,
		[CAUSE_PORTS] = WIRE_LOST_PORTS,
		[CAUSE_DEPENDENCY] = WIRE_LOST_DEPENDENCY,
		[CAUSE_SERIALIZATION] = WIRE_LOST_SERIALIZATION,
	};

	return counts[cause];
}

void writer_init(struct writer *writer, Int fd)
{
	writer->fd = fd;
	writer->used = 0;
	writer->has_failed = False;
}

void writer_flush(struct writer *writer)
{
	if (VG_(write)(writer->fd, writer->text, (Int)writer->used) != (Int)writer->used)
		writer->has_failed = True;
	writer->used = 0;
}

void writer_add(struct writer *writer, const HChar *text)
{
	SizeT length = VG_(strlen)(text);

	if (length > sizeof(writer->text))
		length = sizeof(writer->text);
	if (writer->used + length > sizeof(writer->text))
		writer_flush(writer);
	VG_(memcpy)(writer->text + writer->used, text, length);
	writer->used += (UInt)length;
}

void writer_add_text(struct writer *writer, const HChar *text)
{
	HChar escaped[MOST_TEXT];

	wire_escape(escaped, sizeof(escaped), text ? text : "");
	writer_add(writer, escaped);
}

/* Valgrind's printf takes several times as long, and there are a million of these. */
static HChar *write_number(HChar *end, ULong value)
{
	do {
		*--end = (HChar)('0' + value % 10);
		value /= 10;
	} while (value);
	return end;
}

void writer_add_numbers(struct writer *writer, HChar mark, const UInt *numbers, UInt count)
{
	HChar line[128], *end = line + sizeof(line) - 1, *begin = end;

	*end = '\0';
	*--begin = '\n';
	while (count-- > 0) {
		begin = write_number(begin, numbers[count]);
		*--begin = count ? '\t' : mark;
	}
	writer_add(writer, begin);
}

void writer_add_count(struct writer *writer, enum wire_count count, ULong value)
{
	HChar text[32], *end = text + sizeof(text) - 1;

	*end = '\0';
	*--end = '\n';
	end = write_number(end, value);
	*--end = ' ';
	writer_add(writer, wire_row(count)->name);
	writer_add(writer, end);
}

void writer_add_counts(struct writer *writer, const struct counted *counts, UInt count)
{
	for (UInt i = 0; i < count; i++)
		writer_add_count(writer, counts[i].count, counts[i].value);
}
