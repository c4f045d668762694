// SPDX-License-Identifier: GPL-2.0-only
/*
 * The choice and order of unwinders for user stacks: the sysctl
 * kernel.unwind_user, and PR_SET_UNWIND_USER within its limits.
 */
#include <linux/array_size.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/sframe.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <linux/unwind_choice.h>

#define UNWIND_ORDER(bit, next)	\
	((next) << UNWIND_ORDER_SHIFT | (UNWIND_USER_TYPE_##bit##_BIT + 1))

/* Room for all names, separated by blanks, and a terminating null. */
#define UNWIND_NAMES_SIZE	32

static const char *const unwind_names[] = {
	[UNWIND_USER_TYPE_SFRAME_BIT]		= "sframe",
	[UNWIND_USER_TYPE_FP_BIT]		= "fp",
	[UNWIND_USER_TYPE_BACKCHAIN_BIT]	= "backchain",
};

static_assert(ARRAY_SIZE(unwind_names) == NR_UNWIND_USER_TYPE_BITS);
/* The order of a process is stored in 16 bits. */
static_assert(NR_UNWIND_USER_TYPE_BITS <= 16 / UNWIND_ORDER_SHIFT);

static_assert(UNWIND_USER_TYPE_SFRAME_BIT + 1 == PR_UNWIND_SFRAME);
static_assert(UNWIND_USER_TYPE_FP_BIT + 1 == PR_UNWIND_FP);
static_assert(UNWIND_USER_TYPE_BACKCHAIN_BIT + 1 == PR_UNWIND_BACKCHAIN);

/* The unwinders that are built in. */
static const unsigned int unwind_available =
	IS_ENABLED(CONFIG_HAVE_UNWIND_USER_SFRAME) * UNWIND_USER_TYPE_SFRAME |
	IS_ENABLED(CONFIG_HAVE_UNWIND_USER_FP) * UNWIND_USER_TYPE_FP |
	IS_ENABLED(CONFIG_HAVE_UNWIND_USER_BACKCHAIN) *
		UNWIND_USER_TYPE_BACKCHAIN;

/*
 * The administrator's order. In one word, so that a trace never sees half of
 * it.
 */
static u32 unwind_order = UNWIND_ORDER(SFRAME, UNWIND_ORDER(FP,
						UNWIND_ORDER(BACKCHAIN, 0)));

/* The types of the unwinders in @order. */
static unsigned int unwind_types(u32 order)
{
	unsigned int types = 0;

	while (order)
		types |= unwind_order_take(&order);
	return types;
}

/**
 * unwind_user_choose - choose the unwinders of a trace
 * @state:	its start; sets @order and @available_types
 *
 * Takes the order of the process if it has one, otherwise the administrator's.
 * Leaves out what the administrator has not chosen, what is not built in, and
 * SFrame in a process without tables.
 */
void unwind_user_choose(struct unwind_user_state *state)
{
	unsigned int available = unwind_available, shift = 0;
	u32 order = READ_ONCE(unwind_order), own = sframe_order(current->mm);

	if (own) {
		available &= unwind_types(order);
		order = own;
	}
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

/*
 * Add the type with number @bit to @seen. Return 0; -ENOENT if there is no such
 * type, -EOPNOTSUPP if it is not built in, -EINVAL if it is in @seen already.
 */
static int unwind_add_type(unsigned int *seen, int bit)
{
	if (bit < 0 || bit >= NR_UNWIND_USER_TYPE_BITS)
		return -ENOENT;
	if (!(BIT(bit) & unwind_available))
		return -EOPNOTSUPP;
	if (BIT(bit) & *seen)
		return -EINVAL;
	*seen |= BIT(bit);
	return 0;
}

/**
 * unwind_user_set_order - choose the unwinders of the current process
 * @order:	the order; 0 for the administrator's
 *
 * The order may name an unwinder that the administrator has not chosen: it is
 * not used until the administrator chooses it.
 *
 * Return: 0; or an error for the first unwinder that is wrong: -ENOENT if there
 * is none with this number, -EOPNOTSUPP if it is not built in, -EINVAL if it is
 * named twice or follows the end; or an error of sframe_set_order().
 */
int unwind_user_set_order(unsigned long order)
{
	unsigned long rest = order;
	unsigned int seen = 0;

	for (; rest; rest >>= UNWIND_ORDER_SHIFT) {
		int number = rest & (BIT(UNWIND_ORDER_SHIFT) - 1);
		int ret = number ? unwind_add_type(&seen, number - 1) : -EINVAL;

		if (ret)
			return ret;
	}
	return sframe_set_order(order);
}

/**
 * unwind_user_get_order - get the order that the current process has chosen
 *
 * Return: the order, 0 if it has none; -EINVAL if processes cannot choose.
 */
int unwind_user_get_order(void)
{
	/* The order is stored in the set of SFrame tables. */
	return IS_ENABLED(CONFIG_HAVE_UNWIND_USER_SFRAME) ?
	       sframe_order(current->mm) : -EINVAL;
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
 * Parse @names, which is modified, into @order. Return 0; -ENOENT for an
 * unknown name, -EOPNOTSUPP for an unwinder that is not built in, -EINVAL if a
 * name occurs twice or there is none.
 */
static int unwind_parse(char *names, u32 *order)
{
	unsigned int seen = 0, shift = 0;
	char *name;

	*order = 0;
	while ((name = strsep(&names, " \t\n"))) {
		int bit, ret;

		if (!*name)
			continue;
		bit = match_string(unwind_names, ARRAY_SIZE(unwind_names), name);
		ret = unwind_add_type(&seen, bit);
		if (ret)
			return ret;
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

	/* proc_dostring() would silently cut off what does not fit. */
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
