/* Allocation, buffers and messages of sframe-add.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: if memory is exhausted, the work on the current file ends
   (with_memory), and that file stays unchanged.  */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sframe-add.h"

/* Where with_memory was called in this thread, or null.  */
static _Thread_local jmp_buf *caller;

bool
with_memory (void (*function) (void *), void *argument)
{
  jmp_buf here;

  if (setjmp (here) != 0)
    {
      caller = NULL;
      return false;
    }
  caller = &here;
  function (argument);
  caller = NULL;
  return true;
}

static void __attribute__ ((noreturn))
no_memory (void)
{
  if (caller != NULL)
    longjmp (*caller, 1);
  fputs ("sframe-add: out of memory\n", stderr);
  exit (2);
}

/* Return ARRAY, which has room for *CAPACITY elements of SIZE bytes, enlarged
   for at least COUNT.  */
void *
grow (void *array, size_t *capacity, size_t count, size_t size)
{
  if (count <= *capacity)
    return array;
  /* Not twice as much: a file may be large.  */
  size_t more = *capacity < 16 ? 32 : *capacity + *capacity / 2;
  if (more < count)
    more = count;
  array = reallocarray (array, more, size);
  if (array == NULL)
    no_memory ();
  *capacity = more;
  return array;
}

static unsigned char *
make_room (struct buffer *buffer, size_t size)
{
  size_t needed;

  if (__builtin_add_overflow (buffer->size, size, &needed))
    no_memory ();
  buffer->data = grow (buffer->data, &buffer->capacity, needed, 1);
  unsigned char *room = buffer->data + buffer->size;
  buffer->size = needed;
  return room;
}

void
put_bytes (struct buffer *buffer, const void *bytes, size_t size)
{
  if (size > 0)
    memcpy (make_room (buffer, size), bytes, size);
}

void
put_zeros (struct buffer *buffer, size_t size)
{
  if (size > 0)
    memset (make_room (buffer, size), 0, size);
}

/* Append VALUE as WIDTH bytes, in the byte order of BUFFER.  */
void
put_number (struct buffer *buffer, uint64_t value, unsigned int width)
{
  unsigned char *room = make_room (buffer, width);

  for (unsigned int i = 0; i < width; ++i)
    room[buffer->big_endian ? width - 1 - i : i] = value >> 8 * i;
}

char *
message (const char *format, ...)
{
  va_list arguments;
  char *text;

  va_start (arguments, format);
  if (vasprintf (&text, format, arguments) < 0)
    no_memory ();
  va_end (arguments);
  return text;
}
