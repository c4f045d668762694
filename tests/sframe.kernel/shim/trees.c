/* The kernel's maple tree and red-black tree, their very sources, in user space.
   SPDX-License-Identifier: GPL-2.0-only  */

#include <shared.h>
#include <linux/init.h>

#include "../../../lib/maple_tree.c"
#include "../../../lib/rbtree.c"
