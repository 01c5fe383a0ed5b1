/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instruction_forms_test.c - instructions differ by what they do, and not by their operands; each line of
 * events/sim/instructions.csv is of another one.
 */
#include <stdio.h>
#include <string.h>

#include "collect/simulate/sim_core.h"
#include "common/base/macros.h"
#include "rows.h"
#include "simulator/model/instruction_forms.h"

/* The bytes are GNU as's. */
static const struct {
	const char *name, *one, *other;
	bool is_same;
} key_rows[] = {
	{ "add %rbx,%rax; add %r9,%r8", "4801d8", "4d01c8", true },
	{ "add %rbx,%rax; add (%rbx),%rax", "4801d8", "480303", true },
	{ "add %rbx,%rax; add $3,%rax", "4801d8", "4883c003", true },
	{ "add %rbx,%rax; add %ebx,%eax", "4801d8", "01d8", false },
	{ "add %rbx,%rax; sub %rbx,%rax", "4801d8", "4829d8", false },
	{ "add $3,%rax; and $3,%rax", "4883c003", "4883e003", false },
	{ "add $3,%eax; add $300,%eax", "83c003", "052c010000", true },
	{ "shl $3,%rax; shr $3,%rax", "48c1e003", "48c1e803", false },
	{ "shl $3,%rax; shl %cl,%rax", "48c1e003", "48d3e0", false },
	{ "cmove; cmovl %rbx,%rax", "480f44c3", "480f4cc3", true },
	{ "cmove; cmova %rbx,%rax", "480f44c3", "480f47c3", false },
	{ "sete %al; setl %r8b", "0f94c0", "410f9cc0", true },
	{ "bswap %rax; bswap %r9", "480fc8", "490fc9", true },
	{ "paddd %xmm1,%xmm0; vpaddd %xmm9,%xmm8,%xmm0", "660ffec1", "c4c139fec1", true },
	{ "vpaddd of xmm; of ymm", "c5f9fec1", "c5fdfec1", false },
	{ "paddd; psubd %xmm1,%xmm0", "660ffec1", "660ffac1", false },
	{ "addss; addsd %xmm1,%xmm0", "f30f58c1", "f20f58c1", false },
	{ "pslld $3; psrld $3,%xmm0", "660f72f003", "660f72d003", false },
	{ "pshufb %xmm1,%xmm0; pmaddubsw", "660f3800c1", "660f3804c1", false },
	{ "pshufb %xmm1,%xmm0; palignr $3", "660f3800c1", "660f3a0fc103", false },
	{ "blsr; blsi %rbx,%rax", "c4e2f8f3cb", "c4e2f8f3db", false },
	{ "imul %rbx,%rax; imul %fs:(%rbx),%rax", "480fafc3", "64480faf03", true },
	{ "imul $3,%rbx,%rax; imul %rbx,%rax", "486bc303", "480fafc3", false },
};

static size_t bytes_of(uint8_t *bytes, const char *text)
{
	size_t length = 0;
	unsigned byte;

	while (sscanf(text + 2 * length, "%2x", &byte) == 1)
		bytes[length++] = (uint8_t)byte;
	return length;
}

static uint32_t key_of(const char *text)
{
	uint8_t bytes[16];

	return form_key(bytes, bytes_of(bytes, text));
}

static void test_keys(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(key_rows); i++)
		row_expect(&rows, key_rows[i].name,
			   (key_of(key_rows[i].one) == key_of(key_rows[i].other)) == key_rows[i].is_same, "");
	rows_end(&rows);
}

/* Half of an instruction, and EVEX, have no number; nothing behind the bytes is read. */
static void test_no_key(void **state UNUSED)
{
	assert_int_equal(key_of(""), 0);
	assert_int_equal(key_of("66"), 0);
	assert_int_equal(key_of("48"), 0);
	assert_int_equal(key_of("0f"), 0);
	assert_int_equal(key_of("c5f9"), 0);
	assert_int_equal(key_of("62f17d48fec1"), 0);
}

static void test_read(void **state UNUSED)
{
	static struct forms forms;
	const char *text = "480fafc3 3 100 1\n", *again = text, *half = "480fa", *large = "0fafc3 201 100 1",
		   *few = "0fafc3 3 100";
	const struct form *form;

	assert_true(forms_read(&forms, &text));
	assert_string_equal(text, "\n");
	form = forms_find(&forms, key_of("4c0fafcb")); /* imul %rbx,%r9 */
	assert_non_null(form);
	assert_int_equal(form->latency, 3);
	assert_int_equal(form->apart, 100);
	assert_int_equal(form->slots, 1);
	assert_ptr_equal(forms_find(&forms, key_of("0fafc3")), form); /* of 32 bits */
	assert_null(forms_find(&forms, key_of("660fafc3")));	      /* of 16 */
	assert_null(forms_find(&forms, 0));
	assert_false(forms_read(&forms, &again)); /* twice */
	assert_false(forms_read(&forms, &half));
	assert_false(forms_read(&forms, &large));
	assert_false(forms_read(&forms, &few));
}

/* Of registers only; memory is no crossing. The bytes are GNU as's. */
static void test_crossings(void **state UNUSED)
{
	static const struct {
		const char *name, *bytes;
		enum crossing crossing;
	} crossing_rows[] = {
		{ "movd %eax,%xmm1", "660f6ec8", CROSSES_TO_VECTOR },
		{ "vmovq %xmm9,%rax", "c461f97ec8", CROSSES_TO_GENERAL },
		{ "movd (%rax),%xmm1", "660f6e08", CROSSES_NOT },
		{ "movq %xmm1,%xmm0", "f30f7ec1", CROSSES_NOT },
		{ "pmovmskb %xmm0,%eax", "660fd7c0", CROSSES_TO_GENERAL },
		{ "vpmovmskb %ymm0,%eax", "c5fdd7c0", CROSSES_TO_GENERAL },
		{ "movmskps %xmm0,%eax", "0f50c0", CROSSES_TO_GENERAL },
		{ "pinsrd $1,%eax,%xmm0", "660f3a22c001", CROSSES_TO_VECTOR },
		{ "pextrw $1,%xmm0,%eax", "660fc5c001", CROSSES_TO_GENERAL },
		{ "cvtsi2sd %rax,%xmm0", "f2480f2ac0", CROSSES_TO_VECTOR },
		{ "cvttsd2si %xmm0,%rax", "f2480f2cc0", CROSSES_TO_GENERAL },
		{ "cvttsd2si (%rax),%rax", "f2480f2c00", CROSSES_NOT },
		{ "comisd %xmm1,%xmm0", "660f2fc1", CROSSES_TO_FLAGS },
		{ "addsd %xmm1,%xmm0", "f20f58c1", CROSSES_NOT },
		{ "add %rbx,%rax", "4801d8", CROSSES_NOT },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(crossing_rows); i++) {
		uint8_t bytes[16];
		size_t length = bytes_of(bytes, crossing_rows[i].bytes);

		row_expect(&rows, crossing_rows[i].name, form_crossing(bytes, length) == crossing_rows[i].crossing, "");
	}
	rows_end(&rows);
}

/* The lines of each shipped core of x86 are read. LLVM has no model of zen5 but zen4's, so that has few of its own. */
static void test_shipped(void **state UNUSED)
{
	static const char *const cores[] = { "skylake-client", "skylake", "icelake", "golden-cove",
					     "redwood-cove",   "zen3",	  "zen4",    "zen5" };
	struct rows rows = { 0 };
	struct database database;
	struct error err = { .text = "" };
	struct arena arena;

	arena_init(&arena);
	assert_int_equal(database_open(&database, NULL, &arena, &err), 0);
	for (size_t i = 0; i < COUNT_OF(cores); i++) {
		struct forms *forms = arena_alloc(&arena, sizeof(*forms));
		struct sim_core core;
		const char *line;

		assert_int_equal(sim_core_load(&core, &database, cores[i], &arena, &err), 0);
		for (line = core.instructions; *line; line += strcspn(line, "\n") + 1) {
			const char *text = line + strlen("instruction ");

			row_expect(&rows, cores[i], forms_read(forms, &text) && *text == '\n',
				   arena_strndup(&arena, line, strcspn(line, "\n")));
		}
		row_expect(&rows, cores[i], forms->count >= (strcmp(cores[i], "zen5") == 0 ? 20 : 350),
			   "too few instructions");
	}
	arena_release(&arena);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_keys), cmocka_unit_test(test_no_key),
					    cmocka_unit_test(test_read), cmocka_unit_test(test_crossings),
					    cmocka_unit_test(test_shipped) };

	return cmocka_run_group_tests_name("simulator.instruction_forms", tests, NULL, NULL);
}
