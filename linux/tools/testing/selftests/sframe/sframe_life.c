// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test stacks through code whose registration begins and ends with its
 * mappings.
 *
 * A few instructions of machine code, in their own mapping and described by a
 * table made here, call a function that calls probe(). Only with that table
 * can their caller be found.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "sframe_chain.h"

static const unsigned char code[] = { THUNK };
static const unsigned char rows[] = { THUNK_ROWS };

struct table {
	struct table_header header;
	struct table_fde fde[2];
	struct function {
		struct table_attr attr;
		unsigned char rows[sizeof(rows)];
	} __packed function[2];
} __packed;

#define FUNCTION { .attr = { .nr_fres = THUNK_NR_ROWS },		\
		   .rows = { THUNK_ROWS } }

/* A table for the code at the start of the text, and one page later. */
static const struct table good = {
	.header = {
		.magic = 0xdee2, .version = 3, .flags = 1, .abi = ARCH_ABI,
		.fixed_ra = ARCH_FIXED_RA, .nr_fdes = 2,
		.nr_fres = 2 * THUNK_NR_ROWS,
		.fre_len = 2 * sizeof(struct function),
		.fre_off = 2 * sizeof(struct table_fde),
	},
	.fde = {
		{ .start = PAGE, .size = sizeof(code) },
		{ .start = 2 * PAGE, .size = sizeof(code),
		  .attr_off = sizeof(struct function) },
	},
	.function = { FUNCTION, FUNCTION },
};

static void (*thunk)(void (*function)(void));

/* Uses FP for other values, so that unwinding by FP fails here. */
static noinline __saves_fp void call_thunk(void)
{
	NOTE();
	USE_SAVED_REGS();
	thunk(plain);
	KEEP();
}

enum { STOPS, PASSES, WRONG };

/*
 * Whether the trace from plain() stops at the code or continues to the end.
 * The callers of call_thunk(), plain() and probe() are noted.
 */
static int trace(void)
{
	rehearse(call_thunk);
	if (record(call_thunk) != 1 || chain_count < 3 ||
	    chain[1] != noted[2] || chain[2] != noted[1] ||
	    chain[2] != (unsigned long)thunk + THUNK_AFTER_CALL)
		return WRONG;
	if (chain_count == 3)
		return STOPS;
	return chain_count > 4 && chain[4] == noted[0] ? PASSES : WRONG;
}

/* A page for the table, two pages of code, and room to move them to. */
FIXTURE(life) {
	char *map;
	unsigned long table, text;
};

static void *fixed(char *at, unsigned long size, int prot)
{
	return mmap(at, size, prot,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void put_code(char *at)
{
	fixed(at, PAGE, PROT_READ | PROT_WRITE);
	memcpy(at, code, sizeof(code));
	mprotect(at, PAGE, PROT_READ | PROT_EXEC);
}

static void put_table(char *at)
{
	fixed(at, PAGE, PROT_READ | PROT_WRITE);
	memcpy(at, &good, sizeof(good));
}

static int add_good(unsigned long table)
{
	return add(table, sizeof(good), table + PAGE, PAGE);
}

FIXTURE_SETUP(life)
{
	self->map = mmap(NULL, 16 * PAGE, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->map);
	put_table(self->map);
	put_code(self->map + PAGE);
	put_code(self->map + 2 * PAGE);
	self->table = (unsigned long)self->map;
	self->text = self->table + PAGE;
	thunk = (void *)self->text;
	ASSERT_EQ(STOPS, trace());
	ASSERT_EQ(0, add_good(self->table));
	ASSERT_EQ(PASSES, trace());
}

FIXTURE_TEARDOWN(life)
{
	munmap(self->map, 16 * PAGE);
}

/* A dropped table is not found, and can be registered again. */
#define EXPECT_DROPPED() do {						\
	EXPECT_EQ(STOPS, trace());					\
	EXPECT_EQ(ENOENT, drop(self->table));				\
	EXPECT_EQ(0, add_good(self->table));				\
	EXPECT_EQ(PASSES, trace());					\
} while (0)

TEST_F(life, removed)
{
	EXPECT_EQ(0, drop(self->table));
	EXPECT_DROPPED();
}

TEST_F(life, text_unmapped)
{
	ASSERT_EQ(0, munmap(self->map + PAGE, PAGE));
	put_code(self->map + PAGE);
	EXPECT_DROPPED();
}

TEST_F(life, text_mapped_over)
{
	put_code(self->map + PAGE);
	EXPECT_DROPPED();
}

TEST_F(life, table_unmapped)
{
	ASSERT_EQ(0, munmap(self->map, PAGE));
	put_table(self->map);
	EXPECT_DROPPED();
}

TEST_F(life, table_mapped_over)
{
	put_table(self->map);
	EXPECT_DROPPED();
}

static void *move(char *from, char *to, int flags)
{
	return mremap(from, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED | flags,
		      to);
}

TEST_F(life, text_moved)
{
	char *away = self->map + 8 * PAGE;

	ASSERT_EQ(away, move(self->map + PAGE, away, 0));
	thunk = (void *)away;
	EXPECT_EQ(STOPS, trace());
	ASSERT_NE(MAP_FAILED, move(away, self->map + PAGE, 0));
	thunk = (void *)self->text;
	EXPECT_DROPPED();
}

TEST_F(life, text_moved_onto)
{
	char *other = self->map + 8 * PAGE;

	put_code(other);
	ASSERT_NE(MAP_FAILED, move(other, self->map + PAGE, 0));
	EXPECT_DROPPED();
}

TEST_F(life, table_moved)
{
	char *away = self->map + 8 * PAGE;

	ASSERT_EQ(away, move(self->map, away, 0));
	EXPECT_EQ(STOPS, trace());
	ASSERT_NE(MAP_FAILED, move(away, self->map, 0));
	EXPECT_DROPPED();
}

TEST_F(life, table_moved_but_not_unmapped)
{
	ASSERT_NE(MAP_FAILED, move(self->map, self->map + 8 * PAGE,
				   MREMAP_DONTUNMAP));
	memcpy(self->map, &good, sizeof(good));
	EXPECT_DROPPED();
}

/* Changes of protection, or of neighbours, keep the registration. */
TEST_F(life, kept)
{
	ASSERT_EQ(0, mprotect(self->map, PAGE, PROT_READ));
	ASSERT_EQ(0, mprotect(self->map + PAGE, PAGE,
			      PROT_READ | PROT_WRITE | PROT_EXEC));
	ASSERT_EQ(0, munmap(self->map + 2 * PAGE, PAGE));
	EXPECT_EQ(PASSES, trace());
}

/* Register the table again: this removes all its rules from the cache. */
#define RENEW() do {							\
	ASSERT_EQ(0, drop(self->table));				\
	ASSERT_EQ(0, add_good(self->table));				\
} while (0)

TEST_F(life, table_unreadable)
{
	RENEW();
	ASSERT_EQ(0, mprotect(self->map, PAGE, PROT_NONE));
	EXPECT_EQ(STOPS, trace());
	ASSERT_EQ(0, mprotect(self->map, PAGE, PROT_READ));
	EXPECT_EQ(PASSES, trace());
}

TEST_F(life, table_corrupt)
{
	struct table *table = (struct table *)self->map;

	RENEW();
	/* An invalid size of data words. */
	table->function[0].rows[THUNK_INFO] |= 3 << 5;
	EXPECT_EQ(STOPS, trace());
	table->function[0].rows[THUNK_INFO] = rows[THUNK_INFO];
	EXPECT_DROPPED();
}

#ifdef __x86_64__
/*
 * FP at CFA - 4 MiB, by a row with offsets of four bytes. The row does not fit
 * the stack, which must not grow to there when the kernel reads it.
 */
static const unsigned char far_row[] = {
	0, 2 << 5 | 2 << 1 | 1, 32, 0, 0, 0, 0, 0, 0xc0, 0xff
};

TEST_F(life, stack_does_not_grow)
{
	struct table *table = (struct table *)self->map;
	unsigned char there;
	unsigned long below = ((unsigned long)&there & -PAGE) - (2UL << 20);

	ASSERT_EQ(0, drop(self->table));
	table->header.nr_fdes = 1;
	table->header.nr_fres = 1;
	table->header.fre_len = sizeof(struct table_attr) + sizeof(far_row);
	table->header.fre_off = sizeof(struct table_fde);
	memcpy(&table->fde[1], &(struct table_attr) { .nr_fres = 1 },
	       sizeof(struct table_attr));
	memcpy((char *)&table->fde[1] + sizeof(struct table_attr), far_row,
	       sizeof(far_row));
	ASSERT_EQ(0, add_good(self->table));
	EXPECT_EQ(STOPS, trace());
	EXPECT_EQ(-1, mincore((void *)below, PAGE, &there));
	EXPECT_EQ(ENOMEM, errno);
}
#endif

/* A cached rule is not read again, even if the table changes. */
TEST_F(life, cached)
{
	struct table *table = (struct table *)self->map;

	EXPECT_EQ(PASSES, trace());
	ASSERT_EQ(0, mprotect(self->map, PAGE, PROT_NONE));
	EXPECT_EQ(PASSES, trace());
	ASSERT_EQ(0, mprotect(self->map, PAGE, PROT_READ | PROT_WRITE));
	table->function[0].rows[THUNK_INFO] |= 3 << 5;
	EXPECT_EQ(PASSES, trace());
	table->function[0].rows[THUNK_INFO] = rows[THUNK_INFO];
	EXPECT_EQ(0, drop(self->table));
	EXPECT_DROPPED();
}

TEST_F(life, two_texts)
{
	EXPECT_EQ(0, add(self->table, sizeof(good), self->text + PAGE, PAGE));
	thunk = (void *)(self->text + PAGE);
	EXPECT_EQ(PASSES, trace());
	ASSERT_EQ(0, munmap(self->map + PAGE, PAGE));
	EXPECT_EQ(PASSES, trace());
	EXPECT_EQ(0, drop(self->table));
	EXPECT_EQ(STOPS, trace());
}

/* A text range ends one byte early; another table has the rest. */
TEST_F(life, abutting)
{
	char *other = self->map + 8 * PAGE;
	struct table *table = (struct table *)other;

	put_table(other);
	table->fde[0].start = self->text - (unsigned long)other;
	EXPECT_EQ(0, drop(self->table));
	/* The lookup uses the byte before the return address. */
	EXPECT_EQ(0, add(self->table, sizeof(good), self->text,
			 THUNK_AFTER_CALL - 1));
	EXPECT_EQ(STOPS, trace());
	EXPECT_EQ(0, add((unsigned long)other, sizeof(good),
			 self->text + THUNK_AFTER_CALL - 1, 1));
	EXPECT_EQ(PASSES, trace());
	EXPECT_EQ(0, drop((unsigned long)other));
	EXPECT_EQ(STOPS, trace());
}

/* Run @child, cloned with @flags; return its result. */
static int run_child(int flags, int (*child)(void *), void *arg)
{
	static char stack[16 * PAGE] __aligned(16);
	pid_t pid = clone(child, stack + sizeof(stack), flags | SIGCHLD, arg);
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int trace_in_child(void *arg)
{
	return trace();
}

static int drop_and_trace(void *table)
{
	return drop((unsigned long)table) ? WRONG : trace();
}

static int corrupt_and_trace(void *table)
{
	((struct table *)table)->function[0].rows[THUNK_INFO] |= 3 << 5;
	return trace();
}

/* Parent and child do not share cached rules. */
TEST_F(life, forked_cached)
{
	EXPECT_EQ(STOPS, run_child(0, corrupt_and_trace, self->map));
	EXPECT_EQ(PASSES, trace());
	/* Threads do. */
	EXPECT_EQ(PASSES, run_child(CLONE_VM, corrupt_and_trace, self->map));
}

TEST_F(life, forked)
{
	EXPECT_EQ(PASSES, run_child(0, trace_in_child, NULL));
	/* A drop in another process does not affect this one. */
	EXPECT_EQ(STOPS, run_child(0, drop_and_trace, self->map));
	EXPECT_EQ(PASSES, trace());
	EXPECT_EQ(0, drop(self->table));
	EXPECT_EQ(STOPS, run_child(0, trace_in_child, NULL));
}

TEST_F(life, cloned)
{
	EXPECT_EQ(PASSES, run_child(CLONE_VM, trace_in_child, NULL));
	EXPECT_EQ(STOPS, run_child(CLONE_VM, drop_and_trace, self->map));
	EXPECT_DROPPED();
}

TEST_F(life, vforked)
{
	EXPECT_EQ(PASSES, run_child(CLONE_VM | CLONE_VFORK, trace_in_child,
				    NULL));
	EXPECT_EQ(STOPS, run_child(CLONE_VM | CLONE_VFORK, drop_and_trace,
				   self->map));
	EXPECT_DROPPED();
}

/*
 * The stack of an exiting task: a context switch requests it when the tracer
 * stops the task, after the page of the table was removed.
 */

static char *table_page;
static int exit_signal;
static bool exits_at_end;

/* A page of a file can be read again, if the unwinder may wait for it. */
static int put_table_in_file(char *at)
{
	int fd = memfd_create("table", 0);
	int ret = fd < 0 || write(fd, &good, sizeof(good)) != sizeof(good) ||
		  ftruncate(fd, PAGE) ||
		  mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) != at;

	close(fd);
	table_page = at;
	return ret;
}

/* A function whose last instruction is the system call. */
static noinline void exit_at_end(void)
{
	SYSTEM_CALL(behind_end, SYS_exit_group, 0, 0);
	__builtin_unreachable();
}

/* The C library may have no table, so keep its functions off the stack. */
static noinline void exit_here(void)
{
	pid_t pid = getpid();

	if (exits_at_end) {
		/* After a fork(), s390 maps a page when it is accessed. */
		(void)*(volatile char *)table_page;
		exit_at_end();
	}
	madvise(table_page, PAGE, MADV_DONTNEED);
	if (exit_signal)
		SYSTEM_CALL(behind_kill, SYS_kill, pid, exit_signal);
	SYSTEM_CALL(behind_exit, SYS_exit_group, 0, 0);
}

static noinline __saves_fp void exit_through_thunk(void)
{
	USE_SAVED_REGS();
	thunk(exit_here);
	KEEP();
}

static pid_t start_exiting(int sig)
{
	struct sched_param first = { .sched_priority = 1 };
	struct rlimit none = { 0, 0 };
	pid_t pid = fork();

	if (!pid) {
		/* Being preempted, it would have the page read before */
		sched_setscheduler(0, SCHED_FIFO, &first);
		setrlimit(RLIMIT_CORE, &none);
		exit_signal = sig;
		touch_own_table();
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		exit_through_thunk();
	}
	return pid;
}

/* Whether the task stops with status @wanted, as from waitpid(). */
static bool stops_at(pid_t pid, int wanted)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) &&
	       status >> 8 == wanted;
}

/* Let the task go on to the entry of exit_group(). */
static bool goes_to_exit_group(pid_t pid)
{
	struct __ptrace_syscall_info info;

	do {
		if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) ||
		    !stops_at(pid, SIGTRAP | 0x80) ||
		    ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) < 0)
			return false;
	} while (info.op != PTRACE_SYSCALL_INFO_ENTRY ||
		 info.entry.nr != SYS_exit_group);
	return true;
}

/*
 * Where the stacks in the ring that contain the code end, and how many of them
 * begin at @from or later.
 */
static int end_of_chains(struct ring *ring, uint64_t from, int *nr)
{
	unsigned long call = (unsigned long)thunk + THUNK_AFTER_CALL;
	static unsigned long ips[CHAIN_MAX];
	struct perf_event_header header;
	int count, ret = WRONG;

	*nr = 0;
	for (uint64_t at = 0; at < ring->page->data_head; at += header.size) {
		atomic_thread_fence(memory_order_acquire);
		copy_out(ring, at, &header, sizeof(header));
		if (header.type != PERF_RECORD_CALLCHAIN_DEFERRED)
			continue;
		count = read_ips(ring, at, ips);
		for (int i = 0; i < count; i++) {
			if (ips[i] != call)
				continue;
			ret = i == count - 1 ? STOPS : PASSES;
			*nr += at >= from;
		}
	}
	return ret;
}

/*
 * Take the stack of a task, traced with @options of ptrace(), that dies of @sig
 * or exits; it must end as @expected says, and be sent for each stop there.
 */
static void expect_exit(struct __test_metadata *_metadata, int options, int sig,
			int expected)
{
	struct perf_event_attr attr = chain_attr(PERF_TYPE_SOFTWARE,
						 PERF_COUNT_SW_CONTEXT_SWITCHES);
	pid_t pid = start_exiting(sig);
	bool stops_again = sig || options & PTRACE_O_TRACEEXIT;
	int status, nr, stops = 0;
	uint64_t from = 0;
	struct ring ring;

	ASSERT_LT(0, pid);
	ASSERT_TRUE(stops_at(pid, SIGSTOP));
	ASSERT_EQ(0, ptrace(PTRACE_SETOPTIONS, pid, NULL, options));
	attr.disabled = 0;
	ASSERT_EQ(0, open_ring(&ring, &attr, pid, -1));
	if (options & PTRACE_O_TRACESYSGOOD) {
		ASSERT_TRUE(goes_to_exit_group(pid));
		from = ring.page->data_head;
		stops++;
	}
	if (stops_again) {
		ASSERT_EQ(0, ptrace(PTRACE_CONT, pid, NULL, NULL));
		ASSERT_TRUE(stops_at(pid, sig ? sig : SIGTRAP |
						      PTRACE_EVENT_EXIT << 8));
		stops++;
	}
	ASSERT_EQ(0, ptrace(PTRACE_CONT, pid, NULL, sig));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(sig, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	EXPECT_EQ(expected, end_of_chains(&ring, from, &nr));
	EXPECT_LE(stops, nr);
	close_ring(&ring);
}

/* The task can no longer be killed: the unwinder waits for no page. */
TEST_F(life, exiting)
{
	ASSERT_EQ(0, put_table_in_file(self->map));
	ASSERT_EQ(0, add_good(self->table));
	expect_exit(_metadata, PTRACE_O_TRACEEXIT, 0, STOPS);
}

TEST_F(life, exiting_at_end)
{
	exits_at_end = true;
	table_page = self->map;
	expect_exit(_metadata, PTRACE_O_TRACEEXIT, 0, PASSES);
}

/* The task can still be killed. */
TEST_F(life, about_to_exit)
{
	ASSERT_EQ(0, put_table_in_file(self->map));
	ASSERT_EQ(0, add_good(self->table));
	expect_exit(_metadata, PTRACE_O_TRACESYSGOOD, 0, PASSES);
}

/* What is requested after that is sent, too. */
TEST_F(life, about_to_exit_and_exiting)
{
	ASSERT_EQ(0, put_table_in_file(self->map));
	ASSERT_EQ(0, add_good(self->table));
	expect_exit(_metadata, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXIT, 0,
		    PASSES);
}

TEST_F(life, about_to_die)
{
	ASSERT_EQ(0, put_table_in_file(self->map));
	ASSERT_EQ(0, add_good(self->table));
	expect_exit(_metadata, 0, SIGABRT, PASSES);
}

/*
 * A thread that is killed by exec() in another thread: its signal was already
 * taken, no other one comes, and exec() waits for it.
 */

static int *tid_of_thread;

/* The mask of blocked signals while waiting. */
static unsigned long no_signals;

static noinline void wait_here(void)
{
	long tid = syscall(SYS_gettid);

	madvise(table_page, PAGE, MADV_DONTNEED);
	__atomic_store_n(tid_of_thread, tid, __ATOMIC_RELEASE);
	while (1)
		SYSTEM_CALL(behind_pause, SYS_rt_sigsuspend, &no_signals, 8);
}

static __saves_fp int wait_through_thunk(void *arg)
{
	USE_SAVED_REGS();
	thunk(wait_here);
	KEEP();
	return 0;
}

/* A thread waits in the code; on SIGCONT the other one executes a program. */
static pid_t start_executing(void)
{
	static char stack[64 * PAGE] __aligned(16);
	pid_t pid = fork();

	if (!pid) {
		touch_own_table();
		clone(wait_through_thunk, stack + sizeof(stack),
		      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
		      CLONE_THREAD, NULL);
		while (!__atomic_load_n(tid_of_thread, __ATOMIC_ACQUIRE))
			sched_yield();
		raise(SIGSTOP);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	return pid;
}

TEST_F(life, killed_by_exec)
{
	struct perf_event_attr attr;
	struct ring ring;
	int status, nr;
	pid_t pid;

	tid_of_thread = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, tid_of_thread);
	ASSERT_EQ(0, put_table_in_file(self->map));
	ASSERT_EQ(0, add_good(self->table));
	ASSERT_EQ(0, signal_attr(&attr, "signal_deliver"));
	attr.disabled = 0;
	pid = start_executing();
	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, &status, WUNTRACED));
	ASSERT_TRUE(WIFSTOPPED(status));
	ASSERT_EQ(0, open_ring(&ring, &attr, *tid_of_thread, -1));
	ASSERT_EQ(0, kill(pid, SIGCONT));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(STOPS, end_of_chains(&ring, 0, &nr));
	close_ring(&ring);
}

TEST_HARNESS_MAIN
