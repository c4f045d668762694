// SPDX-License-Identifier: GPL-2.0-only
/*
 * The set of text ranges of a process, and what munmap, fork and exit do to it.
 * It is two trees, which are searched under RCU.
 *
 * The trees have the same entries, ordered by the addresses of the texts, and
 * by those of their tables, so that unmapping a table finds its texts. Writers
 * hold the mmap lock for writing. A maple tree would take nodes of 256 bytes
 * even for ranges of a few bytes; here a process pays only for what it
 * registers.
 *
 * fork() shares the set. A set with more than one user never changes: an mm
 * that needs to change it makes a copy first.
 *
 * The unwinder searches the tree of texts under RCU, without the mmap lock. If
 * the tree changes meanwhile, the search may have gone wrong or have read a
 * node that is being reused. A sequence count detects that, and the search is
 * repeated; likewise if the mm has another set by then, since the old one may
 * have been changed by its other user.
 *
 * A reader copies the description of a table (struct sframe_view) and leaves
 * the RCU section before it reads user memory. So a page that never arrives,
 * from FUSE or userfaultfd, delays no grace period. When the reader uses the
 * copy, the table may have been unmapped; all that is read is checked, and the
 * worst result is a wrong trace of a task that unmaps the code it executes.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm_types.h>
#include <linux/mmap_lock.h>
#include <linux/preempt.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/sframe.h>
#include <linux/slab.h>

#include "sframe_cache.h"
#include "sframe_set.h"

/*
 * For a copy of a set that the program has not requested: the OOM killer must
 * not end the process for it.
 */
#define SFRAME_GFP_UNMAP	(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | \
				 __GFP_NOWARN)

/* The last generation of any set. Only sframe_lost[] have generation 0. */
static atomic64_t sframe_last_generation = ATOMIC64_INIT(0);

/* The last sframe_view.id of any set, but for that of the vDSO. */
static atomic64_t sframe_last_id = ATOMIC64_INIT(0);

/*
 * Begin to change the tree of texts. A search that runs meanwhile is repeated.
 * A search that begins meanwhile spins until sframe_end_change(), so preemption
 * is disabled.
 */
static void sframe_begin_change(struct sframe_set *set)
{
	preempt_disable();
	write_seqcount_begin(&set->changes);
}

static void sframe_end_change(struct sframe_set *set)
{
	write_seqcount_end(&set->changes);
	preempt_enable();
}

/*
 * Begin a new generation of @set, which invalidates all cached rules.
 * Pairs with the acquire load in sframe_try_view(): a reader that sees the new
 * generation no longer finds the range that the caller has dropped.
 */
static void sframe_renew(struct sframe_set *set)
{
	/* Orders the drop before the new generation, see above. */
	smp_store_release(&set->generation,
			  atomic64_inc_return(&sframe_last_generation));
}

/*
 * Find the first text range that ends after @from. The caller holds the mmap
 * lock, so that the result stays valid.
 */
struct sframe_text *sframe_first_text(struct sframe_set *set,
				      unsigned long from)
{
	struct rb_node *node = set->texts.rb_node;
	struct sframe_text *first = NULL;

	while (node) {
		struct sframe_text *text =
			rb_entry(node, struct sframe_text, by_text);

		if (from < text->view.text + text->view.text_size) {
			first = text;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return first;
}

/* Find the first text range that overlaps the @size bytes at @start. */
static struct sframe_text *sframe_find_text(struct sframe_set *set,
					    unsigned long start,
					    unsigned long size)
{
	struct sframe_text *text = sframe_first_text(set, start);

	return text && text->view.text < start + size ? text : NULL;
}

/* Find any text range whose table overlaps the @size bytes at @start. */
struct sframe_text *sframe_find_table(struct sframe_set *set,
				      unsigned long start, unsigned long size)
{
	struct rb_node *node = set->tables.rb_node;

	while (node) {
		struct sframe_text *text =
			rb_entry(node, struct sframe_text, by_table);
		const struct sframe_view *view = &text->view;

		if (start + size <= view->start)
			node = node->rb_left;
		else if (start >= view->start + view->size)
			node = node->rb_right;
		else
			return text;
	}
	return NULL;
}

/*
 * Find the position in the tree at @root of the text of @view, or of its table
 * if @table is set; *@spot is zero before. The result serves both to look up and
 * to insert, so that a registration descends each tree only once.
 */
static __always_inline void sframe_find_spot(struct rb_root *root, bool table,
					     const struct sframe_view *view,
					     struct sframe_spot *spot)
{
	unsigned long start = table ? view->start : view->text;
	unsigned long end = start + (table ? view->size : view->text_size);
	struct rb_node **link = &root->rb_node;

	while (*link && !spot->found) {
		struct sframe_text *text = table ?
			rb_entry(*link, struct sframe_text, by_table) :
			rb_entry(*link, struct sframe_text, by_text);
		unsigned long low = table ? text->view.start : text->view.text;
		unsigned long high = low + (table ? text->view.size :
						    text->view.text_size);

		spot->parent = *link;
		if (end <= low)
			link = &spot->parent->rb_left;
		else if (start >= high)
			link = &spot->parent->rb_right;
		else
			spot->found = text;
	}
	spot->link = link;
}

/* Find the positions of @view in @set, which may be NULL. */
void sframe_find_spots(struct sframe_set *set, const struct sframe_view *view,
		       struct sframe_spots *spots)
{
	*spots = (struct sframe_spots) {};
	if (!set)
		return;
	sframe_find_spot(&set->texts, false, view, &spots->text);
	sframe_find_spot(&set->tables, true, view, &spots->table);
}

/* Return an ID for a table, which no other table has had. */
u64 sframe_new_id(void)
{
	return atomic64_inc_return(&sframe_last_id);
}

static bool sframe_table_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct sframe_text, by_table)->view.start <
	       rb_entry(b, struct sframe_text, by_table)->view.start;
}

/*
 * Insert the text range of @view, which overlaps no other, at @spots. Return 0
 * or -ENOMEM.
 */
int sframe_new_text(struct sframe_set *set, const struct sframe_view *view,
		    const struct sframe_spots *spots, gfp_t gfp)
{
	struct sframe_text *text = set->spare;

	if (!text)
		text = kmalloc_obj(*text, gfp);
	if (!text)
		return -ENOMEM;
	set->spare = NULL;
	sframe_begin_change(set);
	/* Within the change: readers may still use the spare entry. */
	text->view = *view;
	rb_link_node_rcu(&text->by_text, spots->text.parent, spots->text.link);
	/*
	 * A rotation links the entry a second time, by a plain store, which
	 * must not overtake those above. Pairs with the address dependency in
	 * sframe_search().
	 */
	smp_wmb();
	rb_insert_color(&text->by_text, &set->texts);
	sframe_end_change(set);
	if (spots->table.found) {
		rb_add(&text->by_table, &set->tables, sframe_table_less);
	} else {
		rb_link_node(&text->by_table, spots->table.parent,
			     spots->table.link);
		rb_insert_color(&text->by_table, &set->tables);
	}
	set->nr_texts++;
	set->clear_to = 0;
	return 0;
}

static void sframe_drop(struct sframe_set *set, struct sframe_text *text)
{
	sframe_begin_change(set);
	rb_erase(&text->by_text, &set->texts);
	sframe_end_change(set);
	sframe_renew(set);
	rb_erase(&text->by_table, &set->tables);
	set->nr_texts--;
	/* Loading and unloading an object repeatedly then allocates nothing. */
	if (!set->spare)
		set->spare = text;
	else
		kfree_rcu(text, rcu);
}

/* Free @text, which may be NULL, of a set without users. */
static void sframe_free_text(struct sframe_text *text, bool forked)
{
	if (forked && text)
		kfree_rcu(text, rcu);
	else
		kfree(text);
}

/*
 * Drop one user of @set, and free the set after the last one. A set that had
 * only one user has no readers then: the last user has no threads left.
 */
static void sframe_put(struct sframe_set *set)
{
	struct sframe_text *text, *next;
	bool forked;

	if (!refcount_dec_and_test(&set->users))
		return;
	/*
	 * @forked was set before the other user could put the set;
	 * refcount_dec_and_test() orders that store before this load.
	 */
	forked = READ_ONCE(set->forked);
	rbtree_postorder_for_each_entry_safe(text, next, &set->tables,
					     by_table)
		sframe_free_text(text, forked);
	sframe_free_text(set->spare, forked);
	if (forked)
		kfree_rcu(set, rcu);
	else
		kfree(set);
}

/*
 * Copy the text ranges of @old to @set, which is not published yet. Goes on
 * if the task is being killed: another task may share its mm and need them.
 */
static int sframe_copy(struct sframe_set *set, const struct sframe_set *old,
		       gfp_t gfp)
{
	const struct sframe_view *view;
	struct sframe_spots spots;
	struct rb_node *node;
	int ret = 0;

	for (node = rb_first(&old->texts); node && !ret; node = rb_next(node)) {
		cond_resched();
		view = &rb_entry(node, struct sframe_text, by_text)->view;
		sframe_find_spots(set, view, &spots);
		ret = sframe_new_text(set, view, &spots, gfp);
	}
	return ret;
}

static bool sframe_is_shared(const struct sframe_set *set)
{
	if (refcount_read(&set->users) > 1)
		return true;
	/*
	 * Pairs with the release of refcount_dec_and_test() in sframe_put():
	 * the other user has read the set, and has left it, before the caller
	 * changes it. A full barrier, so that a reader that sees the change
	 * also sees that the mm of the other user has another set: see
	 * sframe_was_stable() and __sframe_order().
	 */
	smp_mb();
	return false;
}

/*
 * Make a set without text ranges, otherwise like @old, which may be NULL.
 * Return NULL if there is no memory.
 */
static struct sframe_set *sframe_new_set(const struct sframe_set *old,
					 gfp_t gfp)
{
	struct sframe_set *set = kzalloc_obj(*set, gfp);

	if (!set)
		return NULL;
	refcount_set(&set->users, 1);
	seqcount_init(&set->changes);
	set->texts = RB_ROOT;
	set->tables = RB_ROOT;
	sframe_renew(set);
	if (old) {
		set->no_vdso = old->no_vdso;
		set->order = old->order;
	}
	return set;
}

/* Give @set, with a reference, to @mm, which is locked for writing. */
static void sframe_publish(struct mm_struct *mm, struct sframe_set *set)
{
	struct sframe_set *old = sframe_locked_set(mm);

	/*
	 * Pairs with the dependent reads in sframe_try_view(),
	 * sframe_generation(), __sframe_order() and __sframe_has_tables().
	 */
	rcu_assign_pointer(mm->sframe_set, set);
	if (old)
		sframe_put(old);
}

/*
 * Return the set of @mm, which is locked for writing, for changing it. Make a
 * set if @mm has none, and a copy if @mm shares it. Return NULL and change
 * nothing if there is no memory.
 */
struct sframe_set *sframe_get_own(struct mm_struct *mm, gfp_t gfp)
{
	struct sframe_set *old = sframe_locked_set(mm), *set;

	if (old && !sframe_is_shared(old))
		return old;
	set = sframe_new_set(old, gfp);
	if (set && old && sframe_copy(set, old, gfp)) {
		sframe_put(set);
		set = NULL;
	}
	/* sframe_lost[] has no texts: it does not change. */
	if (old && old->nr_texts)
		WRITE_ONCE(old->copy_denied, !set);
	if (set)
		sframe_publish(mm, set);
	return set;
}

/*
 * Whether @mm shares its set, and there was no memory for the last copy that
 * one of its users wanted. Then no trace tries to make one: as many allocations
 * as there are ranges, all but the last in vain.
 */
bool sframe_copy_denied(const struct mm_struct *mm)
{
	const struct sframe_set *set;

	guard(rcu)();
	set = rcu_dereference(mm->sframe_set);
	return set && READ_ONCE(set->copy_denied) &&
	       refcount_read(&set->users) > 1;
}

/*
 * Drop all text ranges of the table at @start. Return their number or -ENOMEM.
 */
int sframe_drop_table(struct mm_struct *mm, unsigned long start, gfp_t gfp)
{
	struct sframe_set *set = sframe_locked_set(mm);
	struct sframe_text *text;
	int count = 0;

	text = set ? sframe_find_table(set, start, 1) : NULL;
	if (!text || text->view.start != start)
		return 0;
	set = sframe_get_own(mm, gfp);
	if (!set)
		return -ENOMEM;
	for (; (text = sframe_find_table(set, start, 1)); count++)
		sframe_drop(set, text);
	return count;
}

/*
 * Return whether the tree at @root has a text, or a table if @tables is set, in
 * the memory from *@from up to *@to. If not, extend *@from and *@to to the
 * nearest entries on both sides.
 */
static __always_inline bool sframe_meets(const struct rb_root *root,
					 bool tables, unsigned long *from,
					 unsigned long *to)
{
	const unsigned long start = *from, end = *to;
	const struct rb_node *node = root->rb_node;

	*from = 0;
	*to = ULONG_MAX;
	while (node) {
		const struct sframe_view *view = tables ?
			&rb_entry(node, struct sframe_text, by_table)->view :
			&rb_entry(node, struct sframe_text, by_text)->view;
		unsigned long low = tables ? view->start : view->text;
		unsigned long high =
			low + (tables ? view->size : view->text_size);

		if (end > low && start < high)
			return true;
		if (end <= low)
			*to = low;
		else
			*from = high;
		node = end <= low ? node->rb_left : node->rb_right;
	}
	return false;
}

/*
 * Whether @set has no text and no table from @start up to @end. Programs
 * often unmap memory in the same places, so the free range found is cached,
 * except in a shared set, which must not change.
 */
static bool sframe_is_clear(struct sframe_set *set, unsigned long start,
			    unsigned long end)
{
	unsigned long from = start, to = end, table_from = start, table_to = end;

	if (start >= set->clear_from && end <= set->clear_to)
		return true;
	if (sframe_meets(&set->texts, false, &from, &to) ||
	    sframe_meets(&set->tables, true, &table_from, &table_to))
		return false;
	if (!sframe_is_shared(set)) {
		set->clear_from = max(from, table_from);
		set->clear_to = min(to, table_to);
	}
	return true;
}

/* Drop all ranges whose text or table overlaps the @size bytes at @start. */
static void sframe_drop_range(struct sframe_set *set, unsigned long start,
			      unsigned long size)
{
	struct sframe_text *text = sframe_find_text(set, start, size);

	while (text) {
		struct rb_node *next = rb_next(&text->by_text);

		sframe_drop(set, text);
		text = rb_entry_safe(next, struct sframe_text, by_text);
		if (text && text->view.text >= start + size)
			text = NULL;
	}
	while ((text = sframe_find_table(set, start, size)))
		sframe_drop(set, text);
}

/*
 * Sets of processes that have lost their tables, with and without that of the
 * vDSO. They never change, since they always have another user.
 */
static struct sframe_set sframe_lost[] = {
	[false]	= {
		.users		= REFCOUNT_INIT(1),
		.forked		= true,
		.changes	= SEQCNT_ZERO(sframe_lost[false].changes),
	},
	[true]	= {
		.users		= REFCOUNT_INIT(1),
		.forked		= true,
		.no_vdso	= true,
		.changes	= SEQCNT_ZERO(sframe_lost[true].changes),
	},
};

/*
 * Take all text ranges from @mm, which shares its set. The memory limit does
 * not apply to the few bytes of an empty set. Without memory even for these,
 * @mm loses its choice of unwinders, too.
 */
static void sframe_lose(struct mm_struct *mm)
{
	struct sframe_set *old = sframe_locked_set(mm), *set;

	set = sframe_new_set(old, SFRAME_GFP_UNMAP | __GFP_HIGH);
	if (!set) {
		set = &sframe_lost[old->no_vdso];
		refcount_inc(&set->users);
	}
	sframe_publish(mm, set);
}

/**
 * __sframe_unmap - drop the texts and tables in memory that was unmapped
 * @mm:		locked for writing
 * @start:	first address
 * @end:	address after the last
 *
 * A range that overlaps the memory is dropped as a whole: its object is being
 * unloaded. If the set is shared and there is no memory for a copy, @mm loses
 * all registrations: munmap() can no longer fail, and no table may describe
 * what is mapped there next.
 */
void __sframe_unmap(struct mm_struct *mm, unsigned long start,
		    unsigned long end)
{
	struct sframe_set *set = sframe_locked_set(mm), *own;

	mmap_assert_write_locked(mm);
	if (sframe_is_clear(set, start, end))
		return;
	own = sframe_get_own(mm, SFRAME_GFP_UNMAP);
	if (own)
		sframe_drop_range(own, start, end - start);
	else
		sframe_lose(mm);
}

/**
 * __sframe_dup_mm - share the set of a process with its child
 * @mm:		mm of the child
 * @oldmm:	mm of the parent
 *
 * Both are locked for writing. The caller copies the mappings afterwards, and
 * calls sframe_unmap() for each mapping that the child does not get.
 */
void __sframe_dup_mm(struct mm_struct *mm, struct mm_struct *oldmm)
{
	struct sframe_set *set = sframe_locked_set(oldmm);

	/* The user to whom a copy was denied may have gone. */
	if (!sframe_is_shared(set))
		WRITE_ONCE(set->copy_denied, false);
	refcount_inc(&set->users);
	WRITE_ONCE(set->forked, true);
	/* The child does not run yet. */
	RCU_INIT_POINTER(mm->sframe_set, set);
}

/**
 * __sframe_free_mm - drop the set of an mm
 * @mm:		an mm without users: nobody reads or locks it
 */
void __sframe_free_mm(struct mm_struct *mm)
{
	struct sframe_set *set;

	sframe_free_cache(mm);
	set = rcu_dereference_protected(mm->sframe_set, true);
	if (set)
		sframe_put(set);
	RCU_INIT_POINTER(mm->sframe_set, NULL);
}

/* Find the text range that has @ip. Possibly wrong if the tree changes. */
static const struct sframe_text *sframe_search(const struct sframe_set *set,
					       unsigned long ip)
{
	const struct rb_node *node = rcu_dereference_raw(set->texts.rb_node);

	while (node) {
		const struct sframe_text *text =
			rb_entry(node, struct sframe_text, by_text);

		if (ip < text->view.text)
			node = rcu_dereference_raw(node->rb_left);
		else if (ip - text->view.text >= text->view.text_size)
			node = rcu_dereference_raw(node->rb_right);
		else
			return text;
	}
	return NULL;
}

/**
 * sframe_generation - tell whether cached rules are still valid
 * @mm:		an mm that the caller keeps; the caller is in an RCU section
 *
 * Return: a number that changes when a text range of the process is dropped and
 * that no other set ever has; 0 if the process has no set, or has lost its
 * tables and there was no memory for a new set.
 */
u64 sframe_generation(const struct mm_struct *mm)
{
	/* Pairs with the release in sframe_publish(). */
	const struct sframe_set *set = rcu_dereference(mm->sframe_set);

	return set ? READ_ONCE(set->generation) : 0;
}

/*
 * Whether @set was the set of @mm, and did not change, since @seq was read.
 *
 * If @mm has another set by now, the other user of @set may have changed it.
 * That user has seen in sframe_is_shared(), with a full barrier, that @mm has
 * put this set; read_seqcount_retry() orders the caller's reads before that of
 * the set here.
 */
static bool sframe_was_stable(const struct mm_struct *mm,
			      const struct sframe_set *set, unsigned int seq)
{
	return !read_seqcount_retry(&set->changes, seq) &&
	       rcu_access_pointer(mm->sframe_set) == set;
}

/*
 * Copy the description of the text that has @ip to @view. Return 0, or -EAGAIN
 * if the set has changed meanwhile. If the set has no such text, return 1 if
 * the table of the vDSO was removed; otherwise -ENOENT, and the caller looks at
 * the vDSO.
 */
int sframe_try_view(struct mm_struct *mm, unsigned long ip,
		    struct sframe_view *view)
{
	const struct sframe_text *text;
	const struct sframe_set *set;
	unsigned int seq;
	u64 generation;
	int ret;

	guard(rcu)();
	/* Pairs with the release in sframe_publish(). */
	set = rcu_dereference(mm->sframe_set);
	if (!set)
		return -ENOENT;
	seq = read_seqcount_begin(&set->changes);
	/* Pairs with the release in sframe_renew(). */
	generation = smp_load_acquire(&set->generation);
	text = sframe_search(set, ip);
	if (text) {
		*view = text->view;
		view->generation = generation;
	}
	ret = READ_ONCE(set->no_vdso) ? 1 : -ENOENT;
	if (!sframe_was_stable(mm, set, seq))
		return -EAGAIN;
	return text ? 0 : ret;
}
