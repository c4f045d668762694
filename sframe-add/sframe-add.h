/* Making an SFrame section from .eh_frame: what the parts of sframe-add share.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: a file is untrusted input.  It is read to memory once, each access
   is checked against that copy, and work and memory are linear in its size.

   object.c reads the ELF file, cfi.c the call frame instructions, judge.c
   decides which of them SFrame can say, table.c writes the section, layout.c
   gives it a place in the file, check.c reads tables that are there already,
   replace.c puts the new file in the place of the old one, folder.c says where
   that is.  */

#ifndef _SFRAME_ADD_H
#define _SFRAME_ADD_H

#include <gelf.h>
#include <sframe-read.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* A machine that SFrame exists for.  Registers are DWARF numbers.  */
struct machine
{
  uint16_t elf;			/* EM_*.  */
  bool big_endian;
  unsigned char abi;		/* SFRAME_ABI_*.  */
  unsigned char sp, fp, ra;
  /* How many registers there are to save.  */
  unsigned char registers;
  /* Where RA is saved in all functions, as an offset from the CFA; 0: it
     depends on the function.  */
  int8_t fixed_ra_offset;
  /* The caller's SP, as an offset from the CFA, and where it may be saved as
     well; 0: nowhere.  */
  int32_t sp_offset;
  int32_t sp_saved_offset;
  /* How the CFA offset is written: minus this, by this.  */
  int32_t cfa_adjustment, cfa_scale;
};

/* Bytes in memory that was allocated.  */
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

/* The rule from byte START of a function on.  */
struct row
{
  uint32_t start;
  struct sframe_rule rule;
};

/* What becomes one FDE: a function, or a part of one.  */
struct function
{
  uint64_t start;
  uint32_t size;
  /* Size of the block that is repeated; 0: none is.  */
  unsigned char block;
  bool signal;
  uint32_t row_count;
  /* Its first one among the rows of the conversion.  */
  size_t first_row;
};

/* A function that SFrame cannot describe, or a part of one.  */
struct left_out
{
  uint64_t start, size;
  const char *reason;
};

/* Bytes of code about which a table and .eh_frame differ.  */
struct finding
{
  uint64_t start, size;
  bool missing;			/* The table has nothing, or else the wrong.  */
};

/* What was made of an .eh_frame section.  */
struct conversion
{
  struct function *functions;
  size_t function_count, function_capacity;
  struct row *rows;
  size_t row_count, row_capacity;
  struct left_out *left_out;
  size_t left_out_count, left_out_capacity;
  /* What check_table found.  */
  struct finding *findings;
  size_t finding_count, finding_capacity;
  /* Bytes of records that were read; those of a CIE again for each FDE.  */
  uint64_t work;
};

/* What happened to a file.  */
enum outcome
{
  OUTCOME_CHANGED,
  OUTCOME_NOTHING,		/* It is as it should be.  */
  OUTCOME_SKIPPED,		/* Nothing of ours: no ELF file, a script.  */
  OUTCOME_FAILED		/* It cannot be done; MESSAGE says why.  */
};

/* All functions below that return a string return null for success, or else
   why not, in words that fit behind the name of the file.  */

/* memory.c: allocation that ends the program where there is none.  */
void *grow (void *array, size_t *capacity, size_t count, size_t size);
void put_bytes (struct buffer *buffer, const void *bytes, size_t size);
void put_zeros (struct buffer *buffer, size_t size);
void put_number (struct buffer *buffer, uint64_t value, unsigned int width);
/* Like snprintf, to memory that stays allocated.  */
const char *message (const char *format, ...)
  __attribute__ ((format (printf, 1, 2)));

/* object.c: read the file that was loaded to OBJECT->file.  *OUTCOME becomes
   SKIPPED or FAILED with a result that is not null.  */
const char *object_open (struct object *object, enum outcome *outcome);
void object_close (struct object *object);
/* The bytes that the file has for ADDRESS; null if none.  *SIZE becomes how
   many follow.  */
const unsigned char *object_bytes (const struct object *object,
				   uint64_t address, uint64_t *size);
/* Whether SIZE bytes from ADDRESS on are code.  */
bool object_is_code (const struct object *object, uint64_t address,
		     uint64_t size);
/* The address of the section NAME, 0 if there is none; *SIZE becomes its
   size.  */
uint64_t object_section (const struct object *object, const char *name,
			 uint64_t *size);
/* The segment of TYPE (PT_*); null if there is none.  */
const GElf_Phdr *object_segment (const struct object *object, uint32_t type);

/* cfi.c: whether OBJECT has anything to convert.  */
bool has_frames (const struct object *object);
/* Convert all of .eh_frame.  */
const char *convert (const struct object *object,
		     struct conversion *conversion);
void conversion_free (struct conversion *conversion);

/* judge.c: whether A and B, of the same machine, say the same.  */
bool same_rule (const struct sframe_rule *a, const struct sframe_rule *b);

/* table.c: append the section, which will have ADDRESS, to TABLE.  */
const char *table_write (const struct object *object,
			 const struct conversion *conversion,
			 uint64_t address, struct buffer *table);

/* layout.c: put OBJECT with a table of CONVERSION into OUT.  */
const char *layout_add (const struct object *object,
			const struct conversion *conversion,
			struct buffer *out);
/* Put OBJECT as it was before layout_add into OUT, byte for byte.  */
const char *layout_original (const struct object *object, struct buffer *out);

/* check.c: compare the table that OBJECT has with CONVERSION, which gets the
   findings.  */
const char *check_table (const struct object *object,
			 struct conversion *conversion);
/* Whether OBJECT has a table that libc and Linux read: of version 3.  */
bool has_table (const struct object *object);

/* folder.c: where a file is.  */
struct place
{
  int folder;			/* Open; -1: it could not be opened.  */
  const char *name;		/* In FOLDER.  */
  char *path;			/* What NAME is a part of.  */
};

/* Find the file of PATH, which begins with a slash and has no symbolic links,
   as realpath gives it.  *PLACE is to be closed in any case.  */
const char *place_open (const char *path, struct place *place);
/* The same for a file to be written, by any path; it need not be there.  */
const char *place_of_output (const char *path, struct place *place);
void place_close (struct place *place);
/* Make a file in the folder of PLACE and open it.  The last six bytes of NAME
   become what no other has.  Return -1 on failure.  */
int place_make_file (const struct place *place, char *name);

/* replace.c: load the file at PLACE, of which *STATUS tells; *OUTCOME as for
   object_open.  What is no ELF file is not read further.  */
const char *load_file (const struct place *place, struct buffer *file,
		       struct stat *status, enum outcome *outcome);
/* Replace the file LIKE, or with OUT not null that one, by FILE, at once or
   not at all, with the owner, mode, times and extended attributes of LIKE,
   which must be what STATUS tells still.  */
const char *replace_file (const char *out, const struct place *like,
			  const struct stat *status,
			  const struct buffer *file);

#endif /* _SFRAME_ADD_H  */
