/* The kernel's maple tree, its very source, in user space.
   SPDX-License-Identifier: GPL-2.0-only  */

#include <shared.h>
#include <linux/init.h>

#include "../../../lib/maple_tree.c"
