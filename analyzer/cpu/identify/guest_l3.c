/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/identify/guest_l3.h"

#include <string.h>

#include "common/base/text.h"
#include "common/json/json_read.h"
#include "common/json/json_shape.h"
#include "common/json/json_write.h"
#include "common/system/state_file.h"
#include "cpu/identify/identity.h"
#include "cpu/identify/sysfile.h"

/* ---- the file; docs/FORMATS.md describes it ---- */

#define FORMAT	   "topdown-l3"
#define VERSION	   1
#define MOST_BYTES 4096

#define KEPT(member) offsetof(struct l3_kept, member)

static const struct field kept_fields[] = {
	{ "cpu", FIELD_TEXT, KEPT(cpu), NULL },	       { "boot", FIELD_TEXT, KEPT(boot), NULL },
	{ "l2_kib", FIELD_U64, KEPT(l2_kib), NULL },   { "l3_kib", FIELD_U64, KEPT(l3_kib), NULL },
	{ "answers_kib", FIELD_U64, KEPT(kib), NULL },
};
static const struct shape kept_shape = SHAPE(kept_fields, struct l3_kept);

static const char *file_name(const char *machine, struct arena *arena)
{
	return state_name("l3", machine, arena);
}

static int write_kept(FILE *stream, const void *what, struct error *err)
{
	struct json_writer *writer = json_writer_new();

	json_write_string(writer, "format", FORMAT);
	json_write_integer(writer, "version", VERSION);
	fields_write(writer, &kept_shape, what);
	return json_writer_finish(writer, stream, err);
}

int guest_l3_keep(const struct l3_kept *kept, const char *machine, struct error *err)
{
	struct arena arena;
	int result;

	arena_init(&arena);
	result = state_replace(file_name(machine, &arena), write_kept, kept, err);
	arena_release(&arena);
	return result;
}

static bool read_kept(struct l3_kept *kept, const struct json *root, const char *name, struct arena *arena)
{
	const struct file_position place = { name, NULL, NO_INDEX, arena };
	struct error unsaid = { .text = "" };

	return compare_texts(json_text(json_get(root, "format")), FORMAT) == 0 &&
	       json_whole(json_get(root, "version"), 0) == VERSION &&
	       fields_read(kept, root, &kept_shape, &place, &unsaid) == 0;
}

static bool holds(const struct l3_kept *kept, const struct l3_kept *now)
{
	return !strcmp(kept->cpu, now->cpu) && !strcmp(kept->boot, now->boot) && kept->l2_kib == now->l2_kib &&
	       kept->l3_kib == now->l3_kib && kept->kib >= now->l2_kib && kept->kib <= now->l3_kib;
}

uint64_t guest_l3_kept(const struct l3_kept *now, const char *machine, struct arena *arena)
{
	const char *name = file_name(machine, arena);
	struct error unsaid = { .text = "" };
	struct l3_kept kept = { .kib = 0 };
	size_t length;
	char *text = state_read(name, MOST_BYTES, &length, arena);
	struct json *root = text ? json_read_strict(text, length, name, &unsaid) : NULL;
	bool is_valid = root && read_kept(&kept, root, name, arena) && holds(&kept, now);

	json_free(root);
	return is_valid ? kept.kib : 0;
}

/* ---- kept, or measured ---- */

static uint64_t measure(const struct l3_kept *now)
{
	struct l3_latencies latencies;

	if (!guest_l3_chase(&latencies, now->l2_kib, now->l3_kib))
		return 0;
	return guest_l3_decide(&latencies, now->l2_kib, now->l3_kib);
}

uint64_t guest_l3_kib(const struct machine *machine, uint64_t l2_kib, uint64_t l3_kib, struct arena *arena)
{
	struct l3_kept now = { .cpu = machine->cpuid, .l2_kib = l2_kib, .l3_kib = l3_kib };
	struct error unsaid = { .text = "" };
	const char *name;

	if (!machine->hypervisor || !is_live(machine->files) || !l2_kib || l3_kib / 2 <= l2_kib)
		return 0;
	now.boot = sysfile_read(machine->files, "proc/sys/kernel/random/boot_id");
	if (!now.boot || !*now.boot)
		return 0;
	if (machine->model_name)
		now.cpu = arena_printf(arena, "%s, %s", machine->cpuid, machine->model_name);
	name = identity_of("", arena).machine;
	now.kib = guest_l3_kept(&now, name, arena);
	/* What can't be kept isn't measured: a size of 0, which is none, shows it. */
	if (now.kib || guest_l3_keep(&now, name, &unsaid) < 0)
		return now.kib;
	now.kib = measure(&now);
	return now.kib && guest_l3_keep(&now, name, &unsaid) == 0 ? now.kib : 0;
}
