/* The storm's part with tables whose pages arrive late or never: a thread of
   the storm handles the page faults.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel waits for such a page in prctl and when it unwinds.  */

#include "storm.h"

#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sframe.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 2, NEVER = 20 };

/* Faults at or after this offset are not in the header of a table.  On s390x
   only the page of a fault is known, otherwise its address.  */
#ifdef __s390x__
enum { BEHIND_HEADER = 0 };
#else
enum { BEHIND_HEADER = sizeof (struct sframe_header) };
#endif

static int faults;
static bool over;

static void
open_faults (void)
{
  struct uffdio_api api =
    { .api = UFFD_API, .features = UFFD_FEATURE_EXACT_ADDRESS };
  faults = syscall (SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
  if (faults < 0 || ioctl (faults, UFFDIO_API, &api) != 0)
    err (1, "userfaultfd");
}

/* From now on the missing pages of SLOT's table arrive late.  */
static void
make_late (char *slot)
{
  struct uffdio_register range =
    {
      .range = { (unsigned long) slot, TEXT_OFFSET },
      .mode = UFFDIO_REGISTER_MODE_MISSING,
    };
  ioctl (faults, UFFDIO_REGISTER, &range);
}

static void
renew (char *slot)
{
  arena_fill_private (slot);
  make_late (slot);
  madvise (slot, TEXT_OFFSET, MADV_DONTNEED);
}

/* Handle a fault at ADDRESS: provide a page of some table or of zeros, or let
   the waiting task fault again.  */
static void
answer (unsigned long address)
{
  unsigned long page = address & -PAGE;
  int number = (page - (unsigned long) arena) / PAGE % SLOT_PAGES;
  struct uffdio_copy copy =
    { .dst = page, .src = (unsigned long) arena_table_page (number),
      .len = PAGE };
  struct uffdio_zeropage zero = { .range = { page, PAGE } };
  struct uffdio_range again = { page, PAGE };
  if (roll (2))
    usleep (roll (1000));
  switch (roll (8))
    {
    case 0:
      ioctl (faults, UFFDIO_ZEROPAGE, &zero);
      break;
    case 1:
      break;
    default:
      ioctl (faults, UFFDIO_COPY, &copy);
    }
  ioctl (faults, UFFDIO_WAKE, &again);
}

/* Whether a task waits for the page at *ADDRESS; a task that was reported may
   have stopped waiting.  */
static bool
somebody_waits (unsigned long *address)
{
  struct pollfd ready = { .fd = faults, .events = POLLIN };
  struct uffd_msg message;
  if (poll (&ready, 1, 20) != 1
      || read (faults, &message, sizeof message) != sizeof message)
    return false;
  *address = message.arg.pagefault.address;
  return message.event == UFFD_EVENT_PAGEFAULT;
}

static void *
serve (void *number)
{
  unsigned long address;
  storm_seed ((unsigned long) number);
  while (!__atomic_load_n (&over, __ATOMIC_RELAXED))
    if (somebody_waits (&address))
      answer (address);
  return NULL;
}

static void
one_deed (void)
{
  char *slot = arena_slot ();
  switch (roll (8))
    {
    case 0:
      renew (slot);
      break;
    case 1:
      madvise (slot, TEXT_OFFSET, MADV_DONTNEED);
      break;
    case 2: case 3:
      arena_register (slot);
      break;
    case 4:
      storm_remove ((unsigned long) slot, 0, 0, 0);
      break;
    case 5:
      if (roll (8) == 0)
	munmap (slot, TEXT_OFFSET);
      break;
    default:
      arena_call (NULL);
    }
}

void
storm_late (void)
{
  pthread_t server;
  catch_faults ();
  open_faults ();
  for (int i = 0; i < SLOTS; i++)
    renew (arena_slot ());
  pthread_create (&server, NULL, serve, (void *) (long) roll (0x10000));
  workers_start (WORKERS, one_deed);
  workers_join ();
  __atomic_store_n (&over, true, __ATOMIC_RELAXED);
  pthread_join (server, NULL);
}

/* When a task waits for a page, kill this process by a signal, if the fault is
   at OFFSET or after it.  */
static void *
kill_waiting (void *offset)
{
  unsigned long address;
  while (!somebody_waits (&address))
    ;
  if (address - (unsigned long) arena >= (unsigned long) offset)
    kill (getpid (), SIGKILL);
  _exit (3);
}

/* Wait for a page that never arrives, to register a table or, if UNWINDING is
   set, to read a registered one after its header; for frames without a rule
   the kernel may read any memory.  */
static void
wait_in_vain (bool unwinding)
{
  size_t offset = unwinding ? BEHIND_HEADER : 0;
  pthread_t killer;
  open_faults ();
  arena_fill_private (arena);
  if (unwinding
      && storm_add ((unsigned long) arena, TEXT_OFFSET,
		    (unsigned long) arena + TEXT_OFFSET, TEXT_SIZE) != 0)
    _exit (1);
  make_late (arena);
  madvise (arena, TEXT_OFFSET, MADV_DONTNEED);
  pthread_create (&killer, NULL, kill_waiting, (void *) offset);
  if (unwinding)
    arena_call (arena);
  else
    storm_add ((unsigned long) arena, TEXT_OFFSET,
	       (unsigned long) arena + TEXT_OFFSET, TEXT_SIZE);
  _exit (2);
}

/* Only a waiting process is killed; others continue and exit.  */
void
check_waiting (void)
{
  for (int unwinding = 0; unwinding < 2; unwinding++)
    {
      int killed = 0;
      for (int i = 0; i < NEVER; i++)
	{
	  pid_t pid = storm_fork ();
	  if (pid == 0)
	    wait_in_vain (unwinding);
	  int status = storm_await (pid);
	  killed += WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL;
	}
      result (killed == NEVER,
	      unwinding ? "unwinding that waits for a page can be killed"
	      : "a registration that waits for a page can be killed");
    }
}
