// SPDX-License-Identifier: GPL-2.0-only
/*
 * The SFrame table of the vDSO.
 *
 * It is in no set of registered tables: its address follows from that of the
 * vDSO in each process. It counts as registered until it is removed. The header
 * is read once, from the kernel's own image, so a process that writes to its
 * vDSO can change only FDEs and FREs, which are not trusted anyway.
 */
#include <linux/elf.h>
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sframe.h>
#include <linux/uaccess.h>

#include <asm/sframe_vdso.h>

#include "sframe.h"

/* The table and the text of a vDSO at address 0. No table: text_size is 0. */
static struct sframe_view sframe_vdso __ro_after_init;

/* Read the program headers of the vDSO, which has one executable segment. */
static int __init sframe_init_vdso(void)
{
	const void *image = sframe_arch_vdso_image();
	const struct elf64_hdr *ehdr = image;
	const struct elf64_phdr *phdr = image + ehdr->e_phoff;
	const struct elf64_phdr *table = NULL, *text = NULL;

	for (int i = 0; i < ehdr->e_phnum; i++) {
		if (phdr[i].p_type == PT_GNU_SFRAME)
			table = &phdr[i];
		if (phdr[i].p_type == PT_LOAD && phdr[i].p_flags & PF_X)
			text = &phdr[i];
	}
	if (!table || !text || table->p_memsz < sizeof(struct sframe_header) ||
	    sframe_parse_header(image + table->p_offset, table->p_vaddr,
				table->p_memsz, &sframe_vdso))
		return 0;
	sframe_vdso.text = text->p_vaddr;
	sframe_vdso.text_size = text->p_memsz;
	sframe_vdso.id = SFRAME_VDSO_ID;
	return 0;
}
core_initcall(sframe_init_vdso);

/*
 * The address at which @mm was given a vDSO, which may be unmapped now; 0 if
 * there was no vDSO or it has no table.
 */
static unsigned long sframe_vdso_base(const struct mm_struct *mm)
{
	return sframe_vdso.text_size ? sframe_arch_vdso(mm) : 0;
}

static void sframe_place_vdso(unsigned long base, struct sframe_view *view)
{
	*view = sframe_vdso;
	view->start += base;
	view->text += base;
}

/* Whether @vma, which may be NULL, is the vDSO at @base. It is never split. */
static bool sframe_is_vdso_vma(const struct vm_area_struct *vma,
			       unsigned long base)
{
	return vma && vma->vm_start == base && sframe_arch_is_vdso(vma);
}

/* Whether the vDSO of the current process is still mapped at @base. */
static bool sframe_vdso_is_mapped(unsigned long base)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma = lock_vma_under_rcu(mm, base);
	bool ret;

	if (vma) {
		ret = sframe_is_vdso_vma(vma, base);
		vma_end_read(vma);
		return ret;
	}
	if (!sframe_lock_mm(mm))
		return false;
	ret = sframe_is_vdso_vma(vma_lookup(mm, base), base);
	mmap_read_unlock(mm);
	return ret;
}

/**
 * sframe_in_vdso - whether an address is in a vDSO that has a table
 * @ip:		user address of the current process
 *
 * Does not look up mappings: the vDSO may have been unmapped.
 *
 * Return: whether it is in the text of the vDSO.
 */
bool sframe_in_vdso(unsigned long ip)
{
	unsigned long base = sframe_vdso_base(current->mm);

	return base && ip - base - sframe_vdso.text < sframe_vdso.text_size;
}

/**
 * sframe_near_vdso - quickly check for an overlap with the vDSO
 * @mm:		the mm
 * @view:	a text range and its table
 *
 * Does not look up mappings: the vDSO may have been unmapped.
 *
 * Return: whether text or table overlap those of the vDSO.
 */
bool sframe_near_vdso(const struct mm_struct *mm,
		      const struct sframe_view *view)
{
	unsigned long base = sframe_vdso_base(mm);

	return base &&
	       (sframe_overlaps(base + sframe_vdso.text, sframe_vdso.text_size,
				view->text, view->text_size) ||
		sframe_overlaps(base + sframe_vdso.start, sframe_vdso.size,
				view->start, view->size));
}

/**
 * sframe_vdso_view - find the table of the vDSO
 * @mm:		locked at least for reading
 * @view:	where to store the description of the table
 *
 * Return: whether the vDSO is mapped and has a table.
 */
bool sframe_vdso_view(struct mm_struct *mm, struct sframe_view *view)
{
	unsigned long base = sframe_vdso_base(mm);

	if (!base || !sframe_is_vdso_vma(vma_lookup(mm, base), base))
		return false;
	sframe_place_vdso(base, view);
	return true;
}

/**
 * sframe_find_vdso - find the table of the vDSO if it describes an address
 * @ip:		user address of the current process
 * @view:	where to store the description of the table
 *
 * The caller can sleep and does not hold the mmap lock.
 *
 * Return: whether it does.
 */
bool sframe_find_vdso(unsigned long ip, struct sframe_view *view)
{
	unsigned long base = sframe_vdso_base(current->mm);

	if (!sframe_in_vdso(ip) || !sframe_vdso_is_mapped(base))
		return false;
	sframe_place_vdso(base, view);
	return true;
}
