/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations for tests of SFrame: the interface, the format, own tables.
 */
#ifndef SFRAME_TEST_H
#define SFRAME_TEST_H

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sframe_arch.h"

#ifndef PR_ADD_SFRAME
#define PR_ADD_SFRAME		0x53460001
#define PR_REMOVE_SFRAME	0x53460002
struct prctl_sframe {
	uint64_t table, table_size, text, text_size;
};
#endif
#ifndef PR_SET_UNWIND_USER
#define PR_SET_UNWIND_USER	0x53460003
#define PR_UNWIND_SFRAME	1
#define PR_UNWIND_FP		2
#define PR_UNWIND_BACKCHAIN	3
#define PR_GET_UNWIND_USER	0x53460004
#endif
#ifndef PT_GNU_SFRAME
#define PT_GNU_SFRAME		0x6474e554
#endif

#ifndef __packed
#define __packed	__attribute__((packed))
#endif
#define __aligned(n)	__attribute__((aligned(n)))
#define __unused	__attribute__((unused))
#define noinline	__attribute__((noinline))

#define PAGE		4096UL

/* Tables, mappings and rings are made for such pages. */
static __attribute__((constructor)) void skip_other_pages(void)
{
	if (sysconf(_SC_PAGESIZE) == PAGE)
		return;
	puts("1..0 # SKIP pages are not of 4 KiB");
	/* KSFT_SKIP */
	exit(4);
}

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

/* Wrappers that return an error number. */
static inline int add(unsigned long table, unsigned long table_size,
		      unsigned long text, unsigned long text_size)
{
	struct prctl_sframe range = { table, table_size, text, text_size };

	return prctl(PR_ADD_SFRAME, &range, 1UL, sizeof(range), 0UL) == 1 ?
	       0 : errno;
}

static inline int drop(unsigned long table)
{
	return prctl(PR_REMOVE_SFRAME, table, 0UL, 0UL, 0UL) ? errno : 0;
}

/* The table of an object and one of its executable segments. */
struct own_table {
	unsigned long start, size, text, text_size;
};

static inline struct own_table
object_table(const Elf64_Phdr *phdr, unsigned long count, unsigned long bias)
{
	struct own_table own = { 0 };

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

/* Read by hand from the program headers; the program is linked statically. */
static inline struct own_table own_table(void)
{
	const Elf64_Phdr *phdr = (const Elf64_Phdr *)getauxval(AT_PHDR);
	extern const char __ehdr_start[];
	unsigned long bias = 0, count = getauxval(AT_PHNUM);

	for (unsigned long i = 0; i < count; i++)
		if (phdr[i].p_type == PT_LOAD && !phdr[i].p_offset)
			bias = (unsigned long)__ehdr_start - phdr[i].p_vaddr;
	return object_table(phdr, count, bias);
}

/* The size is 0 if the tools that built the kernel write no such table. */
static inline struct own_table vdso_table(void)
{
	unsigned long vdso = getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)vdso;

	if (!vdso)
		return (struct own_table) { 0 };
	return object_table((const Elf64_Phdr *)(vdso + ehdr->e_phoff),
			    ehdr->e_phnum, vdso);
}

/* The function of the vDSO that is exported as @name. */
static inline void *vdso_function(const char *name)
{
	unsigned long vdso = getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)vdso;
	const Elf64_Shdr *shdr = (const Elf64_Shdr *)(vdso + ehdr->e_shoff);
	const Elf64_Sym *sym;
	const char *names;

	for (int i = 0; vdso && i < ehdr->e_shnum; i++) {
		if (shdr[i].sh_type != SHT_DYNSYM)
			continue;
		names = (const char *)(vdso + shdr[shdr[i].sh_link].sh_offset);
		sym = (const void *)(vdso + shdr[i].sh_offset);
		for (unsigned int n = 0; n < shdr[i].sh_size / sizeof(*sym); n++)
			if (!strcmp(names + sym[n].st_name, name))
				return (void *)(vdso + sym[n].st_value);
	}
	return NULL;
}

/* A line of /proc/PID/sframe. */
struct proc_line {
	unsigned long text, text_end, table, table_end;
	char path[256];
};

/* Read up to @max lines of process @pid; -1 if they cannot be read. */
static inline int proc_lines(int pid, struct proc_line *lines, int max)
{
	char name[64], text[512];
	FILE *file;
	int n = 0;

	snprintf(name, sizeof(name), "/proc/%d/sframe", pid);
	file = fopen(name, "r");
	if (!file)
		return -1;
	for (; n < max && fgets(text, sizeof(text), file); n++) {
		lines[n].path[0] = 0;
		if (sscanf(text, "%lx-%lx %lx-%lx %255[^\n]", &lines[n].text,
			   &lines[n].text_end, &lines[n].table,
			   &lines[n].table_end, lines[n].path) < 4) {
			n = -1;
			break;
		}
	}
	fclose(file);
	return n;
}

/* The line of @lines that is exactly of @table, or NULL. */
static inline const struct proc_line *
find_line(const struct proc_line *lines, int n, const struct own_table *table)
{
	for (int i = 0; i < n; i++)
		if (lines[i].text == table->text &&
		    lines[i].text_end == table->text + table->text_size &&
		    lines[i].table == table->start &&
		    lines[i].table_end == table->start + table->size)
			return &lines[i];
	return NULL;
}

#endif /* SFRAME_TEST_H */
