/* A program as big as those of large projects: FUNCTIONS functions of a KiB each.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The last one of every MANY_EVERY has MANY_ROWS rows, and it calls where the
   last of them holds.  */

#ifndef _BIG_H
#define _BIG_H

#ifndef FUNCTIONS
# define FUNCTIONS 100000
#endif
#define MANY_EVERY 1000
#define MANY_ROWS 6000

#ifndef __ASSEMBLER__

/* Each calls the first function of a list and gives it the rest of the list,
   so that any of them can be put on the stack in any order.  */
typedef void big_function (void *const *list);

/* Where the functions are, from here, in the order of their addresses, and
   where one more would be.  */
extern const int big_functions[FUNCTIONS + 1];

#endif

#endif /* _BIG_H  */
