/* Module for tst-sframe-initfini: a constructor and a destructor.

   SPDX-License-Identifier: LGPL-2.1-or-later */

/* In the program.  */
extern void module_event (const void *);

static void __attribute__ ((constructor))
init (void)
{
  module_event (init);
  /* No tail call.  */
  asm volatile ("" ::: "memory");
}

static void __attribute__ ((destructor))
fini (void)
{
  module_event (fini);
  /* No tail call.  */
  asm volatile ("" ::: "memory");
}
