// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test which tables exec registers before the first instruction of a program,
 * and that 32-bit programs cannot register any.
 *
 * The programs are sframe_program, with its own interpreter sframe_interp,
 * and sframe_i386 and sframe_x32, if the compiler supports them, or
 * sframe_aarch32.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "sframe_chain.h"

/* Start @program and stop it before its first instruction. */
static pid_t start(const char *program)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(program, program, NULL);
		_exit(errno);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return -1;
	return pid;
}

/* Let @pid run, and return its exit status. */
static int end(pid_t pid)
{
	int status;

	if (ptrace(PTRACE_DETACH, pid, NULL, NULL) ||
	    waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static unsigned long aux_value(pid_t pid, unsigned long type)
{
	Elf64_auxv_t aux;
	unsigned long value = 0;
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/auxv", pid);
	fd = open(name, O_RDONLY);
	while (!value && read(fd, &aux, sizeof(aux)) == sizeof(aux))
		if (aux.a_type == type)
			value = aux.a_un.a_val;
	close(fd);
	return value;
}

static const Elf64_Ehdr *map_file(const char *name)
{
	int fd = open(name, O_RDONLY);
	struct stat st;
	void *map = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &st))
		map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/*
 * How many executable segments @ehdr, loaded at @bias, has; -1 if one of them
 * is not among the lines, or has another table or path there.
 */
static int registered(const Elf64_Ehdr *ehdr, unsigned long bias,
		      const char *path, const struct proc_line *lines, int n)
{
	const Elf64_Phdr *phdr = (const void *)((const char *)ehdr +
						ehdr->e_phoff);
	struct own_table own = object_table(phdr, ehdr->e_phnum, bias);
	const struct proc_line *line;
	int count = 0;

	for (int i = 0; i < ehdr->e_phnum; i++) {
		if (phdr[i].p_type != PT_LOAD || !(phdr[i].p_flags & PF_X))
			continue;
		own.text = bias + phdr[i].p_vaddr;
		own.text_size = phdr[i].p_memsz;
		line = find_line(lines, n, &own);
		if (!own.size || !line || !strstr(line->path, path))
			return -1;
		count++;
	}
	return count;
}

TEST(program_and_interpreter)
{
	const Elf64_Ehdr *program = map_file("./sframe_program");
	const Elf64_Ehdr *interp = map_file("./sframe_interp");
	struct proc_line lines[16];
	unsigned long phdr, base;
	pid_t pid;
	int n;

	ASSERT_NE(NULL, program);
	ASSERT_NE(NULL, interp);
	pid = start("./sframe_program");
	ASSERT_LT(0, pid);
	phdr = aux_value(pid, AT_PHDR);
	base = aux_value(pid, AT_BASE);
	n = proc_lines(pid, lines, 16);
	EXPECT_EQ(0, end(pid));

	/* Both are linked for address 0. */
	EXPECT_EQ(2, registered(program, phdr - program->e_phoff,
				"/sframe_program", lines, n));
	EXPECT_EQ(1, registered(interp, base, "/sframe_interp", lines, n));
	EXPECT_EQ(3 + !!vdso_table().size, n);
}

#define COMPAT_START	0x800000UL
#define COMPAT_OUTER	0x180
#define COMPAT_INNER	0x280

/*
 * Programs without tables are unwound by frame pointers as before; a record of
 * @type has the chain.
 */
static __unused void expect_declined(struct __test_metadata *_metadata,
				     const char *program, unsigned int type)
{
	struct perf_event_attr attr = chain_attr(PERF_TYPE_SOFTWARE,
						 PERF_COUNT_SW_PAGE_FAULTS);
	struct proc_line lines[16];
	struct ring ring;
	pid_t pid;

	if (access(program, X_OK))
		SKIP(return, "the compiler does not make %s", program);
	pid = start(program);
	if (pid < 0)
		SKIP(return, "this kernel does not run %s", program);
	EXPECT_EQ(0, proc_lines(pid, lines, 16));
	attr.disabled = 0;
	ASSERT_EQ(0, open_ring(&ring, &attr, pid, -1));
	EXPECT_EQ(EINVAL, end(pid));
	EXPECT_EQ(1, read_chain_of(&ring, type, COMPAT_START + 0x300));
	close_ring(&ring);
	ASSERT_EQ(3, chain_count);
	EXPECT_EQ(COMPAT_START + 0x200, chain[1]);
	EXPECT_EQ(COMPAT_START + 0x100, chain[2]);
}

#ifdef __aarch64__

/* The kernel has no unwinder for it: perf's own one gets the stack at once. */
TEST(aarch32)
{
	expect_declined(_metadata, "./sframe_aarch32", PERF_RECORD_SAMPLE);
}

#else

TEST(i386)
{
	expect_declined(_metadata, "./sframe_i386",
			PERF_RECORD_CALLCHAIN_DEFERRED);
}

#ifdef __x86_64__

/* The offset of COMPAT_START in the file @program, or 0. */
static unsigned long text_offset(const char *program)
{
	const Elf32_Ehdr *ehdr = (const void *)map_file(program);
	const Elf32_Phdr *phdr;

	if (!ehdr)
		return 0;
	phdr = (const void *)((const char *)ehdr + ehdr->e_phoff);
	for (int i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_LOAD && phdr[i].p_flags & PF_X)
			return COMPAT_START - phdr[i].p_vaddr +
			       phdr[i].p_offset;
	return 0;
}

/* A 32-bit call uses four bytes: return probes are found by the stack. */
TEST(i386_probed_returns)
{
	struct perf_event_attr attr;
	struct ring outer, inner;
	int type = read_number("/sys/bus/event_source/devices/uprobe/type");

	if (access("./sframe_i386", X_OK) || type < 0)
		SKIP(return, "no such program or no probes");
	attr = chain_attr(type, 1);
	attr.uprobe_path = (unsigned long)"./sframe_i386";
	attr.probe_offset = text_offset("./sframe_i386") + COMPAT_OUTER;
	attr.disabled = 0;
	ASSERT_EQ(0, open_ring(&outer, &attr, -1, 0));
	attr.probe_offset = text_offset("./sframe_i386") + COMPAT_INNER;
	ASSERT_EQ(0, open_ring(&inner, &attr, -1, 0));
	expect_declined(_metadata, "./sframe_i386",
			PERF_RECORD_CALLCHAIN_DEFERRED);
	close_ring(&outer);
	close_ring(&inner);
}

#endif /* __x86_64__ */

TEST(x32)
{
	expect_declined(_metadata, "./sframe_x32",
			PERF_RECORD_CALLCHAIN_DEFERRED);
}

#endif /* !__aarch64__ */

TEST_HARNESS_MAIN
