/* tst-sframe-static-damaged in a static PIE, which has .eh_frame_hdr.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-static-damaged.c"
