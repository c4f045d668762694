/* Make an SFrame section from .eh_frame: the interfaces inside sframe-add.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: a file is untrusted input.  It is read into memory once, each access
   is checked against that copy, and work and memory are linear in its size.

   object.c reads the ELF file; eh-frame.c finds its FDEs; cfi.c runs their CFA
   instructions; judge.c decides which rules SFrame can express; table.c writes
   the section; layout.c adds it to the file; check.c reads existing tables;
   replace.c replaces the old file by the new one; directory.c opens their
   directory; cursor.c reads numbers; memory.c allocates.  job.h has the
   interfaces above these: job.c works on one file, report.c prints what came of
   it, main.c reads the options and finds the files.  */

#ifndef _SFRAME_ADD_H
#define _SFRAME_ADD_H

#include <gelf.h>
#include <sframe-read.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#ifndef PT_GNU_SFRAME
# define PT_GNU_SFRAME (PT_LOOS + 0x474e554)
#endif

/* A supported machine.  Registers are DWARF numbers.  */
struct machine
{
  uint16_t elf;			/* EM_*.  */
  bool big_endian;
  unsigned char abi;		/* SFRAME_ABI_*.  */
  unsigned char sp, fp, ra;
  /* The number of registers that a rule may name.  */
  unsigned char registers;
  /* The offset from the CFA at which all functions save RA; 0: it depends on
     the function.  */
  int8_t fixed_ra_offset;
  /* The caller's SP minus the CFA.  */
  int32_t sp_offset;
  /* The offset from the CFA at which SP may be saved; 0: it is not.  */
  int32_t sp_saved_offset;
  /* The alignment that linkers use for segments.  */
  uint32_t page;
  /* A CFA offset is stored as (offset - cfa_adjustment) / cfa_scale.  */
  int32_t cfa_adjustment, cfa_scale;
  /* Whether functions may sign RA (pointer authentication).  */
  bool signs_ra;
};

/* A buffer of allocated memory.  */
struct buffer
{
  unsigned char *data;
  size_t size;
  size_t capacity;
  bool big_endian;
};

/* An ELF file for one of the machines.  */
struct object
{
  const char *name;
  struct buffer file;
  const struct machine *machine;
  Elf *elf;
  GElf_Ehdr header;
  GElf_Phdr *segments;
  size_t segment_count;
};

/* How the RA of a frame is signed: not at all, or with one of two keys.  */
enum ra_key { RA_UNSIGNED, RA_KEY_A, RA_KEY_B };

/* The rule that holds from byte START of a function.  */
struct row
{
  uint32_t start;
  struct sframe_rule rule;
  enum ra_key key;
};

/* A function, or a part of one, for which one FDE is written.  */
struct function
{
  uint64_t start;
  uint32_t size;
  /* Size of the repeated block; 0: the FDE has none.  */
  unsigned char block;
  bool signal;
  enum ra_key key;		/* Of those rows whose RA is signed.  */
  uint32_t row_count;
  /* Index of the first row in the rows of the conversion.  */
  size_t first_row;
};

/* A function, or a part of one, that SFrame cannot describe.  SIZE is 0 if its
   FDE cannot be read; then REASON has the address of the FDE.  */
struct left_out
{
  uint64_t start, size;
  const char *reason;
};

/* A range of code for which a table and .eh_frame differ.  */
struct finding
{
  uint64_t start, size;
  bool missing;			/* No rule in the table; else a wrong one.  */
};

/* The result of converting an .eh_frame section.  */
struct conversion
{
  struct function *functions;
  size_t function_count, function_capacity;
  struct row *rows;
  size_t row_count, row_capacity;
  struct left_out *left_out;
  size_t left_out_count, left_out_capacity;
  /* The result of check_table.  */
  struct finding *findings;
  size_t finding_count, finding_capacity;
  /* Bytes of records read so far; a CIE counts again for each FDE.  An FRE of
     a checked table counts as one byte.  */
  uint64_t work;
};

/* The limit of WORK, in multiples of the file size.  It would be 1 if each FDE
   had its own CIE and its own FREs.  */
#define WORK_MAX 16

/* The largest number of program headers: Linux refuses a program with more
   bytes of them.  It also bounds the search for a segment.  */
enum { HEADERS_MAX = 65536 / sizeof (Elf64_Phdr) };

/* The outcome for a file.  */
enum outcome
{
  OUTCOME_CHANGED,
  OUTCOME_NOTHING,		/* There was nothing to do.  */
  OUTCOME_INCOMPLETE,		/* --check misses a table, or a part.  */
  OUTCOME_SKIPPED,		/* Not a file to convert, such as a script.  */
  OUTCOME_FAILED		/* An error; the returned string says why.  */
};

/* Functions below that return a string return null on success, or else the
   reason of the failure, to be printed after the name of the file.  */

/* memory.c: call FUNCTION with ARGUMENT.  Return false, at once, if one of the
   functions below finds that memory is exhausted; elsewhere they end the
   program.  What FUNCTION has allocated may then stay allocated.  */
bool with_memory (void (*function) (void *), void *argument);
void *grow (void *array, size_t *capacity, size_t count, size_t size);
void put_bytes (struct buffer *buffer, const void *bytes, size_t size);
void put_zeros (struct buffer *buffer, size_t size);
void put_number (struct buffer *buffer, uint64_t value, unsigned int width);
/* Like asprintf.  The caller owns the result.  */
char *message (const char *format, ...)
  __attribute__ ((format (printf, 1, 2)));

/* object.c: parse the file loaded in OBJECT->file.  If the result is not null,
   *OUTCOME becomes SKIPPED or FAILED.  */
const char *object_open (struct object *object, enum outcome *outcome);
void object_close (struct object *object);
/* The bytes in the file for ADDRESS, or null if there are none.  *SIZE becomes
   their number up to the end of the segment's file data.  */
const unsigned char *object_bytes (const struct object *object,
				   uint64_t address, uint64_t *size);
/* Whether the SIZE bytes at ADDRESS are code.  */
bool object_is_code (const struct object *object, uint64_t address,
		     uint64_t size);
/* The address of the section NAME, 0 if there is none; *SIZE becomes its
   size.  */
uint64_t object_section (const struct object *object, const char *name,
			 uint64_t *size);
/* The first segment of TYPE (PT_*), or null.  */
const GElf_Phdr *object_segment (const struct object *object, uint32_t type);

/* eh-frame.c: whether OBJECT has an .eh_frame section to convert.  */
bool has_frames (const struct object *object);
/* Convert all of .eh_frame.  */
const char *convert (const struct object *object,
		     struct conversion *conversion);
/* Free the functions and rows of CONVERSION; keep their numbers.  */
void conversion_forget (struct conversion *conversion);
void conversion_free (struct conversion *conversion);

/* judge.c: whether A and B, rules of the same machine, are equal.  */
bool same_rule (const struct sframe_rule *a, const struct sframe_rule *b);
/* Whether the rows A and B are equal, except for their start.  */
bool same_row (const struct row *a, const struct row *b);

/* table.c: append the section, to be loaded at ADDRESS, to TABLE.  */
const char *table_write (const struct object *object,
			 const struct conversion *conversion,
			 uint64_t address, struct buffer *table);

/* layout.c: write OBJECT with a table of CONVERSION to OUT.  */
const char *layout_add (const struct object *object,
			const struct conversion *conversion,
			struct buffer *out);
/* Write OBJECT as it was before layout_add to OUT, byte for byte.  */
const char *layout_original (const struct object *object, struct buffer *out);
/* Whether the table of OBJECT is from layout_add.  */
bool layout_has_original (const struct object *object);
/* What is wrong with OBJECT if it is not.  */
extern const char layout_foreign[];

/* check.c: compare the table in OBJECT with CONVERSION and store the
   differences in CONVERSION->findings.  */
const char *check_table (const struct object *object,
			 struct conversion *conversion);
/* Whether OBJECT has a table of version 3, the one that libc and Linux
   read.  */
bool has_table (const struct object *object);

/* directory.c: a file, by its directory and its name there.  */
struct file_at
{
  int directory;			/* O_PATH descriptor, or -1.  */
  const char *name;		/* In DIRECTORY.  */
  char *path;			/* The memory of NAME.  */
};

/* Open the directory of PATH, an absolute path without symbolic links, as
   realpath returns it.  Call file_at_close even after a failure.  */
const char *file_at_open (const char *path, struct file_at *at);
/* The same for a file to be written, by any path; it need not exist, nor what
   a link leads to.  */
const char *file_at_output (const char *path, struct file_at *at);
void file_at_close (struct file_at *at);
/* Create and open a file in the directory of AT.  The last six bytes of
   NAME are replaced to make it unique.  Return -1 on failure.  */
int file_at_create (const struct file_at *at, char *name);
/* The same for a link to the open file FD; return whether there is one.  */
bool file_at_link (const struct file_at *at, int fd, char *name);
/* The name of a file beside AT that has a checksum of it, as libraries have
   that check themselves (FIPS 140), or null.  The caller frees it.  */
char *file_at_checksum (const struct file_at *at);

/* replace.c: load the file at AT and store its status in *STATUS; *OUTCOME
   as for object_open.  Of a file that is not to be converted, little is
   read.  */
const char *load_file (const struct file_at *at, struct buffer *file,
		       struct stat *status, enum outcome *outcome);
/* Replace OUT, or LIKE if OUT is null, by FILE atomically, with the owner,
   mode, times, extended attributes (but checksums) and inode flags of LIKE.
   Fail if LIKE no longer has *STATUS.  */
const char *replace_file (const char *out, const struct file_at *like,
			  const struct stat *status,
			  const struct buffer *file);
/* Make AT, if it still has *STATUS, a link to the file at the path OTHER,
   if that is what replace_file would make: FILE, and the owner, mode and times
   of *STATUS.  Return whether it is one.  */
bool link_file (const char *other, const struct file_at *at,
		const struct stat *status, const struct buffer *file);

#endif /* _SFRAME_ADD_H  */
