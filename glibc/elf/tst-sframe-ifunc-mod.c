/* Module for tst-sframe-ifunc: a function chosen by a resolver.

   SPDX-License-Identifier: LGPL-2.1-or-later */

/* In the program.  */
extern void resolver_event (const void *);

/* glibc before 2.44 relocates the PLT after it has called resolvers, but this
   pointer before.  */
static void (*volatile event) (const void *) = resolver_event;

static int
implementation (void)
{
  return 42;
}

static __typeof (implementation) *
resolve (void)
{
  event (resolve);
  /* No tail call.  */
  asm volatile ("" ::: "memory");
  return implementation;
}

extern int chosen_function (void) __attribute__ ((ifunc ("resolve")));
