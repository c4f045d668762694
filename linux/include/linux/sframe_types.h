/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The description of an SFrame table, as a trace keeps it from frame to frame.
 */
#ifndef _LINUX_SFRAME_TYPES_H
#define _LINUX_SFRAME_TYPES_H

#include <linux/types.h>

/**
 * struct sframe_view - description of a table and one of its text ranges
 * @start:	user address of the table, which begins with the header
 * @size:	size of the table in bytes
 * @text:	start of the text range
 * @text_size:	size of the text range in bytes; 0: none
 * @id:		number of the table, which no other one has had; 0 if it is not
 *		registered
 * @generation:	sframe_generation() when the table was found; 0 if its rules
 *		must not be cached
 * @fdes:	offset of the index from @start
 * @fres:	offset of the FRE sub-section from @start
 * @nr_fdes:	number of FDEs; 0 if the header was not read yet
 * @nr_fres:	number of rows of all functions
 * @fre_len:	size of the FRE sub-section in bytes
 * @flags:	SFRAME_F_*
 * @fixed_fp:	as in the header
 * @fixed_ra:	as in the header
 *
 * Once the header was read, index and FRE sub-section are known to lie inside
 * the table. Their contents are never trusted: the process can change them at
 * any time.
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
