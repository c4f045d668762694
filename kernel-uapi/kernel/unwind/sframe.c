// SPDX-License-Identifier: GPL-2.0-only
/*
 * SFrame tables of a process: registration, and life along with its mappings.
 *
 * An mm that has registered anything has a set of text ranges in two red-black
 * trees: by their addresses, and by their tables, so that a table can be found
 * when its memory goes away.  A set changes under the mmap lock held for
 * writing, one range at a time, and costs a process no more than what it has
 * registered: in a maple tree, ranges of a few bytes would take nodes of 256.
 *
 * fork() shares the set.  A set with more than one user never changes: the mm
 * that wants to change it makes a copy first.
 *
 * The unwinder searches the tree of texts under RCU and without that lock.  If
 * the tree changes meanwhile it may have been led astray, or have read a range
 * that is being put to other use, which a sequence count tells, and it searches
 * again.  It does so, too, when the mm has another set by then: the old one may
 * have been changed by whoever else had it.
 *
 * A reader takes a copy of the little that it needs to know of a table and
 * leaves RCU before it touches user memory.  So a page that never arrives, be
 * it of FUSE or userfaultfd, holds up no grace period.  It may then read what
 * is not the table any more, and does so until its trace leaves the text: all
 * that it reads is checked, and it ends up with a wrong trace of a task that
 * unmaps the code it runs.
 */
#define pr_fmt(fmt) "sframe: " fmt

#include <linux/atomic.h>
#include <linux/compat.h>
#include <linux/elf.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
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
 * Text ranges of one process.  An object takes four mappings or more, of
 * which a process may have 65,530 by default.
 */
#define SFRAME_TEXTS_MAX 16384

/* How often the header may be paged out between its fault-in and its read. */
#define SFRAME_HEADER_TRIES 16

/* How often a search is repeated before it takes the mmap lock. */
#define SFRAME_SEARCH_TRIES 16

/**
 * struct sframe_mm - a set of what is registered, of one mm or several
 * @users:	mms that have it; it changes only while there is one
 * @forked:	there was another user once, whose readers may still search
 * @no_vdso:	the table of the vDSO was removed
 * @changes:	of @texts
 * @texts:	of struct sframe_text; also searched under RCU
 * @tables:	of the same, by their tables
 * @spare:	dropped, and the next one to be added, or NULL
 * @nr_texts:	entries of either
 * @clear_from:	no text or table is in memory from here
 * @clear_to:	up to here, where munmap() last found nothing
 * @last_id:	of a table
 * @generation:	another number when a text range goes; no other set has it
 * @rcu:	for readers, when the last user is gone
 *
 * Allocated by the first registration, freed with the last user.
 */
struct sframe_mm {
	refcount_t	users;
	bool		forked;
	bool		no_vdso;
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
 * struct sframe_spot - where in a tree a range belongs
 * @found:	what overlaps it there, or NULL
 * @link:	the link that it would hang on if nothing does
 * @parent:	the node that has the link, or NULL
 */
struct sframe_spot {
	struct sframe_text	*found;
	struct rb_node		**link;
	struct rb_node		*parent;
};

/* The spots of a text range and of its table in a set. */
struct sframe_spots {
	struct sframe_spot	text;
	struct sframe_spot	table;
};

/* The last generation of any set; that of no set is 0. */
static atomic64_t sframe_last_generation = ATOMIC64_INIT(0);

/**
 * struct sframe_text - a text range, and the table that describes it
 * @view:	both; constant while it is in a tree
 * @by_text:	in the tree of texts, which do not overlap
 * @by_table:	in the tree of tables, which are the same or do not overlap
 * @rcu:	once in neither; for readers that still look at the two above
 */
struct sframe_text {
	struct sframe_view	view;
	struct rb_node		by_text;
	union {
		struct rb_node	by_table;
		struct rcu_head	rcu;
	};
};

/* Searches that run meanwhile are repeated; they wait for the end of this. */
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
 * Begin a generation of @sframe: what was remembered of its tables is forgotten.
 * Pairs with the acquire load in sframe_try_view(): a reader that sees the new
 * generation no longer finds what the caller has removed.
 */
static void sframe_renew(struct sframe_mm *sframe)
{
	/* Behind the removal; see above. */
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
	/* Who loads and unloads one object over and over allocates nothing. */
	if (!sframe->spare)
		sframe->spare = text;
	else
		kfree_rcu(text, rcu);
}

/* Find the first text range that ends behind @from; the mmap lock keeps it. */
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

/*
 * Find a text range, whichever, with a table that overlaps the @size bytes at
 * @start.
 */
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
 * Find the spot of the text, or the table if @table, of @view in the tree at
 * @root.  So each tree is gone down once, whether something is there or is
 * going to be.
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

/* Find the spots of @view in @sframe, which may be NULL. */
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

/* Put the text range of @view, which overlaps no other, at its @spots. */
static int sframe_new_text(struct sframe_mm *sframe,
			   const struct sframe_view *view,
			   const struct sframe_spots *spots)
{
	struct sframe_text *text = sframe->spare;

	if (!text)
		text = kmalloc_obj(*text, GFP_KERNEL_ACCOUNT);
	if (!text)
		return -ENOMEM;
	sframe->spare = NULL;
	sframe_begin_change(sframe);
	/* Readers may still look at the spare one. */
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

/* Free @text, or NULL, of a set that is no more. */
static void sframe_free_text(struct sframe_text *text, bool forked)
{
	if (forked && text)
		kfree_rcu(text, rcu);
	else
		kfree(text);
}

/*
 * Give up one use of @sframe.  Nobody reads what has had one user only: that
 * one has no thread left.
 */
static void sframe_put(struct sframe_mm *sframe)
{
	struct sframe_text *text, *next;
	bool forked;

	if (!refcount_dec_and_test(&sframe->users))
		return;
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
 * Copy to @sframe, which nobody has seen yet, all of @old.  A task that is being
 * killed does not go on.
 */
static int sframe_copy(struct sframe_mm *sframe, const struct sframe_mm *old)
{
	const struct sframe_view *view;
	struct sframe_spots spots;
	struct rb_node *node;
	int ret = 0;

	sframe->no_vdso = old->no_vdso;
	sframe->last_id = old->last_id;
	for (node = rb_first(&old->texts); node && !ret; node = rb_next(node)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		view = &rb_entry(node, struct sframe_text, by_text)->view;
		sframe_find_spots(sframe, view, &spots);
		ret = sframe_new_text(sframe, view, &spots);
	}
	return ret;
}

static bool sframe_is_shared(const struct sframe_mm *sframe)
{
	if (refcount_read(&sframe->users) > 1)
		return true;
	/* Others have read what the caller is about to change. */
	smp_acquire__after_ctrl_dep();
	return false;
}

/*
 * Find the set of @mm, which is locked for writing, for it to be changed; make
 * one if there is none, or @mm shares it.  Return NULL, and leave all as it is,
 * if there is no memory for that.
 */
static struct sframe_mm *sframe_get_own(struct mm_struct *mm)
{
	struct sframe_mm *old = mm->sframe, *sframe;

	if (old && !sframe_is_shared(old))
		return old;
	sframe = kzalloc_obj(*sframe, GFP_KERNEL_ACCOUNT);
	if (!sframe)
		return NULL;
	refcount_set(&sframe->users, 1);
	seqcount_init(&sframe->changes);
	sframe->texts = RB_ROOT;
	sframe->tables = RB_ROOT;
	sframe_renew(sframe);
	if (old && sframe_copy(sframe, old)) {
		sframe_put(sframe);
		return NULL;
	}
	/* Pairs with the dependent read in sframe_try_view(). */
	smp_store_release(&mm->sframe, sframe);
	if (old)
		sframe_put(old);
	return sframe;
}

/*
 * Drop all text ranges of the table at @start.  Return how many those were, or
 * -ENOMEM.
 */
static int sframe_drop_table(struct mm_struct *mm, unsigned long start)
{
	struct sframe_mm *sframe = mm->sframe;
	struct sframe_text *text;
	int count = 0;

	text = sframe ? sframe_find_table(sframe, start, 1) : NULL;
	if (!text || text->view.start != start)
		return 0;
	sframe = sframe_get_own(mm);
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

/* Whether two tables are the same, their headers included if both were read. */
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

/* Whether @mm has the vDSO, and in use; @vdso is its table then. */
static bool sframe_has_vdso(struct mm_struct *mm, struct sframe_view *vdso)
{
	return !(mm->sframe && mm->sframe->no_vdso) &&
	       sframe_vdso_view(mm, vdso);
}

/*
 * Whether exactly the ranges of @view, whose spots are @spots, are registered,
 * with whatever header.
 */
static bool sframe_is_there(struct mm_struct *mm,
			    const struct sframe_view *view,
			    const struct sframe_spots *spots)
{
	const struct sframe_text *text = spots->text.found;
	struct sframe_view vdso;

	if (text)
		return sframe_same_ranges(&text->view, view);
	return sframe_near_vdso(mm, view) && sframe_has_vdso(mm, &vdso) &&
	       sframe_same_ranges(&vdso, view);
}

/*
 * Compare @view with the table of the vDSO, which is not in the set.  Return 0
 * if they have nothing in common but the table; 1 if they are the same, and the
 * vDSO is in use from now on; or an error.
 */
static int sframe_insert_vdso(struct mm_struct *mm,
			      const struct sframe_view *view)
{
	bool removed = mm->sframe && mm->sframe->no_vdso;
	struct sframe_view vdso;

	if (!sframe_near_vdso(mm, view) || !sframe_vdso_view(mm, &vdso))
		return 0;
	if (sframe_same_ranges(&vdso, view) && sframe_same_table(&vdso, view)) {
		if (removed && !sframe_get_own(mm))
			return -ENOMEM;
		if (removed)
			WRITE_ONCE(mm->sframe->no_vdso, false);
		return 1;
	}
	if (removed)
		return 0;
	if (sframe_overlaps(vdso.text, vdso.text_size, view->text,
			    view->text_size))
		return -EEXIST;
	return sframe_overlaps(vdso.start, vdso.size, view->start, view->size) &&
	       !sframe_same_table(&vdso, view) ? -EEXIST : 0;
}

/* Let the text of @view have the table of @table, its header and ID included. */
static void sframe_share_table(struct sframe_view *view,
			       const struct sframe_view *table)
{
	unsigned long text = view->text, text_size = view->text_size;

	*view = *table;
	view->text = text;
	view->text_size = text_size;
}

/*
 * Register @view, of a text range of @mm, which is locked for writing, at
 * @spots.  Return 1 if nothing else is registered with the table, else 0 or an
 * error.
 */
static int sframe_insert(struct mm_struct *mm, struct sframe_view *view,
			 struct sframe_spots *spots)
{
	const struct sframe_text *table = spots->table.found;
	const struct sframe_text *text = spots->text.found;
	struct sframe_mm *sframe = mm->sframe, *own;
	int ret;

	if (table && !sframe_same_table(&table->view, view))
		return -EEXIST;
	if (text)
		return sframe_same_ranges(&text->view, view) ? 0 : -EEXIST;
	ret = sframe_insert_vdso(mm, view);
	if (ret)
		return min(ret, 0);
	if (sframe && sframe->nr_texts >= SFRAME_TEXTS_MAX)
		return -ENOSPC;
	/* A table may describe several text ranges. */
	if (table)
		sframe_share_table(view, &table->view);
	own = sframe_get_own(mm);
	if (!own)
		return -ENOMEM;
	if (own != sframe)
		sframe_find_spots(own, view, spots);
	if (!table)
		view->id = ++own->last_id;
	ret = sframe_new_text(own, view, spots);
	return ret ?: !table;
}

/* Whether the bytes are in user space, not none, and do not wrap. */
static bool sframe_range_ok(unsigned long start, unsigned long size)
{
	return start && size && start < TASK_SIZE && size <= TASK_SIZE - start;
}

/* Say who is refused which table, and why. */
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
 * Check what the ranges of @view lie in.  Of those that are registered that was
 * done then, and their mappings may have been split since.
 */
static int sframe_check_mappings(struct mm_struct *mm,
				 const struct sframe_view *view,
				 const struct sframe_spots *spots,
				 const struct vm_area_struct *vma)
{
	const struct vm_area_struct *text;

	if (sframe_is_there(mm, view, spots))
		return 0;
	if (!vma || view->size > vma->vm_end - view->start)
		return sframe_refuse(view, vma, "not in one mapping", -EINVAL);
	text = vma_lookup(mm, view->text);
	if (!text || !(text->vm_flags & VM_EXEC) ||
	    view->text_size > text->vm_end - view->text)
		return sframe_refuse(view, vma,
				     "text not in one executable mapping",
				     -EINVAL);
	return 0;
}

/*
 * Whether the @len bytes at @start are those of a file that @vma shows, as far as
 * the file goes: nothing was written to a copy of the process's own.
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

/*
 * Read the header of @view, a table in @vma, without a page fault.  Return 0;
 * 1 if its page is that of a file and was not mapped yet; or -EFAULT.
 *
 * The page cache is not looked at: the answer would tell which pages of files
 * others have read.
 */
static int sframe_peek(const struct sframe_view *view,
		       const struct vm_area_struct *vma,
		       struct sframe_header *header)
{
	const size_t len = sizeof(*header);

	if (!copy_from_user_nofault(header, (void __user *)view->start, len))
		return 0;
	return !IS_ENABLED(CONFIG_SFRAME_VALIDATION) &&
	       sframe_shows_file(vma, view->start, len) ? 1 : -EFAULT;
}

/*
 * Complete @view by the header where its table begins.  Page faults take the
 * lock that the caller has, hence it is read without: -EAGAIN says that its
 * page was not there, but is @readable.
 *
 * Who has a page brought in for each table waits for each when a program
 * starts.  The header is read by whoever looks up something then.
 */
static int sframe_read_header(struct sframe_view *view,
			      const struct vm_area_struct *vma, bool readable)
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
 * Register the ranges of @view with @mm locked for writing; return as
 * sframe_insert(), or -EAGAIN as sframe_read_header().
 */
static int sframe_add_locked(struct mm_struct *mm, struct sframe_view *view,
			     bool readable)
{
	const struct vm_area_struct *vma;
	struct sframe_spots spots;
	int ret;

	mmap_assert_write_locked(mm);
	vma = vma_lookup(mm, view->start);
	sframe_find_spots(mm->sframe, view, &spots);
	ret = sframe_check_mappings(mm, view, &spots, vma) ?:
	      sframe_read_header(view, vma, readable) ?:
	      sframe_insert(mm, view, &spots);
	if (ret == -EEXIST)
		sframe_refuse(view, vma, "overlaps what is registered", ret);
	return ret;
}

/*
 * Check all of a table when its first text is registered, not once for each
 * segment of a program.  That takes long, hence without the lock; the process
 * can change the table afterwards in any case.
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

/**
 * sframe_add - register a table for a text range of the current process
 * @table:	user address of the table
 * @table_size:	its bytes
 * @text:	user address of the text
 * @text_size:	its bytes
 *
 * What is checked is what is stored: mappings and header are looked at and
 * the ranges inserted without the mmap lock being released in between.  A
 * header that a file would have to be read for is checked when it is used.  Rows
 * are checked by CONFIG_SFRAME_VALIDATION only, and each time they are read.
 *
 * Return: 0, also if exactly that is registered already; or the first of these
 * that applies:
 * -EINVAL if the caller is a 32-bit task, or a range is empty or wraps;
 * -EINTR if a fatal signal is pending;
 * -EINVAL if a range is not inside one mapping, or the text not executable;
 * -EFAULT if the header cannot be read;
 * -EINVAL if it is not one of a usable table;
 * -EEXIST if a range overlaps another one that is registered, or the table is
 * registered with another header;
 * -ENOSPC if the process has registered too much;
 * -ENOMEM if there is no memory;
 * as sframe_validate() if the table is new, with that option.
 */
int sframe_add(unsigned long table, unsigned long table_size,
	       unsigned long text, unsigned long text_size)
{
	const size_t len = sizeof(struct sframe_header);
	struct sframe_view view = {
		.start		= table,
		.size		= table_size,
		.text		= text,
		.text_size	= text_size,
	};
	struct mm_struct *mm = current->mm;
	bool readable = true;
	int ret = -EAGAIN;

	/* A view of 32-bit registers is something else altogether. */
	if (in_compat_syscall())
		return -EINVAL;
	if (!sframe_range_ok(table, table_size) || table_size < len ||
	    !IS_ALIGNED(table, 4) || !sframe_range_ok(text, text_size))
		return -EINVAL;

	for (int i = 0; i < SFRAME_HEADER_TRIES && ret == -EAGAIN; i++) {
		if (mmap_write_lock_killable(mm))
			return -EINTR;
		ret = sframe_add_locked(mm, &view, readable);
		mmap_write_unlock(mm);
		if (ret == -EAGAIN)
			readable = !fault_in_readable((char __user *)table, len);
	}
	if (ret > 0)
		return sframe_check(&view);
	return ret == -EAGAIN ? -EFAULT : ret;
}

/**
 * sframe_add_elf - register the table of an object, if it has one
 * @phdr:	its program headers
 * @phnum:	how many there are
 * @bias:	what to add to their addresses
 *
 * Each executable segment is registered, by the numbers that ld.so will come
 * up with.  Only profilers miss a table that is refused.
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
 * Forget the table at @start, be it that of the vDSO.  Return 0 if there is
 * none, else as sframe_drop_table().
 */
static int sframe_forget(struct mm_struct *mm, unsigned long start)
{
	struct sframe_view vdso;

	if (sframe_has_vdso(mm, &vdso) && vdso.start == start) {
		if (!sframe_get_own(mm))
			return -ENOMEM;
		WRITE_ONCE(mm->sframe->no_vdso, true);
		return 1 + sframe_drop_table(mm, start);
	}
	return sframe_drop_table(mm, start);
}

/**
 * sframe_remove - forget a table of the current process
 * @start:	user address of the table
 *
 * All text ranges registered with it go.
 *
 * Return: 0; -EINVAL if the caller is a 32-bit task; -EINTR if a fatal signal is
 * pending; -ENOENT if there is no such table; -ENOMEM if there is no memory for
 * the others, which a relative by fork() has, too.
 */
int sframe_remove(unsigned long start)
{
	struct mm_struct *mm = current->mm;
	int count;

	if (in_compat_syscall())
		return -EINVAL;
	if (mmap_write_lock_killable(mm))
		return -EINTR;
	count = sframe_forget(mm, start);
	mmap_write_unlock(mm);
	return count ? min(count, 0) : -ENOENT;
}

/* The text range that has @ip, or NULL; maybe wrongly if the tree changes. */
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
 * sframe_generation - tell what a process has registered from what it had
 * @mm:		in use by the caller, who is under RCU
 *
 * Return: another number once a text range of the process is gone, that no other
 * set of tables ever has; 0 if the process has registered nothing.
 */
u64 sframe_generation(const struct mm_struct *mm)
{
	/* Pairs with sframe_get_own(). */
	const struct sframe_mm *sframe = rcu_dereference_raw(mm->sframe);

	return sframe ? READ_ONCE(sframe->generation) : 0;
}

/*
 * Copy to @view what describes @ip.  Return 0; -ENOENT if nothing does, or 1 if
 * the vDSO may not either; -EAGAIN if that cannot be told now.
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
	/* Pairs with sframe_get_own(). */
	sframe = rcu_dereference_raw(mm->sframe);
	if (!sframe)
		return -ENOENT;
	seq = read_seqcount_begin(&sframe->changes);
	/* Pairs with sframe_renew(). */
	generation = smp_load_acquire(&sframe->generation);
	text = sframe_search(sframe, ip);
	if (text) {
		*view = text->view;
		view->generation = generation;
	}
	ret = READ_ONCE(sframe->no_vdso) ? 1 : -ENOENT;
	if (read_seqcount_retry(&sframe->changes, seq))
		return -EAGAIN;
	/* Pairs with sframe_is_shared(): another user may have changed it. */
	if (READ_ONCE(mm->sframe) != sframe)
		return -EAGAIN;
	return text ? 0 : ret;
}

/**
 * sframe_find_view - find the table that describes an address
 * @ip:		user address of the current process
 * @view:	where to store what is known of the table
 *
 * The caller can sleep and has not locked the mm: a process that registers
 * without end, and so leads all searches astray, has this one wait for its turn.
 *
 * Return: whether there is one.
 */
bool sframe_find_view(unsigned long ip, struct sframe_view *view)
{
	struct mm_struct *mm = current->mm;
	int ret = -EAGAIN;

	for (int i = 0; i < SFRAME_SEARCH_TRIES && ret == -EAGAIN; i++)
		ret = sframe_try_view(mm, ip, view);
	/* A task past being killed does not wait for who waits for a page. */
	if (ret == -EAGAIN && !pagefault_disabled() &&
	    !mmap_read_lock_killable(mm)) {
		ret = sframe_try_view(mm, ip, view);
		mmap_read_unlock(mm);
	}
	if (!ret || (ret == -ENOENT && sframe_find_vdso(ip, view)))
		return true;
	/* A search that was led astray may have left parts of two tables. */
	view->text_size = 0;
	return false;
}

/**
 * sframe_next_text - find the first text range from an address on
 * @mm:		locked, for reading at least
 * @from:	the address
 * @info:	where to store what is registered
 *
 * Return: whether there is one.
 */
bool sframe_next_text(struct mm_struct *mm, unsigned long from,
		      struct sframe_info *info)
{
	struct sframe_text *text = NULL;
	struct sframe_view *view, vdso;

	mmap_assert_locked(mm);
	if (mm->sframe)
		text = sframe_first_text(mm->sframe, from);
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
 * Whether the table of @view is what is registered now.  Another thread may have
 * replaced it since, by its like even.
 */
static bool sframe_is_current(struct mm_struct *mm,
			      const struct sframe_view *view)
{
	const struct sframe_text *text;
	struct sframe_view vdso;

	if (view->id == SFRAME_VDSO_ID)
		return sframe_has_vdso(mm, &vdso) && vdso.start == view->start;
	text = mm->sframe ? sframe_find_table(mm->sframe, view->start, 1) : NULL;
	return text && text->view.id == view->id;
}

/**
 * sframe_drop_corrupt - forget a table that was found to contradict itself
 * @view:	the table
 *
 * It would be found so again in each trace.  The caller can sleep and has not
 * locked the mm.  If it has page faults disabled, as it cannot be killed, that
 * is left to another trace: who has the lock may wait for a page.  So it is if
 * there is no memory to have other tables than a relative by fork().
 */
void sframe_drop_corrupt(const struct sframe_view *view)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;

	if (pagefault_disabled() || mmap_write_lock_killable(mm))
		return;
	if (sframe_is_current(mm, view)) {
		vma = vma_lookup(mm, view->start);
		pr_debug_ratelimited("%s[%d]: corrupt table at %#lx in %pD\n",
				     current->comm, task_pid_nr(current),
				     view->start, vma ? vma->vm_file : NULL);
		sframe_forget(mm, view->start);
	}
	mmap_write_unlock(mm);
}

/*
 * Go down from @root towards the memory from *@from up to *@to.  Return whether
 * a text is met there, or a table if @tables; else the two are moved as far as
 * there is none.
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
 * Whether @sframe has nothing from @start up to @end.  Programs unmap memory in
 * the same places over and over: that there is nothing is remembered, though
 * not in a set that others read.
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

/* Drop all that overlaps the @size bytes at @start. */
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

/**
 * __sframe_unmap - forget what described, or lay in, memory that is gone
 * @mm:		locked for writing
 * @start:	first address
 * @end:	address behind the last
 *
 * A range that has lost a part is forgotten as a whole: the object that it
 * belonged to is on its way out.  If the set is shared and there is no memory
 * for a copy, @mm forgets all: munmap() cannot fail any more, and no table may
 * describe what is mapped there next.
 */
void __sframe_unmap(struct mm_struct *mm, unsigned long start,
		    unsigned long end)
{
	struct sframe_mm *sframe = mm->sframe, *own;

	mmap_assert_write_locked(mm);
	if (sframe_is_clear(sframe, start, end))
		return;
	own = sframe_get_own(mm);
	if (own) {
		sframe_drop_range(own, start, end - start);
		return;
	}
	WRITE_ONCE(mm->sframe, NULL);
	sframe_put(sframe);
}

/**
 * __sframe_dup_mm - share with a new process what its parent has registered
 * @mm:		of the new process
 * @oldmm:	of its parent
 *
 * Both are locked for writing, and all that is registered is mapped in @oldmm.
 * The caller goes through the mappings afterwards anyway: it calls
 * sframe_unmap() for each that the child does not get.
 */
void __sframe_dup_mm(struct mm_struct *mm, struct mm_struct *oldmm)
{
	struct sframe_mm *sframe = oldmm->sframe;

	refcount_inc(&sframe->users);
	WRITE_ONCE(sframe->forked, true);
	mm->sframe = sframe;
}

/**
 * __sframe_free_mm - let go of all that was registered
 * @mm:		has no users any more, so that nobody reads or locks it
 */
void __sframe_free_mm(struct mm_struct *mm)
{
	sframe_free_cache(mm);
	if (mm->sframe)
		sframe_put(mm->sframe);
	mm->sframe = NULL;
}
