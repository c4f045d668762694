// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the registration of SFrame tables: each error, and the lifetime of
 * registrations across changes of mappings and processes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "sframe_test.h"

/* A table with one function that has one row. */
struct table {
	struct table_header header;
	struct table_fde fde;
	struct table_attr attr;
	unsigned char row[3];
} __packed;

static const struct table good = {
	.header = {
		.magic = 0xdee2, .version = 3, .flags = 1, .abi = ARCH_ABI,
		.fixed_ra = ARCH_FIXED_RA, .nr_fdes = 1, .nr_fres = 1,
		.fre_len = sizeof(struct table_attr) + 3,
		.fre_off = sizeof(struct table_fde),
	},
	.fde = { .start = PAGE, .size = PAGE },
	.attr = { .nr_fres = 1 },
	.row = { 0, 3, 8 },
};

/* Table in the first page, text in the two that follow, then a hole. */
FIXTURE(sframe) {
	unsigned char *map;
	unsigned long table, text;
};

FIXTURE_SETUP(sframe)
{
	self->map = mmap(NULL, 16 * PAGE, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(self->map, MAP_FAILED);
	ASSERT_EQ(0, mprotect(self->map, PAGE, PROT_READ | PROT_WRITE));
	memcpy(self->map, &good, sizeof(good));
	ASSERT_EQ(0, mprotect(self->map + PAGE, 2 * PAGE,
			      PROT_READ | PROT_EXEC));
	ASSERT_EQ(0, munmap(self->map + 3 * PAGE, 4 * PAGE));
	self->table = (unsigned long)self->map;
	self->text = self->table + PAGE;
}

FIXTURE_TEARDOWN(sframe)
{
	munmap(self->map, 16 * PAGE);
}

static int add_good(unsigned long table, unsigned long text)
{
	return add(table, sizeof(good), text, PAGE);
}

TEST_F(sframe, add_and_remove)
{
	/* The call by which ld.so asks for support. */
	EXPECT_EQ(ENOENT, drop(0));
	EXPECT_EQ(ENOENT, drop(self->table));
	EXPECT_EQ(0, add_good(self->table, self->text));
	EXPECT_EQ(ENOENT, drop(self->table + 4));
	EXPECT_EQ(0, drop(self->table));
	EXPECT_EQ(ENOENT, drop(self->table));
}

TEST_F(sframe, remove_arguments)
{
	EXPECT_EQ(0, add_good(self->table, self->text));
	for (int i = 0; i < 3; i++) {
		errno = 0;
		EXPECT_EQ(-1, prctl(PR_REMOVE_SFRAME, self->table,
				    (unsigned long)(i == 0),
				    (unsigned long)(i == 1),
				    (unsigned long)(i == 2)));
		EXPECT_EQ(EINVAL, errno);
	}
	EXPECT_EQ(0, drop(self->table));
}

/* The answer to the registration of @n ranges of @size bytes. */
static int add_array(const void *ranges, unsigned long n, unsigned long size,
		     unsigned long flags)
{
	int answer = prctl(PR_ADD_SFRAME, ranges, n, size, flags);

	return answer < 0 ? -errno : answer;
}

/* One table for 40 ranges of text, more than are registered at a time. */
TEST_F(sframe, array)
{
	struct prctl_sframe ranges[40];
	const unsigned long size = sizeof(*ranges);

	for (int i = 0; i < 40; i++)
		ranges[i] = (struct prctl_sframe) {
			self->table, sizeof(good), self->text + i, 1
		};
	EXPECT_EQ(0, add_array(ranges, 0, size, 0));
	EXPECT_EQ(ENOENT, drop(self->table));
	EXPECT_EQ(40, add_array(ranges, 40, size, 0));
	EXPECT_EQ(40, add_array(ranges, 40, size, 0));
	EXPECT_EQ(0, drop(self->table));

	ranges[20].text_size = 0;
	EXPECT_EQ(20, add_array(ranges, 40, size, 0));
	EXPECT_EQ(-EINVAL, add_array(ranges + 20, 20, size, 0));
	EXPECT_EQ(19, add_array(ranges + 21, 19, size, 0));
	/* The text that was left out. */
	EXPECT_EQ(EEXIST, add(self->table, sizeof(good), self->text + 20, 2));
	EXPECT_EQ(0, add(self->table, sizeof(good), self->text + 20, 1));
}

/*
 * The rows of the second table go beyond its end. A kernel that checks whole
 * tables ends there, any other takes all three.
 */
TEST_F(sframe, array_bad_rows)
{
	struct table *bad = (struct table *)(self->map + 256);
	struct prctl_sframe ranges[] = {
		{ self->table, sizeof(good), self->text, 16 },
		{ self->table + 256, sizeof(good), self->text + 16, 16 },
		{ self->table, sizeof(good), self->text + 32, 16 },
	};
	int answer;

	*bad = good;
	bad->attr.nr_fres = 0xffff;
	answer = add_array(ranges, 3, sizeof(*ranges), 0);
	EXPECT_TRUE(answer == 1 || answer == 3);
	EXPECT_EQ(answer == 1 ? ENOENT : 0, drop(self->table + 256));
	EXPECT_EQ(answer == 1 ? -EINVAL : 1,
		  add_array(ranges + 1, 1, sizeof(*ranges), 0));
	EXPECT_EQ(0, drop(self->table));
}

TEST_F(sframe, array_arguments)
{
	struct {
		struct prctl_sframe range;
		uint64_t more;
	} large = { { self->table, sizeof(good), self->text, PAGE }, 1 };
	const unsigned long size = sizeof(large.range);

	EXPECT_EQ(-EINVAL, add_array(&large, 1, size - 1, 0));
	EXPECT_EQ(-EINVAL, add_array(&large, 1, 0, 0));
	EXPECT_EQ(-EINVAL, add_array(&large, 1, size, 1));
	EXPECT_EQ(-E2BIG, add_array(&large, 1, 1 << 20, 0));
	EXPECT_EQ(-E2BIG, add_array(&large, 1, sizeof(large), 0));
	/* The hole after the text. */
	EXPECT_EQ(-EFAULT, add_array(self->map + 3 * PAGE, 1, size, 0));
	EXPECT_EQ(-EFAULT, add_array((void *)-PAGE, 1, size, 0));
	EXPECT_EQ(ENOENT, drop(self->table));
	large.more = 0;
	EXPECT_EQ(1, add_array(&large, 1, sizeof(large), 0));
	EXPECT_EQ(0, drop(self->table));
}

TEST_F(sframe, ranges)
{
	unsigned long t = self->table, x = self->text, n = sizeof(good);
	unsigned long kernel = 0xffffffff81000000UL;

	EXPECT_EQ(EINVAL, add(0, n, x, PAGE));
	EXPECT_EQ(EINVAL, add(t, 0, x, PAGE));
	EXPECT_EQ(EINVAL, add(t, n, 0, PAGE));
	EXPECT_EQ(EINVAL, add(t, n, x, 0));
	EXPECT_EQ(EINVAL, add(t, -t, x, PAGE));
	EXPECT_EQ(EINVAL, add(t, -1UL, x, PAGE));
	EXPECT_EQ(EINVAL, add(t, n, x, -1UL));
	EXPECT_EQ(EINVAL, add(kernel, n, x, PAGE));
	EXPECT_EQ(EINVAL, add(t, n, kernel, PAGE));
	EXPECT_EQ(EINVAL, add(t, PAGE + 1, x, PAGE));
	EXPECT_EQ(EINVAL, add(t, n, x, 2 * PAGE + 1));
	EXPECT_EQ(EINVAL, add(t, n, x + 2 * PAGE, PAGE));
	EXPECT_EQ(EINVAL, add(x + 2 * PAGE, n, x, PAGE));
	EXPECT_EQ(EINVAL, add(t, n - 1, x, PAGE));
	EXPECT_EQ(EINVAL, add(t, sizeof(struct table_header) - 1, x, PAGE));
	/* The table is not executable. */
	EXPECT_EQ(EINVAL, add(t, n, t, n));
	EXPECT_EQ(ENOENT, drop(t));
	EXPECT_EQ(0, add(t, PAGE, x, 2 * PAGE));
}

TEST_F(sframe, header)
{
	struct table_header *h = (struct table_header *)self->map;

#define REFUSED(field, value) do {					\
	memcpy(self->map, &good, sizeof(good));				\
	h->field = value;						\
	EXPECT_EQ(EINVAL, add_good(self->table, self->text)) {		\
		TH_LOG("%s = %s", #field, #value);			\
	}								\
} while (0)
	REFUSED(magic, 0xe2de);
	REFUSED(magic, 0);
	REFUSED(version, 2);
	REFUSED(version, 4);
	REFUSED(flags, 0);
	REFUSED(flags, 3);
	REFUSED(abi, ARCH_ABI - 1);
	REFUSED(abi, ARCH_ABI + 1);
	REFUSED(aux_len, 1);
	REFUSED(nr_fdes, 0);
	REFUSED(nr_fdes, 2);
	REFUSED(nr_fdes, UINT32_MAX);
	REFUSED(nr_fres, 2);
	REFUSED(fre_len, UINT32_MAX);
	REFUSED(fde_off, 1);
	REFUSED(fde_off, UINT32_MAX);
	REFUSED(fre_off, UINT32_MAX);
	EXPECT_EQ(ENOENT, drop(self->table));
}

/* Switch debug messages of the registry; return whether there are any. */
static bool debug(const char *how)
{
	int fd = open("/proc/dynamic_debug/control", O_WRONLY);
	bool ret = fd >= 0 && write(fd, how, strlen(how)) > 0;

	close(fd);
	return ret;
}

/* Whether one of the unread messages of @kmsg contains @text. */
static bool is_logged(int kmsg, const char *text)
{
	char line[1024];
	ssize_t len;

	while ((len = read(kmsg, line, sizeof(line) - 1)) > 0) {
		line[len] = 0;
		if (strstr(line, text))
			return true;
	}
	return false;
}

/* The message names the process, the file of the table and the reason. */
TEST_F(sframe, refusal_is_logged)
{
	struct table_header *h = (struct table_header *)self->map;
	int fd = memfd_create("old_table", 0);
	int kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char *text;

	ASSERT_LE(0, fd);
	if (kmsg < 0 || !debug("file kernel/unwind/sframe* +p"))
		SKIP(return, "no dynamic debug, or not for this user");
	h->version = 2;
	ASSERT_EQ(PAGE, write(fd, self->map, PAGE));
	/* A header that is not in memory would not be looked at. */
	ASSERT_EQ(self->map, mmap(self->map, PAGE, PROT_READ,
				  MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, fd, 0));
	ASSERT_LE(0, lseek(kmsg, 0, SEEK_END));
	EXPECT_EQ(EINVAL, add_good(self->table, self->text));
	ASSERT_TRUE(debug("file kernel/unwind/sframe* -p"));
	ASSERT_LT(0, asprintf(&text,
			      "sframe_prctl[%d]: table at %#lx in memfd:old_table refused: version 2",
			      getpid(), self->table));
	EXPECT_TRUE(is_logged(kmsg, text));
	free(text);
	close(kmsg);
	close(fd);
}

TEST_F(sframe, unreadable)
{
	/* In a mapping without access. */
	EXPECT_EQ(EFAULT, add_good(self->table + 8 * PAGE, self->text));
}

TEST_F(sframe, overlaps)
{
	unsigned long t = self->table, x = self->text, n = sizeof(good);

	memcpy(self->map + 256, &good, n);
	EXPECT_EQ(0, add(t, n, x + 64, 64));
	EXPECT_EQ(0, add(t, n, x + 64, 64));
	/* Another text range of the same table, and the neighbours. */
	EXPECT_EQ(0, add(t, n, x, 64));
	EXPECT_EQ(0, add(t + 256, n, x + 128, 64));
	EXPECT_EQ(EEXIST, add(t, n, x + 127, 1));
	EXPECT_EQ(EEXIST, add(t, n, x + 64, 63));
	EXPECT_EQ(EEXIST, add(t, n, x + 63, 65));
	EXPECT_EQ(EEXIST, add(t + 256, n, x + 64, 64));
	EXPECT_EQ(EEXIST, add(t, n, x, PAGE));
	/* A table that overlaps another one. */
	EXPECT_EQ(EEXIST, add(t, n + 1, x + 192, 64));
	EXPECT_EQ(0, drop(t));
	EXPECT_EQ(ENOENT, drop(t));
	EXPECT_EQ(0, add(t, n, x + 32, 96));
	EXPECT_EQ(0, drop(t + 256));
}

/* The same request succeeds again after mprotect() has split a mapping. */
TEST_F(sframe, again_when_split)
{
	EXPECT_EQ(0, add(self->table, sizeof(good), self->text, 2 * PAGE));
	ASSERT_EQ(0, mprotect(self->map + PAGE, PAGE, PROT_EXEC));
	EXPECT_EQ(0, add(self->table, sizeof(good), self->text, 2 * PAGE));
	EXPECT_EQ(EINVAL, add(self->table, sizeof(good), self->text,
			      2 * PAGE - 1));
	EXPECT_EQ(0, drop(self->table));
	EXPECT_EQ(EINVAL, add(self->table, sizeof(good), self->text,
			      2 * PAGE));
}

/* A table whose header was rewritten in place is a new one. */
TEST_F(sframe, again_with_another_header)
{
	struct table_header *h = (struct table_header *)self->map;

	EXPECT_EQ(0, add(self->table, PAGE, self->text, PAGE));
	h->fixed_ra -= 8;
	EXPECT_EQ(EEXIST, add(self->table, PAGE, self->text, PAGE));
	EXPECT_EQ(EEXIST, add(self->table, PAGE, self->text + PAGE, PAGE));
	h->magic = 0;
	EXPECT_EQ(EINVAL, add(self->table, PAGE, self->text, PAGE));
	h->magic = good.header.magic;
	h->fixed_ra += 8;
	EXPECT_EQ(0, add(self->table, PAGE, self->text, PAGE));
	h->fixed_ra -= 8;
	EXPECT_EQ(0, drop(self->table));
	EXPECT_EQ(0, add(self->table, PAGE, self->text, PAGE));
}

/* How many ranges the kernel lists; that of the vDSO is not counted by it. */
static unsigned long count_ranges(void)
{
	FILE *list = fopen("/proc/self/sframe", "r");
	unsigned long ranges = 0;
	char line[4096];

	while (list && fgets(line, sizeof(line), list))
		ranges += !strstr(line, " [vdso]\n");
	if (list)
		fclose(list);
	return ranges;
}

/* Some 20,000 calls, in an emulated machine with all checkers. */
TEST_F_TIMEOUT(sframe, limit, 300)
{
	unsigned long size = 32 * 1024;
	char *text = mmap(NULL, size, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long i;
	int ret = 0;

	ASSERT_NE(text, MAP_FAILED);
	for (i = 0; i < size && !ret; i++)
		ret = add(self->table, sizeof(good), (unsigned long)text + i,
			  1);
	EXPECT_EQ(ENOSPC, ret);
	EXPECT_EQ(16384, count_ranges());
	/* Same request again: success. Overlap: still an error. */
	EXPECT_EQ(0, add(self->table, sizeof(good), (unsigned long)text, 1));
	EXPECT_EQ(EEXIST, add(self->table, sizeof(good), (unsigned long)text,
			      2));
	EXPECT_EQ(0, drop(self->table));
	EXPECT_EQ(0, add_good(self->table, self->text));
}

TEST_F(sframe, munmap_text)
{
	EXPECT_EQ(0, add(self->table, PAGE, self->text, 2 * PAGE));
	EXPECT_EQ(0, munmap(self->map + 2 * PAGE, PAGE));
	EXPECT_EQ(ENOENT, drop(self->table));
}

TEST_F(sframe, munmap_one_of_two)
{
	unsigned long t = self->table, x = self->text;

	EXPECT_EQ(0, add_good(t, x));
	EXPECT_EQ(0, add_good(t, x + PAGE));
	EXPECT_EQ(0, munmap(self->map + 2 * PAGE, PAGE));
	/* The other is still there. */
	EXPECT_EQ(EEXIST, add(t, sizeof(good), x, 1));
	EXPECT_EQ(0, drop(t));
}

TEST_F(sframe, munmap_table)
{
	EXPECT_EQ(0, add_good(self->table, self->text));
	EXPECT_EQ(0, munmap(self->map, PAGE));
	EXPECT_EQ(ENOENT, drop(self->table));
}

TEST_F(sframe, munmap_elsewhere)
{
	EXPECT_EQ(0, add_good(self->table, self->text));
	EXPECT_EQ(0, munmap(self->map + 2 * PAGE, PAGE));
	EXPECT_EQ(0, drop(self->table));
}

TEST_F(sframe, map_over)
{
	EXPECT_EQ(0, add_good(self->table, self->text));
	EXPECT_EQ(self->map + PAGE,
		  mmap(self->map + PAGE, PAGE, PROT_READ | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	EXPECT_EQ(ENOENT, drop(self->table));
}

TEST_F(sframe, moved)
{
	EXPECT_EQ(0, add(self->table, sizeof(good), self->text, 2 * PAGE));
	EXPECT_EQ(self->map + 12 * PAGE,
		  mremap(self->map + PAGE, 2 * PAGE, 2 * PAGE,
			 MREMAP_MAYMOVE | MREMAP_FIXED,
			 self->map + 12 * PAGE));
	EXPECT_EQ(ENOENT, drop(self->table));
}

TEST_F(sframe, moved_but_not_unmapped)
{
	EXPECT_EQ(0, add_good(self->table, self->text));
	EXPECT_EQ(self->map + 12 * PAGE,
		  mremap(self->map, PAGE, PAGE,
			 MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
			 self->map + 12 * PAGE));
	EXPECT_EQ(ENOENT, drop(self->table));
}

/* Run @child, cloned with @flags; return its result. */
static int run_child(int flags, int (*child)(void *), void *arg)
{
	static max_align_t stack[4096];
	pid_t pid = clone(child, stack + ARRAY_SIZE(stack), flags | SIGCHLD,
			  arg);
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int drop_in_child(void *table)
{
	return drop((unsigned long)table);
}

TEST_F(sframe, fork_copies)
{
	EXPECT_EQ(0, add_good(self->table, self->text));
	EXPECT_EQ(0, run_child(0, drop_in_child, self->map));
	EXPECT_EQ(0, drop(self->table));
	EXPECT_EQ(ENOENT, run_child(0, drop_in_child, self->map));
}

TEST_F(sframe, fork_without_the_mapping)
{
	EXPECT_EQ(0, add_good(self->table, self->text));
	EXPECT_EQ(0, madvise(self->map, PAGE, MADV_DONTFORK));
	EXPECT_EQ(ENOENT, run_child(0, drop_in_child, self->map));
	EXPECT_EQ(0, drop(self->table));
}

/* A page that is wiped on fork ends the registration in the child. */
TEST_F(sframe, fork_with_the_mapping_wiped)
{
	EXPECT_EQ(0, add_good(self->table, self->text));
	EXPECT_EQ(0, madvise(self->map, PAGE, MADV_WIPEONFORK));
	EXPECT_EQ(ENOENT, run_child(0, drop_in_child, self->map));
	EXPECT_EQ(0, drop(self->table));
}

TEST_F(sframe, clone_vm_shares)
{
	EXPECT_EQ(0, add_good(self->table, self->text));
	EXPECT_EQ(0, run_child(CLONE_VM, drop_in_child, self->map));
	EXPECT_EQ(ENOENT, drop(self->table));
	EXPECT_EQ(0, add_good(self->table, self->text));
	EXPECT_EQ(0, run_child(CLONE_VM | CLONE_VFORK, drop_in_child,
			       self->map));
	EXPECT_EQ(ENOENT, drop(self->table));
}

static int register_and_exit(void *table)
{
	unsigned long text = (unsigned long)table + PAGE;

	for (unsigned long i = 0; i < 2 * PAGE; i += 2)
		if (add((unsigned long)table, sizeof(good), text + i, 1))
			return 1;
	return 0;
}

/* Free many registrations at once; a mistake would crash the kernel. */
TEST_F_TIMEOUT(sframe, exit_with_many, 300)
{
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(0, run_child(0, register_and_exit, self->map));
	/* Some of them are freed only after an RCU grace period. */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

/* exec() has registered this very program. */
TEST(own_program)
{
	struct own_table own = own_table();

	ASSERT_NE(0, own.size);
	EXPECT_EQ(0, add(own.start, own.size, own.text, own.text_size));
	EXPECT_EQ(EEXIST, add(own.start, own.size, own.text,
			      own.text_size - 1));
	EXPECT_EQ(0, drop(own.start));
	EXPECT_EQ(ENOENT, drop(own.start));
}

/* The vDSO counts as registered, by the numbers that ld.so comes up with. */
TEST(vdso)
{
	struct own_table vdso = vdso_table();

	if (!vdso.size)
		SKIP(return, "the vDSO has no table");
	EXPECT_EQ(EEXIST, add(vdso.start, vdso.size, vdso.text,
			      vdso.text_size - 1));
	EXPECT_EQ(0, add(vdso.start, vdso.size, vdso.text, vdso.text_size));
	EXPECT_EQ(0, drop(vdso.start));
	EXPECT_EQ(ENOENT, drop(vdso.start));
	EXPECT_EQ(0, add(vdso.start, vdso.size, vdso.text, vdso.text_size));
	EXPECT_EQ(0, drop(vdso.start));
}

/* The answers that a child gets about the table of its vDSO. */
static int drop_vdso_in_child(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(drop(vdso_table().start));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Removing the vDSO's table in a child does not affect the parent. */
TEST(vdso_forked)
{
	struct own_table vdso = vdso_table();

	if (!vdso.size)
		SKIP(return, "the vDSO has no table");
	EXPECT_EQ(0, drop_vdso_in_child());
	EXPECT_EQ(0, drop_vdso_in_child());
	EXPECT_EQ(0, drop(vdso.start));
	EXPECT_EQ(ENOENT, drop_vdso_in_child());
}

/* The size of the vDSO's mapping. Its section headers are at the end. */
static unsigned long vdso_size(unsigned long base)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)base;
	unsigned long size = ehdr->e_shoff + ehdr->e_shnum * ehdr->e_shentsize;

	return (size + PAGE - 1) & -PAGE;
}

/* Memory mapped in place of the vDSO can have any table. */
TEST(vdso_unmapped)
{
	struct own_table vdso = vdso_table();
	unsigned long base = getauxval(AT_SYSINFO_EHDR);
	unsigned long size = vdso_size(base);
	char *copy;

	if (!vdso.size)
		SKIP(return, "the vDSO has no table");
	copy = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, copy);
	memcpy(copy, (void *)base, size);
	if (munmap((void *)base, size))
		SKIP(return, "the vDSO is sealed");
	EXPECT_EQ(ENOENT, drop(vdso.start));
	ASSERT_EQ((void *)base, mremap(copy, size, size,
				       MREMAP_MAYMOVE | MREMAP_FIXED, base));
	EXPECT_EQ(ENOENT, drop(vdso.start));
	EXPECT_EQ(0, add(vdso.start, vdso.size, vdso.text,
			 vdso.text_size - 1));
	EXPECT_EQ(0, drop(vdso.start));
}

/* The kernel knows where the vDSO is. */
TEST(vdso_moved)
{
	struct own_table vdso = vdso_table();
	unsigned long base = getauxval(AT_SYSINFO_EHDR);
	unsigned long size = vdso_size(base);
	unsigned long moved;
	void *to;

	if (!vdso.size)
		SKIP(return, "the vDSO has no table");
	to = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, to);
	ASSERT_EQ(EEXIST, add(vdso.start, vdso.size, vdso.text,
			      vdso.text_size - 1));
	if (mremap((void *)base, size, size, MREMAP_MAYMOVE | MREMAP_FIXED,
		   to) == MAP_FAILED)
		SKIP(return, "the vDSO is sealed");
	moved = (unsigned long)to - base;
	EXPECT_EQ(ENOENT, drop(vdso.start));
	EXPECT_EQ(EEXIST, add(vdso.start + moved, vdso.size, vdso.text + moved,
			      vdso.text_size - 1));
	EXPECT_EQ(0, add(vdso.start + moved, vdso.size, vdso.text + moved,
			 vdso.text_size));
	EXPECT_EQ(0, drop(vdso.start + moved));
}

TEST_HARNESS_MAIN
