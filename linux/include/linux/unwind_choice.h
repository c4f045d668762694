/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The choice and order of unwinders for user stacks.
 *
 * An order has UNWIND_ORDER_SHIFT bits for each unwinder, the lowest bits for
 * the first one: the bit number of its enum unwind_user_type, plus 1. A number
 * of 0 ends the order. The numbers are part of the user interface.
 */
#ifndef _LINUX_UNWIND_CHOICE_H
#define _LINUX_UNWIND_CHOICE_H

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/types.h>
#include <linux/unwind_user_types.h>

#define UNWIND_ORDER_SHIFT	4

/*
 * Remove the first unwinder from @order, which is not 0, and return its type.
 */
static inline unsigned int unwind_order_take(u32 *order)
{
	unsigned int bit = (*order & (BIT(UNWIND_ORDER_SHIFT) - 1)) - 1;

	*order >>= UNWIND_ORDER_SHIFT;
	return BIT(bit);
}

/* Whether SFrame is the first unwinder of @order. */
static inline bool unwind_order_begins_with_sframe(u32 order)
{
	return (order & (BIT(UNWIND_ORDER_SHIFT) - 1)) ==
	       UNWIND_USER_TYPE_SFRAME_BIT + 1;
}

#ifdef CONFIG_UNWIND_USER

void unwind_user_choose(struct unwind_user_state *state);
int unwind_user_set_order(unsigned long order);
int unwind_user_get_order(void);

#else

static inline int unwind_user_set_order(unsigned long order)
{
	return -EINVAL;
}

static inline int unwind_user_get_order(void)
{
	return -EINVAL;
}

#endif

#endif /* _LINUX_UNWIND_CHOICE_H */
