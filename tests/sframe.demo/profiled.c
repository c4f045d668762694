/* A chain of calls for a profile: values that live over a call are in the frame pointer's register.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

static volatile int some = 7;

static int __attribute__ ((noipa))
leaf (int a)
{
  for (volatile int i = 0; i < 100000000; i = i + 1)
    ;
  return a;
}

static int __attribute__ ((noipa))
middle (int a, int b, int c)
{
  return leaf (a) + b * c;
}

static int __attribute__ ((noipa))
outer (int a, int b, int c)
{
  return middle (a, b, c) * a + b + c;
}

int
main (void)
{
  return outer (some, some, some) == 0;
}
