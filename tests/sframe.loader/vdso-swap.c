/* Map a file into a traced program and pass it to the program as its vDSO.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Few kernels have a vDSO with an .sframe section yet; with this one the
   loader meets one on all kernels.  The program makes the system calls itself:
   for that time its first instruction is replaced by a system call.  */

#include "vdso-swap.h"
#include "process-maps.h"

#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__

/* A system call of two bytes.  */
enum { SYSCALL_INSTRUCTION = 0x050f };

static void
memory_write (pid_t pid, uint64_t address, const void *buffer, size_t size)
{
  struct iovec here = { (void *) buffer, size };
  struct iovec there = { (void *) (uintptr_t) address, size };
  if (process_vm_writev (pid, &here, 1, &there, 1, 0) != (ssize_t) size)
    err (2, "process_vm_writev");
}

static uint64_t
word_at (pid_t pid, uint64_t address)
{
  uint64_t word;
  if (!memory_read (pid, address, &word, sizeof word))
    err (2, "cannot read the stack");
  return word;
}

/* The address in PID's memory of the value of AT_SYSINFO_EHDR; the stack
   begins at SP with argc.  */
static uint64_t
find_sysinfo (pid_t pid, uint64_t sp)
{
  uint64_t p = sp + 8 + 8 * (word_at (pid, sp) + 1);
  while (word_at (pid, p) != 0)
    p += 8;
  for (p += 8; word_at (pid, p) != AT_NULL; p += 16)
    if (word_at (pid, p) == AT_SYSINFO_EHDR)
      return p + 8;
  errx (2, "no vDSO to replace");
}

/* Let PID, which is stopped with registers REGS, make a system call.  */
static int64_t
remote_call (pid_t pid, const struct user_regs_struct *regs, long number,
	     const uint64_t *arguments)
{
  struct user_regs_struct r = *regs;
  r.orig_rax = -1;
  r.rax = number;
  r.rdi = arguments[0];
  r.rsi = arguments[1];
  r.rdx = arguments[2];
  r.r10 = arguments[3];
  r.r8 = arguments[4];
  r.r9 = arguments[5];
  if (ptrace (PTRACE_SETREGS, pid, NULL, &r) != 0)
    err (2, "PTRACE_SETREGS");
  /* The process stops at the entry of the call and at its exit.  */
  for (int i = 0; i < 2; i++)
    {
      int status;
      if (ptrace (PTRACE_SYSCALL, pid, NULL, NULL) != 0
	  || waitpid (pid, &status, __WALL) != pid || !WIFSTOPPED (status))
	err (2, "remote system call");
    }
  if (ptrace (PTRACE_GETREGS, pid, NULL, &r) != 0)
    err (2, "PTRACE_GETREGS");
  if ((int64_t) r.rax < 0 && (int64_t) r.rax > -4096)
    {
      errno = -r.rax;
      err (2, "remote system call %ld", number);
    }
  return r.rax;
}

/* Map PATH readable and executable in PID and return the address.  The name is
   written to the words at the stack pointer for that time.  */
static uint64_t
remote_map (pid_t pid, const struct user_regs_struct *regs, const char *path)
{
  char saved[256];
  size_t length = strlen (path) + 1;
  struct stat st;
  if (length > sizeof saved || stat (path, &st) != 0
      || !memory_read (pid, regs->rsp, saved, length))
    err (2, "%s", path);
  memory_write (pid, regs->rsp, path, length);
  uint64_t open[6] = { AT_FDCWD, regs->rsp, O_RDONLY };
  uint64_t fd = remote_call (pid, regs, SYS_openat, open);
  memory_write (pid, regs->rsp, saved, length);
  uint64_t map[6] = { 0, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd };
  uint64_t base = remote_call (pid, regs, SYS_mmap, map);
  uint64_t close[6] = { fd };
  remote_call (pid, regs, SYS_close, close);
  return base;
}

void
vdso_swap (pid_t pid, const char *path)
{
  struct user_regs_struct regs;
  if (ptrace (PTRACE_GETREGS, pid, NULL, &regs) != 0)
    err (2, "PTRACE_GETREGS");
  uint64_t first = word_at (pid, regs.rip);
  uint64_t call = (first & ~UINT64_C (0xffff)) | SYSCALL_INSTRUCTION;
  if (ptrace (PTRACE_POKETEXT, pid, (void *) regs.rip, (void *) call) != 0)
    err (2, "PTRACE_POKETEXT");
  uint64_t base = remote_map (pid, &regs, path);
  memory_write (pid, find_sysinfo (pid, regs.rsp), &base, sizeof base);
  if (ptrace (PTRACE_POKETEXT, pid, (void *) regs.rip, (void *) first) != 0
      || ptrace (PTRACE_SETREGS, pid, NULL, &regs) != 0)
    err (2, "cannot go back");
}

#else

void
vdso_swap (pid_t pid, const char *path)
{
  errx (2, "no way to give a program another vDSO on this machine");
}

#endif
