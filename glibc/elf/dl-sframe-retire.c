/* Keep unloaded objects mapped while a trace of backtrace may read them.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Interface and locking: dl-sframe-retire.h.  */

/* Must come before link.h, which renames struct link_map while it includes
   other headers.  */
#include <dlfcn.h>
#include <atomic.h>
#include <dl-sframe-retire.h>
#include <dl-unmap-segments.h>
#include <ldsodefs.h>
#include <stdlib.h>
#include <string.h>

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

   A signal handler that leaves a trace (siglongjmp, pthread_exit), or a fork
   while another thread takes a trace, leaves a counter above zero for ever.  So
   at most RETIRED_MAX objects are kept: one more releases the oldest.  */
static struct
{
  struct link_map *first, *last;
} retired[2];
static size_t retired_count;

/* A trace is safe, even if it is preempted, as long as at most this many
   objects are unloaded meanwhile.  */
#define RETIRED_MAX 1024

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

void
_dl_sframe_reclaim (void)
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

static bool
is_libgcc (const struct link_map *map)
{
  return (l_soname (map) != NULL
	  && strcmp (l_soname (map), SFRAME_UNWINDER_SONAME) == 0);
}

void
_dl_sframe_find_unwinder (Lmid_t ns)
{
  struct link_map **unwinder = &_dl_sframe_unload_state.unwinders[ns];

  if (*unwinder != NULL)
    return;
  for (struct link_map *map = GL (dl_ns)[ns]._ns_loaded; map != NULL;
       map = map->l_next)
    /* A destructor may call dlopen while its object, and libgcc, are being
       unloaded.  */
    if (map->l_relocated && !map->l_sframe_closing && is_libgcc (map))
      {
	/* Pairs with the acquire load in find_libgcc (debug/sframe-libgcc.c):
	   a trace finds libgcc relocated.  */
	atomic_store_release (unwinder, map);
	return;
      }
}

/* dlclose unloads the libgcc that traces have found in the namespace NS.
   Another one may stay loaded there.  */
static void
close_all_libgcc (Lmid_t ns)
{
  for (struct link_map *map = GL (dl_ns)[ns]._ns_loaded; map != NULL;
       map = map->l_next)
    if (!map->l_map_used && is_libgcc (map))
      map->l_sframe_closing = true;
  _dl_sframe_find_unwinder (ns);
}

struct link_map *
_dl_sframe_busy_libgcc (Lmid_t ns)
{
  struct link_map **unwinder = &_dl_sframe_unload_state.unwinders[ns];
  struct link_map *map = *unwinder;

  if (map == NULL || map->l_map_used)
    return NULL;
  atomic_store_relaxed (unwinder, NULL);
  /* Pairs with the fence in sframe_pin_begin: either the count of a trace is
     seen here, or that trace does not find libgcc.  */
  atomic_thread_fence_seq_cst ();
  if (has_pins () && can_stay (map))
    {
      atomic_store_release (unwinder, map);
      return map;
    }
  close_all_libgcc (ns);
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
