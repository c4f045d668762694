/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The address of the 64-bit vDSO, for its SFrame table.
 */
#ifndef _ASM_X86_SFRAME_VDSO_H
#define _ASM_X86_SFRAME_VDSO_H

#include <linux/compiler.h>
#include <linux/mm_types.h>
#include <asm/vdso.h>

static inline const void *sframe_arch_vdso_image(void)
{
	return vdso64_image.data;
}

/* The other vDSOs are for 32-bit and x32 programs, which have no tables. */
static inline unsigned long sframe_arch_vdso(const struct mm_struct *mm)
{
	if (READ_ONCE(mm->context.vdso_image) != &vdso64_image)
		return 0;
	return (unsigned long)READ_ONCE(mm->context.vdso);
}

bool sframe_arch_is_vdso(const struct vm_area_struct *vma);

#endif /* _ASM_X86_SFRAME_VDSO_H */
