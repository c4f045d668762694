/* Control of the simulated machine that runs the kernel's sources.
   SPDX-License-Identifier: GPL-2.0-only

   Without types of the kernel, for tests that have other types of these names.
   */

#ifndef SHIM_MACHINE_H
#define SHIM_MACHINE_H

#include <stdbool.h>

struct machine
{
  /* From the access to user memory that many ahead on, none works; 0: all
     do.  */
  unsigned long fault_after;
  /* No byte from this address on can be read; 0: all can.  */
  unsigned long fault_at;
  /* The allocation that many ahead fails; 0: none does.  */
  unsigned long no_memory_after;
  /* Each allocation fails.  */
  bool no_memory;
  /* Run by "another CPU" at the event of RCU that many ahead.  */
  void (*other_cpu) (void);
  unsigned long other_cpu_after;
  /* Run by "another CPU" right before the next cmpxchg, and right after it.  */
  void (*before_exchange) (void);
  void (*after_exchange) (void);
  /* Run by "another CPU" while the header's page is faulted in.  */
  void (*at_fault_in) (void);
  /* Run by "another CPU" when a lock of mappings is released.  */
  void (*at_unlock) (void);
  /* The task is in a system call.  */
  bool in_syscall;
  /* SYSCALL does not change RCX.  */
  bool fred;
  /* The task is being killed; is a 32-bit one.  */
  bool killed, compat;
  /* Mappings are being changed: none can be found without the lock.  */
  bool changing;
  /* Mappings have no locks of their own (!CONFIG_PER_VMA_LOCK).  */
  bool no_area_locks;
  /* The task is exiting: it waits neither for a page nor for a lock.  */
  bool exiting;
  /* No page fault is taken now.  */
  bool faults_off;
  /* There is memory for caches of rules.  */
  bool may_cache;
  /* It is kswapd that reclaims memory.  */
  bool kswapd;
  /* How many grace periods were over when a cache was freed last.  */
  unsigned long freed;
  /* Somebody else has each lock that is tried.  */
  bool lock_busy;

  /* Where a uretprobe lets its function return to.  */
  unsigned long trampoline;
  /* Bytes of the vDSO's code.  */
  unsigned long vdso_size;

  /* Accesses to user memory, those that met an unmapped byte, and those of
     them that could have let a stack grow.  */
  unsigned long accesses, unmapped, growths;
  /* Accesses that did not succeed.  */
  unsigned long traps;
  /* The numbers of objects of kmalloc and of kvzalloc that are not freed yet;
     the total of bytes that kmalloc has allocated.  */
  unsigned long objects, caches, bytes;
  /* The last size passed to kvzalloc.  */
  unsigned long cache_size;
  /* How often it was called.  */
  unsigned long cache_requests;
  /* Indices that speculation cannot take out of bounds.  */
  unsigned long clamped;
  /* Locks of an mm, and looks at a mapping without.  */
  unsigned long mm_locks, looks;
  /* Debug messages, and the last one; calls of fault_in_readable.  */
  unsigned long messages, fault_ins;
  char message[256];
};

extern struct machine machine;

#endif /* SHIM_MACHINE_H  */
