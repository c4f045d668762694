/* Random sequences of what processes do to their SFrame tables, compared with
   a model.
   SPDX-License-Identifier: GPL-2.0-only

   Usage: sequence COUNT SEED

   The model has a plain array of what each process has registered, and the
   owner of each page; it computes each result as manual/PR_ADD_SFRAME.2const
   describes it.  After each of COUNT operations the registrations of a process
   must be those of its model; at the end all memory must be freed.  A cached
   rule has the number of its table as an offset, which identifies the table.
   */

#include "process.h"

#include "sframe_cache.h"
#include "sframe_set.h"

#include <asm/unwind_user_sframe.h>

#include "../sframe.unit/chance.h"

enum { PAGE = 0x1000, PAGES = 24, RECORDS = 200, PROCESSES = 4 };
enum { STEP = 0x200, TOP = BASE + PAGES * PAGE };

struct record
{
  unsigned long table, table_size, text, text_size;
  /* Of the registration of the table.  */
  unsigned long id;
};

struct model
{
  bool alive;
  /* Tells the processes of one place apart.  */
  unsigned long born;
  struct mm_struct mm;
  unsigned int count;
  struct record records[RECORDS];
  /* Of unwinders.  */
  u16 order;
  /* The mapping that has a page; 0: none.  */
  unsigned int mapping[PAGES];
  bool executable[PAGES];
};

/* The numbers of outcomes, to check that each occurs.  */
enum outcome
{
  ADDED, SAME, OVERLAPPED, REFUSED, NO_MEMORY, REMOVED, NOT_REMOVED,
  KEPT_FOR_MEMORY, UNMAPPED, FORGOTTEN, FORKED, LOST_BY_FORK, SHARED, DROPPED,
  NOT_DROPPED, CHOSEN, NOT_CHOSEN, CACHED, TOO_LATE, RECALLED, OUTCOMES
};

static unsigned long outcomes[OUTCOMES];

static struct model models[PROCESSES], *self;
static unsigned int last_mapping;
static unsigned long operation, last_id;

static void
fail (const char *what, long result, long expected)
{
  printf ("FAIL: operation %lu, %s: %ld, not %ld\n", operation, what, result,
	  expected);
  exit (EXIT_FAILURE);
}

static void
expect (const char *what, long result, long expected)
{
  if (result != expected)
    fail (what, result, expected);
}

static bool
overlap (unsigned long a, unsigned long a_size, unsigned long b,
	 unsigned long b_size)
{
  return a < b + b_size && b < a + a_size;
}

/* Whether pages from START on for SIZE bytes are all mapped; by one mapping
   if ONE, and as code if CODE.  */
static bool
mapped (const struct model *model, unsigned long start, unsigned long size,
	bool one, bool code)
{
  unsigned int first = (start - BASE) / PAGE;

  if (start < BASE || start + size > TOP)
    return false;
  for (unsigned int i = first; i <= (start + size - 1 - BASE) / PAGE; ++i)
    if (model->mapping[i] == 0 || (code && !model->executable[i])
	|| (one && model->mapping[i] != model->mapping[first]))
      return false;
  return true;
}

/* Each multiple of STEP has a good header, but the last one of each page.  */
static bool
good_table (const struct record *r)
{
  return (r->table % STEP == 0 && r->table % PAGE != PAGE - STEP
	  && r->table_size >= TABLE_SIZE);
}

static bool
same (const struct record *a, const struct record *b)
{
  return (a->table == b->table && a->table_size == b->table_size
	  && a->text == b->text && a->text_size == b->text_size);
}

static bool
is_there (const struct record *r)
{
  for (unsigned int i = 0; i < self->count; ++i)
    if (same (&self->records[i], r))
      return true;
  return false;
}

/* The result of adding R, if there is memory; 1: R was new.  */
static int
model_add (const struct record *r)
{
  if (r->text_size == 0 || r->table_size < 28)
    return -EINVAL;
  if (is_there (r))
    return 0;
  if (!mapped (self, r->table, r->table_size, true, false)
      || !mapped (self, r->text, r->text_size, true, true)
      || !good_table (r))
    return -EINVAL;
  for (unsigned int i = 0; i < self->count; ++i)
    {
      const struct record *old = &self->records[i];
      if (overlap (old->text, old->text_size, r->text, r->text_size))
	return -EEXIST;
      if (overlap (old->table, old->table_size, r->table, r->table_size)
	  && (old->table != r->table || old->table_size != r->table_size))
	return -EEXIST;
    }
  return 1;
}

/* Forget the records of MODEL from START to END: whose table overlaps that,
   and, if TEXTS, whose text does.  */
static unsigned int
model_drop (struct model *model, unsigned long start, unsigned long end,
	    bool texts)
{
  unsigned int kept = 0, dropped = 0;

  for (unsigned int i = 0; i < model->count; ++i)
    {
      struct record r = model->records[i];
      if (overlap (r.table, r.table_size, start, end - start)
	  || (texts && overlap (r.text, r.text_size, start, end - start)))
	++dropped;
      else
	model->records[kept++] = r;
    }
  model->count = kept;
  return dropped;
}

static unsigned long
any_size (void)
{
  static const unsigned long sizes[] = {
    0, 1, 1, 31, 32, 32, 33, 64, 64, 27, 28, TABLE_SIZE - 1, TABLE_SIZE,
    TABLE_SIZE, STEP, STEP, STEP + 1, 3 * STEP, PAGE, PAGE + 1, 2 * PAGE
  };
  return sizes[below (ARRAY_SIZE (sizes))];
}

/* Something to add: now and then the same as before, or the same table.  */
static struct record
any_record (void)
{
  struct record r = {
    .table = BASE + below (PAGES * PAGE / STEP) * STEP,
    .table_size = any_size (),
    .text = BASE + below (PAGES * PAGE / 32) * 32 + below (8) / 7,
    .text_size = any_size ()
  };
  unsigned int like = below (8);

  if (like < 4 && r.table_size < TABLE_SIZE)
    r.table_size = TABLE_SIZE;
  if (self->count == 0 || like > 2)
    return r;
  const struct record *old = &self->records[below (self->count)];
  if (like == 0)
    return *old;
  r.table = old->table;
  r.table_size = old->table_size;
  /* Abutting, half of the time.  */
  if (like == 1)
    r.text = old->text + old->text_size;
  return r;
}

/* Let an allocation fail, now and then; whether one did.  */
static void
short_of_memory (void)
{
  machine.no_memory_after = below (4) == 0 ? 1 + below (5) : 0;
}

static bool
was_short_of_memory (unsigned long after)
{
  bool was = after != 0 && machine.no_memory_after == 0;
  machine.no_memory_after = 0;
  return was;
}

static void
do_add (void)
{
  struct record r = any_record ();
  int expected = model_add (&r);

  if (self->count == RECORDS)
    return;
  short_of_memory ();
  unsigned long after = machine.no_memory_after;
  int result = sframe_add (r.table, r.table_size, r.text, r.text_size);
  if (was_short_of_memory (after))
    {
      expect ("add without memory", result, -ENOMEM);
      expect ("model of that", expected, 1);
      ++outcomes[NO_MEMORY];
      return;
    }
  expect ("add", result, expected < 0 ? expected : 0);
  ++outcomes[expected == 1 ? ADDED : expected == 0 ? SAME
	     : expected == -EEXIST ? OVERLAPPED : REFUSED];
  if (expected != 1)
    return;
  r.id = ++last_id;
  for (unsigned int i = 0; i < self->count; ++i)
    if (self->records[i].table == r.table)
      r.id = self->records[i].id;
  self->records[self->count++] = r;
}

static void
do_remove (void)
{
  unsigned long table = BASE + below (PAGES * PAGE / STEP) * STEP;
  bool there = false;

  if (self->count > 0 && below (2) == 0)
    table = self->records[below (self->count)].table + below (8) / 7 * 4;
  for (unsigned int i = 0; i < self->count; ++i)
    there |= self->records[i].table == table;
  short_of_memory ();
  unsigned long after = machine.no_memory_after;
  int result = sframe_remove (table);
  if (was_short_of_memory (after))
    {
      expect ("remove without memory", result, -ENOMEM);
      expect ("model of that", there, true);
      ++outcomes[KEPT_FOR_MEMORY];
      return;
    }
  expect ("remove", result, there ? 0 : -ENOENT);
  ++outcomes[there ? REMOVED : NOT_REMOVED];
  if (there)
    model_drop (self, table, table + 1, false);
}

/* Forget the records of MODEL that lose memory from START to END; all of them
   if there was no MEMORY to have others than a relative.  */
static void
model_unmap (struct model *model, unsigned long start, unsigned long end,
	     bool no_memory)
{
  unsigned int dropped = model_drop (model, start, end, true);

  outcomes[UNMAPPED] += dropped;
  if (!no_memory)
    return;
  expect ("memory wanted for nothing", dropped != 0, true);
  ++outcomes[FORGOTTEN];
  model->count = 0;
}

/* Unmap some pages, and map some of them anew if AGAIN.  */
static void
change_mapping (bool again)
{
  unsigned int first = below (PAGES), count = 1 + below (4);
  unsigned long start = BASE + first * PAGE, size;

  count = min (count, PAGES - first);
  size = count * PAGE;
  short_of_memory ();
  unsigned long after = machine.no_memory_after;
  machine_unmap (&self->mm, start, start + size);
  model_unmap (self, start, start + size, was_short_of_memory (after));
  for (unsigned int i = first; i < first + count; ++i)
    self->mapping[i] = 0;
  if (!again)
    return;
  bool code = below (3) != 0;
  machine_map (&self->mm, start, size, code ? VM_READ | VM_EXEC : VM_READ,
	       at (start));
  ++last_mapping;
  for (unsigned int i = first; i < first + count; ++i)
    {
      self->mapping[i] = last_mapping;
      self->executable[i] = code;
    }
}

static void
do_map (void)
{
  change_mapping (true);
}

static void
do_unmap (void)
{
  change_mapping (false);
}

static void
do_split (void)
{
  unsigned int first = below (PAGES), old = self->mapping[first];

  machine_split (&self->mm, BASE + first * PAGE);
  if (old == 0 || first == 0 || self->mapping[first - 1] != old)
    return;
  ++last_mapping;
  while (first < PAGES && self->mapping[first] == old)
    self->mapping[first++] = last_mapping;
}

static struct model *
free_model (void)
{
  for (unsigned int i = 0; i < PROCESSES; ++i)
    if (!models[i].alive)
      return &models[i];
  return NULL;
}

/* SELF forks CHILD, which gets neither the mappings in SKIP, a bit for each,
   nor the registrations that need them.  */
static void
model_fork (struct model *child, unsigned long skip)
{
  for (unsigned int i = 0; i < self->mm.nr_areas; ++i)
    if ((skip >> i & 1) != 0)
      for (unsigned long page = self->mm.areas[i].vm_start;
	   page < self->mm.areas[i].vm_end; page += PAGE)
	child->mapping[(page - BASE) / PAGE] = 0;
  for (unsigned int i = 0; i < self->count; ++i)
    {
      struct record r = self->records[i];
      if (mapped (child, r.table, r.table_size, false, false)
	  && mapped (child, r.text, r.text_size, false, false))
	child->records[child->count++] = r;
      else
	++outcomes[LOST_BY_FORK];
    }
}

static void
do_fork (void)
{
  unsigned long skip = below (2) == 0 ? 0 : 1UL << below (PAGES);
  struct model *child = free_model ();

  if (child == NULL)
    return;
  memcpy (child->mapping, self->mapping, sizeof child->mapping);
  memcpy (child->executable, self->executable, sizeof child->executable);
  child->count = 0;
  child->order = self->order;
  model_fork (child, skip);
  short_of_memory ();
  unsigned long after = machine.no_memory_after;
  machine_fork (&child->mm, &self->mm, skip);
  if (was_short_of_memory (after))
    {
      expect ("memory wanted for nothing", child->count < self->count, true);
      ++outcomes[FORGOTTEN];
      child->count = 0;
    }
  ++outcomes[FORKED];
  outcomes[SHARED] += child->mm.sframe_set == self->mm.sframe_set;
  child->alive = true;
  child->born = operation;
}

static void
do_switch (void)
{
  struct model *other = &models[below (PROCESSES)];

  if (other->alive)
    self = other;
  current->mm = &self->mm;
}

/* Switch to another process, or to a new one if there is none.  */
static void
do_exit (void)
{
  struct model *old = self;

  machine_exit (&old->mm);
  *old = (struct model) { .alive = false, .born = operation };
  for (unsigned int i = 0; i < PROCESSES; ++i)
    if (models[i].alive)
      self = &models[i];
  self->alive = true;
  current->mm = &self->mm;
}

/* A table is found corrupt, perhaps some time after it was looked up.  */
static void
do_drop_corrupt (void)
{
  static struct sframe_view view;
  static unsigned long born, id;
  bool there = false;

  if ((below (2) == 0 || born != self->born) && self->count > 0)
    {
      const struct record *r = &self->records[below (self->count)];
      if (!sframe_find_view (r->text, &view))
	fail ("lookup of a record", 0, 1);
      born = self->born;
      id = r->id;
    }
  if (born != self->born)
    return;
  for (unsigned int i = 0; i < self->count; ++i)
    there |= self->records[i].id == id;
  unsigned long messages = machine.messages;
  const struct sframe_set *set = self->mm.sframe_set;
  /* A copy of the set was denied before, and would still be needed.  */
  bool denied = set != NULL && set->copy_denied
		&& refcount_read (&set->users) > 1;
  short_of_memory ();
  unsigned long after = machine.no_memory_after;
  sframe_drop_corrupt (&view);
  expect ("messages", machine.messages - messages, there && !denied);
  if (denied)
    {
      expect ("memory wanted for nothing", was_short_of_memory (after), false);
      return;
    }
  if (was_short_of_memory (after))
    {
      expect ("memory wanted for nothing", there, true);
      ++outcomes[KEPT_FOR_MEMORY];
      messages = machine.messages;
      sframe_drop_corrupt (&view);
      expect ("messages after a denial", machine.messages - messages, 0);
      return;
    }
  ++outcomes[there ? DROPPED : NOT_DROPPED];
  if (there)
    model_drop (self, view.start, view.start + 1, false);
}

static void
do_choose (void)
{
  static const u16 orders[] = { 0, 1, 2, 0x21, 0x12 };
  u16 order = orders[below (ARRAY_SIZE (orders))];

  short_of_memory ();
  unsigned long after = machine.no_memory_after;
  int result = sframe_set_order (order);
  if (was_short_of_memory (after))
    {
      expect ("choose without memory", result, -ENOMEM);
      expect ("memory wanted for nothing", order != self->order, true);
      ++outcomes[NOT_CHOSEN];
      return;
    }
  expect ("choose", result, 0);
  self->order = order;
  ++outcomes[CHOSEN];
}

/* A rule has been read, perhaps some time after its table was looked up.  */
static void
do_cache (void)
{
  static struct sframe_view view;
  static struct record r;
  static unsigned long born;
  struct sframe_rule rule = { .ra = { .kind = SFRAME_CFA_MEMORY, .off = -8 } };

  if ((below (2) == 0 || born != self->born) && self->count > 0)
    {
      r = self->records[below (self->count)];
      if (!sframe_find_view (r.text, &view))
	fail ("lookup of a record", 0, 1);
      born = self->born;
    }
  if (born != self->born)
    return;
  unsigned long ip = r.text + (below (2) == 0 ? r.text_size - 1 : 0);
  rule.cfa = (struct sframe_place) { SFRAME_REG_VALUE, SFRAME_REG_SP, r.id };
  sframe_cache_add (&view, ip, &rule);
  bool known = sframe_has_set (&self->mm) && sframe_is_cached (ip);
  ++outcomes[known ? CACHED : TOO_LATE];
}

/* The cached rule of ADDRESS must be that of EXPECTED, which describes ADDRESS
   now.  */
static void
check_rule (unsigned long address, const struct record *expected)
{
  struct sframe_rule rule;

  if (!sframe_cache_find (address, &rule))
    return;
  expect ("a rule of what there is", expected != NULL, true);
  expect ("number of the rule's table", rule.cfa.off, expected->id);
  ++outcomes[RECALLED];
}

/* Check that the lookup of ADDRESS agrees with the model.  */
static void
check_address (unsigned long address)
{
  const struct record *expected = NULL;
  struct sframe_view view = { .start = 0 };

  for (unsigned int i = 0; i < self->count; ++i)
    if (address - self->records[i].text < self->records[i].text_size)
      expected = &self->records[i];
  expect ("lookup", sframe_find_view (address, &view), expected != NULL);
  check_rule (address, expected);
  if (expected == NULL)
    return;
  expect ("table", view.start, expected->table);
  expect ("size of the table", view.size, expected->table_size);
}

static void
check_self (void)
{
  expect ("choice", sframe_order (&self->mm), self->order);
  for (unsigned int i = 0; i < self->count; ++i)
    {
      const struct record *r = &self->records[i];
      check_address (r->text - 1);
      check_address (r->text);
      check_address (r->text + r->text_size - 1);
      check_address (r->text + r->text_size);
    }
  for (unsigned int i = 0; i < 8; ++i)
    check_address (BASE + below (PAGES * PAGE));
  if (operation % 256 == 0)
    for (unsigned long i = BASE - 32; i <= TOP; i += 32)
      check_address (i);
}

/* Check that no more memory is allocated than the models need, while there are
   no readers.  */
static void
check_objects (void)
{
  unsigned long expected = 0, sets = 0;

  rcu_barrier ();
  for (unsigned int i = 0; i < PROCESSES; ++i)
    {
      const struct model *model = &models[i];
      if (!model->alive)
	continue;
      /* Relatives share a set until one of them changes it.  */
      for (unsigned int j = 0; j < i; ++j)
	if (models[j].alive && models[j].mm.sframe_set == model->mm.sframe_set)
	  goto counted;
      sets += sframe_has_set ((struct mm_struct *) &model->mm);
      expected += model->count;
    counted:;
    }
  expected += sets;
  /* Each set may have one that was dropped, for the next to be added.  */
  if (machine.objects - expected > sets)
    expect ("objects", machine.objects, expected);
  expect ("caches, one for each process at most", machine.caches <= PROCESSES,
	  true);
}

static const struct
{
  void (*run) (void);
  unsigned int weight;
} operations[] = {
  { do_add, 200 }, { do_remove, 24 }, { do_map, 12 }, { do_unmap, 3 },
  { do_split, 8 }, { do_fork, 32 }, { do_switch, 8 }, { do_exit, 5 },
  { do_drop_corrupt, 4 }, { do_choose, 16 }, { do_cache, 40 },
};

static void
operate (void)
{
  unsigned int total = 0, chosen, i = 0;

  for (i = 0; i < ARRAY_SIZE (operations); ++i)
    total += operations[i].weight;
  chosen = below (total);
  for (i = 0; chosen >= operations[i].weight; ++i)
    chosen -= operations[i].weight;
  operations[i].run ();
  check_self ();
  if (below (4) == 0)
    check_objects ();
}

static void
tell (bool good, const char *what)
{
  printf ("%s: %s\n", good ? "PASS" : "FAIL", what);
}

static void
begin (const char *seed)
{
  random_state = strtoul (seed, NULL, 10);
  printf ("seed %s\n", seed);
  new_process ();
  for (unsigned long i = 0; i < PAGES * PAGE; i += STEP)
    if (i % PAGE != PAGE - STEP)
      put_table (BASE + i, BASE, PAGE);
  self = models;
  self->alive = true;
  machine.may_cache = true;
  current->mm = &self->mm;
}

int
main (int argc, char **argv)
{
  bool all = true;

  if (argc != 3)
    return EXIT_FAILURE;
  unsigned long count = strtoul (argv[1], NULL, 10);
  begin (argv[2]);
  for (operation = 1; operation <= count; ++operation)
    operate ();
  tell (true, "processes and models agree");
  for (unsigned int i = 0; i < OUTCOMES; ++i)
    {
      printf ("%lu ", outcomes[i]);
      all &= outcomes[i] > count / 5000;
    }
  printf ("outcomes\n");
  tell (all, "each outcome was met");
  for (unsigned int i = 0; i < PROCESSES; ++i)
    if (models[i].alive)
      machine_exit (&models[i].mm);
  rcu_barrier ();
  tell (machine.objects == 0 && machine.caches == 0, "all memory is freed");
  return 0;
}
