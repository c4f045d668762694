/* Test backtrace through an object without SFrame whose code is not readable:
   it may be execute-only, or the program may be replacing it.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <link.h>
#include <sys/mman.h>

#include <support/xdlfcn.h>
#include <support/xunistd.h>

#include "tst-sframe-support.h"

static struct trace_pair pair;
static char *code;
static size_t code_size;
static volatile int traces;

/* Find the pages of code of the object that FUNCTION is in.  */
static int
find_code (struct dl_phdr_info *info, size_t size, void *function)
{
  uintptr_t page = sysconf (_SC_PAGESIZE);
  for (size_t i = 0; i < info->dlpi_phnum; ++i)
    {
      const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
      uintptr_t start = info->dlpi_addr + ph->p_vaddr;
      if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X) != 0
	  && (uintptr_t) function - start < ph->p_memsz)
	{
	  code = (char *) (start & -page);
	  code_size = (start + ph->p_memsz - (uintptr_t) code + page - 1)
		      & -page;
	}
    }
  return 0;
}

static void FRAME
called (void)
{
  TEST_COMPARE (mprotect (code, code_size, PROT_NONE), 0);
  collect (&pair);
  TEST_COMPARE (mprotect (code, code_size, PROT_READ | PROT_EXEC), 0);
  ++traces;
  KEEP_FRAME ();
}

static void
handler (int signo)
{
  called ();
  KEEP_FRAME ();
}

static void FRAME
interrupted (void)
{
  raise (SIGUSR1);
  KEEP_FRAME ();
}

static void
check (const void *function)
{
  check_same_with (&pair, function);
  check_no_fallback ();
}

static int
do_test (void)
{
  void *handle = xdlopen ("tst-sframe-stripped-mod.so", RTLD_NOW);
  int (*call) (void (*) (void), int) = xdlsym (handle, "call_without_sframe");
  dl_iterate_phdr (find_code, call);
  TEST_VERIFY_EXIT (code != NULL);

  call (called, 100);
  check (call);
  handle_signal (SIGUSR1, handler);
  call (interrupted, 100);
  check (call);
  TEST_COMPARE (traces, 2);
  return 0;
}

#include <support/test-driver.c>
