/* The cases of a program, for main.c to run one of them.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _CASES_H
#define _CASES_H

/* The last one has no name.  */
struct bench_case
{
  const char *name;
  void (*run) (void);
};

extern const struct bench_case cases[];

/* Those that need a thread, see threads.c.  */
void first_in_thread (void);
void at_once (void);
void during_dlopen (void);

#endif /* _CASES_H  */
