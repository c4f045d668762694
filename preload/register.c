/* Register the tables of a process with the kernel, on another glibc.

   SPDX-License-Identifier: LGPL-2.1-or-later

   An audit library, for LD_AUDIT.  The loader calls these functions with its
   lock held, or while the process has one thread.

   The loader calls la_objopen when it has mapped an object, before any code of
   the object runs.  There is no la_objclose: the kernel drops a registration
   when text or table is unmapped, before the addresses can be reused, and a
   seccomp filter might kill the process for a prctl at that time.

   Environment: with SFRAME_REGISTER_DEBUG, whatever its value, each
   registration and each refusal is printed.  */

#include <ldsodefs.h>
#include <sframe-module.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool debug;

/* The name of the object that is being registered, for messages.  */
static const char *object_name;

static inline bool
debug_enabled (void)
{
  return debug;
}

/* An sframe_module has no name here.  */
static void
debug_section (const sframe_module *module, const char *what, const char *why)
{
  if (debug)
    dprintf (STDERR_FILENO, "sframe %s: %s at %p: %s\n", what, object_name,
	     module, why);
}

static void
debug_segment (const sframe_module *module, ElfW(Addr) text, size_t text_size,
	       int error)
{
  if (debug && error == 0)
    dprintf (STDERR_FILENO,
	     "sframe registered: %s at %p: code at 0x%lx, 0x%zx bytes\n",
	     object_name, module, (unsigned long int) text, text_size);
  else if (debug)
    dprintf (STDERR_FILENO,
	     "sframe refused by the kernel: %s at %p: code at 0x%lx, "
	     "0x%zx bytes, error %d\n",
	     object_name, module, (unsigned long int) text, text_size, error);
}

#include <dl-sframe-register.h>

/* The ELF header of a program that was linked to a fixed address: it is at the
   address of the first segment.  */
static const sframe_module *
find_fixed_program (void)
{
  const ElfW(Phdr) *headers = (const void *) getauxval (AT_PHDR);

  for (size_t i = 0; i < getauxval (AT_PHNUM); ++i)
    if (headers[i].p_type == PT_LOAD)
      return __sframe_module_at ((const void *) headers[i].p_vaddr);
  return NULL;
}

/* The ELF header of MAP, or null.  l_addr is not the start of an object that
   was linked to a fixed address; only programs are.  */
static const sframe_module *
find_header (const struct link_map *map, Lmid_t namespace)
{
  if (map->l_addr != 0)
    return __sframe_module_at ((const void *) map->l_addr);
  if (namespace != LM_ID_BASE || map->l_name[0] != '\0')
    return NULL;
  return find_fixed_program ();
}

/* Register MODULE, unless it is null.  NAME is its name in the link map, which
   is empty for the program.  */
static void
register_module (const sframe_module *module, const char *name)
{
  struct sframe_requests requests;

  if (module == NULL)
    return;
  object_name = name[0] != '\0' ? name : "program";
  requests.count = 0;
  add_segments (&requests, module);
  send_requests (&requests);
}

/* la_objopen is not called for this library and those that it needs.  */
static int
register_own (struct dl_phdr_info *info, size_t size, void *closure)
{
  register_module (__sframe_module_at ((const void *) info->dlpi_addr),
		   info->dlpi_name);
  return 0;
}

__attribute__ ((visibility ("default"))) unsigned int
la_version (unsigned int version)
{
  debug = secure_getenv ("SFRAME_REGISTER_DEBUG") != NULL;
  dl_iterate_phdr (register_own, NULL);
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

__attribute__ ((visibility ("default"))) unsigned int
la_objopen (struct link_map *map, Lmid_t namespace, uintptr_t *cookie)
{
  register_module (find_header (map, namespace), map->l_name);
  /* Do not audit any calls.  */
  return 0;
}
