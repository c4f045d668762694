/* Let the oracle find the .eh_frame of objects that hide it from backtrace.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Where SFrame has no rule, backtrace uses .eh_frame, so a right trace does
   not show which of the two it has used.  If an object's PT_GNU_EH_FRAME is
   changed to PT_NULL, only SFrame is left for backtrace.  The oracle, which
   needs .eh_frame, then finds it by the address in that program header.  Only
   for programs that are linked with --wrap=_dl_find_object.  */

#ifndef _TST_SFRAME_HIDDEN_H
#define _TST_SFRAME_HIDDEN_H

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

extern int __real__dl_find_object (void *, struct dl_find_object *);
extern int __wrap__dl_find_object (void *, struct dl_find_object *);

/* The caller is backtrace itself, whose calls are wrapped, too, in a static
   program.  */
static volatile bool hidden_from_caller;

/* The ELF header of OBJECT, at the start of its first segment.  Only for a
   static program does OBJECT have the start of the code instead.  */
static const char *
hidden_elf_header (const struct dl_find_object *object)
{
  extern const char __ehdr_start[] __attribute__ ((visibility ("hidden")));
  const char *start = object->dlfo_map_start;

  return memcmp (start, ELFMAG, SELFMAG) == 0 ? start : __ehdr_start;
}

/* The address of the .eh_frame_hdr in OBJECT, null if there is none.  No
   linker writes PT_NULL.  */
static void *
hidden_eh_frame (const struct dl_find_object *object)
{
  const char *start = hidden_elf_header (object);
  const ElfW(Ehdr) *ehdr = (const void *) start;
  const ElfW(Phdr) *ph = (const void *) (start + ehdr->e_phoff);

  for (int i = 0; i < ehdr->e_phnum; ++i)
    if (ph[i].p_type == PT_NULL && ph[i].p_vaddr != 0)
      return (char *) object->dlfo_link_map->l_addr + ph[i].p_vaddr;
  return NULL;
}

/* libgcc_eh calls this function instead of _dl_find_object.  */
int
__wrap__dl_find_object (void *pc, struct dl_find_object *object)
{
  int result = __real__dl_find_object (pc, object);

  if (result == 0 && object->dlfo_eh_frame == NULL && !hidden_from_caller)
    object->dlfo_eh_frame = hidden_eh_frame (object);
  return result;
}

#endif /* _TST_SFRAME_HIDDEN_H */
