// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwind the user stack of a probed task: replace addresses in probe code by
 * those of the program.
 *
 * With a uprobe, the probed instruction runs in an XOL slot; with a uretprobe,
 * the function returns to a trampoline. Neither has a table, and neither
 * address means anything to the user of the trace.
 */
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/unwind_uprobe.h>
#include <linux/unwind_user.h>
#include <linux/uprobes.h>

#include <asm/unwind_user_sframe.h>

/**
 * __unwind_uprobe_ra - find the original return address under a uretprobe
 * @ra:		return address on the stack
 * @sp:		SP after the return
 * @sp_lost:	SP is not known, but is not below @sp
 *
 * A call pushes a word on x86, of 4 bytes in 32-bit code, and nothing
 * elsewhere. Only the current task changes the list, which has at most 64
 * entries. An entry that longjmp() has abandoned has another SP, or was
 * replaced.
 *
 * Return: the original return address if @ra is the trampoline, or else @ra.
 */
unsigned long __unwind_uprobe_ra(unsigned long ra, unsigned long sp,
				 bool sp_lost)
{
	struct return_instance *ri = current->utask->return_instances;

	if (!ri || ra != uprobe_get_trampoline_vaddr())
		return ra;
	sp -= min(SFRAME_CALL_SIZE,
		  unwind_user_word_size(task_pt_regs(current)));
	for (; ri; ri = ri->next) {
		unsigned long stack = unwind_user_untag(ri->stack);

		if (stack == sp || (sp_lost && stack > sp))
			return ri->orig_ret_vaddr;
	}
	return ra;
}

/* Leave the code of a probe, if @state is in it; correct IP and SP. */
static void unwind_uprobe_leave(struct unwind_user_state *state)
{
	if (state->ws == sizeof(long))
		sframe_arch_leave_probe(state, uprobe_get_trampoline_vaddr());
	state->ip = unwind_uprobe_ra(state->ip, state->sp, state->sp_lost);
}

/**
 * __unwind_uprobe_start - leave probe code in the topmost frame
 * @state:	the frame; only its IP and SP are changed
 *
 * An instruction in an XOL slot has not been executed yet, so IP becomes the
 * address of the original instruction.
 */
void __unwind_uprobe_start(struct unwind_user_state *state)
{
	state->ip = uprobe_get_trap_addr(task_pt_regs(current));
	unwind_uprobe_leave(state);
}

/**
 * __unwind_uprobe_signal - leave probe code in an interrupted frame
 * @state:	the frame that a signal has interrupted
 *
 * It cannot be in an XOL slot: signals are deferred there.
 */
void __unwind_uprobe_signal(struct unwind_user_state *state)
{
	unsigned long ip = state->ip;

	unwind_uprobe_leave(state);
	if (state->ip != ip)
		state->ip_after = false;
}
