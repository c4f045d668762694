/* Recorded system calls, one function for each.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The line of a call in the trace is written when the call takes effect: for
   mmap and openat on return, for all others on entry.  */

#include "calls.h"
#include "checks.h"
#include "vdso-swap.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

struct settings settings = { .calls = -1 };

/* How many times objects of one name must be registered or removed, and how
   many times they were.  */
struct expectation
{
  struct expectation *next;
  const char *name;
  enum assertion assertion;
  unsigned due;
  unsigned seen;
};
static struct expectation *expectations;

/* The recorder has refused a registration, so not all objects need be
   registered.  */
static bool refused_some;

/* A refusal for which the result is 0.  No error has this number.  */
enum { ANSWER_0 = -4096 };

static void
expect (const char *name, enum assertion assertion, unsigned count)
{
  struct expectation *e = malloc (sizeof *e);
  if (e == NULL)
    err (2, "expectations");
  *e = (struct expectation) { expectations, name, assertion, count, 0 };
  expectations = e;
}

void
expect_adds (const char *name, unsigned count)
{
  expect (name, COUNTED_ADDS, count);
}

void
expect_removes (const char *name, unsigned count)
{
  expect (name, COUNTED_REMOVES, count);
}

static void
count_one (const char *name, enum assertion assertion)
{
  for (struct expectation *e = expectations; e != NULL; e = e->next)
    if (e->assertion == assertion && strcmp (e->name, name) == 0)
      e->seen++;
}

void
calls_finished (void)
{
  for (struct expectation *e = expectations; e != NULL; e = e->next)
    verdict (e->assertion, e->seen == e->due, "%s: %u instead of %u",
	     e->name, e->seen, e->due);
}

static bool
kernel_knows (void)
{
  return settings.kernel == KERNEL_NEW || settings.kernel == KERNEL_EXEC;
}

/* Whether all mapped objects must be registered.  */
static bool
expect_complete (const struct space *space)
{
  return kernel_knows () && !refused_some && !space->torn;
}

/* The result of both options on a kernel without them, or with a filter.  */
static int
answer_none (void)
{
  return settings.kernel == KERNEL_FORBID ? -EPERM : -EINVAL;
}

static const char *
error_text (int64_t result)
{
  return result == 0 ? "0" : strerrorname_np (-result) ?: "?";
}

/* The result of PR_ADD_SFRAME on the simulated kernel, which must accept all
   tables except one with a BAD header.  */
static int
answer_add (struct scene *scene, const struct registration *what, bool bad)
{
  static unsigned nth;
  nth++;
  if (!kernel_knows ())
    return answer_none ();
  if (settings.refuse
      && (settings.refuse_nth == 0 || settings.refuse_nth == nth))
    {
      refused_some = true;
      return settings.refuse_error != 0 ? -settings.refuse_error : ANSWER_0;
    }
  struct range *old = model_find (scene->model, what);
  bool news = old == NULL || old->by_exec;
  verdict (ONCE, news, "table %#" PRIx64 ", text %#" PRIx64,
	   what->table_start, what->text_start);
  if (old != NULL)
    old->by_exec = false;
  int result = model_add (scene->model, scene->pid, &scene->maps, what);
  if (result == -ENOSPC)
    refused_some = true;
  else
    verdict (ACCEPTED, result == (bad ? -EINVAL : 0), "PR_ADD_SFRAME: %s",
	     error_text (result));
  return result;
}

/* Handle one element of the array of PR_ADD_SFRAME.  Return the result of the
   simulated kernel.  */
static int
range_entered (struct task *task, struct scene *scene,
	       const struct registration *what)
{
  const struct object *object = check_add (scene, what);
  const char *name = object != NULL ? object_name (object) : "?";
  bool bad = object != NULL && object->file->header_defect;
  int answer = answer_add (scene, what, bad);
  if (answer == 0)
    {
      if (object != NULL)
	model_find (scene->model, what)->object = *object;
      count_one (name, COUNTED_ADDS);
    }
  fprintf (trace, "%d PR_ADD_SFRAME %s table %#" PRIx64 "+%#" PRIx64
	   " text %#" PRIx64 "+%#" PRIx64 " = %s\n", task->ordinal, name,
	   what->table_start, what->table_size, what->text_start,
	   what->text_size, error_text (answer));
  return answer;
}

/* An element of the array has four words; the size of an element and flags,
   which are 0, follow as arguments.  The elements are registered in their
   order, up to the first that is refused.  */
static void
add_entered (struct task *task)
{
  const uint64_t *a = task->arguments;
  struct scene scene;
  scene_open (&scene, task->pid, &task->space->model);
  verdict (ASKED_ONCE, task->space->asked, "registers without asking");
  verdict (ACCEPTED, a[2] > 0 && a[3] == 32 && a[4] == 0,
	   "%" PRIu64 " elements of size %" PRIu64 ", flags %#" PRIx64, a[2],
	   a[3], a[4]);
  int answer = 0;
  uint64_t done = 0;
  while (answer == 0 && done < a[2])
    {
      uint64_t range[4];
      if (memory_read (task->pid, a[1] + done * sizeof range, range,
		       sizeof range))
	{
	  struct registration what = { range[0], range[1], range[2],
				       range[3] };
	  answer = range_entered (task, &scene, &what);
	}
      else
	{
	  answer = -EFAULT;
	  verdict (ACCEPTED, false, "element %" PRIu64 " unreadable", done);
	}
      done += answer == 0;
    }
  task->answer = done != 0 ? (int) done : answer != ANSWER_0 ? answer : 0;
  scene_close (&scene);
}

/* PR_REMOVE_SFRAME of address 0, where no table can be registered, asks
   whether the kernel has the options.  */
static void
question_entered (struct task *task)
{
  verdict (ASKED_ONCE, !task->space->asked, "asks again");
  task->space->asked = true;
  task->answer = kernel_knows () ? -ENOENT : answer_none ();
  fprintf (trace, "%d question = %s\n", task->ordinal,
	   error_text (task->answer));
}

static void
remove_entered (struct task *task)
{
  const uint64_t *a = task->arguments;
  struct model *model = &task->space->model;
  const char *name = "?";
  for (size_t i = 0; i < model->count; i++)
    if (model->list[i].what.table_start == a[1]
	&& model->list[i].object.file != NULL)
      name = object_name (&model->list[i].object);
  bool rest_zero = a[2] == 0 && a[3] == 0 && a[4] == 0;
  task->answer = (!kernel_knows () ? answer_none ()
		  : rest_zero ? model_remove (model, a[1]) : -EINVAL);
  verdict (REMOVED_KNOWN, task->answer == 0, "table %#" PRIx64 ": %s", a[1],
	   error_text (task->answer));
  if (task->answer == 0)
    count_one (name, COUNTED_REMOVES);
  fprintf (trace, "%d PR_REMOVE_SFRAME %s table %#" PRIx64 " = %s\n",
	   task->ordinal, name, a[1], error_text (task->answer));
}

static void
prctl_entered (struct task *task)
{
  /* The kernel uses only 32 bits of the option.  */
  uint32_t option = task->arguments[0];
  if (option != PR_ADD_SFRAME && option != PR_REMOVE_SFRAME)
    {
      fprintf (trace, "%d prctl (%#" PRIx32 ")\n", task->ordinal, option);
      return;
    }
  task->space->calls++;
  task->has_answer = settings.kernel != KERNEL_KILL;
  const uint64_t *a = task->arguments;
  if (option == PR_ADD_SFRAME)
    add_entered (task);
  else if (a[1] == 0 && a[2] == 0 && a[3] == 0 && a[4] == 0)
    question_entered (task);
  else
    remove_entered (task);
}

/* Count the objects with a table in [START, START + SIZE).  */
static void
count_unmapped (const struct model *model, uint64_t start, uint64_t size)
{
  for (size_t i = 0; i < model->count; i++)
    {
      const struct range *range = &model->list[i];
      bool counted = false;
      for (size_t j = 0; j < i; j++)
	counted |= (model->list[j].what.table_start
		    == range->what.table_start);
      if (!counted && range->object.file != NULL
	  && range_overlaps (range, start, size))
	count_one (object_name (&range->object), COUNTED_REMOVES);
    }
}

/* Memory is unmapped: check, then remove the registrations as the kernel
   does.  */
static void
unmapped (struct task *task, const char *call, uint64_t start, uint64_t size)
{
  struct model *model = &task->space->model;
  size = (size + 0xfff) & ~UINT64_C (0xfff);
  check_unmap (model, call, start, size);
  count_unmapped (model, start, size);
  model_unmap (model, start, size);
}

static void
munmap_entered (struct task *task)
{
  const uint64_t *a = task->arguments;
  fprintf (trace, "%d munmap %#" PRIx64 "+%#" PRIx64 "\n", task->ordinal,
	   a[0], a[1]);
  unmapped (task, "munmap", a[0], a[1]);
}

static void
mremap_entered (struct task *task)
{
  const uint64_t *a = task->arguments;
  fprintf (trace, "%d mremap %#" PRIx64 "+%#" PRIx64 " to +%#" PRIx64 "\n",
	   task->ordinal, a[0], a[1], a[2]);
  unmapped (task, "mremap", a[0], a[1]);
  if (a[3] & MREMAP_FIXED)
    unmapped (task, "mremap", a[4], a[2]);
}

static void
mmap_entered (struct task *task)
{
  const uint64_t *a = task->arguments;
  if (a[3] & MAP_FIXED)
    unmapped (task, "mmap", a[0], a[1]);
}

static void
mprotect_entered (struct task *task)
{
  const uint64_t *a = task->arguments;
  fprintf (trace, "%d mprotect %#" PRIx64 "+%#" PRIx64 " %#" PRIx64 "\n",
	   task->ordinal, a[0], a[1], a[2]);
  check_protect (&task->space->model, a[0], a[1], settings.early);
}

/* The kinds of marker, each with the check it asks for.  */

static void
marker_constructor_all (struct scene *scene, struct task *task,
			const char *name)
{
  if (expect_complete (task->space))
    check_complete (scene, COMPLETE_AT_CONSTRUCTOR, settings.exempt);
}

static void
marker_own (struct scene *scene, struct task *task,
	    enum assertion assertion)
{
  const struct object *object = objects_at (&scene->objects, task->ip);
  if (object == NULL)
    verdict (assertion, false, "marker from %#" PRIx64 ", of no object",
	     task->ip);
  else if (expect_complete (task->space))
    check_object (scene, object, assertion);
}

static void
marker_constructor (struct scene *scene, struct task *task, const char *name)
{
  marker_own (scene, task, COMPLETE_AT_CONSTRUCTOR);
}

static void
marker_destructor (struct scene *scene, struct task *task, const char *name)
{
  marker_own (scene, task, COMPLETE_AT_DESTRUCTOR);
}

static void
marker_is (struct scene *scene, struct task *task, const char *name)
{
  if (expect_complete (task->space))
    check_present (scene, name);
}

static void
marker_not (struct scene *scene, struct task *task, const char *name)
{
  if (kernel_knows ())
    check_absent (scene, name);
}

static void
marker_fail (struct scene *scene, struct task *task, const char *name)
{
  task->space->fail_nth = settings.fail_nth;
}

/* From now on no call fails.  All mapped objects must be registered.  */
static void
marker_fail_no_more (struct scene *scene, struct task *task, const char *name)
{
  task->space->fail_nth = 0;
  if (expect_complete (task->space))
    check_complete (scene, COMPLETE_ON_REQUEST, settings.exempt);
}

static const struct
{
  const char *word;
  void (*check) (struct scene *, struct task *, const char *);
} markers[] =
{
  { "fail", marker_fail },
  { "fail-no-more", marker_fail_no_more },
  { "constructor-all", marker_constructor_all },
  { "constructor", marker_constructor },
  { "destructor", marker_destructor },
  { "is", marker_is },
  { "not", marker_not },
};

/* A write to descriptor -1 is a test program's message to the recorder; see
   marker.h.  */
static void
write_entered (struct task *task)
{
  char text[120] = "";
  if ((int) task->arguments[0] != -1
      || task->arguments[2] >= sizeof text
      || !memory_read (task->pid, task->arguments[1], text,
		       task->arguments[2]))
    return;
  fprintf (trace, "%d marker %s\n", task->ordinal, text);
  char *name = text + strcspn (text, " ");
  if (*name != '\0')
    *name++ = '\0';
  for (size_t i = 0; i < sizeof markers / sizeof *markers; i++)
    if (strcmp (text, markers[i].word) == 0)
      {
	struct scene scene;
	scene_open (&scene, task->pid, &task->space->model);
	markers[i].check (&scene, task, name);
	scene_close (&scene);
	return;
      }
}

/* A forked child inherits the count, and the state of its libc.  */
static void
count_calls (struct space *space)
{
  if (settings.calls >= 0 && !space->torn)
    verdict (COUNTED_CALLS, space->calls == (unsigned) settings.calls,
	     "%u instead of %d", space->calls, settings.calls);
}

static void
exit_group_entered (struct task *task)
{
  fprintf (trace, "%d exit_group %" PRIu64 "\n", task->ordinal,
	   task->arguments[0]);
  struct scene scene;
  scene_open (&scene, task->pid, &task->space->model);
  check_nothing_left (&scene);
  /* Another thread may be in the middle of dlopen.  */
  if (task->space->users == 1)
    {
      count_calls (task->space);
      if (expect_complete (task->space))
	check_complete (&scene, COMPLETE_AT_EXIT, settings.exempt);
    }
  scene_close (&scene);
}

static void
clone_entered (struct task *task)
{
  const uint64_t *a = task->arguments;
  task->clone_flags = 0;
  if (task->call == SYS_clone)
    task->clone_flags = a[0];
#ifdef SYS_vfork
  else if (task->call == SYS_vfork)
    task->clone_flags = CLONE_VFORK | CLONE_VM;
#endif
  else if (task->call == SYS_clone3
	   && !memory_read (task->pid, a[0], &task->clone_flags,
			    sizeof task->clone_flags))
    task->clone_flags = 0;
  fprintf (trace, "%d clone %s%s\n", task->ordinal,
	   task->clone_flags & CLONE_VM ? "sharing memory" : "copying memory",
	   task->clone_flags & CLONE_VFORK ? ", waiting" : "");
  if (!(task->clone_flags & CLONE_VM))
    task->space->forking = task;
}

/* Read the string at ADDRESS into TEXT, cut if it is long.  */
static void
string_at (struct task *task, uint64_t address, char *text, size_t size)
{
  size_t i = 0;
  while (i < size - 1 && memory_read (task->pid, address + i, &text[i], 1)
	 && text[i] != '\0')
    i++;
  text[i] = '\0';
}

static void
execve_entered (struct task *task)
{
  char path[200];
  string_at (task, task->arguments[0], path, sizeof path);
  fprintf (trace, "%d execve %s\n", task->ordinal, path);
}

void
program_started (struct task *task)
{
  fprintf (trace, "%d program started\n", task->ordinal);
  task->space->model.limit = settings.limit;
  if (settings.kernel != KERNEL_EXEC)
    return;
  struct scene scene;
  scene_open (&scene, task->pid, &task->space->model);
  for (size_t i = 0; i < scene.objects.count; i++)
    {
      struct registration due[MAX_SEGMENTS];
      const struct object *object = &scene.objects.list[i];
      size_t count = object_registrations (object, due);
      for (size_t j = 0; j < count; j++)
	if (model_add (scene.model, task->pid, &scene.maps, &due[j]) == 0)
	  {
	    struct range *range = model_find (scene.model, &due[j]);
	    range->by_exec = true;
	    range->object = *object;
	    fprintf (trace, "%d exec registers %s\n", task->ordinal,
		     object_name (object));
	  }
    }
  scene_close (&scene);
}

static const struct
{
  long call;
  void (*entered) (struct task *);
} handlers[] =
{
  { SYS_prctl, prctl_entered },
  { SYS_munmap, munmap_entered },
  { SYS_mremap, mremap_entered },
  { SYS_mmap, mmap_entered },
  { SYS_mprotect, mprotect_entered },
  { SYS_write, write_entered },
  { SYS_exit_group, exit_group_entered },
  { SYS_clone, clone_entered },
  { SYS_clone3, clone_entered },
#ifdef SYS_fork
  { SYS_fork, clone_entered },
  { SYS_vfork, clone_entered },
#endif
  { SYS_execve, execve_entered },
};

/* These calls do not fail: those that release a resource, whose failure a
   program cannot handle; those of SFrame, for which there is
   settings.refuse_nth; and messages.  */
bool
call_fails (struct task *task)
{
  if (task->space->fail_nth == 0 || task->call == SYS_munmap
      || task->call == SYS_close || task->call == SYS_prctl
      || (task->call == SYS_write && (int) task->arguments[0] == -1)
      || --task->space->fail_nth > 0)
    return false;
  fprintf (trace, "%d call %ld is made to fail\n", task->ordinal, task->call);
  task->has_answer = true;
  task->answer = -ENOMEM;
  return true;
}

void
call_entered (struct task *task)
{
  task->has_answer = false;
  for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
    if (handlers[i].call == task->call)
      handlers[i].entered (task);
}

void
call_left (struct task *task, int64_t result)
{
  const uint64_t *a = task->arguments;
  char path[200];
  if (task->call == SYS_mmap)
    fprintf (trace, "%d mmap %#" PRIx64 "+%#" PRIx64 " %#" PRIx64 " %s"
	     " fd %d = %#" PRIx64 "\n", task->ordinal, a[0], a[1], a[2],
	     a[3] & MAP_FIXED ? "fixed" : "anywhere", (int) a[4], result);
  else if (task->call == SYS_openat)
    {
      string_at (task, a[1], path, sizeof path);
      fprintf (trace, "%d openat %s = %" PRId64 "\n", task->ordinal, path,
	       result);
    }
  else if (task->call == SYS_execve && result == 0 && settings.vdso != NULL)
    vdso_swap (task->pid, settings.vdso);
}
