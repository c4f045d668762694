/* Test what only s390x has: the search for the instruction that restores SP.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The assembler encodes the instructions.  */

#include <sframe-machine.h>
#include <stdint.h>

#include "check.h"

/* The DWARF numbers of R15 and of F2.  */
enum { R15 = 15, F2 = 17 };

/* INSTRUCTION, and after it one that restores SP from F2.  */
#define CODE(name, instruction)						\
  extern const unsigned char name[], name##_end[];			\
  __asm__ (".pushsection .rodata\n"					\
	   ".machine push\n"						\
	   ".machine \"z14\"\n"						\
	   #name ":\t" instruction "\n\t"				\
	   "lgdr %r15, %f2\n"						\
	   #name "_end:\n"						\
	   ".machine pop\n"						\
	   ".popsection");

#define FOR_OTHERS(_)							\
  _ (lr, "lr %r1, %r2")							\
  _ (lg, "lg %r1, 0(%r2)")						\
  _ (lmg, "lmg %r6, %r14, 48(%r15)")					\
  _ (larl, "larl %r1, .")						\
  _ (other_ldgr, "ldgr %f2, %r1")					\
  _ (other_lgdr, "lgdr %r1, %f0")

#define FOR_BRANCHES(_)							\
  _ (balr, "balr %r1, %r2")						\
  _ (bctr, "bctr %r1, %r2")						\
  _ (bcr, "bcr 15, %r1")						\
  _ (svc, "svc 1")							\
  _ (basr, "basr %r14, %r1")						\
  _ (ex, "ex %r1, 0(%r2)")						\
  _ (bal, "bal %r1, 0(%r2)")						\
  _ (bct, "bct %r1, 0(%r2)")						\
  _ (bc, "bc 15, 0(%r1)")						\
  _ (bas, "bas %r1, 0(%r2)")						\
  _ (bctg, "bctg %r1, 0(%r2)")						\
  _ (bic, "bic 15, 0(%r1)")						\
  _ (brxh, "brxh %r1, %r2, .")						\
  _ (brxle, "brxle %r1, %r2, .")					\
  _ (bxh, "bxh %r1, %r2, 0(%r3)")					\
  _ (bxle, "bxle %r1, %r2, 0(%r3)")					\
  _ (bxhg, "bxhg %r1, %r2, 0(%r3)")					\
  _ (bxleg, "bxleg %r1, %r2, 0(%r3)")					\
  _ (brxhg, "brxhg %r1, %r2, .")					\
  _ (exrl, "exrl %r1, .")						\
  _ (brc, "brc 15, .")							\
  _ (bras, "bras %r14, .")						\
  _ (brct, "brct %r1, .")						\
  _ (brctg, "brctg %r1, .")						\
  _ (brcl, "brcl 15, .")						\
  _ (brasl, "brasl %r14, .")						\
  _ (cgrj, "cgrj %r1, %r2, 8, .")					\
  _ (cgij, "cgij %r1, 0, 8, .")

FOR_OTHERS (CODE)
FOR_BRANCHES (CODE)
CODE (saves_sp, "ldgr %f2, %r15")

static void
instructions (void)
{
#define FOUND(name, instruction)					\
  CHECK (sframe_find_sp (name, name##_end - name) == F2);
  FOR_OTHERS (FOUND)
}

static void
branches (void)
{
#define NOT_FOUND(name, instruction)					\
  CHECK (sframe_find_sp (name, name##_end - name) == R15);
  FOR_BRANCHES (NOT_FOUND)
}

/* Before it, SP is still in R15.  */
static void
the_instruction_that_saves_sp (void)
{
  CHECK (sframe_find_sp (saves_sp, saves_sp_end - saves_sp) == R15);
}

/* Nothing is read behind the end.  */
static void
cut_off (void)
{
  for (size_t size = 0; size < (size_t) (lg_end - lg); ++size)
    {
      unsigned char *copy = malloc (size);
      require (copy != NULL || size == 0, "malloc");
      for (size_t i = 0; i < size; ++i)
	copy[i] = lg[i];
      CHECK (sframe_find_sp (copy, size) == R15);
      free (copy);
    }
}

static const struct test_case cases[] = {
  { "instructions", instructions },
  { "branches", branches },
  { "the instruction that saves SP", the_instruction_that_saves_sp },
  { "cut off", cut_off },
};

int
main (void)
{
  return run_cases (cases, sizeof cases / sizeof *cases);
}
