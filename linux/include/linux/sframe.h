/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SFrame tables of user space: the interface to the rest of the kernel.
 *
 * A process registers tables in its memory that describe how to unwind ranges
 * of its text. The deferred unwinder reads them before the task returns to user
 * space, where page faults are allowed.
 */
#ifndef _LINUX_SFRAME_H
#define _LINUX_SFRAME_H

#include <linux/errno.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/unwind_user_types.h>

struct elf64_phdr;

/**
 * struct sframe_info - a registered text range and its table
 * @text:	user address of the text
 * @text_size:	its size in bytes
 * @table:	user address of the table
 * @table_size:	its size in bytes
 */
struct sframe_info {
	unsigned long	text;
	unsigned long	text_size;
	unsigned long	table;
	unsigned long	table_size;
};

void __sframe_dup_mm(struct mm_struct *mm, struct mm_struct *oldmm);
void __sframe_free_mm(struct mm_struct *mm);
void __sframe_unmap(struct mm_struct *mm, unsigned long start,
		    unsigned long end);
bool sframe_next_text(struct mm_struct *mm, unsigned long from,
		      struct sframe_info *info);

#ifdef CONFIG_HAVE_UNWIND_USER_SFRAME

int sframe_add(unsigned long table, unsigned long table_size,
	       unsigned long text, unsigned long text_size);
void sframe_add_elf(const struct elf64_phdr *phdr, int phnum,
		    unsigned long bias);
int sframe_add_array(const char __user *array, unsigned long nr, size_t size,
		     unsigned long flags);
int sframe_remove(unsigned long table);
int sframe_set_order(u16 order);
u16 __sframe_order(const struct mm_struct *mm);
int sframe_unwind_next(struct unwind_user_state *state);
bool __sframe_has_tables(const struct mm_struct *mm);
bool sframe_in_vdso(unsigned long ip);
bool __sframe_guess_ok(struct unwind_user_state *state, unsigned long ip,
		       unsigned long sp, unsigned long next);
void __sframe_unwind_cached(struct unwind_user_state *state,
			    struct unwind_stacktrace *trace, unsigned int max);

/* A new mm is a copy of its parent's, but shares no registration yet. */
static inline void sframe_init_mm(struct mm_struct *mm)
{
	RCU_INIT_POINTER(mm->sframe_set, NULL);
	RCU_INIT_POINTER(mm->sframe_cache, NULL);
}

/* Whether @mm has a set of text ranges, which may be empty. */
static inline bool sframe_has_set(const struct mm_struct *mm)
{
	return rcu_access_pointer(mm->sframe_set);
}

/* Free all registrations of @mm, which has no users. */
static inline void sframe_free_mm(struct mm_struct *mm)
{
	if (sframe_has_set(mm) || rcu_access_pointer(mm->sframe_cache))
		__sframe_free_mm(mm);
}

/* Whether @mm, in use by the caller, has registered a table. */
static inline bool sframe_has_tables(const struct mm_struct *mm)
{
	return sframe_has_set(mm) && __sframe_has_tables(mm);
}

/* The unwinders that @mm, in use by the caller, has chosen, or 0. */
static inline u16 sframe_order(const struct mm_struct *mm)
{
	return sframe_has_set(mm) ? __sframe_order(mm) : 0;
}

/*
 * Whether a step by frame pointer can be right: it leads to return address @ip,
 * the frame record ends at @sp, and the next record is at @next. Not checked
 * for 32-bit code, if SFrame is switched off, or in a process that has neither
 * tables nor a choice, for which SFrame is to cost nothing. For the back chain
 * of s390, which is weaker evidence, see s390_unwind_backchain().
 */
static inline bool sframe_guess_ok(struct unwind_user_state *state,
				   unsigned long ip, unsigned long sp,
				   unsigned long next)
{
	return state->ws != sizeof(long) ||
	       !(state->available_types & UNWIND_USER_TYPE_SFRAME) ||
	       __sframe_guess_ok(state, ip, sp, next);
}

/*
 * Step from @state, the last frame in @trace, as long as rules are cached, and
 * add the frames to @trace, which has room for @max. Only if the last rule was
 * cached is the next one likely to be. No other unwinder is asked, so SFrame
 * must be the one that is tried first.
 */
static inline void sframe_unwind_cached(struct unwind_user_state *state,
					struct unwind_stacktrace *trace,
					unsigned int max)
{
	if (state->sframe_cached && trace->nr < max)
		__sframe_unwind_cached(state, trace, max);
}

#else /* !CONFIG_HAVE_UNWIND_USER_SFRAME */

static inline int sframe_add_array(const char __user *array, unsigned long nr,
				   size_t size, unsigned long flags)
{
	return -EINVAL;
}

static inline void sframe_add_elf(const struct elf64_phdr *phdr, int phnum,
				  unsigned long bias) {}

static inline int sframe_remove(unsigned long table)
{
	return -EINVAL;
}

static inline int sframe_set_order(u16 order)
{
	return -EINVAL;
}

static inline u16 sframe_order(const struct mm_struct *mm)
{
	return 0;
}

static inline int sframe_unwind_next(struct unwind_user_state *state)
{
	return -ENOENT;
}

static inline bool sframe_has_tables(const struct mm_struct *mm)
{
	return false;
}

static inline bool sframe_in_vdso(unsigned long ip)
{
	return false;
}

static inline bool sframe_guess_ok(struct unwind_user_state *state,
				   unsigned long ip, unsigned long sp,
				   unsigned long next)
{
	return true;
}

static inline void sframe_unwind_cached(struct unwind_user_state *state,
					struct unwind_stacktrace *trace,
					unsigned int max) {}

static inline void sframe_init_mm(struct mm_struct *mm) {}

static inline void sframe_free_mm(struct mm_struct *mm) {}

static inline bool sframe_has_set(const struct mm_struct *mm)
{
	return false;
}

#endif /* !CONFIG_HAVE_UNWIND_USER_SFRAME */

/*
 * Share the registrations of @oldmm with its child @mm. Both are locked for
 * writing and the mappings have not been copied yet: the caller calls
 * sframe_unmap() for each mapping that @mm does not get or gets empty.
 */
static inline void sframe_dup_mm(struct mm_struct *mm, struct mm_struct *oldmm)
{
	if (sframe_has_set(oldmm))
		__sframe_dup_mm(mm, oldmm);
}

/*
 * Drop the texts and tables from @start up to @end, which @mm has unmapped. It
 * is locked for writing.
 */
static inline void sframe_unmap(struct mm_struct *mm, unsigned long start,
				unsigned long end)
{
	if (sframe_has_set(mm))
		__sframe_unmap(mm, start, end);
}

#endif /* _LINUX_SFRAME_H */
