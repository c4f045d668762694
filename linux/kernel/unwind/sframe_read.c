// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read SFrame tables: the header, and the rule of an address.
 *
 * Nothing in a table is trusted. Each number is copied out of user memory once,
 * from an address that was checked to be inside the table, and is then checked
 * itself. All that one lookup needs is read in one section with access to user
 * memory open (user_read_access_begin()): there a read may fault and sleep, but
 * no function may be called. The number of FREs that one trace may read is
 * limited, see SFRAME_ROWS_MAX.
 *
 * Errors: -ENOENT if the table does not describe the address, -EFAULT if it
 * cannot be read, -EBADMSG if it contradicts the format, -E2BIG if the trace
 * has read too many FREs.
 */
#define pr_fmt(fmt) "sframe: " fmt

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include <asm/unwind_user_sframe.h>

#include "sframe.h"

/*
 * How many FREs one trace may read: as many as the longest possible function
 * has, or 128 for each frame of the longest trace. Most functions have fewer
 * than 20.
 */
#define SFRAME_ROWS_MAX		BIT(16)

/*
 * How many FDEs of functions of size zero a search skips to find one with a
 * size. The assembler writes such FDEs, and the order of FDEs with the same
 * start is not defined.
 */
#define SFRAME_EMPTY_FDES_MAX	16

/* No ABI has more DWARF registers. */
#define SFRAME_REG_MAX		127

/* The data words that a rule can have: a pair each for CFA, RA and FP. */
#define SFRAME_WORDS_MAX	6U

/* A row (FRE): its information byte and its first data words. */
struct sframe_row {
	u8	info;
	u32	words[SFRAME_WORDS_MAX];
};

/*
 * The entry of a table for one address. @offset is the address relative to the
 * start of the function or repeated block; @from_start and @at_end are as in
 * struct sframe_rule.
 */
struct sframe_entry {
	struct sframe_attr	attr;
	struct sframe_row	row;
	u32			offset;
	u32			from_start;
	bool			at_end;
};

/*
 * A position in the rows of a function: the user addresses of the next row and
 * of the end of the FRE sub-section, and log2 of the size of a start address.
 */
struct sframe_cursor {
	unsigned long	at;
	unsigned long	end;
	unsigned int	log2_start;
};

/*
 * Whether the FDEs and the FREs lie in a section of @size bytes, in this order.
 * No sum wraps: each has at most four terms below 2^37.
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
 * sframe_header_fault - check the header of a section
 * @header:	a copy of it
 * @size:	bytes of the section, which do not wrap
 *
 * Return: what is wrong with it, for a message; NULL if the section can be
 * used.
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
 * sframe_use_header - store the contents of a header in a view
 * @view:	the view of the table
 * @header:	a copy of its header, which sframe_header_fault() has accepted
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
 * @view:	where to store its contents
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
 * Read the header of @view unless the registration did: its page was not mapped
 * then. Each trace reads it for itself, since a registered view is constant. A
 * process that changes the header gets traces by the old or the new one.
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
 * Begin a section with access to the memory of the table. Until
 * user_read_access_end() no function may be called, hence all functions that
 * read are always inlined.
 */
static __always_inline bool sframe_open(const struct sframe_view *view)
{
	might_fault();
	return user_read_access_begin((void __user *)view->start, view->size);
}

/* Read a number of 1 << @log2_size bytes at @from. */
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

/* All ones if the start in an FDE is relative to the FDE, otherwise 0. */
static __always_inline u64 sframe_pcrel(const struct sframe_view *view)
{
	return view->flags & SFRAME_F_FDE_START_PCREL ? ~0ULL : 0;
}

/*
 * Read the start of the function of the FDE at byte @at of the index, relative
 * to the start of the table. If it wraps, the FDE describes other addresses,
 * like any wrong but well-formed FDE.
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

/* Read the FDE at byte @at of the index; its start as above. */
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

/* Increment @before if the FDE at @at starts at or before @offset. */
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
 * Find the position in the index of the last FDE that starts at or before
 * @offset, or 0 if none does. No branch depends on the comparisons, which the
 * processor cannot predict. Each round reads three FDEs in parallel and leaves
 * a quarter of the index.
 */
static __always_inline int sframe_search_fdes(const struct sframe_view *view,
					      s64 offset, u64 *found)
{
	u64 low = 0, pcrel = sframe_pcrel(view), part, before;
	u32 nr = view->nr_fdes;

	/* Invariant: it is one of the @nr FDEs (at least one) from @low on. */
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

/* Find the last FDE with a size that starts at or before @offset. */
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
 * Read the attribute of @fde and check what all types of FDE have in common.
 * Set @cursor to the first row.
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

	/* The format may be extended by new FDE types: not an error. */
	type = SFRAME_ATTR_FDE_TYPE(attr->info2);
	if (type > SFRAME_FDE_FLEXIBLE)
		return -ENOENT;
	if (cursor->log2_start > SFRAME_FRE_TYPE_MAX)
		return -EBADMSG;
	/* sframe_find_entry() divides by it. */
	if (SFRAME_ATTR_REPEATED(attr->info) && !attr->rep_size)
		return -EBADMSG;
	/* A default FDE without rows marks an outermost frame. */
	if (!attr->nr_fres && (type != SFRAME_FDE_DEFAULT ||
			       SFRAME_ATTR_REPEATED(attr->info)))
		return -ENOENT;
	return 0;
}

/* Read the start address and the information byte of the row at @cursor. */
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
 * Advance @cursor to the row after the current one, whose information byte is
 * @info. The result may be after the end.
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

/* Read the data words that end at @end; @info has their number and size. */
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
 * Read the last of the @nr rows at @cursor that starts at or before @offset,
 * which is relative to the start of the function or block. Rows must ascend, or
 * "the last" has no meaning. The assembler writes several rows with the same
 * start; the last of them counts.
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

/* Call sframe_find_row() with a constant size of start addresses. */
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
 * Read the entry for @offset, an address relative to the start of the table. If
 * the attribute of @entry has no rows, its row is undefined.
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
	/* It fits 32 bits since the size of the function does. */
	entry->offset = (u64)offset - (u64)fde.start;
	entry->from_start = entry->offset;
	entry->at_end = entry->offset == fde.size - 1;
	if (!entry->attr.nr_fres)
		return 0;
	if (SFRAME_ATTR_REPEATED(entry->attr.info))
		entry->offset %= entry->attr.rep_size;
	return sframe_find_any_row(cursor, entry->attr.nr_fres, entry->offset,
				   rows, &entry->row);
}

/* Open the table and read the entry for @offset. */
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

/* Decode @off, the offset of the CFA. */
static int sframe_decode_cfa_offset(s32 *off)
{
	return check_mul_overflow(*off, SFRAME_CFA_SCALE, off) ||
	       check_add_overflow(*off, SFRAME_CFA_ABOVE_SP, off) ? -EBADMSG : 0;
}

/* The place of a value that no data word describes. */
static struct sframe_place sframe_default_place(s8 fixed)
{
	return (struct sframe_place) {
		.kind	= fixed ? SFRAME_CFA_MEMORY : SFRAME_UNCHANGED,
		.off	= fixed,
	};
}

/*
 * Decode a default FDE. The data words are the offsets of CFA, RA and FP,
 * without those that the header fixes. An RA offset of 0 is padding.
 */
static int sframe_decode_default(const struct sframe_view *view,
				 const struct sframe_row *row,
				 struct sframe_rule *rule)
{
	unsigned int count = SFRAME_FRE_WORDS(row->info), i = 1;

	rule->cfa.kind = SFRAME_REG_VALUE;
	rule->cfa.reg = SFRAME_FRE_BASE_IS_SP(row->info) ? SFRAME_REG_SP :
							   SFRAME_REG_FP;
	rule->cfa.off = sframe_offset(row, 0);

	if (!view->fixed_ra && i < count) {
		rule->ra.off = sframe_offset(row, i++);
		if (rule->ra.off)
			rule->ra.kind = SFRAME_CFA_MEMORY;
	}
	if (!view->fixed_fp && i < count) {
		rule->fp.off = sframe_offset(row, i);
		rule->fp.kind = SFRAME_CFA_MEMORY;
	}
	return sframe_decode_cfa_offset(&rule->cfa.off);
}

/*
 * Decode the pair of data words from @i on, store it in @place and advance @i.
 * If there are no more words, or only padding (0), leave @place alone.
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

/* Decode a flexible FDE: a pair of data words each for CFA, RA and FP. */
static int sframe_decode_flexible(const struct sframe_row *row,
				  struct sframe_rule *rule)
{
	unsigned int i = 0;

	rule->cfa = (struct sframe_place) {};
	if (sframe_decode_place(row, &i, &rule->cfa) ||
	    sframe_decode_place(row, &i, &rule->ra) ||
	    sframe_decode_place(row, &i, &rule->fp))
		return -EBADMSG;
	/* The CFA cannot be defined by itself. */
	if (rule->cfa.kind != SFRAME_REG_VALUE &&
	    rule->cfa.kind != SFRAME_REG_MEMORY)
		return -EBADMSG;
	return sframe_decode_cfa_offset(&rule->cfa.off);
}

/* Decode the rule of @entry. */
static int sframe_decode(const struct sframe_view *view,
			 const struct sframe_entry *entry,
			 struct sframe_rule *rule)
{
	rule->signal = SFRAME_ATTR_SIGNAL(entry->attr.info);
	rule->from_start = entry->from_start;
	rule->at_end = entry->at_end;
	/* No rows, or no data words: RA is undefined in an outermost frame. */
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
 * Correct the rule of a repeated block, which linkers get wrong. @first is the
 * rule at the start of the block. See SFRAME_ENTRY_CFA_OFF.
 */
static int sframe_fix_block(struct sframe_rule *rule,
			    const struct sframe_rule *first)
{
	const struct sframe_place entry = {
		.kind	= SFRAME_REG_VALUE,
		.reg	= SFRAME_REG_SP,
		.off	= SFRAME_ENTRY_CFA_OFF,
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

/*
 * Read the rule at the start of the block of @entry, and correct @rule by it.
 */
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
 * sframe_find_rule - look up the rule of an address
 * @view:	the table that describes it; its header is read if necessary
 * @ip:		the address
 * @rows:	how many rows this trace has read; updated
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
 * Check that each row of @entry at @cursor can be decoded and that none starts
 * after the function or block of @size bytes.
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

/* Read FDE @i and its attribute, and set @cursor to its first row. */
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
 * Check FDE @i and its rows. @start is the start of the function before, @rows
 * the number of rows that the functions from here on may have. Update both.
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
	/* No lookup reads these rows. */
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
 * sframe_validate - check all rows of a table
 * @view:	a table of the current process
 *
 * The time is bounded: the functions together cannot have more rows than the
 * header says, nor than fit the section. The caller can sleep and does not hold
 * the mmap lock.
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
