/* tst-sframe-drap-step, without a table: by .eh_frame.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-drap-step.c"
