// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test that the kernel unwinds stacks of s390x by the back chain, also if some
 * frames have an SFrame table instead.
 *
 * The C code is compiled with back chain and without table; the functions in
 * sframe_backchain_code.S have a table and no back chain.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>

#include "../kselftest_harness.h"
#include "sframe_chain.h"

typedef void (*path_function)(void);

path_function inner;
unsigned long by_sp_return, by_fp_return;
extern const char by_sp_after[], by_fp_after[], unknown_after[];
void by_sp(path_function next);
void by_fp(path_function next);
void unknown(path_function next);

extern const char touch_access[];

static noinline void nothing(void)
{
	KEEP();
}

/* Unlike probe(), this makes a call and so has a frame. */
static noinline void touch(void)
{
	NOTE();
	nothing();
	asm volatile(".globl touch_access\n"
		     "touch_access:\n\t"
		     ARCH_TOUCH : : ARCH_ADDRESS (fresh) : "memory");
	nothing();
	KEEP();
}

static noinline void call_touch(void)
{
	NOTE();
	touch();
	KEEP();
}

static noinline void call_call_touch(void)
{
	NOTE();
	USE_SAVED_REGS();
	call_touch();
	KEEP();
}

static int record_touch(path_function path)
{
	struct perf_event_attr attr = chain_attr(PERF_TYPE_SOFTWARE,
						 PERF_COUNT_SW_PAGE_FAULTS);

	rehearse(path);
	return record_event(&attr, path, (unsigned long)touch_access);
}

/* Only the functions in assembler have a table. */
TEST(alone)
{
	struct own_table own = own_table();

	ASSERT_NE(0, own.size);
	ASSERT_EQ(0, drop(own.start));
	ASSERT_EQ(1, record_touch(call_call_touch));
	ASSERT_GT(chain_count, 3);
	EXPECT_EQ((unsigned long)touch_access, chain[0]);
	EXPECT_EQ(noted[2], chain[1]);
	EXPECT_EQ(noted[1], chain[2]);
	EXPECT_EQ(noted[0], chain[3]);
}

static noinline void call_by_sp(void)
{
	NOTE();
	by_sp(call_touch);
	KEEP();
}

/* From back chain to table and back again. */
TEST(mixed)
{
	ASSERT_EQ(1, record_touch(call_by_sp));
	ASSERT_GT(chain_count, 4);
	EXPECT_EQ(noted[2], chain[1]);
	EXPECT_EQ((unsigned long)by_sp_after, chain[2]);
	EXPECT_EQ(by_sp_return, chain[3]);
	EXPECT_EQ(noted[0], chain[4]);
}

static noinline void call_by_fp(void)
{
	NOTE();
	by_fp(call_touch);
	KEEP();
}

/* The next frame needs FP, which is unknown after a back chain step. */
TEST(fp_is_lost)
{
	ASSERT_EQ(1, record_touch(call_by_fp));
	ASSERT_GE(chain_count, 3);
	EXPECT_EQ(noted[2], chain[1]);
	EXPECT_EQ((unsigned long)by_fp_after, chain[2]);
	EXPECT_EQ(3, chain_count);
}

static noinline void call_both(void)
{
	NOTE();
	inner = call_touch;
	by_fp((path_function)by_sp);
	KEEP();
}

/* A frame in between has saved FP. */
TEST(fp_is_found_again)
{
	ASSERT_EQ(1, record_touch(call_both));
	ASSERT_GT(chain_count, 5);
	EXPECT_EQ(noted[2], chain[1]);
	EXPECT_EQ((unsigned long)by_sp_after, chain[2]);
	EXPECT_EQ((unsigned long)by_fp_after, chain[3]);
	EXPECT_EQ(by_fp_return, chain[4]);
	EXPECT_EQ(noted[0], chain[5]);
}

static noinline void call_unknown(void)
{
	NOTE();
	unknown(call_touch);
	KEEP();
}

/* Without a back chain, the trace ends rather than show a wrong frame. */
TEST(no_backchain)
{
	ASSERT_EQ(1, record_touch(call_unknown));
	ASSERT_GE(chain_count, 3);
	EXPECT_EQ(noted[2], chain[1]);
	EXPECT_EQ((unsigned long)unknown_after, chain[2]);
	EXPECT_EQ(3, chain_count);
}

static void handler(int signal)
{
	touch();
	KEEP();
}

extern const char after_tkill[];

static noinline void signalled(void)
{
	NOTE();
	SYSTEM_CALL(after_tkill, SYS_tkill, syscall(SYS_gettid), SIGUSR1);
	nothing();
	KEEP();
}

TEST(signal_frame)
{
	struct sigaction action = { .sa_handler = handler };

	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	ASSERT_EQ(0, drop(own_table().start));
	ASSERT_EQ(1, record_touch(signalled));
	ASSERT_GT(chain_count, 4);
	EXPECT_EQ(noted[1], chain[1]);
	/* chain[2] is the restorer. */
	EXPECT_EQ((unsigned long)after_tkill, chain[3]);
	EXPECT_EQ(noted[0], chain[4]);
}

TEST_HARNESS_MAIN
