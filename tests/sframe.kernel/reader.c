/* Compare the kernel's SFrame reader with libc's, on real and on damaged
   tables.
   SPDX-License-Identifier: GPL-2.0-only

   Usage: reader FILE COUNT

   The two readers were written from the same specification and share no code.
   Both look up all PCs of the section of FILE, then those of COUNT damaged
   copies.  Then each access of the kernel's reader fails once, and the
   readable memory ends at each byte once.  The rules of PLTs, which both
   readers correct, are compared with the code of FILE, an x86-64 program.  */

#include <inttypes.h>
#include <sframe-format.h>
#include <sframe-machine.h>
#include <sframe-read.h>

#include "../sframe.unit/chance.h"
#include "../sframe.unit/elf-section.h"
#include "result.h"
#include "shim/machine.h"

static struct place
flatten (const struct sframe_place *place)
{
  return (struct place) {
    .kind = place->kind,
    .reg = place->kind >= SFRAME_REGISTER_VALUE ? place->reg : 0,
    .offset = place->kind == SFRAME_UNCHANGED ? 0 : place->offset
  };
}

/* libc's result for PC, with the rules of PLT entries corrected as its
   unwinder does.  */
static struct result
libc_find (const struct sframe_section *section, uint64_t pc)
{
  struct sframe_rule rule = { .block_offset = 0 }, first;
  struct result result = { .status = FOUND };
  enum sframe_find_status status
    = __sframe_find_rule (section, pc, SFRAME_MACHINE_SP, SFRAME_MACHINE_FP,
			  &rule);

  if (status == SFRAME_FOUND && rule.repeated)
    {
      status = __sframe_find_rule (section, pc - rule.block_offset,
				   SFRAME_MACHINE_SP, SFRAME_MACHINE_FP,
				   &first);
      if (status == SFRAME_FOUND && !sframe_block_rule (&rule, &first))
	status = SFRAME_NOT_FOUND;
    }
  if (status != SFRAME_FOUND)
    {
      result.status = status == SFRAME_CORRUPT ? CORRUPT : NOT_FOUND;
      return result;
    }
  result.outermost = rule.outermost;
  if (rule.outermost)
    return result;
  result.cfa = flatten (&rule.cfa);
  result.ra = flatten (&rule.ra);
  result.fp = flatten (&rule.fp);
  return result;
}

static bool
same (const struct result *a, const struct result *b)
{
  return (a->status == b->status && a->outermost == b->outermost
	  && memcmp (&a->cfa, &b->cfa, sizeof a->cfa) == 0
	  && memcmp (&a->ra, &b->ra, sizeof a->ra) == 0
	  && memcmp (&a->fp, &b->fp, sizeof a->fp) == 0);
}

static unsigned long differences, seen[CORRUPT + 1];

/* Tables that the kernel's validation took and a lookup found corrupt, and
   tables that it took or refused.  */
static unsigned long missed, taken, refused;

static void
compare (const struct sframe_section *section, uint64_t pc)
{
  struct result libc = libc_find (section, pc);
  struct result kernel = kernel_find (pc);

  ++seen[libc.status];
  if (!same (&libc, &kernel) && ++differences <= 5)
    fprintf (stderr, "PC %" PRIx64 ": status %d and %d, CFA %u %u %d and"
	     " %u %u %d\n", pc, libc.status, kernel.status, libc.cfa.kind,
	     libc.cfa.reg, libc.cfa.offset, kernel.cfa.kind, kernel.cfa.reg,
	     kernel.cfa.offset);
}

/* The function of FDE number INDEX.  */
static uint64_t
start_of (const struct sframe_section *section, uint32_t index,
	  uint32_t *size)
{
  const unsigned char *fde = section->fdes + (size_t) index * 16;
  int64_t start;

  memcpy (&start, fde, sizeof start);
  memcpy (size, fde + 8, sizeof *size);
  return start + ((section->flags & 4) != 0 ? fde - section->start : 0);
}

static void
tell (bool good, const char *what)
{
  printf ("%s: %s\n", good ? "PASS" : "FAIL", what);
}

/* Bytes of the instruction at CODE, one of those in PLTs; *PUSHES is whether it
   pushes a word.  */
static unsigned int
instruction (const unsigned char *code, bool *pushes)
{
  static const struct
  {
    unsigned char bytes[4], count, size;
    bool pushes;
  } known[] = {
    { { 0xf3, 0x0f, 0x1e, 0xfa }, 4, 4, false },	/* endbr64 */
    { { 0xff, 0x25 }, 2, 6, false },			/* jmp *m */
    { { 0xf2, 0xff, 0x25 }, 3, 7, false },		/* bnd jmp *m */
    { { 0xff, 0x35 }, 2, 6, true },			/* push m */
    { { 0x68 }, 1, 5, true },				/* push $ */
    { { 0xe9 }, 1, 5, false },				/* jmp */
    { { 0xf2, 0xe9 }, 2, 6, false },			/* bnd jmp */
    { { 0x66, 0x90 }, 2, 2, false },			/* nops */
    { { 0x90 }, 1, 1, false },
    { { 0x0f, 0x1f, 0x00 }, 3, 3, false },
    { { 0x0f, 0x1f, 0x40 }, 3, 4, false },
    { { 0x0f, 0x1f, 0x44 }, 3, 5, false },
    { { 0x66, 0x0f, 0x1f, 0x44 }, 4, 6, false }
  };

  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (memcmp (code, known[i].bytes, known[i].count) == 0)
      {
	*pushes = known[i].pushes;
	return known[i].size;
      }
  elf_failure ("PLT", "an unknown instruction");
  return 0;
}

/* The number of words that are on the stack OFFSET bytes into the block of
   CODE, a PLT entry: the return address, and those that earlier instructions
   have pushed.  */
static unsigned int
words_at (const unsigned char *code, unsigned int offset)
{
  unsigned int words = 1;
  bool pushes;

  for (unsigned int at = 0, size; at < offset; at += size)
    {
      size = instruction (code + at, &pushes);
      words += at + size <= offset && pushes;
    }
  return words;
}

/* The file's bytes at ADDRESS.  */
static const unsigned char *
code_at (const struct elf_file *file, uint64_t address)
{
  Elf64_Ehdr header;
  Elf64_Phdr segment;

  memcpy (&header, elf_at (file, 0, sizeof header), sizeof header);
  for (unsigned int i = 0; i < header.e_phnum; ++i)
    {
      uint64_t at = header.e_phoff + (uint64_t) i * sizeof segment;
      memcpy (&segment, elf_at (file, at, sizeof segment), sizeof segment);
      if (segment.p_type == PT_LOAD
	  && address - segment.p_vaddr < segment.p_filesz)
	return elf_at (file, address - segment.p_vaddr + segment.p_offset, 16);
    }
  elf_failure (file->name, "no code");
  return NULL;
}

/* Each PC of the blocks of FILE: both give the CFA that its code makes.  */
static void
every_block (const char *name, const struct sframe_section *section)
{
  enum { INFO = 2, REPETITION = 4, MASK = 0x10 };
  struct elf_file file = elf_map (name);
  uint64_t base = elf_sframe_segment (&file).p_vaddr;
  unsigned long right = 0, wrong = 0;
  uint32_t size, attribute;

  for (uint32_t i = 0; i < section->fde_count; ++i)
    {
      uint64_t start = start_of (section, i, &size);
      memcpy (&attribute, section->fdes + (size_t) i * 16 + 12,
	      sizeof attribute);
      const unsigned char *info = section->fres + attribute;
      for (uint64_t j = 0; (info[INFO] & MASK) != 0 && j < size; ++j)
	{
	  unsigned int offset = j % info[REPETITION];
	  struct result libc = libc_find (section, start + j);
	  struct result kernel = kernel_find (start + j);
	  int32_t cfa = 8 * words_at (code_at (&file, base + start + j
					       - offset), offset);
	  bool good = (same (&libc, &kernel) && libc.status == FOUND
		       && libc.cfa.kind == SFRAME_REGISTER_VALUE
		       && libc.cfa.reg == 7 && libc.cfa.offset == cfa
		       && libc.ra.kind == SFRAME_CFA_MEMORY
		       && libc.ra.offset == -8);
	  right += good;
	  wrong += !good;
	}
    }
  printf ("%lu PCs of PLTs right, %lu wrong\n", right, wrong);
  tell (wrong == 0 && right >= 16, "the rules of PLTs fit their code");
}

static void
every_pc (const struct elf_section *bytes, struct sframe_section *section)
{
  uint32_t size;

  for (uint32_t i = 0; i < section->fde_count; ++i)
    {
      uint64_t start = start_of (section, i, &size);
      for (uint64_t pc = start - 1; pc <= start + size; ++pc)
	compare (section, pc);
    }
  tell (differences == 0, "the readers agree on every PC");
  tell (seen[FOUND] > 10000 && seen[CORRUPT] == 0, "most PCs have a rule");
  tell (machine.unmapped == 0, "the kernel's reader stays inside the table");
  tell (kernel_validate (), "the kernel's validation accepts the table");
}

/* Damage a few bytes of a table, mostly of the first functions, look them
   up, and mend it.  */
static void
damage (const struct elf_section *bytes, const struct sframe_section *good)
{
  enum { BYTES = 4 };
  struct sframe_section section;
  size_t at[BYTES];
  unsigned char old[BYTES];
  uint32_t size;

  for (int i = 0; i < BYTES; ++i)
    {
      size_t base = next_random () % 3 == 0 ? 0 : good->fdes - good->start;
      if (next_random () % 2 == 0)
	base = good->fres - good->start;
      at[i] = base + next_random () % 200;
      old[i] = bytes->bytes[at[i]];
      bytes->bytes[at[i]] = next_random () >> 20;
    }
  bool libc = __sframe_read_header (bytes->bytes, bytes->size,
				    SFRAME_MACHINE_ABI, &section) == 0;
  if (libc != kernel_open (bytes->bytes, bytes->size) && ++differences <= 5)
    fprintf (stderr, "header: libc %staken\n", libc ? "" : "not ");
  unsigned long corrupt = seen[CORRUPT];
  for (uint32_t i = 0; libc && i < 12 && i < section.fde_count; ++i)
    for (unsigned int j = 0; j < 4; ++j)
      compare (&section, start_of (&section, i, &size) + j * 5 - 1);
  bool valid = libc && kernel_validate ();
  missed += valid && seen[CORRUPT] != corrupt;
  taken += valid;
  refused += libc && !valid;
  for (int i = BYTES; i-- > 0;)
    bytes->bytes[at[i]] = old[i];
}

static void
damaged (const struct elf_section *bytes, const struct sframe_section *section,
	 unsigned long count)
{
  differences = 0;
  memset (seen, 0, sizeof seen);
  for (unsigned long i = 0; i < count; ++i)
    damage (bytes, section);
  kernel_open (bytes->bytes, bytes->size);
  tell (differences == 0, "the readers agree on damaged tables");
  tell (seen[FOUND] > 1000 && seen[NOT_FOUND] > 100 && seen[CORRUPT] > 100,
	"damage of all kinds was met");
  tell (missed == 0 && taken > 10 && refused > 100,
	"the kernel's validation refuses tables that its reader finds corrupt");
  tell (machine.unmapped == 0,
	"the kernel's reader stays inside damaged tables");
}

/* Each access of a lookup fails once; the next lookup is right again.  */
static void
faulting (const struct elf_section *bytes, const struct sframe_section *section)
{
  unsigned long wrong = 0, tried = 0;
  uint32_t size;

  for (uint32_t i = 0; i < section->fde_count;
       i += section->fde_count / 32 + 1)
    {
      uint64_t pc = start_of (section, i, &size) + size / 2;
      struct result good = kernel_find (pc);
      for (unsigned long n = 1; good.status == FOUND; ++n, ++tried)
	{
	  unsigned long before = machine.accesses;
	  machine.fault_after = n;
	  struct result result = kernel_find (pc);
	  bool failed = machine.accesses - before >= n;
	  machine.fault_after = 0;
	  wrong += (failed ? result.status != UNREADABLE
		    : !same (&result, &good));
	  if (!failed)
	    break;
	}
    }
  tell (wrong == 0 && tried > 100, "each access may fail");
}

/* The table's memory ends at a byte; a lookup fails or is right.  */
static void
cut (const struct elf_section *bytes, const struct sframe_section *section)
{
  unsigned long wrong = 0, failed = 0, right = 0;
  uint32_t size;
  uint64_t pc = start_of (section, section->fde_count / 2, &size);
  struct result good = kernel_find (pc);

  for (size_t n = 0; n <= bytes->size; n += n < 4096 ? 1 : 41)
    {
      machine.fault_at = (uintptr_t) bytes->bytes + n;
      struct result result = kernel_find (pc);
      bool is_right = same (&result, &good);
      right += is_right;
      failed += result.status == UNREADABLE;
      wrong += !is_right && result.status != UNREADABLE;
    }
  machine.fault_at = 0;
  tell (good.status == FOUND && wrong == 0 && failed > 10 && right > 10,
	"the memory may end at each byte");
}

int
main (int argc, char **argv)
{
  struct sframe_section section;

  if (argc != 3)
    return EXIT_FAILURE;
  struct elf_section bytes = read_sframe_section (argv[1]);
  if (__sframe_read_header (bytes.bytes, bytes.size, SFRAME_MACHINE_ABI,
			    &section) != SFRAME_HEADER_OK
      || !kernel_open (bytes.bytes, bytes.size))
    elf_failure (argv[1], "header refused");
  every_pc (&bytes, &section);
  every_block (argv[1], &section);
  damaged (&bytes, &section, strtoul (argv[2], NULL, 10));
  faulting (&bytes, &section);
  cut (&bytes, &section);
  free (bytes.bytes);
  return 0;
}
