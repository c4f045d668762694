// SPDX-License-Identifier: GPL-2.0-only
/*
 * SFrame tables of a process: how the unwinder and /proc find them, how those
 * that contradict the format are dropped, and the choice of unwinders, which is
 * stored with them.
 *
 * An mm that has registered a table, or chosen unwinders, has a set of text
 * ranges: see sframe_set.c. The table of the vDSO is in no set, but counts as
 * registered until it is removed: see sframe_vdso.c.
 */
#define pr_fmt(fmt) "sframe: " fmt

#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sframe.h>
#include <linux/uaccess.h>

#include "sframe.h"
#include "sframe_set.h"

/*
 * For a copy of a set while a stack is unwound: do not wait for memory. Without
 * it the set stays as it is.
 */
#define SFRAME_GFP_TRACE	(GFP_NOWAIT | __GFP_ACCOUNT)

/* How often a search is repeated before it takes the mmap lock. */
#define SFRAME_SEARCH_TRIES 16

/* Whether the table of the vDSO of @mm, which is locked, was removed. */
bool sframe_removed_vdso(const struct mm_struct *mm)
{
	const struct sframe_set *set = sframe_locked_set(mm);

	return set && set->no_vdso;
}

/* Whether @mm has a vDSO whose table was not removed. Store it in @vdso. */
bool sframe_has_vdso(struct mm_struct *mm, struct sframe_view *vdso)
{
	return !sframe_removed_vdso(mm) && sframe_vdso_view(mm, vdso);
}

/*
 * Drop the table at @start, which may be that of the vDSO. Return as
 * sframe_drop_table() does.
 */
int sframe_forget(struct mm_struct *mm, unsigned long start, gfp_t gfp)
{
	struct sframe_view vdso;
	struct sframe_set *own;

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
	struct sframe_set *set;
	int ret = 0;

	if (mmap_write_lock_killable(mm))
		return -EINTR;
	if (order != sframe_order(mm)) {
		set = sframe_get_own(mm, GFP_KERNEL_ACCOUNT);
		if (set)
			WRITE_ONCE(set->order, order);
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
	const struct sframe_set *set;
	u16 order;

	guard(rcu)();
	do {
		/* Pairs with the release in sframe_publish(). */
		set = rcu_dereference(mm->sframe_set);
		order = set ? READ_ONCE(set->order) : 0;
		/*
		 * Pairs with the barrier in sframe_is_shared(): if the order
		 * is one that the other user has set since, @mm has another
		 * set.
		 */
		smp_rmb();
	} while (rcu_access_pointer(mm->sframe_set) != set);
	return order;
}

/**
 * __sframe_has_tables - whether a process has registered tables
 * @mm:		an mm that the caller keeps
 *
 * Return: whether its set has a text range.
 */
bool __sframe_has_tables(const struct mm_struct *mm)
{
	const struct sframe_set *set;

	guard(rcu)();
	/* Pairs with the release in sframe_publish(). */
	set = rcu_dereference(mm->sframe_set);
	return set && !RB_EMPTY_ROOT(&set->texts);
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
 * Return: whether there is one. If not, the size of @view's text is 0.
 */
bool sframe_find_view(unsigned long ip, struct sframe_view *view)
{
	struct mm_struct *mm = current->mm;
	int ret = -EAGAIN;

	for (int i = 0; i < SFRAME_SEARCH_TRIES && ret == -EAGAIN; i++)
		ret = sframe_try_view(mm, ip, view);
	if (ret == -EAGAIN && sframe_lock_mm(mm)) {
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
	struct sframe_set *set = sframe_locked_set(mm);
	struct sframe_text *text = NULL;
	struct sframe_view *view, vdso;

	if (set)
		text = sframe_first_text(set, from);
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
	struct sframe_set *set = sframe_locked_set(mm);
	const struct sframe_text *text;
	struct sframe_view vdso;

	if (view->id == SFRAME_VDSO_ID)
		return sframe_has_vdso(mm, &vdso) && vdso.start == view->start;
	text = set ? sframe_find_table(set, view->start, 1) : NULL;
	return text && text->view.id == view->id;
}

/**
 * sframe_drop_corrupt - drop a table whose contents contradict the format
 * @view:	the table
 *
 * Otherwise each trace would find the fault again. The caller can sleep and
 * does not hold the mmap lock. The table stays if page faults are disabled (the
 * task is exiting, and the holder of the lock may wait for a page), or if the
 * set is shared and there was no memory for a copy: see sframe_copy_denied().
 */
void sframe_drop_corrupt(const struct sframe_view *view)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;

	if (pagefault_disabled() || sframe_copy_denied(mm) ||
	    mmap_write_lock_killable(mm))
		return;
	if (sframe_is_current(mm, view)) {
		vma = vma_lookup(mm, view->start);
		pr_debug_ratelimited("%s[%d]: corrupt table at %#lx in %pD\n",
				     current->comm, task_pid_nr(current),
				     view->start, vma ? vma->vm_file : NULL);
		sframe_forget(mm, view->start, SFRAME_GFP_TRACE);
	}
	mmap_write_unlock(mm);
}
