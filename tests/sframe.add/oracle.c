/* Compare the tables that sframe-add made with libdw's reading of .eh_frame.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: oracle MANY LEAST FILE...

   Files without a table are skipped, but LEAST or more must have one.  Of
   100,000 addresses at most MANY may have no rule.

   The table is read by libc's reader, .eh_frame of the same file by libdw;
   both rules are evaluated with made-up values, see libdw-row.h.  Each row of
   libdw is compared at its first byte and at its last.  After a function that
   no other function follows directly, there must be no rule.  */

#include <elf.h>
#include <errno.h>
#include <sframe-format.h>
#include <sframe-read.h>

#include "libdw-row.h"

#ifdef __s390x__
# define MACHINE EM_S390
#elif defined __aarch64__
# define MACHINE EM_AARCH64
#else
# define MACHINE EM_X86_64
#endif

static struct
{
  unsigned long int files, functions, in_part, left_out;
  unsigned long int rows, rows_found, different, unevaluated, gaps;
} total;

/* A file with both tables.  */
struct file
{
  const char *name;
  char *bytes;
  size_t size;
  struct sframe_section section;
  /* Where the tables are loaded.  */
  uint64_t address;
  uint64_t header_address;
  const unsigned char *header;
};

static void
tell (const struct file *file, uint64_t pc, const char *what)
{
  if (total.different++ < 20)
    printf ("%s: at %#lx: %s\n", file->name, (unsigned long int) pc, what);
}

/* Read the file NAME.  */
static bool
read_file (struct file *file, const char *name)
{
  FILE *stream = fopen (name, "r");

  *file = (struct file) { .name = name };
  if (stream == NULL)
    return false;
  if (fseek (stream, 0, SEEK_END) == 0)
    file->size = ftell (stream);
  rewind (stream);
  file->bytes = malloc (file->size + 1);
  bool good = fread (file->bytes, 1, file->size, stream) == file->size;
  fclose (stream);
  return good;
}

/* Find both tables of FILE.  */
static bool
find_tables (struct file *file)
{
  const Elf64_Ehdr *ehdr = (const void *) file->bytes;
  const Elf64_Phdr *table = NULL;

  if (file->size < sizeof *ehdr
      || memcmp (ehdr->e_ident, ELFMAG, SELFMAG) != 0
      || ehdr->e_ident[EI_CLASS] != ELFCLASS64
      || ehdr->e_machine != MACHINE)
    return false;
  const Elf64_Phdr *phdr = (const void *) (file->bytes + ehdr->e_phoff);
  for (unsigned int i = 0; i < ehdr->e_phnum; ++i)
    if (phdr[i].p_type == PT_GNU_SFRAME)
      table = &phdr[i];
    else if (phdr[i].p_type == PT_GNU_EH_FRAME)
      {
	file->header = (void *) (file->bytes + phdr[i].p_offset);
	file->header_address = phdr[i].p_vaddr;
      }
  if (table == NULL || file->header == NULL)
    return false;
  file->address = table->p_vaddr;
  enum sframe_header_status status
    = __sframe_read_header (file->bytes + table->p_offset, table->p_filesz,
			    SFRAME_MACHINE_ABI, &file->section);
  if (status != SFRAME_HEADER_OK)
    tell (file, file->address, __sframe_header_message (status));
  return status == SFRAME_HEADER_OK;
}

static enum sframe_find_status
find_rule (const struct file *file, uint64_t pc, struct sframe_rule *rule)
{
  return __sframe_find_rule (&file->section, pc - file->address,
			     SFRAME_MACHINE_SP, SFRAME_MACHINE_FP, rule);
}

/* The value that PLACE describes; UNCHANGED is that of this frame.  */
static uint64_t
value_of (const struct machine *machine, const struct sframe_place *place,
	  uint64_t unchanged)
{
  switch (place->kind)
    {
    case SFRAME_CFA_VALUE:
      return machine->cfa + place->offset;
    case SFRAME_CFA_MEMORY:
      return word_at (machine->cfa + place->offset);
    case SFRAME_REGISTER_VALUE:
      return register_of (machine, place->reg) + place->offset;
    case SFRAME_REGISTER_MEMORY:
      return word_at (register_of (machine, place->reg) + place->offset);
    default:
      return unchanged;
    }
}

/* Whether VALUE is the location at which a function of s390x saves SP: its
   slot in the caller's frame, or a floating-point register.  By the ABI, the
   saved value follows from the CFA.  */
static bool
is_saved_sp (const struct machine *machine, uint64_t value)
{
#ifdef __s390x__
  for (unsigned int i = 16; i < SFRAME_MACHINE_REGISTERS; ++i)
    if (value == machine->registers->value[i])
      return true;
  return value == word_at (machine->cfa - 40);
#else
  (void) machine;
  (void) value;
  return false;
#endif
}

/* Compare the caller's value of register NUMBER; OURS is the value by the rule
   of the table.  */
static void
compare_register (const struct file *file, uint64_t pc, Dwarf_Frame *frame,
		  const struct machine *machine, unsigned int number,
		  uint64_t ours)
{
  uint64_t value = 0;

  switch (oracle_register (frame, machine, number, &value))
    {
    case told_unchanged:
      value = register_of (machine, number);
      break;
    case told_undefined:
      tell (file, pc, "a rule for a register that is lost");
      return;
    case told_unevaluated:
      ++total.unevaluated;
      return;
    default:
      break;
    }
  if (number == SFRAME_MACHINE_SP && is_saved_sp (machine, value))
    return;
  if (value != ours)
    tell (file, pc, (number == SFRAME_MACHINE_SP ? "another SP"
		     : number == SFRAME_MACHINE_FP ? "another FP"
		     : "another RA"));
}

/* Compare RULE with FRAME at PC.  */
static void
compare_rule (const struct file *file, uint64_t pc, Dwarf_Frame *frame,
	      const struct sframe_rule *rule)
{
  struct sframe_registers registers;
  struct machine machine = { .registers = &registers };
  Dwarf_Op *ops;
  size_t count;
  bool signal;
  uint64_t value;

  make_registers (&registers, pc);
  int ra = dwarf_frame_info (frame, NULL, NULL, &signal);
  bool outermost
    = oracle_register (frame, &machine, ra, &value) == told_undefined;
  if (outermost != rule->outermost)
    tell (file, pc, "only one of them is outermost");
  if (outermost || rule->outermost)
    return;
  if (signal != rule->signal)
    tell (file, pc, "only one of them is a signal frame");
  if (dwarf_frame_cfa (frame, &ops, &count) != 0
      || compute (&machine, ops, count, false, &machine.cfa) != told_value)
    {
      ++total.unevaluated;
      return;
    }
  if (value_of (&machine, &rule->cfa, 0) != machine.cfa)
    tell (file, pc, "another CFA");
  compare_register (file, pc, frame, &machine, SFRAME_MACHINE_SP,
		    machine.cfa + SFRAME_MACHINE_SP_OFFSET);
  compare_register (file, pc, frame, &machine, SFRAME_MACHINE_FP,
		    value_of (&machine, &rule->fp,
			      registers.value[SFRAME_MACHINE_FP]));
  compare_register (file, pc, frame, &machine, ra,
		    value_of (&machine, &rule->ra,
			      register_of (&machine, ra)));
}

/* Compare at PC.  Return whether there is a rule.  */
static bool
compare_at (const struct file *file, uint64_t pc, Dwarf_Frame *frame)
{
  struct sframe_rule rule;

  switch (find_rule (file, pc, &rule))
    {
    case SFRAME_FOUND:
      compare_rule (file, pc, frame, &rule);
      return true;
    case SFRAME_CORRUPT:
      tell (file, pc, "the table is corrupt");
      return true;
    default:
      return false;
    }
}

/* Compare the rows of the function at START, which ends at or before
   LIMIT.  */
static void
compare_function (const struct file *file, Dwarf_CFI *cfi, Dwarf_Addr start,
		  Dwarf_Addr limit)
{
  unsigned long int found = 0, rows = 0;
  Dwarf_Addr pc = start, end;
  struct sframe_rule rule;
  Dwarf_Frame *frame;
  bool signal;

  while (pc < limit && dwarf_cfi_addrframe (cfi, pc, &frame) == 0)
    {
      dwarf_frame_info (frame, NULL, &end, &signal);
      rows += 2;
      found += compare_at (file, pc, frame);
      found += compare_at (file, end - 1, frame);
      free (frame);
      if (end <= pc)
	break;
      pc = end;
    }
  if (rows == 0)
    return;
  ++total.functions;
  total.rows += rows;
  total.rows_found += found;
  total.left_out += found == 0;
  total.in_part += found != 0 && found != rows;
  if (pc < limit)
    {
      ++total.gaps;
      if (find_rule (file, pc, &rule) != SFRAME_NOT_FOUND)
	tell (file, pc, "a rule where there is no function");
    }
}

/* The pairs of 4-byte offsets of .eh_frame_hdr.  */
static void
compare_file (const struct file *file, Dwarf_CFI *cfi)
{
  const int32_t *pairs = (const void *) (file->header + 12);
  uint32_t count;

  if (memcmp (file->header, "\1\x1b\3\x3b", 4) != 0)
    {
      tell (file, file->header_address, "a table of another kind");
      return;
    }
  memcpy (&count, file->header + 8, sizeof count);
  ++total.files;
  for (uint32_t i = 0; i < count; ++i)
    compare_function (file, cfi, file->header_address + pairs[2 * i],
		      (i + 1 < count
		       ? file->header_address + pairs[2 * i + 2]
		       : UINT64_MAX));
}

/* Compare the tables of the file at PATH, if it has a table.  */
static void
compare_path (const char *path)
{
  struct file file;

  if (read_file (&file, path) && find_tables (&file))
    {
      Elf *elf = elf_memory (file.bytes, file.size);
      Dwarf_CFI *cfi = elf == NULL ? NULL : dwarf_getcfi_elf (elf);
      if (cfi == NULL)
	tell (&file, 0, dwarf_errmsg (-1));
      else
	compare_file (&file, cfi);
      dwarf_cfi_end (cfi);
      elf_end (elf);
    }
  free (file.bytes);
}

int
main (int argc, char **argv)
{
  elf_version (EV_CURRENT);
  unsigned long int many = argc > 2 ? strtoul (argv[1], NULL, 10) : 0;
  unsigned long int least = argc > 2 ? strtoul (argv[2], NULL, 10) : 1;
  for (int i = 3; i < argc; ++i)
    compare_path (argv[i]);
  printf ("%lu files, %lu functions, %lu left out, %lu in part; %lu addresses, "
	  "%lu with a rule, %lu different, %lu not to be compared; %lu gaps\n",
	  total.files, total.functions, total.left_out, total.in_part,
	  total.rows, total.rows_found, total.different, total.unevaluated,
	  total.gaps);
  bool good = (total.files >= least && total.functions > 0
	       && total.different == 0 && total.unevaluated == 0);
  printf ("%s: same as libdw\n", good ? "PASS" : "FAIL");
  good = good && ((total.rows - total.rows_found) * 100000
		  <= total.rows * many);
  printf ("%s: at most %lu of 100,000 addresses have no rule\n",
	  good ? "PASS" : "FAIL", many);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
