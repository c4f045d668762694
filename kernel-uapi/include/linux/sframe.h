/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SFrame tables of user space: what the rest of the kernel calls.
 *
 * A process registers, for ranges of its text, tables in its memory that tell
 * how to unwind the code there.  The deferred unwinder reads them when it has
 * returned to where page faults are allowed.
 */
#ifndef _LINUX_SFRAME_H
#define _LINUX_SFRAME_H

#include <linux/errno.h>
#include <linux/mm_types.h>
#include <linux/unwind_user_types.h>

struct elf64_phdr;

/**
 * struct sframe_info - a text range that is registered, and its table
 * @text:	user address of the text
 * @text_size:	its bytes
 * @table:	user address of the table
 * @table_size:	its bytes
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
int sframe_remove(unsigned long table);
int sframe_unwind_next(struct unwind_user_state *state);
bool sframe_has_tables(const struct mm_struct *mm);
bool __sframe_guess_ok(struct unwind_user_state *state, unsigned long ip,
		       unsigned long sp, unsigned long next);
void __sframe_unwind_known(struct unwind_user_state *state,
			   struct unwind_stacktrace *trace, unsigned int max);

/* A new mm has no tables, whatever it was copied from. */
static inline void sframe_init_mm(struct mm_struct *mm)
{
	mm->sframe = NULL;
	RCU_INIT_POINTER(mm->sframe_cache, NULL);
}

static inline bool sframe_registered(struct mm_struct *mm)
{
	return READ_ONCE(mm->sframe);
}

/*
 * Whether a frame that is guessed by frame pointers can be one: it would return
 * to @ip, its record ends at @sp and says that the next one is at @next.  A
 * process of 32 bits has no tables, nor has one for which they are not chosen.
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
 * Step from @state, the last frame in @trace, as far as rules are remembered,
 * and add the frames to @trace, which may have @max.  That is worth a try
 * only if the rule that led to the last frame was.
 */
static inline void sframe_unwind_known(struct unwind_user_state *state,
				       struct unwind_stacktrace *trace,
				       unsigned int max)
{
	if (state->sframe_known && trace->nr < max)
		__sframe_unwind_known(state, trace, max);
}

#else /* !CONFIG_HAVE_UNWIND_USER_SFRAME */

static inline int sframe_add(unsigned long table, unsigned long table_size,
			     unsigned long text, unsigned long text_size)
{
	return -EINVAL;
}

static inline void sframe_add_elf(const struct elf64_phdr *phdr, int phnum,
				  unsigned long bias) {}

static inline int sframe_remove(unsigned long table)
{
	return -EINVAL;
}

static inline int sframe_unwind_next(struct unwind_user_state *state)
{
	return -ENOENT;
}

static inline bool sframe_has_tables(const struct mm_struct *mm)
{
	return false;
}

static inline bool sframe_guess_ok(struct unwind_user_state *state,
				   unsigned long ip, unsigned long sp,
				   unsigned long next)
{
	return true;
}

static inline void sframe_unwind_known(struct unwind_user_state *state,
				       struct unwind_stacktrace *trace,
				       unsigned int max) {}

static inline void sframe_init_mm(struct mm_struct *mm) {}

static inline bool sframe_registered(struct mm_struct *mm)
{
	return false;
}

#endif /* !CONFIG_HAVE_UNWIND_USER_SFRAME */

/*
 * Let @mm have what @oldmm has registered.  Both are locked for writing and
 * the mappings have not been copied yet: for each that @mm does not get, or
 * not the content of, sframe_unmap() is called then.
 */
static inline void sframe_dup_mm(struct mm_struct *mm, struct mm_struct *oldmm)
{
	if (sframe_registered(oldmm))
		__sframe_dup_mm(mm, oldmm);
}

/* The last user of @mm is gone. */
static inline void sframe_free_mm(struct mm_struct *mm)
{
	if (sframe_registered(mm) || rcu_access_pointer(mm->sframe_cache))
		__sframe_free_mm(mm);
}

/*
 * What @mm had mapped from @start up to @end is gone; it is locked for
 * writing.
 */
static inline void sframe_unmap(struct mm_struct *mm, unsigned long start,
				unsigned long end)
{
	if (sframe_registered(mm))
		__sframe_unmap(mm, start, end);
}

#endif /* _LINUX_SFRAME_H */
