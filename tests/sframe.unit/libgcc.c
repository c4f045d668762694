/* Whether libgcc is used, and that of which namespace.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader and libgcc are simulated.  Expected results are those of
   debug/sframe-libgcc.h.  */

#include <signal.h>
#include <stdint.h>
#include <string.h>

#include <internal-signals.h>
#include <ldsodefs.h>
#include <sframe-libgcc.h>
#include <sframe-pin.h>
#include <sframe-unloads.h>

#include "check.h"

enum { NAMESPACE = 2, COUNT = 3, MANGLED = 0x80 };

/* Values of symbols.  */
enum { GET_CFA = 0x200, GET_IP = 0x300 };
/* The signals that the thread blocks.  */
enum { BLOCKED = 0x12345 };

static struct link_map map = { .l_addr = 0x20000 }, other_map;
static struct link_map own_map = { .l_ns = NAMESPACE };
static struct sframe_unloads unloads;
static int found_own;
/* The symbol that libgcc lacks.  */
static const char *lacking;
/* The PCs of code that was registered with libgcc.  */
static uintptr_t known;
static unsigned int begun, lookups, loads;
static int setting;
static uint8_t pin_at_begin, ended[4];
static unsigned int ends;
static struct unwind_link loaded;
static struct sframe_libgcc libgcc;
static void *array[COUNT + 2];

int
unit_dl_find_object (void *address, struct dl_find_object *result)
{
  CHECK (address == (void *) __sframe_libgcc_link);
  result->dlfo_link_map = &own_map;
  return found_own;
}

static unsigned long int mask;
static bool mask_fails;
/* How many traces libgcc has taken, and what was blocked in the last.  */
static unsigned int traces;
static unsigned long int mask_in_trace;

/* Signals are blocked first, and restored if that did not fail.  */
int
unit_rt_sigprocmask (int how, const unsigned long int *set,
		     unsigned long int *before, size_t size)
{
  CHECK (size == sizeof mask && how == (before != NULL
					? SIG_BLOCK : SIG_SETMASK));
  if (mask_fails)
    {
      CHECK (before != NULL);
      return -1;
    }
  if (before != NULL)
    *before = mask;
  mask = *set | (before != NULL ? mask : 0);
  return 0;
}

static _Unwind_Reason_Code
unwind (_Unwind_Trace_Fn function, void *closure)
{
  ++traces;
  mask_in_trace = mask;
  CHECK (function (NULL, closure) != _URC_NO_REASON);
  return _URC_END_OF_STACK;
}

static const void *
find_fde (void *pc, void *bases)
{
  return (uintptr_t) pc == known ? &known : NULL;
}

/* Only libgcc is looked into.  */
lookup_t
unit_dl_lookup_symbol_x (const char *name, struct link_map *undefined,
			 const Elf64_Sym **symbol,
			 struct r_scope_elem *scope[], const void *version,
			 int type_class, int flags, struct link_map *skip)
{
  static Elf64_Sym found;

  ++lookups;
  CHECK (scope[0]->r_nlist == 1 && scope[1] == NULL && type_class == 0);
  CHECK (ELF64_ST_BIND ((*symbol)->st_info) == STB_WEAK
	 && ELF64_ST_TYPE ((*symbol)->st_info) == STT_FUNC);
  CHECK (undefined == scope[0]->r_list[0]
	 && flags == DL_LOOKUP_RETURN_NEWEST);
  struct link_map *map = scope[0]->r_list[0];
  found.st_value = (strcmp (name, "_Unwind_Backtrace") == 0
		    ? (uintptr_t) unwind - map->l_addr
		    : strcmp (name, "_Unwind_GetCFA") == 0 ? GET_CFA
		    : strcmp (name, "_Unwind_GetIP") == 0 ? GET_IP
		    : (uintptr_t) find_fde - map->l_addr);
  *symbol = (lacking != NULL && strcmp (name, lacking) == 0 ? NULL : &found);
  return map;
}

struct sframe_unloads *
sframe_unloads (void)
{
  /* Not before it is pinned.  */
  CHECK (begun == 1 && ends == 0);
  return &unloads;
}

void
sframe_pin_begin (uint8_t *pin)
{
  ++begun;
  pin_at_begin = *pin;
  *pin = 2;
}

void
sframe_pin_end (uint8_t pin)
{
  ended[ends++ % 4] = pin;
}

int
sframe_setting (void)
{
  return setting;
}

struct unwind_link *
__libc_unwind_link_get (void)
{
  ++loads;
  return &loaded;
}

/* Each namespace has a libgcc, and this one's knows the last frame.  */
static void
start (void)
{
  for (int i = 0; i < DL_NNS; ++i)
    unloads.unwinders[i] = i == NAMESPACE ? &map : &other_map;
  found_own = 0;
  lacking = NULL;
  for (int i = 0; i < COUNT + 2; ++i)
    array[i] = (void *) (uintptr_t) (0x4000 + 0x100 * i);
  known = (uintptr_t) array[COUNT - 1];
  begun = lookups = loads = ends = traces = 0;
  mask = BLOCKED;
  mask_fails = false;
  memset (&libgcc, 0x7f, sizeof libgcc);
}

static struct unwind_link *
get (void)
{
  struct unwind_link *link
    = __sframe_libgcc_link (&libgcc, SFRAME_HELP_IF_LOADED, array, COUNT);

  CHECK (begun == 1 && pin_at_begin == 0 && loads == 0);
  return link;
}

/* Whether it was not found; then the reader has ended.  */
static bool
lacks (void)
{
  struct unwind_link *link = get ();

  CHECK (ends == 1 && ended[0] == 2 && libgcc.pin == 0);
  return link == NULL;
}

static void
what_is_loaded (void)
{
  start ();
  CHECK (get () == &libgcc.link && ends == 0);
  CHECK ((uintptr_t) libgcc.link.ptr__Unwind_Backtrace
	 == ((uintptr_t) unwind ^ MANGLED));
  CHECK ((uintptr_t) libgcc.link.ptr__Unwind_GetCFA
	 == ((0x20000 + GET_CFA) ^ MANGLED));
  CHECK ((uintptr_t) libgcc.link.ptr__Unwind_GetIP
	 == ((0x20000 + GET_IP) ^ MANGLED));
  __sframe_libgcc_done (&libgcc);
  CHECK (ends == 1 && ended[0] == 2 && libgcc.pin == 0);
}

/* For the whole trace it is that which stays loaded for ever.  */
static void
to_stay (void)
{
  start ();
  CHECK (__sframe_libgcc_link (&libgcc, SFRAME_HELP_LOAD, array, 0)
	 == &loaded);
  CHECK (loads == 1 && begun == 0 && lookups == 0 && libgcc.pin == 0);
  for (setting = 0; setting <= 2; ++setting)
    {
      loads = 0;
      __sframe_libgcc_prepare ();
      CHECK (loads == (setting == 0) && begun == 0);
    }
}

static void
not_loaded (void)
{
  start ();
  unloads.unwinders[NAMESPACE] = NULL;
  CHECK (lacks () && lookups == 0);
  start ();
  found_own = -1;
  CHECK (lacks () && lookups == 0);
}

static void
not_whole (void)
{
  static const char *const names[]
    = { "_Unwind_Backtrace", "_Unwind_GetCFA", "_Unwind_GetIP" };

  for (int i = 0; i < 3; ++i)
    {
      start ();
      lacking = names[i];
      CHECK (lacks ());
    }
}

/* Code that was registered with libgcc, if the last frame is in it: its PC is
   a return address or the next instruction.  */
static void
code_that_it_knows (void)
{
  for (int i = -1; i < COUNT + 1; ++i)
    for (int distance = -2; distance <= 1; ++distance)
      {
	bool last = i == COUNT - 1 && (distance == -1 || distance == 0);
	start ();
	known = 0x4000 + 0x100 * i + distance;
	if (last)
	  CHECK (get () == &libgcc.link && ends == 0);
	else
	  CHECK (lacks ());
      }
  start ();
  lacking = "_Unwind_Find_FDE";
  CHECK (lacks ());
}

/* A trace of one frame, or of none.  */
static void
few_frames (void)
{
  start ();
  known = 0x4000;
  CHECK (__sframe_libgcc_link (&libgcc, SFRAME_HELP_IF_LOADED, array, 1)
	 == &libgcc.link);
  start ();
  known = 0x4000;
  CHECK (__sframe_libgcc_link (&libgcc, SFRAME_HELP_IF_LOADED, array + 1, 0)
	 == NULL);
}

/* libgcc's first trace, once until an object is unloaded.  */
static void
first_trace (void)
{
  const unsigned long int open
    = (1UL << (SIGBUS - 1) | 1UL << (SIGFPE - 1) | 1UL << (SIGILL - 1)
       | 1UL << (SIGSEGV - 1) | 1UL << (SIGSYS - 1) | 1UL << (SIGTRAP - 1));

  for (int i = 0; i < 4; ++i)
    {
      ++unloads.count;
      start ();
      mask_fails = i == 3;
      CHECK (get () == &libgcc.link && traces == 1 && mask == BLOCKED);
      CHECK (mask_in_trace == (mask_fails ? BLOCKED : ~open | BLOCKED));
      start ();
      CHECK (get () == &libgcc.link && traces == 0);
    }
}

static const struct test_case cases[] = {
  { "first trace", first_trace },
  { "what is loaded", what_is_loaded },
  { "to stay", to_stay },
  { "not loaded", not_loaded },
  { "not whole", not_whole },
  { "code that it knows", code_that_it_knows },
  { "few frames", few_frames },
};

int
main (void)
{
  return run_cases (cases, sizeof cases / sizeof *cases);
}
