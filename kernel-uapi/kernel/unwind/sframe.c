// SPDX-License-Identifier: GPL-2.0-only
/*
 * SFrame tables of a process: registration, and life along with its mappings.
 *
 * An mm that has registered anything has a maple tree of the text ranges, which
 * the unwinder searches under RCU, and a red-black tree of the same by their
 * tables, so that a table can be found when its memory goes away.  Both change
 * under the mmap lock held for writing; tables are only looked for under it,
 * and a maple tree costs several times as much to change.
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
#include <linux/maple_tree.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
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

/**
 * struct sframe_mm - what one mm has registered
 * @texts:	of struct sframe_text
 * @tables:	of the same, by their tables
 * @nr_texts:	entries of either
 *
 * Allocated by the first registration, freed with the mm's last user.
 */
struct sframe_mm {
	struct maple_tree	texts;
	struct rb_root		tables;
	unsigned int		nr_texts;
};

/**
 * struct sframe_text - a text range, and the table that describes it
 * @view:	both; constant
 * @node:	in the tree of tables, which are the same or do not overlap
 * @rcu:	for readers that still look at @view
 */
struct sframe_text {
	struct sframe_view	view;
	struct rb_node		node;
	struct rcu_head		rcu;
};

/* sframe_has_own() looks at the number without the lock. */
static void sframe_count_texts(struct sframe_mm *sframe, int more)
{
	WRITE_ONCE(sframe->nr_texts, sframe->nr_texts + more);
}

static void sframe_drop(struct sframe_mm *sframe, struct sframe_text *text)
{
	mtree_erase(&sframe->texts, text->view.text);
	rb_erase(&text->node, &sframe->tables);
	sframe_count_texts(sframe, -1);
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
	mt_init_flags(&sframe->texts, MT_FLAGS_USE_RCU);
	sframe->tables = RB_ROOT;
	/* Pairs with the dependent read in sframe_find_view(). */
	smp_store_release(&mm->sframe, sframe);
	return sframe;
}

/*
 * Find the first text range that overlaps the @size bytes at @start; the mmap
 * lock keeps it.
 */
static struct sframe_text *sframe_find_text(struct sframe_mm *sframe,
					    unsigned long start,
					    unsigned long size)
{
	unsigned long index = start;

	return mt_find(&sframe->texts, &index, start + size - 1);
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
			rb_entry(node, struct sframe_text, node);
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
	return rb_entry(a, struct sframe_text, node)->view.start <
	       rb_entry(b, struct sframe_text, node)->view.start;
}

/* Add the text range of @view; -EEXIST if it overlaps another one. */
static int sframe_new_text(struct sframe_mm *sframe,
			   const struct sframe_view *view)
{
	struct sframe_text *text;
	int ret;

	if (sframe->nr_texts >= SFRAME_TEXTS_MAX)
		return -ENOSPC;
	text = kmalloc_obj(*text, GFP_KERNEL_ACCOUNT);
	if (!text)
		return -ENOMEM;
	text->view = *view;
	ret = mtree_insert_range(&sframe->texts, view->text,
				 view->text + view->text_size - 1, text,
				 GFP_KERNEL_ACCOUNT);
	if (ret) {
		kfree(text);
		return ret;
	}
	rb_add(&text->node, &sframe->tables, sframe_table_less);
	sframe_count_texts(sframe, 1);
	return 0;
}

static bool sframe_same_table(const struct sframe_view *a,
			      const struct sframe_view *b)
{
	return a->start == b->start && a->size == b->size;
}

/*
 * Whether exactly the text range of @view is registered, with its table; the
 * mmap lock keeps it.
 */
static bool sframe_is_there(struct sframe_mm *sframe,
			    const struct sframe_view *view)
{
	const struct sframe_text *text = mtree_load(&sframe->texts, view->text);

	return text && sframe_same_table(&text->view, view) &&
	       text->view.text == view->text &&
	       text->view.text_size == view->text_size;
}

/*
 * Register @view, of a text range of @mm, which is locked for writing.  Return
 * 1 if nothing else is registered with the table, else 0 or an error.
 */
static int sframe_insert(struct mm_struct *mm, const struct sframe_view *view)
{
	struct sframe_mm *sframe = sframe_get_mm(mm);
	struct sframe_text *text;
	int ret;

	if (!sframe)
		return -ENOMEM;

	/* A table may describe several text ranges. */
	text = sframe_find_table(sframe, view->start, view->size);
	if (text && !sframe_same_table(&text->view, view))
		return -EEXIST;
	if (text && sframe_is_there(sframe, view))
		return 0;
	ret = sframe_new_text(sframe, view);
	return ret ?: !text;
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

/*
 * Register with @mm locked for writing; return as sframe_insert().  Page faults
 * take that lock, hence the header is read without: -EAGAIN says that its page
 * was not there.
 */
static int sframe_add_locked(struct mm_struct *mm, unsigned long table,
			     unsigned long table_size, unsigned long text,
			     unsigned long text_size, struct sframe_view *view)
{
	struct sframe_header header;
	int ret;

	mmap_assert_write_locked(mm);
	if (!sframe_range_mapped(mm, table, table_size, 0) ||
	    !sframe_range_mapped(mm, text, text_size, VM_EXEC))
		return -EINVAL;
	if (copy_from_user_nofault(&header, (void __user *)table,
				   sizeof(header)))
		return -EAGAIN;
	ret = sframe_parse_header(&header, table, table_size, view);
	if (ret)
		return ret;
	view->text = text;
	view->text_size = text_size;
	return sframe_insert(mm, view);
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
 * Return: 0, also if exactly that is registered already;
 * -EINVAL if a range is empty, wraps, or is not inside one mapping, the text
 * is not executable, or the header is not one of a usable table;
 * -EFAULT if the header cannot be read;
 * -EEXIST if a range overlaps another one that is registered;
 * -ENOSPC if the process has registered too much;
 * -ENOMEM if there is no memory;
 * -EINTR if a fatal signal is pending.
 */
int sframe_add(unsigned long table, unsigned long table_size,
	       unsigned long text, unsigned long text_size)
{
	struct mm_struct *mm = current->mm;
	const size_t len = sizeof(struct sframe_header);
	struct sframe_view view;
	int ret;

	/* A view of 32-bit registers is something else altogether. */
	if (in_compat_syscall())
		return -EINVAL;
	if (!sframe_range_ok(table, table_size) || table_size < len ||
	    !IS_ALIGNED(table, 4) || !sframe_range_ok(text, text_size))
		return -EINVAL;

	for (int i = 0; i < SFRAME_HEADER_TRIES; i++) {
		if (mmap_write_lock_killable(mm))
			return -EINTR;
		ret = sframe_add_locked(mm, table, table_size, text, text_size,
					&view);
		mmap_write_unlock(mm);
		if (ret > 0)
			return sframe_check(&view);
		if (ret != -EAGAIN)
			return ret;
		if (fault_in_readable((const char __user *)table, len))
			return -EFAULT;
	}
	return -EFAULT;
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
 * Return: 0, -ENOENT if there is no such table, -EINTR if a fatal signal is
 * pending.
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

/**
 * sframe_find_view - find the table that describes an address
 * @ip:		user address of the current process
 * @view:	where to store what is known of the table
 *
 * Return: whether there is one.
 */
bool sframe_find_view(unsigned long ip, struct sframe_view *view)
{
	/* Pairs with sframe_get_mm(); what it points to lives as long as us. */
	struct sframe_mm *sframe = READ_ONCE(current->mm->sframe);
	struct sframe_text *text;

	if (!sframe)
		return false;
	guard(rcu)();
	text = mtree_load(&sframe->texts, ip);
	if (!text)
		return false;
	*view = text->view;
	return true;
}

/**
 * sframe_has_own - whether a process has tables of its own
 * @mm:		the current one
 *
 * One of them, as a rule that of the vDSO, says nothing about the program.
 *
 * Return: whether it has, or had when it was looked at.
 */
bool sframe_has_own(struct mm_struct *mm)
{
	struct sframe_mm *sframe = READ_ONCE(mm->sframe);

	return sframe && READ_ONCE(sframe->nr_texts) > 1;
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
	text = sframe ? mt_find(&sframe->texts, &from, ULONG_MAX) : NULL;
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
 * locked the mm.
 */
void sframe_drop_corrupt(const struct sframe_view *view)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	struct sframe_text *text;

	if (mmap_write_lock_killable(mm))
		return;
	text = sframe_find_table(mm->sframe, view->start, 1);
	/* Another thread may have replaced it since. */
	if (text && sframe_same_table(&text->view, view)) {
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
	struct sframe_text *text;
	unsigned long index = 0;
	int ret;

	mt_for_each(&oldmm->sframe->texts, text, index, ULONG_MAX) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		ret = sframe_insert(mm, &text->view);
		if (ret < 0)
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

	rbtree_postorder_for_each_entry_safe(text, next, &sframe->tables, node)
		kfree(text);
	/*
	 * Not by RCU: nobody reads, and the walk that frees a tree then takes
	 * the metadata of an inner node of 15 children for a 16th child.
	 */
	mt_clear_in_rcu(&sframe->texts);
	mtree_destroy(&sframe->texts);
	kfree(sframe);
	mm->sframe = NULL;
}
