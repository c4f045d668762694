/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which ways to unwind user stacks are tried, in what order.
 *
 * An order has its first unwinder in its lowest bits: the number of the bit that
 * is its type, and 1; 0 ends the order.
 */
#ifndef _LINUX_UNWIND_CHOICE_H
#define _LINUX_UNWIND_CHOICE_H

#include <linux/bits.h>
#include <linux/types.h>
#include <linux/unwind_user_types.h>

#define UNWIND_ORDER_SHIFT	4

/* Take the first unwinder, of enum unwind_user_type, from @order, not 0. */
static inline unsigned int unwind_order_take(u32 *order)
{
	unsigned int bit = (*order & (BIT(UNWIND_ORDER_SHIFT) - 1)) - 1;

	*order >>= UNWIND_ORDER_SHIFT;
	return BIT(bit);
}

void unwind_user_choose(struct unwind_user_state *state);

#endif /* _LINUX_UNWIND_CHOICE_H */
