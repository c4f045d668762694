// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test stacks that the kernel unwinds by SFrame tables: kinds of frames.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

#include "../kselftest_harness.h"
#include "sframe_chain.h"

/* Uses all call-saved registers; FP does not point to a frame. */
static noinline __saves_fp void no_fp(void (*next)(void))
{
	NOTE();
	USE_SAVED_REGS();
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
	USE(alloca(size));
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
	char aligned[64] __aligned(64);

	USE(aligned);
	USE(alloca(size));
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
	char local[24];

	USE(local);
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
 * The signal comes in the system call, so the interrupted address is the one
 * after it.
 */
static noinline void signalled(void)
{
	NOTE();
	SYSTEM_CALL(after_tkill, SYS_tkill, syscall(SYS_gettid), SIGUSR1);
	interrupted = (unsigned long)after_tkill;
	KEEP();
}

/* The chain is the probe, then the noted addresses, last one first. */
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

/* Without a registered table these stacks are not found. */
TEST(without_table)
{
	struct own_table own = own_table();

	ASSERT_EQ(0, prctl(PR_REMOVE_SFRAME, own.start, 0UL, 0UL, 0UL));
	rehearse(call_no_fp);
	ASSERT_EQ(1, record(call_no_fp));
	EXPECT_TRUE(chain_count < 2 || chain[1] != noted[noted_count - 1] ||
		    chain[2] != noted[noted_count - 2] ||
		    chain[3] != noted[noted_count - 3]);
	/* After registration they are found again. */
	ASSERT_EQ(0, add(own.start, own.size, own.text, own.text_size));
	expect_path(_metadata, call_no_fp);
}

/*
 * Map the pages of the own table, @own, from @fd, which lacks the first one,
 * and register it again. Then write @first to @fd. Nothing else may happen in
 * between: the page is part of the program's constants.
 */
static int add_late(const struct own_table *own, int fd, const char *first)
{
	unsigned long start = own->start & -(unsigned long)PAGE;
	unsigned long size = own->start + own->size - start;
	void *map;
	int ret;

	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE))
		return -1;
	map = mmap((void *)start, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd,
		   0);
	ret = add(own->start, own->size, own->text, own->text_size);
	if (map != (void *)start || pwrite(fd, first, PAGE, 0) != PAGE)
		return -1;
	return ret;
}

/* Open a file with the pages of @own, and copy the first of them to @first. */
static int copy_to_file(const struct own_table *own, char *first)
{
	unsigned long off = own->start % PAGE, size = off + own->size;
	const char *start = (const char *)own->start - off;
	int fd = memfd_create("late", 0);

	size += -size % PAGE;
	memcpy(first, start, PAGE);
	return pwrite(fd, start, size, 0) == size ? fd : -1;
}

/*
 * A header that is not in memory is read by the first stack that needs it. If
 * it is invalid, the table is removed.
 */
TEST(header_not_in_memory)
{
	struct own_table own = own_table();
	unsigned long off = own.start % PAGE;
	char first[PAGE];
	int fd = copy_to_file(&own, first), ret;

	ASSERT_LE(0, fd);
	rehearse(call_no_fp);
	ret = add_late(&own, fd, first);
	if (ret == EINVAL) {
		ASSERT_EQ(0, add(own.start, own.size, own.text, own.text_size));
		SKIP(return, "the kernel checks all of a table at once");
	}
	ASSERT_EQ(0, ret);
	expect_path(_metadata, call_no_fp);
	EXPECT_EQ(0, drop(own.start));

	first[off] ^= 1;
	ASSERT_EQ(0, add_late(&own, fd, first));
	ASSERT_EQ(1, record(call_no_fp));
	EXPECT_TRUE(chain_count < 3 || chain[2] != noted[noted_count - 2]);
	EXPECT_EQ(ENOENT, drop(own.start));

	/* Now the header is in memory, and the registration is refused. */
	EXPECT_EQ(EINVAL, add(own.start, own.size, own.text, own.text_size));
	first[off] ^= 1;
	ASSERT_EQ(0, add_late(&own, fd, first));
	expect_path(_metadata, call_no_fp);
}

/* No answer reveals which pages of a file other processes have read. */
TEST(page_cache_not_revealed)
{
	struct own_table own = own_table();
	int fd = memfd_create("cached", 0), ret[2], i;
	unsigned long map;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, 2 * PAGE));
	ASSERT_EQ(1, pwrite(fd, "x", 1, 0));
	map = (unsigned long)mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	ASSERT_NE(-1UL, map);
	ASSERT_EQ(0, drop(own.start));
	for (i = 0; i < 2; i++) {
		ret[i] = add(map + i * PAGE, PAGE, own.text, own.text_size);
		ASSERT_EQ(ret[i] ? ENOENT : 0, drop(map + i * PAGE));
	}
	EXPECT_EQ(ret[0], ret[1]);
}

/* After the handler's path: restorer, interrupted address, its path. */
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

	/* It may be above the normal stack or below it. */
	stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, stack.ss_sp);
	ASSERT_EQ(0, sigaltstack(&stack, NULL));
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	expect_signal_path(_metadata);
}

static sigjmp_buf back;
static void (*volatile nowhere)(void);

static void fault_handler(int signal)
{
	no_fp(plain);
	siglongjmp(back, 1);
}

static noinline __saves_fp void call_nowhere(void)
{
	NOTE();
	USE_SAVED_REGS();
	if (!sigsetjmp(back, 1))
		nowhere();
	KEEP();
}

/* The caller through a wild pointer is in the stack of the handler. */
TEST(call_that_leads_nowhere)
{
	struct sigaction action = { .sa_handler = fault_handler };
	unsigned long pointers[] = { 0, 8, (unsigned long)&nowhere };
	int at;

	ASSERT_EQ(0, sigaction(SIGSEGV, &action, NULL));
	for (unsigned int i = 0; i < ARRAY_SIZE(pointers); i++) {
		nowhere = (void (*)(void))pointers[i];
		rehearse(call_nowhere);
		ASSERT_EQ(1, record(call_nowhere));
		at = noted_count;
		/* Handler, restorer, bad address, call_nowhere(), caller. */
		ASSERT_GT(chain_count, at + 3);
		EXPECT_EQ(pointers[i], chain[at + 1]);
		EXPECT_EQ(noted[0], chain[at + 3]);
	}
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

#ifdef __x86_64__

/* Calls @next with FP at @data, and has no table. */
void no_cfi(void (*next)(void), const unsigned long *data);
extern const char no_cfi_return[], no_call_here[];

/* The words that would be a frame record if the data were a frame. */
static unsigned long pretended_next, pretended;

static noinline void call_no_cfi(void)
{
	unsigned long data[2] = { pretended_next, pretended };

	NOTE();
	no_cfi(plain, data);
	KEEP();
}

static int frames_with(struct __test_metadata *_metadata, unsigned long address)
{
	pretended = address;
	rehearse(call_no_cfi);
	ASSERT_EQ(1, record(call_no_cfi));
	ASSERT_GE(chain_count, 3);
	EXPECT_EQ((unsigned long)no_cfi_return, chain[2]);
	return chain_count;
}

/* Without a table, FP is used only if it points to a plausible frame. */
TEST(data_for_a_frame)
{
	EXPECT_EQ(3, frames_with(_metadata, 0));
	EXPECT_EQ(3, frames_with(_metadata, (unsigned long)&pretended));
	EXPECT_EQ(3, frames_with(_metadata, (unsigned long)no_call_here));
	EXPECT_EQ(4, frames_with(_metadata, (unsigned long)no_cfi_return));
}

/*
 * A process without tables is unwound by frame pointers as they are: FP leads
 * to the data at once, and nothing is checked. A choice has it checked: no call
 * leads there, and the next record is at an odd address.
 */
TEST(data_for_a_frame_without_table)
{
	pretended_next = 1;
	pretended = (unsigned long)no_call_here;
	rehearse(call_no_cfi);
	ASSERT_EQ(0, prctl(PR_REMOVE_SFRAME, own_table().start, 0UL, 0UL, 0UL));
	ASSERT_EQ(1, record(call_no_cfi));
	EXPECT_EQ(2, chain_count);
	EXPECT_EQ(pretended, chain[1]);
	ASSERT_EQ(0, prctl(PR_SET_UNWIND_USER,
			   PR_UNWIND_SFRAME | PR_UNWIND_FP << 4, 0UL, 0UL, 0UL));
	ASSERT_EQ(1, record(call_no_cfi));
	EXPECT_EQ(1, chain_count);
	ASSERT_EQ(0, prctl(PR_SET_UNWIND_USER, 0UL, 0UL, 0UL, 0UL));
	ASSERT_EQ(1, record(call_no_cfi));
	EXPECT_EQ(2, chain_count);
}

extern const char jit_code[], jit_called[], jit_by_call[], jit_pushed[];
extern const char jit_by_push[], jit_code_end[];
static void (*jit_entry)(void (*next)(void));

static noinline void call_jit(void)
{
	NOTE();
	jit_entry(plain);
	KEEP();
}

/* A page of code, with no readable memory before it. */
static char *jit_page(void)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages, PAGE, PROT_NONE))
		return NULL;
	memcpy(pages + PAGE, jit_code, jit_code_end - jit_code);
	if (mprotect(pages + PAGE, PAGE, PROT_READ | PROT_EXEC))
		return NULL;
	return pages + PAGE;
}

static void expect_jit(struct __test_metadata *_metadata, char *page,
		       const char *entry, const char *ret)
{
	jit_entry = (void (*)(void (*)(void)))(page + (entry - jit_code));
	rehearse(call_jit);
	ASSERT_EQ(1, record(call_jit));
	ASSERT_GT(chain_count, 5);
	EXPECT_EQ(noted[1], chain[2]);
	EXPECT_EQ((unsigned long)page + (ret - jit_code), chain[3]);
	EXPECT_LE((unsigned long)call_jit, chain[4]);
	EXPECT_EQ(noted[0], chain[5]);
}

/* Reading the call must not read before the mapping. */
TEST(call_at_the_start)
{
	char *page = jit_page();

	ASSERT_NE(NULL, page);
	expect_jit(_metadata, page, jit_by_call, jit_called);
}

/* Frames that are linked to each other need no call instruction. */
TEST(return_without_call)
{
	char *page = jit_page();

	ASSERT_NE(NULL, page);
	expect_jit(_metadata, page, jit_by_push, jit_pushed);
}

/* In execute-only code, assume that a call precedes. */
TEST(code_for_execution_only)
{
	char *page = jit_page();

	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, mprotect(page, PAGE, PROT_EXEC));
	expect_jit(_metadata, page, jit_by_call, jit_called);
	expect_jit(_metadata, page, jit_by_push, jit_pushed);
}

static ucontext_t context_back, context;
static char context_stack[4 * PAGE];
static unsigned long context_return;

/* FP points to a frame, as in programs with frame pointers. */
static noinline void call_context(void)
{
	unsigned long record[2] = { 0, (unsigned long)no_cfi_return };
	greg_t *regs = context.uc_mcontext.gregs;

	NOTE();
	USE(record);
	getcontext(&context);
	context.uc_stack.ss_sp = context_stack;
	context.uc_stack.ss_size = sizeof(context_stack);
	context.uc_link = &context_back;
	makecontext(&context, (void (*)(void))jit_entry, 1, plain);
	regs[REG_RBP] = (unsigned long)record;
	context_return = *(unsigned long *)regs[REG_RSP];
	swapcontext(&context_back, &context);
	KEEP();
}

/* The first function of a context returns to the start of another one. */
TEST(start_of_a_context)
{
	char *page = jit_page();

	ASSERT_NE(NULL, page);
	jit_entry = (void (*)(void (*)(void)))
		    (page + (jit_by_call - jit_code));
	rehearse(call_context);
	ASSERT_EQ(1, record(call_context));
	ASSERT_GT(chain_count, 4);
	EXPECT_EQ((unsigned long)page + (jit_called - jit_code), chain[3]);
	/* This is __start_context(). */
	EXPECT_EQ(context_return, chain[4]);
}

/* Its last instruction is a trap. */
void trap_at_end(void);
extern const char after_trap[];

static noinline void call_trap(void)
{
	NOTE();
	asm volatile("mov $1, %%ebp" : : : "rbp");
	if (!sigsetjmp(back, 1))
		trap_at_end();
	KEEP();
}

/* The interrupted PC is after the trap, in the next function. */
static void expect_after_the_end(struct __test_metadata *_metadata, int flags)
{
	struct sigaction action = {
		.sa_handler = fault_handler, .sa_flags = flags,
	};
	int at;

	ASSERT_EQ(0, sigaction(SIGTRAP, &action, NULL));
	rehearse(call_trap);
	ASSERT_EQ(1, record(call_trap));
	at = noted_count;
	ASSERT_GT(chain_count, at + 3);
	EXPECT_EQ((unsigned long)after_trap, chain[at + 1]);
	EXPECT_EQ(noted[0], chain[at + 3]);
}

TEST(signal_after_the_end)
{
	expect_after_the_end(_metadata, 0);
	expect_after_the_end(_metadata, SA_NODEFER);
	expect_after_the_end(_metadata, SA_SIGINFO);
}

static void leave(int signal)
{
	siglongjmp(back, 1);
}

/* The same while the signal is pending. */
TEST(after_the_end)
{
	struct sigaction action = { .sa_handler = leave };
	struct perf_event_attr attr;

	if (signal_attr(&attr, "signal_generate"))
		SKIP(return, "no events of signals");
	ASSERT_EQ(0, sigaction(SIGTRAP, &action, NULL));
	rehearse(call_trap);
	ASSERT_EQ(1, record_event(&attr, call_trap, (unsigned long)after_trap));
	ASSERT_GT(chain_count, 2);
	EXPECT_EQ(noted[0], chain[2]);
}

void touch_after_trap(char *page) asm("after_trap");
static char *trap_page;
/* An event that sends SIGIO for the page fault after the trap. */
static struct ring wake;

static noinline void call_after_trap(void)
{
	NOTE();
	asm volatile("mov $1, %%ebp" : : : "rbp");
	madvise(trap_page, PAGE, MADV_DONTNEED);
	ioctl(wake.fd, PERF_EVENT_IOC_ENABLE, 0);
	touch_after_trap(trap_page);
	KEEP();
}

static void on_wake(int signal)
{
	ioctl(wake.fd, PERF_EVENT_IOC_DISABLE, 0);
	no_fp(plain);
	KEEP();
}

static void nothing(int signal)
{
}

/* Take a trap, with a signal frame where later ones are not. */
static noinline int take_trap(int flags)
{
	struct sigaction action = {
		.sa_handler = nothing, .sa_flags = flags,
	};
	char local[PAGE];

	USE(local);
	if (sigaction(SIGTRAP, &action, NULL))
		return -1;
	asm volatile("int3" : : : "memory");
	return 0;
}

/*
 * A signal has interrupted the first instruction of a function, before which
 * another function ends with a trap. The last trap of the task was elsewhere.
 */
static void expect_at_the_start(struct __test_metadata *_metadata, int flags,
				int trap_flags)
{
	struct perf_event_attr attr = chain_attr(PERF_TYPE_SOFTWARE,
						 PERF_COUNT_SW_PAGE_FAULTS);
	struct sigaction action = {
		.sa_handler = on_wake, .sa_flags = flags,
	};
	int at;

	ASSERT_EQ(0, take_trap(trap_flags));
	ASSERT_EQ(0, sigaction(SIGIO, &action, NULL));
	attr.wakeup_events = 1;
	ASSERT_EQ(0, open_ring(&wake, &attr, 0, -1));
	ASSERT_EQ(0, fcntl(wake.fd, F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(wake.fd, F_SETFL, O_ASYNC));
	rehearse(call_after_trap);
	ASSERT_EQ(1, record(call_after_trap));
	close_ring(&wake);
	at = noted_count;
	ASSERT_GT(chain_count, at + 3);
	EXPECT_EQ((unsigned long)after_trap, chain[at + 1]);
	EXPECT_EQ(noted[0], chain[at + 3]);
}

TEST(signal_at_the_start)
{
	trap_page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, trap_page);
	expect_at_the_start(_metadata, SA_SIGINFO, SA_SIGINFO);
	expect_at_the_start(_metadata, SA_SIGINFO, 0);
	expect_at_the_start(_metadata, 0, SA_SIGINFO);
	expect_at_the_start(_metadata, 0, 0);
}

/* The same without that signal. The SIGTRAP that is pending was sent. */
TEST(at_the_start)
{
	struct perf_event_attr attr = chain_attr(PERF_TYPE_SOFTWARE,
						 PERF_COUNT_SW_PAGE_FAULTS);
	sigset_t traps;

	ASSERT_EQ(0, take_trap(0));
	sigemptyset(&traps);
	sigaddset(&traps, SIGTRAP);
	ASSERT_EQ(0, sigprocmask(SIG_BLOCK, &traps, NULL));
	ASSERT_EQ(0, raise(SIGTRAP));
	wake.fd = -1;
	trap_page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, trap_page);
	rehearse(call_after_trap);
	ASSERT_EQ(1, record_event(&attr, call_after_trap,
				  (unsigned long)after_trap));
	ASSERT_GT(chain_count, 2);
	EXPECT_EQ(noted[0], chain[2]);
}

void handle_after_call(int signal);

/* A handler that begins behind another function's system call is in no call. */
TEST(handler_after_a_call)
{
	struct sigaction action = { .sa_handler = handle_after_call };
	struct perf_event_attr attr;

	if (signal_attr(&attr, "signal_deliver"))
		SKIP(return, "no events of signals");
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	rehearse(signalled);
	ASSERT_EQ(1, record_event(&attr, signalled,
				  (unsigned long)handle_after_call));
	ASSERT_GT(chain_count, 3);
	EXPECT_EQ((unsigned long)after_tkill, chain[2]);
	EXPECT_EQ(noted[0], chain[3]);
}

/* Its CFA is in RBX, and FP at @data. */
void by_rbx(void (*next)(void), const unsigned long *data);
extern const char by_rbx_return[];

static noinline void call_by_rbx(void)
{
	unsigned long data[2] = { 0, (unsigned long)no_cfi_return };

	NOTE();
	by_rbx(plain, data);
	KEEP();
}

/* Do not use FP although it points to data that looks like a frame. */
TEST(register_of_a_caller)
{
	rehearse(call_by_rbx);
	ASSERT_EQ(1, record(call_by_rbx));
	ASSERT_GE(chain_count, 3);
	EXPECT_EQ((unsigned long)by_rbx_return, chain[2]);
	EXPECT_EQ(3, chain_count);
}

extern const char use_r10_return[];

static noinline void call_use_r10(void)
{
	NOTE();
	asm volatile("mov $1, %%ebp" : : : "rbp");
	use_r10(fresh);
	asm volatile("use_r10_return:");
}

TEST(other_register)
{
	struct perf_event_attr attr = chain_attr(PERF_TYPE_SOFTWARE,
						 PERF_COUNT_SW_PAGE_FAULTS);

	rehearse(call_use_r10);
	ASSERT_EQ(1, record_event(&attr, call_use_r10,
				  (unsigned long)use_r10_access));
	ASSERT_GT(chain_count, 2);
	EXPECT_EQ((unsigned long)use_r10_return, chain[1]);
	EXPECT_EQ(noted[0], chain[2]);
}

static int (*vdso_gettime)(clockid_t clock, struct timespec *time);

static noinline void call_vdso(void)
{
	struct timespec time;

	NOTE();
	asm volatile("mov $1, %%ebp" : : : "rbp");
	vdso_gettime(CLOCK_MONOTONIC, &time);
	asm volatile("vdso_return:");
}

extern const char vdso_return[];

/*
 * A breakpoint at the first instruction of the vDSO function, which has no
 * frame yet. The second entry is in call_vdso(), which has no frame at all.
 */
static void record_in_vdso(struct __test_metadata *_metadata)
{
	struct perf_event_attr attr = chain_attr(PERF_TYPE_BREAKPOINT, 0);

	vdso_gettime = vdso_function("__vdso_clock_gettime");
	ASSERT_NE(NULL, vdso_gettime);
	attr.bp_type = HW_BREAKPOINT_X;
	attr.bp_addr = (unsigned long)vdso_gettime;
	attr.bp_len = sizeof(long);
	attr.exclude_kernel = 1;
	ASSERT_EQ(1, record_event(&attr, call_vdso, attr.bp_addr));
	ASSERT_GE(chain_count, 2);
	EXPECT_EQ((unsigned long)vdso_return, chain[1]);
}

TEST(vdso)
{
	if (!vdso_table().size)
		SKIP(return, "the vDSO has no table");
	record_in_vdso(_metadata);
	ASSERT_GT(chain_count, 2);
	EXPECT_EQ(noted[0], chain[2]);
}

/* The caller of the vDSO is found without any other table; its own is not. */
TEST(vdso_without_other_table)
{
	if (!vdso_table().size)
		SKIP(return, "the vDSO has no table");
	ASSERT_EQ(0, prctl(PR_REMOVE_SFRAME, own_table().start, 0UL, 0UL, 0UL));
	record_in_vdso(_metadata);
	EXPECT_EQ(2, chain_count);
}

#endif /* __x86_64__ */

extern const char after_exit[];

/* Noted by a child, for its parent. */
static unsigned long *noted_by_child;

static noinline void exit_now(void)
{
	NOTE();
	memcpy(noted_by_child, noted, sizeof(noted));
	SYSTEM_CALL(after_exit, SYS_exit, 0, 0);
	KEEP();
}

/* A child that exits on CPU 0 after it has read from @told. */
static pid_t exiting_child(int told)
{
	cpu_set_t cpus;
	pid_t pid = fork();
	char c;

	if (pid)
		return pid;
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	touch_own_table();
	if (read(told, &c, 1) == 1)
		no_fp(exit_now);
	_exit(1);
}

static int wait_status(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/*
 * Let the task @pid, which reads from @tell, exit. On the way it stops for its
 * tracer, the caller. Return its exit status, or -1 if it does not stop.
 */
static int let_exit(pid_t pid, int tell)
{
	if (write(tell, "", 1) != 1 ||
	    wait_status(pid) >> 8 != (SIGTRAP | PTRACE_EVENT_EXIT << 8) ||
	    ptrace(PTRACE_CONT, pid, NULL, NULL))
		return -1;
	return wait_status(pid);
}

/*
 * The exiting task stops for its tracer, which causes a context switch in the
 * kernel. The stack that this event requests is due when the task returns to
 * user space, which it never does.
 */
TEST(exit_with_request)
{
	struct perf_event_attr attr = chain_attr(PERF_TYPE_SOFTWARE,
						 PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct ring ring;
	int tell[2];
	pid_t pid;

	noted_by_child = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, noted_by_child);
	ASSERT_EQ(0, pipe(tell));
	noted_count = 0;
	pid = exiting_child(tell[0]);
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACEEXIT));
	/*
	 * An event of the CPU, since those of the task are gone before its last
	 * stack. It gets stacks only with task records.
	 */
	attr.task = 1;
	ASSERT_EQ(0, open_ring(&ring, &attr, -1, 0));
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	ASSERT_EQ(0, let_exit(pid, tell[1]));
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);

	/* One for each context switch. */
	EXPECT_LE(1, read_chain(&ring, (unsigned long)after_exit));
	close_ring(&ring);
	ASSERT_GT(chain_count, 2);
	EXPECT_EQ(noted_by_child[1], chain[1]);
	EXPECT_EQ(noted_by_child[0], chain[2]);
}

TEST_HARNESS_MAIN
