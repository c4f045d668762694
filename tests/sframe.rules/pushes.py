#!/usr/bin/env python3
"""Compare .eh_frame with the instructions that change SP: the CFA must stay where it is.

SPDX-License-Identifier: LGPL-2.1-or-later

usage: pushes.py FRAMES CODE

FRAMES is the output of readelf -wF, CODE that of objdump -d --no-show-raw-insn,
for an object of x86-64.  Where the CFA is an offset from SP before and after a
push, a pop or an addition to SP, the offset must change by as much.  Prints a
line "FUNCTION COUNT" for each function with COUNT such instructions that its
rows contradict, and at last how many instructions were compared.  Hand-written
assembler can have such errors, which each unwinder that reads CFI repeats.
"""

import bisect
import re
import sys


def read_rows(lines):
    """Return lists of the starts of rows and of the offsets of the CFA from SP, or None."""
    rows = {}
    end = None
    for line in lines:
        head = re.search(r" FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)", line)
        if head:
            # readelf prints no row if the function has only that of the CIE.
            rows[int(head[1], 16)] = 8
            rows.setdefault(int(head[2], 16), None)
            end = int(head[2], 16)
        row = re.match(r"([0-9a-f]{16}) (\S+)", line)
        if row and end:
            offset = re.fullmatch(r"rsp\+(\d+)", row[2])
            outermost = line.split()[-1] == "u"
            rows[int(row[1], 16)] = (int(offset[1]) if offset and not outermost
                                     else None)
    starts = sorted(rows)
    return starts, [rows[start] for start in starts]


def growth(instruction):
    """Return by how many bytes the instruction makes the stack larger, or None."""
    if re.match(r"push", instruction):
        return 8
    if re.match(r"pop(?!.*%rsp|cnt)", instruction):
        return -8
    change = re.fullmatch(r"(sub|add)q?\s+\$(-?0x[0-9a-f]+),%rsp", instruction)
    if change is None:
        return None
    value = int(change[2], 16)
    value -= (value >> 63) << 64
    return value if change[1] == "sub" else -value


def main():
    starts, offsets = read_rows(open(sys.argv[1], encoding="utf-8"))

    def offset_at(address):
        index = bisect.bisect_right(starts, address) - 1
        return offsets[index] if index >= 0 else None

    compared = 0
    bad = {}
    function = before = None
    for line in open(sys.argv[2], encoding="utf-8"):
        title = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if title:
            function, before = title[1], None
        code = re.match(r"\s*([0-9a-f]+):\s+(.*?)\s*$", line)
        if not code:
            continue
        offset = offset_at(int(code[1], 16))
        if before is not None and offset is not None:
            compared += 1
            if offset != before:
                bad[function] = bad.get(function, 0) + 1
        grown = growth(code[2])
        known = grown is not None and offset is not None
        before = offset + grown if known else None
    for name, count in bad.items():
        print(name, count)
    print(compared, "compared")


main()
