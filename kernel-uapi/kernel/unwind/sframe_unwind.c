// SPDX-License-Identifier: GPL-2.0-only
/*
 * SFrame tables of a process: header, the rule of an address, a step by it.
 *
 * Nothing in a table is trusted.  Each number is copied out of user memory
 * once, from a place that was found to be inside the table, and checked then.
 * All that one address needs is read in one go, with access to user memory
 * open: there each read may fault, and sleep, but nothing is called and nothing
 * else done.  How many rows one trace may look at is limited.
 *
 * Errors: -ENOENT if a table has nothing to say, -EFAULT if it or the stack
 * cannot be read, -EBADMSG if it contradicts the format, -EINVAL if what it
 * says makes no sense for the stack, -ENODATA if it takes a register that is
 * not known, -E2BIG if it is too much work.
 */
#define pr_fmt(fmt) "sframe: " fmt

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/sframe.h>
#include <linux/uaccess.h>
#include <linux/unwind_uprobe.h>
#include <linux/unwind_user.h>

#include <asm/unwind_user_sframe.h>

#include "sframe.h"
#include "sframe_cache.h"

/*
 * Rows that one trace may look at: those of the longest function that can be,
 * or 128 for each frame of the longest trace, where most have fewer than 20.
 */
#define SFRAME_ROWS_MAX		BIT(16)

/*
 * FDEs of functions without bytes, which may lie in front of the one that is
 * wanted; the assembler writes them, and in any order among equals.
 */
#define SFRAME_EMPTY_FDES_MAX	16

/* No ABI has more DWARF registers. */
#define SFRAME_REG_MAX		127

/* No rule has more words: a pair each for CFA, RA and FP. */
#define SFRAME_WORDS_MAX	6U

/* A row: its information byte and the data words that mean something. */
struct sframe_row {
	u8	info;
	u32	words[SFRAME_WORDS_MAX];
};

/*
 * What a table says of one address: @offset is that of the address from the
 * start of the function or block, @at_start and @at_end are as in struct
 * sframe_rule.
 */
struct sframe_entry {
	struct sframe_attr	attr;
	struct sframe_row	row;
	u32			offset;
	bool			at_start;
	bool			at_end;
};

/*
 * A look at the rows of a function: user addresses of the next row and of the
 * end of all rows, and log2 of the bytes that tell a row's start.
 */
struct sframe_cursor {
	unsigned long	at;
	unsigned long	end;
	unsigned int	log2_start;
};

/*
 * Whether index and rows lie in a section of @size bytes, in this order.  No
 * sum can wrap: each has at most four terms under 2^37.
 */
static bool sframe_parts_ok(const struct sframe_header *header,
			    unsigned long size)
{
	u64 base = sizeof(*header) + (u64)header->aux_len;
	u64 fdes = base + header->fde_off;
	u64 fdes_end = fdes + (u64)header->nr_fdes * sizeof(struct sframe_fde);
	u64 fres = base + header->fre_off;

	return fdes_end <= fres && fres + header->fre_len <= size &&
	       fdes % 4 == 0;
}

/**
 * sframe_header_fault - say what is wrong with the header of a section
 * @header:	a copy of it
 * @size:	bytes of the section, which do not wrap
 *
 * Return: words for a message, or NULL if the section can be used.
 */
const char *sframe_header_fault(const struct sframe_header *header,
				unsigned long size)
{
	if (header->magic != SFRAME_MAGIC)
		return "no SFrame section of this byte order";
	if (header->version == SFRAME_VERSION_2)
		return "version 2 of SFrame, which is not supported";
	if (header->version != SFRAME_VERSION_3)
		return "unknown version of SFrame";
	if (header->abi != SFRAME_ABI)
		return "for another machine";
	if (header->flags & ~SFRAME_F_ALL)
		return "unknown flags";
	if (!(header->flags & SFRAME_F_FDE_SORTED))
		return "functions not sorted";
	if (!header->nr_fdes)
		return "no functions";
	if (!sframe_parts_ok(header, size))
		return "index or rows not inside of it";
	/* A row has at least a byte each of start and information. */
	if (sizeof(struct sframe_attr) + (u64)header->nr_fres * 2 >
	    header->fre_len)
		return "too few bytes for its rows";
	return NULL;
}

/**
 * sframe_use_header - complete what is known of a table
 * @view:	the table
 * @header:	a copy of its header, which has no fault
 */
void sframe_use_header(struct sframe_view *view,
		       const struct sframe_header *header)
{
	u64 base = sizeof(*header) + (u64)header->aux_len;

	view->fdes = base + header->fde_off;
	view->fres = base + header->fre_off;
	view->nr_fdes = header->nr_fdes;
	view->nr_fres = header->nr_fres;
	view->fre_len = header->fre_len;
	view->flags = header->flags;
	view->fixed_fp = header->fixed_fp;
	view->fixed_ra = header->fixed_ra;
}

/**
 * sframe_parse_header - check the header of a section
 * @header:	a copy of it
 * @start:	its user address
 * @size:	bytes of the section, which do not wrap
 * @view:	where to say what is in it
 *
 * Return: 0, or -EINVAL for a section that cannot be used.
 */
int sframe_parse_header(const struct sframe_header *header,
			unsigned long start, unsigned long size,
			struct sframe_view *view)
{
	if (sframe_header_fault(header, size))
		return -EINVAL;
	*view = (struct sframe_view) {
		.start		= start,
		.size		= size,
	};
	sframe_use_header(view, header);
	return 0;
}

/*
 * Read the header of @view, if that has not been done: it was not in memory when
 * the table was registered.  Each trace reads it for itself.  So nothing that is
 * registered changes when it is looked up, and a process that changes the
 * header gets stacks by the old one or the new one.
 */
static int sframe_complete(struct sframe_view *view)
{
	struct sframe_header header;

	if (view->nr_fdes)
		return 0;
	if (copy_from_user(&header, (void __user *)view->start, sizeof(header)))
		return -EFAULT;
	if (sframe_header_fault(&header, view->size))
		return -EBADMSG;
	sframe_use_header(view, &header);
	return 0;
}

/*
 * Open the table's memory.  Until user_read_access_end() no function may be
 * called, hence all that reads is inlined.
 */
static __always_inline bool sframe_open(const struct sframe_view *view)
{
	might_fault();
	return user_read_access_begin((void __user *)view->start, view->size);
}

/* Read the number of 1 << @log2_size bytes at @from, in the open table. */
static __always_inline int sframe_get(unsigned long from,
				      unsigned int log2_size, u32 *value)
{
	switch (log2_size) {
	case 0:
		unsafe_get_user(*value, (u8 __user *)from, fault);
		return 0;
	case 1:
		unsafe_get_user(*value, (u16 __user *)from, fault);
		return 0;
	default:
		unsafe_get_user(*value, (u32 __user *)from, fault);
		return 0;
	}
fault:
	return -EFAULT;
}

/* All ones if the start of an FDE counts from there, or else 0. */
static __always_inline u64 sframe_pcrel(const struct sframe_view *view)
{
	return view->flags & SFRAME_F_FDE_START_PCREL ? ~0ULL : 0;
}

/*
 * Read where the FDE that is @at bytes into the index begins, from the table's
 * start; where that wraps it is that of some other function, as in any wrong
 * table.
 */
static __always_inline int sframe_get_fde_start(const struct sframe_view *view,
						u64 pcrel, u64 at, s64 *start)
{
	u64 off = view->fdes + at;

	unsafe_get_user(*start, (s64 __user *)(view->start + off), fault);
	*start = (s64)((u64)*start + (off & pcrel));
	return 0;
fault:
	return -EFAULT;
}

/* Read the FDE that is @at bytes into the index, its start as above. */
static __always_inline int sframe_get_fde(const struct sframe_view *view,
					  u64 at, struct sframe_fde *fde)
{
	struct sframe_fde __user *from =
		(void __user *)(view->start + view->fdes + at);
	s64 start;

	if (sframe_get_fde_start(view, sframe_pcrel(view), at, &start))
		return -EFAULT;
	fde->start = start;
	unsafe_get_user(fde->size, &from->size, fault);
	unsafe_get_user(fde->attr_off, &from->attr_off, fault);
	return 0;
fault:
	return -EFAULT;
}

/* Count up @before if the FDE at @at starts at or before @offset. */
static __always_inline int sframe_count_before(const struct sframe_view *view,
					       u64 pcrel, u64 at, s64 offset,
					       u64 *before)
{
	s64 start;

	if (sframe_get_fde_start(view, pcrel, at, &start))
		return -EFAULT;
	*before += start <= offset;
	return 0;
}

/*
 * Find where in the index the last FDE is that starts at or before @offset, or
 * 0.  On which side of an entry it is cannot be foreseen: no branch depends on
 * it.  Quarters take no longer than halves would, as what lies between them is
 * read at the same time.
 */
static __always_inline int sframe_search_fdes(const struct sframe_view *view,
					      s64 offset, u64 *found)
{
	u64 low = 0, pcrel = sframe_pcrel(view), part, before;
	u32 nr = view->nr_fdes;

	/* It is one of the @nr FDEs, at least one, from @low on. */
	for (; nr >= 4; nr -= nr / 4 * 3) {
		part = nr / 4 * sizeof(struct sframe_fde);
		before = 0;
		if (sframe_count_before(view, pcrel, low + part, offset,
					&before) ||
		    sframe_count_before(view, pcrel, low + 2 * part, offset,
					&before) ||
		    sframe_count_before(view, pcrel, low + 3 * part, offset,
					&before))
			return -EFAULT;
		low += before * part;
	}
	for (; nr > 1; nr -= nr / 2) {
		part = nr / 2 * sizeof(struct sframe_fde);
		before = 0;
		if (sframe_count_before(view, pcrel, low + part, offset,
					&before))
			return -EFAULT;
		low += before * part;
	}
	*found = low;
	return 0;
}

/* Find the last FDE that has bytes and starts at or before @offset. */
static __always_inline int sframe_find_fde(const struct sframe_view *view,
					   s64 offset, struct sframe_fde *fde)
{
	s64 start;
	u64 at;

	if (sframe_search_fdes(view, offset, &at) ||
	    sframe_get_fde(view, at, fde))
		return -EFAULT;
	start = fde->start;
	for (int n = 0; !fde->size && at && n < SFRAME_EMPTY_FDES_MAX; n++) {
		at -= sizeof(*fde);
		if (sframe_get_fde(view, at, fde))
			return -EFAULT;
		if (fde->start != start)
			return -ENOENT;
	}
	return offset >= fde->start &&
	       (u64)offset - (u64)fde->start < fde->size ? 0 : -ENOENT;
}

/* Read the attribute at @from. */
static __always_inline int sframe_get_attr(struct sframe_attr __user *from,
					   struct sframe_attr *attr)
{
	unsafe_get_user(attr->nr_fres, &from->nr_fres, fault);
	unsafe_get_user(attr->info, &from->info, fault);
	unsafe_get_user(attr->info2, &from->info2, fault);
	unsafe_get_user(attr->rep_size, &from->rep_size, fault);
	return 0;
fault:
	return -EFAULT;
}

/*
 * Read the attribute of @fde and check what is the same for all functions.
 * @cursor is put at the first row.
 */
static __always_inline int sframe_read_attr(const struct sframe_view *view,
					    const struct sframe_fde *fde,
					    struct sframe_attr *attr,
					    struct sframe_cursor *cursor)
{
	unsigned int type;

	if (view->fre_len < sizeof(*attr) ||
	    fde->attr_off > view->fre_len - sizeof(*attr))
		return -EBADMSG;
	cursor->at = view->start + view->fres + fde->attr_off;
	cursor->end = view->start + view->fres + view->fre_len;
	if (sframe_get_attr((void __user *)cursor->at, attr))
		return -EFAULT;
	cursor->at += sizeof(*attr);
	cursor->log2_start = SFRAME_ATTR_FRE_TYPE(attr->info);

	/* This is where the format may grow: not an error. */
	type = SFRAME_ATTR_FDE_TYPE(attr->info2);
	if (type > SFRAME_FDE_FLEXIBLE)
		return -ENOENT;
	if (cursor->log2_start > SFRAME_FRE_TYPE_MAX)
		return -EBADMSG;
	/* It is going to be divided by. */
	if (SFRAME_ATTR_REPEATED(attr->info) && !attr->rep_size)
		return -EBADMSG;
	/* No rows mark an outermost frame, but not in any other than these. */
	if (!attr->nr_fres && (type != SFRAME_FDE_DEFAULT ||
			       SFRAME_ATTR_REPEATED(attr->info)))
		return -ENOENT;
	return 0;
}

/* Read where the row at @cursor starts, and its information byte. */
static __always_inline int sframe_get_row(const struct sframe_cursor *cursor,
					  u32 *start, u32 *info)
{
	unsigned int size = 1U << cursor->log2_start;
	long left = cursor->end - cursor->at;

	if (left <= (long)size)
		return -EBADMSG;
	return sframe_get(cursor->at, cursor->log2_start, start) ?:
	       sframe_get(cursor->at + size, 0, info);
}

/*
 * Step over the row at @cursor, whose information byte is @info, perhaps
 * behind the end.
 */
static __always_inline int sframe_skip_row(struct sframe_cursor *cursor,
					   u32 info)
{
	if (SFRAME_FRE_WORD_SIZE(info) > SFRAME_FRE_WORD_SIZE_MAX)
		return -EBADMSG;
	cursor->at += (1U << cursor->log2_start) + 1 +
		      (SFRAME_FRE_WORDS(info) << SFRAME_FRE_WORD_SIZE(info));
	return 0;
}

/* Read the words that end at @end, as @info announces. */
static __always_inline int sframe_get_words(unsigned long end, u32 info,
					    struct sframe_row *row)
{
	unsigned int size = SFRAME_FRE_WORD_SIZE(info);
	unsigned int count = SFRAME_FRE_WORDS(info);
	unsigned long at = end - (count << size);
	u32 *word = row->words;

	row->info = info;
	for (count = min(count, SFRAME_WORDS_MAX); count; count--) {
		if (sframe_get(at, size, word++))
			return -EFAULT;
		at += 1U << size;
	}
	return 0;
}

/*
 * Find the last of the @nr rows at @cursor that starts at or before @offset,
 * which counts from the start of the function or block, and read it.  Rows
 * must ascend, or "the last" would mean nothing; of equal ones, which the
 * assembler writes, the last counts.
 */
static __always_inline int sframe_find_row(struct sframe_cursor cursor,
					   unsigned int nr, u32 offset,
					   unsigned int *rows,
					   struct sframe_row *row)
{
	unsigned int budget = SFRAME_ROWS_MAX -
			      min_t(unsigned int, *rows, SFRAME_ROWS_MAX);
	unsigned int i, max = min(nr, budget);
	u32 start = 0, previous = 0, info, found = 0;
	unsigned long end = 0;
	int ret = 0;

	for (i = 0; i < max; i++) {
		ret = sframe_get_row(&cursor, &start, &info);
		if (ret || start > offset || start < previous)
			break;
		ret = sframe_skip_row(&cursor, info);
		if (ret)
			break;
		previous = start;
		found = info;
		end = cursor.at;
	}
	*rows += min(i + 1, max);
	if (ret)
		return ret;
	if (i < max && start < previous)
		return -EBADMSG;
	if (i == max && max < nr)
		return -E2BIG;
	if (!end)
		return -ENOENT;
	return end > cursor.end ? -EBADMSG : sframe_get_words(end, found, row);
}

/* The same for each kind of rows, for what is constant to be so. */
static __always_inline int sframe_find_any_row(struct sframe_cursor cursor,
					       unsigned int nr, u32 offset,
					       unsigned int *rows,
					       struct sframe_row *row)
{
	switch (cursor.log2_start) {
	case 0:
		cursor.log2_start = 0;
		return sframe_find_row(cursor, nr, offset, rows, row);
	case 1:
		cursor.log2_start = 1;
		return sframe_find_row(cursor, nr, offset, rows, row);
	default:
		cursor.log2_start = 2;
		return sframe_find_row(cursor, nr, offset, rows, row);
	}
}

/*
 * Read what the open table says of the address at @offset from its start.  If
 * @entry has no rows the frame is the outermost one, and the row undefined.
 */
static __always_inline int sframe_find_entry(const struct sframe_view *view,
					     s64 offset, unsigned int *rows,
					     struct sframe_entry *entry)
{
	struct sframe_cursor cursor;
	struct sframe_fde fde;
	int ret;

	ret = sframe_find_fde(view, offset, &fde) ?:
	      sframe_read_attr(view, &fde, &entry->attr, &cursor);
	if (ret)
		return ret;
	/* It fits 32 bits as the size of the function does. */
	entry->offset = (u64)offset - (u64)fde.start;
	entry->at_start = !entry->offset;
	entry->at_end = entry->offset == fde.size - 1;
	if (!entry->attr.nr_fres)
		return 0;
	if (SFRAME_ATTR_REPEATED(entry->attr.info))
		entry->offset %= entry->attr.rep_size;
	return sframe_find_any_row(cursor, entry->attr.nr_fres, entry->offset,
				   rows, &entry->row);
}

/* Read what the table says of the address at @offset from its start. */
static noinline int sframe_read_entry(const struct sframe_view *view,
				      s64 offset, unsigned int *rows,
				      struct sframe_entry *entry)
{
	int ret;

	if (!sframe_open(view))
		return -EFAULT;
	ret = sframe_find_entry(view, offset, rows, entry);
	user_read_access_end();
	return ret;
}

/* Data word @i of @row as an offset; the row has it. */
static s32 sframe_offset(const struct sframe_row *row, unsigned int i)
{
	return sign_extend32(row->words[i],
			     (8 << SFRAME_FRE_WORD_SIZE(row->info)) - 1);
}

/* The offset of a CFA from how it is coded. */
static s32 sframe_cfa_offset(s32 coded)
{
	return (u32)coded * SFRAME_CFA_SCALE + SFRAME_CFA_ABOVE_SP;
}

/* Where a register is that no word speaks of. */
static struct sframe_place sframe_default_place(s8 fixed)
{
	return (struct sframe_place) {
		.kind	= fixed ? SFRAME_CFA_MEMORY : SFRAME_UNCHANGED,
		.off	= fixed,
	};
}

/*
 * The words of a default function are the offsets of CFA, RA and FP, without
 * those that the header fixes.  An RA at 0 is padding.
 */
static int sframe_decode_default(const struct sframe_view *view,
				 const struct sframe_row *row,
				 struct sframe_rule *rule)
{
	unsigned int count = SFRAME_FRE_WORDS(row->info), i = 1;

	rule->cfa.kind = SFRAME_REG_VALUE;
	rule->cfa.reg = SFRAME_FRE_BASE_IS_SP(row->info) ? SFRAME_REG_SP :
							   SFRAME_REG_FP;
	rule->cfa.off = sframe_cfa_offset(sframe_offset(row, 0));

	if (!view->fixed_ra && i < count) {
		rule->ra.off = sframe_offset(row, i++);
		if (rule->ra.off)
			rule->ra.kind = SFRAME_CFA_MEMORY;
	}
	if (!view->fixed_fp && i < count) {
		rule->fp.off = sframe_offset(row, i);
		rule->fp.kind = SFRAME_CFA_MEMORY;
	}
	return 0;
}

/*
 * Decode the pair of words from @i on into @place and step over it.  Where
 * there is none, or a single 0 for padding, @place stays.
 */
static int sframe_decode_place(const struct sframe_row *row, unsigned int *i,
			       struct sframe_place *place)
{
	unsigned int count = SFRAME_FRE_WORDS(row->info);
	bool memory;
	u32 control;

	if (*i == count)
		return 0;
	control = row->words[(*i)++];
	if (!control)
		return 0;
	if (*i == count)
		return -EBADMSG;

	place->off = sframe_offset(row, (*i)++);
	memory = SFRAME_CTRL_IN_MEMORY(control);
	if (!SFRAME_CTRL_IS_REG(control)) {
		place->kind = memory ? SFRAME_CFA_MEMORY : SFRAME_CFA_VALUE;
		return 0;
	}
	place->kind = memory ? SFRAME_REG_MEMORY : SFRAME_REG_VALUE;
	place->reg = SFRAME_CTRL_REG(control);
	return place->reg > SFRAME_REG_MAX ? -EBADMSG : 0;
}

/* The words of a flexible function are a pair each for CFA, RA and FP. */
static int sframe_decode_flexible(const struct sframe_row *row,
				  struct sframe_rule *rule)
{
	unsigned int i = 0;

	rule->cfa = (struct sframe_place) {};
	if (sframe_decode_place(row, &i, &rule->cfa) ||
	    sframe_decode_place(row, &i, &rule->ra) ||
	    sframe_decode_place(row, &i, &rule->fp))
		return -EBADMSG;
	/* The CFA cannot be told by itself. */
	if (rule->cfa.kind != SFRAME_REG_VALUE &&
	    rule->cfa.kind != SFRAME_REG_MEMORY)
		return -EBADMSG;
	rule->cfa.off = sframe_cfa_offset(rule->cfa.off);
	return 0;
}

/* Decode @entry. */
static int sframe_decode(const struct sframe_view *view,
			 const struct sframe_entry *entry,
			 struct sframe_rule *rule)
{
	rule->signal = SFRAME_ATTR_SIGNAL(entry->attr.info);
	rule->at_start = entry->at_start;
	rule->at_end = entry->at_end;
	/* No rows, or no words: RA is undefined, as nobody called. */
	rule->outermost = !entry->attr.nr_fres ||
			  !SFRAME_FRE_WORDS(entry->row.info);
	if (rule->outermost)
		return 0;
	rule->ra = sframe_default_place(view->fixed_ra);
	rule->fp = sframe_default_place(view->fixed_fp);
	if (SFRAME_ATTR_FDE_TYPE(entry->attr.info2) == SFRAME_FDE_FLEXIBLE)
		return sframe_decode_flexible(&entry->row, rule);
	return sframe_decode_default(view, &entry->row, rule);
}

static bool sframe_same_place(const struct sframe_place *a,
			      const struct sframe_place *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->off == b->off;
}

/*
 * Put right what linkers get wrong about repeated blocks: @first is the rule
 * where a block begins.  See SFRAME_BLOCK_CFA_OFF.
 */
static int sframe_fix_block(struct sframe_rule *rule,
			    const struct sframe_rule *first)
{
	const struct sframe_place entry = {
		.kind	= SFRAME_REG_VALUE,
		.reg	= SFRAME_REG_SP,
		.off	= SFRAME_BLOCK_CFA_OFF,
	};

	if (rule->outermost || first->outermost)
		return -ENOENT;
	if (sframe_same_place(&first->cfa, &entry))
		return 0;
	if (!sframe_same_place(&first->cfa, &rule->cfa))
		return -ENOENT;
	rule->cfa = entry;
	return 0;
}

/* Fix the rule of a repeated block at @offset from the table's start. */
static int sframe_rule_of_block(const struct sframe_view *view, s64 offset,
				const struct sframe_entry *entry,
				unsigned int *rows, struct sframe_rule *rule)
{
	struct sframe_entry first;
	struct sframe_rule first_rule;
	int ret;

	ret = sframe_read_entry(view, offset - entry->offset, rows, &first) ?:
	      sframe_decode(view, &first, &first_rule);
	return ret ?: sframe_fix_block(rule, &first_rule);
}

/**
 * sframe_find_rule - look up how to unwind from an address
 * @view:	the table that describes it; completed if need be
 * @ip:		the address
 * @rows:	how many rows this trace has looked at; counted up
 * @rule:	where to store the rule; undefined on error
 *
 * Return: 0, or an error as listed where this file begins.
 */
int sframe_find_rule(struct sframe_view *view, unsigned long ip,
		     unsigned int *rows, struct sframe_rule *rule)
{
	struct sframe_entry entry __uninitialized;
	s64 offset = ip - view->start;
	int ret;

	ret = sframe_complete(view) ?:
	      sframe_read_entry(view, offset, rows, &entry) ?:
	      sframe_decode(view, &entry, rule);
	if (ret || !SFRAME_ATTR_REPEATED(entry.attr.info))
		return ret;
	return sframe_rule_of_block(view, offset, &entry, rows, rule);
}

#ifdef CONFIG_SFRAME_VALIDATION

/* Read the row at @cursor and step over it. */
static int sframe_read_row(const struct sframe_view *view,
			   struct sframe_cursor *cursor, u32 *start,
			   struct sframe_row *row)
{
	u32 info;
	int ret;

	if (!sframe_open(view))
		return -EFAULT;
	ret = sframe_get_row(cursor, start, &info) ?:
	      sframe_skip_row(cursor, info);
	if (!ret)
		ret = cursor->at > cursor->end ? -EBADMSG :
		      sframe_get_words(cursor->at, info, row);
	user_read_access_end();
	return ret;
}

/*
 * Check the rows of @entry at @cursor: that each can be decoded, and that none
 * starts behind the function or block of @size bytes.
 */
static int sframe_check_rows(const struct sframe_view *view,
			     struct sframe_cursor *cursor,
			     struct sframe_entry *entry, u32 size)
{
	struct sframe_rule rule;
	u32 start, previous = 0;
	int ret;

	for (unsigned int i = 0; i < entry->attr.nr_fres; i++) {
		ret = sframe_read_row(view, cursor, &start, &entry->row) ?:
		      sframe_decode(view, entry, &rule);
		if (ret)
			return ret;
		if (start < previous || start > size)
			return -EBADMSG;
		previous = start;
	}
	return 0;
}

/* Read FDE @i and its attribute; @cursor is put at its rows. */
static int sframe_read_function(const struct sframe_view *view, u32 i,
				struct sframe_fde *fde,
				struct sframe_attr *attr,
				struct sframe_cursor *cursor)
{
	int ret;

	if (!sframe_open(view))
		return -EFAULT;
	ret = sframe_get_fde(view, (u64)i * sizeof(*fde), fde) ?:
	      sframe_read_attr(view, fde, attr, cursor);
	user_read_access_end();
	return ret;
}

/*
 * Check FDE @i and its rows.  @start is where the function before starts, and
 * @rows how many the functions from here on may have; both are updated.
 */
static int sframe_check_fde(const struct sframe_view *view, u32 i, s64 *start,
			    u32 *rows)
{
	struct sframe_entry entry = {};
	struct sframe_cursor cursor;
	struct sframe_fde fde;
	u32 size;
	int ret;

	ret = sframe_read_function(view, i, &fde, &entry.attr, &cursor);
	if (ret == -EFAULT)
		return ret;
	if (fde.start < *start)
		return -EBADMSG;
	*start = fde.start;
	/* Nobody will look at the rows. */
	if (ret == -ENOENT)
		return 0;
	if (ret || entry.attr.nr_fres > *rows)
		return ret ?: -EBADMSG;
	*rows -= entry.attr.nr_fres;
	size = SFRAME_ATTR_REPEATED(entry.attr.info) ? entry.attr.rep_size :
						       fde.size;
	return sframe_check_rows(view, &cursor, &entry, size);
}

/**
 * sframe_validate - check each row of each function
 * @view:	the table, of the current process
 *
 * It takes long, but not for ever: the functions cannot have more rows in all
 * than the header says, and the section bytes.  The caller can sleep and has
 * not locked the mm.
 *
 * Return: 0, -EINVAL if the table contradicts the format, -EFAULT if it cannot
 * be read, -EINTR if a fatal signal is pending.
 */
int sframe_validate(const struct sframe_view *view)
{
	s64 start = S64_MIN;
	u32 rows = view->nr_fres;
	int ret;

	for (u32 i = 0; i < view->nr_fdes; i++) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		ret = sframe_check_fde(view, i, &start, &rows);
		if (!ret)
			continue;
		pr_debug_ratelimited("%s[%d]: table at %#lx: function %u: error %d\n",
				     current->comm, task_pid_nr(current),
				     view->start, i, ret);
		return ret == -EBADMSG ? -EINVAL : ret;
	}
	return 0;
}

#endif /* CONFIG_SFRAME_VALIDATION */

/*
 * Read DWARF register @reg.  Only a frame that was interrupted has others
 * than SP and FP, and FP is lost where a frame was left without a table.
 */
static int sframe_reg(const struct unwind_user_state *state, u32 reg,
		      unsigned long *value)
{
	switch (reg) {
	case SFRAME_REG_SP:
		*value = state->sp;
		return 0;
	case SFRAME_REG_FP:
		*value = state->fp;
		return state->fp_lost ? -ENODATA : 0;
	}
	if (state->topmost)
		return sframe_pt_reg(task_pt_regs(current), reg, value);
	if (state->ucontext)
		return sframe_ucontext_reg(state->ucontext, reg, value);
	return -ENODATA;
}

/* Recover what @place, which is not unchanged, tells of. */
static int sframe_recover(const struct unwind_user_state *state,
			  const struct sframe_place *place, unsigned long cfa,
			  unsigned long *value)
{
	unsigned long base = cfa;
	int ret;

	if (place->kind == SFRAME_REG_VALUE ||
	    place->kind == SFRAME_REG_MEMORY) {
		ret = sframe_reg(state, place->reg, &base);
		if (ret)
			return ret;
	}
	*value = base + place->off;
	if (place->kind == SFRAME_CFA_MEMORY || place->kind == SFRAME_REG_MEMORY)
		return get_user(*value, (unsigned long __user *)*value);
	return 0;
}

/*
 * Whether SP may be @sp in the calling frame.  The stack grows down, and what
 * calls takes something from it; what is interrupted may not have yet, unless
 * the call itself did, and may have given that back, as vfork() of x86 does,
 * which has its return address in a register.  What a signal interrupted may be
 * on another stack.
 */
static bool sframe_sp_ok(const struct unwind_user_state *state,
			 const struct sframe_rule *rule, unsigned long sp)
{
	if (rule->signal)
		return true;
	if ((SFRAME_CFA_ABOVE_SP || rule->ra.kind == SFRAME_REG_VALUE) &&
	    (state->topmost || state->interrupted))
		return sp >= state->sp;
	return sp > state->sp;
}

/*
 * Look for a mapping with code at @ip and keep it in @state.  The mmap lock is
 * needed only if the mapping is being changed, or is not there; a task past
 * being killed does without it, as who has it may wait for a page.
 */
static bool sframe_find_code(struct unwind_user_state *state, unsigned long ip)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma = lock_vma_under_rcu(mm, ip);
	bool locked = !vma, code;

	if (locked) {
		if (pagefault_disabled() || mmap_read_lock_killable(mm))
			return false;
		vma = vma_lookup(mm, ip);
	}
	code = vma && vma->vm_flags & VM_EXEC;
	if (code) {
		state->code = vma->vm_start;
		state->code_size = vma->vm_end - vma->vm_start;
	}
	if (locked)
		mmap_read_unlock(mm);
	else
		vma_end_read(vma);
	return code;
}

/*
 * Whether there is code at @ip.  Tables are of executable mappings only, and
 * one that is found here is what the next frame needs; where there is none,
 * frames that follow each other are often of the same mapping.
 */
static bool sframe_is_code(struct unwind_user_state *state, unsigned long ip)
{
	struct sframe_view *view = &state->sframe;

	return ip - view->text < view->text_size ||
	       ip - state->code < state->code_size || sframe_is_known(ip) ||
	       sframe_find_view(ip, view) || sframe_find_code(state, ip);
}

/* Compute the CFA.  Only where a function was interrupted can SP be elsewhere. */
static int sframe_recover_cfa(const struct unwind_user_state *state,
			      const struct sframe_rule *rule,
			      unsigned long *cfa)
{
	struct sframe_place place = rule->cfa;

	if ((state->topmost || state->interrupted) &&
	    place.kind == SFRAME_REG_VALUE && place.reg == SFRAME_REG_SP &&
	    place.off == SFRAME_CFA_ABOVE_SP)
		place.reg = sframe_arch_sp_reg(state->ip);
	return sframe_recover(state, &place, 0, cfa);
}

/* Whether a call may return to @ra, whatever a table says. */
static bool sframe_ra_ok(struct unwind_user_state *state, unsigned long ra)
{
	return !(ra & (SFRAME_INSN_ALIGN - 1)) && sframe_is_code(state, ra - 1);
}

/* Whether a signal handler may: its restorer may begin a mapping. */
static bool sframe_restorer_ok(struct unwind_user_state *state,
			       unsigned long ra)
{
	return !(ra & (SFRAME_INSN_ALIGN - 1)) && sframe_is_code(state, ra) &&
	       sframe_arch_restorer(ra);
}

/* Step from @state to the frame that called it. */
static int sframe_step(struct unwind_user_state *state,
		       const struct sframe_rule *rule)
{
	unsigned long cfa, ra, fp = state->fp;
	int ret;

	ret = sframe_recover_cfa(state, rule, &cfa);
	if (ret)
		return ret;
	if (!sframe_sp_ok(state, rule, cfa - SFRAME_CFA_ABOVE_SP) ||
	    cfa & (state->ws - 1))
		return -EINVAL;

	if (rule->ra.kind == SFRAME_UNCHANGED)
		ret = sframe_reg(state, SFRAME_REG_RA, &ra);
	else
		ret = sframe_recover(state, &rule->ra, cfa, &ra);
	if (ret)
		return ret;
	ra = unwind_uprobe_ra(ra, cfa - SFRAME_CFA_ABOVE_SP);
	if (!rule->signal && !sframe_ra_ok(state, ra) &&
	    !sframe_restorer_ok(state, ra))
		return -EINVAL;
	if (rule->fp.kind != SFRAME_UNCHANGED) {
		ret = sframe_recover(state, &rule->fp, cfa, &fp);
		if (ret)
			return ret;
		state->fp_lost = false;
	}

	state->ip = ra;
	state->ip_behind = false;
	state->sp = cfa - SFRAME_CFA_ABOVE_SP;
	state->fp = fp;
	state->ucontext = 0;
	state->interrupted = rule->signal;
	state->topmost = false;
	return 0;
}

/* Look up @ip in the table of @state.  One that is corrupt goes. */
static int sframe_use_table(struct unwind_user_state *state, unsigned long ip,
			    struct sframe_rule *rule)
{
	struct sframe_view *view = &state->sframe;
	int ret = sframe_find_rule(view, ip, &state->sframe_rows, rule);

	if (ret == -EBADMSG) {
		sframe_drop_corrupt(view);
		view->text_size = 0;
	}
	return ret;
}

/*
 * Read how to unwind from @ip, where @state is.  The caller of a function is
 * often in the same text.
 */
static int sframe_read_rule(struct unwind_user_state *state, unsigned long ip,
			    struct sframe_rule *rule)
{
	struct sframe_view *view = &state->sframe;
	int ret;

	if (ip - view->text >= view->text_size && !sframe_find_view(ip, view))
		return -ENOENT;
	ret = sframe_use_table(state, ip, rule);
	if (!ret)
		sframe_remember(view, ip, rule);
	return ret;
}

/* Look up how to unwind from @state. */
static int sframe_lookup(struct unwind_user_state *state,
			 struct sframe_rule *rule)
{
	unsigned long ip = state->ip;

	state->sframe_known = false;
	if (state->topmost)
		state->ip_behind = sframe_arch_ip_behind(ip);
	if (ip & (SFRAME_INSN_ALIGN - 1))
		return -ENOENT;
	/* A call that never returns may have its return address elsewhere. */
	if ((!state->topmost && !state->interrupted) || state->ip_behind)
		ip--;
	state->sframe_known = sframe_recall(ip, rule);
	return state->sframe_known ? 0 : sframe_read_rule(state, ip, rule);
}

/*
 * Whether the frame record at @next can follow one that ends at @sp; 0 ends
 * the chain.
 */
static bool sframe_linked(struct unwind_user_state *state, unsigned long sp,
			  unsigned long next)
{
	unsigned long __user *ra = (void __user *)(next + SFRAME_RECORD_RA_OFF);
	unsigned long ip;

	if (!next)
		return true;
	return next >= sp && !(next & (state->ws - 1)) && !get_user(ip, ra) &&
	       sframe_is_code(state, ip - 1);
}

/*
 * Whether there may be something other than the inside of a function at @ip:
 * the table says that one begins there, or nothing, if a chain of frames is
 * worth as much.
 */
static bool sframe_outside_functions(struct unwind_user_state *state,
				     unsigned long ip)
{
	struct sframe_rule rule;
	int ret = sframe_use_table(state, ip, &rule);

	return ret ? ret == -ENOENT && SFRAME_CHAIN_TELLS : rule.at_start;
}

/*
 * Whether @ip, which no call is in front of, can be returned to.  Compilers
 * have no such code; but the first function of a context may return to the
 * start of another one.  Interpreters, and whatever else writes code as it
 * goes, push addresses as they like, yet keep a chain of frames.
 */
static bool sframe_uncalled_ok(struct unwind_user_state *state,
			       unsigned long ip, unsigned long sp,
			       unsigned long next)
{
	if (!sframe_linked(state, sp, next))
		return false;
	if (!sframe_find_view(ip - 1, &state->sframe))
		return true;
	return next && sframe_outside_functions(state, ip);
}

/**
 * __sframe_guess_ok - whether a frame can be one that no table tells of
 * @state:	the frame below it
 * @ip:		where it would return to
 * @sp:		where its record would end
 * @next:	where that says the next record is
 *
 * Code without a table may have no frame pointers either.  What is taken for
 * a frame is data then, and a wrong frame is worse than a trace that ends.
 *
 * Return: whether a call or a signal can have left @ip there, or else whether
 * it is in a chain of frames.
 */
bool __sframe_guess_ok(struct unwind_user_state *state, unsigned long ip,
		       unsigned long sp, unsigned long next)
{
	if (!sframe_ra_ok(state, ip))
		return false;
	return sframe_arch_return_ok(ip) ||
	       sframe_uncalled_ok(state, ip, sp, next);
}

/* Whether a call has led to where there is no code, or code that passes it on. */
static bool sframe_is_nowhere(struct unwind_user_state *state)
{
	return (state->topmost || state->interrupted) &&
	       (state->ip & (SFRAME_INSN_ALIGN - 1) ||
		!sframe_is_code(state, state->ip) ||
		sframe_arch_in_stub(state->ip));
}

/*
 * Step from there to the call.  The stack is what it was, so that what applies
 * right after a call does.
 */
static int sframe_leave_nowhere(struct unwind_user_state *state)
{
	const struct unwind_user_state nowhere = *state;
	const struct sframe_rule rule = {
		.cfa = {
			.kind	= SFRAME_REG_VALUE,
			.reg	= SFRAME_REG_SP,
			.off	= SFRAME_BLOCK_CFA_OFF,
		},
		.ra = sframe_default_place(SFRAME_CALL_RA_OFF),
		.fp = sframe_default_place(0),
	};
	int ret = sframe_step(state, &rule);

	if (!ret && !sframe_arch_return_ok(state->ip)) {
		*state = nowhere;
		ret = -EINVAL;
	}
	return ret;
}

/**
 * sframe_unwind_next - step to the calling frame by an SFrame table
 * @state:	the frame; on return, the one that called it
 *
 * A frame that has no caller, or whose rule cannot be followed, ends the walk:
 * @state is done then.
 *
 * Return: 0, or an error as listed where this file begins, and @state as it
 * was, for another way of unwinding to be tried.
 */
int sframe_unwind_next(struct unwind_user_state *state)
{
	struct sframe_rule rule;
	int ret, signal;

	/* A 32-bit segment of a 64-bit process has no tables. */
	if (state->ws != sizeof(long))
		return -ENOENT;
	ret = sframe_lookup(state, &rule);
	/*
	 * A signal restorer may have no rule, or, as it was not called, that
	 * of the function which ends in front of it.
	 */
	if (ret == -ENOENT || (!ret && (rule.signal || rule.at_end))) {
		signal = sframe_arch_signal(state);
		if (!signal)
			unwind_uprobe_signal(state);
		if (signal != -ENOENT)
			return signal;
	}
	if (ret == -ENOENT && sframe_is_nowhere(state))
		return sframe_leave_nowhere(state);
	if (ret && ret != -E2BIG)
		return ret;
	/*
	 * Where the rule is known but cannot be followed, or has not been found
	 * in time, any other way to go on would be a guess.
	 */
	if (ret || rule.outermost || sframe_step(state, &rule))
		state->done = true;
	return 0;
}
