/* A vDSO for the process of process.h.
   SPDX-License-Identifier: GPL-2.0-only  */

#ifndef VDSO_H
#define VDSO_H

#include "process.h"

#include <linux/elf.h>

/* It has a table for all of its text but a bit.  */
enum { VDSO = 0x41000, VDSO_SIZE = 0x1000, VDSO_TABLE = 0x800,
  VDSO_TEXT = 0x10, VDSO_TEXT_SIZE = 0x700 };

/* Write the image from which the kernel reads where the table is.  */
static inline void
put_vdso (void)
{
  struct elf64_hdr *ehdr = (void *) vdso_start;
  struct elf64_phdr *phdr = (void *) (vdso_start + 64);

  *ehdr = (struct elf64_hdr) { .e_phoff = 64, .e_phnum = 3 };
  phdr[0] = (struct elf64_phdr) { .p_type = PT_LOAD, .p_flags = PF_R | PF_X,
    .p_offset = VDSO_TEXT, .p_vaddr = VDSO_TEXT, .p_memsz = VDSO_TEXT_SIZE };
  phdr[1] = (struct elf64_phdr) { .p_type = PT_LOAD, .p_flags = PF_R };
  phdr[2] = (struct elf64_phdr) { .p_type = PT_GNU_SFRAME,
    .p_offset = VDSO_TABLE, .p_vaddr = VDSO_TABLE, .p_memsz = TABLE_SIZE };
  /* This is none of its headers.  */
  phdr[3] = (struct elf64_phdr) { .p_type = PT_GNU_SFRAME };
  put_table (VDSO + VDSO_TABLE, VDSO + VDSO_TEXT, VDSO_TEXT_SIZE);
  memcpy (vdso_start + VDSO_TABLE, at (VDSO + VDSO_TABLE), TABLE_SIZE);
}

static inline struct vm_area_struct *
map_vdso (unsigned long base)
{
  struct vm_area_struct *area = map (base, base + VDSO_SIZE,
				     VM_READ | VM_EXEC);

  area->vdso = true;
  process.context.vdso = (void *) base;
  process.context.vdso_image = &vdso64_image;
  process.context.vdso_base = base;
  return area;
}

/* Let the new process have it, as exec does.  */
static inline void
begin_vdso (void)
{
  put_vdso ();
  shim_sframe_init_vdso ();
  map_vdso (VDSO);
}

#endif /* VDSO_H  */
