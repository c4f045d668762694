/* A module with the name of libgcc, which needs two others.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tst-sframe-libgcc-mod3.c"
