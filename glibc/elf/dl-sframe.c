/* Check the .sframe sections of loaded objects and register them.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Interface and locking: dl-sframe.h.  */

/* Must come before link.h, which renames struct link_map while it includes
   other headers.  */
#include <dlfcn.h>
#include <dl-sframe.h>
#include <dl-tunables.h>
#include <dl-unmap-segments.h>
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

struct sframe_unloads _dl_sframe_unload_state;
#ifndef SHARED
struct sframe_unloads *_dl_sframe_unloads attribute_relro
  = &_dl_sframe_unload_state;
#endif

/* Unloaded objects that a trace may still read: one queue for each parity of
   the epoch of dlclose, oldest first, linked by l_sframe_retired.  Protected
   by dl_load_lock.

   A trace increments the counter of the current epoch: it pins what it finds.
   The other counter has the traces of earlier epochs only.  When it is 0, the
   epoch ends, and the objects that were retired in the epoch before are
   released: no trace that could have found them is left.  New traces do not
   delay this, except one that was preempted after it had loaded the epoch: it
   may increment the other counter.  Then the epoch does not end while it runs,
   which is safe: objects are only kept longer.

   A signal handler that leaves a trace by siglongjmp, or a fork while another
   thread takes a trace, leaves a counter above zero for ever.  So at most
   RETIRED_MAX objects are kept: one more releases the oldest.  */
static struct
{
  struct link_map *first, *last;
} retired[2];
static size_t retired_count;

/* A trace is safe, even if it is preempted, as long as at most this many
   objects are unloaded meanwhile.  */
#define RETIRED_MAX 1024

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
  /* Pairs with the acquire load in find_libgcc (debug/sframe-libgcc.c).  */
  atomic_store_release (&map->l_sframe_usable, true);
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

/* Unmap and free the oldest object in the queue of PARITY.  */
static void
release_oldest (unsigned int parity)
{
  struct link_map *map = retired[parity].first;

  retired[parity].first = map->l_sframe_retired;
  --retired_count;
  DL_UNMAP (map);
  if (map->l_phdr_allocated)
    free ((void *) map->l_phdr);
  free (map);
}

/* Release the objects that no trace can read any more.  */
static void
reclaim (void)
{
  /* If there are no traces, two epochs can end at once.  */
  for (int i = 0; i < 2 && retired_count > 0; ++i)
    {
      struct sframe_unloads *unloads = &_dl_sframe_unload_state;
      uint32_t epoch = unloads->epoch;
      /* Pairs with the release in sframe_pin_end.  */
      if (atomic_load_acquire (&unloads->pins[(epoch + 1) % 2]) != 0)
	return;
      while (retired[(epoch + 1) % 2].first != NULL)
	release_oldest ((epoch + 1) % 2);
      atomic_store_relaxed (&unloads->epoch, epoch + 1);
    }
}

/* Whether a trace that began before the caller's last fence may still run.  */
static bool
has_pins (void)
{
  struct sframe_unloads *unloads = &_dl_sframe_unload_state;

  /* Pairs with the release in sframe_pin_end.  */
  return (atomic_load_acquire (&unloads->pins[0]) != 0
	  || atomic_load_acquire (&unloads->pins[1]) != 0);
}

void
_dl_sframe_register_new (struct link_map *map)
{
  struct sframe_requests requests;

  reclaim ();
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

/* Whether all objects that MAP depends on are marked as used.  */
static bool
can_stay (const struct link_map *map)
{
  if (map->l_initfini != NULL)
    for (struct link_map **other = &map->l_initfini[1]; *other != NULL;
	 ++other)
      if (!(*other)->l_map_used)
	return false;
  if (map->l_reldeps != NULL)
    for (unsigned int i = 0; i < map->l_reldeps->act; ++i)
      if (!map->l_reldeps->list[i]->l_map_used)
	return false;
  return true;
}

struct link_map *
_dl_sframe_busy_libgcc (struct link_map **maps, unsigned int count)
{
  for (unsigned int i = 0; i < count; ++i)
    {
      struct link_map *map = maps[i];
      /* No trace uses an object that is not relocated yet.  */
      if (map->l_map_used || !map->l_sframe_usable || l_soname (map) == NULL
	  || strcmp (l_soname (map), SFRAME_UNWINDER_SONAME) != 0)
	continue;
      atomic_store_relaxed (&map->l_sframe_usable, false);
      /* Pairs with the fence in sframe_pin_begin: either the count of a trace
	 is seen here, or that trace sees l_sframe_usable.  */
      atomic_thread_fence_seq_cst ();
      bool stays = has_pins () && can_stay (map);
      /* Pairs with find_libgcc, as in add_map.  */
      atomic_store_release (&map->l_sframe_usable, stays);
      if (stays)
	return map;
    }
  return NULL;
}

void
_dl_sframe_unload (void)
{
  /* Pairs with the acquire load in __sframe_backtrace: a trace that reads
     the new count no longer finds the object, and so stores none of its
     rules under that count.  */
  atomic_store_release (&_dl_sframe_unload_state.count,
			_dl_sframe_unload_state.count + 1);
}

bool
_dl_sframe_retire (struct link_map *map)
{
  struct sframe_unloads *unloads = &_dl_sframe_unload_state;

  /* Pairs with the fence in sframe_pin_begin: a trace whose count is not
     seen here does not find MAP.  */
  atomic_thread_fence_seq_cst ();
  reclaim ();
  if (!has_pins ())
    return false;
  unsigned int parity = unloads->epoch % 2;
  /* All objects of the epoch before are older.  */
  if (retired_count >= RETIRED_MAX)
    release_oldest (retired[!parity].first != NULL ? !parity : parity);
  if (retired[parity].first == NULL)
    retired[parity].first = map;
  else
    retired[parity].last->l_sframe_retired = map;
  retired[parity].last = map;
  ++retired_count;
  return true;
}
