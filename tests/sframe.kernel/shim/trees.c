/* The kernel's own source of red-black trees, compiled for user space.
   SPDX-License-Identifier: GPL-2.0-only  */

#include "../../../lib/rbtree.c"
