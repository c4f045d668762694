/* The functions of libgcc that backtrace calls, in another glibc.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe.  */

#ifndef _UNWIND_LINK_H
#define _UNWIND_LINK_H

#include <unwind.h>

struct unwind_link
{
  __typeof (_Unwind_Backtrace) *ptr__Unwind_Backtrace;
  __typeof (_Unwind_GetIP) *ptr__Unwind_GetIP;
  __typeof (_Unwind_GetCFA) *ptr__Unwind_GetCFA;
};

#define UNWIND_LINK_PTR(link, name) ((link)->ptr_##name)

/* Null in a program without libgcc.  */
#pragma weak _Unwind_Find_FDE

static inline void *
unwind_arch_adjustment (void *previous, void *address)
{
  return address;
}

/* The functions, or null if libgcc lacks one or cannot be loaded.  */
struct unwind_link *__libc_unwind_link_get (void) attribute_hidden;

#endif /* _UNWIND_LINK_H  */
