/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replace addresses of probe code when unwinding user space.
 */
#ifndef _LINUX_UNWIND_UPROBE_H
#define _LINUX_UNWIND_UPROBE_H

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/unwind_user_types.h>

#if defined(CONFIG_UPROBES) && defined(CONFIG_HAVE_UNWIND_USER_SFRAME)

void __unwind_uprobe_start(struct unwind_user_state *state);
void __unwind_uprobe_signal(struct unwind_user_state *state);
unsigned long __unwind_uprobe_ra(unsigned long ra, unsigned long sp,
				 bool sp_lost);

/*
 * Whether the current task may be in the code of a probe: it has met one before,
 * or there are some in its memory.
 */
static inline bool unwind_uprobe_possible(void)
{
	return unlikely(current->utask ||
			mm_flags_test(MMF_HAS_UPROBES, current->mm));
}

/* Move @state, the topmost frame, to where it would be without probes. */
static inline void unwind_uprobe_start(struct unwind_user_state *state)
{
	if (unwind_uprobe_possible())
		__unwind_uprobe_start(state);
}

/* The same for @state, which a signal has interrupted. */
static inline void unwind_uprobe_signal(struct unwind_user_state *state)
{
	if (unwind_uprobe_possible())
		__unwind_uprobe_signal(state);
}

/*
 * The original return address if @ra is the trampoline of a uretprobe, or else
 * @ra. @sp is SP after the return, or not above it if @sp_lost.
 */
static inline unsigned long unwind_uprobe_ra(unsigned long ra, unsigned long sp,
					     bool sp_lost)
{
	return unlikely(current->utask) ? __unwind_uprobe_ra(ra, sp, sp_lost) :
					  ra;
}

/* Whether the stack of the current task may have addresses of probes. */
static inline bool unwind_uprobe_used(void)
{
	return unlikely(current->utask);
}

#else

static inline void unwind_uprobe_start(struct unwind_user_state *state) {}

static inline void unwind_uprobe_signal(struct unwind_user_state *state) {}

static inline unsigned long unwind_uprobe_ra(unsigned long ra, unsigned long sp,
					     bool sp_lost)
{
	return ra;
}

static inline bool unwind_uprobe_used(void)
{
	return false;
}

#endif

#endif /* _LINUX_UNWIND_UPROBE_H */
