// SPDX-License-Identifier: GPL-2.0-only
/*
 * A cache of SFrame rules: a frame with a cached rule needs two loads from the
 * user's stack.
 *
 * An mm has one cache, which its first trace allocates. A cached rule is that
 * of one address, read from a registered table and checked like any other; what
 * depends on the stack is checked again in each step. A process that changes a
 * registered table may get traces of its own stack by the old rules, and
 * nothing worse.
 *
 * A slot is written once, by the thread that has claimed it, and is constant
 * afterwards, so a reader never sees half a rule. A cache that is too small, or
 * too full, is replaced as a whole and freed after a grace period. A cache is
 * valid only for the generation it was made for: dropping a text range begins a
 * new one. Readers take no lock, and writers only try to.
 *
 * Caches that wait for a grace period are still charged, so their number is
 * limited: while its predecessor waits, a cache is replaced only by a larger
 * one.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/list_lru.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sframe.h>
#include <linux/shrinker.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/swap.h>
#include <linux/uaccess.h>
#include <linux/unwind_uprobe.h>
#include <linux/unwind_user.h>

#include <asm/unwind_user_sframe.h>

#include "sframe.h"
#include "sframe_cache.h"

/*
 * Size of the first and the largest cache. Each is four times the one before.
 */
#define SFRAME_CACHE_MIN	SZ_4K
#define SFRAME_CACHE_MAX	SZ_256K

/* Slots that may hold the rule of an address; they share a cache line. */
#define SFRAME_CACHE_WAYS	4

/*
 * A packed rule. The offset of the CFA is from SP or FP, those of RA and FP are
 * from the CFA, in bytes. A slot whose rule is 0 is free; one whose rule lacks
 * SFRAME_PACKED is being written.
 */
#define SFRAME_PACKED		BIT_ULL(0)
#define SFRAME_PACKED_OUTERMOST	BIT_ULL(1)
#define SFRAME_PACKED_CFA_FP	BIT_ULL(2)
#define SFRAME_PACKED_RA	BIT_ULL(3)
#define SFRAME_PACKED_FP	BIT_ULL(4)
#define SFRAME_PACKED_RA_SHIFT	5	/* 11 bits */
#define SFRAME_PACKED_FP_SHIFT	16	/* 16 bits */
#define SFRAME_PACKED_CFA_SHIFT	32
#define SFRAME_CLAIMED		BIT_ULL(63)

/* Limits of the offsets of RA and FP, which are saved below the CFA. */
#define SFRAME_RA_OFF_MIN	(-1024)
#define SFRAME_FP_OFF_MIN	(-32768)
#define SFRAME_OFF_MAX		(-(int)sizeof(long))

/**
 * struct sframe_slot - a cached rule
 * @rule:	the packed rule; written after @ip
 * @ip:		the address
 */
struct sframe_slot {
	u64		rule;
	unsigned long	ip;
};

/**
 * struct sframe_cache - the cached rules of an mm
 * @rcu:	to free it after it was replaced
 * @list:	node in sframe_caches
 * @owner:	the mm, while in the list
 * @generation:	sframe_generation() of the owner when the rules were read
 * @grace:	the grace period that the replaced cache waits for
 * @lines:	number of lines of SFRAME_CACHE_WAYS slots
 * @refused:	number of rules that found their line full; see sframe_store()
 * @slots:	the lines
 */
struct sframe_cache {
	struct rcu_head		rcu;
	struct list_head	list;
	struct mm_struct	*owner;
	u64			generation;
	unsigned long		grace;
	unsigned int		lines;
	atomic_t		refused;
	struct sframe_slot	slots[];
};

/* So that each line of slots is one cache line of the processor. */
static_assert(sizeof(struct sframe_cache) == 64);

static size_t sframe_cache_size(const struct sframe_cache *cache)
{
	return struct_size(cache, slots,
			   (size_t)cache->lines * SFRAME_CACHE_WAYS);
}

/*
 * The caches in use, by the memory cgroups that they are charged to, for the
 * shrinker. The lock protects mm->sframe_cache of all mms against writers, and
 * is taken before that of the list; see sframe_isolate() for the reverse.
 */
static struct list_lru sframe_caches;
static DEFINE_SPINLOCK(sframe_caches_lock);

/* No cache is allocated that could not be reclaimed. */
static bool sframe_have_shrinker __ro_after_init;

/* The first page of @cache. */
static struct page *sframe_page(const struct sframe_cache *cache)
{
	return is_vmalloc_addr(cache) ? vmalloc_to_page(cache) :
					virt_to_page(cache);
}

/*
 * The memory cgroup that @cache is charged to, or NULL. The caller is in an RCU
 * section.
 */
static struct mem_cgroup *sframe_memcg(struct sframe_cache *cache)
{
	return is_vmalloc_addr(cache) ? page_memcg_check(sframe_page(cache)) :
					mem_cgroup_from_virt(cache);
}

/* The first slot that may have the rule of @ip. */
static __always_inline unsigned int
sframe_slot_index(const struct sframe_cache *cache, unsigned long ip)
{
	return reciprocal_scale(hash_64(ip, 32), cache->lines) *
	       SFRAME_CACHE_WAYS;
}

/*
 * The rule of @ip if it has one of @flags, otherwise 0. The caller is in an RCU
 * section, which keeps @cache.
 */
static __always_inline u64 sframe_find_packed(const struct sframe_cache *cache,
					      unsigned long ip, u64 flags)
{
	const struct sframe_slot *slot =
		&cache->slots[sframe_slot_index(cache, ip)];

	for (int i = 0; i < SFRAME_CACHE_WAYS; i++, slot++) {
		/* Pairs with the release in sframe_fill(): orders @ip after. */
		u64 rule = smp_load_acquire(&slot->rule);

		if (READ_ONCE(slot->ip) == ip && (rule & flags))
			return rule;
	}
	return 0;
}

/* The cache of @mm if it has one of the current generation, otherwise NULL. */
static const struct sframe_cache *
sframe_valid_cache(const struct mm_struct *mm)
{
	const struct sframe_cache *cache = rcu_dereference(mm->sframe_cache);

	return cache && cache->generation == sframe_generation(mm) ? cache :
								     NULL;
}

/* The rule of @ip in the current process if it has one of @flags, or 0. */
static u64 sframe_cached_rule(unsigned long ip, u64 flags)
{
	const struct mm_struct *mm = current->mm;
	const struct sframe_cache *cache;

	/*
	 * Fast path: most frames without a table are in processes without one.
	 */
	if (!rcu_access_pointer(mm->sframe_cache))
		return 0;
	guard(rcu)();
	cache = sframe_valid_cache(mm);
	return cache ? sframe_find_packed(cache, ip, flags) : 0;
}

static __always_inline s32 sframe_packed_ra_off(u64 rule)
{
	return (s16)rule >> SFRAME_PACKED_RA_SHIFT;
}

static __always_inline s32 sframe_packed_fp_off(u64 rule)
{
	return (s16)(rule >> SFRAME_PACKED_FP_SHIFT);
}

static __always_inline s32 sframe_packed_cfa_off(u64 rule)
{
	return (s64)rule >> SFRAME_PACKED_CFA_SHIFT;
}

/* Pack @place, of RA or FP, as @flag and its offset at bit @shift. */
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
 * Pack @rule, or return 0 if it cannot be packed. The rules of signal restorers
 * and of the last byte of a function are not cached: for these,
 * sframe_unwind_next() first looks whether a restorer is at @ip, and a step by
 * a cached rule would not.
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
	packed |= (u64)(u32)rule->cfa.off << SFRAME_PACKED_CFA_SHIFT;
	if (!sframe_pack_place(&rule->ra, SFRAME_PACKED_RA, SFRAME_RA_OFF_MIN,
			       SFRAME_PACKED_RA_SHIFT, &packed) ||
	    !sframe_pack_place(&rule->fp, SFRAME_PACKED_FP, SFRAME_FP_OFF_MIN,
			       SFRAME_PACKED_FP_SHIFT, &packed))
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
 * sframe_cache_find - look up a cached rule
 * @ip:		an address of the current process
 * @rule:	where to store the rule; its @from_start is not known
 *
 * Return: whether there is one.
 */
bool sframe_cache_find(unsigned long ip, struct sframe_rule *rule)
{
	u64 packed = sframe_cached_rule(ip, SFRAME_PACKED);

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
 * sframe_is_cached - whether an address has a cached rule
 * @ip:		an address of the current process
 *
 * Return: whether it has, and therefore is in a registered text range.
 */
bool sframe_is_cached(unsigned long ip)
{
	return sframe_cached_rule(ip, SFRAME_PACKED);
}

/* Store the rule in @slot, if that is free and no other thread claims it. */
static void sframe_fill(struct sframe_slot *slot, unsigned long ip, u64 packed)
{
	if (READ_ONCE(slot->rule) || cmpxchg(&slot->rule, 0, SFRAME_CLAIMED))
		return;
	WRITE_ONCE(slot->ip, ip);
	/* Pairs with the acquire load in sframe_find_packed(). */
	smp_store_release(&slot->rule, packed);
}

/*
 * Store the rule @packed of @ip in @cache. Return false if another cache is
 * needed: if @cache is not of @generation, or if its full lines have refused
 * too many rules. In the latter case counting begins anew, so that the caller
 * does not ask for memory at each rule.
 */
static bool sframe_store(struct sframe_cache *cache, u64 generation,
			 unsigned long ip, u64 packed)
{
	struct sframe_slot *slot;

	if (!cache || cache->generation != generation)
		return false;
	slot = &cache->slots[sframe_slot_index(cache, ip)];
	for (int i = 0; i < SFRAME_CACHE_WAYS; i++, slot++) {
		sframe_fill(slot, ip, packed);
		/* Or another thread has stored the rule. */
		if (READ_ONCE(slot->ip) == ip)
			return true;
	}
	/* A few full lines do not make a cache too small. */
	if (atomic_inc_return_relaxed(&cache->refused) <= cache->lines / 4)
		return true;
	atomic_set(&cache->refused, 0);
	return false;
}

/* Make the list of the memory cgroup of @cache, if there is none yet. */
static int sframe_prepare_list(struct sframe_cache *cache)
{
	struct mem_cgroup *memcg;

	guard(rcu)();
	memcg = sframe_memcg(cache);
	if (!IS_ENABLED(CONFIG_MEMCG) || !memcg)
		return 0;
	return memcg_list_lru_alloc(memcg, &sframe_caches, GFP_NOWAIT);
}

/*
 * Allocate a cache of @size bytes. Reclaims nothing: near a memory limit, that
 * would take longer than to read all rules of a stack from their tables.
 */
static struct sframe_cache *sframe_new_cache(struct mm_struct *owner,
					     u64 generation, size_t size)
{
	struct sframe_cache *cache = NULL;

	if (sframe_have_shrinker)
		cache = kvzalloc(size, GFP_NOWAIT | __GFP_ACCOUNT);
	if (!cache)
		return NULL;
	cache->owner = owner;
	cache->generation = generation;
	cache->lines = (size - sizeof(*cache)) /
		       (SFRAME_CACHE_WAYS * sizeof(cache->slots[0]));
	INIT_LIST_HEAD(&cache->list);
	if (sframe_prepare_list(cache)) {
		kvfree(cache);
		return NULL;
	}
	return cache;
}

/* Put @cache into the list and its mm. The caller holds the lock. */
static void sframe_list(struct sframe_cache *cache)
{
	lockdep_assert_held(&sframe_caches_lock);
	/*
	 * Pairs with the dependent reads in sframe_valid_cache() and
	 * sframe_try_store(): the head is initialized, and all slots are zero.
	 */
	rcu_assign_pointer(cache->owner->sframe_cache, cache);
	guard(rcu)();
	list_lru_add(&sframe_caches, &cache->list,
		     page_to_nid(sframe_page(cache)), sframe_memcg(cache));
}

/* Remove @cache from the list and from its mm. The caller holds the lock. */
static void sframe_unlist(struct sframe_cache *cache)
{
	lockdep_assert_held(&sframe_caches_lock);
	RCU_INIT_POINTER(cache->owner->sframe_cache, NULL);
	guard(rcu)();
	list_lru_del(&sframe_caches, &cache->list,
		     page_to_nid(sframe_page(cache)), sframe_memcg(cache));
}

static void sframe_free_rcu(struct rcu_head *rcu)
{
	kvfree(container_of(rcu, struct sframe_cache, rcu));
}

/*
 * Free @cache, which is in no list, after a grace period. That of kvfree_rcu()
 * may begin seconds later.
 */
static void sframe_free_later(struct sframe_cache *cache)
{
	call_rcu_hurry(&cache->rcu, sframe_free_rcu);
}

/*
 * Replace cache @old of an mm, which may be NULL, by @cache. Return false if
 * the lock is taken or the mm has another cache by now.
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
		cache->grace = old ? get_state_synchronize_rcu() :
				     get_completed_synchronize_rcu();
		sframe_list(cache);
		done = true;
	}
	spin_unlock(&sframe_caches_lock);
	return done;
}

/*
 * The size of the cache that replaces @cache, which is too full or is not of
 * @generation; 0 if it must not be replaced yet.
 */
static size_t sframe_next_size(const struct sframe_cache *cache, u64 generation)
{
	bool valid = cache->generation == generation;

	if (valid && sframe_cache_size(cache) < SFRAME_CACHE_MAX)
		return 4 * sframe_cache_size(cache);
	if (!poll_state_synchronize_rcu(cache->grace))
		return 0;
	return valid ? SFRAME_CACHE_MAX : SFRAME_CACHE_MIN;
}

/*
 * Store the rule @packed of @ip in the cache of @mm. Return 0 if it was stored
 * or must not be, otherwise the size of the cache that is needed in place of
 * @old.
 */
static size_t sframe_try_store(const struct mm_struct *mm, u64 generation,
			       unsigned long ip, u64 packed,
			       struct sframe_cache **old)
{
	struct sframe_cache *cache;

	guard(rcu)();
	cache = rcu_dereference(mm->sframe_cache);
	*old = cache;
	if (generation != sframe_generation(mm) ||
	    sframe_store(cache, generation, ip, packed))
		return 0;
	return cache ? sframe_next_size(cache, generation) : SFRAME_CACHE_MIN;
}

/**
 * sframe_cache_add - cache a rule that was read from a table
 * @view:	the table, as found before the rule was read
 * @ip:		an address of the current process
 * @rule:	its rule
 *
 * A rule that cannot be cached now is read from the table again. The caller can
 * sleep. If it has page faults disabled (the task is exiting), nothing is
 * allocated.
 *
 * Return: false if there is no memory: then the caller adds no more rules of
 * this stack.
 */
bool sframe_cache_add(const struct sframe_view *view, unsigned long ip,
		      const struct sframe_rule *rule)
{
	struct mm_struct *mm = current->mm;
	struct sframe_cache *old, *cache;
	u64 packed = sframe_pack(rule);
	size_t size;

	if (!view->generation || !packed)
		return true;
	size = sframe_try_store(mm, view->generation, ip, packed, &old);
	if (!size || pagefault_disabled())
		return true;
	cache = sframe_new_cache(mm, view->generation, size);
	if (!cache)
		return false;
	sframe_store(cache, view->generation, ip, packed);
	if (!sframe_replace(old, cache))
		kvfree(cache);
	else if (old)
		sframe_free_later(old);
	return true;
}

/**
 * sframe_free_cache - free the cache of an mm
 * @mm:		an mm without users
 */
void sframe_free_cache(struct mm_struct *mm)
{
	struct sframe_cache *cache;

	/* No task is left to allocate one. */
	if (!rcu_access_pointer(mm->sframe_cache))
		return;
	spin_lock(&sframe_caches_lock);
	cache = rcu_dereference_protected(mm->sframe_cache, true);
	if (cache)
		sframe_unlist(cache);
	spin_unlock(&sframe_caches_lock);
	kvfree(cache);
}

static unsigned long sframe_count(struct shrinker *shrinker,
				  struct shrink_control *control)
{
	return list_lru_shrink_count(&sframe_caches, control) ?: SHRINK_EMPTY;
}

/*
 * Move the cache at @item of @list, which is locked, to the list @unused. It is
 * still that of its owner, which cannot free it meanwhile.
 */
static enum lru_status sframe_isolate(struct list_head *item,
				      struct list_lru_one *list, void *unused)
{
	struct sframe_cache *cache =
		container_of(item, struct sframe_cache, list);

	/* Others take this lock first. */
	if (!spin_trylock(&sframe_caches_lock))
		return LRU_SKIP;
	RCU_INIT_POINTER(cache->owner->sframe_cache, NULL);
	list_lru_isolate_move(list, item, unused);
	spin_unlock(&sframe_caches_lock);
	return LRU_REMOVED;
}

/*
 * Free the oldest caches. Their rules are read again when they are needed. Wait
 * until they are free: otherwise the OOM killer would come first.
 */
static unsigned long sframe_shrink(struct shrinker *shrinker,
				   struct shrink_control *control)
{
	struct sframe_cache *cache, *next;
	unsigned long nr;
	LIST_HEAD(unused);

	nr = list_lru_shrink_walk(&sframe_caches, control, sframe_isolate,
				  &unused);
	if (nr && !current_is_kswapd())
		synchronize_rcu();
	list_for_each_entry_safe(cache, next, &unused, list) {
		if (current_is_kswapd())
			sframe_free_later(cache);
		else
			kvfree(cache);
	}
	return nr;
}

static int __init sframe_init_shrinker(void)
{
	struct shrinker *shrinker;

	shrinker = shrinker_alloc(SHRINKER_MEMCG_AWARE | SHRINKER_NUMA_AWARE,
				  "sframe");
	if (!shrinker)
		return -ENOMEM;
	if (list_lru_init_memcg(&sframe_caches, shrinker)) {
		shrinker_free(shrinker);
		return -ENOMEM;
	}
	shrinker->count_objects = sframe_count;
	shrinker->scan_objects = sframe_shrink;
	shrinker_register(shrinker);
	sframe_have_shrinker = true;
	return 0;
}
subsys_initcall(sframe_init_shrinker);

/*
 * A walk by cached rules: the cache, the frame and its rule, and the range of
 * user memory to which access is open. While it is open, no function may be
 * called.
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
 * Step to the calling frame if that has a cached rule. Otherwise leave *@walk
 * alone: sframe_unwind_next() takes the step with all its checks.
 *
 * An IP with a cached rule is in a registered text, hence in code. SP rises and
 * is aligned. The check of @at keeps the loads inside the open range, also
 * under speculation.
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
	ra = unwind_user_strip_ra(ra);
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
 * Open user memory from the lowest address that a cached rule may read for this
 * frame or any of its callers. The CFA itself must not be after the end.
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

/* Step from @walk, whose rule is set. Return the number of frames stored. */
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

/*
 * Whether @state is a frame that has made a call and needs no special checks.
 */
static bool sframe_is_plain(const struct unwind_user_state *state)
{
	return !state->topmost && !state->interrupted && !state->fp_lost &&
	       !state->sp_lost && !state->sp_kept &&
	       state->ws == sizeof(long) && !unwind_uprobe_used() &&
	       !(state->ip & (SFRAME_INSN_ALIGN - 1));
}

/**
 * __sframe_unwind_cached - step as long as rules are cached
 * @state:	the last frame in @trace; on return, the new last frame
 * @trace:	where to add frames
 * @max:	size of @trace
 *
 * Takes the same steps as sframe_unwind_next() would. Page faults are disabled:
 * a frame on a missing page is left to sframe_unwind_next().
 */
void __sframe_unwind_cached(struct unwind_user_state *state,
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
	state->fp = unwind_user_untag(walk.fp);
	state->ucontext = nr ? 0 : state->ucontext;
}
