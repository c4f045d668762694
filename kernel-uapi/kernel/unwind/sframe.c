// SPDX-License-Identifier: GPL-2.0-only
/*
 * SFrame tables of a process: registration, and life along with its mappings.
 *
 * An mm that has registered anything has two red-black trees of its text
 * ranges: by their addresses, and by their tables, so that a table can be found
 * when its memory goes away.  Both change under the mmap lock held for writing.
 *
 * The unwinder searches the first one under RCU and without that lock.  What it
 * finds was registered; where it finds nothing while the tree changes it may
 * have been led astray, which a sequence count tells, and it searches again.
 *
 * A reader takes a copy of the little that it needs to know of a table and
 * leaves RCU before it touches user memory.  So a page that never arrives, be
 * it of FUSE or userfaultfd, holds up no grace period.  It may then read what
 * is not the table any more, and does so until its trace leaves the text: all
 * that it reads is checked, and it ends up with a wrong trace of a task that
 * unmaps the code it runs.
 */
#define pr_fmt(fmt) "sframe: " fmt

#include <linux/compat.h>
#include <linux/elf.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/preempt.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>
#include <linux/sframe.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "sframe.h"

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
 * struct sframe_mm - what one mm has registered
 * @texts:	of struct sframe_text; also searched under RCU
 * @changes:	of @texts
 * @tables:	of the same, by their tables
 * @nr_texts:	entries of either
 * @last_id:	of a table
 *
 * Allocated by the first registration, freed with the mm's last user.
 */
struct sframe_mm {
	struct rb_root	texts;
	seqcount_t	changes;
	struct rb_root	tables;
	unsigned int	nr_texts;
	u64		last_id;
};

/**
 * struct sframe_text - a text range, and the table that describes it
 * @view:	both; constant
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

static void sframe_drop(struct sframe_mm *sframe, struct sframe_text *text)
{
	sframe_begin_change(sframe);
	rb_erase(&text->by_text, &sframe->texts);
	sframe_end_change(sframe);
	rb_erase(&text->by_table, &sframe->tables);
	sframe->nr_texts--;
	kfree_rcu(text, rcu);
}

/* Find the trees of @mm, which is locked for writing, or make them. */
static struct sframe_mm *sframe_get_mm(struct mm_struct *mm)
{
	struct sframe_mm *sframe = mm->sframe;

	if (sframe)
		return sframe;
	sframe = kzalloc_obj(*sframe, GFP_KERNEL_ACCOUNT);
	if (!sframe)
		return NULL;
	sframe->texts = RB_ROOT;
	seqcount_init(&sframe->changes);
	sframe->tables = RB_ROOT;
	/* Pairs with the dependent read in sframe_find_view(). */
	smp_store_release(&mm->sframe, sframe);
	return sframe;
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

/* Drop all text ranges of the table at @start.  Return whether there are any. */
static bool sframe_drop_table(struct sframe_mm *sframe, unsigned long start)
{
	struct sframe_text *text;
	bool found = false;

	while ((text = sframe_find_table(sframe, start, 1)) &&
	       text->view.start == start) {
		sframe_drop(sframe, text);
		found = true;
	}
	return found;
}

static bool sframe_table_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct sframe_text, by_table)->view.start <
	       rb_entry(b, struct sframe_text, by_table)->view.start;
}

/* As rb_add(), for readers under RCU. */
static void sframe_link_text(struct rb_root *texts, struct sframe_text *text)
{
	struct rb_node **link = &texts->rb_node, *parent = NULL;
	const struct sframe_text *other;

	while (*link) {
		parent = *link;
		other = rb_entry(parent, struct sframe_text, by_text);
		link = text->view.text < other->view.text ? &parent->rb_left :
							    &parent->rb_right;
	}
	rb_link_node_rcu(&text->by_text, parent, link);
	rb_insert_color(&text->by_text, texts);
}

/* Add the text range of @view, which overlaps no other. */
static int sframe_new_text(struct sframe_mm *sframe,
			   const struct sframe_view *view)
{
	struct sframe_text *text = kmalloc_obj(*text, GFP_KERNEL_ACCOUNT);

	if (!text)
		return -ENOMEM;
	text->view = *view;
	sframe_begin_change(sframe);
	sframe_link_text(&sframe->texts, text);
	sframe_end_change(sframe);
	rb_add(&text->by_table, &sframe->tables, sframe_table_less);
	sframe->nr_texts++;
	return 0;
}

static bool sframe_same_ranges(const struct sframe_view *a,
			       const struct sframe_view *b)
{
	return a->start == b->start && a->size == b->size &&
	       a->text == b->text && a->text_size == b->text_size;
}

/* Whether two tables are the same, their headers included. */
static bool sframe_same_table(const struct sframe_view *a,
			      const struct sframe_view *b)
{
	return a->start == b->start && a->size == b->size &&
	       a->fdes == b->fdes && a->nr_fdes == b->nr_fdes &&
	       a->fres == b->fres && a->nr_fres == b->nr_fres &&
	       a->fre_len == b->fre_len && a->flags == b->flags &&
	       a->fixed_fp == b->fixed_fp && a->fixed_ra == b->fixed_ra;
}

/* Whether exactly the ranges of @view are registered, with whatever header. */
static bool sframe_is_there(struct sframe_mm *sframe,
			    const struct sframe_view *view)
{
	const struct sframe_text *text = sframe ?
		sframe_find_text(sframe, view->text, view->text_size) : NULL;

	return text && sframe_same_ranges(&text->view, view);
}

/*
 * Register @view, of a text range of @mm, which is locked for writing.  Return
 * 1 if nothing else is registered with the table, else 0 or an error.
 */
static int sframe_insert(struct mm_struct *mm, struct sframe_view *view)
{
	struct sframe_mm *sframe = sframe_get_mm(mm);
	const struct sframe_text *table, *text;
	int ret;

	if (!sframe)
		return -ENOMEM;

	/* A table may describe several text ranges. */
	table = sframe_find_table(sframe, view->start, view->size);
	if (table && !sframe_same_table(&table->view, view))
		return -EEXIST;
	text = sframe_find_text(sframe, view->text, view->text_size);
	if (text)
		return sframe_same_ranges(&text->view, view) ? 0 : -EEXIST;
	if (sframe->nr_texts >= SFRAME_TEXTS_MAX)
		return -ENOSPC;
	view->id = table ? table->view.id : ++sframe->last_id;
	ret = sframe_new_text(sframe, view);
	return ret ?: !table;
}

/* Whether the bytes are in user space, not none, and do not wrap. */
static bool sframe_range_ok(unsigned long start, unsigned long size)
{
	return start && size && start < TASK_SIZE && size <= TASK_SIZE - start;
}

/* Whether one mapping with all of @flags has all of the bytes. */
static bool sframe_range_mapped(struct mm_struct *mm, unsigned long start,
				unsigned long size, vm_flags_t flags)
{
	struct vm_area_struct *vma = vma_lookup(mm, start);

	return vma && (vma->vm_flags & flags) == flags &&
	       size <= vma->vm_end - start;
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
				 const struct vm_area_struct *vma)
{
	if (sframe_is_there(mm->sframe, view))
		return 0;
	if (!sframe_range_mapped(mm, view->start, view->size, 0))
		return sframe_refuse(view, vma, "not in one mapping", -EINVAL);
	if (!sframe_range_mapped(mm, view->text, view->text_size, VM_EXEC))
		return sframe_refuse(view, vma,
				     "text not in one executable mapping",
				     -EINVAL);
	return 0;
}

/*
 * Complete @view by the header where its table begins.  Page faults take the
 * lock that the caller has, hence it is read without: -EAGAIN says that its
 * page was not there, but is @readable.
 */
static int sframe_read_header(struct sframe_view *view,
			      const struct vm_area_struct *vma, bool readable)
{
	const struct sframe_view ranges = *view;
	struct sframe_header header;
	const char *why;

	if (copy_from_user_nofault(&header, (void __user *)ranges.start,
				   sizeof(header)))
		return readable ? -EAGAIN :
		       sframe_refuse(view, vma, "unreadable header", -EFAULT);
	why = sframe_header_fault(&header, ranges.size);
	if (why)
		return sframe_refuse(view, vma, why, -EINVAL);
	sframe_parse_header(&header, ranges.start, ranges.size, view);
	view->text = ranges.text;
	view->text_size = ranges.text_size;
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
	int ret;

	mmap_assert_write_locked(mm);
	vma = vma_lookup(mm, view->start);
	ret = sframe_check_mappings(mm, view, vma) ?:
	      sframe_read_header(view, vma, readable) ?:
	      sframe_insert(mm, view);
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
 * the ranges inserted without the mmap lock being released in between.  Rows
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

/**
 * sframe_remove - forget a table of the current process
 * @start:	user address of the table
 *
 * All text ranges registered with it go.
 *
 * Return: 0; -EINVAL if the caller is a 32-bit task; -EINTR if a fatal signal is
 * pending; -ENOENT if there is no such table.
 */
int sframe_remove(unsigned long start)
{
	struct mm_struct *mm = current->mm;
	bool found;

	if (in_compat_syscall())
		return -EINVAL;
	if (mmap_write_lock_killable(mm))
		return -EINTR;
	found = mm->sframe && sframe_drop_table(mm->sframe, start);
	mmap_write_unlock(mm);
	return found ? 0 : -ENOENT;
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

/* Copy to @view what describes @ip; -EAGAIN if that cannot be told now. */
static int sframe_try_view(const struct sframe_mm *sframe, unsigned long ip,
			   struct sframe_view *view)
{
	unsigned int seq = read_seqcount_begin(&sframe->changes);
	const struct sframe_text *text;

	guard(rcu)();
	text = sframe_search(sframe, ip);
	if (text) {
		*view = text->view;
		return 0;
	}
	return read_seqcount_retry(&sframe->changes, seq) ? -EAGAIN : -ENOENT;
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
	/* Pairs with sframe_get_mm(); what it points to lives as long as us. */
	struct sframe_mm *sframe = READ_ONCE(mm->sframe);
	int ret = sframe ? -EAGAIN : -ENOENT;

	for (int i = 0; i < SFRAME_SEARCH_TRIES && ret == -EAGAIN; i++)
		ret = sframe_try_view(sframe, ip, view);
	if (ret == -EAGAIN && !mmap_read_lock_killable(mm)) {
		ret = sframe_try_view(sframe, ip, view);
		mmap_read_unlock(mm);
	}
	return !ret;
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
	struct sframe_mm *sframe = mm->sframe;
	struct sframe_text *text;

	mmap_assert_locked(mm);
	text = sframe ? sframe_first_text(sframe, from) : NULL;
	if (!text)
		return false;
	info->text = text->view.text;
	info->text_size = text->view.text_size;
	info->table = text->view.start;
	info->table_size = text->view.size;
	return true;
}

/**
 * sframe_drop_corrupt - forget a table that was found to contradict itself
 * @view:	the table
 *
 * It would be found so again in each trace.  The caller can sleep and has not
 * locked the mm.  If it has page faults disabled, as it cannot be killed, that
 * is left to another trace: who has the lock may wait for a page.
 */
void sframe_drop_corrupt(const struct sframe_view *view)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	struct sframe_text *text;

	if (pagefault_disabled() || mmap_write_lock_killable(mm))
		return;
	text = sframe_find_table(mm->sframe, view->start, 1);
	/* Another thread may have replaced it since, by its like even. */
	if (text && text->view.id == view->id) {
		vma = vma_lookup(mm, view->start);
		pr_debug_ratelimited("%s[%d]: corrupt table at %#lx in %pD\n",
				     current->comm, task_pid_nr(current),
				     view->start, vma ? vma->vm_file : NULL);
		sframe_drop_table(mm->sframe, view->start);
	}
	mmap_write_unlock(mm);
}

/**
 * __sframe_unmap - forget what described, or lay in, memory that is gone
 * @mm:		locked for writing
 * @start:	first address
 * @end:	address behind the last
 *
 * A range that has lost a part is forgotten as a whole: the object that it
 * belonged to is on its way out.
 */
void __sframe_unmap(struct mm_struct *mm, unsigned long start,
		    unsigned long end)
{
	struct sframe_mm *sframe = mm->sframe;
	struct sframe_text *text;

	mmap_assert_write_locked(mm);
	while ((text = sframe_find_text(sframe, start, end - start)) ||
	       (text = sframe_find_table(sframe, start, end - start)))
		sframe_drop(sframe, text);
}

/**
 * __sframe_dup_mm - copy to a new process what its parent has registered
 * @mm:		of the new process
 * @oldmm:	of its parent
 *
 * Both are locked for writing, and all that is registered is mapped in @oldmm.
 * The caller goes through the mappings afterwards anyway: it calls
 * sframe_unmap() for each that the child does not get.  That is why nothing is
 * looked up here, which would cost texts times mappings.
 *
 * Return: 0, -ENOMEM, or -EINTR if a fatal signal is pending.
 */
int __sframe_dup_mm(struct mm_struct *mm, struct mm_struct *oldmm)
{
	const struct sframe_mm *old = oldmm->sframe;
	struct sframe_mm *sframe = sframe_get_mm(mm);
	struct rb_node *node;
	int ret;

	if (!sframe)
		return -ENOMEM;
	sframe->last_id = old->last_id;
	for (node = rb_first(&old->texts); node; node = rb_next(node)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		ret = sframe_new_text(sframe, &rb_entry(node, struct sframe_text,
							by_text)->view);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * __sframe_free_mm - free all that was registered
 * @mm:		has no users any more, so that nobody reads or locks it
 */
void __sframe_free_mm(struct mm_struct *mm)
{
	struct sframe_mm *sframe = mm->sframe;
	struct sframe_text *text, *next;

	rbtree_postorder_for_each_entry_safe(text, next, &sframe->tables,
					     by_table)
		kfree(text);
	kfree(sframe);
	mm->sframe = NULL;
}
