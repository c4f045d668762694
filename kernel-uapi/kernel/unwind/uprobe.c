// SPDX-License-Identifier: GPL-2.0-only
/*
 * User stacks of a task that is being probed: the addresses as the program
 * knows them.
 *
 * A uprobe has its instruction executed in a slot somewhere else, a uretprobe
 * has its function return to a trampoline.  Neither place has a table, or says
 * anything to whoever reads the trace.
 */
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/sframe.h>
#include <linux/unwind_uprobe.h>
#include <linux/unwind_user.h>
#include <linux/uprobes.h>

#include <asm/unwind_user_sframe.h>

/**
 * __unwind_uprobe_ra - find where a function with a uretprobe returns to
 * @ra:		its return address
 * @sp:		what SP is when it has returned
 *
 * Only the current task changes the list, of 64 entries at most.  One that
 * longjmp() has left behind is of another place in the stack, or was replaced.
 *
 * Return: the original return address if @ra is the trampoline, or else @ra.
 */
unsigned long __unwind_uprobe_ra(unsigned long ra, unsigned long sp)
{
	struct return_instance *ri = current->utask->return_instances;

	if (!ri || ra != uprobe_get_trampoline_vaddr())
		return ra;
	for (; ri; ri = ri->next)
		if (ri->stack == sp - SFRAME_CALL_SIZE)
			return ri->orig_ret_vaddr;
	return ra;
}

/*
 * Leave the trampoline that @state may be in.  What it does to SP is undone as
 * it will be.
 */
static void unwind_uprobe_leave(struct unwind_user_state *state)
{
	if (state->ws == sizeof(long))
		sframe_arch_leave_probe(state, uprobe_get_trampoline_vaddr());
	state->ip = __unwind_uprobe_ra(state->ip, state->sp);
}

/**
 * __unwind_uprobe_start - leave the code of probes at the top of a stack
 * @state:	the topmost frame; only its IP and SP are changed
 *
 * What is in a slot has not been executed.
 */
void __unwind_uprobe_start(struct unwind_user_state *state)
{
	state->ip = uprobe_get_trap_addr(task_pt_regs(current));
	unwind_uprobe_leave(state);
}

/**
 * __unwind_uprobe_signal - leave the code of probes where a signal came
 * @state:	the frame that was interrupted
 *
 * It is not in a slot, where signals have to wait.
 */
void __unwind_uprobe_signal(struct unwind_user_state *state)
{
	unsigned long ip = state->ip;

	unwind_uprobe_leave(state);
	if (state->ip != ip)
		state->ip_behind = false;
}
