// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwind user space by SFrame: one step from a frame to its caller.
 *
 * The stack is not trusted either: each word is copied once, the stack pointer
 * must rise from frame to frame, and a return address must point into code.
 *
 * Errors: those of sframe_read.c; -EFAULT also if the stack cannot be read,
 * -EINVAL if the rule does not fit the stack, -ENODATA if it needs a register
 * that is not known.
 */

#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/sframe.h>
#include <linux/uaccess.h>
#include <linux/unwind_uprobe.h>
#include <linux/unwind_user.h>

#include <asm/syscall.h>
#include <asm/unwind_user_sframe.h>

#include "sframe.h"
#include "sframe_cache.h"

/*
 * Read DWARF register @reg. Registers other than SP and FP are known only in an
 * interrupted frame. FP is unknown after a step that had no rule for it.
 */
static int sframe_reg(const struct unwind_user_state *state, u32 reg,
		      unsigned long *value)
{
	switch (reg) {
	case SFRAME_REG_SP:
		*value = state->sp;
		return state->sp_lost ? -ENODATA : 0;
	case SFRAME_REG_FP:
		*value = state->fp;
		return state->fp_lost ? -ENODATA : 0;
	}
	if (state->topmost)
		return sframe_pt_reg(task_pt_regs(current), reg, value);
	if (state->ucontext)
		return sframe_ucontext_reg(state->ucontext, reg, value);
	return -ENODATA;
}

/* A mapping: its range, and whether it is executable. */
struct sframe_area {
	unsigned long	start;
	unsigned long	size;
	bool		exec;
};

/*
 * Look for a mapping at @address. The mmap lock is needed only if there is no
 * mapping, if it is being changed, or if mappings have no locks of their own
 * (CONFIG_PER_VMA_LOCK). Return 1 if there is one, with its range and flags in
 * @area; 0 if not; or -EAGAIN if that cannot be known.
 */
static int sframe_find_area(unsigned long address, struct sframe_area *area)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma = lock_vma_under_rcu(mm, address);
	bool locked = !vma, found;

	if (locked) {
		if (!sframe_lock_mm(mm))
			return -EAGAIN;
		vma = vma_lookup(mm, address);
	}
	found = vma;
	if (found) {
		area->start = vma->vm_start;
		area->size = vma->vm_end - vma->vm_start;
		area->exec = vma->vm_flags & VM_EXEC;
	}
	if (locked)
		mmap_read_unlock(mm);
	else
		vma_end_read(vma);
	return found;
}

/*
 * Make the page at @address present, if it is mapped. A page fault of an access
 * could let a stack grow to there, so the mapping is looked up first, under the
 * lock that keeps it.
 */
static bool sframe_fault_in(unsigned long address)
{
	struct mm_struct *mm = current->mm;
	bool present, unlocked;

	if (pagefault_disabled() || mmap_read_lock_killable(mm))
		return false;
	present = vma_lookup(mm, unwind_user_untag(address)) &&
		  !fixup_user_fault(mm, address, 0, &unlocked);
	mmap_read_unlock(mm);
	return present;
}

/* A page that was made present may be taken away before it is read. */
#define SFRAME_READ_TRIES	3

/*
 * Read the word at @address, which a wrong table may have chosen, and which may
 * be in two pages. No stack grows.
 */
static int sframe_read_word(unsigned long address, unsigned long *value)
{
	int tries = SFRAME_READ_TRIES, ret;

	do {
		pagefault_disable();
		ret = get_user(*value, (unsigned long __user *)address);
		pagefault_enable();
	} while (ret && --tries && sframe_fault_in(address) &&
		 sframe_fault_in(address + sizeof(*value) - 1));
	return ret;
}

/* Compute the value that @place describes; its kind is not SFRAME_UNCHANGED. */
static int sframe_recover(const struct unwind_user_state *state,
			  const struct sframe_place *place, unsigned long cfa,
			  unsigned long *value)
{
	unsigned long base = cfa;
	int ret;

	if (place->kind == SFRAME_REG_VALUE ||
	    place->kind == SFRAME_REG_MEMORY) {
		ret = sframe_reg(state, place->reg, &base);
		if (ret)
			return ret;
	}
	*value = base + place->off;
	if (place->kind == SFRAME_CFA_MEMORY || place->kind == SFRAME_REG_MEMORY)
		return sframe_read_word(*value, value);
	return 0;
}

/*
 * Whether @sp can be the SP of the calling frame. The stack grows down, so it
 * is above the SP of this frame. It may be equal if this frame has not made a
 * call: where a call pushes nothing, the function may have pushed nothing yet;
 * on x86 it may have popped the return address to a register, as vfork() does.
 * On s390 it may be equal if the return address was saved in the caller's
 * frame, but not by two functions that have made a call: then SP might never
 * rise. The caller of a signal restorer may be on another stack.
 */
static bool sframe_sp_ok(const struct unwind_user_state *state,
			 const struct sframe_rule *rule, unsigned long sp)
{
	if (rule->signal)
		return true;
	if (sp != state->sp)
		return sp > state->sp;
	if (state->topmost || state->interrupted)
		return !SFRAME_CALL_SIZE || rule->ra.kind == SFRAME_REG_VALUE;
	return SFRAME_CFA_ABOVE_SP && rule->ra.kind == SFRAME_CFA_MEMORY &&
	       !state->sp_kept;
}

/*
 * Look for an executable mapping at @ip. Return 1 if there is one, whose range
 * is then stored in @state; otherwise as sframe_find_area() does.
 */
static int sframe_find_code(struct unwind_user_state *state, unsigned long ip)
{
	struct sframe_area area;
	int ret = sframe_find_area(ip, &area);

	if (ret > 0 && !area.exec)
		return 0;
	if (ret > 0) {
		state->code = area.start;
		state->code_size = area.size;
	}
	return ret;
}

/*
 * Look for code at @ip; return as sframe_find_code() does. Registered text is
 * code, so look in the places where the next frame is looked up anyway: the
 * current table, the cache, the set. For code without a table, first compare
 * with the last executable mapping, which consecutive frames often share.
 */
static int sframe_code_at(struct unwind_user_state *state, unsigned long ip)
{
	struct sframe_view *view = &state->sframe;

	return ip - view->text < view->text_size ||
	       ip - state->code < state->code_size || sframe_is_cached(ip) ||
	       sframe_find_view(ip, view) ? 1 : sframe_find_code(state, ip);
}

/* Whether @ip is known to be in code. */
static bool sframe_is_code(struct unwind_user_state *state, unsigned long ip)
{
	return sframe_code_at(state, ip) > 0;
}

/*
 * Look up @ip in the table of @state. Drop the table if it is corrupt. That may
 * need a copy of all registrations, so drop only one table for each stack.
 */
static int sframe_use_table(struct unwind_user_state *state, unsigned long ip,
			    struct sframe_rule *rule)
{
	struct sframe_view *view = &state->sframe;
	int ret = sframe_find_rule(view, ip, &state->sframe_rows, rule);

	if (ret == -EBADMSG) {
		if (!state->sframe_dropped)
			sframe_drop_corrupt(view);
		state->sframe_dropped = true;
		view->text_size = 0;
	}
	return ret;
}

/*
 * Whether FP points to the frame record of the frame in @state, which has made
 * a call and whose rule is @rule: the function saves FP and RA side by side,
 * and its code makes FP point there. Without that code FP is still the
 * caller's.
 */
static bool sframe_has_record(struct unwind_user_state *state,
			      const struct sframe_rule *rule)
{
	unsigned long ip = state->ip - 1;
	struct sframe_rule read;

	if (rule->fp.kind != SFRAME_CFA_MEMORY ||
	    rule->ra.kind != SFRAME_CFA_MEMORY ||
	    rule->ra.off - rule->fp.off != SFRAME_RECORD_RA_OFF)
		return false;
	/* A cached rule does not say where the function starts. */
	return sframe_find_view(ip, &state->sframe) &&
	       !sframe_use_table(state, ip, &read) &&
	       sframe_arch_sets_fp(ip - read.from_start, ip,
				   rule->cfa.off + rule->fp.off);
}

/*
 * Compute the CFA. An interrupted function may keep the caller's SP in another
 * register, which SFrame cannot express: see sframe_arch_sp_reg(). If SP is
 * lost after a step by frame pointer, find the CFA by the frame record.
 */
static int sframe_recover_cfa(struct unwind_user_state *state,
			      const struct sframe_rule *rule,
			      unsigned long *cfa)
{
	struct sframe_place place = rule->cfa;

	if (state->sp_lost && place.kind == SFRAME_REG_VALUE &&
	    place.reg == SFRAME_REG_SP && sframe_has_record(state, rule)) {
		*cfa = state->fp - rule->fp.off;
		return 0;
	}
	if ((state->topmost || state->interrupted) &&
	    place.kind == SFRAME_REG_VALUE && place.reg == SFRAME_REG_SP &&
	    place.off == SFRAME_CFA_ABOVE_SP)
		place.reg = sframe_arch_sp_reg(state->ip);
	return sframe_recover(state, &place, 0, cfa);
}

/* Whether @ra is aligned, and the byte before it is code. */
static bool sframe_ra_ok(struct unwind_user_state *state, unsigned long ra)
{
	return !(ra & (SFRAME_INSN_ALIGN - 1)) && sframe_is_code(state, ra - 1);
}

/*
 * Whether @ra is a signal restorer. It may be the first byte of a mapping, so
 * that sframe_ra_ok() rejects it.
 */
static bool sframe_restorer_ok(struct unwind_user_state *state,
			       unsigned long ra)
{
	return !(ra & (SFRAME_INSN_ALIGN - 1)) && sframe_is_code(state, ra) &&
	       sframe_arch_restorer(ra);
}

/* Compute the return address, and check that it is in code. */
static int sframe_recover_ra(struct unwind_user_state *state,
			     const struct sframe_rule *rule, unsigned long cfa,
			     unsigned long *ra)
{
	int ret;

	if (rule->ra.kind == SFRAME_UNCHANGED)
		ret = sframe_reg(state, SFRAME_REG_RA, ra);
	else
		ret = sframe_recover(state, &rule->ra, cfa, ra);
	if (ret)
		return ret;
	*ra = unwind_uprobe_ra(unwind_user_strip_ra(*ra),
			       cfa - SFRAME_CFA_ABOVE_SP, false);
	if (rule->signal)
		return 0;
	if (!sframe_ra_ok(state, *ra))
		return sframe_restorer_ok(state, *ra) ? 0 : -EINVAL;
	/* Without SP, the CFA may be a guess. */
	return state->sp_lost && !sframe_arch_return_ok(*ra) ? -EINVAL : 0;
}

/*
 * Whether FP already is the caller's, although @rule says that it is saved at
 * an offset from FP. In functions that realign the stack, GCC's rule says so up
 * to the end of the function, even after the instruction that restores FP. Then
 * that address is outside of the frame.
 */
static bool sframe_fp_restored(const struct unwind_user_state *state,
			       const struct sframe_rule *rule,
			       unsigned long cfa)
{
	return rule->fp.kind == SFRAME_REG_MEMORY &&
	       rule->fp.reg == SFRAME_REG_FP && !state->fp_lost &&
	       (state->topmost || state->interrupted) &&
	       state->fp + rule->fp.off - state->sp >= cfa - state->sp;
}

/* Step from @state to its caller by @rule. On error the frame is unchanged. */
static int sframe_step(struct unwind_user_state *state,
		       const struct sframe_rule *rule)
{
	unsigned long cfa, sp, ra, fp = state->fp;
	int ret;

	ret = sframe_recover_cfa(state, rule, &cfa);
	if (ret)
		return ret;
	cfa = unwind_user_untag(cfa);
	sp = cfa - SFRAME_CFA_ABOVE_SP;
	if (!sframe_sp_ok(state, rule, sp) || cfa & (state->ws - 1))
		return -EINVAL;

	ret = sframe_recover_ra(state, rule, cfa, &ra);
	if (ret)
		return ret;
	if (rule->fp.kind != SFRAME_UNCHANGED &&
	    !sframe_fp_restored(state, rule, cfa)) {
		ret = sframe_recover(state, &rule->fp, cfa, &fp);
		if (ret)
			return ret;
		fp = unwind_user_untag(fp);
		state->fp_lost = false;
	}

	state->ip = ra;
	state->ip_after = false;
	state->sp_kept = sp == state->sp && !state->topmost &&
			 !state->interrupted &&
			 rule->ra.kind == SFRAME_CFA_MEMORY;
	state->sp = sp;
	state->sp_lost = false;
	state->fp = fp;
	state->ucontext = 0;
	state->interrupted = rule->signal;
	state->topmost = false;
	return 0;
}

/*
 * Read the rule of @ip. Try the current table first: caller and callee are
 * often in the same text.
 */
static int sframe_read_rule(struct unwind_user_state *state, unsigned long ip,
			    struct sframe_rule *rule)
{
	struct sframe_view *view = &state->sframe;
	int ret;

	if (ip - view->text >= view->text_size && !sframe_find_view(ip, view))
		return -ENOENT;
	ret = sframe_use_table(state, ip, rule);
	/* Without memory for a cache, ask only once for each stack. */
	if (!ret && !state->sframe_uncached)
		state->sframe_uncached = !sframe_cache_add(view, ip, rule);
	return ret;
}

/*
 * Whether the task is in the system call before its IP, which may be the last
 * instruction of a function, as exit_group() is of one that does not return.
 * execve() has changed IP to the start of a program, whose stack is as execve()
 * has left it; a debugger may have changed IP, so look at the code, too.
 */
static bool sframe_in_syscall(const struct unwind_user_state *state)
{
	return syscall_get_nr(current, task_pt_regs(current)) >= 0 &&
	       state->sp != current->mm->start_stack &&
	       sframe_arch_after_syscall(state->ip);
}

/* Look up the rule of the frame in @state. */
static int sframe_lookup(struct unwind_user_state *state,
			 struct sframe_rule *rule)
{
	unsigned long ip = state->ip;

	state->sframe_cached = false;
	if (state->topmost)
		state->ip_after = sframe_arch_ip_after(ip) ||
				  sframe_in_syscall(state);
	if (ip & (SFRAME_INSN_ALIGN - 1))
		return -ENOENT;
	/*
	 * The return address of a call that never returns may belong to the
	 * next function.
	 */
	if ((!state->topmost && !state->interrupted) || state->ip_after)
		ip--;
	state->sframe_cached = sframe_cache_find(ip, rule);
	return state->sframe_cached ? 0 : sframe_read_rule(state, ip, rule);
}

/*
 * Whether the frame record at @next can follow a record that ends at @sp. A
 * @next of 0 ends the chain.
 */
static bool sframe_linked(struct unwind_user_state *state, unsigned long sp,
			  unsigned long next)
{
	unsigned long ip;

	if (!next)
		return true;
	return next >= sp && !(next & (state->ws - 1)) &&
	       !sframe_read_word(next + SFRAME_RECORD_RA_OFF, &ip) &&
	       sframe_is_code(state, unwind_user_strip_ra(ip) - 1);
}

/*
 * Whether @ip is not inside a function: the table says that a function starts
 * there, or has no entry and the machine trusts the chain of frame records.
 */
static bool sframe_outside_functions(struct unwind_user_state *state,
				     unsigned long ip)
{
	struct sframe_rule rule;
	int ret = sframe_use_table(state, ip, &rule);

	return ret ? ret == -ENOENT && SFRAME_CHAIN_TELLS : !rule.from_start;
}

/*
 * Whether @ip can be a return address although no call precedes it. Compiled
 * code has none, except that the first function of a context may return to the
 * start of another function. Interpreters and JIT compilers push addresses, but
 * keep a chain of frame records.
 */
static bool sframe_uncalled_ok(struct unwind_user_state *state,
			       unsigned long ip, unsigned long sp,
			       unsigned long next)
{
	if (!sframe_linked(state, sp, next))
		return false;
	/* s390 asks also if SFrame is switched off. */
	if (!(state->available_types & UNWIND_USER_TYPE_SFRAME) ||
	    !sframe_find_view(ip - 1, &state->sframe))
		return true;
	return next && sframe_outside_functions(state, ip);
}

/**
 * __sframe_guess_ok - check a step by frame pointer from code without a table
 * @state:	the frame
 * @ip:		the return address that its record would contain
 * @sp:		the end of its record
 * @next:	the address of the next record, which its record would contain
 *
 * Code without a table may have no frame pointers either. Then the words that
 * would be its record are data, and a wrong frame is worse than a trace that
 * ends here.
 *
 * Return: whether a call or a signal can have stored @ip, or the record is part
 * of a chain of frame records.
 */
bool __sframe_guess_ok(struct unwind_user_state *state, unsigned long ip,
		       unsigned long sp, unsigned long next)
{
	if (!sframe_ra_ok(state, ip))
		return false;
	return sframe_arch_return_ok(ip) ||
	       sframe_uncalled_ok(state, ip, sp, next);
}

/*
 * If @state is at a PC without code, or in a PLT stub, return how many bytes
 * were pushed since the call, otherwise -1.
 */
static int sframe_nowhere(struct unwind_user_state *state)
{
	int code;

	if (!state->topmost && !state->interrupted)
		return -1;
	if (state->ip & (SFRAME_INSN_ALIGN - 1))
		return 0;
	code = sframe_code_at(state, state->ip);
	if (code < 0)
		return -1;
	return code ? sframe_arch_stub(state->ip) : 0;
}

/*
 * Step from a frame for which sframe_nowhere() has returned @pushed to its
 * caller. The stack has not changed otherwise since the call, so the rule at
 * the first instruction of any function applies. The return address must follow
 * a call.
 */
static int sframe_leave_nowhere(struct unwind_user_state *state, int pushed)
{
	const struct unwind_user_state nowhere = *state;
	const struct sframe_rule rule = {
		.cfa = {
			.kind	= SFRAME_REG_VALUE,
			.reg	= SFRAME_REG_SP,
			.off	= SFRAME_ENTRY_CFA_OFF + pushed,
		},
		.ra = {
			.kind	= SFRAME_CALL_RA_OFF ? SFRAME_CFA_MEMORY :
						       SFRAME_UNCHANGED,
			.off	= SFRAME_CALL_RA_OFF,
		},
	};
	int ret = sframe_step(state, &rule);

	if (!ret && !sframe_arch_return_ok(state->ip)) {
		*state = nowhere;
		ret = -EINVAL;
	}
	return ret;
}

/*
 * Step from a signal restorer to the frame that the signal has interrupted.
 * Return -ENOENT if @state is in none. If the signal frame cannot be read, the
 * trace ends: any other unwinder would miss the interrupted frame.
 */
static int sframe_leave_signal(struct unwind_user_state *state)
{
	unsigned long word;
	int ret;

	/* The signal frame is at SP, which a wrong table may have chosen, too. */
	if (!state->topmost && sframe_read_word(state->sp, &word))
		ret = sframe_arch_restorer(state->ip) ? -EFAULT : -ENOENT;
	else
		ret = sframe_arch_signal(state);
	if (ret == -ENOENT)
		return ret;
	if (!ret)
		unwind_uprobe_signal(state);
	else
		state->done = true;
	return 0;
}

/**
 * sframe_unwind_next - step to the calling frame by an SFrame table
 * @state:	the frame; on return, its caller
 *
 * If the frame has no caller, or its rule does not fit the stack, the trace
 * ends: @state->done is set.
 *
 * Return: 0; or an error as listed at the beginning of this file, with the
 * frame unchanged, so that another unwinder can be tried.
 */
int sframe_unwind_next(struct unwind_user_state *state)
{
	struct sframe_rule rule;
	int ret, pushed;

	/* Tables do not describe 32-bit code segments of a 64-bit process. */
	if (state->ws != sizeof(long))
		return -ENOENT;
	ret = sframe_lookup(state, &rule);
	/* Without tables of its own, a process has only that of the vDSO. */
	if (ret == -ENOENT &&
	    !(state->available_types & UNWIND_USER_TYPE_SFRAME))
		return ret;
	/*
	 * A signal restorer may have no rule. Or, since no call precedes it,
	 * the rule found is that of the function that ends before it; but not if
	 * the last instruction of that function was interrupted.
	 */
	if ((ret == -ENOENT || (!ret && (rule.signal ||
					 (rule.at_end && !state->ip_after)))) &&
	    !sframe_leave_signal(state))
		return 0;
	if (ret == -ENOENT) {
		pushed = sframe_nowhere(state);
		if (pushed >= 0)
			return sframe_leave_nowhere(state, pushed);
	}
	if (ret && ret != -EFAULT && ret != -E2BIG)
		return ret;
	/*
	 * If the rule does not fit the stack, or was not found because the
	 * table cannot be read or has too many rows, any other unwinder would
	 * guess.
	 */
	if (ret || rule.outermost || sframe_step(state, &rule))
		state->done = true;
	return 0;
}
