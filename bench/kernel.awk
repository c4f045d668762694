# Print the rows that bench/kernel-vm has measured, and rows computed from them.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: awk -F '\t' -v OFS='\t' -v all_depths=DEPTHS -v all_counts=COUNTS
#          -v functions=FUNCTIONS -f kernel.awk ROWS
#
# DEPTHS, COUNTS and FUNCTIONS are those of bench/kernel-vm.

$1 !~ /^samples/ { print }
$3 == "page faults" { next }
{ cost[$1, $2] = $4 }
/, objects: / && $2 == "stock kernel" {
  print $1, "new kernel", "relative to stock kernel", \
    sprintf ("%.3f", cost[$1, "new kernel"] / $4), "x"
}

/^PR_/ {
  print $1, $2, "relative to getppid", ratio($4, cost["getppid", $2])
}

/switched off/ {
  sub (/, switched off/, "", $2)
  print $1, $2, "relative to switched off", \
    sprintf ("%.3f", cost[$1, $2] / $4), "x"
}

function ratio (a, b) {
  return sprintf ("%.2f", a / b) OFS "x"
}

# The cost of a stack is the difference between samples with and without it.
function stack (depth, by, what) {
  return cost["samples, chain, depth " depth what, by] \
         - cost["samples, plain, depth " depth what, by]
}

function frame (by, what) {
  return (stack(100, by, what) - stack(10, by, what)) / 90
}

function each_frame (by, name, what) {
  print "unwinding" what, name, "each frame", \
    sprintf ("%.0f", frame(by, what)), "instructions"
}

function unwinding (by, name,  i) {
  for (i = 1; i <= depths; i++)
    print "unwinding, depth " depth[i], name, "cost", stack(depth[i], by), \
      "instructions"
  each_frame(by, name)
}

function cached_or_not (what) {
  each_frame("new kernel, sframe", "SFrame", what)
  if (("samples, chain, depth 100" what, "new kernel, sframe-forget") in cost)
    each_frame("new kernel, sframe-forget", "SFrame, not cached", what)
}

function relative (by, name) {
  print "unwinding", name, "relative to stock kernel", \
    ratio(frame(by), frame("stock kernel, fp"))
}

END {
  depths = split (all_depths, depth, " ")
  unwinding("new kernel, sframe", "SFrame")
  unwinding("new kernel, sframe-forget", "SFrame, not cached")
  unwinding("new kernel, fp", "frame pointers")
  unwinding("new kernel, fp-choose", "frame pointers, checked")
  unwinding("stock kernel, fp", "frame pointers, stock kernel")
  objects = split (all_counts, count, " ")
  for (i = 1; i <= objects; i++)
    cached_or_not(", objects: " count[i])
  cached_or_not(", functions: " functions)
  each_frame("s390x kernel, sframe", "SFrame, s390x")
  each_frame("s390x kernel, sframe-forget", "SFrame, not cached, s390x")
  each_frame("s390x kernel, backchain", "back chain, s390x")
  print "unwinding", "SFrame", "relative to frame pointers", \
    ratio(frame("new kernel, sframe"), frame("new kernel, fp"))
  relative("new kernel, sframe", "SFrame")
  relative("new kernel, sframe-forget", "SFrame, not cached")
  relative("new kernel, fp", "frame pointers")
  relative("new kernel, fp-choose", "frame pointers, checked")
}
