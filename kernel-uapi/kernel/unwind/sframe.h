/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SFrame tables: what storage and reader share.
 */
#ifndef _KERNEL_UNWIND_SFRAME_H
#define _KERNEL_UNWIND_SFRAME_H

#include <linux/sframe_format.h>
#include <linux/types.h>

/**
 * struct sframe_view - a table whose header was found valid
 * @start:	user address of the header
 * @size:	bytes of the whole section
 * @fdes:	offset of the index from @start
 * @fres:	offset of the rows from @start
 * @nr_fdes:	entries of the index, not 0
 * @nr_fres:	rows of all functions
 * @fre_len:	bytes of the rows
 * @flags:	SFRAME_F_*
 * @fixed_fp:	as in the header
 * @fixed_ra:	as in the header
 *
 * Index and rows lie inside the section; that is all that is known of them,
 * for they can change at any time.
 */
struct sframe_view {
	unsigned long	start;
	unsigned long	size;
	u64		fdes;
	u64		fres;
	u32		nr_fdes;
	u32		nr_fres;
	u32		fre_len;
	u8		flags;
	s8		fixed_fp;
	s8		fixed_ra;
};

/* Where a register of the calling frame is to be had from. */
enum sframe_kind {
	SFRAME_UNCHANGED,
	SFRAME_CFA_VALUE,
	SFRAME_CFA_MEMORY,
	SFRAME_REG_VALUE,
	SFRAME_REG_MEMORY,
};

/**
 * struct sframe_place - one rule of recovery
 * @kind:	what to do
 * @reg:	DWARF number, for the two kinds that begin with a register
 * @off:	what to add
 */
struct sframe_place {
	enum sframe_kind	kind;
	u32			reg;
	s32			off;
};

/**
 * struct sframe_rule - how to unwind one frame
 * @cfa:	the CFA; of one of the register kinds
 * @ra:		the return address
 * @fp:		the frame pointer
 * @outermost:	there is no calling frame, and the places mean nothing
 * @signal:	the calling frame did not call, but was interrupted
 * @at_end:	the address is that of the function's last byte
 */
struct sframe_rule {
	struct sframe_place	cfa;
	struct sframe_place	ra;
	struct sframe_place	fp;
	bool			outermost;
	bool			signal;
	bool			at_end;
};

int sframe_parse_header(const struct sframe_header *header,
			unsigned long start, unsigned long size,
			struct sframe_view *view);
int sframe_find_rule(const struct sframe_view *view, unsigned long ip,
		     unsigned int *rows, struct sframe_rule *rule);
int sframe_validate(const struct sframe_view *view);
bool sframe_find_view(unsigned long ip, struct sframe_view *view);
void sframe_drop_corrupt(const struct sframe_view *view);

#endif /* _KERNEL_UNWIND_SFRAME_H */
