/* Crash inside malloc while it holds its lock: this program's own malloc.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Anything that the crash handler allocates would wait for the lock for ever.
   That is told by an exit status here, for a test should not hang.  */

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static _Alignas (16) char arena[1 << 20];
static size_t used;
static bool locked;
static volatile bool armed;
static int *volatile null;

void *
malloc (size_t size)
{
  if (locked)
    {
      static const char text[] = "malloc is called while it is locked\n";
      _exit (write (STDOUT_FILENO, text, sizeof text - 1) < 0 ? 1 : 9);
    }
  locked = true;
  if (armed)
    *null = 0;
  char *result = arena + used;
  used += (size + 15) & -16;
  locked = false;
  return used <= sizeof arena ? result : NULL;
}

void
free (void *p)
{
  (void) p;
}

void *
calloc (size_t n, size_t size)
{
  /* The arena is zero, and nothing in it is used twice.  */
  return malloc (n * size);
}

void *
realloc (void *old, size_t size)
{
  char *result = malloc (size);
  if (old != NULL && result != NULL)
    memmove (result, old, size);
  return result;
}

int
main (void)
{
  armed = true;
  return strdup ("a copy") == NULL;
}
