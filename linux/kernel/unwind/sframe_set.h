/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The set of text ranges of a process: what sframe_set.c offers to registration
 * (sframe_register.c) and lookup (sframe.c), and what these two share.
 */
#ifndef _KERNEL_UNWIND_SFRAME_SET_H
#define _KERNEL_UNWIND_SFRAME_SET_H

#include <linux/mm_types.h>
#include <linux/mmap_lock.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/seqlock.h>
#include <linux/sframe_types.h>
#include <linux/types.h>

/**
 * struct sframe_set - the set of registered text ranges of one or several mms
 * @users:	number of mms that have the set; it changes only while this is 1
 * @forked:	the set once had another user, whose readers may still search it
 * @no_vdso:	the table of the vDSO was removed
 * @copy_denied: there was no memory for the last copy that a user has wanted;
 *		it means nothing while the set is not shared
 * @order:	the order of unwinders that the process has chosen; 0: none
 * @changes:	sequence count of @texts
 * @texts:	tree of struct sframe_text by text address; searched under RCU
 * @tables:	tree of the same entries by table address
 * @spare:	a dropped entry, to be used for the next addition, or NULL
 * @nr_texts:	number of entries of either tree
 * @clear_from:	start of a range that contains no text and no table
 * @clear_to:	its end; found by the last munmap() that dropped nothing
 * @generation:	changes when a text range is dropped, and no other set ever has
 *		it; 0 in sframe_lost[] only, for which no rules are cached
 * @rcu:	to free the set when no reader can search it any more
 *
 * Allocated by the first registration or choice, or by the removal of the vDSO's
 * table; freed with the last user.
 */
struct sframe_set {
	refcount_t	users;
	bool		forked;
	bool		no_vdso;
	bool		copy_denied;
	u16		order;
	seqcount_t	changes;
	struct rb_root	texts;
	struct rb_root	tables;
	struct sframe_text *spare;
	unsigned int	nr_texts;
	unsigned long	clear_from;
	unsigned long	clear_to;
	u64		generation;
	struct rcu_head	rcu;
};

/**
 * struct sframe_text - a text range and the table that describes it
 * @view:	ranges of text and table, and the header; constant in a tree
 * @by_text:	node in sframe_set.texts; texts do not overlap
 * @by_table:	node in sframe_set.tables; two tables are equal or do not overlap
 * @rcu:	to free the entry, once it is in no tree; readers may still use
 *		@view and @by_text
 */
struct sframe_text {
	struct sframe_view	view;
	struct rb_node		by_text;
	union {
		struct rb_node	by_table;
		struct rcu_head	rcu;
	};
};

/**
 * struct sframe_spot - the position of a range in a tree
 * @found:	an entry that overlaps the range, or NULL
 * @link:	if there is none, the link at which to insert the range
 * @parent:	the node that contains @link, or NULL
 */
struct sframe_spot {
	struct sframe_text	*found;
	struct rb_node		**link;
	struct rb_node		*parent;
};

/* The positions of a text range and of its table in a set. */
struct sframe_spots {
	struct sframe_spot	text;
	struct sframe_spot	table;
};

/* The set of @mm, which is locked, or NULL. */
static inline struct sframe_set *sframe_locked_set(const struct mm_struct *mm)
{
	mmap_assert_locked(mm);
	return rcu_dereference_protected(mm->sframe_set, true);
}

struct sframe_text *sframe_first_text(struct sframe_set *set,
				      unsigned long from);
struct sframe_text *sframe_find_table(struct sframe_set *set,
				      unsigned long start, unsigned long size);
void sframe_find_spots(struct sframe_set *set, const struct sframe_view *view,
		       struct sframe_spots *spots);
int sframe_new_text(struct sframe_set *set, const struct sframe_view *view,
		    const struct sframe_spots *spots, gfp_t gfp);
u64 sframe_new_id(void);
struct sframe_set *sframe_get_own(struct mm_struct *mm, gfp_t gfp);
bool sframe_copy_denied(const struct mm_struct *mm);
int sframe_drop_table(struct mm_struct *mm, unsigned long start, gfp_t gfp);
int sframe_try_view(struct mm_struct *mm, unsigned long ip,
		    struct sframe_view *view);

/* sframe.c: the table of the vDSO counts as registered until it is removed. */
bool sframe_removed_vdso(const struct mm_struct *mm);
bool sframe_has_vdso(struct mm_struct *mm, struct sframe_view *vdso);
int sframe_forget(struct mm_struct *mm, unsigned long start, gfp_t gfp);

#endif /* _KERNEL_UNWIND_SFRAME_SET_H */
