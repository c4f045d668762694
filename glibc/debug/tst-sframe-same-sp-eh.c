/* tst-sframe-same-sp, without a table: by .eh_frame.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-same-sp.c"
