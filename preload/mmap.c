/* mmap and munmap without calls of libc, whose functions the program may
   replace by its own.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe and thread-safe; errno is left alone.  */

#include <sys/mman.h>
#include <sysdep.h>

void *
__mmap (void *address, unsigned long int size, int protection, int flags,
	int fd, long int offset)
{
#ifdef __s390x__
  /* The system call takes the address of its arguments.  */
  const long int arguments[]
    = { (long int) address, size, protection, flags, fd, offset };
  long int result = INTERNAL_SYSCALL_CALL (mmap, arguments);
#else
  long int result = INTERNAL_SYSCALL_CALL (mmap, address, size, protection,
					   flags, fd, offset);
#endif
  return INTERNAL_SYSCALL_ERROR_P (result) ? MAP_FAILED : (void *) result;
}

int
__munmap (void *address, unsigned long int size)
{
  return INTERNAL_SYSCALL_CALL (munmap, address, size) == 0 ? 0 : -1;
}
