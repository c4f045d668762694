// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test kernel.unwind_user and PR_SET_UNWIND_USER: which choices are accepted,
 * and how they change stacks.
 *
 * The program has a table and, but for one function, no frame pointers.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "sframe_chain.h"

#define CHOICE	"/proc/sys/kernel/unwind_user"

#define ALL	"sframe " ARCH_OTHER

/* Two ways, in this order. */
#define BOTH(first, second)	((first) | (second) << 4)

/* Return an error number. */
static int choose(const char *names)
{
	int fd = open(CHOICE, O_WRONLY), error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, names, strlen(names)) != (ssize_t)strlen(names))
		error = errno;
	close(fd);
	return error;
}

/* The same for this process. */
static int choose_own(unsigned long order)
{
	return prctl(PR_SET_UNWIND_USER, order, 0UL, 0UL, 0UL) ? errno : 0;
}

static int own_choice(void)
{
	return prctl(PR_GET_UNWIND_USER, 0UL, 0UL, 0UL, 0UL);
}

#define REPORT	"SFRAME_CHOICE_REPORT"

/*
 * Executed with REPORT in its environment, the program exits with its choice;
 * the upper bit shows that it was executed.
 */
static __attribute__((constructor)) void report(void)
{
	if (getenv(REPORT))
		_exit(own_choice() | 0x80);
}

static int exit_status(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static const char *content(const char *name)
{
	static char text[80];
	FILE *file = fopen(name, "r");

	text[0] = 0;
	if (file && fgets(text, sizeof(text), file))
		text[strcspn(text, "\n")] = 0;
	if (file)
		fclose(file);
	return text;
}

/* FP points to no frame record from here on. */
static noinline __saves_fp void path(void)
{
	NOTE();
	USE_SAVED_REGS();
	plain();
	KEEP();
}

/* Whether the stack is whole up to the caller of path(). */
static bool whole(void)
{
	rehearse(path);
	return record(path) == 1 && chain_count > 3 &&
	       chain[1] == noted[2] && chain[2] == noted[1] &&
	       chain[3] == noted[0];
}

/* Whether the stack ends at the instruction of the event. */
static bool bare(void)
{
	rehearse(path);
	return record(path) == 1 && chain_count == 1;
}

FIXTURE(choice) {
	int unused;
};

FIXTURE_SETUP(choice)
{
	if (geteuid())
		SKIP(return, "root only");
	if (access(CHOICE, F_OK))
		SKIP(return, "no sysctl");
	ASSERT_EQ(0, choose(ALL));
}

FIXTURE_TEARDOWN(choice)
{
	choose(ALL);
}

TEST_F(choice, available)
{
	EXPECT_STREQ(ALL, content(CHOICE "_available"));
	EXPECT_STREQ(ALL, content(CHOICE));
	EXPECT_GT(0, open(CHOICE "_available", O_WRONLY | O_TRUNC));
}

TEST_F(choice, order)
{
	EXPECT_EQ(0, choose(ARCH_OTHER " sframe\n"));
	EXPECT_STREQ(ARCH_OTHER " sframe", content(CHOICE));
	EXPECT_EQ(0, choose(" \tsframe  "));
	EXPECT_STREQ("sframe", content(CHOICE));
	EXPECT_EQ(0, choose(ARCH_OTHER));
	EXPECT_EQ(0, choose("                                 sframe"));
	EXPECT_STREQ("sframe", content(CHOICE));
	EXPECT_EQ(0, choose(ARCH_OTHER));
	EXPECT_STREQ(ARCH_OTHER, content(CHOICE));
}

/* A refused choice changes nothing. */
TEST_F(choice, refused)
{
	ASSERT_EQ(0, choose("sframe"));
	EXPECT_EQ(ENOENT, choose("sframe dwarf"));
	EXPECT_EQ(ENOENT, choose(ARCH_OTHER ",sframe"));
	EXPECT_EQ(ENOENT, choose("sfram"));
	EXPECT_EQ(ENOENT, choose("sframe2"));
	EXPECT_EQ(EOPNOTSUPP, choose("sframe " ARCH_FOREIGN));
	EXPECT_EQ(EINVAL, choose(ARCH_OTHER " sframe " ARCH_OTHER));
	EXPECT_EQ(EINVAL, choose("\n"));
	EXPECT_EQ(EINVAL, choose("                                        "));
	EXPECT_EQ(ENOENT, choose("sframe_or_another_one_that_is_not_known"));
	EXPECT_STREQ("sframe", content(CHOICE));
}

TEST_F(choice, stacks)
{
	EXPECT_TRUE(whole());
	ASSERT_EQ(0, choose(ARCH_OTHER));
	EXPECT_FALSE(whole());
	ASSERT_EQ(0, choose("sframe"));
	EXPECT_TRUE(whole());
	/* A guess comes first, and must not be believed. */
	ASSERT_EQ(0, choose(ARCH_OTHER " sframe"));
	EXPECT_TRUE(whole());
}

TEST_F(choice, permission)
{
	pid_t pid = fork();

	if (!pid) {
		if (setresuid(65534, 65534, 65534))
			_exit(255);
		_exit(choose("sframe"));
	}
	EXPECT_EQ(EACCES, exit_status(pid));
	EXPECT_STREQ(ALL, content(CHOICE));
}

TEST_F(choice, own)
{
	EXPECT_EQ(0, own_choice());
	EXPECT_TRUE(whole());
	EXPECT_EQ(0, choose_own(ARCH_OTHER_NR));
	EXPECT_EQ(ARCH_OTHER_NR, own_choice());
	EXPECT_FALSE(whole());
	EXPECT_EQ(0, choose_own(PR_UNWIND_SFRAME));
	EXPECT_EQ(PR_UNWIND_SFRAME, own_choice());
	EXPECT_TRUE(whole());
	EXPECT_EQ(0, choose_own(ARCH_OTHER_NR));
	EXPECT_EQ(0, choose_own(0));
	EXPECT_EQ(0, own_choice());
	EXPECT_TRUE(whole());
	EXPECT_STREQ(ALL, content(CHOICE));
}

/* The administrator's choice limits each stack; no process can extend it. */
TEST_F(choice, own_is_bounded)
{
	ASSERT_EQ(0, choose(ARCH_OTHER));
	EXPECT_EQ(0, choose_own(PR_UNWIND_SFRAME));
	EXPECT_TRUE(bare());
	EXPECT_EQ(0, choose_own(BOTH(PR_UNWIND_SFRAME, ARCH_OTHER_NR)));
	EXPECT_FALSE(whole());
	ASSERT_EQ(0, choose("sframe"));
	EXPECT_TRUE(whole());
	EXPECT_EQ(0, choose_own(ARCH_OTHER_NR));
	EXPECT_TRUE(bare());
	ASSERT_EQ(0, choose(ALL));
	EXPECT_EQ(0, choose_own(PR_UNWIND_SFRAME));
	EXPECT_TRUE(whole());
}

#if defined(__x86_64__) || defined(__aarch64__)
/*
 * The only function with a frame pointer: unwinding by FP from its callees
 * skips the functions between.
 */
static noinline __attribute__((optimize("no-omit-frame-pointer")))
void framed(void)
{
	NOTE();
	plain();
	KEEP();
}

TEST_F(choice, own_order)
{
	ASSERT_EQ(0, choose_own(BOTH(PR_UNWIND_FP, PR_UNWIND_SFRAME)));
	rehearse(framed);
	ASSERT_EQ(1, record(framed));
	EXPECT_EQ(chain[1], noted[0]);
	ASSERT_EQ(0, choose_own(BOTH(PR_UNWIND_SFRAME, PR_UNWIND_FP)));
	ASSERT_EQ(1, record(framed));
	EXPECT_EQ(chain[1], noted[2]);
	EXPECT_EQ(chain[3], noted[0]);
	/* A process without a choice has the administrator's order. */
	ASSERT_EQ(0, choose("fp sframe"));
	ASSERT_EQ(1, record(framed));
	EXPECT_EQ(chain[1], noted[2]);
	ASSERT_EQ(0, choose_own(0));
	ASSERT_EQ(1, record(framed));
	EXPECT_EQ(chain[1], noted[0]);
}

/* FP leads nowhere from here and from probe(). */
static noinline __saves_fp void without_fp(void)
{
	NOTE();
	USE_SAVED_REGS();
	probe();
	KEEP();
}

/* FP leads from here past framed_again(), a table does not. */
static noinline void keep_fp(void)
{
	NOTE();
	without_fp();
	KEEP();
}

static noinline __attribute__((optimize("no-omit-frame-pointer")))
void framed_again(void)
{
	NOTE();
	keep_fp();
	KEEP();
}

/* The third frame's caller is the one that @caller has noted. */
static void expect_third(struct __test_metadata *_metadata, int caller)
{
	rehearse(framed_again);
	ASSERT_EQ(1, record(framed_again));
	ASSERT_GT(chain_count, 3);
	EXPECT_EQ(chain[1], noted[3]);
	EXPECT_EQ(chain[2], noted[2]);
	EXPECT_EQ(chain[3], noted[caller]);
}

/* The order decides for each frame, whether or not its rule is cached. */
TEST_F(choice, order_with_cached_rules)
{
	ASSERT_EQ(0, choose("fp sframe"));
	expect_third(_metadata, 0);
	ASSERT_EQ(0, choose("sframe fp"));
	expect_third(_metadata, 1);
	/* Now all rules are cached. */
	expect_third(_metadata, 1);
	ASSERT_EQ(0, choose("fp sframe"));
	expect_third(_metadata, 0);
	ASSERT_EQ(0, choose_own(BOTH(PR_UNWIND_SFRAME, PR_UNWIND_FP)));
	expect_third(_metadata, 1);
	ASSERT_EQ(0, choose_own(BOTH(PR_UNWIND_FP, PR_UNWIND_SFRAME)));
	expect_third(_metadata, 0);
}
#endif

/* A refused choice changes nothing. */
TEST_F(choice, own_refused)
{
	unsigned long good = BOTH(ARCH_OTHER_NR, PR_UNWIND_SFRAME);

	ASSERT_EQ(0, choose_own(good));
	for (unsigned long nr = 4; nr < 16; nr++) {
		EXPECT_EQ(ENOENT, choose_own(nr));
		EXPECT_EQ(ENOENT, choose_own(good | nr << 8));
	}
	EXPECT_EQ(EOPNOTSUPP, choose_own(ARCH_FOREIGN_NR));
	EXPECT_EQ(EOPNOTSUPP, choose_own(good | ARCH_FOREIGN_NR << 8));
	EXPECT_EQ(EINVAL, choose_own(good | PR_UNWIND_SFRAME << 8));
	EXPECT_EQ(EINVAL, choose_own(PR_UNWIND_SFRAME << 4));
	EXPECT_EQ(EINVAL, choose_own(good | 1UL << 60));
	EXPECT_EQ(EINVAL, choose_own(-1UL << 4));
	EXPECT_EQ(ENOENT, choose_own(-1UL));
	for (int i = 0; i < 3; i++) {
		errno = 0;
		EXPECT_EQ(-1, prctl(PR_SET_UNWIND_USER, 1UL, 1UL & 1 >> i,
				    1UL & 2 >> i, i == 2 ? 1UL << 40 : 0));
		EXPECT_EQ(EINVAL, errno);
	}
	EXPECT_EQ(good, own_choice());
}

TEST_F(choice, own_get_refused)
{
	for (int i = 0; i < 4; i++) {
		unsigned long args[4] = {};

		args[i] = 1;
		errno = 0;
		EXPECT_EQ(-1, prctl(PR_GET_UNWIND_USER, args[0], args[1],
				    args[2], args[3]));
		EXPECT_EQ(EINVAL, errno);
	}
}

/* A child inherits its parent's choice; then each can change its own. */
TEST_F(choice, own_fork)
{
	struct own_table own = own_table();
	pid_t pid;

	ASSERT_EQ(0, choose_own(ARCH_OTHER_NR));
	pid = fork();
	if (!pid) {
		if (own_choice() != ARCH_OTHER_NR || whole())
			_exit(1);
		if (choose_own(PR_UNWIND_SFRAME) || !whole())
			_exit(2);
		_exit(drop(own.start) || own_choice() != PR_UNWIND_SFRAME);
	}
	EXPECT_EQ(0, exit_status(pid));
	EXPECT_EQ(ARCH_OTHER_NR, own_choice());
	EXPECT_FALSE(whole());
	ASSERT_EQ(0, choose_own(0));
	EXPECT_TRUE(whole());
}

/* Tasks that share memory share the choice. */
TEST_F(choice, own_vfork)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(choose_own(ARCH_OTHER_NR));
	EXPECT_EQ(0, exit_status(pid));
	EXPECT_EQ(ARCH_OTHER_NR, own_choice());
	EXPECT_FALSE(whole());
}

TEST_F(choice, own_exec)
{
	pid_t pid = fork();

	if (!pid) {
		if (choose_own(ARCH_OTHER_NR) || setenv(REPORT, "", 1))
			_exit(1);
		execl("/proc/self/exe", "sframe_choice", NULL);
		_exit(2);
	}
	EXPECT_EQ(0x80, exit_status(pid));
}

TEST_F(choice, own_without_privilege)
{
	pid_t pid = fork();

	if (!pid) {
		if (setresuid(65534, 65534, 65534))
			_exit(255);
		_exit(choose_own(ARCH_OTHER_NR) ||
		      own_choice() != ARCH_OTHER_NR);
	}
	EXPECT_EQ(0, exit_status(pid));
}

TEST_HARNESS_MAIN
