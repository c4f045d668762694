/* The unwinder of libgcc, for frames that libc's own tables do not tell of.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-libgcc.h.  */

#include <sframe-libgcc.h>

#ifdef SHARED
# include <dlfcn.h>
# include <gnu/lib-names.h>
# include <ldsodefs.h>
# include <pointer_guard.h>
# include <sframe-reader.h>
# include <string.h>

/* Find libgcc in the namespace of this C library.  A reader may follow the
   list without a lock: an object that is taken out of it keeps its link to the
   next one as long as there is a reader.  */
static struct link_map *
find_libgcc (void)
{
  struct dl_find_object own;

  if (GLRO (dl_find_object) ((void *) __sframe_libgcc_link, &own) < 0)
    return NULL;
  struct link_map *map
    = atomic_load_acquire (&GL (dl_ns)[own.dlfo_link_map->l_ns]._ns_loaded);
  while (map != NULL
	 && (l_soname (map) == NULL || !map->l_relocated
	     || strcmp (l_soname (map), LIBGCC_S_SO) != 0))
    map = atomic_load_acquire (&map->l_next);
  return map;
}

/* The address of the function NAME in MAP, mangled, or null.  */
static void *
find_function (struct link_map *map, const char *name)
{
  /* A reference that need not be met.  */
  static const ElfW(Sym) weak
    = { .st_info = ELFW(ST_INFO) (STB_WEAK, STT_FUNC) };
  struct r_scope_elem only = { .r_list = &map, .r_nlist = 1 };
  struct r_scope_elem *scope[] = { &only, NULL };
  const ElfW(Sym) *symbol = &weak;

  lookup_t found
    = GLRO (dl_lookup_symbol_x) (name, map, &symbol, scope, NULL, 0,
				 DL_LOOKUP_RETURN_NEWEST, NULL);
  if (symbol == NULL)
    return NULL;
  void *address = DL_SYMBOL_ADDRESS (found, symbol);
  PTR_MANGLE (address);
  return address;
}

/* Store in *LINK what backtrace needs of libgcc, if that is loaded.  Return
   whether it is.  */
static bool
link_loaded (struct unwind_link *link)
{
  struct sframe_reader reader = { 0 };
  bool found = false;

  sframe_reader_begin (&reader);
  struct link_map *map = find_libgcc ();
  if (map != NULL)
    {
      link->ptr__Unwind_Backtrace = find_function (map, "_Unwind_Backtrace");
      link->ptr__Unwind_GetCFA = find_function (map, "_Unwind_GetCFA");
# if UNWIND_LINK_GETIP
      link->ptr__Unwind_GetIP = find_function (map, "_Unwind_GetIP");
# endif
      found = (link->ptr__Unwind_Backtrace != NULL
	       && link->ptr__Unwind_GetCFA != NULL
# if UNWIND_LINK_GETIP
	       && link->ptr__Unwind_GetIP != NULL
# endif
	       );
    }
  sframe_reader_end (&reader);
  return found;
}
#endif

struct unwind_link *
__sframe_libgcc_link (struct sframe_libgcc *libgcc, enum sframe_help help)
{
#ifdef SHARED
  if (link_loaded (&libgcc->link))
    return &libgcc->link;
  if (help != SFRAME_HELP_LOAD)
    return NULL;
#endif
  return __libc_unwind_link_get ();
}
