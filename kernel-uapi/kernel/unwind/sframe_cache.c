// SPDX-License-Identifier: GPL-2.0-only
/*
 * Remembered SFrame rules: a frame by one of them costs two loads.
 *
 * An mm has one cache, which its first trace makes.  A rule is that of one
 * address, read from a registered table and checked as any other; whatever
 * depends on the stack is checked anew in each step.  A process that changes a
 * registered table may get its own stacks by the old rules, and no more.
 *
 * A slot is written once, by the thread that has claimed it, and is constant
 * afterwards: a reader cannot see half a rule.  A cache that is too small, or
 * too full, is replaced as a whole, and freed after a grace period.  One that
 * was made before a text range was removed is of an older generation: nobody
 * uses it.  Readers take no lock, and writers do not wait for one.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/hash.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sframe.h>
#include <linux/shrinker.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/unwind_uprobe.h>
#include <linux/unwind_user.h>

#include <asm/unwind_user_sframe.h>

#include "sframe.h"
#include "sframe_cache.h"

/* Bytes of a cache: at first, and at most.  Each is four times the last. */
#define SFRAME_CACHE_MIN	SZ_4K
#define SFRAME_CACHE_MAX	SZ_256K

/* Slots that one address may be in; they share a cache line. */
#define SFRAME_CACHE_WAYS	4

/*
 * A packed rule.  Offsets are in bytes, from base or CFA.  A slot is free while
 * it has none, and claimed while it has one without SFRAME_PACKED.
 */
#define SFRAME_PACKED		BIT_ULL(0)
#define SFRAME_PACKED_OUTERMOST	BIT_ULL(1)
#define SFRAME_PACKED_CFA_FP	BIT_ULL(2)
#define SFRAME_PACKED_RA	BIT_ULL(3)
#define SFRAME_PACKED_FP	BIT_ULL(4)
#define SFRAME_PACKED_RA_OFF	5	/* 11 bits */
#define SFRAME_PACKED_FP_OFF	16	/* 16 bits */
#define SFRAME_PACKED_CFA_OFF	32
#define SFRAME_CLAIMED		BIT_ULL(63)

/* Offsets of RA and FP from the CFA, below which they are. */
#define SFRAME_RA_OFF_MIN	(-1024)
#define SFRAME_FP_OFF_MIN	(-32768)
#define SFRAME_OFF_MAX		(-(int)sizeof(long))

/**
 * struct sframe_slot - a remembered rule
 * @rule:	packed; written after @ip
 * @ip:		the address
 */
struct sframe_slot {
	u64		rule;
	unsigned long	ip;
};

/**
 * struct sframe_cache - the rules that an mm remembers
 * @rcu:	once it is replaced
 * @list:	in the list of all caches
 * @owner:	whose it is, while in the list
 * @generation:	of what the owner had registered when the rules were read
 * @size:	its bytes, pages
 * @lines:	how many lines of SFRAME_CACHE_WAYS slots it has
 * @refused:	how many rules have found their line full
 * @slots:	the lines
 */
struct sframe_cache {
	struct rcu_head		rcu;
	struct list_head	list;
	struct mm_struct	*owner;
	u64			generation;
	size_t			size;
	unsigned int		lines;
	atomic_t		refused;
	struct sframe_slot	slots[];
};

/* For each line to be one of the processor's. */
static_assert(sizeof(struct sframe_cache) == 64);

/*
 * All caches, the oldest first, and the pages that they take.  Which cache an
 * mm has changes under the lock, too.
 */
static LIST_HEAD(sframe_caches);
static unsigned long sframe_cache_pages;
static DEFINE_SPINLOCK(sframe_caches_lock);

/* The first slot that may have the rule of @ip. */
static __always_inline unsigned int
sframe_slot_index(const struct sframe_cache *cache, unsigned long ip)
{
	return reciprocal_scale(hash_64(ip, 32), cache->lines) *
	       SFRAME_CACHE_WAYS;
}

/* The rule of @ip if it has all of @flags, or 0.  RCU keeps the cache. */
static __always_inline u64 sframe_find_packed(const struct sframe_cache *cache,
					      unsigned long ip, u64 flags)
{
	const struct sframe_slot *slot =
		&cache->slots[sframe_slot_index(cache, ip)];

	for (int i = 0; i < SFRAME_CACHE_WAYS; i++, slot++) {
		/* Pairs with sframe_fill(): who sees the rule sees its IP. */
		u64 rule = smp_load_acquire(&slot->rule);

		if (READ_ONCE(slot->ip) == ip && (rule & flags))
			return rule;
	}
	return 0;
}

/* The cache of @mm, if there is one that has not been forgotten. */
static const struct sframe_cache *
sframe_valid_cache(const struct mm_struct *mm)
{
	const struct sframe_cache *cache = rcu_dereference(mm->sframe_cache);

	return cache && cache->generation == sframe_generation(mm) ? cache :
								     NULL;
}

/* The rule of @ip in the current process if it has all of @flags, or 0. */
static u64 sframe_recall_packed(unsigned long ip, u64 flags)
{
	const struct mm_struct *mm = current->mm;
	const struct sframe_cache *cache;

	/* Most frames without a table are of processes without a cache. */
	if (!rcu_access_pointer(mm->sframe_cache))
		return 0;
	guard(rcu)();
	cache = sframe_valid_cache(mm);
	return cache ? sframe_find_packed(cache, ip, flags) : 0;
}

static __always_inline s32 sframe_packed_ra_off(u64 rule)
{
	return (s16)rule >> SFRAME_PACKED_RA_OFF;
}

static __always_inline s32 sframe_packed_fp_off(u64 rule)
{
	return (s16)(rule >> SFRAME_PACKED_FP_OFF);
}

static __always_inline s32 sframe_packed_cfa_off(u64 rule)
{
	return (s64)rule >> SFRAME_PACKED_CFA_OFF;
}

/* Pack @place, of RA or FP, as @flag and the offset at bit @shift. */
static bool sframe_pack_place(const struct sframe_place *place, u64 flag,
			      s32 min, unsigned int shift, u64 *packed)
{
	if (place->kind == SFRAME_UNCHANGED)
		return true;
	if (place->kind != SFRAME_CFA_MEMORY || place->off < min ||
	    place->off > SFRAME_OFF_MAX)
		return false;
	*packed |= flag | (u64)(place->off & (-2 * min - 1)) << shift;
	return true;
}

/*
 * Pack @rule, or return 0 for one that cannot be.  Where a signal handler may
 * return to, a rule is only the second thing to look for.
 */
static u64 sframe_pack(const struct sframe_rule *rule)
{
	u64 packed = SFRAME_PACKED;

	if (rule->signal || rule->at_end)
		return 0;
	if (rule->outermost)
		return packed | SFRAME_PACKED_OUTERMOST;
	if (rule->cfa.kind != SFRAME_REG_VALUE)
		return 0;
	if (rule->cfa.reg == SFRAME_REG_FP)
		packed |= SFRAME_PACKED_CFA_FP;
	else if (rule->cfa.reg != SFRAME_REG_SP)
		return 0;
	packed |= (u64)(u32)rule->cfa.off << SFRAME_PACKED_CFA_OFF;
	if (!sframe_pack_place(&rule->ra, SFRAME_PACKED_RA, SFRAME_RA_OFF_MIN,
			       SFRAME_PACKED_RA_OFF, &packed) ||
	    !sframe_pack_place(&rule->fp, SFRAME_PACKED_FP, SFRAME_FP_OFF_MIN,
			       SFRAME_PACKED_FP_OFF, &packed))
		return 0;
	return packed;
}

static struct sframe_place sframe_unpack_place(bool saved, s32 off)
{
	return (struct sframe_place) {
		.kind	= saved ? SFRAME_CFA_MEMORY : SFRAME_UNCHANGED,
		.off	= saved ? off : 0,
	};
}

/**
 * sframe_recall - look up a rule that is remembered
 * @ip:		the address, of the current process
 * @rule:	where to store the rule; its @at_start is not known
 *
 * Return: whether there is one.
 */
bool sframe_recall(unsigned long ip, struct sframe_rule *rule)
{
	u64 packed = sframe_recall_packed(ip, SFRAME_PACKED);

	if (!packed)
		return false;
	*rule = (struct sframe_rule) {
		.cfa = {
			.kind	= SFRAME_REG_VALUE,
			.reg	= packed & SFRAME_PACKED_CFA_FP ?
				  SFRAME_REG_FP : SFRAME_REG_SP,
			.off	= sframe_packed_cfa_off(packed),
		},
		.ra = sframe_unpack_place(packed & SFRAME_PACKED_RA,
					  sframe_packed_ra_off(packed)),
		.fp = sframe_unpack_place(packed & SFRAME_PACKED_FP,
					  sframe_packed_fp_off(packed)),
		.outermost = packed & SFRAME_PACKED_OUTERMOST,
	};
	return true;
}

/**
 * sframe_is_known - whether an address is one with a remembered rule
 * @ip:		the address, of the current process
 *
 * Return: whether it is, and so in a text range that is registered.
 */
bool sframe_is_known(unsigned long ip)
{
	return sframe_recall_packed(ip, SFRAME_PACKED);
}

/* Fill @slot, which is free, and nobody else claims. */
static bool sframe_fill(struct sframe_slot *slot, unsigned long ip, u64 packed)
{
	if (READ_ONCE(slot->rule) || cmpxchg(&slot->rule, 0, SFRAME_CLAIMED))
		return false;
	WRITE_ONCE(slot->ip, ip);
	/* Pairs with the acquire load in sframe_find_packed(). */
	smp_store_release(&slot->rule, packed);
	return true;
}

/*
 * Put the rule @packed of @ip into @cache, if it is of @generation.  Return
 * whether there is no need for another cache.
 */
static bool sframe_keep(struct sframe_cache *cache, u64 generation,
			unsigned long ip, u64 packed)
{
	struct sframe_slot *slot;

	if (!cache || cache->generation != generation)
		return false;
	slot = &cache->slots[sframe_slot_index(cache, ip)];
	/* Another thread may have been faster. */
	for (int i = 0; i < SFRAME_CACHE_WAYS; i++, slot++)
		if (sframe_fill(slot, ip, packed) || READ_ONCE(slot->ip) == ip)
			return true;
	/* One line may be full by chance. */
	return atomic_inc_return_relaxed(&cache->refused) <= cache->lines / 4;
}

/* Make a cache of @size bytes; the task at its memory limit goes without. */
static struct sframe_cache *sframe_new_cache(struct mm_struct *owner,
					     u64 generation, size_t size)
{
	struct sframe_cache *cache;

	cache = kvzalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NORETRY |
			       __GFP_NOWARN);
	if (!cache)
		return NULL;
	cache->owner = owner;
	cache->generation = generation;
	cache->size = size;
	cache->lines = (size - sizeof(*cache)) /
		       (SFRAME_CACHE_WAYS * sizeof(cache->slots[0]));
	return cache;
}

/* Take @cache out of the list; the lock is held. */
static void sframe_unlist(struct sframe_cache *cache)
{
	lockdep_assert_held(&sframe_caches_lock);
	rcu_assign_pointer(cache->owner->sframe_cache, NULL);
	list_del(&cache->list);
	WRITE_ONCE(sframe_cache_pages,
		   sframe_cache_pages - (cache->size >> PAGE_SHIFT));
}

/*
 * Replace cache @old of an mm, which may be NULL, by @cache, unless somebody
 * is about it.
 */
static bool sframe_replace(struct sframe_cache *old, struct sframe_cache *cache)
{
	struct mm_struct *mm = cache->owner;
	bool done = false;

	if (!spin_trylock(&sframe_caches_lock))
		return false;
	if (rcu_access_pointer(mm->sframe_cache) == old) {
		if (old)
			sframe_unlist(old);
		rcu_assign_pointer(mm->sframe_cache, cache);
		list_add_tail(&cache->list, &sframe_caches);
		WRITE_ONCE(sframe_cache_pages,
			   sframe_cache_pages + (cache->size >> PAGE_SHIFT));
		done = true;
	}
	spin_unlock(&sframe_caches_lock);
	return done;
}

/* Whether @rule of @ip is remembered, or must not be; else how much it takes. */
static size_t sframe_try_keep(const struct mm_struct *mm, u64 generation,
			      unsigned long ip, u64 packed,
			      struct sframe_cache **old)
{
	struct sframe_cache *cache;

	guard(rcu)();
	cache = rcu_dereference(mm->sframe_cache);
	*old = cache;
	if (generation != sframe_generation(mm) ||
	    sframe_keep(cache, generation, ip, packed))
		return 0;
	if (!cache || cache->generation != generation)
		return SFRAME_CACHE_MIN;
	return min_t(size_t, 4 * cache->size, SFRAME_CACHE_MAX);
}

/**
 * sframe_remember - remember a rule that was read from a table
 * @view:	the table, as found before it was read
 * @ip:		the address, of the current process
 * @rule:	the rule
 *
 * What cannot be remembered now is read again.  The caller can sleep.  If it
 * has page faults disabled, as it cannot be killed, nothing is allocated.
 */
void sframe_remember(const struct sframe_view *view, unsigned long ip,
		     const struct sframe_rule *rule)
{
	struct mm_struct *mm = current->mm;
	struct sframe_cache *old, *cache;
	u64 packed = sframe_pack(rule);
	size_t size;

	if (!view->generation || !packed)
		return;
	size = sframe_try_keep(mm, view->generation, ip, packed, &old);
	if (!size || pagefault_disabled())
		return;
	cache = sframe_new_cache(mm, view->generation, size);
	if (!cache)
		return;
	sframe_keep(cache, view->generation, ip, packed);
	if (!sframe_replace(old, cache))
		kvfree(cache);
	else if (old)
		kvfree_rcu(old, rcu);
}

/**
 * sframe_free_cache - free the remembered rules of an mm
 * @mm:		has no users any more
 */
void sframe_free_cache(struct mm_struct *mm)
{
	struct sframe_cache *cache;

	/* Where there is none, nobody makes one. */
	if (!rcu_access_pointer(mm->sframe_cache))
		return;
	spin_lock(&sframe_caches_lock);
	cache = rcu_dereference_protected(mm->sframe_cache, true);
	if (cache)
		sframe_unlist(cache);
	spin_unlock(&sframe_caches_lock);
	kvfree(cache);
}

static unsigned long sframe_count_pages(struct shrinker *shrinker,
					struct shrink_control *control)
{
	return READ_ONCE(sframe_cache_pages) ?: SHRINK_EMPTY;
}

/* Give back the oldest caches.  Rules that are wanted are read again. */
static unsigned long sframe_give_back(struct shrinker *shrinker,
				      struct shrink_control *control)
{
	struct sframe_cache *cache, *next;
	unsigned long pages = 0;
	LIST_HEAD(unused);

	if (!spin_trylock(&sframe_caches_lock))
		return SHRINK_STOP;
	list_for_each_entry_safe(cache, next, &sframe_caches, list) {
		if (pages >= control->nr_to_scan)
			break;
		pages += cache->size >> PAGE_SHIFT;
		sframe_unlist(cache);
		list_add(&cache->list, &unused);
	}
	spin_unlock(&sframe_caches_lock);
	list_for_each_entry_safe(cache, next, &unused, list)
		kvfree_rcu(cache, rcu);
	return pages;
}

static int __init sframe_init_shrinker(void)
{
	struct shrinker *shrinker = shrinker_alloc(0, "sframe");

	if (!shrinker)
		return -ENOMEM;
	shrinker->count_objects = sframe_count_pages;
	shrinker->scan_objects = sframe_give_back;
	shrinker_register(shrinker);
	return 0;
}
subsys_initcall(sframe_init_shrinker);

/*
 * A walk by remembered rules: the frame, its rule, and the user memory that is
 * open to be read.  Nothing is called while it is.
 */
struct sframe_walk {
	const struct sframe_cache	*cache;
	u64				rule;
	unsigned long			ip;
	unsigned long			sp;
	unsigned long			fp;
	unsigned long			open;
	unsigned long			size;
};

/*
 * Step to the calling frame, if that has a rule to go on by.  It is read again
 * otherwise, with all that there is to find out then.  Its IP is that of
 * code, as it is in a registered text.  SP rises and is aligned; that keeps
 * what is read below the end of user space, too, and by speculation.
 */
static __always_inline bool sframe_walk_on(struct sframe_walk *walk)
{
	u64 rule = walk->rule, next;
	unsigned long sp, at, ra, fp = walk->fp;

	sp = (rule & SFRAME_PACKED_CFA_FP ? fp : walk->sp) +
	     sframe_packed_cfa_off(rule) - SFRAME_CFA_ABOVE_SP;
	at = sp - walk->open;
	if (sp <= walk->sp || at >= walk->size || sp & (sizeof(long) - 1))
		return false;
	at = walk->open + array_index_nospec(at, walk->size) +
	     SFRAME_CFA_ABOVE_SP;
	unsafe_get_user(ra, (unsigned long __user *)
			(at + sframe_packed_ra_off(rule)), fault);
	if (rule & SFRAME_PACKED_FP)
		unsafe_get_user(fp, (unsigned long __user *)
				(at + sframe_packed_fp_off(rule)), fault);
	next = sframe_find_packed(walk->cache, ra - 1, SFRAME_PACKED_RA);
	if (!next || ra & (SFRAME_INSN_ALIGN - 1))
		return false;
	walk->rule = next;
	walk->ip = ra;
	walk->sp = sp;
	walk->fp = fp;
	return true;
fault:
	return false;
}

/*
 * Open user memory from the lowest address that a rule may have read in this
 * frame or any that calls it.  The CFA itself must not be behind the end.
 */
static bool sframe_open_stack(struct sframe_walk *walk)
{
	walk->open = walk->sp + SFRAME_FP_OFF_MIN;
	if (walk->sp < -2 * SFRAME_FP_OFF_MIN ||
	    walk->sp >= TASK_SIZE - SFRAME_CFA_ABOVE_SP)
		return false;
	walk->size = TASK_SIZE - walk->open;
	if (!user_read_access_begin((void __user *)walk->open, walk->size))
		return false;
	walk->size -= SFRAME_CFA_ABOVE_SP;
	return true;
}

/* Walk on from @walk, whose rule is known, and return how many frames. */
static noinline unsigned int sframe_walk_stack(struct sframe_walk *walk,
					       unsigned long *entries,
					       unsigned int max)
{
	unsigned int nr = 0;

	if (!sframe_open_stack(walk))
		return 0;
	for (; nr < max && sframe_walk_on(walk); nr++)
		entries[nr] = walk->ip;
	user_read_access_end();
	return nr;
}

/* Whether @state is a frame that a call has left, and nothing is known else. */
static bool sframe_is_plain(const struct unwind_user_state *state)
{
	return !state->topmost && !state->interrupted && !state->fp_lost &&
	       state->ws == sizeof(long) && !unwind_uprobe_used() &&
	       !(state->ip & (SFRAME_INSN_ALIGN - 1));
}

/**
 * __sframe_unwind_known - step as far as rules are remembered
 * @state:	the last frame in @trace; on return, the one that is then
 * @trace:	where frames are added
 * @max:	how many it may have
 *
 * Each step is one that sframe_unwind_next() would take.  Page faults are
 * disabled: whatever is not there is left to it.
 */
void __sframe_unwind_known(struct unwind_user_state *state,
			   struct unwind_stacktrace *trace, unsigned int max)
{
	struct sframe_walk walk = {
		.ip = state->ip, .sp = state->sp, .fp = state->fp,
	};
	unsigned int nr;

	if (!sframe_is_plain(state))
		return;
	guard(rcu)();
	walk.cache = sframe_valid_cache(current->mm);
	if (!walk.cache)
		return;
	walk.rule = sframe_find_packed(walk.cache, walk.ip - 1,
				       SFRAME_PACKED_RA);
	if (!walk.rule)
		return;
	pagefault_disable();
	nr = sframe_walk_stack(&walk, trace->entries + trace->nr,
			       max - trace->nr);
	pagefault_enable();
	trace->nr += nr;
	state->ip = walk.ip;
	state->sp = walk.sp;
	state->fp = walk.fp;
	state->ucontext = nr ? 0 : state->ucontext;
}
