/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The address of the 64-bit vDSO, for its SFrame table.
 */
#ifndef __ASM_SFRAME_VDSO_H
#define __ASM_SFRAME_VDSO_H

#include <linux/compiler.h>
#include <linux/mm_types.h>
#include <asm/mmu.h>
#include <asm/vdso.h>

static inline const void *sframe_arch_vdso_image(void)
{
	return vdso_start;
}

/* The other vDSO is for 32-bit programs, which have no tables. */
static inline unsigned long sframe_arch_vdso(const struct mm_struct *mm)
{
	if (mm->context.flags & MMCF_AARCH32)
		return 0;
	return (unsigned long)READ_ONCE(mm->context.vdso);
}

bool sframe_arch_is_vdso(const struct vm_area_struct *vma);

#endif /* __ASM_SFRAME_VDSO_H */
