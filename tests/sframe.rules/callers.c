/* Check that rules after calls need no registers but SP and FP.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: objdump -d --insn-width=16 FILE | callers FILE
   An unwinder that steps from a called function by SFrame knows only SP and FP
   of the caller.  Prints a line "FUNCTION REGISTER" for each function of FILE
   that has a call after which the rule needs another register (its DWARF
   number), and "FUNCTION none" for one that has a call without a rule.  Then
   prints "CALLS found", the number of calls with a rule.  */

#include <inttypes.h>
#include <stdbool.h>
#include <sframe-format.h>
#include <sframe-read.h>

#include "../sframe.unit/elf-section.h"

#ifdef __x86_64__
enum { ABI = SFRAME_ABI_AMD64_LE, SP = 7, FP = 6 };
static const char *const calls[] = { "call", "callq" };
#elif defined __s390x__
enum { ABI = SFRAME_ABI_S390X_BE, SP = 15, FP = 11 };
static const char *const calls[] = { "brasl", "bras", "basr", "bas" };
#elif defined __aarch64__
enum { ABI = SFRAME_ABI_AARCH64_LE, SP = 31, FP = 29 };
static const char *const calls[] = { "bl", "blr" };
#else
# error "name the instructions that call"
#endif

static const char *file;
static struct sframe_section section;
static uint64_t section_at;	/* Virtual address.  */
static unsigned long int found;
static char function[200];
/* In FUNCTION: a register, 0 for none; and that a rule is missing.  */
static unsigned int reported;
static bool is_missing;

static void
open_section (void)
{
  struct elf_file elf = elf_map (file);
  Elf64_Phdr segment = elf_sframe_segment (&elf);
  struct elf_section bytes = read_sframe_section (file);

  section_at = segment.p_vaddr;
  if (__sframe_read_header (bytes.bytes, bytes.size, ABI, &section)
      != SFRAME_HEADER_OK)
    elf_failure (file, "bad section");
}

/* The register other than SP and FP that PLACE refers to, or 0.  */
static unsigned int
other_register (const struct sframe_place *place)
{
  if ((place->kind != SFRAME_REGISTER_VALUE
       && place->kind != SFRAME_REGISTER_MEMORY)
      || place->reg == SP || place->reg == FP)
    return 0;
  return place->reg;
}

/* A call returns to PC.  */
static void
check_return (uint64_t pc)
{
  struct sframe_rule rule;
  unsigned int other;

  if (__sframe_find_rule (&section, pc - 1 - section_at, SP, FP, &rule)
      != SFRAME_FOUND)
    {
      if (!is_missing)
	printf ("%s none\n", function);
      is_missing = true;
      return;
    }
  ++found;
  if (rule.outermost)
    return;
  other = other_register (&rule.cfa);
  if (other == 0)
    other = other_register (&rule.ra);
  if (other == 0)
    other = other_register (&rule.fp);
  if (other != 0 && other != reported)
    printf ("%s %u\n", function, other);
  if (other != 0)
    reported = other;
}

/* LINE is "  ADDRESS:\tBYTES \tNAME OPERANDS".  */
static void
read_instruction (const char *line)
{
  uint64_t pc;
  char bytes[80], name[20];
  unsigned int digits = 0;

  if (sscanf (line, " %" SCNx64 ":\t%79[^\t]\t%19s", &pc, bytes, name) != 3)
    return;
  for (const char *p = bytes; *p != '\0'; ++p)
    digits += *p != ' ';
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
    if (strcmp (name, calls[i]) == 0)
      check_return (pc + digits / 2);
}

int
main (int argc, char **argv)
{
  char line[1000], name[200];

  if (argc != 2)
    elf_failure (argv[0], "usage: callers FILE");
  file = argv[1];
  open_section ();
  while (fgets (line, sizeof line, stdin) != NULL)
    if (sscanf (line, "%*x <%199[^>]>:", name) == 1)
      {
	strcpy (function, name);
	reported = 0;
	is_missing = false;
      }
    else
      read_instruction (line);
  printf ("%lu found\n", found);
  return 0;
}
