/* Stacks of functions of which no two are the same.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _STACK_H
#define _STACK_H

/* GROUPS * GROUP_LEVELS are 4,000 functions.  */
enum { DEEPEST = 256, GROUPS = 250, GROUP_LEVELS = 16 };

/* The first function of a stack; the last one calls INNERMOST.  */
typedef int stack_function (int (*innermost) (void), int, int);

#ifdef __cplusplus
extern "C" {
#endif

/* The one with LEVELS functions, up to DEEPEST.  */
stack_function *deep_stack (int levels);

/* Those with GROUP_LEVELS functions each, up to GROUPS of them.  */
stack_function *group_stack (int group);

#ifdef __cplusplus
}
#endif

#endif /* _STACK_H  */
