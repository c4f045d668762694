# Compare the names of results with the lists of those that are expected.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: awk -v files=FILES -f expected.awk UNSUPPORTED EXPECTED SUM
#
# FILES are the test files that ran, without .exp, each between spaces.
# UNSUPPORTED and EXPECTED are like tests/unsupported and tests/expected; SUM is
# DejaGnu's summary.  Prints a line for each difference.

function text()
{
  return substr($0, index($0, ": ") + 2)
}

function ours(name)
{
  return index(files, " " substr(name, 1, index(name, ": ") - 1) " ")
}

function matches(name, pattern,   size)
{
  size = length(pattern) - 1
  if (substr(pattern, size + 1) == "*")
    return substr(name, 1, size) == substr(pattern, 1, size)
  return name == pattern
}

function is_excused(name,   i)
{
  for (i = 1; i <= excuses; i++)
    if (excuse_of[i] in left_out && matches(name, excused[i]))
      return 1
  return 0
}

# An empty file has no first line, so count no files.
FNR == 1 { part = FILENAME == ARGV[1] ? 1 : FILENAME == ARGV[2] ? 2 : 3 }
part == 1 && /^when: / {
  always = text() == "true"
  holds = always || !system("{ " text() "; } </dev/null >/dev/null 2>&1")
}

part == 1 && /^unsupported: / {
  group = text()
  if (holds)
    allowed[group] = 1
  if (always && ours(group))
    expected[group]++
}

part == 1 && /^missing: / && holds {
  excused[++excuses] = text()
  excuse_of[excuses] = group
}

part == 2 && ours($0) { expected[$0]++ }
part == 3 && /^[A-Z]+: / && ours(text()) {
  seen[text()]++
  if (/^PASS: /)
    passed[text()] = 1
  if (/^(UNSUPPORTED|XFAIL|KFAIL): /) {
    if (text() in allowed)
      left_out[text()] = 1
    else
      print "LEFT OUT: " text()
  }
}

END {
  for (name in expected)
    if (!is_excused(name))
      for (i = seen[name] + 0; i < expected[name]; i++)
        print "MISSING: " name
  for (name in passed)
    for (i = expected[name] + 0; i < seen[name]; i++)
      print "NEW: " name
}
