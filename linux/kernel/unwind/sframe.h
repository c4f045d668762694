/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SFrame tables: what registration (sframe_register.c), lookup (sframe.c,
 * sframe_vdso.c), reader (sframe_read.c) and unwinder (sframe_unwind.c) share.
 */
#ifndef _KERNEL_UNWIND_SFRAME_H
#define _KERNEL_UNWIND_SFRAME_H

#include <linux/mmap_lock.h>
#include <linux/sframe_format.h>
#include <linux/sframe_types.h>
#include <linux/types.h>
#include <linux/uaccess.h>

struct mm_struct;

/*
 * Take the lock of @mm, the current one, for reading; return whether that was
 * possible. A task with page faults disabled is exiting: it must not wait for a
 * lock whose holder may wait for a page.
 */
static inline bool sframe_lock_mm(struct mm_struct *mm)
{
	return pagefault_disabled() ? mmap_read_trylock(mm) :
				      !mmap_read_lock_killable(mm);
}

/* sframe_view.id of the vDSO's table. No other table has it. */
#define SFRAME_VDSO_ID	U64_MAX

/* How to compute one value of the calling frame. */
enum sframe_kind {
	SFRAME_UNCHANGED,
	SFRAME_CFA_VALUE,
	SFRAME_CFA_MEMORY,
	SFRAME_REG_VALUE,
	SFRAME_REG_MEMORY,
};

/**
 * struct sframe_place - the rule for one value of the calling frame
 * @kind:	how to compute it
 * @reg:	DWARF register number, for the kinds that begin with a register
 * @off:	offset from the register or the CFA
 */
struct sframe_place {
	enum sframe_kind	kind;
	u32			reg;
	s32			off;
};

/**
 * struct sframe_rule - how to unwind one frame
 * @cfa:	the CFA; its kind is a register kind
 * @ra:		the return address
 * @fp:		the frame pointer
 * @outermost:	there is no calling frame; the other members are undefined
 * @signal:	the frame is a signal restorer: its caller was interrupted
 * @from_start:	the address minus that of the function's first byte
 * @at_end:	the address is that of the function's last byte
 */
struct sframe_rule {
	struct sframe_place	cfa;
	struct sframe_place	ra;
	struct sframe_place	fp;
	bool			outermost;
	bool			signal;
	bool			at_end;
	u32			from_start;
};

const char *sframe_header_fault(const struct sframe_header *header,
				unsigned long size);
void sframe_use_header(struct sframe_view *view,
		       const struct sframe_header *header);
int sframe_parse_header(const struct sframe_header *header,
			unsigned long start, unsigned long size,
			struct sframe_view *view);
int sframe_find_rule(struct sframe_view *view, unsigned long ip,
		     unsigned int *rows, struct sframe_rule *rule);
int sframe_validate(const struct sframe_view *view);
bool sframe_find_view(unsigned long ip, struct sframe_view *view);
bool sframe_near_vdso(const struct mm_struct *mm,
		      const struct sframe_view *view);
bool sframe_vdso_view(struct mm_struct *mm, struct sframe_view *view);
bool sframe_find_vdso(unsigned long ip, struct sframe_view *view);
void sframe_drop_corrupt(const struct sframe_view *view);

/* Whether the @a_size bytes at @a overlap the @b_size bytes at @b. */
static inline bool sframe_overlaps(unsigned long a, unsigned long a_size,
				   unsigned long b, unsigned long b_size)
{
	return a < b + b_size && b < a + a_size;
}

#endif /* _KERNEL_UNWIND_SFRAME_H */
