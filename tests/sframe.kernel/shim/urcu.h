/* RCU with the interface of liburcu, which the kernel's headers for user space
   expect.
   SPDX-License-Identifier: GPL-2.0-only

   There is one thread, so a test chooses when other CPUs act: at each RCU
   operation of a reader (see kernel.h).  Grace periods end only in
   rcu_barrier, so the sanitizer detects a use after that.  */

#ifndef SHIM_URCU_H
#define SHIM_URCU_H

#include <stdbool.h>
#include <stddef.h>

struct rcu_head
{
  struct rcu_head *next;
  void (*func) (struct rcu_head *);
};

extern void rcu_read_lock (void);
extern void rcu_read_unlock (void);
extern void call_rcu (struct rcu_head *head, void (*func) (struct rcu_head *));
extern void rcu_barrier (void);
/* Call kfree, after a grace period, for the object with HEAD at OFFSET.  */
extern void rcu_kfree (struct rcu_head *head, size_t offset);

#define kfree_rcu(object, head)						\
  rcu_kfree (&(object)->head, offsetof (__typeof__ (*(object)), head))
#define call_rcu_hurry(head, func) call_rcu (head, func)
/* The grace period that a callback would wait for now; one that is over; and
   whether one is.  */
extern unsigned long get_state_synchronize_rcu (void);
#define get_completed_synchronize_rcu() 0UL
extern bool poll_state_synchronize_rcu (unsigned long state);
/* Another CPU may act before each step of a reader.  */
extern void rcu_event (void);
/* Only in an RCU section.  */
extern void rcu_read (void);
#define rcu_dereference(p) (rcu_read (), (p))
#define rcu_assign_pointer(p, value) ((p) = (value))
#define rcu_access_pointer(p) (p)

#endif /* SHIM_URCU_H  */
