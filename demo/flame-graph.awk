# Draw stacks as a flame graph.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: awk -v title=TITLE -v least=PERCENT -f flame-graph.awk STACKS >SVG
#
# STACKS has lines "COUNT FUNCTION;FUNCTION;...;", callers first, sorted by stack.
# So stacks with the same first functions are adjacent: a box grows until a stack
# without its function comes.  Boxes of less than PERCENT of the samples are left
# out.

function text (s) {
  gsub (/&/, "\\&amp;", s); gsub (/</, "\\&lt;", s); gsub (/>/, "\\&gt;", s)
  return s
}

# The boxes from level LOW on have ended here.
function close_boxes (low) {
  for (; depth >= low; --depth) {
    ++boxes
    level[boxes] = depth
    begin[boxes] = start[depth]
    size[boxes] = total - start[depth]
    name[boxes] = open[depth]
  }
}

{
  stack = substr ($0, index ($0, " ") + 1)
  n = split (stack, function_at, ";") - 1
  for (same = 0; same < n && same < depth; ++same)
    if (function_at[same + 1] != open[same + 1])
      break
  close_boxes(same + 1)
  while (depth < n) {
    ++depth
    open[depth] = function_at[depth]
    start[depth] = total
  }
  total += $1
}

# Warm colours, the same one for the same function.
function colour (s, i, sum) {
  for (i = 1; i <= length (s); ++i)
    sum = (sum * 7 + index (letters, substr (s, i, 1))) % 997
  return sprintf ("rgb(%d,%d,%d)", 205 + sum % 51, 90 + sum % 101, 60)
}

# Leave out narrow boxes.  What such a box calls is as narrow.
function is_drawn (b) {
  return 100 * size[b] >= least * total
}

function draw_box (b, x, y, width, room, label) {
  x = begin[b] * scale
  width = size[b] * scale
  y = height - 16 * level[b] - 4
  room = int (width / 7)
  label = name[b]
  if (length (label) > room)
    label = room > 3 ? substr (label, 1, room - 2) ".." : ""
  printf "<g><title>%s: %.1f %%</title>", text(name[b]), 100 * size[b] / total
  printf "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"15\" fill=\"%s\"/>", \
    x, y, width, colour(name[b])
  if (label != "")
    printf "<text x=\"%.2f\" y=\"%d\">%s</text>", x + 3, y + 11, text(label)
  print "</g>"
}

END {
  letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
  close_boxes(1)
  for (b = 1; b <= boxes; ++b)
    if (is_drawn(b) && level[b] > highest)
      highest = level[b]
  height = 16 * highest + 30
  scale = total ? 1200 / total : 0
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"%d\"", height
  print " font-family=\"monospace\" font-size=\"11\">"
  printf "<text x=\"3\" y=\"14\">%s: %d samples</text>\n", text(title), total
  for (b = 1; b <= boxes; ++b)
    if (is_drawn(b))
      draw_box(b)
  print "</svg>"
}
