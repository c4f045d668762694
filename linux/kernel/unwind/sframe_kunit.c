// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of SFrame: headers, the rules of crafted tables, steps by them,
 * cached rules, and the choice of unwinders.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sframe.h>
#include <linux/shmem_fs.h>
#include <linux/signal.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>
#include <linux/unwind_choice.h>
#include <linux/unwind_user_types.h>

#include <asm/ucontext.h>
#include <asm/unwind_user_sframe.h>

#include "sframe.h"
#include "sframe_cache.h"

/*
 * Headers: each differs from a valid one in one field.
 */

#define HEADER_LEN	sizeof(struct sframe_header)
#define FDE_LEN	sizeof(struct sframe_fde)
#define ATTR_LEN	sizeof(struct sframe_attr)

/* One function of one row, of three bytes. */
#define GOOD_SIZE	(HEADER_LEN + FDE_LEN + ATTR_LEN + 3)

static const struct sframe_header good_header = {
	.magic		= SFRAME_MAGIC,
	.version	= SFRAME_VERSION_3,
	.flags		= SFRAME_F_FDE_SORTED,
	.abi		= SFRAME_ABI,
	.fixed_ra	= -8,
	.nr_fdes	= 1,
	.nr_fres	= 1,
	.fre_len	= ATTR_LEN + 3,
	.fre_off	= FDE_LEN,
};

struct header_case {
	const char	*name;
	unsigned int	off;
	unsigned int	size;
	u32		value;
	int		ret;
};

#define CASE(_name, _field, _value, _ret) {				\
	.name	= _name,						\
	.off	= offsetof(struct sframe_header, _field),		\
	.size	= sizeof_field(struct sframe_header, _field),		\
	.value	= _value,						\
	.ret	= _ret,							\
}

static const struct header_case header_cases[] = {
	CASE("good", magic, SFRAME_MAGIC, 0),
	CASE("other byte order", magic, 0xe2de, -EINVAL),
	CASE("no magic", magic, 0, -EINVAL),
	CASE("version 2", version, 2, -EINVAL),
	CASE("version 4", version, 4, -EINVAL),
	CASE("not sorted", flags, 0, -EINVAL),
	CASE("starts from their fields", flags, 5, 0),
	CASE("unknown flag", flags, 9, -EINVAL),
	CASE("other ABI", abi, SFRAME_ABI + 1, -EINVAL),
	CASE("auxiliary header unaligns", aux_len, 1, -EINVAL),
	CASE("auxiliary header pushes rows out", aux_len, 4, -EINVAL),
	CASE("no functions", nr_fdes, 0, -EINVAL),
	CASE("index runs into rows", nr_fdes, 2, -EINVAL),
	CASE("size of index wraps 32 bits", nr_fdes, BIT(28), -EINVAL),
	CASE("no rows", nr_fres, 0, 0),
	CASE("more rows than bytes", nr_fres, 2, -EINVAL),
	CASE("size of rows wraps 32 bits", nr_fres, BIT(31), -EINVAL),
	CASE("rows end after section", fre_len, ATTR_LEN + 4, -EINVAL),
	CASE("end of rows wraps 32 bits", fre_len, U32_MAX, -EINVAL),
	CASE("unaligned index", fde_off, 1, -EINVAL),
	CASE("index after rows", fde_off, 4, -EINVAL),
	CASE("offset of index wraps 32 bits", fde_off, U32_MAX - 3, -EINVAL),
	CASE("rows run into index", fre_off, FDE_LEN - 1, -EINVAL),
	CASE("rows after section", fre_off, FDE_LEN + 1, -EINVAL),
	CASE("offset of rows wraps 32 bits", fre_off, U32_MAX, -EINVAL),
};

KUNIT_ARRAY_PARAM_DESC(header, header_cases, name);

static void header_field(struct kunit *test)
{
	const struct header_case *c = test->param_value;
	struct sframe_header header = good_header;
	void *field = (void *)&header + c->off;
	struct sframe_view view;

	switch (c->size) {
	case 1:
		*(u8 *)field = c->value;
		break;
	case 2:
		*(u16 *)field = c->value;
		break;
	default:
		put_unaligned(c->value, (u32 *)field);
	}
	KUNIT_EXPECT_EQ(test, c->ret,
			sframe_parse_header(&header, SZ_64K, GOOD_SIZE, &view));
	/* A refusal has a reason. */
	KUNIT_EXPECT_EQ(test, !c->ret, !sframe_header_fault(&header, GOOD_SIZE));
}

static void header_size(struct kunit *test)
{
	struct sframe_view view;

	KUNIT_EXPECT_EQ(test, -EINVAL,
			sframe_parse_header(&good_header, SZ_64K, GOOD_SIZE - 1,
					    &view));
	KUNIT_EXPECT_EQ(test, 0,
			sframe_parse_header(&good_header, SZ_64K, GOOD_SIZE + 1,
					    &view));
	KUNIT_EXPECT_EQ(test, view.start, SZ_64K);
	KUNIT_EXPECT_EQ(test, view.fdes, HEADER_LEN);
	KUNIT_EXPECT_EQ(test, view.fres, HEADER_LEN + FDE_LEN);
	KUNIT_EXPECT_EQ(test, view.nr_fdes, 1);
	KUNIT_EXPECT_EQ(test, view.fixed_ra, -8);
}

/* The index can be anywhere before the rows, at an aligned address. */
static void header_alignment(struct kunit *test)
{
	struct sframe_header header = good_header;
	struct sframe_view view;

	header.fre_off += 4;
	for (header.fde_off = 0; header.fde_off <= 4; header.fde_off++)
		KUNIT_EXPECT_EQ_MSG(test, header.fde_off % 4 ? -EINVAL : 0,
				    sframe_parse_header(&header, SZ_64K,
							GOOD_SIZE + 4, &view),
				    "index at %u", header.fde_off);
}

static struct kunit_case sframe_header_cases[] = {
	KUNIT_CASE_PARAM(header_field, header_gen_params),
	KUNIT_CASE(header_size),
	KUNIT_CASE(header_alignment),
	{}
};

static struct kunit_suite sframe_header_suite = {
	.name		= "sframe_header",
	.test_cases	= sframe_header_cases,
};

/*
 * Crafted tables in user memory: the table's pages, one of text, one of stack,
 * and a hole.
 */

#define TABLE_PAGES	64

/**
 * struct place - user memory of a test
 * @table:	address of the table
 * @text:	a page after it
 * @stack:	a page after the text; no page follows
 * @view:	the table that was crafted last
 * @rows:	rows that lookups have read
 */
struct place {
	unsigned long		table;
	unsigned long		text;
	unsigned long		stack;
	struct sframe_view	view;
	unsigned int		rows;
};

/* A function; @start counts from the text. */
struct fn {
	s64		start;
	u32		size;
	u16		nr_fres;
	u8		info;
	u8		info2;
	u8		rep_size;
	const u8	*rows;
	unsigned int	len;
};

#define ROWS(...) ((const u8[]){ __VA_ARGS__ })
#define FN_ROWS(n, ...)							\
	.nr_fres = n, .rows = ROWS(__VA_ARGS__),			\
	.len = sizeof(ROWS(__VA_ARGS__))

/* Information of a row: base SP or FP, words, log2 of their size. */
#define SP(words, size)	(1 | (words) << 1 | (size) << 5)
#define FP(words, size)	((words) << 1 | (size) << 5)

/*
 * The code of the CFA offset by which SP rises by @n, the offset itself, and
 * the offset whose code is @n.
 */
#define UP(n)		((n) / SFRAME_CFA_SCALE)
#define CFA(n)		((s32)((u32)(n) + SFRAME_CFA_ABOVE_SP))
#define SCALED(n)	((s32)((u32)(n) * SFRAME_CFA_SCALE))

/* Words of 2 and 4 bytes. */
#ifdef __BIG_ENDIAN
#define B2(n)		((n) >> 8) & 0xff, (n) & 0xff
#define B4(n)		B2((n) >> 16), B2(n)
#else
#define B2(n)		(n) & 0xff, ((n) >> 8) & 0xff
#define B4(n)		B2(n), B2((n) >> 16)
#endif

/* Control words of flexible functions. */
#define IN_REG(reg)	((reg) << 3 | 1)
#define REG_MEM(reg)	((reg) << 3 | 3)
#define CFA_MEM		2

static int place_init(struct kunit *test)
{
	struct place *place = kunit_kzalloc(test, sizeof(*place), GFP_KERNEL);
	unsigned long at;

	KUNIT_ASSERT_NOT_NULL(test, place);
	at = kunit_vm_mmap(test, NULL, 0, (TABLE_PAGES + 3) * PAGE_SIZE,
			   PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(at) || !at);
	place->table = at;
	place->text = at + TABLE_PAGES * PAGE_SIZE;
	place->stack = place->text + PAGE_SIZE;
	KUNIT_ASSERT_EQ(test, 0, vm_munmap(place->stack + PAGE_SIZE,
					   PAGE_SIZE));
	test->priv = place;
	return 0;
}

static void put(struct kunit *test, unsigned long at, const void *from,
		unsigned long len)
{
	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)at, from, len));
}

static void put_word(struct kunit *test, unsigned long at, unsigned long word)
{
	put(test, at, &word, sizeof(word));
}

/*
 * Write the FDE of @fn to @fde_at, and its attributes and rows to @at. The rows
 * of all functions begin at @fres. Return where those of @fn end.
 */
static unsigned long craft_fn(struct kunit *test, const struct fn *fn,
			      unsigned long fde_at, unsigned long fres,
			      unsigned long at)
{
	struct place *place = test->priv;
	struct sframe_fde fde = {
		.start	  = place->text - place->table + fn->start,
		.size	  = fn->size,
		.attr_off = at - fres,
	};
	struct sframe_attr attr = {
		.nr_fres  = fn->nr_fres,
		.info	  = fn->info,
		.info2	  = fn->info2,
		.rep_size = fn->rep_size,
	};

	put(test, fde_at, &fde, sizeof(fde));
	put(test, at, &attr, sizeof(attr));
	put(test, at + sizeof(attr), fn->rows, fn->len);
	return at + sizeof(attr) + fn->len;
}

/* Write the table of functions @fns. */
static void craft(struct kunit *test, const struct fn *fns, unsigned int count)
{
	struct place *place = test->priv;
	struct sframe_header header = good_header;
	unsigned long fres = place->table + HEADER_LEN + count * FDE_LEN;
	unsigned long at = fres;

	header.nr_fres = 0;
	for (unsigned int i = 0; i < count; i++) {
		at = craft_fn(test, &fns[i],
			      place->table + HEADER_LEN + i * FDE_LEN, fres,
			      at);
		header.nr_fres += fns[i].nr_fres;
	}
	header.nr_fdes = count;
	header.fre_off = count * FDE_LEN;
	header.fre_len = at - fres;
	put(test, place->table, &header, sizeof(header));
	KUNIT_ASSERT_EQ(test, 0,
			sframe_parse_header(&header, place->table,
					    at - place->table, &place->view));
}

#define CRAFT(test, ...) do {						\
	const struct fn _fns[] = { __VA_ARGS__ };			\
									\
	craft(test, _fns, ARRAY_SIZE(_fns));				\
} while (0)

/* Look up the rule @off bytes into the text. */
static int look_up(struct kunit *test, long off, struct sframe_rule *rule)
{
	struct place *place = test->priv;

	return sframe_find_rule(&place->view, place->text + off, &place->rows,
				rule);
}

static void expect_place(struct kunit *test, const struct sframe_place *place,
			 enum sframe_kind kind, u32 reg, s32 off)
{
	KUNIT_EXPECT_EQ(test, kind, place->kind);
	if (kind == SFRAME_REG_VALUE || kind == SFRAME_REG_MEMORY)
		KUNIT_EXPECT_EQ(test, reg, place->reg);
	KUNIT_EXPECT_EQ(test, off, place->off);
}

/* The rule @off bytes into the text has a CFA of @reg, @up from SP. */
static void expect_cfa(struct kunit *test, long off, u32 reg, s32 up)
{
	struct sframe_rule rule;

	KUNIT_ASSERT_EQ_MSG(test, 0, look_up(test, off, &rule), "at %ld", off);
	KUNIT_EXPECT_FALSE(test, rule.outermost);
	expect_place(test, &rule.cfa, SFRAME_REG_VALUE, reg, CFA(up));
}

static void expect_no_rule(struct kunit *test, long off, int ret)
{
	struct sframe_rule rule;

	KUNIT_EXPECT_EQ_MSG(test, ret, look_up(test, off, &rule), "at %ld",
			    off);
}

static void rule_default(struct kunit *test)
{
	struct sframe_rule rule;

	CRAFT(test,
	      { .start = 16, .size = 32,
		FN_ROWS(3, 0, SP(1, 0), UP(8),
			1, SP(2, 0), UP(16), -16,
			4, FP(2, 0), UP(16), -16) });
	expect_no_rule(test, 15, -ENOENT);
	expect_cfa(test, 16, SFRAME_REG_SP, 8);
	expect_cfa(test, 17, SFRAME_REG_SP, 16);
	expect_cfa(test, 19, SFRAME_REG_SP, 16);
	expect_cfa(test, 20, SFRAME_REG_FP, 16);
	expect_cfa(test, 47, SFRAME_REG_FP, 16);
	expect_no_rule(test, 48, -ENOENT);

	KUNIT_ASSERT_EQ(test, 0, look_up(test, 16, &rule));
	expect_place(test, &rule.ra, SFRAME_CFA_MEMORY, 0, -8);
	KUNIT_EXPECT_EQ(test, rule.fp.kind, SFRAME_UNCHANGED);
	KUNIT_ASSERT_EQ(test, 0, look_up(test, 17, &rule));
	expect_place(test, &rule.fp, SFRAME_CFA_MEMORY, 0, -16);
}

/* The lowest coded offset of a CFA that fits when it is scaled. */
#define CODED_MIN	(S32_MIN / SFRAME_CFA_SCALE)

static void rule_sizes(struct kunit *test)
{
	struct sframe_rule rule;

	CRAFT(test,
	      { .start = 0, .size = 0x100, .info = 0,
		FN_ROWS(2, 0, SP(1, 0), S8_MIN & 0xff, 0xff, SP(1, 0), S8_MAX) },
	      { .start = 0x100, .size = 0x1000, .info = 1,
		FN_ROWS(2, B2(0), SP(1, 1), B2(S16_MIN),
			B2(0x234), SP(1, 1), B2(S16_MAX)) },
	      { .start = 0x1100, .size = 0x1000000, .info = 2,
		FN_ROWS(2, B4(0), SP(2, 2), B4(CODED_MIN), B4(1),
			B4(0x123456), FP(1, 2), B4(0x1000001)) },
	      { .start = 0x1001100, .size = 16,
		FN_ROWS(1, 0, SP(1, 2), B4(S32_MIN)) });
	expect_cfa(test, 0xfe, SFRAME_REG_SP, SCALED(S8_MIN));
	expect_cfa(test, 0xff, SFRAME_REG_SP, SCALED(S8_MAX));
	expect_cfa(test, 0x100 + 0x233, SFRAME_REG_SP, SCALED(S16_MIN));
	expect_cfa(test, 0x100 + 0x234, SFRAME_REG_SP, SCALED(S16_MAX));
	expect_cfa(test, 0x1100 + 0x123455, SFRAME_REG_SP, SCALED(CODED_MIN));
	expect_cfa(test, 0x1100 + 0x123456, SFRAME_REG_FP, SCALED(0x1000001));
	expect_no_rule(test, 0x1001100, SFRAME_CFA_SCALE > 1 ? -EBADMSG : 0);
	KUNIT_ASSERT_EQ(test, 0, look_up(test, 0x1100, &rule));
	expect_place(test, &rule.fp, SFRAME_CFA_MEMORY, 0, 1);
}

/* Rows must ascend: otherwise "the last row" has no meaning. */
static void rule_order(struct kunit *test)
{
	CRAFT(test,
	      { .size = 16,
		FN_ROWS(3, 0, SP(1, 0), UP(8),
			4, SP(1, 0), UP(16),
			4, SP(1, 0), UP(24)) });
	expect_cfa(test, 4, SFRAME_REG_SP, 24);
	CRAFT(test,
	      { .size = 16,
		FN_ROWS(3, 0, SP(1, 0), UP(8),
			4, SP(1, 0), UP(16),
			3, SP(1, 0), UP(24)) });
	expect_cfa(test, 3, SFRAME_REG_SP, 8);
	expect_no_rule(test, 5, -EBADMSG);
	/* No row describes the code before the first row. */
	CRAFT(test, { .size = 16, FN_ROWS(1, 2, SP(1, 0), UP(8)) });
	expect_no_rule(test, 1, -ENOENT);
}

static void rule_outermost(struct kunit *test)
{
	struct sframe_rule rule;

	CRAFT(test,
	      { .size = 16, .rows = ROWS(0) },
	      { .start = 16, .size = 16,
		FN_ROWS(2, 0, SP(1, 0), UP(8), 4, SP(0, 0)) },
	      { .start = 32, .size = 16, .info2 = SFRAME_FDE_FLEXIBLE,
		.rows = ROWS(0) });
	KUNIT_ASSERT_EQ(test, 0, look_up(test, 3, &rule));
	KUNIT_EXPECT_TRUE(test, rule.outermost);
	expect_cfa(test, 16, SFRAME_REG_SP, 8);
	KUNIT_ASSERT_EQ(test, 0, look_up(test, 20, &rule));
	KUNIT_EXPECT_TRUE(test, rule.outermost);
	expect_no_rule(test, 32, -ENOENT);
}

static void rule_flexible(struct kunit *test)
{
	struct sframe_rule rule;

	CRAFT(test,
	      { .size = 16, .info2 = SFRAME_FDE_FLEXIBLE,
		FN_ROWS(3, 0, SP(2, 0), IN_REG(10), UP(0),
			2, SP(6, 0), REG_MEM(SFRAME_REG_FP), UP(-8),
			CFA_MEM, -8, REG_MEM(3), 4,
			4, SP(5, 0), IN_REG(SFRAME_REG_SP), UP(8),
			0, CFA_MEM, -16) });
	KUNIT_ASSERT_EQ(test, 0, look_up(test, 0, &rule));
	expect_place(test, &rule.cfa, SFRAME_REG_VALUE, 10, CFA(0));
	expect_place(test, &rule.ra, SFRAME_CFA_MEMORY, 0, -8);
	KUNIT_ASSERT_EQ(test, 0, look_up(test, 2, &rule));
	expect_place(test, &rule.cfa, SFRAME_REG_MEMORY, SFRAME_REG_FP,
		     CFA(-8));
	expect_place(test, &rule.fp, SFRAME_REG_MEMORY, 3, 4);
	KUNIT_ASSERT_EQ(test, 0, look_up(test, 4, &rule));
	expect_place(test, &rule.ra, SFRAME_CFA_MEMORY, 0, -8);
	expect_place(test, &rule.fp, SFRAME_CFA_MEMORY, 0, -16);
}

static void rule_flexible_corrupt(struct kunit *test)
{
	CRAFT(test,
	      { .size = 16, .info2 = SFRAME_FDE_FLEXIBLE,
		FN_ROWS(4, 0, SP(2, 0), CFA_MEM, -8,
			1, SP(1, 0), IN_REG(7),
			2, SP(1, 0), 0,
			3, SP(3, 0), IN_REG(7), 8, CFA_MEM) },
	      { .start = 16, .size = 16, .info2 = SFRAME_FDE_FLEXIBLE,
		FN_ROWS(1, 0, SP(2, 1), B2(IN_REG(128)), B2(0)) });
	for (int i = 0; i < 4; i++)
		expect_no_rule(test, i, -EBADMSG);
	/* Register 128. */
	expect_no_rule(test, 16, -EBADMSG);
}

#define REPEATED	BIT(4)

/* Where a block begins. */
#define ENTRY		(SFRAME_ENTRY_CFA_OFF - SFRAME_CFA_ABOVE_SP)

static void rule_repeated(struct kunit *test)
{
	CRAFT(test,
	      { .size = 64, .info = REPEATED, .rep_size = 16,
		FN_ROWS(2, 0, SP(1, 0), UP(ENTRY), 11, SP(1, 0), UP(16)) },
	      { .start = 64, .size = 64, .info = REPEATED,
		FN_ROWS(1, 0, SP(1, 0), UP(ENTRY)) });
	expect_cfa(test, 10, SFRAME_REG_SP, ENTRY);
	expect_cfa(test, 11, SFRAME_REG_SP, 16);
	expect_cfa(test, 16, SFRAME_REG_SP, ENTRY);
	expect_cfa(test, 63, SFRAME_REG_SP, 16);
	/* A block of size 0, by which the lookup would divide. */
	expect_no_rule(test, 64, -EBADMSG);
}

/* At the start of a block, the CFA is that at the start of a function. */
static void rule_repeated_mended(struct kunit *test)
{
	CRAFT(test,
	      { .size = 64, .info = REPEATED, .rep_size = 8,
		FN_ROWS(1, 0, SP(1, 0), UP(16)) },
	      { .start = 64, .size = 64, .info = REPEATED, .rep_size = 16,
		FN_ROWS(2, 0, SP(1, 0), UP(16), 11, SP(1, 0), UP(24)) });
	expect_cfa(test, 13, SFRAME_REG_SP, ENTRY);
	expect_cfa(test, 67, SFRAME_REG_SP, ENTRY);
	expect_no_rule(test, 64 + 11, -ENOENT);
}

static void rule_types(struct kunit *test)
{
	CRAFT(test,
	      { .size = 4, .info2 = 2, FN_ROWS(1, 0, SP(1, 0), UP(8)) },
	      { .start = 4, .size = 4, .info = 3, FN_ROWS(1, 0, SP(1, 0), UP(8)) },
	      { .start = 8, .size = 4,
		FN_ROWS(1, 0, SP(1, 3), 8, 0, 0, 0, 0, 0, 0, 0) });
	expect_no_rule(test, 0, -ENOENT);
	expect_no_rule(test, 4, -EBADMSG);
	expect_no_rule(test, 8, -EBADMSG);
}

/* The attribute of a function contradicts its rows. */
static void rule_bounds(struct kunit *test)
{
	struct place *place = test->priv;
	u32 off;

	CRAFT(test, { .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(8)) });
	expect_cfa(test, 1, SFRAME_REG_SP, 8);
	place->view.fre_len--;
	expect_no_rule(test, 1, -EBADMSG);
	place->view.fre_len++;

	off = ATTR_LEN + 3 - 4;
	put(test, place->table + HEADER_LEN +
	    offsetof(struct sframe_fde, attr_off), &off, sizeof(off));
	expect_no_rule(test, 1, -EBADMSG);
	off = U32_MAX;
	put(test, place->table + HEADER_LEN +
	    offsetof(struct sframe_fde, attr_off), &off, sizeof(off));
	expect_no_rule(test, 1, -EBADMSG);
}

/* The assembler writes FDEs of no bytes, in any order among equals. */
static void rule_empty_functions(struct kunit *test)
{
	CRAFT(test,
	      { .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(8)) },
	      { .start = 32, .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(24)) },
	      { .start = 32, .size = 0, FN_ROWS(1, 0, SP(1, 0), UP(32)) },
	      { .start = 32, .size = 0, FN_ROWS(1, 0, SP(1, 0), UP(40)) },
	      { .start = 64, .size = 0, FN_ROWS(1, 0, SP(1, 0), UP(48)) });
	expect_no_rule(test, 31, -ENOENT);
	expect_cfa(test, 32, SFRAME_REG_SP, 24);
	expect_no_rule(test, 64, -ENOENT);
}

static void rule_start_pcrel(struct kunit *test)
{
	struct place *place = test->priv;
	s64 start = place->text - (place->table + HEADER_LEN);

	CRAFT(test, { .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(8)) });
	put(test, place->table + HEADER_LEN, &start, sizeof(start));
	place->view.flags |= SFRAME_F_FDE_START_PCREL;
	expect_no_rule(test, -1, -ENOENT);
	expect_cfa(test, 0, SFRAME_REG_SP, 8);
	expect_no_rule(test, 16, -ENOENT);
}

static void rule_marks(struct kunit *test)
{
	struct sframe_rule rule;

	CRAFT(test,
	      { .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(8)) },
	      { .start = 16, .size = 16, .info = BIT(7),
		FN_ROWS(1, 0, SP(1, 0), UP(8)) });
	KUNIT_ASSERT_EQ(test, 0, look_up(test, 14, &rule));
	KUNIT_EXPECT_FALSE(test, rule.at_end);
	KUNIT_EXPECT_FALSE(test, rule.signal);
	KUNIT_ASSERT_EQ(test, 0, look_up(test, 15, &rule));
	KUNIT_EXPECT_TRUE(test, rule.at_end);
	KUNIT_ASSERT_EQ(test, 0, look_up(test, 16, &rule));
	KUNIT_EXPECT_FALSE(test, rule.at_end);
	KUNIT_EXPECT_TRUE(test, rule.signal);
}

/* A header that was not in memory when the table was registered. */
static void rule_header_later(struct kunit *test)
{
	struct place *place = test->priv;
	struct sframe_header header = good_header;

	CRAFT(test, { .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(8)) });
	place->view.nr_fdes = 0;
	place->view.fdes = U64_MAX;
	expect_cfa(test, 1, SFRAME_REG_SP, 8);
	KUNIT_EXPECT_EQ(test, place->view.nr_fdes, 1);

	for (header.fre_off = 0; header.fre_off < 2 * FDE_LEN;
	     header.fre_off++) {
		if (header.fre_off == FDE_LEN)
			continue;
		put(test, place->table, &header, sizeof(header));
		place->view.nr_fdes = 0;
		expect_no_rule(test, 1, -EBADMSG);
		KUNIT_EXPECT_EQ(test, place->view.nr_fdes, 0);
	}

	place->view.start = place->stack + PAGE_SIZE - HEADER_LEN + 4;
	place->view.nr_fdes = 0;
	expect_no_rule(test, 1, -EFAULT);
}

/* The memory of the table ends inside the table. */
static void rule_unreadable(struct kunit *test)
{
	static const u8 rows[] = { 0, SP(1, 0), UP(8), 4, SP(1, 0), UP(16) };
	struct place *place = test->priv;
	struct sframe_rule rule;
	struct sframe_fde fde;
	struct sframe_attr attr = { .nr_fres = 2 };
	unsigned long end = place->stack + PAGE_SIZE;
	int ret;

	for (unsigned long n = 0; n <= FDE_LEN + ATTR_LEN + sizeof(rows); n++) {
		unsigned long at = end - n;
		u8 bytes[FDE_LEN + ATTR_LEN + sizeof(rows)];

		fde = (struct sframe_fde){ .start = place->text - at,
					   .size = 16 };
		memcpy(bytes, &fde, FDE_LEN);
		memcpy(bytes + FDE_LEN, &attr, ATTR_LEN);
		memcpy(bytes + FDE_LEN + ATTR_LEN, rows, sizeof(rows));
		put(test, at, bytes, n);
		place->view = (struct sframe_view){
			.start = at, .size = SZ_64K, .fres = FDE_LEN,
			.nr_fdes = 1, .fre_len = ATTR_LEN + sizeof(rows),
			.fixed_ra = -8,
		};
		ret = look_up(test, 4, &rule);
		KUNIT_EXPECT_EQ_MSG(test, ret, n < sizeof(bytes) ? -EFAULT : 0,
				    "%lu bytes", n);
	}
}

/* A trace that looks up a long function many times ends at the row limit. */
static void rule_work(struct kunit *test)
{
	const unsigned int nr = U16_MAX, len = nr * 3;
	u8 *rows = kunit_kmalloc(test, len, GFP_KERNEL);
	struct fn fn = { .size = 16, .nr_fres = nr, .rows = rows, .len = len };
	struct sframe_rule rule;
	int ret = 0, n;

	KUNIT_ASSERT_NOT_NULL(test, rows);
	for (unsigned int i = 0; i < nr; i++)
		memcpy(rows + i * 3, ROWS(0, SP(1, 0), UP(8)), 3);
	craft(test, &fn, 1);
	for (n = 0; n < 100 && !ret; n++)
		ret = look_up(test, 0, &rule);
	KUNIT_EXPECT_EQ(test, ret, -E2BIG);
	KUNIT_EXPECT_GT(test, n, 1);
}

static struct kunit_case sframe_rule_cases[] = {
	KUNIT_CASE(rule_default),
	KUNIT_CASE(rule_sizes),
	KUNIT_CASE(rule_order),
	KUNIT_CASE(rule_outermost),
	KUNIT_CASE(rule_flexible),
	KUNIT_CASE(rule_flexible_corrupt),
	KUNIT_CASE(rule_repeated),
	KUNIT_CASE(rule_repeated_mended),
	KUNIT_CASE(rule_types),
	KUNIT_CASE(rule_bounds),
	KUNIT_CASE(rule_empty_functions),
	KUNIT_CASE(rule_start_pcrel),
	KUNIT_CASE(rule_marks),
	KUNIT_CASE(rule_header_later),
	KUNIT_CASE(rule_unreadable),
	KUNIT_CASE(rule_work),
	{}
};

static struct kunit_suite sframe_rule_suite = {
	.name		= "sframe_rule",
	.init		= place_init,
	.test_cases	= sframe_rule_cases,
};

/*
 * Steps by a table that is registered for the page of text.
 */

static void add_text(struct kunit *test)
{
	struct place *place = test->priv;

	KUNIT_ASSERT_EQ(test, 0,
			sframe_add(place->table, place->view.size, place->text,
				   PAGE_SIZE));
}

/* A frame @off bytes into the text, that made a call. */
static struct unwind_user_state frame(struct kunit *test, unsigned long off)
{
	struct place *place = test->priv;

	return (struct unwind_user_state) {
		.ip = place->text + off,
		.sp = place->stack,
		.fp = place->stack + 256,
		.ws = sizeof(long),
		.available_types = UNWIND_USER_TYPE_SFRAME,
	};
}

static void expect_step(struct kunit *test, struct unwind_user_state *state,
			unsigned long ip, unsigned long sp, unsigned long fp)
{
	KUNIT_ASSERT_EQ(test, 0, sframe_unwind_next(state));
	KUNIT_EXPECT_FALSE(test, state->done);
	KUNIT_EXPECT_FALSE(test, state->topmost);
	KUNIT_EXPECT_EQ(test, ip, state->ip);
	KUNIT_EXPECT_EQ(test, sp, state->sp);
	KUNIT_EXPECT_EQ(test, fp, state->fp);
}

/* No step: an error, and the state is unchanged. */
static void expect_stuck(struct kunit *test, struct unwind_user_state *state,
			 int ret)
{
	struct unwind_user_state old = *state;

	KUNIT_EXPECT_EQ(test, ret, sframe_unwind_next(state));
	KUNIT_EXPECT_EQ(test, old.ip, state->ip);
	KUNIT_EXPECT_EQ(test, old.sp, state->sp);
	KUNIT_EXPECT_EQ(test, old.fp, state->fp);
	KUNIT_EXPECT_EQ(test, old.topmost, state->topmost);
	KUNIT_EXPECT_FALSE(test, state->done);
}

/*
 * The walk ends at a frame whose rule cannot be followed: the state is
 * unchanged, and no other unwinder is tried.
 */
static void expect_end(struct kunit *test, struct unwind_user_state *state)
{
	struct unwind_user_state old = *state;

	KUNIT_EXPECT_EQ(test, 0, sframe_unwind_next(state));
	KUNIT_EXPECT_TRUE(test, state->done);
	KUNIT_EXPECT_EQ(test, old.ip, state->ip);
	KUNIT_EXPECT_EQ(test, old.sp, state->sp);
	KUNIT_EXPECT_EQ(test, old.fp, state->fp);
	KUNIT_EXPECT_EQ(test, old.topmost, state->topmost);
	state->done = false;
}

/* A plausible return address: all of the memory is executable. */
static unsigned long saved_return(struct kunit *test, unsigned long n)
{
	struct place *place = test->priv;

	return place->text + 4 * n;
}

static void step_sp(struct kunit *test)
{
	struct place *place = test->priv;
	struct unwind_user_state state = frame(test, 8);

	CRAFT(test,
	      { .size = 16,
		FN_ROWS(2, 0, SP(1, 0), UP(8),
			4, SP(2, 0), UP(32), -16) });
	add_text(test);
	put_word(test, place->stack + CFA(24), saved_return(test, 1));
	put_word(test, place->stack + CFA(16), 0x5678);
	expect_step(test, &state, saved_return(test, 1), place->stack + 32,
		    0x5678);
}

static void step_fp(struct kunit *test)
{
	struct place *place = test->priv;
	struct unwind_user_state state = frame(test, 8);

	CRAFT(test, { .size = 16, FN_ROWS(1, 0, FP(1, 0), UP(16)) });
	add_text(test);
	put_word(test, place->stack + 256 + CFA(8), saved_return(test, 1));
	expect_step(test, &state, saved_return(test, 1),
		    place->stack + 256 + 16, place->stack + 256);
}

/*
 * What a function may add to its return address before it saves it, and what a
 * program may add to a stack address.
 */
#ifdef CONFIG_ARM64
#define SIGNATURE	(system_supports_address_auth() ? 3UL << 53 : 0)
#define TAG		(0x5aUL << 56)
#else
#define SIGNATURE	0
#define TAG		0
#endif

/* Signatures and tags do not matter. */
static void step_signed(struct kunit *test)
{
	struct place *place = test->priv;
	struct unwind_user_state state = frame(test, 8);

	CRAFT(test, { .size = 16, FN_ROWS(1, 0, SP(2, 0), UP(32), -16) });
	add_text(test);
	put_word(test, place->stack + CFA(24),
		 saved_return(test, 1) | SIGNATURE);
	put_word(test, place->stack + CFA(16), place->stack | TAG);
	expect_step(test, &state, saved_return(test, 1), place->stack + 32,
		    place->stack);
}

/* A return address is looked up by the byte before it, another PC is not. */
static void step_return_address(struct kunit *test)
{
	struct place *place = test->priv;
	struct unwind_user_state state = frame(test, 16);

	CRAFT(test,
	      { .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(8)) },
	      { .start = 16, .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(16)) });
	add_text(test);
	put_word(test, place->stack + CFA(0), saved_return(test, 1));
	put_word(test, place->stack + CFA(8), saved_return(test, 2));
	expect_step(test, &state, saved_return(test, 1), place->stack + 8,
		    state.fp);

	state = frame(test, 16);
	state.topmost = true;
	expect_step(test, &state, saved_return(test, 2), place->stack + 16,
		    state.fp);

	state = frame(test, 16);
	state.interrupted = true;
	expect_step(test, &state, saved_return(test, 2), place->stack + 16,
		    state.fp);
	KUNIT_EXPECT_FALSE(test, state.interrupted);
}

static void step_outermost(struct kunit *test)
{
	struct unwind_user_state state = frame(test, 8);

	CRAFT(test, { .size = 16, .rows = ROWS(0) });
	add_text(test);
	KUNIT_EXPECT_EQ(test, 0, sframe_unwind_next(&state));
	KUNIT_EXPECT_TRUE(test, state.done);
}

static void step_no_table(struct kunit *test)
{
	struct unwind_user_state state = frame(test, 8);

	CRAFT(test, { .start = 8, .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(8)) });
	expect_stuck(test, &state, -ENOENT);
	add_text(test);
	/* Neither in front of the function, nor outside the range, ... */
	expect_stuck(test, &state, -ENOENT);
	state = frame(test, 0);
	expect_stuck(test, &state, -ENOENT);
	state = frame(test, PAGE_SIZE + 1);
	expect_stuck(test, &state, -ENOENT);
	/* ... nor with 32-bit registers. */
	state = frame(test, 9);
	state.ws = 4;
	expect_stuck(test, &state, -ENOENT);
}

/* The stack has to go down from frame to frame. */
static void step_wrong_cfa(struct kunit *test)
{
	struct place *place = test->priv;
	struct unwind_user_state state = frame(test, 8);

	CRAFT(test,
	      { .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(0)) },
	      { .start = 16, .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(-8)) },
	      { .start = 32, .size = 16, FN_ROWS(1, 0, FP(1, 0), UP(16)) });
	add_text(test);
	for (int off = 8; off < 32; off += 16) {
		state = frame(test, off);
		expect_end(test, &state);
	}
	state = frame(test, 40);
	state.fp = place->stack - 64;
	expect_end(test, &state);
	state.fp = place->stack + 4;
	expect_end(test, &state);
}

static void step_unreadable_stack(struct kunit *test)
{
	struct place *place = test->priv;
	struct unwind_user_state state = frame(test, 8);

	CRAFT(test, { .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(16)) });
	add_text(test);
	state.sp = place->stack + PAGE_SIZE - 8;
	expect_end(test, &state);
	state.sp = ULONG_MAX - 7;
	expect_end(test, &state);
}

/* A return address found by a table must be in executable memory. */
static void step_no_code(struct kunit *test)
{
	struct place *place = test->priv;
	unsigned long data = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE,
					   PROT_READ | PROT_WRITE,
					   MAP_ANONYMOUS | MAP_PRIVATE, 0);
	const unsigned long words[] = {
		0, 2, 0x4d, place->stack + PAGE_SIZE + 8, data + 8, ULONG_MAX,
	};
	struct unwind_user_state state = frame(test, 8);

	CRAFT(test, { .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(16)) });
	add_text(test);
	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++) {
		put_word(test, place->stack + CFA(8), words[i]);
		expect_end(test, &state);
	}
}

#ifdef CONFIG_S390

/* svc 173: rt_sigreturn */
static const u8 restorer[] = { 0x0a, 0xad };
#define RESTORER_LAST		0

/* Registers are read from a ucontext, that of a signal frame. */
#define UCONTEXT_REG_3		offsetof(_sigregs, regs.gprs[3])
#define UCONTEXT_OFF							\
	(168 + sizeof(struct siginfo) + offsetof(struct ucontext, uc_mcontext))

static void put_ucontext(struct kunit *test, unsigned long at)
{
	put_word(test, at + offsetof(_sigregs, regs.psw.addr), 0x1234);
	put_word(test, at + offsetof(_sigregs, regs.gprs[15]), 0x5678);
	put_word(test, at + offsetof(_sigregs, regs.gprs[11]), 0x9abc);
}

#elif defined(CONFIG_ARM64)

/* mov x8, #139; svc #0 */
static const u8 restorer[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 };
#define RESTORER_LAST		4

/* Registers are read from the sigcontext of a signal frame. */
#define UCONTEXT_REG_3		offsetof(struct sigcontext, regs[3])
#define UCONTEXT_OFF							\
	(sizeof(struct siginfo) + offsetof(struct ucontext, uc_mcontext))

static void put_ucontext(struct kunit *test, unsigned long at)
{
	put_word(test, at + offsetof(struct sigcontext, pc), 0x1234);
	put_word(test, at + offsetof(struct sigcontext, sp), 0x5678);
	put_word(test, at + offsetof(struct sigcontext, regs[29]), 0x9abc);
}

#else

/* mov $15, %rax; syscall */
static const u8 restorer[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };
#define RESTORER_LAST		7

#define UCONTEXT_REG_3		sframe_regs[3].ucontext
#define UCONTEXT_OFF		0

static void put_ucontext(struct kunit *test, unsigned long at)
{
	put_word(test, at + offsetof(struct ucontext, uc_mcontext.ip), 0x1234);
	put_word(test, at + offsetof(struct ucontext, uc_mcontext.sp), 0x5678);
	put_word(test, at + offsetof(struct ucontext, uc_mcontext.bp), 0x9abc);
}

#endif

/* Frames that made a call have lost all registers but SP and FP. */
static void step_other_register(struct kunit *test)
{
	struct place *place = test->priv;
	struct unwind_user_state state = frame(test, 8);
	unsigned long ucontext = place->stack + 1024;

	CRAFT(test,
	      { .size = 16, .info2 = SFRAME_FDE_FLEXIBLE,
		FN_ROWS(1, 0, SP(2, 0), IN_REG(3), UP(0)) });
	add_text(test);
	expect_end(test, &state);

	/* A signal frame has them. */
	state.interrupted = true;
	state.ucontext = ucontext;
	put_word(test, ucontext + UCONTEXT_REG_3, place->stack + 64);
	put_word(test, place->stack + CFA(56), saved_return(test, 1));
	expect_step(test, &state, saved_return(test, 1), place->stack + 64,
		    state.fp);
	KUNIT_EXPECT_EQ(test, state.ucontext, 0);
}

/* A table may mark a function as a signal restorer. */
static void step_signal_function(struct kunit *test)
{
	struct place *place = test->priv;
	struct unwind_user_state state = frame(test, 8);

	CRAFT(test,
	      { .size = 16, .info = BIT(7), .info2 = SFRAME_FDE_FLEXIBLE,
		FN_ROWS(1, 0, SP(4, 0), REG_MEM(SFRAME_REG_SP), UP(64),
			REG_MEM(SFRAME_REG_SP), 72) });
	add_text(test);
	/* From a signal stack down to another one. */
	put_word(test, place->stack + CFA(64), place->stack + CFA(-64));
	put_word(test, place->stack + 72, 0x1234);
	expect_step(test, &state, 0x1234, place->stack - 64, state.fp);
	KUNIT_EXPECT_TRUE(test, state.interrupted);
}

static void expect_restorer(struct kunit *test, struct unwind_user_state state)
{
	struct place *place = test->priv;

	expect_step(test, &state, 0x1234, 0x5678, 0x9abc);
	KUNIT_EXPECT_TRUE(test, state.interrupted);
	KUNIT_EXPECT_EQ(test, state.ucontext, place->stack + UCONTEXT_OFF);
}

/* A signal restorer is recognized by its code, with any table or none. */
static void step_restorer(struct kunit *test)
{
	struct place *place = test->priv;
	struct unwind_user_state state;

	CRAFT(test,
	      { .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(8)) },
	      { .start = 64, .size = sizeof(restorer), .info = BIT(7),
		FN_ROWS(1, 0, SP(1, 0), UP(8)) });
	add_text(test);
	put_ucontext(test, place->stack + UCONTEXT_OFF);
	/* After a function, between two, and as a function of its own. */
	for (int at = 16; at <= 64; at += 24) {
		put(test, place->text + at, restorer, sizeof(restorer));
		expect_restorer(test, frame(test, at));
		state = frame(test, at);
		state.interrupted = true;
		expect_restorer(test, state);
		state = frame(test, at + RESTORER_LAST);
		state.topmost = true;
		expect_restorer(test, state);
	}
}

/* A part of a restorer is not recognized, nor one inside a function. */
static void step_no_restorer(struct kunit *test)
{
	struct place *place = test->priv;
	struct unwind_user_state state;

	CRAFT(test, { .size = 32, FN_ROWS(1, 0, SP(1, 0), UP(8)) });
	add_text(test);
	put_ucontext(test, place->stack + UCONTEXT_OFF);
	put(test, place->text + 16, restorer, sizeof(restorer));
	put_word(test, place->stack + CFA(0), saved_return(test, 1));
	state = frame(test, 16);
	expect_step(test, &state, saved_return(test, 1), place->stack + 8,
		    place->stack + 256);

	put(test, place->text + 40, restorer, sizeof(restorer) - 1);
	state = frame(test, 40);
	expect_stuck(test, &state, -ENOENT);
	/* Its middle is no restorer; without a ucontext the trace ends. */
	put(test, place->text + 64, restorer, sizeof(restorer));
	state = frame(test, 64 + (RESTORER_LAST ?: 1));
	expect_stuck(test, &state, -ENOENT);
	state = frame(test, 64);
	state.sp = place->stack + PAGE_SIZE;
	expect_end(test, &state);
}

/* A corrupt table is removed when it is read, and not read again. */
static void step_corrupt(struct kunit *test)
{
	struct place *place = test->priv;
	struct unwind_user_state state = frame(test, 8);
	struct sframe_view view;

	CRAFT(test, { .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(8)) });
	add_text(test);
	KUNIT_EXPECT_TRUE(test, sframe_find_view(place->text, &view));
	/* The size of the row's words. */
	put(test, place->view.start + place->view.fres + ATTR_LEN + 1,
	    ROWS(SP(1, 3)), 1);
	expect_stuck(test, &state, -EBADMSG);
	KUNIT_EXPECT_FALSE(test, sframe_find_view(place->text, &view));
	KUNIT_EXPECT_EQ(test, -ENOENT, sframe_remove(place->table));
}

static struct kunit_case sframe_step_cases[] = {
	KUNIT_CASE(step_sp),
	KUNIT_CASE(step_fp),
	KUNIT_CASE(step_signed),
	KUNIT_CASE(step_return_address),
	KUNIT_CASE(step_outermost),
	KUNIT_CASE(step_no_table),
	KUNIT_CASE(step_wrong_cfa),
	KUNIT_CASE(step_unreadable_stack),
	KUNIT_CASE(step_no_code),
	KUNIT_CASE(step_other_register),
	KUNIT_CASE(step_signal_function),
	KUNIT_CASE(step_restorer),
	KUNIT_CASE(step_no_restorer),
	KUNIT_CASE(step_corrupt),
	{}
};

static struct kunit_suite sframe_step_suite = {
	.name		= "sframe_step",
	.init		= place_init,
	.test_cases	= sframe_step_cases,
};

/*
 * Cached rules: frames of 16 bytes, each of which returns into the text.
 */

#define FRAMES	16

/* A text that is one function, whose only row is @row; and the stack. */
static void add_frames(struct kunit *test, u8 up)
{
	struct place *place = test->priv;

	CRAFT(test, { .size = PAGE_SIZE, FN_ROWS(1, 0, SP(1, 0), UP(up)) });
	add_text(test);
	for (unsigned long i = 1; i < FRAMES; i++)
		put_word(test, place->stack + (i - 1) * 16 + CFA(8),
			 saved_return(test, 8 * i));
}

/* Make lookups fail: give the row's words an invalid size. */
static void corrupt(struct kunit *test)
{
	struct place *place = test->priv;

	put(test, place->view.start + place->view.fres + ATTR_LEN + 1,
	    ROWS(SP(1, 3)), 1);
}

/* Unwind as unwind_user() does and return how many frames there are. */
static unsigned int unwind(struct kunit *test, unsigned long *entries,
			   unsigned int max)
{
	struct unwind_stacktrace trace = { .entries = entries };
	struct unwind_user_state state = frame(test, 8);

	do {
		entries[trace.nr++] = state.ip;
		state.sframe_cached = true;
		sframe_unwind_cached(&state, &trace, max);
	} while (trace.nr < max && !sframe_unwind_next(&state) && !state.done);
	return trace.nr;
}

static void expect_frames(struct kunit *test, unsigned int count)
{
	unsigned long entries[FRAMES] = {};

	KUNIT_EXPECT_EQ(test, count, unwind(test, entries, FRAMES));
	for (unsigned int i = 1; i < count; i++)
		KUNIT_EXPECT_EQ(test, entries[i], saved_return(test, 8 * i));
}

static struct sframe_rule some_rule(s32 cfa)
{
	return (struct sframe_rule) {
		.cfa = {
			.kind	= SFRAME_REG_VALUE,
			.reg	= SFRAME_REG_SP,
			.off	= cfa,
		},
		.ra = { .kind = SFRAME_CFA_MEMORY, .off = -8 },
	};
}

/* Cache @rule of @ip; return whether it is cached. */
static bool keeps(struct kunit *test, unsigned long ip,
		  const struct sframe_rule *rule)
{
	struct place *place = test->priv;
	struct sframe_rule found;
	struct sframe_view view;

	KUNIT_ASSERT_TRUE(test, sframe_find_view(place->text, &view));
	sframe_cache_add(&view, ip, rule);
	if (!sframe_cache_find(ip, &found))
		return false;
	expect_place(test, &found.cfa, rule->cfa.kind, rule->cfa.reg,
		     rule->cfa.off);
	expect_place(test, &found.ra, rule->ra.kind, 0, rule->ra.off);
	expect_place(test, &found.fp, rule->fp.kind, 0, rule->fp.off);
	return true;
}

/* The second trace reads no table. */
static void cache_hit(struct kunit *test)
{
	struct place *place = test->priv;

	add_frames(test, 16);
	KUNIT_EXPECT_FALSE(test, sframe_is_cached(place->text + 7));
	expect_frames(test, FRAMES);
	KUNIT_EXPECT_TRUE(test, sframe_is_cached(place->text + 7));
	KUNIT_EXPECT_FALSE(test, sframe_is_cached(place->text + 8));
	corrupt(test);
	expect_frames(test, FRAMES);
}

/* Each removal of a range invalidates its rules. */
static void cache_forget(struct kunit *test)
{
	struct place *place = test->priv;

	add_frames(test, 16);
	expect_frames(test, FRAMES);
	KUNIT_EXPECT_EQ(test, 0, sframe_remove(place->table));
	KUNIT_EXPECT_FALSE(test, sframe_is_cached(place->text + 7));
	expect_frames(test, 1);
	add_text(test);
	KUNIT_EXPECT_FALSE(test, sframe_is_cached(place->text + 7));
	expect_frames(test, FRAMES);
	KUNIT_EXPECT_TRUE(test, sframe_is_cached(place->text + 7));
	KUNIT_EXPECT_EQ(test, 0, vm_munmap(place->text, PAGE_SIZE));
	KUNIT_EXPECT_FALSE(test, sframe_is_cached(place->text + 7));
}

/* A rule whose range was dropped while the rule was read is not cached. */
static void cache_late(struct kunit *test)
{
	const struct sframe_rule rule = some_rule(CFA(16));
	struct place *place = test->priv;
	struct sframe_view view;

	add_frames(test, 16);
	KUNIT_ASSERT_TRUE(test, sframe_find_view(place->text, &view));
	KUNIT_EXPECT_EQ(test, 0, sframe_remove(place->table));
	add_text(test);
	KUNIT_EXPECT_TRUE(test, keeps(test, place->text + 1, &rule));
	sframe_cache_add(&view, place->text, &rule);
	KUNIT_EXPECT_FALSE(test, sframe_is_cached(place->text));
}

/* Each address has its own rule, also those that share a line of the cache. */
static void cache_lines(struct kunit *test)
{
	struct place *place = test->priv;
	struct sframe_rule rule, found;
	unsigned int kept = 0;

	add_frames(test, 16);
	for (s32 i = 0; i < 200; i++) {
		rule = some_rule(i);
		kept += keeps(test, place->text + i, &rule);
	}
	KUNIT_EXPECT_GT(test, kept, 150);
	for (s32 i = 0; i < 200; i++)
		if (sframe_cache_find(place->text + i, &found))
			KUNIT_EXPECT_EQ(test, found.cfa.off, i);
}

/* However many addresses there are, the rules of the last ones are cached. */
static void cache_growth(struct kunit *test)
{
	const struct sframe_rule rule = some_rule(CFA(16));
	struct place *place = test->priv;
	unsigned int kept = 0;

	add_frames(test, 16);
	for (unsigned long i = 0; i < 50000; i++) {
		kept += keeps(test, place->text + i, &rule);
		/* A full cache is replaced only when the last one is freed. */
		if (!(i % 4096))
			synchronize_rcu();
	}
	KUNIT_EXPECT_GT(test, kept, 45000);
}

/* Rules that a step by two loads could not follow. */
static void cache_refused(struct kunit *test)
{
	const struct sframe_rule good = some_rule(CFA(16));
	unsigned long ip = ((struct place *)test->priv)->text;
	struct sframe_rule bad;

	add_frames(test, 16);
	KUNIT_EXPECT_TRUE(test, keeps(test, ip++, &good));
	bad = good;
	bad.signal = true;
	KUNIT_EXPECT_FALSE(test, keeps(test, ip++, &bad));
	bad = good;
	bad.at_end = true;
	KUNIT_EXPECT_FALSE(test, keeps(test, ip++, &bad));
	bad = good;
	bad.cfa.reg = SFRAME_REG_FP - 1;
	KUNIT_EXPECT_FALSE(test, keeps(test, ip++, &bad));
	bad = good;
	bad.ra.kind = SFRAME_REG_MEMORY;
	KUNIT_EXPECT_FALSE(test, keeps(test, ip++, &bad));
	bad = good;
	bad.fp = (struct sframe_place) { SFRAME_CFA_MEMORY, 0, -32769 };
	KUNIT_EXPECT_FALSE(test, keeps(test, ip++, &bad));
}

/* A step by a cached rule also checks that SP rises and is aligned. */
static void cache_wild_fp(struct kunit *test)
{
	struct place *place = test->priv;
	struct sframe_rule rule = some_rule(CFA(16));
	const unsigned long wild[] = {
		0, 1, place->stack - 16, place->stack + 1, -16UL, -8UL,
		TASK_SIZE - 8, TASK_SIZE,
	};

	add_frames(test, 16);
	rule.cfa.reg = SFRAME_REG_FP;
	KUNIT_EXPECT_TRUE(test, keeps(test, place->text + 7, &rule));
	for (unsigned int i = 0; i < ARRAY_SIZE(wild); i++) {
		struct unwind_user_state state = frame(test, 8);
		struct unwind_stacktrace trace = {};

		state.fp = wild[i];
		state.sframe_cached = true;
		sframe_unwind_cached(&state, &trace, FRAMES);
		KUNIT_EXPECT_EQ(test, trace.nr, 0);
		expect_end(test, &state);
	}
}

static struct kunit_case sframe_cache_cases[] = {
	KUNIT_CASE(cache_hit),
	KUNIT_CASE(cache_forget),
	KUNIT_CASE(cache_late),
	KUNIT_CASE(cache_lines),
	KUNIT_CASE(cache_growth),
	KUNIT_CASE(cache_refused),
	KUNIT_CASE(cache_wild_fp),
	{}
};

static struct kunit_suite sframe_cache_suite = {
	.name		= "sframe_cache",
	.init		= place_init,
	.test_cases	= sframe_cache_cases,
};

/*
 * The choice of unwinders: 1 is SFrame, and each machine has one of the others.
 */

#define OTHER_UNWINDER	(IS_ENABLED(CONFIG_HAVE_UNWIND_USER_FP) ? 2u : 3u)
#define FOREIGN_UNWINDER (5u - OTHER_UNWINDER)

static void expect_choice(struct kunit *test, u32 order, unsigned int types)
{
	struct unwind_user_state state = {};

	unwind_user_choose(&state);
	KUNIT_EXPECT_EQ(test, state.order, order);
	KUNIT_EXPECT_EQ(test, state.available_types, types);
}

static void choice_none(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, unwind_user_get_order());
	expect_choice(test, OTHER_UNWINDER, BIT(OTHER_UNWINDER - 1));
	KUNIT_EXPECT_EQ(test, 0, unwind_user_set_order(0));
	/* Removing a choice that was not made takes no memory. */
	KUNIT_EXPECT_FALSE(test, sframe_has_set(current->mm));
	CRAFT(test, { .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(8)) });
	add_text(test);
	expect_choice(test, 1 | OTHER_UNWINDER << 4,
		      UNWIND_USER_TYPE_SFRAME | BIT(OTHER_UNWINDER - 1));
}

static void choice_order(struct kunit *test)
{
	struct place *place = test->priv;

	/* Nothing is registered yet. */
	KUNIT_EXPECT_EQ(test, 0,
			unwind_user_set_order(OTHER_UNWINDER | 1 << 4));
	KUNIT_EXPECT_EQ(test, unwind_user_get_order(), OTHER_UNWINDER | 1 << 4);
	CRAFT(test, { .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(8)) });
	add_text(test);
	expect_choice(test, OTHER_UNWINDER | 1 << 4,
		      UNWIND_USER_TYPE_SFRAME | BIT(OTHER_UNWINDER - 1));
	KUNIT_EXPECT_EQ(test, 0, unwind_user_set_order(OTHER_UNWINDER));
	expect_choice(test, OTHER_UNWINDER, BIT(OTHER_UNWINDER - 1));
	KUNIT_EXPECT_EQ(test, 0, unwind_user_set_order(1));
	expect_choice(test, 1, UNWIND_USER_TYPE_SFRAME);
	KUNIT_EXPECT_EQ(test, 0, sframe_remove(place->table));
	KUNIT_EXPECT_EQ(test, 0, vm_munmap(place->text, PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, 1, unwind_user_get_order());
	KUNIT_EXPECT_EQ(test, 0, unwind_user_set_order(0));
	KUNIT_EXPECT_EQ(test, 0, unwind_user_get_order());
	/* Neither tables nor a choice are left: all is as at first. */
	expect_choice(test, OTHER_UNWINDER, BIT(OTHER_UNWINDER - 1));
}

static void choice_refused(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, unwind_user_set_order(OTHER_UNWINDER));
	for (unsigned long way = 4; way < 16; way++)
		KUNIT_EXPECT_EQ(test, -ENOENT, unwind_user_set_order(way));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			unwind_user_set_order(FOREIGN_UNWINDER));
	KUNIT_EXPECT_EQ(test, -EINVAL, unwind_user_set_order(0x11));
	KUNIT_EXPECT_EQ(test, -EINVAL, unwind_user_set_order(0x10));
	KUNIT_EXPECT_EQ(test, -EINVAL, unwind_user_set_order(1 | BIT(63)));
	KUNIT_EXPECT_EQ(test, OTHER_UNWINDER, unwind_user_get_order());
	expect_choice(test, OTHER_UNWINDER, BIT(OTHER_UNWINDER - 1));
}

static struct kunit_case sframe_choice_cases[] = {
	KUNIT_CASE(choice_none),
	KUNIT_CASE(choice_order),
	KUNIT_CASE(choice_refused),
	{}
};

static struct kunit_suite sframe_choice_suite = {
	.name		= "sframe_choice",
	.init		= place_init,
	.test_cases	= sframe_choice_cases,
};

#ifdef CONFIG_SFRAME_VALIDATION

/* A table is refused for any row that could not be used. */
static void expect_refused(struct kunit *test, int ret)
{
	struct place *place = test->priv;
	struct sframe_view view;

	KUNIT_EXPECT_EQ(test, ret,
			sframe_add(place->table, place->view.size, place->text,
				   PAGE_SIZE));
	KUNIT_EXPECT_FALSE(test, sframe_find_view(place->text, &view));
}

static void validate_good(struct kunit *test)
{
	CRAFT(test,
	      { .size = 0, FN_ROWS(1, 0, SP(1, 0), UP(8)) },
	      { .size = 16, FN_ROWS(2, 0, SP(1, 0), UP(8), 0, SP(1, 0), UP(16)) },
	      { .start = 16, .size = 64, .info = REPEATED, .rep_size = 16,
		FN_ROWS(2, 0, SP(1, 0), UP(8), 15, SP(1, 0), UP(16)) },
	      { .start = 80, .size = 1, .rows = ROWS(0) },
	      { .start = 96, .size = 1, .info2 = 5, .nr_fres = 1,
		.rows = ROWS(0xff), .len = 1 });
	add_text(test);
}

static void validate_bad(struct kunit *test)
{
	CRAFT(test,
	      { .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(8)) },
	      { .start = 64, .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(8)) },
	      { .start = 32, .size = 16, FN_ROWS(1, 0, SP(1, 0), UP(8)) });
	expect_refused(test, -EINVAL);
	CRAFT(test,
	      { .size = 16,
		FN_ROWS(2, 4, SP(1, 0), UP(8),
			2, SP(1, 0), UP(16)) });
	expect_refused(test, -EINVAL);
	CRAFT(test, { .size = 16, FN_ROWS(1, 17, SP(1, 0), UP(8)) });
	expect_refused(test, -EINVAL);
	CRAFT(test,
	      { .size = 64, .info = REPEATED, .rep_size = 16,
		FN_ROWS(1, 17, SP(1, 0), UP(8)) });
	expect_refused(test, -EINVAL);
	CRAFT(test, { .size = 16, FN_ROWS(1, 0, SP(1, 3), 8) });
	expect_refused(test, -EINVAL);
	CRAFT(test,
	      { .size = 16, .info2 = SFRAME_FDE_FLEXIBLE,
		FN_ROWS(1, 0, SP(1, 0), 1) });
	expect_refused(test, -EINVAL);
	CRAFT(test,
	      { .size = 16, .info = REPEATED, FN_ROWS(1, 0, SP(1, 0), UP(8)) });
	expect_refused(test, -EINVAL);
}

/* The header limits the number of rows that are checked. */
static void validate_more_rows(struct kunit *test)
{
	struct place *place = test->priv;
	u32 nr_fres = 1;

	CRAFT(test, { .size = 16, FN_ROWS(2, 0, SP(1, 0), UP(8), 4, SP(1, 0), UP(8)) });
	put(test, place->table + offsetof(struct sframe_header, nr_fres),
	    &nr_fres, sizeof(nr_fres));
	expect_refused(test, -EINVAL);
}

/* The file may end inside the table. */
static void validate_unreadable(struct kunit *test)
{
	struct place *place = test->priv;
	const unsigned int nr = PAGE_SIZE / 3;
	u8 *rows = kunit_kmalloc(test, nr * 3, GFP_KERNEL);
	struct fn fn = { .size = 16, .nr_fres = nr, .rows = rows };
	struct file *file;
	u8 *page = kunit_kmalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rows);
	KUNIT_ASSERT_NOT_NULL(test, page);
	for (unsigned int i = 0; i < nr; i++)
		memcpy(rows + i * 3, ROWS(0, SP(1, 0), UP(8)), 3);
	fn.len = nr * 3;
	craft(test, &fn, 1);
	add_text(test);
	KUNIT_EXPECT_EQ(test, 0, sframe_remove(place->table));

	/* The same, but of the first page only. */
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(page, (void __user *)place->table,
						PAGE_SIZE));
	file = shmem_kernel_file_setup("sframe", PAGE_SIZE, EMPTY_VMA_FLAGS);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_ASSERT_EQ(test, place->table,
			vm_mmap(file, place->table, 2 * PAGE_SIZE,
				PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
				0));
	fput(file);
	put(test, place->table, page, PAGE_SIZE);
	expect_refused(test, -EFAULT);
}

static struct kunit_case sframe_validate_cases[] = {
	KUNIT_CASE(validate_good),
	KUNIT_CASE(validate_bad),
	KUNIT_CASE(validate_more_rows),
	KUNIT_CASE(validate_unreadable),
	{}
};

static struct kunit_suite sframe_validate_suite = {
	.name		= "sframe_validate",
	.init		= place_init,
	.test_cases	= sframe_validate_cases,
};

kunit_test_suite(sframe_validate_suite);

#endif /* CONFIG_SFRAME_VALIDATION */

kunit_test_suites(&sframe_header_suite, &sframe_rule_suite,
		  &sframe_step_suite, &sframe_cache_suite,
		  &sframe_choice_suite);
