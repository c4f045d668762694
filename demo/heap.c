/* The second program of `make demo': it corrupts its heap, and malloc detects it.
   SPDX-License-Identifier: LGPL-2.1-or-later

   malloc aborts while it holds its lock.  It takes a lock only in a process with
   several threads, so there is a second thread, which waits.  */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *
wait_forever (void *closure)
{
  pause ();
  return closure;
}

/* Get a request of LENGTH bytes into a buffer that has room for 10000.  */
static char * __attribute__ ((noinline))
read_request (size_t length)
{
  char *buffer = malloc (10000);
  return memset (buffer, 'x', length);
}

static char * __attribute__ ((noinline))
handle_request (size_t length)
{
  char *request = read_request (length);
  char *answer = malloc (20000);
  answer[0] = request[0];
  return answer;
}

int
main (int argc, char **argv)
{
  pthread_t thread;
  if (argc != 2 || pthread_create (&thread, NULL, wait_forever, NULL) != 0)
    return 1;
  return handle_request (strtoul (argv[1], NULL, 10))[0] == '\0';
}
