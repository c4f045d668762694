/* Check the .sframe sections of loaded objects and register them.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Interface and locking: dl-sframe.h.  */

/* Must come before link.h, which renames struct link_map while it includes
   other headers.  */
#include <dlfcn.h>
#include <dl-sframe.h>
#include <dl-tunables.h>
#include <ldsodefs.h>
#include <sframe-module.h>
#include <sframe-segment.h>
#include <string.h>

/* Messages are for LD_DEBUG=files.  */
static inline bool
debug_enabled (void)
{
  return __glibc_unlikely (GLRO (dl_debug_mask) & DL_DEBUG_FILES);
}

static void
debug_section (const sframe_module *module, const char *what, const char *why)
{
  if (debug_enabled ())
    _dl_debug_printf ("file=%s [%lu];  sframe %s: %s\n",
		      DSO_FILENAME (module->l_name), module->l_ns, what, why);
}

static void
debug_segment (const sframe_module *module, ElfW(Addr) text, size_t text_size,
	       int error)
{
  if (!debug_enabled ())
    return;
  _dl_debug_printf ("file=%s [%lu];  sframe %s: code at 0x%lx, 0x%lx bytes",
		    DSO_FILENAME (module->l_name), module->l_ns,
		    error == 0 ? "registered" : "refused by the kernel",
		    (unsigned long int) text, (unsigned long int) text_size);
  if (error == 0)
    _dl_debug_printf_c ("\n");
  else
    _dl_debug_printf_c (", error %u\n", (unsigned int) error);
}

/* The state in this header is written under dl_load_lock.  */
#include <dl-sframe-register.h>

/* Defined in crt1.o, which a program need not be linked with.  */
#ifndef SHARED
extern const char _dl_eh_frame[];
weak_extern (_dl_eh_frame)
#endif

void
_dl_sframe_setup (struct link_map *map)
{
  /* Without a recorded section, an object is neither registered nor traced by
     SFrame, so the loader checks the tunable only here.  */
  if (TUNABLE_GET (glibc, rtld, sframe, int32_t, NULL) == 0)
    return;

#ifndef SHARED
  if (map->l_type == lt_executable)
    map->l_eh_frame = _dl_eh_frame;
#endif
  const ElfW(Phdr) *ph = sframe_segment_find (map->l_phdr, map->l_phnum);
  if (ph == NULL)
    return;
  const ElfW(Phdr) *load = sframe_segment_load (map->l_phdr, map->l_phnum, ph);
  /* Where the file has been cut off, a read causes SIGBUS.  The kernel has
     mapped the program; the size of its file is not known (0).  */
  if (load != NULL
      && sframe_segment_is_in_file (load, ph, map->l_file_id.size))
    map->l_sframe_start = (const void *) (map->l_addr + ph->p_vaddr);
  map->l_sframe_size = ph->p_memsz;
}

/* Add the executable segments of MAP, which is relocated, to REQUESTS.  */
static void
add_map (struct sframe_requests *requests, struct link_map *map)
{
  /* Offer an object once, even if the kernel refuses it.  */
  if (map->l_sframe_offered)
    return;
  map->l_sframe_offered = true;
  add_segments (requests, map);
}

/* The kernel itself registers a static program at exec.  */
#ifdef SHARED
void
_dl_sframe_register_all (void)
{
  struct sframe_requests requests;

  requests.count = 0;
  /* The objects of audit modules were registered when they were loaded.  */
  for (struct link_map *map = GL (dl_ns)[LM_ID_BASE]._ns_loaded; map != NULL;
       map = map->l_next)
    add_map (&requests, map);
  send_requests (&requests);
}
#endif

void
_dl_sframe_register_new (struct link_map *map)
{
  struct sframe_requests requests;

  requests.count = 0;
  for (unsigned int i = 0; i < map->l_searchlist.r_nlist; ++i)
    {
      struct link_map *member = map->l_searchlist.r_list[i]->l_real;
      /* An unrelocated dependency belongs to an outer dlopen, which will
	 register it.  */
      if (member->l_relocated)
	add_map (&requests, member);
    }
  send_requests (&requests);
}
