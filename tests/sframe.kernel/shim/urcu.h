/* RCU as the kernel's headers for user space want it from liburcu.
   SPDX-License-Identifier: GPL-2.0-only

   There is one thread, so that a test says when something happens.  Whatever a
   reader does of RCU is where another CPU may act (see kernel.h), and grace
   periods end in rcu_barrier alone, so that the sanitizer sees whoever holds
   on to what is freed.  */

#ifndef SHIM_URCU_H
#define SHIM_URCU_H

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
/* kfree what has HEAD at OFFSET, after a grace period.  */
extern void rcu_kfree (struct rcu_head *head, size_t offset);

#define kfree_rcu(object, head)						\
  rcu_kfree (&(object)->head, offsetof (__typeof__ (*(object)), head))
#define kvfree_rcu(object, head)					\
  call_rcu (&(object)->head, (void (*) (struct rcu_head *)) RCU_KVFREE)
/* In place of a function: kvfree what begins with it.  */
#define RCU_KVFREE 4095UL
/* Another CPU may act before each step of a reader.  */
extern void rcu_event (void);
#define rcu_dereference(p) (rcu_event (), (p))
#define rcu_assign_pointer(p, value) ((p) = (value))
#define rcu_access_pointer(p) (p)

#endif /* SHIM_URCU_H  */
