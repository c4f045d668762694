#!/usr/bin/env python3
"""Compare each row of an object's SFrame table with its .eh_frame, both as readelf prints them.

SPDX-License-Identifier: LGPL-2.1-or-later

usage: compare.py FRAMES SFRAME [x86_64|aarch64]

FRAMES is the output of readelf -wF, SFRAME that of readelf --sframe, for an
object of x86-64 or the other machine.  Prints a line for each row that differs, "FUNCTION-ADDRESS
ROW-ADDRESS CFA|FP|RA|SP", and at last how many rows were compared, of how many
functions of .eh_frame, and how many functions have no row to compare.  The
assembler writes both tables from the same directives, and is not always right.
"""

import bisect
import re
import sys

ARCH = sys.argv[3] if len(sys.argv) > 3 else "x86_64"
# By number; the other names are a letter and the number.
NAMES = {"x86_64": ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"],
         "aarch64": []}[ARCH]
# The letter, FP and SP, and the return address where no rule is told.
LETTER, FP, SP, RA = {"x86_64": ("r", "rbp", "rsp", "c-8"),
                      "aarch64": ("x", "x29", "sp", "u")}[ARCH]


def dwarf_entries(lines):
    """Yield (head, rows) for each CIE and FDE: its first line, {address: {column: value}}."""
    head, rows, columns = None, {}, []
    for line in lines:
        if re.match(r"[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ (CIE|FDE) ", line):
            if head:
                yield head, rows
            head, rows = line, {}
        elif line.split()[:1] == ["LOC"]:
            columns = line.split()[1:]
        elif head and re.match(r"[0-9a-f]{16} ", line):
            address, *values = re.sub(r"r\d+ \((\w+)\)", r"\1", line).split()
            rows[int(address, 16)] = dict(zip(columns, values))
    if head:
        yield head, rows


def dwarf_functions(lines):
    """Yield (start, end, rows); a row is (address, {column: value}).

    readelf does not repeat the row of the CIE for an FDE that begins with it.
    """
    cies = {}
    for head, rows in dwarf_entries(lines):
        offset, _, _, kind = head.split()[:4]
        if kind == "CIE":
            cies[offset] = list(rows.values())
            continue
        cie, start, end = re.search(
            r"cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)", head).groups()
        if int(start, 16) not in rows and cies[cie]:
            rows[int(start, 16)] = cies[cie][0]
        yield int(start, 16), int(end, 16), sorted(rows.items(),
                                                   key=lambda row: row[0])


def sframe_functions(lines):
    """Yield (start, repeated, rows); a row is (address, values)."""
    function = None
    for line in lines:
        head = re.search(r"pc = 0x([0-9a-f]+), size = \d+ bytes", line)
        if head:
            if function:
                yield function
            function = [int(head[1], 16), False, []]
        elif function and "rep block size" in line:
            function[1] = True
        row = re.match(r"\s+([0-9a-f]{16})\s+(\S.*)", line)
        if row and function:
            function[2].append((int(row[1], 16), row[2].split()))
    if function:
        yield function


def dwarf_name(value):
    """VALUE of an SFrame row, with the register names of DWARF."""
    value = re.sub(r"^r(\d+)(?=[+-])",
                   lambda m: (NAMES[int(m[1])] if int(m[1]) < len(NAMES)
                              else LETTER + m[1]), value)
    return re.sub(r"^sp(?=[+-])", SP, re.sub(r"^fp(?=[+-])", FP, value))


def differences(dwarf, sframe, before):
    """Yield the columns in which the two rows do not say the same.

    FP may be told to be where one of the rows BEFORE has it saved: it still
    is there after it was restored.
    """
    if sframe[0] == "RA":
        if dwarf.get("ra") != "u":
            yield "RA"
        return
    cfa, fp, ra = (sframe + ["?", "?"])[:3]
    # Signed, which .eh_frame says as a rule for another column.
    ra = ra.removesuffix("[s]")
    if dwarf["CFA"] != "exp" and dwarf_name(cfa) != dwarf["CFA"]:
        yield "CFA"
    wanted = dwarf.get(FP, "u").replace("s", "u")
    if wanted not in ("exp", "vexp") and dwarf_name(fp) != wanted and not (
            wanted == "u" and any(row.get(FP) == fp for row in before)):
        yield "FP"
    wanted = dwarf.get("ra", RA)
    if wanted not in ("exp", "vexp") and not (
            ra == "f" and wanted == RA) and dwarf_name(ra) not in (
                wanted, wanted + "+0"):
        yield "RA"
    if dwarf.get(SP, "u") not in ("u", "s"):
        yield "SP"


def main():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
        dwarf = sorted(dwarf_functions(file))
    starts = [function[0] for function in dwarf]
    compared = set()
    count = 0
    with open(sys.argv[2], encoding="utf-8", errors="replace") as file:
        for start, repeated, rows in sframe_functions(file):
            i = bisect.bisect_right(starts, start) - 1
            if repeated or i < 0 or start >= dwarf[i][1]:
                continue
            for address, values in rows:
                at = [row for row in dwarf[i][2] if row[0] <= address]
                if not at:
                    continue
                count += 1
                compared.add(i)
                for column in differences(at[-1][1], values,
                                          [row[1] for row in at]):
                    print(f"{start:x} {address:x} {column}")
    print(f"{count} rows of {len(compared)} functions, not of "
          f"{len(dwarf) - len(compared)}")


main()
