/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The address of the vDSO, for its SFrame table.
 */
#ifndef _ASM_S390_SFRAME_VDSO_H
#define _ASM_S390_SFRAME_VDSO_H

#include <linux/compiler.h>
#include <linux/mm_types.h>

extern char vdso_start[];

static inline const void *sframe_arch_vdso_image(void)
{
	return vdso_start;
}

static inline unsigned long sframe_arch_vdso(const struct mm_struct *mm)
{
	return READ_ONCE(mm->context.vdso_base);
}

bool sframe_arch_is_vdso(const struct vm_area_struct *vma);

#endif /* _ASM_S390_SFRAME_VDSO_H */
