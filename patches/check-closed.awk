# Print the references to files that are not there yet.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: awk -f check-closed.awk ABSENT THERE FILE...
#
# ABSENT lists our files that the tree does not have, THERE the files that it
# has.  An #include of NAME means a file that is there if its path ends with
# NAME.  In a Makefile, NAME and NAME.o mean NAME.c.

function ends_with(path, name)
{
  return path == name \
    || (length(path) > length(name) \
        && substr(path, length(path) - length(name)) == "/" name)
}

# Print a line if NAME is an absent file.
function check(name,    path)
{
  for (path in there)
    if (ends_with(path, name))
      return
  for (path in absent)
    if (ends_with(path, name)) {
      print "  " FILENAME ": " path
      return
    }
}

FILENAME == ARGV[1] {
  absent[$0] = 1
  base = $0
  sub(/.*\//, "", base)
  is_base[base] = 1
  next
}
FILENAME == ARGV[2] { there[$0] = 1; next }
/^[ \t]*#[ \t]*include[ \t]*[<"]/ && FILENAME !~ /Makefile/ {
  name = $0
  sub(/^[^<"]*[<"]/, "", name)
  sub(/[>"].*/, "", name)
  while (sub(/^\.\.\//, "", name))
    ;
  base = name
  sub(/.*\//, "", base)
  if (base in is_base)
    check(name)
}
FILENAME ~ /Makefile/ {
  sub(/#.*/, "")
  count = split($0, word, /[^A-Za-z0-9_.-]+/)
  for (i = 1; i <= count; i++) {
    name = word[i]
    sub(/\.(o|c|S|so|out)$/, "", name)
    if (name ".c" in is_base)
      check(name ".c")
  }
}
