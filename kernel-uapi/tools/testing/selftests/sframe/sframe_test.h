/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests of SFrame: the interface, the format, and the program's own table.
 */
#ifndef SFRAME_TEST_H
#define SFRAME_TEST_H

#include <elf.h>
#include <stdint.h>
#include <sys/auxv.h>

#ifndef PR_ADD_SFRAME
#define PR_ADD_SFRAME		0x53460001
#define PR_REMOVE_SFRAME	0x53460002
#endif
#ifndef PT_GNU_SFRAME
#define PT_GNU_SFRAME		0x6474e554
#endif

#ifndef __packed
#define __packed	__attribute__((packed))
#endif

struct table_header {
	uint16_t magic;
	uint8_t version, flags, abi;
	int8_t fixed_fp, fixed_ra;
	uint8_t aux_len;
	uint32_t nr_fdes, nr_fres, fre_len, fde_off, fre_off;
} __packed;

struct table_fde {
	int64_t start;
	uint32_t size, attr_off;
} __packed;

struct table_attr {
	uint16_t nr_fres;
	uint8_t info, info2, rep_size;
} __packed;

struct own_table {
	unsigned long start, size, text, text_size;
};

/* Read by hand from the program headers; the program is linked statically. */
static inline struct own_table own_table(void)
{
	const Elf64_Phdr *phdr = (const Elf64_Phdr *)getauxval(AT_PHDR);
	extern const char __ehdr_start[];
	struct own_table own = { 0 };
	unsigned long bias = 0, count = getauxval(AT_PHNUM);

	for (unsigned long i = 0; i < count; i++)
		if (phdr[i].p_type == PT_LOAD && !phdr[i].p_offset)
			bias = (unsigned long)__ehdr_start - phdr[i].p_vaddr;
	for (unsigned long i = 0; i < count; i++) {
		if (phdr[i].p_type == PT_GNU_SFRAME) {
			own.start = bias + phdr[i].p_vaddr;
			own.size = phdr[i].p_memsz;
		} else if (phdr[i].p_type == PT_LOAD && phdr[i].p_flags & PF_X) {
			own.text = bias + phdr[i].p_vaddr;
			own.text_size = phdr[i].p_memsz;
		}
	}
	return own;
}

#endif /* SFRAME_TEST_H */
