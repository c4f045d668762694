/* Module for tst-dl_find_object-ifunc: a pointer to an IFUNC, whose resolver
   runs when the module is relocated.

   SPDX-License-Identifier: LGPL-2.1-or-later */

/* In the program.  */
extern void resolver_event (void *);

/* glibc before 2.44 relocates the PLT after it has called resolvers, but this
   pointer before.  */
static void (*volatile event) (void *) = resolver_event;

static int
implementation (void)
{
  return 42;
}

static void *
resolve (void)
{
  event (resolve);
  return implementation;
}

int chosen_function (void) __attribute__ ((ifunc ("resolve")));
int (*chosen_pointer) (void) = chosen_function;
