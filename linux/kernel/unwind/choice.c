// SPDX-License-Identifier: GPL-2.0-only
/*
 * The choice and order of unwinders for user stacks: the sysctl
 * kernel.unwind_user, and PR_SET_UNWIND_USER within its limits.
 */
#include <linux/array_size.h>
#include <linux/bitops.h>
#include <linux/ctype.h>
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
 * @state:	its start; sets @order and @available_types by @ip
 *
 * Takes the order of the process if it has one, otherwise the administrator's.
 * Leaves out what the administrator has not chosen and what is not built in.
 *
 * A process that has registered no table, and has chosen nothing, is unwound as
 * without SFrame. Only in a trace that begins in the vDSO, SFrame is tried, too;
 * @available_types does not have it, so that it does not affect the others.
 */
void unwind_user_choose(struct unwind_user_state *state)
{
	unsigned int available = unwind_available, shift = 0;
	u32 order = READ_ONCE(unwind_order), own = sframe_order(current->mm);
	bool tables = own || sframe_has_tables(current->mm);

	if (own) {
		available &= unwind_types(order);
		order = own;
	}
	if (!tables && !sframe_in_vdso(state->ip))
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
	if (!tables)
		state->available_types &= ~UNWIND_USER_TYPE_SFRAME;
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
 * The length of the run at the start of @text, which has @len bytes, of blanks
 * or of other characters, as @blank says.
 */
static size_t unwind_span(const char *text, size_t len, bool blank)
{
	size_t n = 0;

	while (n < len && !isspace(text[n]) == !blank)
		n++;
	return n;
}

/* The bit number of the unwinder with the name of @len bytes, or -1. */
static int unwind_find_name(const char *name, size_t len)
{
	for (int bit = 0; bit < NR_UNWIND_USER_TYPE_BITS; bit++)
		if (strlen(unwind_names[bit]) == len &&
		    !memcmp(unwind_names[bit], name, len))
			return bit;
	return -1;
}

/*
 * Parse the @len bytes at @names into @order. Return 0; -ENOENT for an unknown
 * name, -EOPNOTSUPP for an unwinder that is not built in, -EINVAL if a name
 * occurs twice or there is none.
 */
static int unwind_parse(const char *names, size_t len, u32 *order)
{
	unsigned int seen = 0, shift = 0;
	size_t at, n;
	int bit, ret;

	*order = 0;
	len = strnlen(names, len);
	for (at = 0; (at += unwind_span(names + at, len - at, true)) < len;
	     at += n) {
		n = unwind_span(names + at, len - at, false);
		bit = unwind_find_name(names + at, n);
		ret = unwind_add_type(&seen, bit);
		if (ret)
			return ret;
		*order |= (u32)(bit + 1) << shift;
		shift += UNWIND_ORDER_SHIFT;
	}
	return seen ? 0 : -EINVAL;
}

/* The names may be longer than what proc_dostring() could store here. */
static int unwind_write_order(const char *names, size_t len, loff_t *ppos)
{
	u32 order;
	int ret = *ppos ? -EINVAL : unwind_parse(names, len, &order);

	if (ret)
		return ret;
	WRITE_ONCE(unwind_order, order);
	*ppos += len;
	return 0;
}

static int unwind_order_handler(const struct ctl_table *table, int write,
				void *buffer, size_t *lenp, loff_t *ppos)
{
	char names[UNWIND_NAMES_SIZE];
	const struct ctl_table copy = { .data = names, .maxlen = sizeof(names) };

	if (write)
		return unwind_write_order(buffer, *lenp, ppos);
	unwind_print(READ_ONCE(unwind_order), names);
	return proc_dostring(&copy, write, buffer, lenp, ppos);
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
