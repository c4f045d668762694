// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks that the kernel unwinds by SFrame tables, seen as its consumers see
 * them: deferred call chains of perf events.
 *
 * Each call path ends in probe(), which touches a fresh page.  The event
 * counts page faults, so that there is exactly one chain, of exactly that
 * instruction.  On its way each function has noted its return address.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "sframe_test.h"

#define PAGE		4096UL
#define RING		(16 * PAGE)
#define DEPTH_MAX	64

#define __aligned(n)	__attribute__((aligned(n)))
#define __unused	__attribute__((unused))
#define noinline	__attribute__((noinline))

static unsigned long noted[DEPTH_MAX];
static int noted_count;

/* What was read from the ring: without the context markers. */
static unsigned long chain[512];
static int chain_count;

static struct perf_event_mmap_page *ring;
static int event = -1;
static volatile char *fresh;

#define NOTE() (noted[noted_count++] = \
		(unsigned long)__builtin_return_address(0))

/* No tail calls: what calls must stay in the stack. */
#define KEEP() ({ asm volatile("" : : : "memory"); })

extern const char probe_access[];

/* Touch the page.  Flags and offsets of the frame change around it. */
static noinline void probe(void)
{
	NOTE();
	asm volatile(".globl probe_access\n"
		     "probe_access:\n\t"
		     "movb $1, (%0)" : : "r" (fresh) : "memory");
	KEEP();
}

static noinline void plain(void)
{
	volatile char local[40] __unused;

	local[0] = 1;
	NOTE();
	probe();
	KEEP();
}

/* All call-saved registers are used, FP for something else than a frame. */
static noinline void no_fp(void (*next)(void))
{
	NOTE();
	asm volatile("mov $1, %%ebp\n\txor %%ebx, %%ebx\n\txor %%r12d, %%r12d"
		     : : : "rbp", "rbx", "r12", "memory");
	next();
	KEEP();
}

static void call_no_fp(void)
{
	no_fp(plain);
	KEEP();
}

/* The CFA is based on FP. */
static noinline void with_alloca(unsigned int size)
{
	volatile char *p = alloca(size);

	p[0] = 1;
	NOTE();
	no_fp(plain);
	KEEP();
}

static void call_with_alloca(void)
{
	with_alloca(123);
	KEEP();
}

/* The CFA is in memory: a flexible rule. */
static noinline void realigned(unsigned int size)
{
	volatile char aligned[64] __aligned(64) __unused;
	volatile char *p = alloca(size);

	aligned[0] = 1;
	p[0] = 1;
	NOTE();
	no_fp(plain);
	KEEP();
}

static void call_realigned(void)
{
	realigned(321);
	KEEP();
}

static noinline void deep(int n)
{
	volatile char local[24] __unused;

	local[0] = n;
	NOTE();
	if (n)
		deep(n - 1);
	else
		probe();
	KEEP();
}

static void call_deep(void)
{
	deep(40);
	KEEP();
}

static void handler(int signal)
{
	no_fp(plain);
	KEEP();
}

static unsigned long interrupted;
extern const char after_tkill[];

/*
 * The signal comes in the system call, so that the address behind it is
 * where this function is interrupted.
 */
static noinline void signalled(void)
{
	long ret;

	NOTE();
	asm volatile("syscall\n"
		     ".globl after_tkill\n"
		     "after_tkill:"
		     : "=a" (ret)
		     : "0" (SYS_tkill), "D" (syscall(SYS_gettid)),
		       "S" (SIGUSR1)
		     : "rcx", "r11", "memory");
	interrupted = (unsigned long)after_tkill;
	KEEP();
}

static int open_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
		.exclude_callchain_kernel = 1,
		.defer_callchain = 1,
		.defer_output = 1,
	};

	event = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (event < 0)
		return -1;
	ring = mmap(NULL, PAGE + RING, PROT_READ | PROT_WRITE, MAP_SHARED,
		    event, 0);
	if (ring == MAP_FAILED)
		return -1;
	/* Faults of the ring itself are not wanted. */
	for (unsigned long i = 0; i < RING + PAGE; i += PAGE)
		((volatile char *)ring)[i];
	return 0;
}

static void copy_out(uint64_t at, void *to, unsigned int len)
{
	const char *data = (const char *)ring + ring->data_offset;

	for (unsigned int i = 0; i < len; i++)
		((char *)to)[i] = data[(at + i) % RING];
}

/* Take the first deferred chain; return how many there were. */
static int read_chain(void)
{
	uint64_t at = ring->data_tail, nr, ip;
	struct perf_event_header header;
	int found = 0;

	atomic_thread_fence(memory_order_acquire);
	chain_count = 0;
	for (; at < ring->data_head; at += header.size) {
		copy_out(at, &header, sizeof(header));
		if (header.type != PERF_RECORD_CALLCHAIN_DEFERRED)
			continue;
		if (found++)
			continue;
		copy_out(at + 16, &nr, sizeof(nr));
		for (uint64_t i = 0; i < nr && chain_count < 512; i++) {
			copy_out(at + 24 + 8 * i, &ip, sizeof(ip));
			if (ip < (uint64_t)-4095)
				chain[chain_count++] = ip;
		}
	}
	ring->data_tail = at;
	return found;
}

/* Run @path with the event on. */
static int record(void (*path)(void))
{
	noted_count = 0;
	fresh = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fresh == MAP_FAILED || open_event())
		return -1;
	syscall(SYS_ioctl, event, PERF_EVENT_IOC_ENABLE, 0);
	path();
	syscall(SYS_ioctl, event, PERF_EVENT_IOC_DISABLE, 0);
	return read_chain();
}

/* Pages of stack and data that a path needs are touched before. */
static void rehearse(void (*path)(void))
{
	static volatile char page;

	fresh = &page;
	noted_count = 0;
	path();
}

/* The chain is the probe, then what was noted, last one first. */
static void expect_path(struct __test_metadata *_metadata, void (*path)(void))
{
	int i;

	rehearse(path);
	ASSERT_EQ(1, record(path));
	ASSERT_GT(chain_count, noted_count);
	EXPECT_EQ((unsigned long)probe_access, chain[0]);
	for (i = 0; i < noted_count; i++)
		EXPECT_EQ(noted[noted_count - 1 - i], chain[1 + i]) {
			TH_LOG("frame %d of %d", i + 1, noted_count);
		}
}

TEST(sp_based)
{
	expect_path(_metadata, call_no_fp);
}

TEST(fp_based)
{
	expect_path(_metadata, call_with_alloca);
}

TEST(flexible)
{
	expect_path(_metadata, call_realigned);
}

TEST(recursion)
{
	expect_path(_metadata, call_deep);
}

/* Where the table is not registered these stacks are not found. */
TEST(without_table)
{
	struct own_table own = own_table();

	ASSERT_EQ(0, prctl(PR_REMOVE_SFRAME, own.start, 0UL, 0UL, 0UL));
	rehearse(call_no_fp);
	ASSERT_EQ(1, record(call_no_fp));
	EXPECT_TRUE(chain_count < 2 || chain[1] != noted[noted_count - 1] ||
		    chain[2] != noted[noted_count - 2] ||
		    chain[3] != noted[noted_count - 3]);
	/* And they are again, where it is. */
	ASSERT_EQ(0, prctl(PR_ADD_SFRAME, own.start, own.size, own.text,
			   own.text_size));
	expect_path(_metadata, call_no_fp);
}

/* Behind the handler's path come restorer, what was interrupted, its path. */
static void expect_signal_path(struct __test_metadata *_metadata)
{
	int n, at;

	rehearse(signalled);
	ASSERT_EQ(1, record(signalled));
	/* Noted: signalled, no_fp, plain, probe; handler() notes nothing. */
	n = noted_count;
	ASSERT_EQ(4, n);
	ASSERT_GE(chain_count, 7);
	EXPECT_EQ((unsigned long)probe_access, chain[0]);
	for (at = 1; at < n; at++)
		EXPECT_EQ(noted[n - at], chain[at]);
	/* chain[at - 1] is in the handler, chain[at] the restorer. */
	EXPECT_EQ(interrupted, chain[at + 1]);
	EXPECT_EQ(noted[0], chain[at + 2]);
}

TEST(signal_frame)
{
	struct sigaction action = { .sa_handler = handler };

	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	expect_signal_path(_metadata);
}

TEST(signal_on_another_stack)
{
	struct sigaction action = {
		.sa_handler = handler, .sa_flags = SA_ONSTACK,
	};
	stack_t stack = { .ss_size = 16 * PAGE };

	/* Above the stack in one case or below in the other: both go up. */
	stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, stack.ss_sp);
	ASSERT_EQ(0, sigaltstack(&stack, NULL));
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	expect_signal_path(_metadata);
}

TEST(forked)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid) {
		rehearse(call_no_fp);
		if (record(call_no_fp) != 1 || chain_count <= noted_count)
			_exit(1);
		_exit(chain[noted_count] != noted[0]);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
