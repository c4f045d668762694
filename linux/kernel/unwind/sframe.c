// SPDX-License-Identifier: GPL-2.0-only
/*
 * SFrame tables of a process: their registration, and what mmap, munmap, fork,
 * exec and exit do to them.
 *
 * An mm that has registered a table has a set of text ranges in two red-black
 * trees: ordered by the addresses of the texts, and by those of their tables,
 * so that unmapping a table finds its texts. Writers hold the mmap lock for
 * writing. A maple tree would take nodes of 256 bytes even for ranges of a few
 * bytes; here a process pays only for what it registers.
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
#define pr_fmt(fmt) "sframe: " fmt

#include <linux/atomic.h>
#include <linux/compat.h>
#include <linux/elf.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/pagewalk.h>
#include <linux/prctl.h>
#include <linux/preempt.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>
#include <linux/sframe.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "sframe.h"
#include "sframe_cache.h"

/*
 * Text ranges of one process. By default a process may have 65,530 mappings,
 * and an object takes at least four of them.
 */
#define SFRAME_TEXTS_MAX 16384

/*
 * How often a registration tries to read a header: its page may be reclaimed
 * again after it was faulted in.
 */
#define SFRAME_HEADER_TRIES 16

/* How many ranges one call registers, and under one hold of the mmap lock. */
#define SFRAME_ADD_MAX		1024UL
#define SFRAME_ADD_GROUP	16

/*
 * For a copy of a set that the program has not requested: the OOM killer must
 * not end the process for it.
 */
#define SFRAME_GFP_UNMAP	(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | \
				 __GFP_NOWARN)
#define SFRAME_GFP_TRACE	(GFP_NOWAIT | __GFP_ACCOUNT)

/* How often a search is repeated before it takes the mmap lock. */
#define SFRAME_SEARCH_TRIES 16

/**
 * struct sframe_mm - the set of registered text ranges of one or several mms
 * @users:	number of mms that have the set; it changes only while this is 1
 * @forked:	the set once had another user, whose readers may still search it
 * @no_vdso:	the table of the vDSO was removed
 * @order:	the order of unwinders that the process has chosen; 0: none
 * @changes:	sequence count of @texts
 * @texts:	tree of struct sframe_text by text address; searched under RCU
 * @tables:	tree of the same entries by table address
 * @spare:	a dropped entry, to be used for the next addition, or NULL
 * @nr_texts:	number of entries of either tree
 * @clear_from:	start of a range that contains no text and no table
 * @clear_to:	its end; found by the last munmap() that dropped nothing
 * @last_id:	the last sframe_view.id
 * @generation:	changes when a text range is dropped, and no other set ever has
 *		it; 0 in a set without texts, for which no rules are cached
 * @rcu:	to free the set when no reader can search it any more
 *
 * Allocated by the first registration or choice, freed with the last user.
 */
struct sframe_mm {
	refcount_t	users;
	bool		forked;
	bool		no_vdso;
	u16		order;
	seqcount_t	changes;
	struct rb_root	texts;
	struct rb_root	tables;
	struct sframe_text *spare;
	unsigned int	nr_texts;
	unsigned long	clear_from;
	unsigned long	clear_to;
	u64		last_id;
	u64		generation;
	struct rcu_head	rcu;
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

/* The last generation of any set. Only sframe_lost[] have generation 0. */
static atomic64_t sframe_last_generation = ATOMIC64_INIT(0);

/**
 * struct sframe_text - a text range and the table that describes it
 * @view:	ranges of text and table, and the header; constant in a tree
 * @by_text:	node in sframe_mm.texts; texts do not overlap
 * @by_table:	node in sframe_mm.tables; two tables are equal or do not overlap
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

/*
 * Begin to change the tree of texts. A search that runs meanwhile is repeated.
 * A search that begins meanwhile spins until sframe_end_change(), so preemption
 * is disabled.
 */
static void sframe_begin_change(struct sframe_mm *sframe)
{
	preempt_disable();
	write_seqcount_begin(&sframe->changes);
}

static void sframe_end_change(struct sframe_mm *sframe)
{
	write_seqcount_end(&sframe->changes);
	preempt_enable();
}

/*
 * Begin a new generation of @sframe, which invalidates all cached rules.
 * Pairs with the acquire load in sframe_try_view(): a reader that sees the new
 * generation no longer finds the range that the caller has removed.
 */
static void sframe_renew(struct sframe_mm *sframe)
{
	/* Orders the removal before the new generation, see above. */
	smp_store_release(&sframe->generation,
			  atomic64_inc_return(&sframe_last_generation));
}

static void sframe_drop(struct sframe_mm *sframe, struct sframe_text *text)
{
	sframe_begin_change(sframe);
	rb_erase(&text->by_text, &sframe->texts);
	sframe_end_change(sframe);
	sframe_renew(sframe);
	rb_erase(&text->by_table, &sframe->tables);
	sframe->nr_texts--;
	/* Loading and unloading an object repeatedly then allocates nothing. */
	if (!sframe->spare)
		sframe->spare = text;
	else
		kfree_rcu(text, rcu);
}

/*
 * Find the first text range that ends after @from. The caller holds the mmap
 * lock, so that the result stays valid.
 */
static struct sframe_text *sframe_first_text(struct sframe_mm *sframe,
					     unsigned long from)
{
	struct rb_node *node = sframe->texts.rb_node;
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
static struct sframe_text *sframe_find_text(struct sframe_mm *sframe,
					    unsigned long start,
					    unsigned long size)
{
	struct sframe_text *text = sframe_first_text(sframe, start);

	return text && text->view.text < start + size ? text : NULL;
}

/* Find any text range whose table overlaps the @size bytes at @start. */
static struct sframe_text *sframe_find_table(struct sframe_mm *sframe,
					     unsigned long start,
					     unsigned long size)
{
	struct rb_node *node = sframe->tables.rb_node;

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
 * if @table is set. The result serves both to look up and to insert, so that a
 * registration descends each tree only once.
 */
static __always_inline void sframe_find_spot(struct rb_root *root, bool table,
					     const struct sframe_view *view,
					     struct sframe_spot *spot)
{
	unsigned long start = table ? view->start : view->text;
	unsigned long end = start + (table ? view->size : view->text_size);
	struct rb_node **link = &root->rb_node;

	*spot = (struct sframe_spot) {};
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

/* Find the positions of @view in @sframe, which may be NULL. */
static void sframe_find_spots(struct sframe_mm *sframe,
			      const struct sframe_view *view,
			      struct sframe_spots *spots)
{
	*spots = (struct sframe_spots) {};
	if (!sframe)
		return;
	sframe_find_spot(&sframe->texts, false, view, &spots->text);
	sframe_find_spot(&sframe->tables, true, view, &spots->table);
}

static bool sframe_table_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct sframe_text, by_table)->view.start <
	       rb_entry(b, struct sframe_text, by_table)->view.start;
}

/* Insert the text range of @view, which overlaps no other, at @spots. */
static int sframe_new_text(struct sframe_mm *sframe,
			   const struct sframe_view *view,
			   const struct sframe_spots *spots, gfp_t gfp)
{
	struct sframe_text *text = sframe->spare;

	if (!text)
		text = kmalloc_obj(*text, gfp);
	if (!text)
		return -ENOMEM;
	sframe->spare = NULL;
	sframe_begin_change(sframe);
	/* Within the change: readers may still use the spare entry. */
	text->view = *view;
	rb_link_node_rcu(&text->by_text, spots->text.parent, spots->text.link);
	rb_insert_color(&text->by_text, &sframe->texts);
	sframe_end_change(sframe);
	if (spots->table.found) {
		rb_add(&text->by_table, &sframe->tables, sframe_table_less);
	} else {
		rb_link_node(&text->by_table, spots->table.parent,
			     spots->table.link);
		rb_insert_color(&text->by_table, &sframe->tables);
	}
	sframe->nr_texts++;
	sframe->clear_to = 0;
	return 0;
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
 * Drop one user of @sframe, and free the set after the last one. A set that had
 * only one user has no readers then: the last user has no threads left.
 */
static void sframe_put(struct sframe_mm *sframe)
{
	struct sframe_text *text, *next;
	bool forked;

	if (!refcount_dec_and_test(&sframe->users))
		return;
	/*
	 * @forked was set before the other user could put the set;
	 * refcount_dec_and_test() orders that store before this load.
	 */
	forked = READ_ONCE(sframe->forked);
	rbtree_postorder_for_each_entry_safe(text, next, &sframe->tables,
					     by_table)
		sframe_free_text(text, forked);
	sframe_free_text(sframe->spare, forked);
	if (forked)
		kfree_rcu(sframe, rcu);
	else
		kfree(sframe);
}

/*
 * Copy the text ranges of @old to @sframe, which is not published yet. Goes on
 * if the task is being killed: another task may share its mm and need them.
 */
static int sframe_copy(struct sframe_mm *sframe, const struct sframe_mm *old,
		       gfp_t gfp)
{
	const struct sframe_view *view;
	struct sframe_spots spots;
	struct rb_node *node;
	int ret = 0;

	for (node = rb_first(&old->texts); node && !ret; node = rb_next(node)) {
		cond_resched();
		view = &rb_entry(node, struct sframe_text, by_text)->view;
		sframe_find_spots(sframe, view, &spots);
		ret = sframe_new_text(sframe, view, &spots, gfp);
	}
	return ret;
}

static bool sframe_is_shared(const struct sframe_mm *sframe)
{
	if (refcount_read(&sframe->users) > 1)
		return true;
	/*
	 * Pairs with the release of refcount_dec_and_test() in sframe_put():
	 * the other user has read the set, and has left it, before the caller
	 * changes it.
	 */
	smp_acquire__after_ctrl_dep();
	return false;
}

/*
 * Make a set without text ranges, otherwise like @old, which may be NULL.
 * Return NULL if there is no memory.
 */
static struct sframe_mm *sframe_new_set(const struct sframe_mm *old, gfp_t gfp)
{
	struct sframe_mm *sframe = kzalloc_obj(*sframe, gfp);

	if (!sframe)
		return NULL;
	refcount_set(&sframe->users, 1);
	seqcount_init(&sframe->changes);
	sframe->texts = RB_ROOT;
	sframe->tables = RB_ROOT;
	sframe_renew(sframe);
	if (old) {
		sframe->no_vdso = old->no_vdso;
		sframe->order = old->order;
		sframe->last_id = old->last_id;
	}
	return sframe;
}

/* The set of @mm, which is locked, or NULL. */
static struct sframe_mm *sframe_locked_set(const struct mm_struct *mm)
{
	mmap_assert_locked(mm);
	return mm->sframe;
}

/* Give @sframe, with a reference, to @mm, which is locked for writing. */
static void sframe_publish(struct mm_struct *mm, struct sframe_mm *sframe)
{
	struct sframe_mm *old = sframe_locked_set(mm);

	/*
	 * Pairs with the dependent reads in sframe_try_view(),
	 * sframe_generation() and __sframe_order().
	 */
	smp_store_release(&mm->sframe, sframe);
	if (old)
		sframe_put(old);
}

/*
 * Return the set of @mm, which is locked for writing, for changing it. Make a
 * set if @mm has none, and a copy if @mm shares it. Return NULL and change
 * nothing if there is no memory.
 */
static struct sframe_mm *sframe_get_own(struct mm_struct *mm, gfp_t gfp)
{
	struct sframe_mm *old = sframe_locked_set(mm), *sframe;

	if (old && !sframe_is_shared(old))
		return old;
	sframe = sframe_new_set(old, gfp);
	if (!sframe)
		return NULL;
	if (old && sframe_copy(sframe, old, gfp)) {
		sframe_put(sframe);
		return NULL;
	}
	sframe_publish(mm, sframe);
	return sframe;
}

/*
 * Drop all text ranges of the table at @start. Return their number or -ENOMEM.
 */
static int sframe_drop_table(struct mm_struct *mm, unsigned long start,
			     gfp_t gfp)
{
	struct sframe_mm *sframe = sframe_locked_set(mm);
	struct sframe_text *text;
	int count = 0;

	text = sframe ? sframe_find_table(sframe, start, 1) : NULL;
	if (!text || text->view.start != start)
		return 0;
	sframe = sframe_get_own(mm, gfp);
	if (!sframe)
		return -ENOMEM;
	for (; (text = sframe_find_table(sframe, start, 1)); count++)
		sframe_drop(sframe, text);
	return count;
}

static bool sframe_same_ranges(const struct sframe_view *a,
			       const struct sframe_view *b)
{
	return a->start == b->start && a->size == b->size &&
	       a->text == b->text && a->text_size == b->text_size;
}

/*
 * Whether two tables are the same. Compare the headers only if both were read.
 */
static bool sframe_same_table(const struct sframe_view *a,
			      const struct sframe_view *b)
{
	if (a->start != b->start || a->size != b->size)
		return false;
	if (!a->nr_fdes || !b->nr_fdes)
		return true;
	return a->fdes == b->fdes && a->nr_fdes == b->nr_fdes &&
	       a->fres == b->fres && a->nr_fres == b->nr_fres &&
	       a->fre_len == b->fre_len && a->flags == b->flags &&
	       a->fixed_fp == b->fixed_fp && a->fixed_ra == b->fixed_ra;
}

/* Whether the table of the vDSO of @mm, which is locked, was removed. */
static bool sframe_removed_vdso(const struct mm_struct *mm)
{
	const struct sframe_mm *sframe = sframe_locked_set(mm);

	return sframe && sframe->no_vdso;
}

/* Whether @mm has a vDSO whose table was not removed. Store it in @vdso. */
static bool sframe_has_vdso(struct mm_struct *mm, struct sframe_view *vdso)
{
	return !sframe_removed_vdso(mm) && sframe_vdso_view(mm, vdso);
}

/* Whether @view has the ranges of the vDSO, whose table was not removed. */
static bool sframe_is_vdso(struct mm_struct *mm, const struct sframe_view *view)
{
	struct sframe_view vdso;

	return sframe_has_vdso(mm, &vdso) && sframe_same_ranges(&vdso, view);
}

/*
 * Compare @view, which is near the vDSO, with the table of the vDSO, which is
 * not in the set. Return 1 if that table had been removed and @view registers
 * it again; -EEXIST if @view overlaps it and differs; otherwise 0. If @view is
 * equal to the table and that is registered, the caller has returned before.
 */
static int sframe_insert_vdso(struct mm_struct *mm,
			      const struct sframe_view *view)
{
	struct sframe_view vdso;
	struct sframe_mm *own;

	if (!sframe_vdso_view(mm, &vdso))
		return 0;
	if (sframe_removed_vdso(mm)) {
		if (!sframe_same_ranges(&vdso, view) ||
		    !sframe_same_table(&vdso, view))
			return 0;
		own = sframe_get_own(mm, GFP_KERNEL_ACCOUNT);
		if (!own)
			return -ENOMEM;
		WRITE_ONCE(own->no_vdso, false);
		return 1;
	}
	if (sframe_overlaps(vdso.text, vdso.text_size, view->text,
			    view->text_size))
		return -EEXIST;
	return sframe_overlaps(vdso.start, vdso.size, view->start, view->size) &&
	       !sframe_same_table(&vdso, view) ? -EEXIST : 0;
}

/* Replace the table of @view by that of @table, with its header and ID. */
static void sframe_share_table(struct sframe_view *view,
			       const struct sframe_view *table)
{
	unsigned long text = view->text, text_size = view->text_size;

	*view = *table;
	view->text = text;
	view->text_size = text_size;
}

/*
 * Insert @view at @spots into the set of @mm, which is locked for writing.
 * @near_vdso is the result of sframe_near_vdso(). Return 1 if this is the first
 * text of its table, 0 if it is another one or was registered already, or an
 * error.
 */
static int sframe_insert(struct mm_struct *mm, struct sframe_view *view,
			 struct sframe_spots *spots, bool near_vdso)
{
	const struct sframe_text *table = spots->table.found;
	const struct sframe_text *text = spots->text.found;
	struct sframe_mm *sframe = sframe_locked_set(mm), *own;
	int ret;

	if (table && !sframe_same_table(&table->view, view))
		return -EEXIST;
	if (text)
		return sframe_same_ranges(&text->view, view) ? 0 : -EEXIST;
	ret = near_vdso ? sframe_insert_vdso(mm, view) : 0;
	if (ret)
		return min(ret, 0);
	if (sframe && sframe->nr_texts >= SFRAME_TEXTS_MAX)
		return -ENOSPC;
	/* A table may describe several text ranges. */
	if (table)
		sframe_share_table(view, &table->view);
	own = sframe_get_own(mm, GFP_KERNEL_ACCOUNT);
	if (!own)
		return -ENOMEM;
	if (own != sframe)
		sframe_find_spots(own, view, spots);
	if (!table)
		view->id = ++own->last_id;
	ret = sframe_new_text(own, view, spots, GFP_KERNEL_ACCOUNT);
	return ret ?: !table;
}

/* Whether the range is non-empty, lies in user space and does not wrap. */
static __always_inline bool sframe_range_ok(unsigned long start,
					    unsigned long size)
{
	return start && size && start < TASK_SIZE && size <= TASK_SIZE - start;
}

/*
 * Log the refusal of a table, with the process and the reason. Return @error.
 */
static int sframe_refuse(const struct sframe_view *view,
			 const struct vm_area_struct *vma, const char *why,
			 int error)
{
	pr_debug_ratelimited("%s[%d]: table at %#lx in %pD refused: %s\n",
			     current->comm, task_pid_nr(current), view->start,
			     vma ? vma->vm_file : NULL, why);
	return error;
}

/*
 * Find the mappings of the addresses @low and @high, the higher one; NULL where
 * there is none. An object's text and table are mostly in mappings that follow
 * each other: look there before a second search.
 */
static void sframe_find_vmas(struct mm_struct *mm, unsigned long low,
			     unsigned long high, struct vm_area_struct **at_low,
			     struct vm_area_struct **at_high)
{
	VMA_ITERATOR(vmi, mm, low);
	struct vm_area_struct *vma = vma_next(&vmi);

	*at_low = vma && vma->vm_start <= low ? vma : NULL;
	if (vma && vma->vm_end <= high)
		vma = vma_next(&vmi);
	if (vma && vma->vm_end <= high)
		vma = vma_lookup(mm, high);
	*at_high = vma && vma->vm_start <= high ? vma : NULL;
}

/*
 * Check the mappings of the table and the text of @view. Store that of the
 * table in *@table, or NULL. Ranges that are already registered were checked
 * then; their mappings may have been split since.
 */
static int sframe_check_mappings(struct mm_struct *mm,
				 const struct sframe_view *view,
				 const struct sframe_spots *spots,
				 struct vm_area_struct **table)
{
	struct vm_area_struct *text;

	if (view->text <= view->start)
		sframe_find_vmas(mm, view->text, view->start, &text, table);
	else
		sframe_find_vmas(mm, view->start, view->text, table, &text);
	if (spots->text.found &&
	    sframe_same_ranges(&spots->text.found->view, view))
		return 0;
	if (!*table || view->size > (*table)->vm_end - view->start)
		return sframe_refuse(view, *table, "not in one mapping",
				     -EINVAL);
	if (!text || !(text->vm_flags & VM_EXEC) ||
	    view->text_size > text->vm_end - view->text)
		return sframe_refuse(view, *table,
				     "text not in one executable mapping",
				     -EINVAL);
	return 0;
}

/*
 * Whether the @len bytes at @start are bytes of the file that @vma maps: they
 * lie before its end, and the mapping has no private copies of pages.
 */
static bool sframe_shows_file(const struct vm_area_struct *vma,
			      unsigned long start, size_t len)
{
	loff_t pos;

	if (!vma || len > vma->vm_end - start ||
	    !(vma->vm_flags & VM_READ) || !vma->vm_ops ||
	    vma->vm_ops->map_pages != filemap_map_pages || vma->anon_vma)
		return false;
	pos = ((loff_t)vma->vm_pgoff << PAGE_SHIFT) + start - vma->vm_start;
	return pos + (loff_t)len <= i_size_read(vma->vm_file->f_mapping->host);
}

/* Whether the page at @addr is in the page tables of the process. */
static bool sframe_is_mapped(struct vm_area_struct *vma, unsigned long addr)
{
	struct folio_walk walk;

	if (!folio_walk_start(&walk, vma, addr, 0))
		return false;
	folio_walk_end(&walk, vma);
	return true;
}

/*
 * Read the header of @view, a table in @vma, without a page fault. Return 0; 1
 * if its page belongs to a file and is not mapped yet; or -EFAULT.
 *
 * Search the page tables first: an access that faults and is resumed would be a
 * fifth of the cost of a registration.
 *
 * Do not look into the page cache: the result would reveal which pages of files
 * other processes have read.
 */
static int sframe_peek(const struct sframe_view *view,
		       struct vm_area_struct *vma, struct sframe_header *header)
{
	const size_t len = sizeof(*header);
	bool file = !IS_ENABLED(CONFIG_SFRAME_VALIDATION) &&
		    sframe_shows_file(vma, view->start, len);

	if (file && !sframe_is_mapped(vma, view->start))
		return 1;
	if (!copy_from_user_nofault(header, (void __user *)view->start, len))
		return 0;
	/* The page may have been reclaimed, or the next one is missing. */
	return file ? 1 : -EFAULT;
}

/*
 * Read and check the header of @view. The caller holds the mmap lock, which a
 * page fault takes, so the header is read without faults. Return -EAGAIN if its
 * page is missing but @readable: the caller faults it in and calls again.
 *
 * If the page belongs to a file and is not mapped yet, leave the header to the
 * first lookup: otherwise a program would wait for one page fault per table
 * when it starts.
 */
static int sframe_read_header(struct sframe_view *view,
			      struct vm_area_struct *vma, bool readable)
{
	struct sframe_header header;
	const char *why;
	int ret;

	ret = sframe_peek(view, vma, &header);
	if (ret < 0)
		return readable ? -EAGAIN :
		       sframe_refuse(view, vma, "unreadable header", -EFAULT);
	if (ret)
		return 0;
	why = sframe_header_fault(&header, view->size);
	if (why)
		return sframe_refuse(view, vma, why, -EINVAL);
	sframe_use_header(view, &header);
	return 0;
}

/*
 * Register the ranges of @view. @mm is locked for writing. Return the result of
 * sframe_insert(), or -EAGAIN as sframe_read_header() does.
 */
static int sframe_add_locked(struct mm_struct *mm, struct sframe_view *view,
			     bool readable)
{
	bool near_vdso = sframe_near_vdso(mm, view);
	struct vm_area_struct *vma;
	struct sframe_spots spots;
	int ret;

	mmap_assert_write_locked(mm);
	/*
	 * ld.so registers the vDSO, too, at each start. Its header, which the
	 * kernel knows, is not worth a page fault.
	 */
	if (near_vdso && sframe_is_vdso(mm, view))
		return 0;
	sframe_find_spots(sframe_locked_set(mm), view, &spots);
	ret = sframe_check_mappings(mm, view, &spots, &vma) ?:
	      sframe_read_header(view, vma, readable) ?:
	      sframe_insert(mm, view, &spots, near_vdso);
	if (ret == -EEXIST)
		sframe_refuse(view, vma, "overlaps what is registered", ret);
	else if (ret == -ENOSPC)
		sframe_refuse(view, vma, "too many text ranges", ret);
	return ret;
}

/*
 * Check all of a table when its first text range is registered, not again for
 * further text ranges. The check takes long, so the mmap lock is not held: the
 * process could change the table after a check under the lock as well.
 */
static int sframe_check(const struct sframe_view *view)
{
	int ret;

	if (!IS_ENABLED(CONFIG_SFRAME_VALIDATION))
		return 0;
	ret = sframe_validate(view);
	if (ret)
		sframe_drop_corrupt(view);
	return ret;
}

/*
 * Store the ranges that @range asks for in @view. Return whether they can be
 * those of a table and of text.
 */
static bool sframe_set_ranges(struct sframe_view *view,
			      const struct prctl_sframe *range)
{
	*view = (struct sframe_view) {
		.start		= range->table,
		.size		= range->table_size,
		.text		= range->text,
		.text_size	= range->text_size,
	};
	return sframe_range_ok(view->start, view->size) &&
	       view->size >= sizeof(struct sframe_header) &&
	       IS_ALIGNED(view->start, 4) &&
	       sframe_range_ok(view->text, view->text_size);
}

/*
 * Register as many of the @nr ranges at @ranges, in their order, as can be
 * registered under one hold of the lock of @mm, which is locked for writing.
 * Return the number of ranges registered; @view is the last of them, to be
 * checked by sframe_check() if *@new is set. If none was registered, return the
 * error of the first range, or -EAGAIN as sframe_read_header() does.
 */
static int sframe_add_group(struct mm_struct *mm,
			    const struct prctl_sframe *ranges, unsigned int nr,
			    bool readable, struct sframe_view *view, bool *new)
{
	unsigned int done;
	int ret;

	*new = false;
	for (done = 0; done < nr && !*new; done++) {
		ret = sframe_set_ranges(view, &ranges[done]) ?
		      sframe_add_locked(mm, view, readable || done) :
		      sframe_refuse(view, NULL, "unusable ranges", -EINVAL);
		if (ret < 0)
			return done ?: ret;
		*new = ret && IS_ENABLED(CONFIG_SFRAME_VALIDATION);
	}
	return done;
}

/*
 * Register one or more of the @nr ranges at @ranges, in their order. Return
 * their number or, if the first is refused, the error.
 */
static int sframe_add_some(const struct prctl_sframe *ranges, unsigned int nr)
{
	struct mm_struct *mm = current->mm;
	bool readable = true, new = false;
	struct sframe_view view;
	int ret = -EAGAIN, fault;

	for (int i = 0; i < SFRAME_HEADER_TRIES && ret == -EAGAIN; i++) {
		if (mmap_write_lock_killable(mm))
			return -EINTR;
		ret = sframe_add_group(mm, ranges, nr, readable, &view, &new);
		mmap_write_unlock(mm);
		if (ret == -EAGAIN)
			readable = !fault_in_readable((char __user *)view.start,
						sizeof(struct sframe_header));
	}
	fault = new ? sframe_check(&view) : 0;
	if (fault)
		return ret > 1 ? ret - 1 : fault;
	return ret == -EAGAIN ? -EFAULT : ret;
}

/**
 * sframe_add - register a table for a text range of the current process
 * @table:	user address of the table, a multiple of 4
 * @table_size:	size of the table in bytes, not less than that of a header
 * @text:	user address of the text
 * @text_size:	size of the text in bytes
 *
 * Mappings and header are checked and the ranges inserted under one hold of the
 * mmap lock, so that they cannot change in between. A header whose page would
 * have to be read from a file is checked by the first lookup. FREs are checked
 * each time they are read; with CONFIG_SFRAME_VALIDATION also here.
 *
 * Context: Process context. The caller can sleep and does not hold the mmap
 * lock, which is taken for writing. Page faults occur without the lock.
 *
 * Return: 0, also if the same ranges are registered already; or the first of
 * these that applies:
 * -EINVAL if the caller is a 32-bit task;
 * -EINTR if a fatal signal is pending;
 * -EINVAL if a range is empty, begins at 0, wraps or is not in user space, or
 * the table is not aligned or too small for a header;
 * -EINVAL if a range is not inside one mapping, or the text is not executable;
 * -EFAULT if the header cannot be read;
 * -EINVAL if the header is not that of a usable table;
 * -EEXIST if a range overlaps another one that is registered, or the table is
 * registered with another header;
 * -ENOSPC if the process has registered SFRAME_TEXTS_MAX text ranges;
 * -ENOMEM if there is no memory;
 * with CONFIG_SFRAME_VALIDATION, the error of sframe_validate() for a table
 * that was not registered before.
 */
int sframe_add(unsigned long table, unsigned long table_size,
	       unsigned long text, unsigned long text_size)
{
	const struct prctl_sframe range = { table, table_size, text, text_size };

	/*
	 * 32-bit code has other registers, which these tables do not describe.
	 */
	return in_compat_syscall() ? -EINVAL :
	       min(sframe_add_some(&range, 1), 0);
}

/*
 * Copy the @nr elements of @size bytes at @from to @to, up to the first that
 * cannot be used. Return their number or, if it is the first, the error.
 */
static int sframe_copy_ranges(struct prctl_sframe *to, const char __user *from,
			      unsigned int nr, size_t size)
{
	int ret;

	/* One copy for all elements: each copy has its own checks. */
	if (size == sizeof(*to) && !copy_from_user(to, from, nr * size))
		return nr;
	for (unsigned int i = 0; i < nr; i++) {
		ret = copy_struct_from_user(&to[i], sizeof(to[i]),
					    from + i * size, size);
		if (ret)
			return i ?: ret;
	}
	return nr;
}

/**
 * sframe_add_array - register tables for text ranges of the current process
 * @array:	user address of an array of struct prctl_sframe
 * @nr:		number of elements
 * @size:	size of an element in bytes, not less than that of the structure
 *		here; bytes that the kernel does not know must be 0
 * @flags:	must be 0
 *
 * Registers the ranges in their order, each as sframe_add() does, up to the
 * first that is refused or to SFRAME_ADD_MAX. So the dynamic linker registers
 * all objects of a program that starts with one system call.
 *
 * Context: Process context. The caller can sleep and does not hold the mmap
 * lock, which is taken for writing, once for up to SFRAME_ADD_GROUP ranges. The
 * array is read without the lock.
 *
 * Return: the number of ranges registered, which is 0 only if @nr is 0; or, if
 * none was registered, the first of these that applies:
 * -EINVAL if the caller is 32-bit, @flags is not 0 or @size is too small;
 * -E2BIG if @size is more than a page, or bytes of the first element that the
 * kernel does not know are not 0;
 * -EFAULT if the first element cannot be read;
 * the error of sframe_add() for the first range.
 */
int sframe_add_array(const char __user *array, unsigned long nr, size_t size,
		     unsigned long flags)
{
	/* Clearing it would be a quarter of the cost of a single range. */
	struct prctl_sframe ranges[SFRAME_ADD_GROUP] __uninitialized;
	unsigned int done = 0, group;
	int ret = 0;

	if (in_compat_syscall() || flags || size < sizeof(*ranges))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	nr = min(nr, SFRAME_ADD_MAX);
	for (; done < nr && ret >= 0; done += max(ret, 0)) {
		group = min(nr - done, ARRAY_SIZE(ranges));
		ret = sframe_copy_ranges(ranges, array + done * size, group,
					 size);
		if (ret > 0)
			ret = sframe_add_some(ranges, ret);
		cond_resched();
	}
	return done ?: ret;
}

/**
 * sframe_add_elf - register the table of an object, if it has one
 * @phdr:	its program headers
 * @phnum:	number of program headers
 * @bias:	to be added to the addresses in them
 *
 * Registers each executable segment, by the same ranges as ld.so does later.
 * Errors are ignored: a program without a table only has shorter stacks.
 *
 * Context: As sframe_add().
 */
void sframe_add_elf(const struct elf64_phdr *phdr, int phnum,
		    unsigned long bias)
{
	const struct elf64_phdr *table = NULL;

	for (int i = 0; i < phnum && !table; i++)
		if (phdr[i].p_type == PT_GNU_SFRAME)
			table = &phdr[i];
	for (int i = 0; i < phnum && table; i++)
		if (phdr[i].p_type == PT_LOAD && phdr[i].p_flags & PF_X)
			sframe_add(bias + table->p_vaddr, table->p_memsz,
				   bias + phdr[i].p_vaddr, phdr[i].p_memsz);
}

/*
 * Drop the table at @start, which may be that of the vDSO. Return as
 * sframe_drop_table() does.
 */
static int sframe_forget(struct mm_struct *mm, unsigned long start, gfp_t gfp)
{
	struct sframe_view vdso;
	struct sframe_mm *own;

	if (sframe_has_vdso(mm, &vdso) && vdso.start == start) {
		own = sframe_get_own(mm, gfp);
		if (!own)
			return -ENOMEM;
		WRITE_ONCE(own->no_vdso, true);
		return 1 + sframe_drop_table(mm, start, gfp);
	}
	return sframe_drop_table(mm, start, gfp);
}

/**
 * sframe_remove - remove a table of the current process
 * @start:	user address of the table
 *
 * Removes all text ranges that were registered with it.
 *
 * Context: Process context. The caller can sleep and does not hold the mmap
 * lock, which is taken for writing.
 *
 * Return: 0; -EINVAL if the caller is a 32-bit task; -EINTR if a fatal signal
 * is pending; -ENOENT if there is no such table; -ENOMEM if the set is shared
 * after fork() and there is no memory for a copy.
 */
int sframe_remove(unsigned long start)
{
	struct mm_struct *mm = current->mm;
	int count;

	if (in_compat_syscall())
		return -EINVAL;
	if (mmap_write_lock_killable(mm))
		return -EINTR;
	count = sframe_forget(mm, start, GFP_KERNEL_ACCOUNT);
	mmap_write_unlock(mm);
	return count ? min(count, 0) : -ENOENT;
}

/**
 * sframe_set_order - set the order of unwinders of the current process
 * @order:	as in linux/unwind_choice.h; 0 for none
 *
 * Stored in the set of tables, so that mm_struct does not grow: few processes
 * choose.
 *
 * Return: 0; -EINTR if a fatal signal is pending; -ENOMEM if there is no
 * memory.
 */
int sframe_set_order(u16 order)
{
	struct mm_struct *mm = current->mm;
	struct sframe_mm *sframe;
	int ret = 0;

	if (mmap_write_lock_killable(mm))
		return -EINTR;
	if (order != sframe_order(mm)) {
		sframe = sframe_get_own(mm, GFP_KERNEL_ACCOUNT);
		if (sframe)
			WRITE_ONCE(sframe->order, order);
		else
			ret = -ENOMEM;
	}
	mmap_write_unlock(mm);
	return ret;
}

/**
 * __sframe_order - get the order of unwinders of a process
 * @mm:		an mm that the caller keeps
 *
 * Return: what sframe_set_order() has stored.
 */
u16 __sframe_order(const struct mm_struct *mm)
{
	const struct sframe_mm *sframe;

	guard(rcu)();
	/* Pairs with the release in sframe_publish(). */
	sframe = rcu_dereference_raw(mm->sframe);
	return sframe ? READ_ONCE(sframe->order) : 0;
}

/* Find the text range that has @ip. Possibly wrong if the tree changes. */
static const struct sframe_text *sframe_search(const struct sframe_mm *sframe,
					       unsigned long ip)
{
	const struct rb_node *node = rcu_dereference_raw(sframe->texts.rb_node);

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
 * that no other set ever has; 0 if the process has registered nothing, or has
 * lost its tables.
 */
u64 sframe_generation(const struct mm_struct *mm)
{
	/* Pairs with the release in sframe_publish(). */
	const struct sframe_mm *sframe = rcu_dereference_raw(mm->sframe);

	return sframe ? READ_ONCE(sframe->generation) : 0;
}

/*
 * Whether @sframe was the set of @mm, and did not change, since @seq was read.
 *
 * If @mm has another set by now, the other user of @sframe may have changed it.
 * That user has seen in sframe_is_shared(), by an acquire, that @mm has put
 * this set; read_seqcount_retry() orders the caller's reads before that of the
 * set here.
 */
static bool sframe_was_stable(const struct mm_struct *mm,
			      const struct sframe_mm *sframe, unsigned int seq)
{
	return !read_seqcount_retry(&sframe->changes, seq) &&
	       READ_ONCE(mm->sframe) == sframe;
}

/*
 * Copy the description of the text that has @ip to @view. Return 0, or -EAGAIN
 * if the set has changed meanwhile. If the set has no such text, return 1 if
 * the table of the vDSO was removed; otherwise -ENOENT, and the caller looks at
 * the vDSO.
 */
static int sframe_try_view(struct mm_struct *mm, unsigned long ip,
			   struct sframe_view *view)
{
	const struct sframe_text *text;
	const struct sframe_mm *sframe;
	unsigned int seq;
	u64 generation;
	int ret;

	guard(rcu)();
	/* Pairs with the release in sframe_publish(). */
	sframe = rcu_dereference_raw(mm->sframe);
	if (!sframe)
		return -ENOENT;
	seq = read_seqcount_begin(&sframe->changes);
	/* Pairs with the release in sframe_renew(). */
	generation = smp_load_acquire(&sframe->generation);
	text = sframe_search(sframe, ip);
	if (text) {
		*view = text->view;
		view->generation = generation;
	}
	ret = READ_ONCE(sframe->no_vdso) ? 1 : -ENOENT;
	if (!sframe_was_stable(mm, sframe, seq))
		return -EAGAIN;
	return text ? 0 : ret;
}

/**
 * sframe_find_view - find the table that describes an address
 * @ip:		user address of the current process
 * @view:	where to store the description of the table
 *
 * The caller can sleep and does not hold the mmap lock. If the process changes
 * its set so often that SFRAME_SEARCH_TRIES searches fail, this takes the mmap
 * lock for reading.
 *
 * Return: whether there is one.
 */
bool sframe_find_view(unsigned long ip, struct sframe_view *view)
{
	struct mm_struct *mm = current->mm;
	int ret = -EAGAIN;

	for (int i = 0; i < SFRAME_SEARCH_TRIES && ret == -EAGAIN; i++)
		ret = sframe_try_view(mm, ip, view);
	/*
	 * A task with page faults disabled is exiting: it must not wait for a
	 * lock whose holder may wait for a page.
	 */
	if (ret == -EAGAIN && !pagefault_disabled() &&
	    !mmap_read_lock_killable(mm)) {
		ret = sframe_try_view(mm, ip, view);
		mmap_read_unlock(mm);
	}
	if (!ret || (ret == -ENOENT && sframe_find_vdso(ip, view)))
		return true;
	/* A search that failed may have left parts of two tables in it. */
	view->text_size = 0;
	return false;
}

/**
 * sframe_next_text - find the first text range from an address on
 * @mm:		locked at least for reading
 * @from:	the address
 * @info:	where to store the ranges
 *
 * Return: whether there is one.
 */
bool sframe_next_text(struct mm_struct *mm, unsigned long from,
		      struct sframe_info *info)
{
	struct sframe_mm *sframe = sframe_locked_set(mm);
	struct sframe_text *text = NULL;
	struct sframe_view *view, vdso;

	if (sframe)
		text = sframe_first_text(sframe, from);
	view = text ? &text->view : NULL;
	if (sframe_has_vdso(mm, &vdso) && from < vdso.text + vdso.text_size &&
	    (!view || vdso.text < view->text))
		view = &vdso;
	if (!view)
		return false;
	info->text = view->text;
	info->text_size = view->text_size;
	info->table = view->start;
	info->table_size = view->size;
	return true;
}

/*
 * Whether the table of @view is still registered. Another thread may have
 * replaced it, possibly by an equal one, which has another ID.
 */
static bool sframe_is_current(struct mm_struct *mm,
			      const struct sframe_view *view)
{
	struct sframe_mm *sframe = sframe_locked_set(mm);
	const struct sframe_text *text;
	struct sframe_view vdso;

	if (view->id == SFRAME_VDSO_ID)
		return sframe_has_vdso(mm, &vdso) && vdso.start == view->start;
	text = sframe ? sframe_find_table(sframe, view->start, 1) : NULL;
	return text && text->view.id == view->id;
}

/**
 * sframe_drop_corrupt - remove a table whose contents contradict the format
 * @view:	the table
 *
 * Otherwise each trace would find the fault again. The caller can sleep and
 * does not hold the mmap lock. The table stays, until another trace finds it,
 * if page faults are disabled (the task is exiting, and the holder of the lock
 * may wait for a page) or if the set is shared and there is no memory for a
 * copy.
 *
 * Return: false if there is no memory for a copy.
 */
bool sframe_drop_corrupt(const struct sframe_view *view)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	int ret = 0;

	if (pagefault_disabled() || mmap_write_lock_killable(mm))
		return true;
	if (sframe_is_current(mm, view)) {
		vma = vma_lookup(mm, view->start);
		pr_debug_ratelimited("%s[%d]: corrupt table at %#lx in %pD\n",
				     current->comm, task_pid_nr(current),
				     view->start, vma ? vma->vm_file : NULL);
		ret = sframe_forget(mm, view->start, SFRAME_GFP_TRACE);
	}
	mmap_write_unlock(mm);
	return ret >= 0;
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
 * Whether @sframe has no text and no table from @start up to @end. Programs
 * often unmap memory in the same places, so the free range found is cached,
 * except in a shared set, which must not change.
 */
static bool sframe_is_clear(struct sframe_mm *sframe, unsigned long start,
			    unsigned long end)
{
	unsigned long from = start, to = end, table_from = start, table_to = end;

	if (start >= sframe->clear_from && end <= sframe->clear_to)
		return true;
	if (sframe_meets(&sframe->texts, false, &from, &to) ||
	    sframe_meets(&sframe->tables, true, &table_from, &table_to))
		return false;
	if (!sframe_is_shared(sframe)) {
		sframe->clear_from = max(from, table_from);
		sframe->clear_to = min(to, table_to);
	}
	return true;
}

/* Drop all ranges whose text or table overlaps the @size bytes at @start. */
static void sframe_drop_range(struct sframe_mm *sframe, unsigned long start,
			      unsigned long size)
{
	struct sframe_text *text = sframe_find_text(sframe, start, size);

	while (text) {
		struct rb_node *next = rb_next(&text->by_text);

		sframe_drop(sframe, text);
		text = rb_entry_safe(next, struct sframe_text, by_text);
		if (text && text->view.text >= start + size)
			text = NULL;
	}
	while ((text = sframe_find_table(sframe, start, size)))
		sframe_drop(sframe, text);
}

/*
 * Sets of processes that have lost their tables, with and without that of the
 * vDSO. They never change, since they always have another user.
 */
static struct sframe_mm sframe_lost[] = {
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
	struct sframe_mm *old = sframe_locked_set(mm), *sframe;

	sframe = sframe_new_set(old, SFRAME_GFP_UNMAP | __GFP_HIGH);
	if (!sframe) {
		sframe = &sframe_lost[old->no_vdso];
		refcount_inc(&sframe->users);
	}
	sframe_publish(mm, sframe);
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
	struct sframe_mm *sframe = sframe_locked_set(mm), *own;

	mmap_assert_write_locked(mm);
	if (sframe_is_clear(sframe, start, end))
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
	struct sframe_mm *sframe = sframe_locked_set(oldmm);

	refcount_inc(&sframe->users);
	WRITE_ONCE(sframe->forked, true);
	/* The child does not run yet. */
	mm->sframe = sframe;
}

/**
 * __sframe_free_mm - drop the set of an mm
 * @mm:		an mm without users: nobody reads or locks it
 */
void __sframe_free_mm(struct mm_struct *mm)
{
	struct sframe_mm *sframe = mm->sframe;

	sframe_free_cache(mm);
	if (sframe)
		sframe_put(sframe);
	mm->sframe = NULL;
}
