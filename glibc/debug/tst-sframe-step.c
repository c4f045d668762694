/* Test backtrace at every instruction of string functions, malloc and qsort,
   bound at startup.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-step.h"

#if HAVE_SFRAME_X86

# define SIZE 600
static char source[SIZE];
static char target[SIZE];

/* Volatile, so that the compiler does not know the value.  */
static volatile size_t length = SIZE - 1;
static volatile size_t result;
static char *volatile copy;

static void FRAME
step_memcpy (void)
{
  step_start ();
  memcpy (target, source, length);
  step_stop ();
  KEEP_FRAME ();
}

static void FRAME
step_strlen (void)
{
  step_start ();
  result = strlen (source + length % 2);
  step_stop ();
  KEEP_FRAME ();
}

/* strdup calls malloc, which a program may replace, through an entry of
   .plt.got, for which GNU ld writes wrong rows.  */
static void FRAME
step_strdup (void)
{
  step_start ();
  copy = strdup (source);
  step_stop ();
  KEEP_FRAME ();
}

static int
compare (const void *left, const void *right)
{
  return *(const char *) left - *(const char *) right;
}

static void FRAME
step_qsort (void)
{
  step_start ();
  qsort (target, 12, 1, compare);
  step_stop ();
  KEEP_FRAME ();
}

static void
run (void (*function) (void), int minimum)
{
  step_prepare (function);
  function ();
  step_check (minimum);
}

static int
do_test (void)
{
  memset (source, 'x', SIZE - 1);
  for (int i = 0; i < 12; ++i)
    source[i] = "inseparably."[i];

  run (step_memcpy, 10);
  run (step_strlen, 10);
  run (step_strdup, 50);
  run (step_qsort, 200);
  check_no_fallback ();
  TEST_COMPARE_STRING (target + 12, source + 12);
  TEST_COMPARE (result, SIZE - 2);
  TEST_COMPARE_STRING (copy, source);
  free (copy);
  return 0;
}

#else
static int
do_test (void)
{
  FAIL_UNSUPPORTED ("needs a trap flag");
}
#endif

#include <support/test-driver.c>
