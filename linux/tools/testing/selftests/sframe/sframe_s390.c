// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test stacks that the kernel unwinds by SFrame tables: cases of s390x only.
 *
 * Functions that are interrupted are in sframe_s390_code.S.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "sframe_chain.h"

/* Arguments: a page to touch, or a thread, a signal and the call to send it. */
typedef void (*asm_function)(volatile void *page_or_tid, long signal, long nr);

unsigned long asm_return;

/* Functions that keep two registers in FPRs. */
struct in_fprs {
	asm_function function;
	unsigned long access;
};

extern const struct in_fprs in_fprs[8];

static asm_function function;

/* The CFA is based on SP, which therefore must be right. */
static noinline void with_sp(void)
{
	NOTE();
	USE_SAVED_REGS();
	function(fresh, 0, 0);
	KEEP();
}

/* The CFA is based on FP. */
static noinline void with_fp(unsigned int size)
{
	volatile char *p = alloca(size);

	p[0] = 1;
	NOTE();
	function(fresh, 0, 0);
	KEEP();
}

static void call_with_fp(void)
{
	with_fp(123);
	KEEP();
}

/* The touch at @access is in a function that @path calls. */
static void expect_touch(struct __test_metadata *_metadata, void (*path)(void),
			 unsigned long access)
{
	struct perf_event_attr attr = chain_attr(PERF_TYPE_SOFTWARE,
						 PERF_COUNT_SW_PAGE_FAULTS);

	rehearse(path);
	ASSERT_EQ(1, record_event(&attr, path, access));
	ASSERT_GT(chain_count, 2);
	EXPECT_EQ(asm_return, chain[1]);
	EXPECT_EQ(noted[0], chain[2]);
}

TEST(registers_in_fprs)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(in_fprs); i++) {
		function = in_fprs[i].function;
		expect_touch(_metadata, with_sp, in_fprs[i].access);
		expect_touch(_metadata, call_with_fp, in_fprs[i].access);
	}
}

/* CFA, return address and FP in GPRs. */
void in_gprs(volatile void *page, long signal, long nr);
extern const char in_gprs_access[];

TEST(registers_in_gprs)
{
	function = in_gprs;
	expect_touch(_metadata, with_sp, (unsigned long)in_gprs_access);
	expect_touch(_metadata, call_with_fp, (unsigned long)in_gprs_access);
}

/* Interrupted inside, with the registers in FPRs. */
void signal_in_fprs(volatile void *tid, long signal, long nr);
extern const char signal_in_fprs_after[];

/* These end with an instruction that faults. */
void illegal_at_end(volatile void *tid, long signal, long nr);
void divide_at_end(volatile void *tid, long signal, long nr);
extern const char illegal_after[], divide_after[];

/* Their last instruction sends a signal. */
void send_at_end(volatile void *tid, long signal, long nr);
void call_at_end(volatile void *tid, long signal, long nr);
extern const char send_after[], call_after[];

static int signal_number;

static void handler(int signal)
{
	plain();
	KEEP();
}

static void handler_with_info(int signal, siginfo_t *info, void *context)
{
	plain();
	KEEP();
}

static noinline void call_signalled(void)
{
	volatile char *p = alloca(noted_count + 123);

	p[0] = 1;
	NOTE();
	function((volatile void *)syscall(SYS_gettid), signal_number,
		 SYS_tkill);
	KEEP();
}

/*
 * The callers of call_signalled(), plain() and probe() are noted; the chain has
 * the restorer, the address @interrupted, asm_return and the first of them.
 */
static void expect_signal(struct __test_metadata *_metadata, int number,
			  int flags, asm_function interrupt,
			  const char *interrupted)
{
	struct sigaction action = { .sa_flags = flags };

	if (flags & SA_SIGINFO)
		action.sa_sigaction = handler_with_info;
	else
		action.sa_handler = handler;
	ASSERT_EQ(0, sigaction(number, &action, NULL));
	signal_number = number;
	function = interrupt;
	rehearse(call_signalled);
	ASSERT_EQ(1, record(call_signalled));
	ASSERT_EQ(3, noted_count);
	ASSERT_GT(chain_count, 6);
	EXPECT_EQ(noted[2], chain[1]);
	EXPECT_EQ(noted[1], chain[2]);
	EXPECT_EQ((unsigned long)interrupted, chain[4]);
	EXPECT_EQ(asm_return, chain[5]);
	EXPECT_EQ(noted[0], chain[6]);
}

TEST(signal_with_registers_in_fprs)
{
	expect_signal(_metadata, SIGUSR1, 0, signal_in_fprs,
		      signal_in_fprs_after);
	expect_signal(_metadata, SIGUSR1, SA_SIGINFO, signal_in_fprs,
		      signal_in_fprs_after);
}

/* The PSW points after the instruction, and so after the function. */
TEST(fault_at_the_end)
{
	expect_signal(_metadata, SIGILL, 0, illegal_at_end, illegal_after);
	expect_signal(_metadata, SIGILL, SA_SIGINFO, illegal_at_end,
		      illegal_after);
	expect_signal(_metadata, SIGFPE, 0, divide_at_end, divide_after);
	expect_signal(_metadata, SIGFPE, SA_SIGINFO, divide_at_end,
		      divide_after);
}

/* The signal @number is pending, and the PSW is at @interrupted. */
static void expect_pending(struct __test_metadata *_metadata, int number,
			   asm_function interrupt, const char *interrupted)
{
	struct sigaction action = { .sa_handler = handler };
	struct perf_event_attr attr;

	if (signal_attr(&attr, "signal_generate"))
		SKIP(return, "no events of signals");
	ASSERT_EQ(0, sigaction(number, &action, NULL));
	signal_number = number;
	function = interrupt;
	rehearse(call_signalled);
	ASSERT_EQ(1, record_event(&attr, call_signalled,
				  (unsigned long)interrupted));
	ASSERT_GT(chain_count, 2);
	EXPECT_EQ(asm_return, chain[1]);
	EXPECT_EQ(noted[0], chain[2]);
}

/* The same with the PSW in the kernel's registers. */
TEST(pending_fault_at_the_end)
{
	expect_pending(_metadata, SIGILL, illegal_at_end, illegal_after);
	expect_pending(_metadata, SIGFPE, divide_at_end, divide_after);
}

TEST(pending_in_system_call)
{
	expect_pending(_metadata, SIGUSR1, call_at_end, call_after);
	expect_pending(_metadata, SIGILL, call_at_end, call_after);
}

/* The same signal, but sent: the PSW is the next instruction. */
TEST(sent_at_the_start)
{
	expect_signal(_metadata, SIGUSR1, 0, send_at_end, send_after);
	expect_signal(_metadata, SIGILL, SA_SIGINFO, send_at_end, send_after);
	expect_signal(_metadata, SIGFPE, SA_SIGINFO, send_at_end, send_after);
	expect_signal(_metadata, SIGTRAP, SA_SIGINFO, send_at_end, send_after);
}

/* The kernel's structure, with the restorer that libc leaves to the vDSO. */
struct kernel_sigaction {
	void (*handler)(int signal);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

#define SA_RESTORER	0x04000000

static void expect_own_restorer(struct __test_metadata *_metadata,
				void *restorer)
{
	struct kernel_sigaction action = {
		.handler = handler, .flags = SA_RESTORER,
		.restorer = restorer,
	};

	ASSERT_EQ(0, syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, 8));
	signal_number = SIGUSR1;
	function = signal_in_fprs;
	rehearse(call_signalled);
	ASSERT_EQ(1, record(call_signalled));
	ASSERT_GT(chain_count, 6);
	EXPECT_EQ((unsigned long)restorer, chain[3]);
	EXPECT_EQ((unsigned long)signal_in_fprs_after, chain[4]);
	EXPECT_EQ(asm_return, chain[5]);
	EXPECT_EQ(noted[0], chain[6]);
}

/* A restorer may be in memory without a table, such as the stack. */
TEST(restorer_of_its_own)
{
	static const unsigned short svc_sigreturn = 0x0a77;
	void *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, code);
	memcpy(code, &svc_sigreturn, sizeof(svc_sigreturn));
	ASSERT_EQ(0, mprotect(code, PAGE, PROT_READ | PROT_EXEC));
	expect_own_restorer(_metadata, code);
}

static int (*vdso_gettime)(clockid_t clock, struct timespec *time);
static unsigned long vdso_return;

/* Its return address is that of the call below. */
static noinline __unused int through(clockid_t clock, struct timespec *time)
{
	int ret;

	vdso_return = (unsigned long)__builtin_return_address(0);
	ret = vdso_gettime(clock, time);
	KEEP();
	return ret;
}

static noinline void call_vdso(void)
{
	volatile char *p = alloca(noted_count + 123);

	p[0] = 1;
	NOTE();
	through(CLOCK_MONOTONIC, (struct timespec *)fresh);
	KEEP();
}

/* The page is touched by the vDSO: the result is stored there. */
TEST(vdso)
{
	struct perf_event_attr attr = chain_attr(PERF_TYPE_SOFTWARE,
						 PERF_COUNT_SW_PAGE_FAULTS);
	struct own_table vdso = vdso_table();
	int i = 0;

	if (!vdso.size)
		SKIP(return, "the vDSO has no table");
	vdso_gettime = vdso_function("__kernel_clock_gettime");
	ASSERT_NE(NULL, vdso_gettime);
	rehearse(call_vdso);
	/* Once in a hundred times another page of the vDSO faults first. */
	for (int tries = 0; tries < 5; tries++) {
		ASSERT_LE(1, record_event(&attr, call_vdso, 0));
		i = 0;
		while (i < chain_count && chain[i] - vdso.text < vdso.text_size)
			i++;
		if (i == 2)
			break;
	}
	/* The function, and the wrapper that has called it. */
	EXPECT_EQ(2, i);
	ASSERT_GT(chain_count, i + 2);
	EXPECT_EQ(vdso_return, chain[i + 1]);
	EXPECT_EQ(noted[0], chain[i + 2]);
}

TEST_HARNESS_MAIN
