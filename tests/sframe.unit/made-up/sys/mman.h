/* The system calls for memory, simulated by grow.c.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UNIT_MMAN_H
#define UNIT_MMAN_H

#include_next <sys/mman.h>

void *__mmap (void *address, size_t size, int protection, int flags,
	      int file, off_t offset);
int __munmap (void *address, size_t size);

#endif /* UNIT_MMAN_H  */
