/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/perftool/perftool_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef TOPDOWN_ZSTD
#include <zstd.h>

#define MOST_PIECE (64u << 20) /* of one record, which is a part of a ring buffer of perf's */
#define MOST_ALL   (8ull << 30)

struct piece {
	struct piece *next;
	size_t length;
	_Alignas(8) unsigned char bytes[];
};

struct unpacker {
	ZSTD_DStream *stream;
	struct piece *pieces; /* the latest first */
	uint64_t all;
};

struct unpacker *unpacker_new(struct error *err)
{
	struct unpacker *unpacker = calloc(1, sizeof(*unpacker));

	if (unpacker)
		unpacker->stream = ZSTD_createDStream();
	if (unpacker && unpacker->stream)
		return unpacker;
	free(unpacker);
	error_set(err, "there is no memory for unpacking");
	return NULL;
}

void unpacker_free(struct unpacker *unpacker)
{
	struct piece *next;

	if (!unpacker)
		return;
	for (struct piece *piece = unpacker->pieces; piece; piece = next) {
		next = piece->next;
		free(piece);
	}
	ZSTD_freeDStream(unpacker->stream);
	free(unpacker);
}

/* Makes the piece twice as large; NULL: it gets too large. */
static struct piece *unpack_grow(struct piece *piece, size_t *room)
{
	struct piece *grown;

	*room = *room ? 2 * *room : 65536;
	grown = *room <= MOST_PIECE ? realloc(piece, sizeof(*piece) + *room) : NULL;
	if (!grown)
		free(piece);
	return grown;
}

static struct piece *unpack(struct unpacker *unpacker, ZSTD_inBuffer *in, struct piece *piece, struct error *err)
{
	size_t room = piece->length, result = 0;
	bool is_full = false;

	/* What the stream still holds back comes out when there is room for it, also without more input. */
	while (in->pos < in->size || is_full) {
		ZSTD_outBuffer out;

		if (piece->length == room)
			piece = unpack_grow(piece, &room);
		if (!piece) {
			error_set(err, "compressed records are larger than perf makes them");
			return NULL;
		}
		out = (ZSTD_outBuffer){ .dst = piece->bytes, .size = room, .pos = piece->length };
		result = ZSTD_decompressStream(unpacker->stream, &out, in);
		if (ZSTD_isError(result)) {
			error_set(err, "compressed records are damaged: %s", ZSTD_getErrorName(result));
			free(piece);
			return NULL;
		}
		is_full = out.pos == out.size && out.pos > piece->length;
		piece->length = out.pos;
	}
	return piece;
}

int unpacker_next(struct unpacker *unpacker, const struct packed *packed, struct unpacked *unpacked, struct error *err)
{
	const size_t rest = packed->rest;
	struct piece *last = unpacker->pieces, *piece = calloc(1, sizeof(*piece) + rest);
	ZSTD_inBuffer in = { .src = packed->bytes, .size = packed->length };

	if (!piece)
		return error_set(err, "there is no memory for unpacking");
	if (rest)
		memcpy(piece->bytes, last->bytes + last->length - rest, rest);
	piece->length = rest;
	piece = unpack(unpacker, &in, piece, err);
	if (!piece)
		return -1;
	piece->next = unpacker->pieces;
	unpacker->pieces = piece;
	unpacker->all += piece->length;
	if (unpacker->all > MOST_ALL)
		return error_set(err, "compressed records are of more than 8 GiB");
	*unpacked = (struct unpacked){ piece->bytes, piece->length };
	return 0;
}
#else

struct unpacker *unpacker_new(struct error *err)
{
	error_set(err,
		  "its records are compressed, and this topdown was built without libzstd; `perf record` without -z "
		  "compresses nothing");
	return NULL;
}

void unpacker_free(struct unpacker *unpacker)
{
	(void)unpacker;
}

int unpacker_next(struct unpacker *unpacker, const struct packed *packed, struct unpacked *unpacked, struct error *err)
{
	(void)unpacker, (void)packed, (void)unpacked;
	return error_set(err, "there is no libzstd");
}
#endif
