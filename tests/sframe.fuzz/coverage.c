/* Coverage of code compiled by GCC, for libFuzzer, and the limit of the work
   that an input may cause.

   SPDX-License-Identifier: LGPL-2.1-or-later

   GCC makes each basic block call __sanitizer_cov_trace_pc.  libFuzzer's
   function of that name does nothing; the linker's --wrap replaces it by the
   one here.  Only the code under test is compiled so: no other code counts as
   new coverage.

   Time does not show that an input has made a loop long; the number of basic
   blocks does.  An input may execute WORK_FIXED blocks, and WORK_PER_BYTE more
   for each of its bytes.  */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* libFuzzer looks at this section after each input.  */
enum { COUNTERS_LOG2 = 16 };
static unsigned char counters[1 << COUNTERS_LOG2]
  __attribute__ ((section ("__libfuzzer_extra_counters")));

static uintptr_t previous;
static uint64_t blocks, limit = UINT64_MAX, most;

void __wrap___sanitizer_cov_trace_pc (void);
int __real_LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
too_much (void)
{
  printf ("violated: bounded work\n");
  fflush (stdout);
  abort ();
}

/* Count the way from the block before to this one, by Fibonacci hashing.  */
void
__wrap___sanitizer_cov_trace_pc (void)
{
  /* Wherever the program was loaded.  */
  uintptr_t pc = (uintptr_t) __builtin_return_address (0) - (uintptr_t) counters;
  uint64_t hash = (pc ^ previous << 1) * UINT64_C (0x9e3779b97f4a7c15);
  unsigned char *counter = &counters[hash >> (64 - COUNTERS_LOG2)];

  previous = pc;
  if (++blocks > limit)
    too_much ();
  if (*counter != UINT8_MAX)
    ++*counter;
}

static void
tell_most (void)
{
  fprintf (stderr, "most work: %llu %%\n", (unsigned long long int) most);
}

int
__wrap_LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static int registered;

  limit = WORK_FIXED + (uint64_t) WORK_PER_BYTE * size;
  if (registered++ == 0)
    atexit (tell_most);
  previous = 0;
  blocks = 0;
  int result = __real_LLVMFuzzerTestOneInput (data, size);
  if (blocks * 100 / limit > most)
    most = blocks * 100 / limit;
  return result;
}
