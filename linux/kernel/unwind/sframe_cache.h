/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rule cache of a process: its interface to registration and unwinder.
 */
#ifndef _KERNEL_UNWIND_SFRAME_CACHE_H
#define _KERNEL_UNWIND_SFRAME_CACHE_H

#include <linux/types.h>

struct mm_struct;
struct sframe_rule;
struct sframe_view;

u64 sframe_generation(const struct mm_struct *mm);
bool sframe_cache_find(unsigned long ip, struct sframe_rule *rule);
bool sframe_is_cached(unsigned long ip);
bool sframe_cache_add(const struct sframe_view *view, unsigned long ip,
		      const struct sframe_rule *rule);
void sframe_free_cache(struct mm_struct *mm);

#endif /* _KERNEL_UNWIND_SFRAME_CACHE_H */
