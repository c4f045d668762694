/* Run a program, in place, on the build root with the libc built here.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One static program under three names: sframe-run, sframe-cc and
   sframe-c++.  It enters a new mount namespace, assembles a root directory
   there and executes the program.  The process that the caller has started
   becomes the program, so that PID, exit status, signals and standard streams
   need no forwarding.

   Why not a shell script around chroot: LD_PRELOAD, LD_AUDIT and LD_DEBUG in
   the caller's environment are meant for PROGRAM, but would also affect the
   shell and its mount commands.  They do not affect a static program.  */

#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit status for failures of this program itself, as in env and chroot.  */
enum { EXIT_OURS = 125, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

/* Which libc the program finds.  LIBC_LINK keeps the shared libraries of the
   root, but replaces its start files and static libraries by those built here:
   a compiler runs on the root's libc and links with the new one.  */
enum libc { LIBC_NEW, LIBC_STOCK, LIBC_LINK };

/* A machine for which programs can be built; the first one is the host.  */
struct machine
{
  const char *name;
  int elf;			/* As in ELF headers.  */
  const char *emulator;		/* Runs its programs; null: the host does.  */
  const char *processor;	/* What that emulates, unless QEMU_CPU says.  */
  const char *gcc, *gxx;
  const char *crash;		/* The crash handler, below the project.  */
  /* Where the root may have the libc, and its files for linking.  */
  const char *shared[4], *linked[4];
  /* The same for the libc built here, below build/NAME/install.  */
  const char *new_shared, *new_linked;
  const char *new_loader;	/* Its ld.so, if in another directory.  */
};

static const struct machine machines[] =
{
  { .name = "x86_64", .elf = EM_X86_64, .gcc = "gcc", .gxx = "g++",
    .crash = "/tools/libsframe-crash.so",
    .shared = { "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64",
		"/usr/lib" },
    .linked = { "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64",
		"/usr/lib" },
    .new_shared = "/lib64", .new_linked = "/usr/lib64" },
  { .name = "s390x", .elf = EM_S390, .emulator = "qemu-s390x",
    .gcc = "s390x-linux-gnu-gcc", .gxx = "s390x-linux-gnu-g++",
    .crash = "/tools/libsframe-crash-s390x.so",
    .shared = { "/usr/lib/s390x-linux-gnu" },
    .linked = { "/usr/s390x-linux-gnu/lib" },
    .new_shared = "/lib/s390x-linux-gnu",
    .new_linked = "/usr/lib/s390x-linux-gnu",
    .new_loader = "/lib/ld64.so.1" },
  { .name = "aarch64", .elf = EM_AARCH64, .emulator = "qemu-aarch64",
    .processor = "max",
    .gcc = "aarch64-linux-gnu-gcc", .gxx = "aarch64-linux-gnu-g++",
    .crash = "/tools/libsframe-crash-aarch64.so",
    .shared = { "/usr/lib/aarch64-linux-gnu" },
    .linked = { "/usr/aarch64-linux-gnu/lib" },
    .new_shared = "/lib/aarch64-linux-gnu",
    .new_linked = "/usr/lib/aarch64-linux-gnu",
    .new_loader = "/lib/ld-linux-aarch64.so.1" }
};
#define NMACHINES (sizeof machines / sizeof *machines)

/* The project is mounted here as well: debug information and build trees then
   have the same paths in every clone, and LD_PRELOAD, which cannot quote a
   space or a colon, gets a path without them.  */
#define FIXED "/sframe"

static const char *tool;	/* The name that we were called by.  */
static char top[PATH_MAX];	/* The project.  */
static char root[PATH_MAX];	/* The build root, or "/" without one.  */
static char stage[PATH_MAX];	/* Where the new root is assembled.  */

static const char usage_run[] = "\
usage: sframe-run [OPTION...] PROGRAM [ARG...]\n\
Run PROGRAM on the libc built here; the build root is its operating system,\n\
while the current directory, /home, /tmp and the like are this host's.\n\
\n\
  --libc=new     the libc built here (default)\n\
  --libc=stock   the build root's own libc\n\
  --tables       PROGRAM and all libraries get SFrame tables first, in copies\n\
                 that are shown in their place (make tables)\n\
  --crash        preload tools/libsframe-crash.so: a fatal signal prints a trace\n\
  --arch=ARCH    PROGRAM is for ARCH, s390x or aarch64, and runs under qemu\n\
                 (default: x86_64)\n\
  --bind=DIR     show the host's DIR, if the build root would hide it\n\
  --bind=DIR:TO  show DIR as TO, an existing directory\n\
  --help         print this\n\
  --version      print the version\n\
\n\
The process becomes PROGRAM: PID, signals, exit status and standard streams\n\
are its own.  125: sframe-run failed; 126: PROGRAM cannot be run; 127: it was\n\
not found.  The project is also visible as " FIXED ".\n";

static const char usage_cc[] = "\
usage: sframe-cc [OPTION...] ARG...\n\
       sframe-c++ [OPTION...] ARG...\n\
The build root's gcc or g++ with -Wa,--gsframe; ARGs are the compiler's.\n\
\n\
  --libc=new     static programs get the libc built here (default)\n\
  --libc=stock   static programs get the build root's own libc\n\
  --arch=ARCH    compile for ARCH: s390x or aarch64 (default: x86_64)\n\
  --help         print this; --help=common and --version are the compiler's own\n\
\n\
Options of sframe-cc come first.  Run what was linked with sframe-run.\n";

static void __attribute__ ((noreturn, format (printf, 2, 3)))
fail (int err, const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  fprintf (stderr, "%s: ", tool);
  vfprintf (stderr, format, ap);
  va_end (ap);
  if (err != 0)
    fprintf (stderr, ": %s", strerror (err));
  fputc ('\n', stderr);
  exit (EXIT_OURS);
}

/* Write the concatenation of the strings up to NULL to BUFFER (PATH_MAX
   bytes) and return it.  */
static char * __attribute__ ((sentinel))
join (char *buffer, ...)
{
  size_t used = 0;
  va_list ap;
  va_start (ap, buffer);
  for (const char *s; (s = va_arg (ap, const char *)) != NULL; )
    {
      size_t len = strlen (s);
      if (used + len >= PATH_MAX)
	fail (ENAMETOOLONG, "%s", s);
      memcpy (buffer + used, s, len);
      used += len;
    }
  va_end (ap);
  buffer[used] = '\0';
  return buffer;
}

static bool
exists (const char *path)
{
  return access (path, F_OK) == 0;
}

/* Set TOP and ROOT.  The project is two levels above this program, whatever
   link it was called by.  With TABLES, use the build root whose files have
   SFrame tables.  */
static void
find_project (bool tables)
{
  ssize_t n = readlink ("/proc/self/exe", top, sizeof top - 1);
  if (n < 0)
    fail (errno, "/proc/self/exe");
  top[n] = '\0';
  for (int level = 0; level < 2; ++level)
    {
      char *slash = strrchr (top, '/');
      if (slash == NULL)
	fail (0, "%s is not in the directory tools of the project", top);
      *slash = '\0';
    }

  char path[PATH_MAX];
  join (path, top, tables ? "/build/tables" : "/build/root", NULL);
  if (realpath (path, root) == NULL)
    fail (errno, "%s (run make%s first)", path, tables ? " tables" : "");
}

static void
write_file (const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write (fd, text, strlen (text)) < 0)
    fail (errno, "%s", path);
  close (fd);
}

/* Enter a private mount namespace.  A normal user needs a user namespace for
   that, which keeps the user's IDs; the final exec drops the capabilities.  */
static void
own_mounts (void)
{
  uid_t uid = geteuid ();
  gid_t gid = getegid ();
  if (uid != 0 || unshare (CLONE_NEWNS) != 0)
    {
      char map[64];
      if (unshare (CLONE_NEWUSER | CLONE_NEWNS) != 0)
	fail (errno, "cannot make a mount namespace (run make doctor)");
      write_file ("/proc/self/setgroups", "deny");
      snprintf (map, sizeof map, "%u %u 1", uid, uid);
      write_file ("/proc/self/uid_map", map);
      snprintf (map, sizeof map, "%u %u 1", gid, gid);
      write_file ("/proc/self/gid_map", map);
    }
  if (mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    fail (errno, "cannot make mounts private");
}

static void
bind_mount (const char *from, const char *to)
{
  /* Recursive, because a user namespace may not uncover what the mounts of its
     parent hide.  */
  if (mount (from, to, NULL, MS_BIND | MS_REC, NULL) != 0)
    fail (errno, "cannot show %s as %s", from, to);
}

/* Make the directory PATH and its parents, unless they exist.  */
static void
make_directories (char *path)
{
  for (char *p = path + 1; ; ++p)
    if (*p == '/' || *p == '\0')
      {
	char saved = *p;
	*p = '\0';
	if (mkdir (path, 0755) != 0 && errno != EEXIST)
	  fail (errno, "cannot make %s", path);
	*p = saved;
	if (saved == '\0')
	  return;
      }
}

/* Whether the entry NAME of / is taken from the build root; all others are the
   host's.  */
static bool
belongs_to_system (const char *name)
{
  static const char *const system[] = { "bin", "boot", "etc", "lost+found",
					"sbin", "usr", "var" };
  for (size_t i = 0; i < sizeof system / sizeof *system; ++i)
    if (strcmp (name, system[i]) == 0)
      return true;
  return strncmp (name, "lib", 3) == 0;
}

/* Add the entry NAME of the directory FROM to the new root: copy a link, mount
   a directory, ignore a file.  */
static void
add_entry (const char *from, const char *name)
{
  char source[PATH_MAX], target[PATH_MAX], link[PATH_MAX];
  join (source, from, "/", name, NULL);
  join (target, stage, "/", name, NULL);

  struct stat st;
  if (lstat (source, &st) != 0)
    return;
  if (S_ISLNK (st.st_mode))
    {
      ssize_t n = readlink (source, link, sizeof link - 1);
      if (n < 0)
	return;
      link[n] = '\0';
      if (symlink (link, target) != 0 && errno != EEXIST)
	fail (errno, "%s", target);
    }
  else if (S_ISDIR (st.st_mode))
    {
      if (mkdir (target, 0755) != 0)
	fail (errno, "%s", target);
      bind_mount (source, target);
    }
}

/* Add the entries of DIRECTORY for which belongs_to_system is OF_SYSTEM.  */
static void
add_entries (const char *directory, bool of_system)
{
  DIR *dir = opendir (directory);
  if (dir == NULL)
    fail (errno, "%s", directory);
  for (struct dirent *entry; (entry = readdir (dir)) != NULL; )
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0
	&& belongs_to_system (entry->d_name) == of_system)
      add_entry (directory, entry->d_name);
  closedir (dir);
}

/* Mount the host's PATH at the same path in the new root, unless its first
   component is the host's anyway.  */
static void
show (const char *path)
{
  if (stage[0] == '\0')
    return;
  char first[NAME_MAX + 1], target[PATH_MAX];
  size_t len = strcspn (path + 1, "/");
  if (len == 0 || len > NAME_MAX)
    return;
  memcpy (first, path + 1, len);
  first[len] = '\0';
  if (!belongs_to_system (first))
    return;
  make_directories (join (target, stage, path, NULL));
  bind_mount (path, target);
}

/* Mount the files of the host's /etc about users and the network.  */
static void
show_identity (void)
{
  static const char *const files[] = { "/etc/passwd", "/etc/group",
				       "/etc/hosts", "/etc/resolv.conf" };
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
    {
      char target[PATH_MAX];
      join (target, stage, files[i], NULL);
      if (exists (files[i]) && exists (target))
	bind_mount (files[i], target);
    }
}

/* Whether PATH is a directory with entries.  */
static bool
has_entries (const char *path)
{
  DIR *dir = opendir (path);
  unsigned int count = 0;

  /* Two of them are "." and "..".  */
  while (dir != NULL && count < 3 && readdir (dir) != NULL)
    ++count;
  if (dir != NULL)
    closedir (dir);
  return count > 2;
}

/* Assemble the new root and set STAGE to its path.  The build root's /mnt is
   covered only in our namespace.  */
static void
assemble_root (const char *cwd)
{
  char path[PATH_MAX];
  join (stage, root, "/mnt", NULL);
  if (mount ("sframe-run", stage, "tmpfs", 0, "mode=755") != 0)
    fail (errno, "cannot mount on %s", stage);
  add_entries (root, true);
  add_entries ("/", false);
  show_identity ();
  if (exists ("/var/tmp"))
    show ("/var/tmp");
  show (top);
  /* An empty directory of the build root may have been made by an earlier run,
     to show the host's there.  */
  if (!has_entries (join (path, stage, cwd, NULL)))
    show (cwd);
  make_directories (join (path, stage, FIXED, NULL));
  bind_mount (top, path);
}

/* Find where SPEC, DIR:TO, is separated: at the last ":/" before which a name
   that exists ends, or at the first one.  Return null if there is none.  */
static const char *
find_separator (const char *spec)
{
  const char *found = NULL, *at = spec;
  for (; (at = strstr (at, ":/")) != NULL; ++at)
    {
      char *from = strndup (spec, at - spec);
      if (from == NULL)
	fail (errno, "%s", spec);
      if (found == NULL || exists (from))
	found = at;
      free (from);
    }
  return found;
}

/* Handle --bind=SPEC.  SPEC is DIR or DIR:TO.  */
static void
bind_option (const char *spec)
{
  char target[PATH_MAX];
  const char *colon = find_separator (spec);
  if (colon == NULL)
    {
      if (!exists (spec))
	fail (errno, "cannot show %s", spec);
      show (spec);
      return;
    }
  char *from = strndup (spec, colon - spec);
  if (from == NULL)
    fail (errno, "%s", spec);
  bind_mount (from, join (target, stage, colon + 1, NULL));
  free (from);
}

/* The first of PLACES in the root that has a libc.  */
static const char *
library_directory (const char *const places[4])
{
  char path[PATH_MAX];
  for (size_t i = 0; i < 4 && places[i] != NULL; ++i)
    if (exists (join (path, stage, places[i], "/libc.so.6", NULL)))
      return places[i];
  fail (0, "%s has no %s/libc.so.6", root, places[0]);
}

static bool
has_suffix (const char *s, const char *suffix)
{
  size_t len = strlen (s), n = strlen (suffix);
  return len >= n && strcmp (s + len - n, suffix) == 0;
}

/* Whether PATH is a linker script instead of a library.  Keep the root's: it
   names the files that ours are mounted over.  */
static bool
is_script (const char *path)
{
  char start[2] = "";
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0)
    {
      if (read (fd, start, sizeof start) != sizeof start)
	start[0] = '\0';
      close (fd);
    }
  return start[0] == '/' && start[1] == '*';
}

/* Whether NAME, a file of the libc built here, is to be used with LIBC.  */
static bool
is_wanted (enum libc libc, const char *name)
{
  if (libc == LIBC_LINK)
    return has_suffix (name, ".o") || has_suffix (name, ".a");
  return strstr (name, ".so.") != NULL;
}

/* libm-2.44.a replaces the libm-*.a that the root's libm.a names.  */
static void
find_counterpart (char *target, const char *directory, const char *name)
{
  join (target, directory, "/", name, NULL);
  if (strncmp (name, "libm-", 5) != 0)
    return;
  DIR *dir = opendir (directory);
  if (dir == NULL)
    return;
  for (struct dirent *entry; (entry = readdir (dir)) != NULL; )
    if (strncmp (entry->d_name, "libm-", 5) == 0)
      join (target, directory, "/", entry->d_name, NULL);
  closedir (dir);
}

/* Mount the files of the directory FROM that LIBC uses over those of the same
   name in TO.  Skip files that the root does not have: programs built there
   cannot need them.  */
static void
bind_files (enum libc libc, const char *from, const char *to)
{
  char source[PATH_MAX], target[PATH_MAX];
  DIR *dir = opendir (from);
  if (dir == NULL)
    fail (errno, "%s", from);
  for (struct dirent *entry; (entry = readdir (dir)) != NULL; )
    {
      if (!is_wanted (libc, entry->d_name))
	continue;
      join (source, from, "/", entry->d_name, NULL);
      find_counterpart (target, to, entry->d_name);
      if (exists (target) && !is_script (source))
	bind_mount (source, target);
    }
  closedir (dir);
}

/* Set PATH to FILE of the libc built here for MACHINE.  */
static char *
new_file (char *path, const struct machine *machine, const char *file)
{
  return join (path, top, "/build/", machine->name, "/install", file, NULL);
}

/* Mount the loader of the new libc into TO, unless bind_files does it.  */
static void
bind_loader (const struct machine *machine, const char *to)
{
  char source[PATH_MAX], target[PATH_MAX];
  if (machine->new_loader == NULL)
    return;
  join (target, to, strrchr (machine->new_loader, '/'), NULL);
  bind_mount (new_file (source, machine, machine->new_loader), target);
}

/* Mount the gconv modules of the new libc, which have a directory of their
   own.  */
static void
bind_gconv (const struct machine *machine)
{
  char source[PATH_MAX], target[PATH_MAX], file[PATH_MAX];
  join (file, machine->new_linked, "/gconv", NULL);
  new_file (source, machine, file);
  join (target, stage, file, NULL);
  if (exists (source) && exists (target))
    bind_mount (source, target);
}

/* Replace the root's libc by the one built here for MACHINE.  */
static void
bind_libc (enum libc libc, const struct machine *machine)
{
  char from[PATH_MAX], to[PATH_MAX];
  bool link = libc == LIBC_LINK;
  join (to, stage,
	library_directory (link ? machine->linked : machine->shared), NULL);
  new_file (from, machine, link ? machine->new_linked : machine->new_shared);
  if (!exists (from))
    {
      /* A compiler is useful even while the libc is still being built.  */
      if (link)
	return;
      fail (errno, "%s (run make glibc%s%s)", from,
	    machine->emulator != NULL ? "-" : "",
	    machine->emulator != NULL ? machine->name : "");
    }
  bind_files (libc, from, to);
  if (link)
    return;
  bind_loader (machine, to);
  bind_gconv (machine);
}

static void
enter_root (const char *cwd)
{
  if (chdir (stage) != 0)
    fail (errno, "%s", stage);
  /* pivot_root, not chroot: a process in a chroot cannot create user
     namespaces, as tests of glibc do.  The old root ends up mounted on the new
     one and is unmounted.  */
  if (syscall (SYS_pivot_root, ".", ".") != 0)
    fail (errno, "pivot_root");
  if (umount2 (".", MNT_DETACH) != 0)
    fail (errno, "cannot leave the old root");
  if (chdir (cwd) != 0)
    fail (errno, "%s does not exist in the build root", cwd);
}

/* Options that come before the program or the compiler's arguments.  */
struct options
{
  enum libc libc;
  const struct machine *machine;
  bool crash;
  bool tables;
  int nbinds;
  const char **binds;
};

static void
set_libc (struct options *options, const char *name, bool compiler)
{
  if (strcmp (name, "stock") == 0)
    options->libc = LIBC_STOCK;
  else if (strcmp (name, "new") == 0)
    options->libc = compiler ? LIBC_LINK : LIBC_NEW;
  else
    fail (0, "unknown --libc=%s; use new or stock", name);
}

static void
set_machine (struct options *options, const char *name)
{
  for (size_t i = 0; i < NMACHINES; ++i)
    if (strcmp (name, machines[i].name) == 0)
      {
	options->machine = &machines[i];
	return;
      }
  fail (0, "unknown --arch=%s; use x86_64, s390x or aarch64", name);
}

/* Print TEXT and exit.  */
static void __attribute__ ((noreturn))
print_and_exit (const char *text)
{
  if (fputs (text, stdout) < 0 || fflush (stdout) != 0)
    fail (errno, "standard output");
  exit (0);
}

/* Handle ARG if it is an option common to all tools; otherwise return
   false.  */
static bool
common_option (struct options *options, const char *arg, bool compiler)
{
  if (strcmp (arg, "--help") == 0)
    print_and_exit (compiler ? usage_cc : usage_run);
  if (strncmp (arg, "--libc=", 7) == 0)
    set_libc (options, arg + 7, compiler);
  else if (strncmp (arg, "--arch=", 7) == 0)
    set_machine (options, arg + 7);
  else
    return false;
  return true;
}

static void
add_bind (struct options *options, const char *spec)
{
  if (spec[0] != '/')
    fail (0, "--bind=%s: not an absolute path", spec);
  options->binds = reallocarray (options->binds, options->nbinds + 1,
				 sizeof *options->binds);
  if (options->binds == NULL)
    fail (errno, "--bind=%s", spec);
  options->binds[options->nbinds++] = spec;
}

/* Parse our own options and return the index of the first other argument.  */
static int
parse (struct options *options, int argc, char **argv, bool compiler)
{
  int i;
  for (i = 1; i < argc && argv[i][0] == '-'; ++i)
    {
      if (common_option (options, argv[i], compiler))
	continue;
      if (compiler)
	break;
      if (strcmp (argv[i], "--") == 0)
	return i + 1;
      if (strcmp (argv[i], "--version") == 0)
	print_and_exit ("sframe-run " VERSION "\n");
      if (strcmp (argv[i], "--crash") == 0)
	options->crash = true;
      else if (strcmp (argv[i], "--tables") == 0)
	options->tables = true;
      else if (strncmp (argv[i], "--bind=", 7) == 0)
	add_bind (options, argv[i] + 7);
      else
	fail (0, "unknown option %s; see --help", argv[i]);
    }
  return i;
}

/* Prepend the crash handler to the caller's LD_PRELOAD.  */
static void
preload_crash (const char *library)
{
  static char value[PATH_MAX];
  char path[PATH_MAX];
  if (!exists (join (path, top, library, NULL)))
    fail (errno, "%s (run make first)", path);
  const char *old = getenv ("LD_PRELOAD");
  join (value, strcmp (root, "/") == 0 ? top : FIXED, library,
	old != NULL ? ":" : "", old != NULL ? old : "", NULL);
  setenv ("LD_PRELOAD", value, 1);
}

/* Execute tools/convert-program with OUT as standard output, without the
   environment variables that are meant for PROGRAM.  */
static void __attribute__ ((noreturn))
convert_child (const char *program, int out)
{
  char path[PATH_MAX];
  unsetenv ("LD_PRELOAD");
  unsetenv ("LD_AUDIT");
  unsetenv ("LD_DEBUG");
  unsetenv ("GLIBC_TUNABLES");
  /* dup2 does nothing if standard output was closed, so that OUT got its
     number.  */
  if (out == STDOUT_FILENO)
    fcntl (out, F_SETFD, 0);
  dup2 (out, STDOUT_FILENO);
  join (path, top, "/tools/convert-program", NULL);
  execl (path, path, program, (char *) NULL);
  fail (errno, "%s", path);
}

/* Arrange for PROGRAM, and those of its libraries that are not the build
   root's, to be replaced by copies with SFrame tables.  */
static void
convert_program (struct options *options, const char *program)
{
  int ends[2], status;
  if (pipe2 (ends, O_CLOEXEC) != 0)
    fail (errno, "pipe");
  /* If SIGCHLD is ignored, there is no child to wait for.  */
  struct sigaction action = { .sa_handler = SIG_DFL }, before;
  sigaction (SIGCHLD, &action, &before);
  pid_t child = fork ();
  if (child == 0)
    convert_child (program, ends[1]);
  close (ends[1]);
  FILE *lines = fdopen (ends[0], "r");
  char *line = NULL;
  size_t size = 0;
  for (ssize_t n; lines != NULL && (n = getline (&line, &size, lines)) > 0; )
    {
      line[n - 1] = '\0';
      char *spec = strdup (line);
      if (spec == NULL)
	fail (errno, "%s", program);
      add_bind (options, spec);
    }
  free (line);
  if (lines == NULL || fclose (lines) != 0 || child < 0
      || waitpid (child, &status, 0) != child || status != 0)
    fail (0, "cannot make tables for %s; see above", program);
  sigaction (SIGCHLD, &before, NULL);
}

/* Mount what OPTIONS ask for, and enter the build root unless it is this one.
   The process gets mounts of its own.  */
static void
enter (struct options *options)
{
  char cwd[PATH_MAX];
  bool foreign = strcmp (root, "/") != 0;
  if (getcwd (cwd, sizeof cwd) == NULL)
    fail (errno, "current directory");
  own_mounts ();
  if (foreign)
    assemble_root (cwd);
  for (int i = 0; i < options->nbinds; ++i)
    bind_option (options->binds[i]);
  if (options->libc != LIBC_STOCK)
    bind_libc (options->libc, options->machine);
  if (foreign)
    enter_root (cwd);
}

/* The command line FIRST SECOND ARGS; SECOND may be null.  */
static char **
prepend (const char *first, const char *second, char **args, int nargs)
{
  char **command = calloc (nargs + 3, sizeof *command);
  if (command == NULL)
    fail (errno, "command line");
  int n = 0;
  command[n++] = (char *) first;
  if (second != NULL)
    command[n++] = (char *) second;
  memcpy (command + n, args, nargs * sizeof *command);
  return command;
}

/* Return the machine in the ELF header of PATH, EM_NONE if it is cut off, or
   -1 if PATH is no ELF file that can be read.  */
static int
elf_machine (const char *path)
{
  Elf64_Ehdr header = { 0 };
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return -1;
  ssize_t n = read (fd, &header, sizeof header);
  close (fd);
  if (n < SELFMAG || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0)
    return -1;
  if (n != sizeof header)
    return EM_NONE;
  return (header.e_ident[EI_DATA] == ELFDATA2MSB
	  ? __builtin_bswap16 (header.e_machine) : header.e_machine);
}

/* Say why MACHINE cannot run PATH, whose format it does not accept.  */
static int
refuse (const char *path, const struct machine *machine)
{
  int elf = elf_machine (path);
  if (elf < 0 || elf == EM_NONE || elf == machine->elf)
    fprintf (stderr, "%s: %s: %s\n", tool, path, strerror (ENOEXEC));
  else
    fprintf (stderr, "%s: %s is for another machine; see --arch\n", tool,
	     path);
  return EXIT_CANNOT_RUN;
}

/* Check PROGRAM for the emulator of MACHINE, which does not search PATH, and
   whose exit status for what it cannot run differs from ours.  */
static void
check_program (const char *program, const struct machine *machine)
{
  struct stat st;
  if (stat (program, &st) == 0 && !S_ISREG (st.st_mode))
    errno = EACCES;
  else if (access (program, X_OK) == 0)
    {
      if (elf_machine (program) == machine->elf)
	return;
      exit (refuse (program, machine));
    }
  int err = errno;
  fprintf (stderr, "%s: %s: %s\n", tool, program, strerror (err));
  exit (err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN);
}

static const char *
base_name (const char *path)
{
  const char *slash = strrchr (path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Replace PATH, PATH_MAX bytes, by the target of the link PATH.  Return false
   if it is no link.  */
static bool
follow_link (char *path)
{
  char target[PATH_MAX], directory[PATH_MAX];
  ssize_t n = readlink (path, target, sizeof target - 1);
  if (n < 0)
    return false;
  target[n] = '\0';
  *(char *) base_name (strcpy (directory, path)) = '\0';
  join (path, target[0] == '/' ? "" : directory, target, NULL);
  return true;
}

/* Which of the tools this is: follow the links from the executed file to the
   first one with a name of ours.  */
static const char *
find_tool (void)
{
  static const char *const names[] = { "sframe-run", "sframe-cc",
				       "sframe-c++" };
  char path[PATH_MAX];
  join (path, (const char *) getauxval (AT_EXECFN), NULL);
  do
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
      if (strcmp (base_name (path), names[i]) == 0)
	return names[i];
  while (follow_link (path));
  return names[0];
}

/* Return the file that execvp would execute for NAME, in PATH, PATH_MAX bytes;
   or NAME if it has a slash, or if there is none.  */
static const char *
find_command (const char *name, char *path)
{
  const char *directory = getenv ("PATH");
  if (strchr (name, '/') != NULL || directory == NULL)
    return name;
  for (;; ++directory)
    {
      size_t length = strcspn (directory, ":");
      int n = snprintf (path, PATH_MAX, "%.*s%s%s", (int) length, directory,
			length > 0 ? "/" : "./", name);
      if (n < PATH_MAX && access (path, X_OK) == 0)
	return path;
      directory += length;
      if (*directory == '\0')
	return name;
    }
}

/* Replace this process by COMMAND.  */
static int
execute (char **command)
{
  char path[PATH_MAX];
  const char *file = find_command (command[0], path);
  /* execvp has a shell run what the kernel cannot: that is right for scripts
     only.  */
  if (strchr (file, '/') != NULL)
    {
      execv (file, command);
      if (errno == ENOEXEC && elf_machine (file) >= 0)
	return refuse (file, machines);
    }
  execvp (command[0], command);
  int err = errno;
  fprintf (stderr, "%s: %s: %s\n", tool, command[0], strerror (err));
  return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

/* sframe-cc and sframe-c++: run COMPILER with ARGS in the build root.  */
static int
compile (struct options *options, const char *compiler, char **args, int nargs)
{
  find_project (false);
  enter (options);
  return execute (prepend (compiler, "-Wa,--gsframe", args, nargs));
}

/* sframe-run: run the program ARGS[0] in the build root.  */
static int
run (struct options *options, char **args, int nargs)
{
  const char *emulator = options->machine->emulator;
  find_project (options->tables);
  if (options->tables)
    convert_program (options, args[0]);
  if (options->crash)
    preload_crash (options->machine->crash);
  enter (options);
  if (emulator == NULL)
    return execute (args);
  check_program (args[0], options->machine);
  if (options->machine->processor != NULL)
    setenv ("QEMU_CPU", options->machine->processor, 0);
  return execute (prepend (emulator, NULL, args, nargs));
}

int
main (int argc, char **argv)
{
  tool = find_tool ();
  bool cxx = strcmp (tool, "sframe-c++") == 0;
  bool compiler = cxx || strcmp (tool, "sframe-cc") == 0;

  struct options options = { .libc = compiler ? LIBC_LINK : LIBC_NEW,
			     .machine = machines };
  int first = parse (&options, argc, argv, compiler);
  if (first == argc)
    fail (0, "no %s given; see --help", compiler ? "arguments" : "program");
  if (!compiler)
    return run (&options, argv + first, argc - first);
  return compile (&options, (cxx ? options.machine->gxx
			     : options.machine->gcc),
		  argv + first, argc - first);
}
