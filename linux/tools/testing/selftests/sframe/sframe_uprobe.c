// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test that the kernel shows the stacks of a probed program as if it were not
 * probed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../kselftest_harness.h"
#include "sframe_chain.h"

static volatile int wanted;
extern const char probed_here[];

/* A probe is at an instruction, at the start or at the return of this. */
static noinline void probed(void)
{
	char local[40];

	USE(local);
	NOTE();
	asm volatile(".globl probed_here\n"
		     "probed_here:\n\t"
		     ARCH_MOVE : : : "memory");
	if (wanted)
		probe();
	KEEP();
}

/* Its table is needed to find the rest of the stack. */
static noinline __saves_fp void call_probed(void)
{
	NOTE();
	USE_SAVED_REGS();
	probed();
	KEEP();
}

/* Called from different places. */
static noinline void call_again(void)
{
	call_probed();
	KEEP();
}

/* A chain of calls, all of them probed. */
static noinline void recursive(int n)
{
	char local[24];

	USE(local);
	NOTE();
	if (n)
		recursive(n - 1);
	else
		probe();
	KEEP();
}

static void call_recursive(void)
{
	recursive(5);
	KEEP();
}

/* The offset in the program's file of the code at @address. */
static unsigned long file_offset(unsigned long address)
{
	const Elf64_Phdr *phdr = (const void *)getauxval(AT_PHDR);
	unsigned long base = 0;

	for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
		if (phdr[i].p_type == PT_PHDR)
			base = (unsigned long)phdr - phdr[i].p_vaddr;
	for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
		if (phdr[i].p_type == PT_LOAD &&
		    address - base - phdr[i].p_vaddr < phdr[i].p_filesz)
			return address - base - phdr[i].p_vaddr +
			       phdr[i].p_offset;
	return 0;
}

/* An event of a uprobe at @address, or of the return from there. */
static int probe_attr(struct perf_event_attr *attr, unsigned long address,
		      int at_return)
{
	int type = read_number("/sys/bus/event_source/devices/uprobe/type");

	if (type < 0)
		return -1;
	*attr = chain_attr(type, at_return);
	attr->uprobe_path = (unsigned long)"/proc/self/exe";
	attr->probe_offset = file_offset(address);
	return 0;
}

/* The return addresses of probed() and its callers, without a probe. */
static unsigned long known[DEPTH_MAX];
static int known_count;

static void learn(void (*path)(void))
{
	rehearse(path);
	memcpy(known, noted, sizeof(noted));
	known_count = noted_count;
}

/* Take the sample of a probe: the chain of call_again() and its callees. */
static void take_sample(struct __test_metadata *_metadata,
			unsigned long address, int at_return)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, probe_attr(&attr, address, at_return));
	wanted = 0;
	learn(call_again);
	ASSERT_EQ(1, record_event(&attr, call_again, 0));
	ASSERT_GT(chain_count, 2);
}

/*
 * The instruction at @address runs in an XOL slot, unless the kernel emulates
 * it; then the chain begins after it.
 */
static void expect_probe(struct __test_metadata *_metadata,
			 unsigned long address)
{
	take_sample(_metadata, address, 0);
	EXPECT_GE(8, chain[0] - address);
	EXPECT_EQ(known[1], chain[1]);
	EXPECT_EQ(known[0], chain[2]);
}

TEST(probed_instruction)
{
	expect_probe(_metadata, (unsigned long)probed_here);
}

TEST(probed_start)
{
	expect_probe(_metadata, (unsigned long)probed);
}

/* The sample of the return: the program is in the caller. */
TEST(probed_return)
{
	take_sample(_metadata, (unsigned long)probed, 1);
	EXPECT_EQ(known[1], chain[0]);
	EXPECT_EQ(known[0], chain[1]);
}

/* Take another event in a callee of @path's function with a return probe. */
static void expect_below(struct __test_metadata *_metadata, void (*path)(void),
			 unsigned long function)
{
	struct perf_event_attr attr;
	struct ring returns;
	int found, i;

	ASSERT_EQ(0, probe_attr(&attr, function, 1));
	wanted = 1;
	learn(path);
	ASSERT_EQ(0, open_ring(&returns, &attr, 0, -1));
	ioctl(returns.fd, PERF_EVENT_IOC_ENABLE, 0);
	found = record(path);
	close_ring(&returns);
	ASSERT_EQ(1, found);
	ASSERT_GT(chain_count, known_count);
	EXPECT_EQ((unsigned long)probe_access, chain[0]);
	for (i = 0; i < known_count; i++)
		EXPECT_EQ(known[known_count - 1 - i], chain[1 + i]) {
			TH_LOG("frame %d of %d", i + 1, known_count);
		}
}

TEST(below_probed_return)
{
	expect_below(_metadata, call_again, (unsigned long)probed);
}

TEST(below_probed_returns)
{
	expect_below(_metadata, call_recursive, (unsigned long)recursive);
}

/* The sample of a return sends a signal, which comes before its end. */
static noinline void on_sample(int sig)
{
	noted_count = 0;
	NOTE();
	probe();
	KEEP();
}

TEST(signal_at_probed_return)
{
	struct sigaction action = { .sa_handler = on_sample };
	struct perf_event_attr attr;
	struct ring returns;
	int found;

	ASSERT_EQ(0, probe_attr(&attr, (unsigned long)probed, 1));
	attr.wakeup_events = 1;
	wanted = 0;
	learn(call_again);
	ASSERT_EQ(0, sigaction(SIGIO, &action, NULL));
	ASSERT_EQ(0, open_ring(&returns, &attr, 0, -1));
	ASSERT_EQ(0, fcntl(returns.fd, F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(returns.fd, F_SETFL, O_ASYNC));
	ioctl(returns.fd, PERF_EVENT_IOC_ENABLE, 0);
	found = record(call_again);
	close_ring(&returns);
	ASSERT_EQ(1, found);
	ASSERT_LT(4, chain_count);
	EXPECT_EQ(noted[1], chain[1]);
	EXPECT_EQ(noted[0], chain[2]);
	EXPECT_EQ(known[1], chain[3]);
	EXPECT_EQ(known[0], chain[4]);
}

#ifdef __x86_64__

/* These end like the trampolines for probes, see sframe_x86_code.S. */
extern const char like_uretprobe_end[], like_uprobe_end[];

static noinline __saves_fp void call_like_uretprobe(void)
{
	NOTE();
	USE_SAVED_REGS();
	asm volatile("call like_uretprobe" : : : "memory");
	KEEP();
}

static noinline __saves_fp void call_like_uprobe(void)
{
	NOTE();
	USE_SAVED_REGS();
	/* It removes 128 bytes, as the kernel's does for the red zone. */
	asm volatile("sub $256, %%rsp\n\t"
		     ".cfi_adjust_cfa_offset 256\n\t"
		     "call like_uprobe\n\t"
		     ".cfi_adjust_cfa_offset -128\n\t"
		     "add $128, %%rsp\n\t"
		     ".cfi_adjust_cfa_offset -128"
		     : : : "memory");
	KEEP();
}

/* Stop at @address, where @path comes by once. */
static void stop_at(struct __test_metadata *_metadata, void (*path)(void),
		    unsigned long address)
{
	struct perf_event_attr attr = chain_attr(PERF_TYPE_BREAKPOINT, 0);

	attr.bp_type = HW_BREAKPOINT_X;
	attr.bp_addr = address;
	attr.bp_len = sizeof(long);
	attr.exclude_kernel = 1;
	ASSERT_EQ(1, record_event(&attr, path, 0));
	ASSERT_GT(chain_count, 2);
}

/* Stop at @address in a callee of @path. */
static void expect_own_code(struct __test_metadata *_metadata,
			    void (*path)(void), unsigned long address)
{
	stop_at(_metadata, path, address);
	EXPECT_EQ(address, chain[0]);
	EXPECT_LT((unsigned long)path, chain[1]);
	EXPECT_EQ(noted[0], chain[2]);
}

/* After a probe elsewhere, code of the program is still its own. */
TEST(code_like_trampolines)
{
	take_sample(_metadata, (unsigned long)probed, 0);
	expect_own_code(_metadata, call_like_uretprobe,
			(unsigned long)like_uretprobe_end);
	expect_own_code(_metadata, call_like_uprobe,
			(unsigned long)like_uprobe_end);
}

/* An optimized probe replaces this NOP by LEA and CALL. */
extern const char nop_here[];

static noinline void with_nop(void)
{
	char local[40];

	USE(local);
	NOTE();
	asm volatile(".balign 16\n"
		     "nop_here:\n\t"
		     ".byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0"
		     : : : "memory");
	KEEP();
}

static noinline __saves_fp void call_with_nop(void)
{
	NOTE();
	USE_SAVED_REGS();
	with_nop();
	KEEP();
}

/* Stop at @address; the chain shows @shown there, and the callers. */
static void expect_near_nop(struct __test_metadata *_metadata,
			    unsigned long address, unsigned long shown)
{
	stop_at(_metadata, call_with_nop, address);
	EXPECT_EQ(shown, chain[0]);
	EXPECT_EQ(noted[1], chain[1]);
	EXPECT_EQ(noted[0], chain[2]);
}

/*
 * Between LEA and CALL, and at each instruction of the trampoline, the program
 * is at the NOP, with the stack of a program without a probe.
 */
TEST(optimized_probe)
{
	static const int instructions[] = { 0, 1, 3, 4, 11, 13, 14, 16, 17 };
	unsigned long call = (unsigned long)nop_here + 5, trampoline;
	struct perf_event_attr attr;
	struct ring ring;
	int distance;

	ASSERT_EQ(0, probe_attr(&attr, (unsigned long)nop_here, 0));
	attr.sample_type = PERF_SAMPLE_IP;
	attr.defer_callchain = 0;
	attr.defer_output = 0;
	ASSERT_EQ(0, open_ring(&ring, &attr, 0, -1));
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	rehearse(call_with_nop);
	if (*(const unsigned char *)call != 0xe8)
		SKIP(return, "probes are not optimized here");
	memcpy(&distance, (const char *)call + 1, sizeof(distance));
	trampoline = call + 5 + distance;
	expect_near_nop(_metadata, call, call);
	for (size_t i = 0; i < sizeof(instructions) / sizeof(int); i++)
		expect_near_nop(_metadata, trampoline + instructions[i],
				call + 5);
	close_ring(&ring);
}

#endif /* __x86_64__ */

TEST_HARNESS_MAIN
