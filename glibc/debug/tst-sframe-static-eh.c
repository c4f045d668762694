/* Test backtrace in a static program whose own functions have no .sframe, and
   which has no .eh_frame_hdr.

   SPDX-License-Identifier: LGPL-2.1-or-later

   backtrace must find .eh_frame: libgcc would call malloc in the signal
   handler.  */

#include "tst-sframe-static.c"
