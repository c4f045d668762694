/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The SFrame table that a trace has looked up last.
 */
#ifndef _LINUX_SFRAME_TYPES_H
#define _LINUX_SFRAME_TYPES_H

#include <linux/types.h>

/**
 * struct sframe_view - a table with a valid header, or one that was not read yet
 * @start:	user address of the header
 * @size:	bytes of the whole section
 * @text:	start of the text range that it is registered for, if any
 * @text_size:	bytes of the text range
 * @id:		ID of the registration; 0 if there is none
 * @generation:	of what was registered when the table was found; 0 if its rules
 *		are not to be remembered
 * @fdes:	offset of the index from @start
 * @fres:	offset of the rows from @start
 * @nr_fdes:	entries of the index; 0 if the header was not read yet
 * @nr_fres:	rows of all functions
 * @fre_len:	bytes of the rows
 * @flags:	SFRAME_F_*
 * @fixed_fp:	as in the header
 * @fixed_ra:	as in the header
 *
 * Index and rows were checked to lie inside the section.  Their contents are
 * never trusted: the process can change them at any time.
 */
struct sframe_view {
	unsigned long	start;
	unsigned long	size;
	unsigned long	text;
	unsigned long	text_size;
	u64		id;
	u64		generation;
	u64		fdes;
	u64		fres;
	u32		nr_fdes;
	u32		nr_fres;
	u32		fre_len;
	u8		flags;
	s8		fixed_fp;
	s8		fixed_ra;
};

#endif /* _LINUX_SFRAME_TYPES_H */
