/* User memory, an allocator and RCU for one thread; each can be made to fail.
   SPDX-License-Identifier: GPL-2.0-only  */

#include <linux/sframe.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct machine machine;
static struct sighand_struct current_sighand;
struct task_struct current_task = {
  .comm = "test",
  .pending.list = LIST_HEAD_INIT (current_task.pending.list),
  .sighand = &current_sighand
};
struct pt_regs current_registers;

static void
bug (const char *what)
{
  fprintf (stderr, "BUG: %s\n", what);
  abort ();
}

/* The part of user memory that is open for reading; empty if none is.  */
static unsigned long open_start, open_size;

static void
not_while_open (const char *what)
{
  if (open_size != 0)
    bug (what);
}

/* RCU  */

static unsigned int readers;
static struct rcu_head *callbacks, **last_callback = &callbacks;

/* Another CPU may do something now, of which this one's reader must be
   unharmed.  */
void
rcu_event (void)
{
  unsigned int saved = readers;

  if (machine.other_cpu_after == 0 || --machine.other_cpu_after != 0)
    return;
  readers = 0;
  machine.other_cpu ();
  readers = saved;
  if (readers == 0)
    rcu_barrier ();
}

void
rcu_read_lock (void)
{
  not_while_open ("RCU locked with user memory open");
  ++readers;
  rcu_event ();
}

void
rcu_read_unlock (void)
{
  if (readers-- == 0)
    bug ("RCU unlocked, but not locked");
  rcu_event ();
}

void
rcu_read (void)
{
  if (readers == 0)
    bug ("pointer read without RCU");
  rcu_event ();
}

void
call_rcu (struct rcu_head *head, void (*func) (struct rcu_head *))
{
  head->func = func;
  head->next = NULL;
  *last_callback = head;
  last_callback = &head->next;
}

/* An offset in place of a function has the same meaning as in the kernel.  */
void
rcu_kfree (struct rcu_head *head, size_t offset)
{
  call_rcu (head, (void (*) (struct rcu_head *)) offset);
}

static void
run_callback (struct rcu_head *head)
{
  size_t offset = (size_t) head->func;

  if (offset < 4096)
    kfree ((char *) head - offset);
  else
    head->func (head);
}

static unsigned long grace_periods;

unsigned long
get_state_synchronize_rcu (void)
{
  return grace_periods + 1;
}

bool
poll_state_synchronize_rcu (unsigned long state)
{
  return grace_periods >= state;
}

void
rcu_barrier (void)
{
  if (readers != 0)
    bug ("grace period awaited by a reader");
  ++grace_periods;
  while (callbacks != NULL)
    {
      struct rcu_head *head = callbacks;
      callbacks = head->next;
      if (callbacks == NULL)
	last_callback = &callbacks;
      run_callback (head);
    }
}

void
machine_synchronize_rcu (void)
{
  if (machine.kswapd)
    bug ("grace period awaited by kswapd");
  rcu_barrier ();
}

/* References  */

void
refcount_set (refcount_t *refs, unsigned int count)
{
  refs->count = count;
}

void
refcount_inc (refcount_t *refs)
{
  if (refs->count++ == 0)
    bug ("reference to what nobody has");
}

bool
refcount_dec_and_test (refcount_t *refs)
{
  if (refs->count == 0)
    bug ("reference given up twice");
  return --refs->count == 0;
}

/* Sequence counts  */

static unsigned int preempt_count;

void
preempt_disable (void)
{
  ++preempt_count;
}

void
preempt_enable (void)
{
  if (preempt_count-- == 0)
    bug ("preemption enabled, but not disabled");
}

unsigned int
read_seqcount_begin (const seqcount_t *seq)
{
  rcu_event ();
  if (seq->count % 2 != 0)
    bug ("reader waits for a change");
  return seq->count;
}

void
write_seqcount_begin (seqcount_t *seq)
{
  if (preempt_count == 0)
    bug ("change can be preempted");
  if (seq->count++ % 2 != 0)
    bug ("change within a change");
}

void
write_seqcount_end (seqcount_t *seq)
{
  if (seq->count++ % 2 == 0)
    bug ("end of no change");
}

/* Allocator  */

static bool
out_of_memory (gfp_t gfp)
{
  not_while_open ("allocation with user memory open");
  if (preempt_count != 0)
    bug ("allocation may sleep with preemption off");
  if (readers != 0)
    bug ("allocation may sleep under RCU");
  /* Registrations are charged to the process.  */
  if ((gfp & __GFP_ACCOUNT) == 0)
    bug ("allocation is charged to nobody");
  return (machine.no_memory
	  || (machine.no_memory_after != 0 && --machine.no_memory_after == 0));
}

void *
kmalloc (size_t size, gfp_t gfp)
{
  void *object;

  if (out_of_memory (gfp))
    return NULL;
  object = malloc (size);
  if (object == NULL)
    bug ("out of memory indeed");
  ++machine.objects;
  machine.bytes += size;
  /* Fill memory that is not initialized.  */
  return memset (object, (gfp & __GFP_ZERO) != 0 ? 0 : 0xa5, size);
}

void
kfree (void *object)
{
  machine.objects -= object != NULL;
  free (object);
}

/* The kernel's own vDSO, in which a test may put a table, and where a process
   has it.  */
char vdso_start[4096] __attribute__ ((aligned (8)));
const struct vdso_image vdso64_image = { .data = vdso_start };

bool
sframe_arch_is_vdso (const struct vm_area_struct *vma)
{
  return vma->vdso;
}

void *
kvzalloc (size_t size, gfp_t gfp)
{
  void *object;

  machine.cache_size = size;
  ++machine.cache_requests;
  if (pagefault_disabled ())
    bug ("allocation by a task that must not wait");
  if ((gfp & __GFP_DIRECT_RECLAIM) != 0)
    bug ("memory reclaimed for a cache of rules");
  if (out_of_memory (gfp) || !machine.may_cache)
    return NULL;
  object = calloc (1, size);
  if (object == NULL)
    bug ("out of memory indeed");
  ++machine.caches;
  return object;
}

void
kvfree (const void *object)
{
  machine.caches -= object != NULL;
  machine.freed = grace_periods;
  free ((void *) object);
}

struct shrinker machine_shrinker;

void
list_lru_add (struct list_lru *lru, struct list_head *item, int nid,
	      struct mem_cgroup *memcg)
{
  (void) nid, (void) memcg;
  if (!list_empty (item))
    bug ("cache listed twice");
  list_add_tail (item, &lru->one.list);
  ++lru->one.count;
}

void
list_lru_isolate_move (struct list_lru_one *one, struct list_head *item,
		       struct list_head *to)
{
  if (list_empty (item))
    bug ("cache in no list");
  list_move (item, to);
  --one->count;
}

void
list_lru_del (struct list_lru *lru, struct list_head *item, int nid,
	      struct mem_cgroup *memcg)
{
  LIST_HEAD (removed);

  (void) nid, (void) memcg;
  list_lru_isolate_move (&lru->one, item, &removed);
  list_del_init (item);
}

unsigned long
list_lru_shrink_walk (struct list_lru *lru, struct shrink_control *control,
		      list_lru_walk_cb isolate, void *arg)
{
  struct list_head *item, *next;
  unsigned long removed = 0;

  list_for_each_safe (item, next, &lru->one.list)
    {
      if (control->nr_to_scan-- == 0)
	break;
      removed += isolate (item, &lru->one, arg) == LRU_REMOVED;
    }
  return removed;
}

/* Locks  */

bool
spin_trylock (spinlock_t *lock)
{
  not_while_open ("lock taken with user memory open");
  if (lock->held || machine.lock_busy)
    return false;
  preempt_disable ();
  return lock->held = true;
}

void
spin_lock (spinlock_t *lock)
{
  if (lock->held)
    bug ("lock taken twice");
  preempt_disable ();
  lock->held = true;
}

void
spin_unlock (spinlock_t *lock)
{
  if (!lock->held)
    bug ("lock released, but not held");
  lock->held = false;
  preempt_enable ();
}

#ifdef SHIM_S390
unsigned long
vdso_text_size (void)
{
  return machine.vdso_size;
}
#endif

/* Tasks and mappings  */

/* In these formats %p is followed by at most one letter.  */
void
pr_debug_ratelimited (const char *format, ...)
{
  va_list args;

  not_while_open ("message with user memory open");
  ++machine.messages;
  va_start (args, format);
  vsnprintf (machine.message, sizeof machine.message, format, args);
  va_end (args);
}

static void
lock_mm (struct mm_struct *mm)
{
  not_while_open ("mm locked with user memory open");
  if (readers != 0)
    bug ("mm locked under RCU");
  if (mm->locked)
    bug ("mm locked twice");
  ++machine.mm_locks;
  mm->locked = true;
}

int
mmap_write_lock_killable (struct mm_struct *mm)
{
  if (machine.exiting)
    bug ("a task that exits waits for the mm");
  if (machine.killed)
    return -EINTR;
  lock_mm (mm);
  return 0;
}

bool
mmap_read_trylock (struct mm_struct *mm)
{
  if (!machine.changing)
    lock_mm (mm);
  return !machine.changing;
}

void
mmap_write_unlock (struct mm_struct *mm)
{
  mmap_assert_write_locked (mm);
  mm->locked = false;
  if (machine.at_unlock != NULL)
    machine.at_unlock ();
}

void
mmap_assert_write_locked (const struct mm_struct *mm)
{
  if (!mm->locked)
    bug ("mm not locked");
}

/* Begin where the last one was found: the parts of a mapping that
   machine_split makes from its end on are then found at once.  */
static struct vm_area_struct *
find_area (struct mm_struct *mm, unsigned long address)
{
  static unsigned int last;
  unsigned int at = last < mm->nr_areas ? last : 0;

  for (unsigned int i = 0; i < mm->nr_areas; ++i)
    {
      struct vm_area_struct *area = &mm->areas[at];
      if (address - area->vm_start < area->vm_end - area->vm_start)
	{
	  last = at;
	  return area;
	}
      at = at != 0 ? at - 1 : mm->nr_areas - 1;
    }
  return NULL;
}

struct vm_area_struct *
vma_lookup (struct mm_struct *mm, unsigned long address)
{
  mmap_assert_write_locked (mm);
  return find_area (mm, address);
}

struct vm_area_struct *
vma_next (struct vma_iterator *iterator)
{
  struct mm_struct *mm = iterator->mm;
  struct vm_area_struct *next = vma_lookup (mm, iterator->address);

  for (unsigned int i = 0; i < mm->nr_areas; ++i)
    if (mm->areas[i].vm_start >= iterator->address
	&& (next == NULL || mm->areas[i].vm_start < next->vm_start))
      next = &mm->areas[i];
  if (next != NULL)
    iterator->address = next->vm_end;
  return next;
}

/* Page tables that are locked: no access may fault until folio_walk_end.  */
static unsigned int walks;

struct folio *
folio_walk_start (struct folio_walk *walk, struct vm_area_struct *area,
		  unsigned long address, int flags)
{
  (void) walk;
  mmap_assert_write_locked (current->mm);
  if (flags != 0 || address < area->vm_start || address >= area->vm_end)
    bug ("a walk outside of its mapping");
  if (area->absent || area->bytes == NULL)
    return NULL;
  ++walks;
  return (struct folio *) area->bytes;
}

void
folio_walk_end (struct folio_walk *walk, struct vm_area_struct *area)
{
  (void) walk;
  (void) area;
  --walks;
}

/* Mappings that are locked for reading; a page fault takes that lock.  */
static unsigned int areas_read;

struct vm_area_struct *
lock_vma_under_rcu (struct mm_struct *mm, unsigned long address)
{
  struct vm_area_struct *area = find_area (mm, address);

  not_while_open ("mapping locked with user memory open");
  ++machine.looks;
  if (machine.changing || machine.no_area_locks || area == NULL)
    return NULL;
  ++areas_read;
  return area;
}

void
vma_end_read (struct vm_area_struct *vma)
{
  if (areas_read-- == 0)
    bug ("mapping unlocked, but not locked");
  if (machine.at_unlock != NULL)
    machine.at_unlock ();
}

int
fixup_user_fault (struct mm_struct *mm, unsigned long address,
		  unsigned int flags, bool *unlocked)
{
  struct vm_area_struct *area = vma_lookup (mm, address);

  if (flags != 0 || unlocked == NULL)
    bug ("a page fault that cannot be killed, or of another kind");
  if (area == NULL)
    bug ("a page fault without a mapping");
  if (area->bytes == NULL)
    return -EFAULT;
  area->absent = false;
  return 0;
}

struct vm_area_struct *
machine_map (struct mm_struct *mm, unsigned long start, unsigned long size,
	     vm_flags_t flags, unsigned char *bytes)
{
  struct vm_area_struct *area = &mm->areas[mm->nr_areas++];

  if (mm->nr_areas > AREAS_MAX)
    bug ("too many mappings for this test");
  *area = (struct vm_area_struct) {
    .vm_start = start, .vm_end = start + size, .vm_flags = flags,
    .bytes = bytes
  };
  return area;
}

void
machine_split (struct mm_struct *mm, unsigned long address)
{
  struct vm_area_struct *area = find_area (mm, address), *high;
  unsigned long done;

  if (area == NULL || area->vm_start == address)
    return;
  done = address - area->vm_start;
  high = machine_map (mm, address, area->vm_end - address, area->vm_flags,
		      area->bytes == NULL ? NULL : area->bytes + done);
  high->absent = area->absent;
  area->vm_end = address;
}

void
machine_unmap (struct mm_struct *mm, unsigned long start, unsigned long end)
{
  mmap_write_lock_killable (mm);
  machine_split (mm, start);
  machine_split (mm, end);
  for (unsigned int i = mm->nr_areas; i-- > 0;)
    if (mm->areas[i].vm_start >= start && mm->areas[i].vm_end <= end)
      mm->areas[i] = mm->areas[--mm->nr_areas];
  sframe_unmap (mm, start, end);
  mmap_write_unlock (mm);
}

void
machine_fork (struct mm_struct *new, struct mm_struct *old,
	      unsigned long skip)
{
  memset (new, 0, offsetof (struct mm_struct, areas));
  new->context = old->context;
  new->locked = old->locked = true;
  sframe_init_mm (new);
  sframe_dup_mm (new, old);
  for (unsigned int i = 0; i < old->nr_areas; ++i)
    if ((skip >> i % BITS_PER_LONG & 1) != 0)
      sframe_unmap (new, old->areas[i].vm_start, old->areas[i].vm_end);
    else
      new->areas[new->nr_areas++] = old->areas[i];
  mmap_write_unlock (old);
  mmap_write_unlock (new);
}

void
machine_exit (struct mm_struct *mm)
{
  sframe_free_mm (mm);
  if (mm->sframe_set != NULL || mm->sframe_cache != NULL)
    bug ("dangling pointer in an mm");
  if (areas_read != 0)
    bug ("mapping locked for ever");
  mm->nr_areas = 0;
}

void
filemap_map_pages (void)
{
  bug ("a function that is but compared was called");
}

/* User memory  */

/* The bytes at ADDRESS; *SIZE becomes the number of them, at most *SIZE, that
   are contiguous.  */
static const unsigned char *
readable (unsigned long address, unsigned long *size, bool fault_in)
{
  struct vm_area_struct *area = find_area (current->mm, address);
  unsigned long limit = machine.fault_at != 0 ? machine.fault_at : -1UL;

  if (area == NULL)
    {
      ++machine.unmapped;
      machine.growths += fault_in && !pagefault_disabled ();
    }
  if (area == NULL || area->bytes == NULL || address >= limit
      || (area->absent && !fault_in))
    return NULL;
  area->absent = false;
  *size = min (*size, min (area->vm_end, limit) - address);
  return area->bytes + (address - area->vm_start);
}

/* Returns how many of the SIZE bytes were not copied.  */
static unsigned long
copy (void *to, unsigned long from, unsigned long size, bool fault_in)
{
  ++machine.accesses;
  if (walks != 0)
    bug ("user memory accessed with a page table locked");
  if (machine.fault_after != 0 && --machine.fault_after == 0)
    {
      machine.fault_after = 1;
      return size;
    }
  while (size > 0)
    {
      unsigned long run = size;
      const unsigned char *bytes = readable (from, &run, fault_in);
      if (bytes == NULL)
	{
	  ++machine.traps;
	  break;
	}
      memcpy (to, bytes, run);
      to = (char *) to + run;
      from += run;
      size -= run;
    }
  return size;
}

void
might_fault (void)
{
  if (machine.faults_off)
    {
      not_while_open ("user memory opened twice");
      return;
    }
  if (readers != 0)
    bug ("page fault under RCU");
  if (current->mm->locked || areas_read != 0)
    bug ("page fault with the mm locked");
  not_while_open ("user memory opened twice");
}

bool
user_read_access_begin (const void *start, size_t size)
{
  might_fault ();
  if ((unsigned long) start >= TASK_SIZE
      || size > TASK_SIZE - (unsigned long) start)
    return false;
  open_start = (unsigned long) start;
  open_size = size;
  return true;
}

void
user_read_access_end (void)
{
  if (open_size == 0)
    bug ("user memory closed, but not open");
  open_size = 0;
}

bool
machine_get (void *to, const void *from, size_t size)
{
  unsigned long offset = (unsigned long) from - open_start;

  if (size > open_size || offset > open_size - size)
    bug ("read outside of the user memory that is open");
  return copy (to, (unsigned long) from, size, !machine.faults_off) == 0;
}

/* As in the kernel, bytes that were not copied are cleared, and their number
   is returned.  */
unsigned long
copy_from_user (void *to, const void *from, unsigned long size)
{
  unsigned long left;

  might_fault ();
  left = copy (to, (unsigned long) from, size, !pagefault_disabled ());
  memset ((char *) to + size - left, 0, left);
  return left;
}

long
copy_from_user_nofault (void *to, const void *from, size_t size)
{
  return copy (to, (unsigned long) from, size, false) == 0 ? 0 : -EFAULT;
}

int
copy_struct_from_user (void *to, size_t to_size, const void *from, size_t size)
{
  const char *rest = (const char *) from + to_size;
  char byte;

  if (size < to_size)
    bug ("a structure that is too small is not copied");
  for (size_t i = 0; i < size - to_size; ++i)
    if (copy_from_user (&byte, rest + i, 1) != 0)
      return -EFAULT;
    else if (byte != 0)
      return -E2BIG;
  return copy_from_user (to, from, to_size) != 0 ? -EFAULT : 0;
}

size_t
fault_in_readable (const char *start, size_t size)
{
  char byte;

  ++machine.fault_ins;
  if (size == 0)
    bug ("nothing to fault in");
  if (copy_from_user (&byte, start, 1) != 0
      || copy_from_user (&byte, start + size - 1, 1) != 0)
    return size;
  if (machine.at_fault_in != NULL)
    machine.at_fault_in ();
  return 0;
}
