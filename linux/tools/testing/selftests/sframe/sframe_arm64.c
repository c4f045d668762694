// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test stacks that the kernel unwinds by SFrame tables: cases of arm64 only.
 *
 * Some functions are in sframe_arm64_code.S.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "sframe_chain.h"

typedef void (*callee)(void);

void by_record(callee next);
void by_tagged_record(callee next);
void by_signed_call(callee next);
extern const char by_record_return[], by_tagged_record_return[];
extern const char by_signed_call_return[];

void record_by_sp(void (*through)(callee next), callee next);
void no_record_by_sp(void (*through)(callee next), callee next);
void kept_record_by_sp(void (*through)(callee next), callee next);
extern const char record_by_sp_return[], no_record_by_sp_return[];
extern const char kept_record_by_sp_return[];

static void (*through)(callee next);
static void (*inner)(void);

#define __has_record	__attribute__((optimize("no-omit-frame-pointer")))

/* Has a frame record, at the bottom of the frame, to which FP points. */
static noinline __has_record void with_record(void)
{
	char local[72];

	USE(local);
	NOTE();
	through(plain);
	KEEP();
}

static noinline void with_table(void)
{
	char local[40];

	USE(local);
	NOTE();
	record_by_sp(through, plain);
	KEEP();
}

static noinline void with_other_fp(void)
{
	NOTE();
	no_record_by_sp(through, plain);
	KEEP();
}

/* Its record is in FP when kept_record_by_sp() calls code without a table. */
static noinline __has_record void with_kept_fp(void)
{
	NOTE();
	kept_record_by_sp(through, plain);
	KEEP();
}

/* SP and the other registers must be right from here on. */
static noinline void outer(void)
{
	char local[136];

	USE(local);
	NOTE();
	inner();
	KEEP();
}

static noinline __saves_fp void outermost(void)
{
	NOTE();
	USE_SAVED_REGS();
	outer();
	KEEP();
}

static void record_through(struct __test_metadata *_metadata,
			   void (*function)(callee next), void (*caller)(void))
{
	through = function;
	inner = caller;
	rehearse(outermost);
	ASSERT_EQ(1, record(outermost));
	/* Noted: outermost, outer, the caller, plain, probe. */
	ASSERT_EQ(5, noted_count);
	EXPECT_EQ(noted[4], chain[1]);
}

/*
 * The frames from @nr on are that of @caller, whose FP says where SP is, and
 * its callers.
 */
static void expect_callers(struct __test_metadata *_metadata, int nr,
			   void (*caller)(void))
{
	ASSERT_GT(chain_count, nr + 3);
	EXPECT_LT((unsigned long)caller, chain[nr]);
	EXPECT_GT((unsigned long)caller + 256, chain[nr]);
	EXPECT_EQ(noted[2], chain[nr + 1]);
	EXPECT_EQ(noted[1], chain[nr + 2]);
	EXPECT_EQ(noted[0], chain[nr + 3]);
}

/* Without a table, FP does not say where SP is; the next table does. */
static void expect_through(struct __test_metadata *_metadata,
			   void (*function)(callee next), const char *ret)
{
	record_through(_metadata, function, with_record);
	EXPECT_EQ((unsigned long)ret, chain[2]);
	expect_callers(_metadata, 3, with_record);
}

TEST(record_without_table)
{
	expect_through(_metadata, by_record, by_record_return);
}

/* The CFA is based on SP, and found by FP. */
TEST(record_with_table)
{
	record_through(_metadata, by_record, with_table);
	EXPECT_EQ((unsigned long)by_record_return, chain[2]);
	EXPECT_EQ((unsigned long)record_by_sp_return, chain[3]);
	expect_callers(_metadata, 4, with_table);
}

/* A wrong guess would show frames that there are not. */
TEST(other_frame_pointer)
{
	record_through(_metadata, by_record, with_other_fp);
	ASSERT_EQ(4, chain_count);
	EXPECT_EQ((unsigned long)by_record_return, chain[2]);
	EXPECT_EQ((unsigned long)no_record_by_sp_return, chain[3]);
}

/* So would the record of another frame; and its own frame would be missing. */
TEST(frame_pointer_of_caller)
{
	record_through(_metadata, by_record, with_kept_fp);
	ASSERT_EQ(4, chain_count);
	EXPECT_EQ((unsigned long)by_record_return, chain[2]);
	EXPECT_EQ((unsigned long)kept_record_by_sp_return, chain[3]);
}

TEST(tagged_frame_pointer)
{
	expect_through(_metadata, by_tagged_record, by_tagged_record_return);
}

TEST(signed_call)
{
	if (!(getauxval(AT_HWCAP) & HWCAP_PACA))
		SKIP(return, "the processor signs no addresses");
	expect_through(_metadata, by_signed_call, by_signed_call_return);
}

/* The functions of the PLT jump to the address in this page. */
extern unsigned long plt_page[];
void plt_target(void);
void plt_start_target(void);

#define PLT(name)	\
	void name(void);						\
	extern const char name##_access[]

PLT(plt_plain);
PLT(plt_bti);
PLT(plt_signed);
PLT(plt_bti_signed);
PLT(plt_start);
PLT(plt_start_bti);

static void (*plt)(void);

static noinline __saves_fp void call_plt(void)
{
	char local[40];

	USE(local);
	NOTE();
	USE_SAVED_REGS();
	plt();
	KEEP();
}

static noinline void call_call_plt(void)
{
	NOTE();
	call_plt();
	KEEP();
}

/* pacia1716: sign an address as linkers and loaders do for a PLT. */
static unsigned long sign(unsigned long address)
{
	register unsigned long signed_ asm("x17") = address;
	register unsigned long *slot asm("x16") = plt_page;

	asm("hint #8" : "+r" (signed_) : "r" (slot));
	return signed_;
}

/* Map @address at the page: the first access to it is a page fault. */
static int map_target(unsigned long address)
{
	int fd = memfd_create("plt", 0);

	if (fd < 0 || ftruncate(fd, PAGE) ||
	    pwrite(fd, &address, sizeof(address), 0) != sizeof(address) ||
	    mmap(plt_page, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) !=
	    plt_page)
		return -1;
	return close(fd);
}

static void expect_plt(struct __test_metadata *_metadata, void (*entry)(void),
		       const char *access, unsigned long target)
{
	struct perf_event_attr attr = chain_attr(PERF_TYPE_SOFTWARE,
						 PERF_COUNT_SW_PAGE_FAULTS);

	plt = entry;
	ASSERT_EQ(0, map_target(target));
	rehearse(call_call_plt);
	ASSERT_EQ(0, map_target(target));
	ASSERT_EQ(1, record_event(&attr, call_call_plt, (unsigned long)access));
	ASSERT_EQ(2, noted_count);
	ASSERT_GT(chain_count, 3);
	EXPECT_LT((unsigned long)call_plt, chain[1]);
	EXPECT_GT((unsigned long)call_plt + 256, chain[1]);
	EXPECT_EQ(noted[1], chain[2]);
	EXPECT_EQ(noted[0], chain[3]);
}

#define EXPECT_PLT(name, target)	\
	expect_plt(_metadata, name, name##_access, target)

TEST(plt_entries)
{
	unsigned long target = (unsigned long)plt_target;
	unsigned long start_target = (unsigned long)plt_start_target;

	EXPECT_PLT(plt_plain, target);
	EXPECT_PLT(plt_bti, target);
	EXPECT_PLT(plt_signed, sign(target));
	EXPECT_PLT(plt_bti_signed, sign(target));
	EXPECT_PLT(plt_start, start_target);
	EXPECT_PLT(plt_start_bti, start_target);
}

/* The trace that @handler takes of @function, which calls no other function. */
static void record_handled(struct __test_metadata *_metadata, int signal,
			   void (*handler)(int signal), void (*function)(void))
{
	struct sigaction action = { .sa_handler = handler };

	ASSERT_EQ(0, sigaction(signal, &action, NULL));
	rehearse(function);
	ASSERT_EQ(1, record(function));
	/* Noted: the function, plain, probe. */
	ASSERT_EQ(3, noted_count);
	ASSERT_GT(chain_count, 6);
}

static sigjmp_buf back;
void trap_at_end(void);
extern const char trap_here[];

static void leave(int signal)
{
	plain();
	siglongjmp(back, 1);
}

static noinline __saves_fp void call_trap(void)
{
	NOTE();
	USE_SAVED_REGS();
	if (!sigsetjmp(back, 1))
		trap_at_end();
	KEEP();
}

/* The PC of the signal is that of the trap, not the next instruction. */
TEST(trap_at_the_end)
{
	record_handled(_metadata, SIGTRAP, leave, call_trap);
	EXPECT_EQ(noted[2], chain[1]);
	EXPECT_EQ(noted[1], chain[2]);
	/* chain[2] is in leave(), chain[3] the restorer. */
	EXPECT_EQ((unsigned long)trap_here, chain[4]);
	EXPECT_EQ(noted[0], chain[6]);
}

static unsigned long interrupted;
extern const char after_kill[];

static void on_signal(int signal)
{
	plain();
	KEEP();
}

static noinline __saves_fp void signalled(void)
{
	NOTE();
	USE_SAVED_REGS();
	SYSTEM_CALL(after_kill, SYS_tkill, syscall(SYS_gettid), SIGUSR1);
	interrupted = (unsigned long)after_kill;
	KEEP();
}

/* The kernel's structure, with the restorer that libc leaves to the vDSO. */
struct kernel_sigaction {
	void (*handler)(int signal);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

#define SA_RESTORER	0x04000000

/* mov x8, #139; svc #0, in memory without a table. */
TEST(restorer_of_its_own)
{
	static const unsigned int code[] = { 0xd2801168, 0xd4000001 };
	struct kernel_sigaction action = {
		.handler = on_signal, .flags = SA_RESTORER,
	};
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, page);
	memcpy(page, code, sizeof(code));
	ASSERT_EQ(0, mprotect(page, PAGE, PROT_READ | PROT_EXEC));
	action.restorer = (void (*)(void))page;
	ASSERT_EQ(0, syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, 8));
	rehearse(signalled);
	ASSERT_EQ(1, record(signalled));
	/* Noted: signalled, plain, probe. */
	ASSERT_EQ(3, noted_count);
	ASSERT_GT(chain_count, 5);
	EXPECT_EQ((unsigned long)page, chain[3]);
	EXPECT_EQ(interrupted, chain[4]);
	EXPECT_EQ(noted[0], chain[5]);
}

void handler_by_record(int signal);
extern const char handler_by_record_return[];

/* Called by handler_by_record(). */
noinline void in_handler(void)
{
	plain();
	KEEP();
}

/* FP leads to the restorer; the interrupted frame is in the signal frame. */
TEST(handler_without_table)
{
	record_handled(_metadata, SIGUSR1, handler_by_record, signalled);
	EXPECT_EQ((unsigned long)handler_by_record_return, chain[3]);
	/* chain[4] is the restorer in the vDSO. */
	EXPECT_EQ(interrupted, chain[5]);
	EXPECT_EQ(noted[0], chain[6]);
}

static int (*vdso_gettime)(clockid_t clock, struct timespec *time);

static noinline __saves_fp void call_vdso(void)
{
	char local[40];

	USE(local);
	NOTE();
	USE_SAVED_REGS();
	vdso_gettime(CLOCK_MONOTONIC, (struct timespec *)fresh);
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
	ASSERT_LE(1, record_event(&attr, call_vdso, 0));
	while (i < chain_count && chain[i] - vdso.text < vdso.text_size)
		i++;
	EXPECT_LE(1, i);
	ASSERT_GT(chain_count, i + 1);
	EXPECT_LT((unsigned long)call_vdso, chain[i]);
	EXPECT_GT((unsigned long)call_vdso + 256, chain[i]);
	EXPECT_EQ(noted[0], chain[i + 1]);
}

TEST_HARNESS_MAIN
