/* A program without libc, for ld -n and -N, which do not align its segments to
   pages: its status is 7 if its zeros are zeros.

   SPDX-License-Identifier: LGPL-2.1-or-later */

static char zeros[70000];
static volatile int data = 3;

static void
end (int status)
{
  /* The number of exit is 60.  */
  asm volatile ("syscall" : : "a" (60L), "D" ((long int) status));
}

__attribute__ ((noinline)) int
sum (int x)
{
  for (unsigned int i = 0; i < sizeof zeros; ++i)
    x += ((volatile char *) zeros)[i];
  return x;
}

void
_start (void)
{
  end (sum (4) + data);
}
