# List the small faults that can be planted in a C file: a line LINE, COLUMN, LENGTH, REPLACEMENT, separated by tabs.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Only inside functions, whose braces are in the first column.  Comments, strings,
# preprocessor lines and the types of declarations are not changed.

BEGIN {
  # Operators stand between blanks, or at a line's end.
  swap("<", "<="); swap(">", ">="); swap("==", "!="); swap("&&", "||")
  swap("+", "-"); swap("<<", ">>"); swap("&", "|"); swap("+=", "-=")
  swap("|=", "&=")
  word["true"] = "false"; word["false"] = "true"
  keyword = "^(if|while|for|switch|return|goto|do|else|case|sizeof)$"
}

function swap (one, other)
{
  operator[one] = other
  operator[other] = one
}

{ text[NR] = $0 }

END {
  for (i = 1; i <= NR; i++)
    code[i] = blank_out(text[i])
  for (i = 1; i <= NR; i++)
    {
      if (code[i] ~ /^[{]/)
        inside = code[i - 1] !~ /^(struct|enum|union|static const struct)/
      else if (code[i] ~ /^[}]/)
        inside = 0
      else if (inside && code[i] !~ /^[ \t]*#/)
        mutate(i, code[i])
    }
}

# LINE with blanks in place of comments, strings and characters.
function blank_out (line, out, rest, c)
{
  out = ""
  for (rest = line; rest != ""; )
    {
      if (in_comment)
        c = take_until(rest, "*/")
      else if (rest ~ /^\/\*/)
        {
          in_comment = 1
          c = 2
        }
      else if (rest ~ /^\/\//)
        c = length(rest)
      else if (match(rest, /^"([^"\\]|\\.)*"/) || match(rest, /^'([^'\\]|\\.)*'/))
        c = RLENGTH
      else
        {
          out = out substr(rest, 1, 1)
          rest = substr(rest, 2)
          continue
        }
      out = out sprintf("%" c "s", "")
      rest = substr(rest, c + 1)
    }
  return out
}

# How far the comment goes in TEXT, up to and with END.
function take_until (text, end, at)
{
  at = index(text, end)
  if (at == 0)
    return length(text)
  in_comment = 0
  return at + length(end) - 1
}

function mutate (number, line)
{
  mutate_tokens(number, line)
  mutate_condition(number, line)
  mutate_statement(number, line)
}

# Operators, numbers, truth.
function mutate_tokens (number, line, column, token)
{
  for (column = 1; match(substr(line, column), /[^ \t]+/);
       column += length(token))
    {
      column += RSTART - 1
      token = substr(line, column, RLENGTH)
      if (token in operator)
        print_mutant(number, column, length(token), operator[token])
      else
        mutate_words(number, column, token)
    }
}

# TOKEN has no blank in it: "array[0]", "!true)", "i++)".
function mutate_words (number, column, token, at, found, new)
{
  for (at = 1; match(substr(token, at), /[A-Za-z0-9_]+|\+\+|--/);
       at += length(found))
    {
      at += RSTART - 1
      found = substr(token, at, RLENGTH)
      new = found in word ? word[found] : found == "++" ? "--" \
        : found == "--" ? "++" : found == "0" ? "1" \
        : found ~ /^[1-9][0-9]*$/ ? found - 1 : found
      if (new != found)
        print_mutant(number, column + at - 1, length(found), new)
    }
}

# The condition of an if, when the line has all of it.
function mutate_condition (number, line, start, end, depth, c)
{
  if (!match(line, /(^|[ \t])if ?\(/))
    return
  start = RSTART + RLENGTH
  depth = 1
  for (end = start; end <= length(line); end++)
    {
      c = substr(line, end, 1)
      depth += (c == "(") - (c == ")")
      if (depth == 0)
        break
    }
  if (depth == 0)
    print_mutant(number, start, end - start,
                 "!(" substr(text[number], start, end - start) ")")
}

# A statement that begins and ends on the line: a jump, a call, an assignment
# that declares nothing.
function mutate_statement (number, line, first, start, before)
{
  before = code[number - 1]
  if (line !~ /;[ \t]*$/ || before !~ /(^|[;{}:)]|else)[ \t]*$/)
    return
  match(line, /[^ \t]/)
  start = RSTART
  first = substr(line, start)
  sub(/[^A-Za-z0-9_].*/, "", first)
  if (line ~ /^[ \t]*(break|continue|return);/ \
      || first !~ keyword && line ~ /^[ \t]*[A-Za-z_0-9]+ ?\(.*\);/ \
      || first !~ keyword \
         && line ~ /^[ \t]*[*(]*[A-Za-z_0-9]+(([.>-]|\[)[^= ]*)? ([-+|&^]|<<|>>)?= /)
    print_mutant(number, start, length(line) - start + 1, ";")
}

function print_mutant (number, column, length_, new)
{
  printf "%d\t%d\t%d\t%s\n", number, column, length_, new
}
