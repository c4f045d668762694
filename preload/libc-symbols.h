/* Definitions that glibc's build provides for each file, for another libc.
   gcc includes this header first (-include).

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE 1
#define ENABLE_SFRAME 1
#define attribute_hidden __attribute__ ((visibility ("hidden")))
#define libc_hidden_def(name)
#define weak_alias(name, aliasname)					\
  extern __typeof (name) aliasname					\
    __attribute__ ((weak, alias (#name), visibility ("default")));
#define __glibc_likely(condition) __builtin_expect ((condition), 1)
#define __glibc_unlikely(condition) __builtin_expect ((condition), 0)
#define array_length(array) (sizeof (array) / sizeof (array)[0])

/* Internal names of glibc.  */
extern void *__mmap (void *address, unsigned long int size, int protection,
		     int flags, int fd, long int offset) attribute_hidden;
extern int __munmap (void *address, unsigned long int size) attribute_hidden;
#define __set_errno(value) (errno = (value))
#define __NSIG_BYTES 8UL
#define __sigmask(signal) (1UL << ((signal) - 1))

#define atomic_load_relaxed(memory) __atomic_load_n (memory, __ATOMIC_RELAXED)
#define atomic_load_acquire(memory) __atomic_load_n (memory, __ATOMIC_ACQUIRE)
#define atomic_store_relaxed(memory, value) \
  __atomic_store_n (memory, value, __ATOMIC_RELAXED)
