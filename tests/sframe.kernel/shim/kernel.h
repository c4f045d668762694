/* The parts of the kernel that its SFrame sources need, in user space.
   SPDX-License-Identifier: GPL-2.0-only

   Included by -include before each source.  Most comes from the kernel's own
   headers for user space, in its tools/.  If these lack a header, or have it
   without what is needed, kernel-shim.exp makes an empty file of that name,
   and the contents are here, or in the file of the machine.  Anything that the
   kernel forbids, such as a page fault with a lock held, ends the program.  */

#ifndef SHIM_KERNEL_H
#define SHIM_KERNEL_H

#define CONFIG_64BIT 1
#define CONFIG_UPROBES 1
#ifndef SHIM_WITHOUT_SFRAME
#define CONFIG_HAVE_UNWIND_USER_SFRAME 1
#endif

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "machine.h"

#include <linux/types.h>
#include <linux/align.h>
#include <linux/args.h>
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
/* Neither needs an RCU section.  */
#undef rcu_dereference_protected
#define rcu_dereference_protected(p, condition) (p)
#undef rcu_dereference_raw
#define rcu_dereference_raw(p) (rcu_event (), (p))
#include <linux/slab.h>
#include <asm/barrier.h>
#include <asm/bug.h>

/* Annotations, linux/cleanup.h.  */

#define __user
#define __cleanup(function) __attribute__ ((__cleanup__ (function)))
/* For the guards of linux/cleanup.h.  */
#define __UNIQUE_ID(name) CONCATENATE (name##_, __COUNTER__)
#define untagged_addr(address) (address)
#define __uninitialized

/* linux/limits.h, linux/bitops.h  */

#define S64_MIN INT64_MIN
#define U64_MAX UINT64_MAX

static inline s32
sign_extend32 (u32 value, int bit)
{
  int unused = 31 - bit;
  return (s32) (value << unused) >> unused;
}

/* linux/slab.h  */

#define kmalloc_obj(object, ...) \
  __alloc_objs (kmalloc, default_gfp (__VA_ARGS__), typeof (object), 1)
/* Used only for memory that is not necessary: the cache.  */
extern void *kvzalloc (size_t size, gfp_t gfp);
extern void kvfree (const void *object);

/* linux/shrinker.h, of which there is one  */

#define SHRINK_EMPTY (~0UL - 1)

struct shrink_control
{
  unsigned long nr_to_scan;
};

struct shrinker
{
  unsigned long (*count_objects) (struct shrinker *, struct shrink_control *);
  unsigned long (*scan_objects) (struct shrinker *, struct shrink_control *);
};

extern struct shrinker machine_shrinker;
#define shrinker_alloc(flags, name) (&machine_shrinker)
#define shrinker_register(shrinker) ((void) (shrinker))
#define shrinker_free(shrinker) ((void) (shrinker))

/* linux/list_lru.h, linux/memcontrol.h: one memory cgroup, one node; the lock
   of a list is always free.  */

struct mem_cgroup;
struct page;
#define is_vmalloc_addr(address) false
#define vmalloc_to_page(address) ((struct page *) NULL)
#define virt_to_page(address) ((struct page *) NULL)
#define page_to_nid(page) ((void) (page), 0)
#define page_memcg_check(page) ((void) (page), (struct mem_cgroup *) NULL)
#define mem_cgroup_from_virt(p) ((void) (p), (struct mem_cgroup *) NULL)
#define memcg_list_lru_alloc(memcg, lru, gfp) (0)

struct list_lru_one
{
  struct list_head list;
  unsigned long count;
};

struct list_lru
{
  struct list_lru_one one;
};

enum lru_status { LRU_REMOVED, LRU_SKIP };
typedef enum lru_status (*list_lru_walk_cb) (struct list_head *,
					     struct list_lru_one *, void *);
#define list_lru_init_memcg(lru, shrinker) \
  (INIT_LIST_HEAD (&(lru)->one.list), (void) (shrinker), 0)
extern void list_lru_add (struct list_lru *lru, struct list_head *item,
			  int nid, struct mem_cgroup *memcg);
extern void list_lru_del (struct list_lru *lru, struct list_head *item,
			  int nid, struct mem_cgroup *memcg);
extern void list_lru_isolate_move (struct list_lru_one *one,
				   struct list_head *item,
				   struct list_head *to);
#define current_is_kswapd() (machine.kswapd)
#undef synchronize_rcu
#define synchronize_rcu() machine_synchronize_rcu ()
extern void machine_synchronize_rcu (void);
#define list_lru_shrink_count(lru, control) ((lru)->one.count)
extern unsigned long list_lru_shrink_walk (struct list_lru *lru,
					   struct shrink_control *control,
					   list_lru_walk_cb isolate, void *arg);
#undef __init
#define __init
#define __ro_after_init
#define subsys_initcall(function)					\
  static void __attribute__ ((constructor))				\
  call_##function (void)						\
  {									\
    function ();							\
  }

/* linux/spinlock.h, linux/lockdep.h.  A lock that is taken while it is held
   would be waited for for ever.  */

typedef struct
{
  bool held;
} spinlock_t;

#define DEFINE_SPINLOCK(lock) spinlock_t lock
extern bool spin_trylock (spinlock_t *lock);
extern void spin_lock (spinlock_t *lock);
extern void spin_unlock (spinlock_t *lock);
#undef lockdep_assert_held
#define lockdep_assert_held(lock) ((void) (lock))

/* linux/atomic.h, linux/math.h: one thread.  */

#ifndef atomic_inc_return_relaxed
typedef struct
{
  int counter;
} shim_atomic_t;
# define atomic_t shim_atomic_t
# define atomic_inc_return_relaxed(atomic) (++(atomic)->counter)
# define atomic_set(atomic, value) ((void) ((atomic)->counter = (value)))
#endif
typedef struct
{
  s64 counter;
} shim_atomic64_t;
#define atomic64_t shim_atomic64_t
#undef ATOMIC64_INIT
#define ATOMIC64_INIT(value) { value }
#define atomic64_inc_return(atomic) (++(atomic)->counter)
static inline void
shim_once (void (**event) (void))
{
  void (*run) (void) = *event;
  *event = NULL;
  if (run != NULL)
    run ();
}
#undef cmpxchg
#define cmpxchg(p, old, new)						\
  ({									\
    shim_once (&machine.before_exchange);				\
    __typeof__ (*(p)) was = __sync_val_compare_and_swap (p, old, new);	\
    shim_once (&machine.after_exchange);				\
    was;								\
  })
#define reciprocal_scale(value, end) \
  ((u32) ((u64) (u32) (value) * (end) >> 32))

/* linux/nospec.h  */

#define array_index_nospec(index, size)					\
  (++machine.clamped, (index) < (size) ? (index) : 0)

/* linux/seqlock.h, linux/preempt.h.  A reader that meets a change half done
   would wait for ever, as there is one thread.  */

typedef struct
{
  unsigned int count;
} seqcount_t;

#define SEQCNT_ZERO(name) { 0 }
#define seqcount_init(seq) ((seq)->count = 0)
extern unsigned int read_seqcount_begin (const seqcount_t *seq);
#define read_seqcount_retry(seq, start) ((seq)->count != (start))
extern void write_seqcount_begin (seqcount_t *seq);
extern void write_seqcount_end (seqcount_t *seq);
extern void preempt_disable (void);
extern void preempt_enable (void);

/* linux/refcount.h  */

typedef struct
{
  unsigned int count;
} refcount_t;

#define REFCOUNT_INIT(n) { n }
extern void refcount_set (refcount_t *refs, unsigned int count);
extern void refcount_inc (refcount_t *refs);
extern bool refcount_dec_and_test (refcount_t *refs);
#define refcount_read(refs) ((refs)->count)
#define smp_acquire__after_ctrl_dep() ((void) 0)

/* linux/init.h: tests call this after they have provided a vDSO in place of
   the kernel's.  */

#define core_initcall(function)						\
  void shim_##function (void) { function (); }
extern void shim_sframe_init_vdso (void);
#define late_initcall(function) subsys_initcall (function)
extern const struct vdso_image vdso64_image;
extern char vdso_start[];

#include <linux/cleanup.h>
DEFINE_LOCK_GUARD_0 (rcu, rcu_read_lock (), rcu_read_unlock ())

/* linux/mm_types.h, linux/mm.h  */

typedef unsigned long vm_flags_t;
#define VM_READ 1UL
#define VM_WRITE 2UL
#define VM_EXEC 4UL

/* A file, of which only the size is looked at.  */

struct inode
{
  long long i_size;
};

struct address_space
{
  struct inode *host;
};

struct file
{
  struct address_space *f_mapping;
};

struct vm_operations_struct
{
  void (*map_pages) (void);
};

extern void filemap_map_pages (void);

struct vm_area_struct
{
  unsigned long vm_start, vm_end;
  vm_flags_t vm_flags;
  struct file *vm_file;
  unsigned long vm_pgoff;
  const struct vm_operations_struct *vm_ops;
  void *anon_vma;
  /* The memory at vm_start; null: each access fails.  */
  unsigned char *bytes;
  /* Not in memory until a page fault.  */
  bool absent;
  /* It is the vDSO.  */
  bool vdso;
};

/* A test of costs has more.  */
#ifndef AREAS_MAX
# define AREAS_MAX 128
#endif

struct vdso_image
{
  const void *data;
};

struct mm_struct
{
#ifdef CONFIG_HAVE_UNWIND_USER_SFRAME
  struct sframe_set *sframe_set;
  struct sframe_cache *sframe_cache;
#endif
  unsigned long flags, start_stack;
  /* That of all machines.  */
  struct
  {
    unsigned long vdso_base, flags;
    void *vdso;
    const struct vdso_image *vdso_image;
  } context;
  bool locked;
  unsigned int nr_areas;
  struct vm_area_struct areas[AREAS_MAX];
};

#define PAGE_SHIFT 12
#define PAGE_SIZE 4096UL
#define PAGE_MASK (~(PAGE_SIZE - 1))

#define MMF_HAS_UPROBES 19
#define mm_flags_test(flag, mm) (((mm)->flags >> (flag) & 1) != 0)

#define i_size_read(inode) ((inode)->i_size)

extern struct vm_area_struct *vma_lookup (struct mm_struct *mm,
					  unsigned long address);

/* Mappings in the order of their addresses.  */
struct vma_iterator
{
  struct mm_struct *mm;
  unsigned long address;
};
#define VMA_ITERATOR(name, mm, address) \
  struct vma_iterator name = { mm, address }
extern struct vm_area_struct *vma_next (struct vma_iterator *iterator);

extern int mmap_write_lock_killable (struct mm_struct *mm);
extern bool mmap_read_trylock (struct mm_struct *mm);
extern void mmap_write_unlock (struct mm_struct *mm);
/* One lock for both will do in one thread.  */
#define mmap_read_lock_killable(mm) mmap_write_lock_killable (mm)
#define mmap_read_unlock(mm) mmap_write_unlock (mm)
/* Without the lock, unless the mapping is being changed.  */
extern struct vm_area_struct *lock_vma_under_rcu (struct mm_struct *mm,
						  unsigned long address);
extern void vma_end_read (struct vm_area_struct *vma);
extern int fixup_user_fault (struct mm_struct *mm, unsigned long address,
			     unsigned int flags, bool *unlocked);
extern void mmap_assert_write_locked (const struct mm_struct *mm);
#define mmap_assert_locked(mm) mmap_assert_write_locked (mm)

/* linux/pagewalk.h.  */

struct folio;

struct folio_walk
{
  struct mm_struct *locked;
};

extern struct folio *folio_walk_start (struct folio_walk *walk,
				       struct vm_area_struct *area,
				       unsigned long address, int flags);
extern void folio_walk_end (struct folio_walk *walk,
			    struct vm_area_struct *area);

/* linux/signal_types.h, linux/sched/signal.h: no other task sends signals.  */

typedef struct
{
  unsigned long sig[1];
} shim_sigset_t;
#define sigset_t shim_sigset_t

struct sigqueue
{
  struct list_head list;
  struct
  {
    int si_signo, si_code;
    void *si_addr;
  } info;
};

struct sigpending
{
  struct list_head list;
  sigset_t signal;
};

/* By the number of the signal minus 1.  */
struct sighand_struct
{
  struct
  {
    struct
    {
      unsigned long sa_flags;
    } sa;
  } action[64];
};

#define lock_task_sighand(task, flags) (*(flags) = 0, true)
#define unlock_task_sighand(task, flags) ((void) (flags))

/* linux/sched.h, linux/compat.h, linux/printk.h  */

#ifdef SHIM_S390
# include "s390.h"
#elif defined SHIM_ARM64
# include "arm64.h"
#else
# include "x86.h"
#endif

/* linux/uprobes.h  */

struct return_instance
{
  unsigned long stack, orig_ret_vaddr;
  struct return_instance *next;
};

struct uprobe_task
{
  struct return_instance *return_instances;
  unsigned long vaddr;
  bool active;
};

struct task_struct
{
  struct uprobe_task *utask;
  struct mm_struct *mm;
  struct thread_struct thread;
  struct sigpending pending;
  struct sighand_struct *sighand;
  sigset_t blocked;
  const char *comm;
};

extern struct task_struct current_task;
#define current (&current_task)
#define task_pid_nr(task) 1
#define in_compat_syscall() machine.compat
#define unwind_user_word_size(regs) (machine.compat ? 4 : 8)
#ifndef unwind_user_strip_ra
# define unwind_user_strip_ra(ra) (ra)
# define unwind_user_untag(address) (address)
#endif
#define uprobe_get_trampoline_vaddr() machine.trampoline
#define uprobe_get_trap_addr(regs) \
  (current->utask && current->utask->active				\
   ? current->utask->vaddr : (regs)->ip)
#define syscall_get_nr(task, regs) (machine.in_syscall ? 60 : -1)
#define fatal_signal_pending(task) machine.killed
#define pagefault_disabled() (machine.exiting || machine.faults_off)
#define pagefault_disable() ((void) (machine.faults_off = true))
#define pagefault_enable() ((void) (machine.faults_off = false))
#define cond_resched() ((void) 0)
extern void pr_debug_ratelimited (const char *format, ...);

/* linux/uaccess.h  */

extern unsigned long copy_from_user (void *to, const void *from,
				     unsigned long size);
extern long copy_from_user_nofault (void *to, const void *from, size_t size);
extern int copy_struct_from_user (void *to, size_t to_size, const void *from,
				  size_t size);
extern size_t fault_in_readable (const char *start, size_t size);
#define get_user(x, p)							\
  ({ __typeof__ (*(p)) value_;						\
     unsigned long left_ = copy_from_user (&value_, (p), sizeof value_);	\
     (x) = value_;							\
     left_ == 0 ? 0 : -EFAULT; })

/* Between begin and end nothing else may be done.  */
extern bool user_read_access_begin (const void *start, size_t size);
extern void user_read_access_end (void);
extern bool machine_get (void *to, const void *from, size_t size);
#define unsafe_get_user(x, p, label)					\
  do									\
    {									\
      __typeof__ (*(p)) value_;						\
      if (!machine_get (&value_, (p), sizeof value_))			\
	goto label;							\
      (x) = value_;							\
    }									\
  while (0)
extern void might_fault (void);

#define task_pt_regs(task) (&current_registers)
extern struct pt_regs current_registers;

/* Map SIZE bytes at START of MM, where nothing is mapped.  */
extern struct vm_area_struct *machine_map (struct mm_struct *mm,
					   unsigned long start,
					   unsigned long size,
					   vm_flags_t flags,
					   unsigned char *bytes);
/* Unmap from START to END of MM, and call SFrame as munmap does.  */
extern void machine_unmap (struct mm_struct *mm, unsigned long start,
			   unsigned long end);
/* Let a mapping of MM end, and another begin, at ADDRESS.  */
extern void machine_split (struct mm_struct *mm, unsigned long address);
/* Give NEW the mappings of OLD without those of SKIP's bits, counted modulo
   the bits of a long, and its tables.  */
extern void machine_fork (struct mm_struct *new, struct mm_struct *old,
			  unsigned long skip);
/* The last user of MM is gone.  */
extern void machine_exit (struct mm_struct *mm);

#endif /* SHIM_KERNEL_H  */
