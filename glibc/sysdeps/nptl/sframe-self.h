/* Pointer to the descriptor of the calling thread, for backtrace.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: a port overrides this file where THREAD_SELF reads memory that an
   overrun of the stack can reach.  */

#ifndef _SFRAME_SELF_H
#define _SFRAME_SELF_H

#include <tls.h>

#define SFRAME_SELF THREAD_SELF

#endif /* _SFRAME_SELF_H  */
