/* Test that backtrace ends where a return address is overwritten, and
   that it shows every frame up to there.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <array_length.h>
#include <sys/mman.h>

#include <support/xunistd.h>

#include "tst-sframe-overwrite.h"

#if HAVE_SFRAME_ASM

/* take and smash_ra.  */
enum { GOOD_FRAMES = 2 };

static void *bad_values[8];
static struct trace good;
/* Each value twice; the second trace uses cached rules.  */
static struct trace bad[2 * array_length (bad_values)];

/* Check BAD, a trace taken while the return address was VALUE.  */
static void
check (const struct trace *bad, void *value)
{
  printf ("info: return address %p\n", value);
  /* The bad value itself may be the last frame, unless it is null.  */
  if (bad->count == GOOD_FRAMES + 1 && value != NULL)
    TEST_VERIFY (bad->pc[GOOD_FRAMES] == PLAIN_RA (value));
  else
    TEST_COMPARE (bad->count, GOOD_FRAMES);
  TEST_COMPARE_BLOB (bad->pc, GOOD_FRAMES * sizeof (void *),
		     good.pc, GOOD_FRAMES * sizeof (void *));
}

/* Values that no return address can have.  */
static void
choose_values (void)
{
  size_t page = sysconf (_SC_PAGESIZE);
  char *memory = xmmap (NULL, 2 * page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
  xmprotect (memory + page, page, PROT_NONE);
  bad_values[0] = NULL;
  bad_values[1] = (void *) 1;
  bad_values[2] = (void *) -1;
  bad_values[3] = (void *) 0x5a5a5a5a5a5a5a5a;
  /* A page that is not executable, one that is not readable, and an
     instruction across both.  */
  bad_values[4] = memory;
  bad_values[5] = memory + page;
  bad_values[6] = memory + page - 1;
  /* Data of an object.  */
  bad_values[7] = &good;
}

static int
do_test (void)
{
  choose_values ();
  smash_ra (NULL, &good);
  for (size_t i = 0; i < array_length (bad); ++i)
    smash_ra (&bad_values[i % array_length (bad_values)], &bad[i]);
  /* None of them follows a call, so backtrace must not use libgcc.  */
  check_no_fallback ();
  TEST_VERIFY (good.count > GOOD_FRAMES + 1);
  for (size_t i = 0; i < array_length (bad); ++i)
    check (&bad[i], bad_values[i % array_length (bad_values)]);
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs to know where RA is saved");
}
#endif

#include <support/test-driver.c>
