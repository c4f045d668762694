/* The second program of `make demo': it breaks its heap, and malloc finds out.
   SPDX-License-Identifier: LGPL-2.1-or-later

   malloc aborts while it holds its lock.  It takes one only in a process that
   has threads, as any server has; so there is a second thread, which waits.  */

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

/* A buffer with a copy of REQUEST, which should be shorter.  */
static char * __attribute__ ((noinline))
read_request (const char *request)
{
  char *buffer = malloc (24);
  return strcpy (buffer, request);
}

static char * __attribute__ ((noinline))
handle_request (const char *request)
{
  char *copy = read_request (request);
  char *answer = malloc (4096);
  answer[0] = copy[0];
  return answer;
}

int
main (int argc, char **argv)
{
  pthread_t thread;
  if (argc != 2 || pthread_create (&thread, NULL, wait_forever, NULL) != 0)
    return 1;
  return handle_request (argv[1])[0] == '\0';
}
