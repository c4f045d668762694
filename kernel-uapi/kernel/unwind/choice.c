// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel.unwind_user: which ways to unwind user stacks are tried, in what order.
 */
#include <linux/array_size.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sframe.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <linux/unwind_choice.h>

#define UNWIND_ORDER(bit, next)	\
	((next) << UNWIND_ORDER_SHIFT | (UNWIND_USER_TYPE_##bit##_BIT + 1))

/* Of all names, with a blank between and an end. */
#define UNWIND_NAMES_SIZE	32

static const char *const unwind_names[] = {
	[UNWIND_USER_TYPE_SFRAME_BIT]		= "sframe",
	[UNWIND_USER_TYPE_FP_BIT]		= "fp",
	[UNWIND_USER_TYPE_BACKCHAIN_BIT]	= "backchain",
};

static_assert(ARRAY_SIZE(unwind_names) == NR_UNWIND_USER_TYPE_BITS);
static_assert(NR_UNWIND_USER_TYPE_BITS <= 32 / UNWIND_ORDER_SHIFT);

/* What is built in. */
static const unsigned int unwind_available =
	IS_ENABLED(CONFIG_HAVE_UNWIND_USER_SFRAME) * UNWIND_USER_TYPE_SFRAME |
	IS_ENABLED(CONFIG_HAVE_UNWIND_USER_FP) * UNWIND_USER_TYPE_FP |
	IS_ENABLED(CONFIG_HAVE_UNWIND_USER_BACKCHAIN) *
		UNWIND_USER_TYPE_BACKCHAIN;

/* The order, in one word, so that a trace sees the old one or the new one. */
static u32 unwind_order = UNWIND_ORDER(SFRAME, UNWIND_ORDER(FP,
						UNWIND_ORDER(BACKCHAIN, 0)));

/**
 * unwind_user_choose - choose the unwinders of a trace
 * @state:	its start; @order and @available_types are set
 *
 * What is not built in, and SFrame in a process that has no tables, is left out.
 */
void unwind_user_choose(struct unwind_user_state *state)
{
	unsigned int available = unwind_available, shift = 0;
	u32 order = READ_ONCE(unwind_order);

	if (!sframe_has_tables(current->mm))
		available &= ~UNWIND_USER_TYPE_SFRAME;
	state->order = 0;
	state->available_types = 0;
	while (order) {
		unsigned int type = unwind_order_take(&order);

		if (!(type & available))
			continue;
		state->available_types |= type;
		state->order |= (u32)(__ffs(type) + 1) << shift;
		shift += UNWIND_ORDER_SHIFT;
	}
}

#ifdef CONFIG_SYSCTL

/* Write the names of @order that are built in to @names. */
static void unwind_print(u32 order, char *names)
{
	unsigned int len = 0;

	*names = 0;
	while (order) {
		unsigned int type = unwind_order_take(&order);

		if (type & unwind_available)
			len += scnprintf(names + len, UNWIND_NAMES_SIZE - len,
					 "%s%s", len ? " " : "",
					 unwind_names[__ffs(type)]);
	}
}

/*
 * Read an order from @names, which is written to.  Return 0, -ENOENT for a name
 * that nobody knows, -EOPNOTSUPP for one that is not built in, -EINVAL if there
 * is one twice, or none.
 */
static int unwind_parse(char *names, u32 *order)
{
	unsigned int seen = 0, shift = 0;
	char *name;

	*order = 0;
	while ((name = strsep(&names, " \t\n"))) {
		int bit;

		if (!*name)
			continue;
		bit = match_string(unwind_names, ARRAY_SIZE(unwind_names), name);
		if (bit < 0)
			return -ENOENT;
		if (!(BIT(bit) & unwind_available))
			return -EOPNOTSUPP;
		if (BIT(bit) & seen)
			return -EINVAL;
		seen |= BIT(bit);
		*order |= (u32)(bit + 1) << shift;
		shift += UNWIND_ORDER_SHIFT;
	}
	return seen ? 0 : -EINVAL;
}

static int unwind_order_handler(const struct ctl_table *table, int write,
				void *buffer, size_t *lenp, loff_t *ppos)
{
	char names[UNWIND_NAMES_SIZE];
	const struct ctl_table copy = { .data = names, .maxlen = sizeof(names) };
	u32 order;
	int ret;

	/* What has no room would not be seen to be wrong. */
	if (write && (*ppos || *lenp >= sizeof(names)))
		return -EINVAL;
	unwind_print(READ_ONCE(unwind_order), names);
	ret = proc_dostring(&copy, write, buffer, lenp, ppos);
	if (!write || ret)
		return ret;
	ret = unwind_parse(names, &order);
	if (!ret)
		WRITE_ONCE(unwind_order, order);
	return ret;
}

static int unwind_available_handler(const struct ctl_table *table, int write,
				    void *buffer, size_t *lenp, loff_t *ppos)
{
	char names[UNWIND_NAMES_SIZE];
	const struct ctl_table copy = { .data = names, .maxlen = sizeof(names) };
	u32 all = 0;

	for (int bit = NR_UNWIND_USER_TYPE_BITS; bit > 0; bit--)
		all = all << UNWIND_ORDER_SHIFT | bit;
	unwind_print(all, names);
	return proc_dostring(&copy, write, buffer, lenp, ppos);
}

static const struct ctl_table unwind_sysctls[] = {
	{
		.procname	= "unwind_user",
		.mode		= 0644,
		.proc_handler	= unwind_order_handler,
	},
	{
		.procname	= "unwind_user_available",
		.mode		= 0444,
		.proc_handler	= unwind_available_handler,
	},
};

static int __init unwind_init_sysctls(void)
{
	register_sysctl_init("kernel", unwind_sysctls);
	return 0;
}
late_initcall(unwind_init_sysctls);

#endif /* CONFIG_SYSCTL */
