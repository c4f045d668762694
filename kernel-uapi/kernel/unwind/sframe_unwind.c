// SPDX-License-Identifier: GPL-2.0-only
/*
 * SFrame tables of a process: header, the rule of an address, a step by it.
 *
 * Nothing in a table is trusted.  Each access goes through sframe_read(),
 * which keeps it inside the table and copies it out of user memory; nothing
 * is looked at twice in place.  The copies may fault and sleep, but no access
 * to user memory is open while anything else is done.  How many rows one trace
 * may look at is limited.
 *
 * Errors: -ENOENT if a table has nothing to say, -EFAULT if it or the stack
 * cannot be read, -EBADMSG if it contradicts the format, -EINVAL if what it
 * says makes no sense for the stack, -ENODATA if it takes FP and that is lost,
 * -E2BIG if it is too much work.
 */
#define pr_fmt(fmt) "sframe: " fmt

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/sframe.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>
#include <linux/unwind_user.h>

#include <asm/unwind_user_sframe.h>

#include "sframe.h"

/*
 * Rows that one trace may look at: some 500 for each frame of the longest one,
 * where most functions have fewer than 20.
 */
#define SFRAME_ROWS_MAX		BIT(18)

/*
 * FDEs of functions without bytes, which may lie in front of the one that is
 * wanted; the assembler writes them, and in any order among equals.
 */
#define SFRAME_EMPTY_FDES_MAX	16

/* No ABI has more DWARF registers. */
#define SFRAME_REG_MAX		127

/* Some rows at a time are copied; more would be read in vain. */
#define SFRAME_WINDOW		256

/* A row: its information byte and the data words that this announces. */
struct sframe_row {
	u8	info;
	u8	data[SFRAME_FRE_DATA_MAX];
};

/*
 * A look at a table's rows: @at is the offset, from the table's start, of the
 * next byte; @pos the same byte in @buf, of which @len are valid.
 */
struct sframe_window {
	const struct sframe_view	*view;
	u64				at;
	unsigned int			pos;
	unsigned int			len;
	u8				buf[SFRAME_WINDOW];
};

/**
 * sframe_parse_header - check the header of a section
 * @header:	a copy of it
 * @start:	its user address
 * @size:	bytes of the section, which do not wrap
 * @view:	where to say what is in it
 *
 * No sum below can wrap: each has at most four terms under 2^37.
 *
 * Return: 0, or -EINVAL for a section that cannot be used.
 */
int sframe_parse_header(const struct sframe_header *header,
			unsigned long start, unsigned long size,
			struct sframe_view *view)
{
	u64 base = sizeof(*header) + (u64)header->aux_len;
	u64 fdes = base + header->fde_off;
	u64 fdes_end = fdes + (u64)header->nr_fdes * sizeof(struct sframe_fde);
	u64 fres = base + header->fre_off;

	if (header->magic != SFRAME_MAGIC ||
	    header->version != SFRAME_VERSION_3 ||
	    header->abi != SFRAME_ABI ||
	    (header->flags & ~SFRAME_F_ALL) ||
	    !(header->flags & SFRAME_F_FDE_SORTED) ||
	    !header->nr_fdes)
		return -EINVAL;
	if (fdes_end > fres || fres + header->fre_len > size || fdes % 4)
		return -EINVAL;
	/* A row has at least a byte each of start and information. */
	if (sizeof(struct sframe_attr) + (u64)header->nr_fres * 2 >
	    header->fre_len)
		return -EINVAL;

	*view = (struct sframe_view) {
		.start		= start,
		.size		= size,
		.fdes		= fdes,
		.fres		= fres,
		.nr_fdes	= header->nr_fdes,
		.nr_fres	= header->nr_fres,
		.fre_len	= header->fre_len,
		.flags		= header->flags,
		.fixed_fp	= header->fixed_fp,
		.fixed_ra	= header->fixed_ra,
	};
	return 0;
}

/*
 * Copy up to @len bytes at offset @off of the table.  Return how many there
 * were before the table or the memory ended.
 */
static unsigned int sframe_copy(const struct sframe_view *view, u64 off,
				void *to, unsigned int len)
{
	if (off >= view->size)
		return 0;
	len = min_t(u64, len, view->size - off);
	return len - copy_from_user(to, (void __user *)(view->start + off),
				    len);
}

/* Copy all of the @len bytes at offset @off of the table. */
static int sframe_read(const struct sframe_view *view, u64 off, void *to,
		       unsigned int len)
{
	if (off > view->size || len > view->size - off)
		return -EBADMSG;
	return sframe_copy(view, off, to, len) == len ? 0 : -EFAULT;
}

/* Begin at offset @off.  The buffer, which is large, is left as it is. */
static void sframe_open_window(struct sframe_window *window,
			       const struct sframe_view *view, u64 off)
{
	window->view = view;
	window->at = off;
	window->pos = 0;
	window->len = 0;
}

/* The next @len bytes, fewer than a window; the rows end where no more come. */
static const u8 *sframe_take(struct sframe_window *window, unsigned int len)
{
	const struct sframe_view *view = window->view;
	u64 end = view->fres + view->fre_len;

	if (window->len - window->pos < len) {
		if (len > end - window->at)
			return ERR_PTR(-EBADMSG);
		window->pos = 0;
		window->len = sframe_copy(view, window->at, window->buf,
					  min_t(u64, SFRAME_WINDOW,
						end - window->at));
		if (window->len < len)
			return ERR_PTR(-EFAULT);
	}
	window->pos += len;
	window->at += len;
	return window->buf + window->pos - len;
}

/* Load 1 << @log2_size bytes at @p. */
static u32 sframe_load(const u8 *p, unsigned int log2_size)
{
	switch (log2_size) {
	case 0:
		return *p;
	case 1:
		return get_unaligned((u16 *)p);
	default:
		return get_unaligned((u32 *)p);
	}
}

/* Take the start of a row and its information byte. */
static int sframe_next_start(struct sframe_window *window, unsigned int type,
			     u32 *start, u8 *info)
{
	unsigned int len = (1U << type) + 1;
	const u8 *p = sframe_take(window, len);

	if (IS_ERR(p))
		return PTR_ERR(p);
	*start = sframe_load(p, type);
	*info = p[len - 1];
	return 0;
}

/* Take the words of a row, which @info announces. */
static int sframe_next_words(struct sframe_window *window, u8 info,
			     struct sframe_row *row)
{
	unsigned int len = SFRAME_FRE_WORDS(info) << SFRAME_FRE_WORD_SIZE(info);
	const u8 *p;

	if (SFRAME_FRE_WORD_SIZE(info) > SFRAME_FRE_WORD_SIZE_MAX)
		return -EBADMSG;
	p = sframe_take(window, len);
	if (IS_ERR(p))
		return PTR_ERR(p);
	row->info = info;
	memcpy(row->data, p, len);
	return 0;
}

/*
 * Scan the rows of @attr, which follow it at offset @off, for the last that
 * starts at or before @offset, which counts from the start of the function or
 * block.  Rows must ascend, or "the last" would mean nothing; of equal ones,
 * which the assembler writes, the last counts.  @first is the row of offset 0,
 * if there is one.
 */
static int sframe_find_row(const struct sframe_view *view, u64 off,
			   const struct sframe_attr *attr, u32 offset,
			   unsigned int *rows, struct sframe_row *first,
			   struct sframe_row *found)
{
	struct sframe_window window;
	u32 start, previous = 0;
	bool any = false;
	int ret;
	u8 info;

	sframe_open_window(&window, view, off);
	for (unsigned int i = 0; i < attr->nr_fres; i++) {
		if ((*rows)++ >= SFRAME_ROWS_MAX)
			return -E2BIG;
		ret = sframe_next_start(&window,
					SFRAME_ATTR_FRE_TYPE(attr->info),
					&start, &info);
		if (ret)
			return ret;
		if (start < previous)
			return -EBADMSG;
		if (start > offset)
			break;
		ret = sframe_next_words(&window, info, found);
		if (ret)
			return ret;
		if (!start)
			*first = *found;
		previous = start;
		any = true;
	}
	return any ? 0 : -ENOENT;
}

/* Data word @i of @row as it is, and as an offset; the row has it. */
static u32 sframe_word(const struct sframe_row *row, unsigned int i)
{
	unsigned int size = SFRAME_FRE_WORD_SIZE(row->info);

	return sframe_load(row->data + (i << size), size);
}

static s32 sframe_offset(const struct sframe_row *row, unsigned int i)
{
	return sign_extend32(sframe_word(row, i),
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
	control = sframe_word(row, (*i)++);
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

/* Decode @row of a function of type @type. */
static int sframe_decode(const struct sframe_view *view, unsigned int type,
			 const struct sframe_row *row, struct sframe_rule *rule)
{
	/* No words: RA is undefined, as nobody called. */
	rule->outermost = !SFRAME_FRE_WORDS(row->info);
	if (rule->outermost)
		return 0;
	rule->ra = sframe_default_place(view->fixed_ra);
	rule->fp = sframe_default_place(view->fixed_fp);
	if (type == SFRAME_FDE_FLEXIBLE)
		return sframe_decode_flexible(row, rule);
	return sframe_decode_default(view, row, rule);
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

/*
 * Read FDE @i.  Its start is made one from the table's start; where that
 * wraps it is that of some other function, as in any wrong table.
 */
static int sframe_read_fde(const struct sframe_view *view, u32 i,
			   struct sframe_fde *fde)
{
	u64 off = view->fdes + (u64)i * sizeof(*fde);
	int ret = sframe_read(view, off, fde, sizeof(*fde));

	if (!ret && view->flags & SFRAME_F_FDE_START_PCREL)
		fde->start = (s64)((u64)fde->start + off);
	return ret;
}

/* Find the last FDE that has bytes and starts at or before @offset. */
static int sframe_find_fde(const struct sframe_view *view, s64 offset,
			   struct sframe_fde *fde)
{
	u32 low = 0, high = view->nr_fdes, i;
	s64 start;
	int ret;

	/* FDEs below @low start at or before @offset, those from @high not. */
	while (low < high) {
		i = low + (high - low) / 2;
		ret = sframe_read_fde(view, i, fde);
		if (ret)
			return ret;
		if (fde->start <= offset)
			low = i + 1;
		else
			high = i;
	}
	if (!low)
		return -ENOENT;

	i = low - 1;
	ret = sframe_read_fde(view, i, fde);
	start = fde->start;
	for (int n = 0; !ret && !fde->size && i && n < SFRAME_EMPTY_FDES_MAX; n++) {
		ret = sframe_read_fde(view, --i, fde);
		if (!ret && fde->start != start)
			return -ENOENT;
	}
	if (ret)
		return ret;
	return (u64)offset - (u64)fde->start < fde->size ? 0 : -ENOENT;
}

/* Read the attribute of @fde and check what is the same for all functions. */
static int sframe_read_attr(const struct sframe_view *view,
			    const struct sframe_fde *fde,
			    struct sframe_attr *attr)
{
	unsigned int type;

	if (view->fre_len < sizeof(*attr) ||
	    fde->attr_off > view->fre_len - sizeof(*attr))
		return -EBADMSG;
	if (sframe_read(view, view->fres + fde->attr_off, attr, sizeof(*attr)))
		return -EFAULT;

	/* This is where the format may grow: not an error. */
	type = SFRAME_ATTR_FDE_TYPE(attr->info2);
	if (type > SFRAME_FDE_FLEXIBLE)
		return -ENOENT;
	if (SFRAME_ATTR_FRE_TYPE(attr->info) > SFRAME_FRE_TYPE_MAX)
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

/**
 * sframe_find_rule - look up how to unwind from an address
 * @view:	the table that describes it
 * @ip:		the address
 * @rows:	how many rows this trace has looked at; counted up
 * @rule:	where to store the rule; undefined on error
 *
 * Return: 0, or an error as listed where this file begins.
 */
int sframe_find_rule(const struct sframe_view *view, unsigned long ip,
		     unsigned int *rows, struct sframe_rule *rule)
{
	struct sframe_rule first_rule;
	struct sframe_row first, row;
	struct sframe_attr attr;
	struct sframe_fde fde;
	unsigned int type;
	u32 offset;
	int ret;

	ret = sframe_find_fde(view, (s64)(ip - view->start), &fde) ?:
	      sframe_read_attr(view, &fde, &attr);
	if (ret)
		return ret;
	/* It fits 32 bits as the size of the function does. */
	offset = ip - view->start - (u64)fde.start;
	rule->signal = SFRAME_ATTR_SIGNAL(attr.info);
	rule->at_end = offset == fde.size - 1;
	rule->outermost = !attr.nr_fres;
	if (rule->outermost)
		return 0;

	if (SFRAME_ATTR_REPEATED(attr.info))
		offset %= attr.rep_size;
	/* No words, should there be no such row. */
	first.info = 0;
	ret = sframe_find_row(view, view->fres + fde.attr_off + sizeof(attr),
			      &attr, offset, rows, &first, &row);
	if (ret)
		return ret;

	type = SFRAME_ATTR_FDE_TYPE(attr.info2);
	ret = sframe_decode(view, type, &row, rule);
	if (ret || !SFRAME_ATTR_REPEATED(attr.info))
		return ret;
	ret = sframe_decode(view, type, &first, &first_rule);
	return ret ?: sframe_fix_block(rule, &first_rule);
}

#ifdef CONFIG_SFRAME_VALIDATION

/*
 * Check the rows of @attr at offset @off: that each can be decoded, and that
 * none starts behind the function or block of @size bytes.
 */
static int sframe_check_rows(const struct sframe_view *view, u64 off,
			     const struct sframe_attr *attr, u32 size)
{
	struct sframe_window window;
	struct sframe_rule rule;
	struct sframe_row row;
	u32 start, previous = 0;
	int ret;
	u8 info;

	sframe_open_window(&window, view, off);
	for (unsigned int i = 0; i < attr->nr_fres; i++) {
		ret = sframe_next_start(&window,
					SFRAME_ATTR_FRE_TYPE(attr->info),
					&start, &info);
		if (!ret)
			ret = sframe_next_words(&window, info, &row);
		if (!ret)
			ret = sframe_decode(view,
					    SFRAME_ATTR_FDE_TYPE(attr->info2),
					    &row, &rule);
		if (ret)
			return ret;
		if (start < previous || start > size)
			return -EBADMSG;
		previous = start;
	}
	return 0;
}

/*
 * Check FDE @i and its rows.  @start is where the function before starts, and
 * @rows how many the functions from here on may have; both are updated.
 */
static int sframe_check_fde(const struct sframe_view *view, u32 i, s64 *start,
			    u32 *rows)
{
	struct sframe_attr attr;
	struct sframe_fde fde;
	int ret;

	ret = sframe_read_fde(view, i, &fde);
	if (ret || fde.start < *start)
		return ret ?: -EBADMSG;
	*start = fde.start;
	ret = sframe_read_attr(view, &fde, &attr);
	/* Nobody will look at the rows. */
	if (ret == -ENOENT)
		return 0;
	if (ret || attr.nr_fres > *rows)
		return ret ?: -EBADMSG;
	*rows -= attr.nr_fres;
	return sframe_check_rows(view,
				 view->fres + fde.attr_off + sizeof(attr),
				 &attr, SFRAME_ATTR_REPEATED(attr.info) ?
				 attr.rep_size : fde.size);
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
	return -ENOENT;
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
 * the call itself did.  What a signal interrupted may be on another stack.
 */
static bool sframe_sp_ok(const struct unwind_user_state *state,
			 const struct sframe_rule *rule, unsigned long sp)
{
	if (rule->signal)
		return true;
	if (SFRAME_CFA_ABOVE_SP && (state->topmost || state->interrupted))
		return sp >= state->sp;
	return sp > state->sp;
}

/* Step from @state to the frame that called it. */
static int sframe_step(struct unwind_user_state *state,
		       const struct sframe_rule *rule)
{
	unsigned long cfa, ra, fp = state->fp;
	int ret;

	ret = sframe_recover(state, &rule->cfa, 0, &cfa);
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

/* Look up how to unwind from @state. */
static int sframe_lookup(const struct unwind_user_state *state,
			 unsigned int *rows, struct sframe_rule *rule)
{
	struct sframe_view view;
	unsigned long ip = state->ip;
	int ret;

	/* A call that never returns may have its return address elsewhere. */
	if ((!state->topmost && !state->interrupted) || state->ip_behind)
		ip--;
	if (!sframe_find_view(ip, &view))
		return -ENOENT;
	ret = sframe_find_rule(&view, ip, rows, rule);
	if (ret == -EBADMSG)
		sframe_drop_corrupt(&view);
	return ret;
}

/* Whether there is code at @ip.  Tables are of executable mappings only. */
static bool sframe_is_code(unsigned long ip)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	struct sframe_view view;
	bool code;

	if (sframe_find_view(ip, &view))
		return true;
	if (mmap_read_lock_killable(mm))
		return false;
	vma = vma_lookup(mm, ip);
	code = vma && vma->vm_flags & VM_EXEC;
	mmap_read_unlock(mm);
	return code;
}

/**
 * __sframe_guess_ok - whether a frame can be one that no table tells of
 * @ip:		where it would return to
 *
 * Code without a table may have no frame pointers either.  What is taken for
 * a frame is data then, and a wrong frame is worse than a trace that ends.
 *
 * Return: whether a call or a signal can have left @ip there.
 */
bool __sframe_guess_ok(unsigned long ip)
{
	return sframe_is_code(ip - 1) && sframe_arch_return_ok(ip);
}

/*
 * Step from where there is no code to the call that has led there.  Nothing
 * was executed since, so that what applies right after a call does.
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

	if (!ret && !__sframe_guess_ok(state->ip)) {
		*state = nowhere;
		ret = -EINVAL;
	}
	return ret;
}

/**
 * sframe_unwind_next - step to the calling frame by an SFrame table
 * @state:	the frame; on return, the one that called it
 *
 * A frame that has no caller ends the walk: @state is done then.
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
	ret = sframe_lookup(state, &state->sframe_rows, &rule);
	/*
	 * A signal restorer may have no rule, or, as it was not called, that
	 * of the function which ends in front of it.
	 */
	if (ret == -ENOENT || (!ret && (rule.signal || rule.at_end))) {
		signal = sframe_arch_signal(state);
		if (signal != -ENOENT)
			return signal;
	}
	if (ret == -ENOENT && (state->topmost || state->interrupted) &&
	    !sframe_is_code(state->ip))
		return sframe_leave_nowhere(state);
	if (ret)
		return ret;

	if (rule.outermost) {
		state->done = true;
		return 0;
	}
	ret = sframe_step(state, &rule);
	if (ret != -ENODATA)
		return ret;
	/* Any other way to go on would be a guess. */
	state->done = true;
	return 0;
}
