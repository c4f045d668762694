/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The layout and the constants of an SFrame version 3 section.
 *
 * Written from the specification, "The SFrame Format, Version 3". A section is a
 * header, an optional auxiliary header, the index of functions (FDEs) and the
 * rows (FREs); the attribute of a function precedes its rows. The kernel's
 * sources call a section in user memory a table. All values have the byte order
 * of the machine. GNU ld aligns only header and index, to 4 bytes; hence the
 * packed structures.
 */
#ifndef _LINUX_SFRAME_FORMAT_H
#define _LINUX_SFRAME_FORMAT_H

#include <linux/bits.h>
#include <linux/types.h>

#define SFRAME_MAGIC			0xdee2
#define SFRAME_VERSION_2		2
#define SFRAME_VERSION_3		3

#define SFRAME_ABI_AARCH64_LE		2
#define SFRAME_ABI_AMD64_LE		3
#define SFRAME_ABI_S390X_BE		4

/* Flags of a section. A section with any other flag is rejected. */
#define SFRAME_F_FDE_SORTED		BIT(0)
/* A function start is relative to its own field, not to the section. */
#define SFRAME_F_FDE_START_PCREL	BIT(2)
#define SFRAME_F_ALL			(SFRAME_F_FDE_SORTED | \
					 SFRAME_F_FDE_START_PCREL)

/**
 * struct sframe_header - header of a section
 * @magic:	SFRAME_MAGIC
 * @version:	SFRAME_VERSION_3
 * @flags:	SFRAME_F_*
 * @abi:	SFRAME_ABI_*
 * @fixed_fp:	offset from the CFA at which FP is always saved; 0: not fixed
 * @fixed_ra:	the same for the return address
 * @aux_len:	bytes of auxiliary header that follow
 * @nr_fdes:	number of entries in the index
 * @nr_fres:	number of rows of all functions
 * @fre_len:	bytes of rows and attributes
 * @fde_off:	offset of the index from the end of the auxiliary header
 * @fre_off:	offset of the first attribute from there
 */
struct sframe_header {
	u16	magic;
	u8	version;
	u8	flags;
	u8	abi;
	s8	fixed_fp;
	s8	fixed_ra;
	u8	aux_len;
	u32	nr_fdes;
	u32	nr_fres;
	u32	fre_len;
	u32	fde_off;
	u32	fre_off;
} __packed;

/**
 * struct sframe_fde - an entry of the index
 * @start:	start of the function, see SFRAME_F_FDE_START_PCREL
 * @size:	its size in bytes; may be 0
 * @attr_off:	offset of its attribute from the first attribute
 */
struct sframe_fde {
	s64	start;
	u32	size;
	u32	attr_off;
} __packed;

/**
 * struct sframe_attr - attribute of a function; its rows follow
 * @nr_fres:	number of rows; 0 marks an outermost frame
 * @info:	encoding of the rows, SFRAME_ATTR_*
 * @info2:	type of the function
 * @rep_size:	size of the repeated block of code
 */
struct sframe_attr {
	u16	nr_fres;
	u8	info;
	u8	info2;
	u8	rep_size;
} __packed;

/* attr.info: the start of a row has 1 << type bytes. */
#define SFRAME_ATTR_FRE_TYPE(info)	((info) & 0xf)
#define SFRAME_ATTR_REPEATED(info)	(!!((info) & BIT(4)))
#define SFRAME_ATTR_SIGNAL(info)	(!!((info) & BIT(7)))
#define SFRAME_FRE_TYPE_MAX		2

/* attr.info2 */
#define SFRAME_ATTR_FDE_TYPE(info2)	((info2) & 0x1f)
#define SFRAME_FDE_DEFAULT		0
#define SFRAME_FDE_FLEXIBLE		1

/*
 * A row is its start, a byte of information and 0 to 15 data words of
 * 1 << size bytes.
 */
#define SFRAME_FRE_BASE_IS_SP(info)	(!!((info) & BIT(0)))
#define SFRAME_FRE_WORDS(info)		(((info) >> 1) & 0xf)
#define SFRAME_FRE_WORD_SIZE(info)	(((info) >> 5) & 3)
#define SFRAME_FRE_WORD_SIZE_MAX	2

/* The control word before the offset in a pair of a flexible function. */
#define SFRAME_CTRL_IS_REG(word)	(!!((word) & BIT(0)))
#define SFRAME_CTRL_IN_MEMORY(word)	(!!((word) & BIT(1)))
#define SFRAME_CTRL_REG(word)		((word) >> 3)

#endif /* _LINUX_SFRAME_FORMAT_H */
