/* Test that the first backtrace in a process calls no memory allocator
   where an object on the stack has no SFrame.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <support/xdlfcn.h>

static void
call_by_module (void (*function) (void))
{
  void *handle = xdlopen ("tst-sframe-stripped-mod.so", RTLD_NOW);
  int (*call) (void (*) (void), int) = xdlsym (handle, "call_without_sframe");
  call (function, 100);
}

#define CALL(function) call_by_module (function)
#include "tst-sframe-no-malloc.c"
