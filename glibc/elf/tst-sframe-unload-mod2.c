/* Module for tests of backtrace after dlclose.

   SPDX-License-Identifier: LGPL-2.1-or-later */

#include <debug/tst-sframe-cache-unload-mod2.c>
