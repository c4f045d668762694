/* Register the sections of loaded objects with the kernel, up to 32 executable
   segments in one call.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Not thread-safe: callers hold dl_load_lock, or the process has one thread.

   This is the part of dl-sframe.c that does not depend on the members of this
   libc's link map, so that it can be compiled for another libc, too.  Before
   the #include, there must be functions for messages:

   debug_enabled  returns whether messages are printed
   debug_section  prints that the section of MODULE is WHAT, and WHY
   debug_segment  prints that the TEXT_SIZE bytes of code at TEXT were
		  registered, or that the kernel returned ERROR  */

#ifndef _DL_SFRAME_REGISTER_H
#define _DL_SFRAME_REGISTER_H

#include <array_length.h>
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

/* If messages are printed, print what is wrong with the header of MODULE's
   section, the SIZE bytes at TABLE.  The section is registered all the same:
   the kernel refuses it.  Without messages do not read the header, which would
   cost a page fault.  */
static void
debug_header (const sframe_module *module, const void *table, size_t size)
{
  struct sframe_section section;

  if (!debug_enabled ())
    return;
  enum sframe_header_status status
    = __sframe_read_header (table, size, SFRAME_MACHINE_ABI, &section);
  if (status != SFRAME_HEADER_OK)
    debug_section (module, "unusable", __sframe_header_message (status));
}

/* Whether MODULE has a section that is loaded.  */
static bool
has_section (const sframe_module *module)
{
  size_t size;
  const void *table = sframe_module_table (module, &size);

  if (size == 0)
    return false;
  if (table == NULL)
    {
      debug_section (module, "unusable", "not loaded, or the file is cut off");
      return false;
    }
  debug_header (module, table, size);
  return true;
}

/* Whether the kernel accepts registrations.  MODULE, the first object to be
   registered, is used only for messages.  Registering MODULE itself would not
   tell this: EINVAL may mean that the kernel refuses only this table.  */
static bool
can_register (const sframe_module *module)
{
  if (registration == registration_untried)
    {
      int error = _dl_sframe_kernel_ask ();
      registration = error == 0 ? registration_on : registration_off;
      if (error == ENOSYS)
	debug_section (module, "not registered", "no support in the kernel");
      else if (error != 0)
	debug_section (module, "not registered",
		       "forbidden, perhaps by a seccomp filter");
    }
  return registration == registration_on;
}

/* Text ranges that are still to be registered.  One system call takes all of
   them: a program with many objects enters the kernel once for a group.  */
struct sframe_requests
{
  unsigned int count;
  struct sframe_kernel_range ranges[32];
  /* The object of each range, for messages.  */
  const sframe_module *modules[32];
};

/* Register all ranges of REQUESTS, and empty it.  */
static void
send_requests (struct sframe_requests *requests)
{
  unsigned int done = 0;

  while (done < requests->count)
    {
      struct sframe_kernel_range *range = &requests->ranges[done];
      int result = _dl_sframe_kernel_add (range, requests->count - done);
      /* If one is refused, go on with the next.  Only a seccomp filter answers
	 0, for a call that the kernel does not see.  */
      int error = result > 0 ? 0 : result < 0 ? -result : EPERM;
      unsigned int end = done + (result > 0 ? result : 1);
      for (; done < end && done < requests->count; ++done, ++range)
	debug_segment (requests->modules[done], range->text, range->text_size,
		       error);
    }
  requests->count = 0;
}

/* Add one executable segment of MODULE to REQUESTS.  */
static void
add_segment (struct sframe_requests *requests, const sframe_module *module,
	     const ElfW(Phdr) *ph)
{
  size_t size;
  const void *table = sframe_module_table (module, &size);

  if (requests->count == array_length (requests->ranges))
    send_requests (requests);
  requests->modules[requests->count] = module;
  requests->ranges[requests->count++] = (struct sframe_kernel_range)
    {
      .table = (uintptr_t) table,
      .table_size = size,
      .text = sframe_module_bias (module) + ph->p_vaddr,
      .text_size = ph->p_memsz
    };
}

/* Add the executable segments of MODULE to REQUESTS.  */
static void
add_segments (struct sframe_requests *requests, const sframe_module *module)
{
  const ElfW(Phdr) *headers = sframe_module_headers (module);

  if (!has_section (module) || !can_register (module))
    return;
  for (size_t i = 0; i < sframe_module_header_count (module); ++i)
    {
      const ElfW(Phdr) *ph = &headers[i];
      if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X) != 0
	  && ph->p_memsz != 0)
	add_segment (requests, module, ph);
    }
}

#endif /* _DL_SFRAME_REGISTER_H  */
