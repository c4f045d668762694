/* Walk the stack of the calling thread by SFrame.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe from the first call and thread-safe: no
   malloc, no lock, no dlopen; errno is left alone.  No fault, whatever the
   stack holds, except: those of sframe-stack.h; at a table or program header
   that was made unreadable, or is beyond the end of a truncated file; and at
   an object that was unloaded during the trace with more than 1,024 others,
   see RETIRED_MAX in elf/dl-sframe-retire.c.  Uses at most 1.25 KiB of stack;
   on s390x, where each caller makes a save area of 160 bytes, at most
   2.375 KiB; on AArch64, which has twice as many registers as x86-64, at most
   1.875 KiB.  */

#ifndef _SFRAME_BACKTRACE_H
#define _SFRAME_BACKTRACE_H

#include <sframe-libgcc.h>
#include <sframe-step.h>

/* Store the PCs of the frame in *REGISTERS and of its callers in ARRAY, which
   has SIZE elements (at least 1), innermost first, and their number in *COUNT.
   Return whether libgcc may find more frames.  *REGISTERS is clobbered.

   A trace ends at the outermost frame, when ARRAY is full, or where the stack
   is found to be broken.  The result is SFRAME_HELP_NONE if the trace has gone
   through a fault signal: libgcc reads an overwritten stack unchecked.  It is
   SFRAME_HELP_LOAD only if the tunable glibc.rtld.sframe is 0: loading libgcc
   calls malloc, whose lock the caller may hold.  */
enum sframe_help __sframe_backtrace (void **array, int size,
				     struct sframe_registers *registers,
				     int *count) attribute_hidden;

#endif /* _SFRAME_BACKTRACE_H  */
