/* Named test cases, each in a process of its own, with results in the form of
   DejaGnu.

   SPDX-License-Identifier: LGPL-2.1-or-later

   A case is a function.  A CHECK that fails is reported with its line, and the
   case continues.  Since each case has a process of its own, a crash is the
   failure of one case.  The last line of a program is "DONE: " and the number
   of cases, so that a program that dies early is not mistaken for one with
   fewer cases.  */

#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct test_case
{
  const char *name;
  void (*run) (void);
};

/* Failed and evaluated checks of the running case.  */
static unsigned int check_failures;
static unsigned long int check_count;

static inline void
check_that (bool good, const char *what, const char *file, int line)
{
  ++check_count;
  if (good)
    return;
  ++check_failures;
  printf ("%s:%d: not true: %s\n", file, line, what);
}

#define CHECK(condition) check_that (condition, #condition, __FILE__, __LINE__)

/* For conditions without which the test cannot continue.  */
static inline void
require (bool good, const char *what)
{
  if (good)
    return;
  printf ("cannot test: %s\n", what);
  fflush (stdout);
  exit (EXIT_FAILURE);
}

/* Run CASE in a child.  A case that checked nothing fails too.  */
static inline bool
run_case (const struct test_case *test_case)
{
  fflush (stdout);
  pid_t child = fork ();
  require (child >= 0, "fork");
  if (child == 0)
    {
      test_case->run ();
      exit (check_failures == 0 && check_count > 0
	    ? EXIT_SUCCESS : EXIT_FAILURE);
    }

  int status;
  require (waitpid (child, &status, 0) == child, "waitpid");
  if (WIFSIGNALED (status))
    printf ("%s: killed by signal %d\n", test_case->name, WTERMSIG (status));
  bool good = WIFEXITED (status) && WEXITSTATUS (status) == EXIT_SUCCESS;
  printf ("%s: %s\n", good ? "PASS" : "FAIL", test_case->name);
  return good;
}

static inline int
run_cases (const struct test_case *cases, size_t count)
{
  int result = EXIT_SUCCESS;

  for (size_t i = 0; i < count; ++i)
    if (!run_case (&cases[i]))
      result = EXIT_FAILURE;
  printf ("DONE: %zu\n", count);
  return result;
}

#endif /* CHECK_H  */
