/* Calls of a known depth, for samples of what a virtual machine executes.
   SPDX-License-Identifier: GPL-2.0-only

   Usage: java Foreign SECONDS  */

class Foreign
{
  static final int DEPTH = 25, ROUNDS = 2000, REPEATS = 20;
  static long sum;

  static int
  spin (int n)
  {
    int a = n;
    for (int i = 0; i < ROUNDS; ++i)
      a = a * 31 + i;
    return a;
  }

  static int
  descend (int n)
  {
    return n == 0 ? spin ((int) sum) : descend (n - 1) + 1;
  }

  public static void
  main (String[] args)
  {
    long end = System.nanoTime () + Integer.parseInt (args[0]) * 1000000000L;
    while (System.nanoTime () < end)
      for (int i = 0; i < REPEATS; ++i)
        sum += descend (DEPTH);
    System.out.println (sum != 0);
  }
}
