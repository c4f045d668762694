/* Definitions that glibc's build provides for each file, for tests on a
   simulated system; gcc includes this file first.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE 1
#define attribute_hidden
#define array_length(array) (sizeof (array) / sizeof (array)[0])
#define __set_errno(value) (errno = (value))

#define atomic_load_relaxed(memory) __atomic_load_n (memory, __ATOMIC_RELAXED)
#define atomic_load_acquire(memory) __atomic_load_n (memory, __ATOMIC_ACQUIRE)
#define atomic_store_relaxed(memory, value) \
  __atomic_store_n (memory, value, __ATOMIC_RELAXED)
