/* Print what came of a file, and compute the exit status.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: see sframe-add.h.  Names and reasons may have any bytes but 0.  */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

/* Whether C, after BEFORE, controls a terminal: a control character of ASCII,
   or of U+0080 to U+009F, as one byte or in UTF-8.  */
static bool
is_control (unsigned char c, unsigned char before)
{
  return (c < 0x20 || c == 0x7f
	  || (c >= 0x80 && c < 0xa0 && (before < 0x80 || before == 0xc2)));
}

char *
printable (const char *name)
{
  char *copy = message ("%s", name);
  unsigned char before = 0;

  for (char *at = copy; *at != '\0'; before = *at++)
    if (is_control (*at, before))
      *at = '?';
  return copy;
}

/* The length in bytes of the UTF-8 character at TEXT, 0 if it is invalid.  */
static int
character_size (const char *text)
{
  unsigned char first = *text;
  int size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2
	     : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;

  for (int i = 1; i < size; ++i)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  /* A longer form than needed, a surrogate, or a number above the last.  */
  unsigned char second = size > 2 ? text[1] : 0;
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0)
      || (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90))
    return 0;
  return size;
}

/* Write a byte that belongs to no character as Python does.  */
static void
print_json_string (const char *text)
{
  putchar ('"');
  while (*text != '\0')
    {
      int size = character_size (text);
      if (size == 0)
	printf ("\\udc%02x", (unsigned char) *text);
      else if (size == 1 && (unsigned char) *text < 0x20)
	printf ("\\u%04x", *text);
      else
	{
	  if (*text == '"' || *text == '\\')
	    putchar ('\\');
	  fwrite (text, 1, size, stdout);
	}
      text += size == 0 ? 1 : size;
    }
  putchar ('"');
}

static const char *
outcome_name (const struct job *job)
{
  static const char *const names[]
    = { [OUTCOME_CHANGED] = "changed", [OUTCOME_NOTHING] = "nothing to do",
	[OUTCOME_INCOMPLETE] = "incomplete", [OUTCOME_SKIPPED] = "skipped",
	[OUTCOME_FAILED] = "failed" };

  return names[job->outcome];
}

/* How many other hard links still have the file that JOB has replaced.  */
static uintmax_t
old_names (const struct job *job)
{
  if (options.output != NULL)
    return job->output_names;
  return (job->outcome == OUTCOME_CHANGED && job->first == NULL
	  && job->status.st_nlink > job->followers
	  ? job->status.st_nlink - job->followers - 1 : 0);
}

void
print_json (const struct job *job)
{
  const struct conversion *conversion = &job->conversion;

  printf ("{\"file\": ");
  print_json_string (job->name);
  printf (", \"outcome\": \"%s\"", outcome_name (job));
  if (job->message != NULL)
    {
      printf (", \"message\": ");
      print_json_string (job->message);
    }
  if (job->parted)
    {
      printf (", \"parted_from\": ");
      print_json_string (job->first->name);
    }
  printf (", \"functions\": %zu, \"rows\": %zu, \"bytes_before\": %" PRIu64
	  ", \"bytes_after\": %" PRIu64 ", \"old_names\": %ju"
	  ", \"left_out\": [",
	  conversion->function_count, conversion->row_count, job->old_size,
	  job->outcome == OUTCOME_CHANGED ? job->new_size : job->old_size,
	  old_names (job));
  for (size_t i = 0; i < conversion->left_out_count; ++i)
    {
      const struct left_out *function = &conversion->left_out[i];
      printf ("%s{\"start\": %" PRIu64 ", \"size\": %" PRIu64
	      ", \"reason\": ", i > 0 ? ", " : "", function->start,
	      function->size);
      print_json_string (function->reason);
      putchar ('}');
    }
  printf ("], \"findings\": [");
  for (size_t i = 0; i < conversion->finding_count; ++i)
    {
      const struct finding *finding = &conversion->findings[i];
      printf ("%s{\"start\": %" PRIu64 ", \"size\": %" PRIu64
	      ", \"missing\": %s}", i > 0 ? ", " : "", finding->start,
	      finding->size, finding->missing ? "true" : "false");
    }
  puts ("]}");
}

static void
print_ranges (const struct job *job)
{
  for (size_t i = 0; i < job->conversion.finding_count; ++i)
    {
      const struct finding *finding = &job->conversion.findings[i];
      printf ("%s: %s: %#" PRIx64 ", %" PRIu64 " bytes\n", job->shown,
	      finding->missing ? "no rule" : "not as .eh_frame says",
	      finding->start, finding->size);
    }
  for (size_t i = 0; i < job->conversion.left_out_count; ++i)
    {
      const struct left_out *function = &job->conversion.left_out[i];
      printf ("%s: left out: ", job->shown);
      if (function->size > 0)
	printf ("%#" PRIx64 ", %" PRIu64 " bytes: ", function->start,
		function->size);
      puts (function->reason);
    }
}

/* Tell that COUNT other hard links to NAME still have the old file.  */
static void
print_old_names (const char *name, uintmax_t count)
{
  if (count == 1)
    printf ("%s: another hard link still has the old file\n", name);
  else if (count > 1)
    printf ("%s: %ju other hard links still have the old file\n", name, count);
}

static void
print_change (const struct job *job)
{
  const struct conversion *conversion = &job->conversion;

  if (options.verbose && options.mode == MODE_REMOVE)
    printf ("%s: %" PRIu64 " bytes less\n", job->shown,
	    job->old_size - job->new_size);
  else if (options.verbose)
    printf ("%s: FDEs: %zu, rows: %zu, ranges left out: %zu; "
	    "%" PRIu64 " bytes more\n", job->shown,
	    conversion->function_count, conversion->row_count,
	    conversion->left_out_count, job->new_size - job->old_size);
  if (options.output == NULL && job->parted)
    printf ("%s: cannot make it a hard link to %s\n", job->shown,
	    job->first->shown);
}

/* Print the outcome, if it needs to be told, and WHY.  */
static void
print_outcome (const struct job *job, const char *why)
{
  switch (job->outcome)
    {
    case OUTCOME_FAILED:
      fprintf (stderr, "sframe-add: %s: %s\n", job->shown, why);
      break;
    case OUTCOME_SKIPPED:
      if (!job->found || job->checked)
	fprintf (stderr, "sframe-add: %s: %s\n", job->shown, why);
      break;
    case OUTCOME_NOTHING:
      if (options.verbose)
	printf ("%s: %s\n", job->shown, why);
      break;
    case OUTCOME_INCOMPLETE:
      printf ("%s: %s\n", job->shown, why);
      break;
    case OUTCOME_CHANGED:
      print_change (job);
    }
}

void
print_words (const struct job *job)
{
  /* A reason may have the name of another file.  */
  char *why = printable (job->message != NULL ? job->message
			 : "its table agrees with .eh_frame");

  print_outcome (job, why);
  free (why);
  print_old_names (options.output != NULL ? options.output : job->shown,
		   old_names (job));
  if (options.mode == MODE_CHECK || options.verbose)
    print_ranges (job);
}

int
exit_status (const struct job *job, int status)
{
  switch (job->outcome)
    {
    case OUTCOME_CHANGED:
      return EXIT_CHANGED;
    case OUTCOME_INCOMPLETE:
      return EXIT_NOTHING;
    case OUTCOME_FAILED:
      return EXIT_FAILED;
    case OUTCOME_SKIPPED:
      return job->found ? status : EXIT_FAILED;
    default:
      return status;
    }
}

void
print_error (const char *name, int error)
{
  char *shown = printable (name);

  fprintf (stderr, "sframe-add: %s: %s\n", shown, strerror (error));
  free (shown);
}
