// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel.unwind_user: what an administrator may choose, and what comes of it.
 *
 * The program has a table and no frame pointers.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "sframe_chain.h"

#define CHOICE	"/proc/sys/kernel/unwind_user"

#define ALL	"sframe " ARCH_OTHER

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

static noinline void path(void)
{
	NOTE();
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
	EXPECT_STREQ(ARCH_OTHER, content(CHOICE));
}

/* Nothing changes by what is refused. */
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
	EXPECT_EQ(EINVAL, choose("                                 sframe"));
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
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid) {
		if (setresuid(65534, 65534, 65534))
			_exit(255);
		_exit(choose("sframe"));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(EACCES, WEXITSTATUS(status));
	EXPECT_STREQ(ALL, content(CHOICE));
}

TEST_HARNESS_MAIN
