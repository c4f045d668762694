/* A program that loads and unloads objects as its arguments say.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: actor STEP...

   Steps are executed in order; each is VERB or VERB=OPERAND.  A step with an
   unexpected result ends the program with status 1.  */

#include "forbid.h"
#include "marker.h"

#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

static void step (char *text);

/* Handles from open and its like; close takes the latest.  */
static void *handles[1024];
static int handle_count;

static void
keep (void *handle)
{
  if (handle == NULL)
    errx (1, "%s", dlerror ());
  handles[handle_count++] = handle;
}

static void
do_open (char *path)
{
  keep (dlopen (path, RTLD_NOW));
}

static void
do_nodelete (char *path)
{
  keep (dlopen (path, RTLD_NOW | RTLD_NODELETE));
}

/* In a namespace of its own.  */
static void
do_new (char *path)
{
  keep (dlmopen (LM_ID_NEWLM, path, RTLD_NOW));
}

static void
do_close (char *unused)
{
  if (dlclose (handles[--handle_count]) != 0)
    errx (1, "%s", dlerror ());
}

/* The object exists, but must be refused.  */
static void
do_fails (char *path)
{
  if (access (path, R_OK) != 0)
    err (1, "%s", path);
  if (dlopen (path, RTLD_NOW) != NULL)
    errx (1, "could open %s", path);
}

/* NTH:PATH opens PATH while the NTH allocation fails (starve.c), or the system
   call that the recorder has chosen.  Afterwards the whole object is loaded or
   nothing of it, and it can be opened later.  */
static void
do_starved (char *operand)
{
  char *path = strchr (operand, ':') + 1;
  int (*starve) (int) = (int (*) (int)) dlsym (RTLD_DEFAULT, "starve");
  marker ("fail");
  if (starve != NULL)
    starve (atoi (operand));
  void *handle = dlopen (path, RTLD_NOW);
  bool denied = starve != NULL && starve (0) == 0;
  marker (handle != NULL ? "fail-no-more opened" : "fail-no-more refused");
  printf ("%s, %s\n", handle != NULL ? "opened" : dlerror (),
	  denied ? "an allocation failed" : "each allocation was made");
  keep (handle != NULL ? handle : dlopen (path, RTLD_NOW));
}

/* PATH:COUNT opens PATH with "%d" replaced by each number below COUNT.  */
static void
do_many (char *operand)
{
  char *colon = strrchr (operand, ':');
  *colon = '\0';
  int count = atoi (colon + 1);
  for (int i = 0; i < count; i++)
    {
      char path[PATH_MAX];
      snprintf (path, sizeof path, operand, i);
      do_open (path);
    }
}

/* COUNT:STEP repeats STEP.  */
static void
do_times (char *operand)
{
  char *rest;
  long count = strtol (operand, &rest, 10);
  for (long i = 0; i < count; i++)
    step (rest + 1);
}

static void
say (const char *verb, const char *name)
{
  char text[120];
  snprintf (text, sizeof text, "%s %s", verb, name);
  marker (text);
}

static void do_is (char *name) { say ("is", name); }
static void do_not (char *name) { say ("not", name); }
static void do_note (char *text) { say ("note", text); }

static void *
thread_start (void *text)
{
  step (text);
  return NULL;
}

static void
do_thread (char *text)
{
  pthread_t thread;
  if (pthread_create (&thread, NULL, thread_start, text) != 0
      || pthread_join (thread, NULL) != 0)
    errx (1, "no thread");
}

static char *handler_step;

static void
handler (int signal)
{
  step (handler_step);
}

static void
do_handler (char *text)
{
  handler_step = text;
  signal (SIGUSR1, handler);
  raise (SIGUSR1);
}

static void
await (pid_t pid)
{
  int status;
  if (pid < 0 || waitpid (pid, &status, 0) != pid || status != 0)
    errx (1, "child has failed");
}

static void
do_fork (char *text)
{
  pid_t pid = fork ();
  if (pid == 0)
    {
      step (text);
      exit (0);
    }
  await (pid);
}

static void
do_vfork (char *program)
{
  pid_t pid = vfork ();
  if (pid == 0)
    {
      execl (program, program, "note=executed", NULL);
      _exit (127);
    }
  await (pid);
}

static void
do_exec (char *program)
{
  execl (program, program, "note=executed", NULL);
  err (1, "%s", program);
}

static volatile bool storm_over;

static void *
storm (void *path)
{
  while (!storm_over)
    {
      void *handle = dlopen (path, RTLD_NOW);
      if (handle == NULL || dlclose (handle) != 0)
	errx (1, "%s", dlerror ());
    }
  return NULL;
}

/* Fork repeatedly while another thread opens and closes PATH.  Whether a child
   has PATH depends on the timing, except in the last child.  */
static void
do_storm (char *path)
{
  pthread_t thread;
  if (pthread_create (&thread, NULL, storm, path) != 0)
    errx (1, "no thread");
  for (int i = 0; i < 40; i++)
    {
      pid_t pid = fork ();
      if (pid == 0)
	_exit (0);
      await (pid);
    }
  storm_over = true;
  pthread_join (thread, NULL);
  do_open (path);
  do_fork ("note=open");
  do_close (NULL);
}

/* Print what dlopen and dlclose of PATH leave in errno.  */
static void
do_errno (char *path)
{
  enum { MARK = 12345 };
  errno = MARK;
  void *handle = dlopen (path, RTLD_NOW);
  int opened = errno;
  errno = MARK;
  int result = handle != NULL ? dlclose (handle) : -1;
  printf ("errno %d %d result %d\n", opened, errno, result);
}

static void
do_secure (char *unused)
{
  printf ("secure %lu\n", getauxval (AT_SECURE));
}

/* Print what is mapped and what the kernel says is registered, both under
   LABEL.  */
static void
do_show (char *label)
{
  static const char *const files[] = { "/proc/self/maps", "/proc/self/sframe" };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    {
      char line[PATH_MAX + 200];
      FILE *stream = fopen (files[i], "r");
      if (stream == NULL)
	err (1, "%s", files[i]);
      printf ("== %s %s\n", label, strrchr (files[i], '/') + 1);
      while (fgets (line, sizeof line, stream) != NULL)
	fputs (line, stdout);
      fclose (stream);
    }
  fflush (stdout);
}

/* Install a filter after the start, as sandboxes do.  */
static void
do_forbid (char *unused)
{
  forbid_unknown_options ();
}

static const struct
{
  const char *verb;
  void (*run) (char *);
} verbs[] =
{
  { "open", do_open }, { "nodelete", do_nodelete }, { "new", do_new },
  { "close", do_close }, { "fails", do_fails }, { "many", do_many },
  { "times", do_times }, { "is", do_is }, { "not", do_not },
  { "note", do_note }, { "thread", do_thread }, { "handler", do_handler },
  { "fork", do_fork }, { "vfork", do_vfork }, { "exec", do_exec },
  { "storm", do_storm }, { "errno", do_errno }, { "secure", do_secure },
  { "show", do_show }, { "forbid", do_forbid }, { "starved", do_starved },
};

/* Split a copy of TEXT, since a step may be repeated.  */
static void
step (char *text)
{
  char *copy = strdup (text);
  char *operand = copy + strcspn (copy, "=");
  if (*operand == '=')
    *operand++ = '\0';
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
    if (strcmp (verbs[i].verb, copy) == 0)
      {
	verbs[i].run (operand);
	free (copy);
	return;
      }
  errx (1, "no verb %s", copy);
}

int
main (int argc, char **argv)
{
  if (errno != 0)
    err (1, "errno at start");
  for (int i = 1; i < argc; i++)
    step (argv[i]);
  return 0;
}
