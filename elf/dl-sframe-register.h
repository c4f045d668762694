/* Register one loaded object with the kernel.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Not thread-safe: callers hold dl_load_lock, or the process has one thread.

   This is the part of dl-sframe.c that does not depend on the members of this
   libc's link map, so preload/register.c includes it, too, for another libc.
   Before the #include, both define functions for messages:

   debug_enabled  returns whether messages are printed
   debug_section  prints that the section of MAP is WHAT, and WHY
   debug_segment  prints that the TEXT_SIZE bytes of code at TEXT were
		  registered, or that the kernel returned ERROR  */

#ifndef _DL_SFRAME_REGISTER_H
#define _DL_SFRAME_REGISTER_H

#include <dl-sframe-kernel.h>
#include <errno.h>
#include <sframe-format.h>
#include <sframe-machine.h>
#include <sframe-module.h>
#include <sframe-read.h>

/* Whether the kernel accepts registrations.  */
static enum
{
  /* Not asked yet.  */
  registration_untried,
  registration_on,
  /* The kernel does not know the request, or a seccomp filter forbids it:
     never ask again.  */
  registration_off
} registration;

/* If messages are printed, say what is wrong with the header of MAP's section,
   the SIZE bytes at TABLE.  Otherwise do not read the header, which would be a
   page fault: the kernel refuses a section that it cannot use.  */
static void
debug_header (const sframe_module *map, const void *table, size_t size)
{
  struct sframe_section section;

  if (!debug_enabled ())
    return;
  enum sframe_header_status status
    = __sframe_read_header (table, size, SFRAME_MACHINE_ABI, &section);
  if (status != SFRAME_HEADER_OK)
    debug_section (map, "ignored", __sframe_header_message (status));
}

/* Whether MAP has a section that is loaded.  */
static bool
has_section (const sframe_module *map)
{
  size_t size;
  const void *table = sframe_module_table (map, &size);

  if (size == 0)
    return false;
  if (table == NULL)
    {
      debug_section (map, "ignored", "segment not loaded");
      return false;
    }
  debug_header (map, table, size);
  return true;
}

/* Whether the kernel accepts registrations.  MAP, the first object to be
   registered, is used only for messages.  Registering MAP itself would not
   tell this: EINVAL may mean that the kernel refuses only this table.  */
static bool
can_register (const sframe_module *map)
{
  if (registration == registration_untried)
    {
      int error = _dl_sframe_kernel_ask ();
      registration = error == 0 ? registration_on : registration_off;
      if (error == ENOSYS)
	debug_section (map, "not registered", "no support in the kernel");
      else if (error != 0)
	debug_section (map, "not registered", "forbidden, by a filter maybe");
    }
  return registration == registration_on;
}

/* Register one executable segment of MAP.  */
static void
register_segment (const sframe_module *map, const ElfW(Phdr) *ph)
{
  ElfW(Addr) text = sframe_module_bias (map) + ph->p_vaddr;
  size_t size;
  const void *table = sframe_module_table (map, &size);
  int error = _dl_sframe_kernel_add ((uintptr_t) table, size, text,
				     ph->p_memsz);

  debug_segment (map, text, ph->p_memsz, error);
}

/* Register the executable segments of MAP.  */
static void
register_segments (const sframe_module *map)
{
  const ElfW(Phdr) *headers = sframe_module_headers (map);

  if (!has_section (map) || !can_register (map))
    return;
  for (size_t i = 0; i < sframe_module_header_count (map); ++i)
    {
      const ElfW(Phdr) *ph = &headers[i];
      if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X) != 0
	  && ph->p_memsz != 0)
	register_segment (map, ph);
    }
}

#endif /* _DL_SFRAME_REGISTER_H  */
