/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses that uprobes put into user stacks, for the unwinder of user space.
 */
#ifndef _LINUX_UNWIND_UPROBE_H
#define _LINUX_UNWIND_UPROBE_H

#include <linux/sched.h>
#include <linux/unwind_user_types.h>

#ifdef CONFIG_UPROBES

void __unwind_uprobe_start(struct unwind_user_state *state);
void __unwind_uprobe_signal(struct unwind_user_state *state);
unsigned long __unwind_uprobe_ra(unsigned long ra, unsigned long sp);

/* Put @state, the topmost frame, where the program would be without probes. */
static inline void unwind_uprobe_start(struct unwind_user_state *state)
{
	if (unlikely(current->utask))
		__unwind_uprobe_start(state);
}

/* The same for @state, which a signal has interrupted. */
static inline void unwind_uprobe_signal(struct unwind_user_state *state)
{
	if (unlikely(current->utask))
		__unwind_uprobe_signal(state);
}

/*
 * Where the program would return to, with SP at @sp then, in place of @ra,
 * which may be the trampoline of a uretprobe.
 */
static inline unsigned long unwind_uprobe_ra(unsigned long ra, unsigned long sp)
{
	return unlikely(current->utask) ? __unwind_uprobe_ra(ra, sp) : ra;
}

#else /* !CONFIG_UPROBES */

static inline void unwind_uprobe_start(struct unwind_user_state *state) {}

static inline void unwind_uprobe_signal(struct unwind_user_state *state) {}

static inline unsigned long unwind_uprobe_ra(unsigned long ra, unsigned long sp)
{
	return ra;
}

#endif /* !CONFIG_UPROBES */

#endif /* _LINUX_UNWIND_UPROBE_H */
