// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test /proc/PID/sframe: its permissions and its contents.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "sframe_test.h"

#define LINES	64

static struct proc_line lines[LINES];

TEST(mode)
{
	struct stat st;

	ASSERT_EQ(0, stat("/proc/self/sframe", &st));
	EXPECT_EQ(0444, st.st_mode & 07777);
	EXPECT_TRUE(S_ISREG(st.st_mode));
}

TEST(own_program)
{
	struct own_table own = own_table();
	const struct proc_line *line;
	char exe[256] = "";
	int n;

	ASSERT_LT(0, readlink("/proc/self/exe", exe, sizeof(exe) - 1));
	n = proc_lines(getpid(), lines, LINES);
	line = find_line(lines, n, &own);
	ASSERT_NE(NULL, line);
	EXPECT_STREQ(exe, line->path);

	ASSERT_EQ(0, drop(own.start));
	EXPECT_EQ(n - 1, proc_lines(getpid(), lines, LINES));
	EXPECT_EQ(NULL, find_line(lines, n - 1, &own));
}

TEST(vdso)
{
	struct own_table vdso = vdso_table();
	const struct proc_line *line;

	if (!vdso.size)
		SKIP(return, "the vDSO has no table");
	line = find_line(lines, proc_lines(getpid(), lines, LINES), &vdso);
	ASSERT_NE(NULL, line);
	EXPECT_STREQ("[vdso]", line->path);
}

/* Anonymous memory has no path; lines are sorted by address. */
TEST(no_file)
{
	struct own_table own = own_table();
	struct own_table copy = { .size = own.size, .text_size = 16 };
	const struct proc_line *line;
	char *map = mmap(NULL, own.size + 2 * PAGE,
			 PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int n;

	ASSERT_NE(MAP_FAILED, map);
	copy.start = (unsigned long)map + PAGE;
	memcpy(map + PAGE, (void *)own.start, own.size);
	for (copy.text = (unsigned long)map + 64; copy.text > (unsigned long)map;
	     copy.text -= 16)
		ASSERT_EQ(0, add(copy.start, copy.size, copy.text, 16));
	copy.text += 16;
	n = proc_lines(getpid(), lines, LINES);
	line = find_line(lines, n, &copy);
	ASSERT_NE(NULL, line);
	EXPECT_STREQ("", line->path);
	for (int i = 1; i < n; i++)
		EXPECT_LE(lines[i - 1].text_end, lines[i].text);
}

/* Shared anonymous memory has a path, although of no file to open. */
TEST(shared_memory)
{
	struct own_table own = own_table();
	struct own_table copy = { .size = own.size, .text_size = 16 };
	const struct proc_line *line;
	char *map = mmap(NULL, own.size + PAGE,
			 PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, map);
	copy.text = (unsigned long)map;
	copy.start = copy.text + PAGE;
	memcpy(map + PAGE, (void *)own.start, own.size);
	ASSERT_EQ(0, add(copy.start, copy.size, copy.text, 16));
	line = find_line(lines, proc_lines(getpid(), lines, LINES), &copy);
	ASSERT_NE(NULL, line);
	EXPECT_STREQ("/dev/zero (deleted)", line->path);
}

/* Reads of any size, which may begin and end inside lines. */
TEST(many)
{
	const int count = 3000;
	struct own_table own = own_table();
	char *text = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int before = proc_lines(getpid(), lines, LINES), seen = 0;
	char buf[97];
	ssize_t n;
	int fd;

	ASSERT_NE(MAP_FAILED, text);
	for (int i = 0; i < count; i++)
		ASSERT_EQ(0, add(own.start, own.size, (unsigned long)text + i,
				 1));
	fd = open("/proc/self/sframe", O_RDONLY);
	ASSERT_LE(0, fd);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			seen += buf[i] == '\n';
	EXPECT_EQ(0, n);
	EXPECT_EQ(before + count, seen);
	close(fd);
}

static int status_of(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Errno, or 0, of opening the file of @target as another user. */
static int open_as_other(pid_t target)
{
	char name[64];
	pid_t pid = fork();

	if (pid)
		return status_of(pid);
	snprintf(name, sizeof(name), "/proc/%d/sframe", target);
	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		_exit(255);
	_exit(open(name, O_RDONLY) < 0 ? errno : 0);
}

TEST(permission)
{
	if (geteuid())
		SKIP(return, "root only");
	EXPECT_EQ(EACCES, open_as_other(getpid()));
}

/* As with /proc/PID/maps: the file of such a process belongs to root. */
TEST(own_as_other_user)
{
	pid_t pid;

	if (geteuid())
		SKIP(return, "root only");
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (setresuid(65534, 65534, 65534))
			_exit(255);
		_exit(open("/proc/self/sframe", O_RDONLY) < 0 ? errno : 0);
	}
	EXPECT_EQ(0, status_of(pid));
}

/*
 * The mode permits everybody, but the tables of an undumpable process are as
 * secret as its memory.
 */
TEST(undumpable)
{
	pid_t pid = getpid();
	pid_t child = fork();
	char name[64];

	ASSERT_LE(0, child);
	if (!child) {
		if (setresuid(65534, 65534, 65534) || prctl(PR_SET_DUMPABLE, 0))
			_exit(255);
		pid = getpid();
		child = fork();
		if (child)
			_exit(status_of(child));
		snprintf(name, sizeof(name), "/proc/%d/sframe", pid);
		_exit(open(name, O_RDONLY) < 0 ? errno : 0);
	}
	pid = status_of(child);
	if (pid == 255)
		SKIP(return, "root only");
	EXPECT_EQ(EACCES, pid);
}

/* An open file is empty once the process is gone. */
TEST(process_gone)
{
	char name[64], c;
	int hold[2], fd;
	pid_t pid;

	ASSERT_EQ(0, pipe(hold));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(hold[1]);
		_exit(read(hold[0], &c, 1));
	}
	snprintf(name, sizeof(name), "/proc/%d/sframe", pid);
	fd = open(name, O_RDONLY);
	ASSERT_LE(0, fd);
	EXPECT_EQ(1, pread(fd, &c, 1, 0));
	close(hold[1]);
	ASSERT_EQ(0, status_of(pid));
	EXPECT_EQ(0, read(fd, &c, 1));
	close(fd);
}

/* A zombie has no memory. */
TEST(zombie)
{
	siginfo_t info;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	EXPECT_EQ(0, proc_lines(pid, lines, LINES));
	EXPECT_EQ(0, status_of(pid));
}

TEST_HARNESS_MAIN
