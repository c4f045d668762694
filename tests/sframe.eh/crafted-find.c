/* Crafted .eh_frame_hdr tables, CIEs and FDEs: which entry is found, with and
   without the table; which input is refused.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "eh-craft.h"

static struct sframe_eh_entry entry;

static void
three_functions (void)
{
  begin (3);
  cie (PCREL | SDATA4);
  fde (0, 0x100, 0x10, NULL, 0);
  fde (1, 0x110, 0x20, NULL, 0);
  fde (2, 0x200, 0x30, NULL, 0);
}

static bool
finds (uint64_t pc, uint64_t start, uint64_t size)
{
  return (find (pc, &entry) == SFRAME_EH_OK
	  && entry.start == code (start) && entry.size == size);
}

static void
first_and_last_byte (void)
{
  three_functions ();
  CHECK (finds (0x100, 0x100, 0x10));
  CHECK (finds (0x10f, 0x100, 0x10));
  CHECK (finds (0x110, 0x110, 0x20));
  CHECK (finds (0x12f, 0x110, 0x20));
  CHECK (finds (0x200, 0x200, 0x30));
  CHECK (finds (0x22f, 0x200, 0x30));
}

static void
outside_functions (void)
{
  three_functions ();
  CHECK (find (0xff, &entry) == SFRAME_EH_NO_ENTRY);
  CHECK (find (0x130, &entry) == SFRAME_EH_NO_ENTRY);
  CHECK (find (0x1ff, &entry) == SFRAME_EH_NO_ENTRY);
  CHECK (find (0x230, &entry) == SFRAME_EH_NO_ENTRY);
  CHECK (find (UINT64_C (1) << 62, &entry) == SFRAME_EH_NO_ENTRY);
  CHECK (find (-(UINT64_C (1) << 62), &entry) == SFRAME_EH_NO_ENTRY);
}

static void
empty_table (void)
{
  begin (0);
  CHECK (find (0, &entry) == SFRAME_EH_NO_ENTRY);
}

/* No byte may be missing from the first to the last one that is needed.  */
static void
cut_at_every_byte (void)
{
  begin (1);
  cie (PCREL | SDATA4);
  fde (0, 0, 100, NULL, 0);
  size_t whole = craft.size;
  for (size_t size = 1; size < whole; ++size)
    {
      craft.size = size;
      CHECK (find (0, &entry) == SFRAME_EH_CORRUPT);
    }
  craft.size = whole;
  CHECK (find (0, &entry) == SFRAME_EH_OK);
}

/* The two sections may be in different segments.  */
static void
far_from_header (void)
{
  three_functions ();
  place ();
  struct sframe_eh_table table
    = { .header = craft.placed, .header_size = craft.records,
	.memory = { craft.placed + craft.records,
		    craft.placed + craft.size } };
  CHECK (__sframe_eh_find (&table, code (0x110), &entry) == SFRAME_EH_OK
	 && entry.start == code (0x110));
  ++table.memory.at;
  CHECK (__sframe_eh_find (&table, code (0x110), &entry)
	 == SFRAME_EH_CORRUPT);
  --table.memory.at;
  --table.header_size;
  CHECK (__sframe_eh_find (&table, code (0x110), &entry)
	 == SFRAME_EH_CORRUPT);
  table.header_size = 11;
  CHECK (__sframe_eh_find (&table, code (0x110), &entry)
	 == SFRAME_EH_CORRUPT);
}

/* Check that TABLE, whose header stays, has RECORDS.  */
static void
expect_records (struct sframe_eh_table *table, const unsigned char *records)
{
  const unsigned char *header = table->header;

  __sframe_eh_find_records (table);
  CHECK (table->records == records && table->header == header);
}

static void
records_of_header (void)
{
  begin (1);
  cie (PCREL | SDATA4);
  fde (0, 0x100, 0x10, NULL, 0);
  place ();
  struct sframe_eh_table table
    = { .header = craft.placed, .header_size = craft.records };
  expect_records (&table, craft.placed + craft.fde);
  --table.header_size;
  expect_records (&table, NULL);
  ++table.header_size;
  craft.placed[0] = 2;
  expect_records (&table, NULL);
  begin (0);
  place ();
  table = (struct sframe_eh_table) { .header = craft.placed,
				     .header_size = craft.size };
  expect_records (&table, NULL);
}

/* A header without search table, as GNU ld writes it: the address of .eh_frame
   is all that it has.  */
static void
header_without_table (void)
{
  unsigned char header[8] = { 1, PCREL | SDATA4, OMIT, OMIT };
  struct sframe_eh_table table
    = { .header = header, .header_size = sizeof header };
  int32_t distance = 0x20;

  memcpy (header + 4, &distance, sizeof distance);
  __sframe_eh_find_records (&table);
  CHECK (table.header == NULL && table.records == header + 4 + 0x20);
  table.header = header;
  --table.header_size;
  expect_records (&table, NULL);
  ++table.header_size;
  header[3] = DATAREL | SDATA4;
  expect_records (&table, NULL);
}

/* The status with the byte at AT replaced by VALUE.  */
static enum sframe_eh_status
with_byte (size_t at, unsigned int value)
{
  three_functions ();
  craft.bytes[at] = value;
  return find (0x100, &entry);
}

static void
header_of_another_kind (void)
{
  CHECK (with_byte (0, 1) == SFRAME_EH_OK);
  CHECK (with_byte (0, 0) == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_byte (0, 2) == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_byte (1, 0xff) == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_byte (2, 0xff) == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_byte (2, PCREL | UDATA4) == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_byte (3, DATAREL | SDATA8) == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_byte (3, 0xff) == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_byte (3, SDATA4) == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_byte (3, DATAREL | SDATA2) == SFRAME_EH_NOT_UNDERSTOOD);
}

static void
more_pairs_than_bytes (void)
{
  three_functions ();
  uint32_t fit = (craft.size - craft.table_size) / 8;
  put (8, fit + 1, 4);
  CHECK (find (0x100, &entry) == SFRAME_EH_CORRUPT);
  put (8, UINT32_MAX, 4);
  CHECK (find (0x100, &entry) == SFRAME_EH_CORRUPT);
}

/* The address of the FDE in the table, relative to the header.  */
static void
fde_outside_memory (void)
{
  static const int64_t places[] = { -4, -1, INT32_MIN, INT32_MAX };

  for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i)
    {
      three_functions ();
      put (craft.table_size + 4, places[i], 4);
      CHECK (find (0x100, &entry) == SFRAME_EH_CORRUPT);
    }
  three_functions ();
  put (craft.table_size + 4, craft.size, 4);
  CHECK (find (0x100, &entry) == SFRAME_EH_CORRUPT);
}

/* The status with LENGTH as that of the record at AT.  */
static enum sframe_eh_status
with_length (bool in_cie, uint64_t length)
{
  one_function (NULL, 0);
  put (in_cie ? craft.cie : craft.fde, length, 4);
  return find (0, &entry);
}

static void
length_of_record (void)
{
  for (int in_cie = 0; in_cie < 2; ++in_cie)
    {
      CHECK (with_length (in_cie, 0) == SFRAME_EH_CORRUPT);
      CHECK (with_length (in_cie, 3) == SFRAME_EH_CORRUPT);
      CHECK (with_length (in_cie, 8) == SFRAME_EH_CORRUPT);
      CHECK (with_length (in_cie, 0x1000) == SFRAME_EH_CORRUPT);
      CHECK (with_length (in_cie, 0xfffffffe) == SFRAME_EH_CORRUPT);
      CHECK (with_length (in_cie, 0xffffffff) == SFRAME_EH_NOT_UNDERSTOOD);
    }
}

static void
cie_pointer (void)
{
  static const uint32_t distances[] = { 0, 1, 0x1000, UINT32_MAX, -4 };

  for (size_t i = 0; i < sizeof distances / sizeof distances[0]; ++i)
    {
      one_function (NULL, 0);
      put (craft.fde + 4, distances[i], 4);
      CHECK (find (0, &entry) == SFRAME_EH_CORRUPT);
    }
  /* An FDE is no CIE.  */
  begin (2);
  cie (PCREL | SDATA4);
  fde (0, 0, 100, NULL, 0);
  size_t first = craft.fde;
  fde (1, 100, 100, NULL, 0);
  put (craft.fde + 4, craft.fde + 4 - first, 4);
  CHECK (find (0, &entry) == SFRAME_EH_OK);
  CHECK (find (100, &entry) == SFRAME_EH_CORRUPT);
}

/* The status of an FDE whose CIE has VERSION and so on.  */
static enum sframe_eh_status
with_augmentation (unsigned int version, const char *augmentation,
		   const void *data, size_t size)
{
  begin (1);
  craft.encoding = strchr (augmentation, 'R') ? PCREL | SDATA4 : ABSPTR;
  cie_full (version, augmentation, data, size, usual, sizeof usual);
  fde (0, 0, 100, NULL, 0);
  /* An absolute address is known as soon as the place is.  */
  if (craft.encoding == ABSPTR)
    {
      place ();
      put (craft.fde + 8, code (0), 8);
      struct sframe_eh_table table
	= { .header = craft.placed, .header_size = craft.size,
	    .memory = { craft.placed, craft.placed + craft.size } };
      memcpy (craft.placed, craft.bytes, craft.size);
      return __sframe_eh_find (&table, code (0), &entry);
    }
  return find (0, &entry);
}

static void
augmentations (void)
{
  /* Encoding of the personality routine, its address, that of the LSDA, that
     of the code.  */
  static const unsigned char data[]
    = { INDIRECT | PCREL | SDATA4, 1, 2, 3, 4, PCREL | SDATA4,
	PCREL | SDATA4 };
  static const unsigned char unknown[] = { 0x0f, 1, 2, 3, 4 };

  CHECK (with_augmentation (1, "", NULL, 0) == SFRAME_EH_OK);
  CHECK (!entry.signal);
  CHECK (with_augmentation (1, "z", NULL, 0) == SFRAME_EH_OK);
  CHECK (with_augmentation (1, "zPLR", data, 7) == SFRAME_EH_OK);
  CHECK (entry.start == code (0) && entry.size == 100 && !entry.signal);
  CHECK (entry.initial.end - entry.initial.at == sizeof usual);
  CHECK (with_augmentation (1, "zRS", data + 6, 1) == SFRAME_EH_OK);
  CHECK (entry.signal);
  /* More augmentation data than the letters need.  */
  CHECK (with_augmentation (1, "zR", data + 5, 2) == SFRAME_EH_OK);
  CHECK (entry.initial.end - entry.initial.at == sizeof usual);

  CHECK (with_augmentation (1, "zPLR", data, 6) == SFRAME_EH_CORRUPT);
  CHECK (with_augmentation (1, "zR", data, 0) == SFRAME_EH_CORRUPT);
  CHECK (with_augmentation (1, "zP", unknown, 5)
	 == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_augmentation (1, "zRX", data + 6, 1)
	 == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_augmentation (1, "eh", NULL, 0) == SFRAME_EH_NOT_UNDERSTOOD);
}

/* A search that reads the CIE again for each FDE must not take long.  */
static void
long_cie (void)
{
  static const unsigned char program[1000];
  char augmentation[SFRAME_EH_FIELDS_MAX];
  unsigned char encoding = PCREL | SDATA4;

  memset (augmentation, 'S', sizeof augmentation);
  augmentation[0] = 'z';
  augmentation[sizeof augmentation - 1] = '\0';
  CHECK (with_augmentation (1, augmentation, NULL, 0) == SFRAME_EH_CORRUPT);
  augmentation[sizeof augmentation / 2] = '\0';
  CHECK (with_augmentation (1, augmentation, NULL, 0) == SFRAME_EH_OK);
  begin (1);
  craft.encoding = encoding;
  cie_full (1, "zR", &encoding, 1, program, sizeof program);
  fde (0, 0, 100, NULL, 0);
  CHECK (find (0, &entry) == SFRAME_EH_OK);
  CHECK (entry.initial.end - entry.initial.at == sizeof program);
}

static void
versions (void)
{
  CHECK (with_augmentation (3, "", NULL, 0) == SFRAME_EH_OK);
  CHECK (entry.ra_column == RA);
  CHECK (with_augmentation (0, "", NULL, 0) == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_augmentation (2, "", NULL, 0) == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_augmentation (4, "", NULL, 0) == SFRAME_EH_NOT_UNDERSTOOD);
}

/* In version 3, but not in version 1, the column is a ULEB128.  */
static void
ra_column (void)
{
  one_function (NULL, 0);
  size_t at = craft.cie + 14;
  require (craft.bytes[at] == RA, "place of the column");
  craft.bytes[at] = SAVED;
  CHECK (find (0, &entry) == SFRAME_EH_OK);
  CHECK (entry.ra_column == SAVED);
  craft.bytes[at] = COLUMNS - 1;
  CHECK (find (0, &entry) == SFRAME_EH_OK);
  CHECK (entry.ra_column == COLUMNS - 1);
  craft.bytes[at] = COLUMNS;
  CHECK (find (0, &entry) == SFRAME_EH_NOT_UNDERSTOOD);
  craft.bytes[at] = 0x80 | RA;
  CHECK (find (0, &entry) == SFRAME_EH_NOT_UNDERSTOOD);
}

static void
augmentation_longer_than_record (void)
{
  one_function (NULL, 0);
  craft.bytes[craft.cie + 15] = 0x7f;
  CHECK (find (0, &entry) == SFRAME_EH_CORRUPT);
  one_function (NULL, 0);
  require (craft.bytes[craft.size - 1] == 0, "place of the FDE's length");
  craft.bytes[craft.size - 1] = 1;
  CHECK (find (0, &entry) == SFRAME_EH_CORRUPT);
}

/* The status of an FDE written in ENCODING.  */
static enum sframe_eh_status
with_encoding (unsigned int encoding)
{
  begin (1);
  cie (encoding);
  fde (0, 0, 100, NULL, 0);
  return find (0, &entry);
}

static void
encodings (void)
{
  static const unsigned int formats[] = { SDATA4, SDATA8, SLEB, UDATA4,
					  ABSPTR, ULEB };

  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i)
    {
      CHECK (with_encoding (PCREL | formats[i]) == SFRAME_EH_OK);
      CHECK (entry.start == code (0) && entry.size == 100);
    }
  /* 16 bits do not reach the code.  */
  CHECK (with_encoding (PCREL | SDATA2) == SFRAME_EH_NO_ENTRY);
  CHECK (with_encoding (INDIRECT | PCREL | SDATA4)
	 == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_encoding (DATAREL | SDATA4) == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_encoding (PCREL | 0x0e) == SFRAME_EH_NOT_UNDERSTOOD);
  CHECK (with_encoding (0xff) == SFRAME_EH_NOT_UNDERSTOOD);
}

/* The table and the FDE may have different start addresses.  */
static void
table_and_fde_disagree (void)
{
  one_function (NULL, 0);
  put (craft.table_size, CODE - 0x10, 4);
  CHECK (find (-0x10, &entry) == SFRAME_EH_NO_ENTRY);
  CHECK (find (0, &entry) == SFRAME_EH_OK);
}

static bool
scan_finds (uint64_t pc, uint64_t start, uint64_t size)
{
  return (scan (pc, &entry) == SFRAME_EH_OK
	  && entry.start == code (start) && entry.size == size);
}

/* Functions in any order, whose CIEs differ in the encoding.  */
static void
scan_three_functions (void)
{
  begin (3);
  cie (PCREL | SDATA4);
  size_t first = craft.cie;
  fde (2, 0x200, 0x30, NULL, 0);
  cie (PCREL | SDATA8);
  fde (1, 0x110, 0x20, NULL, 0);
  craft.cie = first;
  craft.encoding = PCREL | SDATA4;
  fde (0, 0x100, 0x10, NULL, 0);
  emit (0, 4);
  CHECK (scan_finds (0x100, 0x100, 0x10));
  CHECK (scan_finds (0x10f, 0x100, 0x10));
  CHECK (scan_finds (0x110, 0x110, 0x20));
  CHECK (scan_finds (0x12f, 0x110, 0x20));
  CHECK (scan_finds (0x22f, 0x200, 0x30));
  CHECK (scan (0xff, &entry) == SFRAME_EH_NO_ENTRY);
  CHECK (scan (0x130, &entry) == SFRAME_EH_NO_ENTRY);
  CHECK (scan (0x230, &entry) == SFRAME_EH_NO_ENTRY);
}

/* A linker may have merged the first CIE with one before the start.  */
static void
scan_from_fde (void)
{
  three_functions ();
  emit (0, 4);
  craft.records = craft.fde;
  CHECK (scan_finds (0x200, 0x200, 0x30));
  CHECK (scan (0x100, &entry) == SFRAME_EH_NO_ENTRY);
}

/* The last record is the end, even if more bytes follow.  */
static void
scan_to_end (void)
{
  three_functions ();
  CHECK (scan_finds (0x200, 0x200, 0x30));
  CHECK (scan (0xff, &entry) == SFRAME_EH_CORRUPT);
  size_t end = craft.size;
  emit (0, 4);
  CHECK (scan (0x300, &entry) == SFRAME_EH_NO_ENTRY);
  fde (0, 0x300, 0x10, NULL, 0);
  CHECK (scan (0x300, &entry) == SFRAME_EH_NO_ENTRY);
  put (end, 4, 4);
  CHECK (scan (0x300, &entry) == SFRAME_EH_CORRUPT);
}

static void
scan_cut_at_every_byte (void)
{
  three_functions ();
  emit (0, 4);
  size_t whole = craft.size;
  for (size_t size = craft.records + 1; size < whole; ++size)
    {
      craft.size = size;
      CHECK (scan (0x300, &entry) == SFRAME_EH_CORRUPT);
    }
  craft.size = craft.records;
  CHECK (scan (0x300, &entry) == SFRAME_EH_CORRUPT);
  craft.records = whole;
  craft.size = whole - 1;
  CHECK (scan (0x300, &entry) == SFRAME_EH_CORRUPT);
}

static void
scan_length_of_record (void)
{
  for (uint64_t length = 1; length < 4; ++length)
    {
      one_function (NULL, 0);
      put (craft.cie, length, 4);
      CHECK (scan (0, &entry) == SFRAME_EH_CORRUPT);
    }
  one_function (NULL, 0);
  put (craft.cie, UINT32_MAX, 4);
  CHECK (scan (0, &entry) == SFRAME_EH_NOT_UNDERSTOOD);
  put (craft.cie, UINT32_MAX - 1, 4);
  CHECK (scan (0, &entry) == SFRAME_EH_CORRUPT);
}

/* Whether a function that has the last CIE, which cannot be read, hides no
   other one.  */
static bool
scan_passes_over (void)
{
  craft.encoding = PCREL | SDATA4;
  fde (0, 0x100, 0x10, NULL, 0);
  cie (PCREL | SDATA4);
  fde (1, 0x110, 0x20, NULL, 0);
  emit (0, 4);
  return (scan_finds (0x110, 0x110, 0x20)
	  && scan (0x100, &entry) == SFRAME_EH_NO_ENTRY);
}

static void
scan_past_not_understood (void)
{
  begin (2);
  cie_full (1, "zX", "", 1, usual, sizeof usual);
  CHECK (scan_passes_over ());
}

/* A CIE that has more data than is read.  */
static void
scan_past_long_cie (void)
{
  static const unsigned char data[SFRAME_EH_FIELDS_MAX]
    = { PCREL | SDATA4 };

  begin (2);
  cie_full (1, "zR", data, sizeof data, usual, sizeof usual);
  CHECK (scan_passes_over ());
}

static const struct test_case cases[] =
  {
    { "first and last byte of functions", first_and_last_byte },
    { "outside of functions", outside_functions },
    { "empty table", empty_table },
    { "cut at every byte", cut_at_every_byte },
    { "far from the header", far_from_header },
    { "records of a header", records_of_header },
    { "header without table", header_without_table },
    { "header of another kind", header_of_another_kind },
    { "more pairs than bytes", more_pairs_than_bytes },
    { "FDE outside of memory", fde_outside_memory },
    { "length of a record", length_of_record },
    { "CIE pointer", cie_pointer },
    { "augmentations", augmentations },
    { "a long CIE", long_cie },
    { "versions", versions },
    { "return address column", ra_column },
    { "augmentation longer than its record", augmentation_longer_than_record },
    { "encodings", encodings },
    { "table and FDE disagree", table_and_fde_disagree },
    { "without table: functions in any order", scan_three_functions },
    { "without table: from an FDE on", scan_from_fde },
    { "without table: the end of the records", scan_to_end },
    { "without table: cut at every byte", scan_cut_at_every_byte },
    { "without table: length of a record", scan_length_of_record },
    { "without table: a CIE that is not understood",
      scan_past_not_understood },
    { "without table: a CIE that is too long", scan_past_long_cie },
  };

int
main (void)
{
  return run_cases (cases, sizeof cases / sizeof cases[0]);
}
