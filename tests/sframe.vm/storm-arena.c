/* The storm's arena: text with tables, right and wrong, in memory whose
   mappings change.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An image is a table and two pages of text, full of small functions that call
   their argument.  Images are in two files, one of which is truncated and
   written to all the time, and are mapped to the slots of the arena.  The
   format of tables is taken from the header of binutils, not from ours.  */

#include "storm.h"

#include <err.h>
#include <fcntl.h>
#include <setjmp.h>
#include <sframe.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { IMAGES = 16, GOOD_IMAGES = 6, FUNCTION_SIZE = 64, FRESH = 64 };

#define SLOT_SIZE (SLOT_PAGES * PAGE)
#define FUNCTIONS (TEXT_SIZE / FUNCTION_SIZE)
#define FILE_SIZE (IMAGES * SLOT_SIZE)

/* A function that calls its first argument with the second one; its rows:
   start address, information, data words; and the words of a flexible row that
   holds right after the call, without those for FP.  */
#ifdef __s390x__
enum { ABI = SFRAME_ABI_S390X_ENDIAN_BIG, FIXED_RA = 0, ROWS = 4 };

/* stmg %r14, %r15, 112(%r15); aghi %r15, -160; lgr %r1, %r2; lgr %r2, %r3;
   basr %r14, %r1; lmg %r14, %r15, 272(%r15); br %r14.  */
static const unsigned char function[] =
  { 0xeb, 0xef, 0xf0, 0x70, 0x00, 0x24, 0xa7, 0xfb, 0xff, 0x60, 0xb9, 0x04,
    0x00, 0x12, 0xb9, 0x04, 0x00, 0x23, 0x0d, 0xe1, 0xeb, 0xef, 0xf1, 0x10,
    0x00, 0x04, 0x07, 0xfe };

/* The RA is 48 bytes below the CFA, and that is 160 above SP, then 320.  */
static const unsigned char rows[] =
  { 0, 3, 0, 6, 5, 0, -48, 10, 5, 20, -48, 26, 3, 0 };
static const unsigned char flexible[] = { 15 << 3 | 1, 20, 2, -48 };
#elif defined __aarch64__
enum { ABI = SFRAME_ABI_AARCH64_ENDIAN_LITTLE, FIXED_RA = 0, ROWS = 3 };

/* str x30, [sp, #-16]!; mov x2, x0; mov x0, x1; blr x2; ldr x30, [sp], #16;
   ret.  */
static const unsigned char function[] =
  { 0xfe, 0x0f, 0x1f, 0xf8, 0xe2, 0x03, 0x00, 0xaa, 0xe0, 0x03, 0x01, 0xaa,
    0x40, 0x00, 0x3f, 0xd6, 0xfe, 0x07, 0x41, 0xf8, 0xc0, 0x03, 0x5f, 0xd6 };

static const unsigned char rows[] =
  { 0, 3, 0, 4, 5, 16, -16, 20, 3, 0 };
static const unsigned char flexible[] = { 31 << 3 | 1, 16, 2, -16 };
#else
enum { ABI = SFRAME_ABI_AMD64_ENDIAN_LITTLE, FIXED_RA = -8, ROWS = 3 };

/* sub $8, %rsp; mov %rdi, %rax; mov %rsi, %rdi; call *%rax; add $8, %rsp;
   ret.  */
static const unsigned char function[] =
  { 0x48, 0x83, 0xec, 0x08, 0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0xff, 0xd0,
    0x48, 0x83, 0xc4, 0x08, 0xc3 };

static const unsigned char rows[] = { 0, 3, 8, 4, 3, 16, 16, 3, 8 };
static const unsigned char flexible[] = { 7 << 3 | 1, 16, 2, -8 };
#endif

struct rules
{
  struct sframe_func_desc_attr_v3 attribute;
  unsigned char rows[sizeof rows];
} __attribute__ ((packed));

struct table
{
  struct sframe_header header;
  struct sframe_func_desc_idx_v3 fdes[FUNCTIONS];
  struct rules rules[FUNCTIONS];
} __attribute__ ((packed));

_Static_assert (sizeof (struct table) <= TABLE_PAGES * PAGE, "table fits");

char *arena;
static _Thread_local sigjmp_buf *landing;
static char *images;
static char *fresh;
static int whole, shrinking, slow = -1;

static void
make_table (struct table *table)
{
  table->header = (struct sframe_header)
    {
      .sfh_preamble = { .sfp_magic = SFRAME_MAGIC,
			.sfp_version = SFRAME_VERSION_3,
			.sfp_flags = SFRAME_F_FDE_SORTED },
      .sfh_abi_arch = ABI, .sfh_cfa_fixed_ra_offset = FIXED_RA,
      .sfh_num_fdes = FUNCTIONS, .sfh_num_fres = ROWS * FUNCTIONS,
      .sfh_fre_len = sizeof table->rules, .sfh_freoff = sizeof table->fdes,
    };
  for (size_t i = 0; i < FUNCTIONS; i++)
    {
      table->fdes[i].sfdi_func_start_offset = TEXT_OFFSET + i * FUNCTION_SIZE;
      table->fdes[i].sfdi_func_size = sizeof function;
      table->fdes[i].sfdi_func_start_fre_off = i * sizeof (struct rules);
      table->rules[i].attribute.sfda_func_num_fres = ROWS;
      memcpy (table->rules[i].rows, rows, sizeof rows);
    }
}

/* Rows with a pair of words each for CFA, RA and FP: either right except for
   FP, which has random words, or completely random.  */
static void
make_flexible (struct rules *rules)
{
  enum { WORDS = sizeof flexible + 2 };
  rules->attribute.sfda_func_num_fres = 1;
  rules->attribute.sfda_func_info2 = SFRAME_FDE_TYPE_FLEX;
  rules->rows[0] = 0;
  rules->rows[1] = WORDS << 1 | 1;
  for (size_t i = 0; i < WORDS; i++)
    rules->rows[2 + i] = roll (8) && i < sizeof flexible ? flexible[i]
			 : roll (256);
}

/* Damage index and rows, more in each image than in the previous one; in the
   last ones also the header.  */
static void
spoil (struct table *table, int image)
{
  size_t from = image < IMAGES - 3 ? sizeof table->header : 0;
  for (size_t i = 0; image % 4 == 0 && i < FUNCTIONS; i++)
    make_flexible (&table->rules[i]);
  for (int i = 0; i < (image - GOOD_IMAGES) * 32; i++)
    ((unsigned char *) table)[from + roll (sizeof *table - from)]
      = roll (2) ? roll (256) : 0xffU << roll (8);
}

static void
make_image (char *image, int number)
{
  make_table ((struct table *) image);
  if (number >= GOOD_IMAGES)
    spoil ((struct table *) image, number);
  for (size_t i = 0; i < FUNCTIONS; i++)
    memcpy (image + TEXT_OFFSET + i * FUNCTION_SIZE, function,
	    sizeof function);
}

static int
make_file (const char *name)
{
  int fd = memfd_create (name, 0);
  if (fd < 0 || pwrite (fd, images, FILE_SIZE, 0) != FILE_SIZE)
    err (1, "%s", name);
  return fd;
}

static char *
get_memory (size_t size, int protection)
{
  void *memory = mmap (NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
  if (memory == MAP_FAILED)
    err (1, "%zu bytes", size);
  return memory;
}

void
arena_make (void)
{
  images = get_memory (FILE_SIZE, PROT_READ | PROT_WRITE);
  fresh = get_memory (FRESH * PAGE, PROT_READ | PROT_WRITE);
  arena = get_memory (SLOTS * SLOT_SIZE, PROT_NONE);
  for (int i = 0; i < IMAGES; i++)
    make_image (images + i * SLOT_SIZE, i);
  whole = make_file ("whole");
  shrinking = make_file ("shrinking");
}

void
arena_make_slow (void)
{
  slow = open ("tables", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (slow < 0 || write (slow, images, FILE_SIZE) != FILE_SIZE
      || fsync (slow) != 0)
    err (1, "tables");
}

char *
arena_slot (void)
{
  return arena + roll (SLOTS) * SLOT_SIZE;
}

/* Map an image of the file FD to SLOT, sometimes only a part of it.  */
static void
fill (char *slot, int fd)
{
  int flags = (roll (2) ? MAP_SHARED : MAP_PRIVATE) | MAP_FIXED;
  off_t at = roll (IMAGES) * SLOT_SIZE;
  int parts = roll (8) ? 3 : 1 + roll (2);
  if (parts & 1)
    mmap (slot, TEXT_OFFSET, PROT_READ, flags, fd, at);
  if (parts & 2)
    mmap (slot + TEXT_OFFSET, TEXT_SIZE, PROT_READ | PROT_EXEC, flags, fd,
	  at + TEXT_OFFSET);
}

void
arena_fill (char *slot)
{
  fill (slot, roll (2) ? whole : shrinking);
}

void
arena_fill_slow (char *slot)
{
  fill (slot, slow);
}

void
arena_fill_private (char *slot)
{
  mmap (slot, TEXT_OFFSET, PROT_READ | PROT_WRITE,
	MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  /* Another thread may unmap it at once.  */
  sigjmp_buf buffer;
  landing = &buffer;
  if (sigsetjmp (buffer, 0) == 0)
    memcpy (slot, images, TEXT_OFFSET);
  landing = NULL;
  mmap (slot + TEXT_OFFSET, TEXT_SIZE, PROT_READ | PROT_EXEC,
	MAP_PRIVATE | MAP_FIXED, whole, TEXT_OFFSET);
}

void
arena_fill_small (char *slot)
{
  arena_fill_private (slot);
  ((struct table *) slot)->header.sfh_num_fdes = 1;
  ((struct table *) slot)->header.sfh_num_fres = ROWS;
}

/* An invalid size of data words.  */
void
arena_corrupt (char *slot)
{
  for (size_t i = 0; i < FUNCTIONS; i++)
    ((struct table *) slot)->rules[i].rows[1] |= 3 << 5;
}

const char *
arena_table_page (int number)
{
  return images + roll (IMAGES) * SLOT_SIZE + number * PAGE;
}

/* Register the image that should be in SLOT, in most cases with its right
   ranges.  */
int
arena_register (char *slot)
{
  unsigned long table = (unsigned long) slot;
  unsigned long size = sizeof (struct table);
  unsigned long text = table + TEXT_OFFSET, text_size = TEXT_SIZE;
  if (roll (8) == 0)
    {
      size += 4 * roll (3);
      text += FUNCTION_SIZE * roll (FUNCTIONS);
      text_size = 1 + roll (TEXT_SIZE);
    }
  return storm_add (table, size, text, text_size);
}

/* Some pages of SLOT, not beyond its end.  */
static char *
some_pages (char *slot, size_t *size)
{
  int first = roll (SLOT_PAGES);
  *size = (1 + roll (SLOT_PAGES - first)) * PAGE;
  return slot + first * PAGE;
}

static void
unmap (char *slot)
{
  size_t size;
  char *pages = some_pages (slot, &size);
  munmap (pages, size);
}

/* Tables are never executable and text is never writable.  Then text that is
   zero or cut short causes a fault: instructions of zeros store to the address
   in RAX, which is in text or unmapped.  Otherwise such code would overwrite
   memory of the storm.  */
static int
some_protection (char *slot, const char *pages, size_t size)
{
  int protection = roll (8);
  if (pages < slot + TEXT_OFFSET)
    protection &= ~PROT_EXEC;
  if (pages + size > slot + TEXT_OFFSET)
    protection &= ~PROT_WRITE;
  return protection;
}

static void
blank (char *slot)
{
  size_t size;
  char *pages = some_pages (slot, &size);
  mmap (pages, size, some_protection (slot, pages, size),
	MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void
protect (char *slot)
{
  size_t size;
  char *pages = some_pages (slot, &size);
  mprotect (pages, size, some_protection (slot, pages, size));
}

static void
advise (char *slot)
{
  static const int advice[] = { MADV_DONTNEED, MADV_DONTFORK, MADV_DOFORK,
				MADV_COLD, MADV_PAGEOUT };
  size_t size;
  char *pages = some_pages (slot, &size);
  madvise (pages, size, advice[roll (sizeof advice / sizeof *advice)]);
}

static void
move (char *slot)
{
  size_t size;
  char *pages = some_pages (slot, &size);
  int flags = MREMAP_MAYMOVE | MREMAP_FIXED;
  if (roll (2))
    flags |= MREMAP_DONTUNMAP;
  mremap (pages, size, size, flags, arena_slot () + (pages - slot));
}

static void
shrink_file (char *slot)
{
  ftruncate (shrinking, roll (FILE_SIZE));
}

/* Write any image over any other: what was valid at the registration may be
   invalid now.  */
static void
restore_file (char *slot)
{
  ftruncate (shrinking, FILE_SIZE);
  pwrite (shrinking, images + roll (IMAGES) * SLOT_SIZE, SLOT_SIZE,
	  roll (IMAGES) * SLOT_SIZE);
}

/* Change a table while the kernel may read it.  Text is not changed.  */
static void
scribble (char *slot)
{
  unsigned char byte = roll (256);
  pwrite (shrinking, &byte, 1,
	  roll (IMAGES) * SLOT_SIZE + roll (sizeof (struct table)));
}

void
arena_change (void)
{
  static void (*const deeds[]) (char *) =
    { unmap, blank, protect, advise, move, shrink_file, restore_file,
      restore_file, scribble, arena_fill, arena_fill, arena_fill };
  deeds[roll (sizeof deeds / sizeof *deeds)] (arena_slot ());
}

struct call
{
  int depth;
  char *slot;
};

typedef void *function_type (void *(*) (void *), void *);

/* Touch a page that is not mapped, so that the stack is sampled.  All such
   pages are unmapped at once, since unmapping interrupts the other processor.
   In the section of the callers of the arena.  */
static void __attribute__ ((noinline, section ("arena_caller")))
have_stack_taken (void)
{
  static unsigned int touched;
  unsigned int page = __atomic_fetch_add (&touched, 1, __ATOMIC_RELAXED);
  if (page % FRESH == 0)
    madvise (fresh, FRESH * PAGE, MADV_DONTNEED);
  ((volatile char *) fresh)[page % FRESH * PAGE] = 1;
  __atomic_fetch_add (&tally->touched, 1, __ATOMIC_RELAXED);
}

/* In a section of its own, by which storm-watch.c recognizes callers of the
   arena.  */
static void * __attribute__ ((noinline, section ("arena_caller")))
descend (void *arg)
{
  struct call *call = arg;
  if (call->depth-- == 0)
    {
      have_stack_taken ();
      return NULL;
    }
  char *text = (call->slot != NULL ? call->slot : arena_slot ()) + TEXT_OFFSET;
  text += roll (FUNCTIONS) * FUNCTION_SIZE;
  void *result = ((function_type *) text) (descend, call);
  /* Prevent a tail call.  */
  asm volatile ("" : : : "memory");
  return result;
}

void
arena_call (char *slot)
{
  sigjmp_buf buffer;
  struct call call = { .depth = 1 + roll (5), .slot = slot };
  landing = &buffer;
  if (sigsetjmp (buffer, 0) == 0)
    descend (&call);
  landing = NULL;
}

/* Without a table the kernel follows the frame pointer.  */
static void * __attribute__ ((noinline, optimize ("no-omit-frame-pointer")))
descend_framed (void *slot)
{
  if (slot == NULL)
    have_stack_taken ();
  else
    ((function_type *) ((char *) slot + TEXT_OFFSET)) (descend_framed, NULL);
  asm volatile ("" : : : "memory");
  return NULL;
}

void
arena_call_framed (char *slot)
{
  sigjmp_buf buffer;
  landing = &buffer;
  if (sigsetjmp (buffer, 0) == 0)
    descend_framed (slot);
  landing = NULL;
}

static void
on_fault (int number, siginfo_t *info, void *context)
{
  if (landing != NULL)
    {
      __atomic_fetch_add (&tally->faults, 1, __ATOMIC_RELAXED);
      siglongjmp (*landing, 1);
    }
  /* A fault of the storm itself: the instruction is repeated, and the signal
     ends the process.  */
  signal (number, SIG_DFL);
}

void
catch_faults (void)
{
  static const int numbers[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE };
  struct sigaction action = { .sa_sigaction = on_fault,
			      .sa_flags = SA_SIGINFO | SA_NODEFER };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaction (numbers[i], &action, NULL);
}
