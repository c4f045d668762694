/* Let the oracle find the .eh_frame of objects that hide it from backtrace.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Whatever SFrame does not tell, .eh_frame does, so that no trace shows which
   of them was asked.  Where an object's PT_GNU_EH_FRAME is made PT_NULL SFrame
   alone is left; the oracle, which has nothing else, still goes by the program
   header's address.  For programs that are linked with
   --wrap=_dl_find_object.  */

#ifndef _TST_SFRAME_HIDDEN_H
#define _TST_SFRAME_HIDDEN_H

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

extern int __real__dl_find_object (void *, struct dl_find_object *);
extern int __wrap__dl_find_object (void *, struct dl_find_object *);

/* backtrace itself is calling, which in a static program is wrapped, too.  */
static volatile bool hidden_from_caller;

/* The ELF header of OBJECT, which is in front of all that is loaded of it.  A
   static program, and none else, is known by where its code begins.  */
static const char *
hidden_elf_header (const struct dl_find_object *object)
{
  extern const char __ehdr_start[] __attribute__ ((visibility ("hidden")));
  const char *start = object->dlfo_map_start;

  return memcmp (start, ELFMAG, SELFMAG) == 0 ? start : __ehdr_start;
}

/* The address of the .eh_frame_hdr in OBJECT, null if there is none.  No linker
   writes PT_NULL.  */
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

/* What libgcc_eh calls.  */
int
__wrap__dl_find_object (void *pc, struct dl_find_object *object)
{
  int result = __real__dl_find_object (pc, object);

  if (result == 0 && object->dlfo_eh_frame == NULL && !hidden_from_caller)
    object->dlfo_eh_frame = hidden_eh_frame (object);
  return result;
}

#endif /* _TST_SFRAME_HIDDEN_H */
