/* A program that registers its objects itself, correctly or with an error that
   the recorder must detect.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: liar MODE

   The libc of the program registers nothing.  */

#include "marker.h"

#include <dlfcn.h>
#include <elf.h>
#include <err.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ADD = 0x53460001, REMOVE = 0x53460002, GNU_SFRAME = 0x6474e554 };

/* One executable segment and its table, as the kernel takes them.  */
struct range
{
  uint64_t table;
  uint64_t table_size;
  uint64_t text;
  uint64_t text_size;
};

static struct range ranges[64];
static int count;

/* The object that most modes use.  */
static const char *plain;
static void *handle;

/* Collect the segments of one object, if its name contains PART.  */
static int
collect (struct dl_phdr_info *info, size_t size, void *part)
{
  struct range r = { 0 };
  if (strstr (info->dlpi_name, part) == NULL)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == GNU_SFRAME)
      {
	r.table = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	r.table_size = info->dlpi_phdr[i].p_memsz;
      }
  for (int i = 0; i < info->dlpi_phnum && r.table != 0; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD
	&& (info->dlpi_phdr[i].p_flags & PF_X))
      {
	r.text = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	r.text_size = info->dlpi_phdr[i].p_memsz;
	ranges[count++] = r;
      }
  return 0;
}

/* Ask whether the kernel has the options, by removing the table at address
   0.  */
static void
ask (void)
{
  prctl (REMOVE, 0UL, 0UL, 0UL, 0UL);
}

static void
add (const struct range *r)
{
  prctl (ADD, r, 1UL, sizeof *r, 0UL);
}

static void
add_all (void)
{
  count = 0;
  dl_iterate_phdr (collect, "");
  for (int i = 0; i < count; i++)
    add (&ranges[i]);
}

static struct range
open_plain (void)
{
  handle = dlopen (plain, RTLD_NOW);
  if (handle == NULL)
    errx (1, "%s", dlerror ());
  count = 0;
  dl_iterate_phdr (collect, (void *) plain);
  if (count != 1)
    errx (1, "%s has %d ranges", plain, count);
  return ranges[0];
}

/* Open the plain object and register it correctly.  */
static struct range
add_plain (void)
{
  struct range r = open_plain ();
  add (&r);
  return r;
}

static void
honest (void)
{
  marker ("constructor-all liar");
  struct range r = add_plain ();
  marker ("is libplain.so");
  prctl (REMOVE, r.table, 0, 0, 0);
  marker ("not libplain.so");
  dlclose (handle);
}

/* Removes the registrations of main.  */
static void
silent (void)
{
  for (int i = 0; i < count; i++)
    prctl (REMOVE, ranges[i].table, 0, 0, 0);
  marker ("constructor-all liar");
}

/* The call that main does not make in this mode.  */
static void
unasked (void)
{
}

static void
twice (void)
{
  add (&ranges[0]);
}

static void
rounded (void)
{
  struct range r = open_plain ();
  r.text_size = (r.text_size + 4095) & -4096;
  add (&r);
}

/* One byte less than the size of the rows; the linker leaves free space after
   them.  */
static void
short_table (void)
{
  struct range r = open_plain ();
  const uint32_t *header = (const uint32_t *) (uintptr_t) r.table;
  r.table_size = 28 + header[6] + header[4] - 1;
  add (&r);
}

/* Code that is in no object, with a valid table.  */
static void
stranger (void)
{
  struct range r = open_plain ();
  r.text = (uintptr_t) mmap (NULL, 4096, PROT_READ | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  add (&r);
}

static void
overlapping (void)
{
  struct range r = add_plain ();
  r.text += 8;
  r.text_size -= 8;
  add (&r);
}

static void
not_text (void)
{
  struct range r = open_plain ();
  r.text = r.table;
  r.text_size = 8;
  add (&r);
}

static void
bad_table (void)
{
  struct range r = open_plain ();
  r.table += 8;
  r.table_size -= 8;
  add (&r);
}

static void
remove_unknown (void)
{
  struct range r = open_plain ();
  prctl (REMOVE, r.table, 0, 0, 0);
}

static void
remove_with_size (void)
{
  struct range r = add_plain ();
  prctl (REMOVE, r.table, r.table_size, 0, 0);
}

/* Unmapping also removes the registration.  */
static void
close_only (void)
{
  add_plain ();
  dlclose (handle);
}

static void
map_fixed (void)
{
  struct range r = add_plain ();
  mmap ((void *) (r.text & -4096), 4096, PROT_READ,
	MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  /* Its destructor cannot run any more.  */
  _exit (0);
}

static void
move_table (void)
{
  struct range r = add_plain ();
  if (mremap ((void *) (r.table & -4096), 4096, 8192, MREMAP_MAYMOVE)
      == MAP_FAILED)
    err (1, "mremap");
}

static void
late_mprotect (void)
{
  struct range r = add_plain ();
  mprotect ((void *) (r.table & -4096), 4096, PROT_READ);
}

static void
early_remove (void)
{
  struct range r = add_plain ();
  prctl (REMOVE, r.table, 0, 0, 0);
  dlclose (handle);
}

static void
false_is (void)
{
  open_plain ();
  marker ("is libplain.so");
}

static void
false_not (void)
{
  add_plain ();
  marker ("not libplain.so");
}

/* A forked child has the registrations of its parent.  */
static void
child_twice (void)
{
  struct range r = add_plain ();
  pid_t pid = fork ();
  if (pid == 0)
    {
      add (&r);
      _exit (0);
    }
  waitpid (pid, NULL, 0);
}

/* A child of vfork shares the registrations of its parent.  */
static void
vfork_remove (void)
{
  struct range r = add_plain ();
  pid_t pid = vfork ();
  if (pid == 0)
    {
      prctl (REMOVE, r.table, 0, 0, 0);
      _exit (0);
    }
  waitpid (pid, NULL, 0);
  marker ("not libplain.so");
}

/* exec removes all registrations, so the new program registers for the first
   time.  */
static void
exec_honest (void)
{
  execl ("/proc/self/exe", "liar", "honest", plain, NULL);
}

static void
status (void)
{
  _exit (3);
}

static void
hang (void)
{
  for (;;)
    pause ();
}

static const struct
{
  const char *name;
  void (*run) (void);
} modes[] =
{
  { "honest", honest }, { "silent", silent }, { "twice", twice },
  { "unasked", unasked }, { "ask-twice", ask },
  { "rounded", rounded }, { "short-table", short_table },
  { "stranger", stranger }, { "overlapping", overlapping },
  { "not-text", not_text }, { "bad-table", bad_table },
  { "remove-unknown", remove_unknown },
  { "remove-with-size", remove_with_size }, { "close-only", close_only },
  { "map-fixed", map_fixed }, { "move-table", move_table },
  { "late-mprotect", late_mprotect }, { "early-remove", early_remove },
  { "false-is", false_is }, { "false-not", false_not },
  { "child-twice", child_twice }, { "vfork-remove", vfork_remove },
  { "exec-honest", exec_honest }, { "status", status }, { "hang", hang },
};

int
main (int argc, char **argv)
{
  if (argc != 3)
    errx (1, "usage: liar MODE PLAIN-OBJECT");
  plain = argv[2];
  if (strcmp (argv[1], "unasked") != 0)
    ask ();
  add_all ();
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (strcmp (modes[i].name, argv[1]) == 0)
      {
	modes[i].run ();
	return 0;
      }
  errx (1, "no mode %s", argv[1]);
}
