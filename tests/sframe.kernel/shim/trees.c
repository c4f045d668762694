/* The kernel's red-black tree, its very source, in user space.
   SPDX-License-Identifier: GPL-2.0-only  */

#include "../../../lib/rbtree.c"
