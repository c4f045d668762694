# Compare the user stacks that `perf script -F ip,sym,dso' prints with those that are possible.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: awk [-v thread=NAME] -f judge.awk PATHS STACKS
#
# NAME is the function that starts a thread; __clone3 unless told.
# PATHS is like known.paths.  Judged are the samples in a function named there.
# A sample in libc is whole if its stack reaches the start of the program or of
# a thread.  Others are of the program's start and end, and of ld.so.  Prints a
# line "judged N right N other N empty N libc N whole N", "leaf NAME judged N
# right N" for the first line of each path, and the wrong stacks that are most
# frequent.

BEGIN {
  RS = ""
  FS = "\n"
  # On s390x handlers return to the vDSO, which then stands for libc.
  name_of_libc = "(libc\\.so\\.6|\\[vdso\\])\\)$"
  if (thread == "")
    thread = "__clone3"
}

# Add a path, from its end on: frame (N, 1) is the outermost.
FNR == NR {
  length_of[++paths] = 0
  for (i = NF; i > 0; --i)
    add_line($i)
  leaf[paths] = last
  if (!length_of[paths])
    --paths
  next
}

function add_line(line, times)
{
  if (line ~ /^#/)
    return
  times = 1
  if (match(line, /^[0-9]+ /)) {
    times = line + 0
    line = substr(line, RLENGTH + 1)
  }
  last = line
  if (line == "(start)") {
    add_frame("_start")
    add_frame("__libc_start_main")
    add_frame("__libc_start_call_main")
  } else if (line == "(thread)") {
    add_frame(thread)
    add_frame("start_thread")
  } else
    while (times-- > 0)
      add_frame(line)
}

function add_frame(name)
{
  path[paths, ++length_of[paths]] = name
  known[name] = name !~ /^\(libc\) /
}

# A sample.  Kernel addresses are negative, or on s390x known to be the kernel's.
# The stack in the kernel, which is not of interest here, comes first; after a frame
# of the program such an address is wrong.
{
  for (first = 1; first <= NF && is_kernel($first); ++first)
    ;
  depth = 0
  for (i = NF; i >= first; --i)
    read_frame($i)
  if (depth == 0)
    ++empty
  else if (libc[depth]) {
    ++in_libc
    whole += frame[1] == "_start" || frame[1] == thread
  } else if (!known[frame[depth]])
    ++other
  else
    judge()
}

function is_kernel(line)
{
  return line ~ /^[ \t]+ffff/ || line ~ /\(\[kernel\.kallsyms\]\)$/
}

function judge()
{
  ++judged
  ++judged_in[frame[depth]]
  if (possible()) {
    ++right
    ++right_in[frame[depth]]
  } else
    ++wrong[stack()]
}

# From "IP NAME (FILE)", where NAME can be of several words.
function read_frame(line)
{
  libc[++depth] = line ~ name_of_libc
  sub(/^[ \t]*[0-9a-f]+ /, "", line)
  sub(/ \([^()]*\)$/, "", line)
  # libc's own names for what it exports, and the compiler's for a part of a
  # function.
  sub(/^__GI_/, "", line)
  sub(/\.part\.[0-9]+$/, "", line)
  sub(/@@.*/, "", line)
  frame[depth] = line
}

function possible(p)
{
  for (p = 1; p <= paths; ++p)
    if (is_part(p))
      return 1
  return 0
}

# Whether the sample's frames are the first ones of path P.
function is_part(p, i, j)
{
  for (i = j = 1; i <= depth; ++i) {
    if (path[p, j] ~ /^\(libc\) .*\?$/ && !is_frame(i, path[p, j]))
      ++j
    if (j > length_of[p] || !is_frame(i, path[p, j]))
      return 0
    if (path[p, j] !~ /^\(libc\) .*\+$/ || i == depth \
	|| !is_frame(i + 1, path[p, j]))
      ++j
  }
  return 1
}

# Whether frame I is that of a line of a path, TEXT.
function is_frame(i, text)
{
  if (text !~ /^\(libc\) /)
    return frame[i] == text
  sub(/^\(libc\) /, "", text)
  sub(/[+?]$/, "", text)
  return libc[i] && index("|" text "|", "|" frame[i] "|")
}

function stack(text)
{
  for (i = depth; i > 0; --i)
    text = text " < " frame[i]
  return substr(text, 4)
}

END {
  printf "judged %d right %d other %d empty %d libc %d whole %d\n", \
    judged, right, other, empty, in_libc, whole
  for (i = 1; i <= paths; ++i)
    printf "leaf %s judged %d right %d\n", leaf[i], judged_in[leaf[i]], \
      right_in[leaf[i]]
  for (text in wrong)
    printf "%6d  %s\n", wrong[text], text | "sort -rn | head -n 10"
}
