# Print a Makefile.sframe without the tests named in the first file, one a line.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# In a list that begins with `NAME = \', a line that names such a test is left out.
# Of all other lines that name one, the whole statement is, with its recipe and
# with the comment before it.

FILENAME == ARGV[1] { absent[$1] = 1; next }

# Whether TEXT names a test that is not there.
function names_absent(text,    token)
{
  while (match(text, /tst-[a-z0-9-]*[a-z0-9]/)) {
    token = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    if (token in absent)
      return 1
  }
  return 0
}

function put(text)
{
  if (text == "" && last == "" && left_out)
    return
  print text
  last = text
  left_out = 0
}

function put_comments()
{
  if (comments != "")
    put(substr(comments, 1, length(comments) - 1))
  comments = ""
}

# A statement that was read to its end.
function put_statement()
{
  if (names_absent(statement)) {
    comments = ""
    recipe_out = left_out = 1
    return
  }
  put_comments()
  put(statement)
}

in_list {
  in_list = /\\$/
  if (names_absent($0))
    left_out = 1
  else
    put($0)
  next
}
statement == "" && /^#/ { comments = comments $0 "\n"; next }
statement == "" && /^\t/ { if (!recipe_out) put($0); next }
statement == "" && /=[ \t]*\\$/ { put_comments(); put($0); in_list = 1; next }
statement == "" && /^$/ { put_comments(); put(""); next }
{
  recipe_out = 0
  statement = statement $0
  if (/\\$/) {
    statement = statement "\n"
    next
  }
  put_statement()
  statement = ""
}
END { put_comments() }
