/* Run sframe-add on damaged files.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: damage NAME FILE COUNT [FIRST]

   Compiled with sanitizers.  Each input is FILE with a few bytes changed,
   mostly in headers and .eh_frame, or cut off.  If sframe-add makes a file of
   it, that file must be readable, and the input must be restored from it.  */

#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "sframe-add.h"

static struct buffer whole;
static uint64_t current;
/* The numbers of files that were converted, refused by object_open, refused
   later, and found to have a wrong table.  */
static unsigned long int results[4];

static void
tell_current (void)
{
  fprintf (stderr, "file number %lu\n", (unsigned long int) current);
}

static void
hold (bool condition, const char *what)
{
  if (condition)
    return;
  fprintf (stderr, "file number %lu: not true: %s\n",
	   (unsigned long int) current, what);
  exit (EXIT_FAILURE);
}

/* A place in FILE that is worth a change.  */
static size_t
choose_place (const struct buffer *file, const GElf_Phdr *frame)
{
  switch (below (8))
    {
    case 0:
      return below (sizeof (Elf64_Ehdr));
    case 1:
    case 2:
      return sizeof (Elf64_Ehdr) + below (14 * sizeof (Elf64_Phdr));
    case 3:
      return file->size - 1 - below (40 * sizeof (Elf64_Shdr));
    case 4:
      return frame->p_offset + below (frame->p_filesz);
    default:
      /* .eh_frame follows its header.  */
      return frame->p_offset + frame->p_filesz + below (4 * frame->p_filesz);
    }
}

static void
damage (struct buffer *file, const GElf_Phdr *frame)
{
  static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff, 0xfe, 8 };
  size_t at = choose_place (file, frame);

  if (at >= file->size)
    return;
  switch (below (4))
    {
    case 0:
      file->data[at] = next_random ();
      break;
    case 1:
      for (size_t i = at; i < at + 8 && i < file->size; ++i)
	file->data[i] = values[below (2) * 4];
      break;
    case 2:
      file->data[at] += below (2) * 2 - 1;
      break;
    default:
      file->data[at] = values[below (sizeof values)];
    }
}

/* Read FILE, which was made from BEFORE, once more.  */
static void
read_again (struct buffer *file, const struct buffer *before)
{
  struct object object = { .name = "again", .file = *file };
  struct buffer original = { 0 };
  struct conversion conversion;
  enum outcome outcome;

  hold (object_open (&object, &outcome) == NULL, "it can be read");
  hold (has_table (&object), "it has a table");
  hold (convert (&object, &conversion) == NULL, "it can be converted");
  hold (check_table (&object, &conversion) == NULL, "its table is whole");
  hold (conversion.finding_count == 0, "its table is right");
  hold (layout_original (&object, &original) == NULL, "it can be undone");
  hold (original.size == before->size
	&& memcmp (original.data, before->data, before->size) == 0,
	"it is undone");
  free (original.data);
  conversion_free (&conversion);
  object_close (&object);
}

/* Damage the table of FILE, which is SIZE bytes longer than without, and let
   it be compared.  */
static void
check_damaged (struct buffer *file, size_t size)
{
  struct object object = { .name = "table" };
  struct conversion conversion = { 0 };
  enum outcome outcome;

  put_bytes (&object.file, file->data, file->size);
  for (uint64_t times = 1 + below (4); times > 0; --times)
    object.file.data[file->size - 1 - below (size)] = next_random ();
  if (object_open (&object, &outcome) == NULL
      && convert (&object, &conversion) == NULL && has_table (&object)
      && (check_table (&object, &conversion) != NULL
	  || conversion.finding_count > 0))
    ++results[3];
  conversion_free (&conversion);
  object_close (&object);
}

static void
run_file (uint64_t number, const GElf_Phdr *frame)
{
  struct object object = { .name = "damaged" };
  struct conversion conversion = { 0 };
  struct buffer new = { 0 };
  enum outcome outcome;

  current = number;
  random_state = (number + 1) * UINT64_C (0x9e3779b97f4a7c15);
  put_bytes (&object.file, whole.data,
	     below (8) == 0 ? below (whole.size) : whole.size);
  for (uint64_t times = below (6); times > 0 && object.file.size > 8192;
       --times)
    damage (&object.file, frame);
  if (object_open (&object, &outcome) != NULL)
    ++results[1];
  else if (convert (&object, &conversion) != NULL
	   || conversion.function_count == 0
	   || layout_add (&object, &conversion, &new) != NULL)
    {
      ++results[2];
      free (new.data);
    }
  else
    {
      ++results[0];
      check_damaged (&new, new.size - object.file.size);
      read_again (&new, &object.file);
    }
  conversion_free (&conversion);
  object_close (&object);
}

/* Read the undamaged file at PATH into WHOLE, and return its program header of
   .eh_frame_hdr.  */
static GElf_Phdr
read_whole (const char *path)
{
  struct object object = { 0 };
  struct file_at at;
  struct stat status;
  enum outcome outcome;

  hold (file_at_output (path, &at) == NULL
	&& load_file (&at, &object.file, &status, &outcome) == NULL,
	"it is there");
  file_at_close (&at);
  put_bytes (&whole, object.file.data, object.file.size);
  hold (object_open (&object, &outcome) == NULL, "it is an object");
  GElf_Phdr frame = *object_segment (&object, PT_GNU_EH_FRAME);
  object_close (&object);
  return frame;
}

int
main (int argc, char **argv)
{
  elf_version (EV_CURRENT);
  if (argc != 4 && argc != 5)
    {
      fputs ("Usage: damage NAME FILE COUNT [FIRST]\n", stderr);
      return 2;
    }
  uint64_t count = strtoull (argv[3], NULL, 10);
  uint64_t first = argc == 5 ? strtoull (argv[4], NULL, 10) : 0;

  GElf_Phdr frame = read_whole (argv[2]);
  __sanitizer_set_death_callback (tell_current);
  for (uint64_t i = first; i < first + count; ++i)
    run_file (i, &frame);
  printf ("converted %lu, refused %lu as objects, %lu later; "
	  "%lu wrong tables\n", results[0], results[1], results[2], results[3]);
  bool good = ((results[0] > 0 && results[1] > 0 && results[2] > 0
		&& results[3] > 0) || argc == 5);
  printf ("%s: %s\n", good ? "PASS" : "FAIL", argv[1]);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
