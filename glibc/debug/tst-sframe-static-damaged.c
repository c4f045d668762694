/* Test that damage to .eh_frame does not make backtrace fault or loop in a
   static program without SFrame.

   SPDX-License-Identifier: LGPL-2.1-or-later

   libgcc, which is in the program, would fault: it does not check what it
   reads.  */

#include <array_length.h>
#include <execinfo.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <support/check.h>
#include <support/xunistd.h>

/* How many bytes from the start of each section on are changed: the entries of
   this file are among the first.  */
enum { HEADER_SIZE = 64, RECORDS_SIZE = 1024 };

/* The exit status of a process, by how its traces end.  */
enum { WHOLE = 0, EMPTY = 1, SHORT = 2 };

/* The return address of call_qsort: .eh_frame is needed to find it.  */
static void *caller;
static volatile int traces, whole;

static int
compare (const void *left, const void *right)
{
  void *pc[64];
  for (int i = 0; i < 2; ++i)
    {
      int count = backtrace (pc, array_length (pc));
      traces += count > 0;
      while (count > 0 && pc[count - 1] != caller)
	--count;
      whole += count > 0;
    }
  return *(const int *) left - *(const int *) right;
}

static void __attribute_optimization_barrier__
call_qsort (void)
{
  int array[] = { 2, 1 };
  caller = __builtin_return_address (0);
  qsort (array, array_length (array), sizeof (array[0]), compare);
}

/* Store VALUE at AT, which is not writable.  */
static void
change (unsigned char *at, unsigned char value)
{
  uintptr_t page = (uintptr_t) at & -sysconf (_SC_PAGESIZE);
  xmprotect ((void *) page, sysconf (_SC_PAGESIZE), PROT_READ | PROT_WRITE);
  *at = value;
}

/* Take traces in another process, whose byte at AT is VALUE, if AT is not null.
   Return how they end.  */
static int
trace_with (unsigned char *at, unsigned char value)
{
  pid_t pid = xfork ();
  if (pid == 0)
    {
      if (at != NULL)
	change (at, value);
      alarm (10);
      call_qsort ();
      _exit (traces < 2 ? EMPTY : whole < 2 ? SHORT : WHOLE);
    }
  int status;
  xwaitpid (pid, &status, 0);
  bool good = (WIFEXITED (status) && WEXITSTATUS (status) != EMPTY);
  if (!good)
    printf ("info: with %#x at %p: status %#x\n", value, at, status);
  TEST_VERIFY (good);
  return WEXITSTATUS (status);
}

/* Damage the SIZE bytes from START on, which backtrace needs.  */
static void
damage (const void *start, size_t size)
{
  unsigned char *bytes = (unsigned char *) start;
  int shorter = 0;
  for (size_t i = 0; i < size; ++i)
    {
      shorter += trace_with (&bytes[i], 0x50) == SHORT;
      shorter += trace_with (&bytes[i], 0xff) == SHORT;
    }
  TEST_VERIFY (shorter > 0);
}

/* Damage the tables of the program, which is the first object.  */
static int
damage_program (struct dl_phdr_info *info, size_t size, void *closure)
{
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
      {
	const char *header
	  = (const char *) info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	int32_t offset;
	/* The address of .eh_frame, relative to this field.  */
	memcpy (&offset, header + 4, sizeof (offset));
	damage (header, HEADER_SIZE);
	damage (header + 4 + offset, RECORDS_SIZE);
	return 1;
      }
  /* A mark in crt1.o.  */
  extern const char _dl_eh_frame[];
#pragma weak _dl_eh_frame
  TEST_VERIFY_EXIT (_dl_eh_frame != NULL);
  damage (_dl_eh_frame, RECORDS_SIZE);
  return 1;
}

static int
do_test (void)
{
  TEST_COMPARE (trace_with (NULL, 0), WHOLE);
  TEST_COMPARE (dl_iterate_phdr (damage_program, NULL), 1);
  return 0;
}

#define TIMEOUT 100
#include <support/test-driver.c>
