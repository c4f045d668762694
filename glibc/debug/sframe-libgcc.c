/* Call libgcc's unwinder for frames that libc cannot unwind itself.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-libgcc.h.  */

#include <array_length.h>
#include <atomic.h>
#include <internal-signals.h>
#include <sframe-libgcc.h>
#include <sframe-pin.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

void
__sframe_libgcc_prepare (void)
{
  if (sframe_setting () == 0)
    __libc_unwind_link_get ();
}

/* End a trace of libgcc after one frame.  */
static _Unwind_Reason_Code
end_trace (struct _Unwind_Context *context, void *closure)
{
  return _URC_END_OF_STACK;
}

/* The first trace of libgcc computes what later ones read, under pthread_once.
   A signal handler that interrupts it there, and takes a trace, waits for its
   own thread for ever.  So take the first trace here, of one frame, while
   signals are blocked, except those of an instruction: they cannot be
   delayed.  */
static void
take_first_trace (struct unwind_link *link)
{
  static const unsigned char unblocked[]
    = { SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP };
  /* For a seccomp filter that reports success and does nothing.  */
  internal_sigset_t blocked, before = { { 0 } };

  internal_sigfillset (&blocked);
  for (size_t i = 0; i < array_length (unblocked); ++i)
    internal_sigdelset (&blocked, unblocked[i]);
  bool failed = internal_sigprocmask (SIG_BLOCK, &blocked, &before) != 0;
  UNWIND_LINK_PTR (link, _Unwind_Backtrace) (end_trace, NULL);
  if (!failed)
    internal_signal_restore_set (&before);
}

/* The second result of _Unwind_Find_FDE, which is not used here.  */
struct dwarf_eh_bases
{
  void *text;
  void *data;
  void *function;
};

extern const void *_Unwind_Find_FDE (void *, struct dwarf_eh_bases *);

#ifdef SHARED
# include <dlfcn.h>
# include <ldsodefs.h>
# include <pointer_guard.h>

/* Find libgcc in the namespace of this C library.  The caller must have
   called sframe_pin_begin: what is found stays loaded as long as the pin is
   held, but for the exception that elf/dl-sframe-retire.h names at
   _dl_sframe_busy_libgcc.  The list of loaded objects cannot be searched
   without a lock: dlopen takes objects out of it, to put them elsewhere.  */
static struct link_map *
find_libgcc (void)
{
  struct dl_find_object own;

  if (GLRO (dl_find_object) ((void *) __sframe_libgcc_link, &own) < 0)
    return NULL;
  /* Pairs with the store in _dl_sframe_find_unwinder: libgcc is relocated.  */
  return atomic_load_acquire
    (&sframe_unloads ()->unwinders[own.dlfo_link_map->l_ns]);
}

/* The address of the function NAME in MAP, or null.  */
static void *
find_function (struct link_map *map, const char *name)
{
  /* A weak reference: an undefined symbol is no error.  */
  static const ElfW(Sym) weak
    = { .st_info = ELFW(ST_INFO) (STB_WEAK, STT_FUNC) };
  struct r_scope_elem only = { .r_list = &map, .r_nlist = 1 };
  struct r_scope_elem *scope[] = { &only, NULL };
  const ElfW(Sym) *symbol = &weak;

  lookup_t found
    = GLRO (dl_lookup_symbol_x) (name, map, &symbol, scope, NULL, 0,
				 DL_LOOKUP_RETURN_NEWEST, NULL);
  return symbol == NULL ? NULL : (void *) DL_SYMBOL_ADDRESS (found, symbol);
}

/* Store in *LINK the functions of libgcc, which is MAP, that backtrace calls.
   Return whether MAP has all of them.  */
static bool
fill_link (struct unwind_link *link, struct link_map *map)
{
  link->ptr__Unwind_Backtrace = find_function (map, "_Unwind_Backtrace");
  link->ptr__Unwind_GetCFA = find_function (map, "_Unwind_GetCFA");
  bool found = (link->ptr__Unwind_Backtrace != NULL
		&& link->ptr__Unwind_GetCFA != NULL);
  PTR_MANGLE (link->ptr__Unwind_Backtrace);
  PTR_MANGLE (link->ptr__Unwind_GetCFA);
# if UNWIND_LINK_GETIP
  link->ptr__Unwind_GetIP = find_function (map, "_Unwind_GetIP");
  found = found && link->ptr__Unwind_GetIP != NULL;
  PTR_MANGLE (link->ptr__Unwind_GetIP);
# endif
  return found;
}

/* Take the first trace of LINK, which is MAP's, if it may not have been taken.
   What is remembered identifies MAP until an object is unloaded; then another
   libgcc may be at the same address.  */
static void
prepare_traces (struct unwind_link *link, struct link_map *map)
{
  static uintptr_t prepared;
  uintptr_t id
    = (uintptr_t) map + atomic_load_relaxed (&sframe_unloads ()->count);

  if (atomic_load_relaxed (&prepared) == id)
    return;
  take_first_trace (link);
  atomic_store_relaxed (&prepared, id);
}
#endif

/* Whether libgcc has a table for the last of the COUNT PCs in ARRAY, which is
   either a return address or the instruction to execute next; try both.  FIND
   is libgcc's _Unwind_Find_FDE, or null.  */
static bool
knows (__typeof (_Unwind_Find_FDE) *find, void *const *array, int count)
{
  struct dwarf_eh_bases bases;

  return (find != NULL && count > 0
	  && (find (array[count - 1] - 1, &bases) != NULL
	      || find (array[count - 1], &bases) != NULL));
}

#ifdef SHARED
struct unwind_link *
__sframe_libgcc_link (struct sframe_libgcc *libgcc, enum sframe_help help,
		      void *const *array, int count)
{
  libgcc->pin = 0;
  if (help == SFRAME_HELP_LOAD)
    return __libc_unwind_link_get ();
  sframe_pin_begin (&libgcc->pin);
  struct link_map *map = find_libgcc ();
  if (map != NULL
      && knows (find_function (map, "_Unwind_Find_FDE"), array, count)
      && fill_link (&libgcc->link, map))
    {
      prepare_traces (&libgcc->link, map);
      return &libgcc->link;
    }
  __sframe_libgcc_done (libgcc);
  return NULL;
}

void
__sframe_libgcc_done (struct sframe_libgcc *libgcc)
{
  sframe_pin_end (libgcc->pin);
  libgcc->pin = 0;
}
#else
struct unwind_link *
__sframe_libgcc_link (struct sframe_libgcc *libgcc, enum sframe_help help,
		      void *const *array, int count)
{
  static bool prepared;

  if (help == SFRAME_HELP_IF_LOADED
      && !knows (_Unwind_Find_FDE, array, count))
    return NULL;
  struct unwind_link *link = __libc_unwind_link_get ();
  if (help == SFRAME_HELP_IF_LOADED && link != NULL
      && !atomic_load_relaxed (&prepared))
    {
      take_first_trace (link);
      atomic_store_relaxed (&prepared, true);
    }
  return link;
}

void
__sframe_libgcc_done (struct sframe_libgcc *libgcc)
{
}
#endif
