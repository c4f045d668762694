// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registration of SFrame tables: what a process, or exec for it, may add to its
 * set, and what it removes.
 *
 * Nothing that the caller says is trusted: ranges, mappings and header are
 * checked before they are inserted. FDEs and FREs are checked when they are
 * read.
 */
#define pr_fmt(fmt) "sframe: " fmt

#include <linux/align.h>
#include <linux/compat.h>
#include <linux/elf.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/pagewalk.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/sframe.h>
#include <linux/uaccess.h>

#include "sframe.h"
#include "sframe_set.h"

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
	struct sframe_set *own;

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
	struct sframe_set *set = sframe_locked_set(mm), *own;
	int ret;

	if (table && !sframe_same_table(&table->view, view))
		return -EEXIST;
	if (text)
		return sframe_same_ranges(&text->view, view) ? 0 : -EEXIST;
	ret = near_vdso ? sframe_insert_vdso(mm, view) : 0;
	if (ret)
		return min(ret, 0);
	if (set && set->nr_texts >= SFRAME_TEXTS_MAX)
		return -ENOSPC;
	/* A table may describe several text ranges. */
	if (table)
		sframe_share_table(view, &table->view);
	own = sframe_get_own(mm, GFP_KERNEL_ACCOUNT);
	if (!own)
		return -ENOMEM;
	if (own != set)
		sframe_find_spots(own, view, spots);
	if (!table)
		view->id = sframe_new_id();
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
 * Find the mappings that contain @low and @high, where @low <= @high; NULL for
 * an address without a mapping. An object's text and table are mostly in
 * mappings that follow each other: look there before a second search.
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
 * process could change the table after a check under the lock as well. A table
 * that cannot be read is dropped, too.
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
	bool readable = true, new;
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
