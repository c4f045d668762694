/* Copy a shared object, with one error put into its .sframe section, or with
   unusual program headers, which are none.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: break-sframe KIND FROM TO  */

#include <elf.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GNU_SFRAME = 0x6474e554 };

/* The offsets of the fields in a section's header.  */
enum
{
  MAGIC = 0, VERSION = 2, FLAGS = 3, ABI = 4, AUXILIARY = 7, FDES = 8,
  FRES = 12, FRE_BYTES = 16, FDE_OFFSET = 20, FRE_OFFSET = 24
};

static unsigned char *section;
static Elf64_Phdr *headers, *header;
static int header_count;

static void
set32 (int field, uint32_t value)
{
  memcpy (section + field, &value, sizeof value);
}

static void break_nothing (void) { }

static void
break_moved_header (void)
{
  Elf64_Phdr copy = *header;
  memmove (headers + 1, headers, (header - headers) * sizeof copy);
  headers[0] = copy;
}

static void break_magic (void) { section[MAGIC] ^= 1; }
static void break_version_2 (void) { section[VERSION] = 2; }
static void break_version_4 (void) { section[VERSION] = 4; }
static void break_unsorted (void) { section[FLAGS] &= ~1; }
/* The big-endian ABI of AArch64: no machine that runs this has it.  */
static void break_abi (void) { section[ABI] = 1; }
static void break_flag (void) { section[FLAGS] |= 0x80; }
static void break_empty (void) { set32 (FDES, 0); }
static void break_fres (void) { set32 (FRES, 0x10000000); }
static void break_fdes (void) { set32 (FDES, 0x10000000); }
static void break_fde_offset (void) { set32 (FDE_OFFSET, 0xfffffff0); }
static void break_fre_offset (void) { set32 (FRE_OFFSET, 0xfffffff0); }
static void break_fre_bytes (void) { set32 (FRE_BYTES, 0xffffffff); }
static void break_truncated (void) { header->p_memsz = 10; }
static void break_outside (void) { header->p_vaddr += 0x10000000; }
static void break_too_long (void) { header->p_memsz = UINT64_C (1) << 40; }
static void break_absent (void) { header->p_type = PT_NULL; }

/* The last executable segment is empty.  */
static void
break_empty_text (void)
{
  int last = header_count - 1;
  while (headers[last].p_type != PT_LOAD || (headers[last].p_flags & PF_X) == 0)
    --last;
  headers[last].p_filesz = headers[last].p_memsz = 0;
}

static uint32_t
get32 (int field)
{
  uint32_t value;
  memcpy (&value, section + field, sizeof value);
  return value;
}

/* The last byte of the last row is missing.  */
static void
break_cut (void)
{
  header->p_memsz = 28 + get32 (FRE_OFFSET) + get32 (FRE_BYTES) - 1;
}

static void
break_auxiliary (void)
{
  section[AUXILIARY] = 255;
  header->p_memsz = 100;
}

/* Convert the header to the other byte order.  */
static void
break_foreign (void)
{
  unsigned char low = section[MAGIC];
  section[MAGIC] = section[MAGIC + 1];
  section[MAGIC + 1] = low;
}

static const struct
{
  const char *name;
  void (*run) (void);
} kinds[] =
{
  { "nothing", break_nothing }, { "moved-header", break_moved_header },
  { "empty-text", break_empty_text },
  { "magic", break_magic },
  { "version-2", break_version_2 }, { "version-4", break_version_4 },
  { "unsorted", break_unsorted }, { "abi", break_abi },
  { "flag", break_flag }, { "empty", break_empty }, { "fres", break_fres },
  { "fdes", break_fdes }, { "fde-offset", break_fde_offset },
  { "fre-offset", break_fre_offset }, { "fre-bytes", break_fre_bytes },
  { "truncated", break_truncated }, { "cut", break_cut },
  { "outside", break_outside }, { "too-long", break_too_long },
  { "absent", break_absent }, { "auxiliary", break_auxiliary },
  { "foreign", break_foreign },
};

static void
break_image (const char *kind, unsigned char *image)
{
  Elf64_Ehdr *eh = (Elf64_Ehdr *) image;
  headers = (Elf64_Phdr *) (image + eh->e_phoff);
  header_count = eh->e_phnum;
  for (int i = 0; i < header_count; i++)
    if (headers[i].p_type == GNU_SFRAME)
      header = &headers[i];
  if (header == NULL)
    errx (1, "no .sframe");
  section = image + header->p_offset;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp (kinds[i].name, kind) == 0)
      {
	kinds[i].run ();
	return;
      }
  errx (1, "no kind %s", kind);
}

int
main (int argc, char **argv)
{
  static unsigned char image[1 << 20] __attribute__ ((aligned (8)));
  if (argc != 4)
    errx (1, "usage: break-sframe KIND FROM TO");
  FILE *from = fopen (argv[2], "r");
  if (from == NULL)
    err (1, "%s", argv[2]);
  size_t size = fread (image, 1, sizeof image, from);
  if (size == sizeof image)
    errx (1, "%s is too large", argv[2]);
  break_image (argv[1], image);
  FILE *to = fopen (argv[3], "w");
  if (to == NULL || fwrite (image, 1, size, to) != size || fclose (to) != 0)
    err (1, "%s", argv[3]);
  return 0;
}
