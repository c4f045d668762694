# Print a source file of glibc with glibc's copyright line and licence notice in place of the SPDX line.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: awk -f notice.awk UPSTREAM FILE
#
# UPSTREAM is a C file of glibc: the notice is taken from its first comment.  The
# text of FILE's first comment that follows the SPDX line becomes a comment of its
# own, as glibc has it.

FNR == 1 { ++file }

file == 1 {
  if (/This file is part of/)
    reading = 1
  if (reading)
    notice[++count] = $0
  if (/\*\//)
    reading = 0
  next
}

# The line before the notice must not be empty.
!done && $0 ~ /^[ \t]*$/ { ++empty; next }

!done && /SPDX-License-Identifier: LGPL-2\.1-or-later/ {
  print_notice($1 == "#" ? "# " : "   ")
  done = 1
  begin = !/\*\// && $1 != "#"
  next
}

!done {
  for (; empty > 0; empty--)
    print ""
}

begin && /[^ \t]/ { sub(/^   /, "/* "); begin = 0 }

{ print }

function print_notice(prefix, i, line)
{
  print prefix "Copyright The GNU Toolchain Authors."
  for (i = 1; i <= count; i++) {
    line = notice[i]
    sub(/^   /, prefix, line)
    if (prefix == "# ") {
      sub(/ *\*\/$/, "", line)
      if (line == "")
        line = "#"
    }
    print line
  }
}
