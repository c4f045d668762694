/* Stacks of functions of which no two are the same.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _STACK_H
#define _STACK_H

/* GROUPS * GROUP_LEVELS are 4,000 functions.  */
#ifndef GROUPS
# define GROUPS 250
#endif
enum { DEEPEST = 256, GROUP_LEVELS = 16 };

/* The first function of a stack; the last one calls INNERMOST.  */
typedef int stack_function (int (*innermost) (void), int, int);

#ifdef __cplusplus
extern "C" {
#endif

/* The number of functions on the stack, and their return addresses as the
   compiler gives them (__builtin_return_address).  */
extern __thread int called;
extern __thread void *returns[DEEPEST];

/* The stack with LEVELS functions, up to DEEPEST.  */
stack_function *deep_stack (int levels);

/* Stack number GROUP, below GROUPS, with GROUP_LEVELS functions.  */
stack_function *group_stack (int group);

#ifdef __cplusplus
}
#endif

#endif /* _STACK_H  */
