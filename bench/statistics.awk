# Convert sorted samples "SUBJECT PROGRAM CASE METRIC VALUE" to rows of results.tsv: minimum, median, 99th percentile.
# SPDX-License-Identifier: LGPL-2.1-or-later

BEGIN {
  FS = OFS = "\t"
}

# $2 is the number of objects that the program is linked with.
$2 != "" {
  $3 = $3 ", " $2 " objects"
}

{
  group = $3 OFS $1 OFS $4
}

group != last {
  end_group()
  last = group
  n = 0
}

{
  value[++n] = $5
}

END {
  end_group()
}

function end_group ()
{
  if (n == 0)
    return
  row("minimum", 1)
  row("median", int ((n + 1) / 2))
  row("p99", int (n * 0.99 + 0.99))
}

function row (what, i)
{
  print last ", " what, value[i], "ns"
}
