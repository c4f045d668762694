/* A malloc, to be preloaded, that fails once when a test asks for it.

   SPDX-License-Identifier: LGPL-2.1-or-later

   ld.so also calls it, as soon as it has relocated the program.  */

#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t count, size_t size);
extern void *__libc_realloc (void *old, size_t size);

/* The allocation that fails, counted down to 1; 0: none.  */
static int due;

/* Let the NTH allocation from now on fail.  Return the rest of the last such
   count: not 0 if there were fewer allocations.  */
int
starve (int nth)
{
  int left = due;
  due = nth;
  return left;
}

static int
is_due (void)
{
  if (due == 0 || --due > 0)
    return 0;
  errno = ENOMEM;
  return 1;
}

void *
malloc (size_t size)
{
  return is_due () ? NULL : __libc_malloc (size);
}

void *
calloc (size_t count, size_t size)
{
  return is_due () ? NULL : __libc_calloc (count, size);
}

void *
realloc (void *old, size_t size)
{
  return is_due () ? NULL : __libc_realloc (old, size);
}
