# Write ELF files that no linker makes.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: crafted.py KIND FILE
#
# Files that take for ever if work is not linear in their size:
#
#   augmentation   an endless augmentation string, in the CIE of many FDEs
#   factor         a code factor of endless length, likewise
#   expression     a long CFA expression that holds for many rows
#   code           a function of 4 GiB that has no bytes in the file but its first ones
#   names          many sections, whose names have no end but that of the file
#   segments       many segments with the same bytes of the file
#   pairs          .eh_frame_hdr lists 4 million FDEs that cannot be read, in two
#                  bytes each
#
# With a table, for --check:
#
#   block          a repeated block of two bytes with 65,535 rows, all but one for
#                  its first byte
#   functions      one FDE of 65,535 rows for many functions
#   shared         many FDEs that have the same 65,535 rows
#   overlap        two FDEs; the second one, of 10 bytes, begins in the first
#   empty          an FDE, and 16 FDEs without size at the same address after it
#   empty-many     the same with 17
#   register       a rule that needs register 0x10007, whose low 16 bits are RSP
#   outermost      an FDE without rows, of a function whose RA is undefined
#   outermost-left-out   the same where .eh_frame has a CFA that SFrame lacks
#   no-rows        the same, of a function that has a caller
#   no-rows-block  an FDE of repeated blocks without rows
#
#   headers        1,171 program headers, one more than Linux accepts
#   section-0      the number of program headers is in the first section header
#   same-start     three FDEs; the second begins where the first does, and is shorter;
#                  the third, shorter still, begins in what only the first has
#   version        a CIE of a version that does not exist

import struct
import sys

COUNT = 1000000
ROWS = 65535
BASE = 0x1000                   # Where the tables are loaded, and in the file.
CODE = 0x10000000
NO_ROWS = ("outermost", "outermost-left-out", "no-rows", "no-rows-block")


def leb128(number):
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def record(data):
    data += bytes(-(len(data) + 4) % 8)
    return struct.pack("<I", len(data)) + data


def cie(augmentation=b"zR\0", code_factor=b"\1", version=1):
    rest = b"\x78\x10\1\x04" if augmentation else b""
    # CFA is RSP + 8, the return address is at CFA - 8.
    rules = b"\x0c\x07\x08\x90\x01"
    return record(struct.pack("<IB", 0, version) + augmentation + code_factor
                  + rest + rules)


def fde(at, size, program, start=CODE):
    return record(struct.pack("<IQQ", at + 4, start, size) + b"\0" + program)


# An SFrame table at ADDRESS: each of the functions, START and SIZE, has the same
# rows, CFA = RSP + 8.
def many_rows(last_row, block):
    return struct.pack("<HBBB", ROWS, 0x10 if block else 0, 0, block) \
        + b"\0\3\x08" * (ROWS - 1) + bytes([last_row]) + b"\3\x08"


# The attribute and the row of a flexible FDE: CFA = register NUMBER + 8.
def register_row(number):
    return struct.pack("<HBBB", 1, 0, 1, 0) \
        + struct.pack("<BBIi", 0, 0x44, number << 3 | 1, 8)


# An FDE without rows, the outermost frame unless BLOCK is not 0.
def no_rows(block):
    return struct.pack("<HBBB", 0, 0x10 if block else 0, 0, block)


def sframe(address, functions, rows, count):
    header = struct.calcsize("<HBBBbbBIIIII")
    index = bytearray()
    for start, size in functions:
        field = address + header + len(index)
        index += struct.pack("<qII", start - field, size, 0)
    return struct.pack("<HBBBbbBIIIII", 0xdee2, 3, 5, 3, 0, -8, 0,
                       len(functions), count, len(rows), 0, len(index)) \
        + index + rows


# .eh_frame_hdr at ADDRESS, as linkers write it.
def linked_header(address, fdes):
    table = bytes([1, 0x1b, 3, 0x3b])
    table += struct.pack("<iI", BASE - (address + 4), len(fdes))
    return table + b"".join(struct.pack("<ii", start - address,
                                        BASE + at - address)
                            for start, at in fdes)


# .eh_frame_hdr with absolute addresses.
def absolute_header(fdes):
    table = bytes([1, 4, 4, 4]) + struct.pack("<QQ", BASE, len(fdes))
    return table + b"".join(struct.pack("<QQ", start, BASE + at)
                            for start, at in fdes)


def elf(frames, fdes, make_table=None, size=0, more=0, code=CODE,
        memory=1 << 33, linked=False, table=b""):
    header_at = BASE + len(frames)
    if not table:
        table = (linked_header(header_at, fdes) if linked
                 else absolute_header(fdes))
    end = header_at + len(table)
    sframe_at, ours = end, b""
    if make_table:
        ours = make_table(sframe_at)
        end += len(ours) + size
    segments = [(1, 4, 0, 0, 0, end, end, BASE),
                (1, 5, 0, code, code, end, max(memory, end), BASE),
                (0x6474e550, 4, header_at, header_at, header_at, len(table),
                 len(table), 4)]
    if make_table:
        segments.append((0x6474e554, 4, sframe_at, sframe_at, sframe_at,
                         len(ours), len(ours), 4))
    # PT_NULL
    segments += [(0,) * 8] * more
    out = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    out += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56,
                       len(segments), 64, 0, 0)
    for segment in segments:
        out += struct.pack("<IIQQQQQQ", *segment)
    return (out.ljust(BASE, b"\0") + frames + table + ours).ljust(end, b"\0")


# FILE, whose program headers from number FIRST on become copies of number 1, with
# other addresses.
def copy_segments(file, first):
    count, = struct.unpack_from("<H", file, 56)
    file = bytearray(file)
    for i in range(first, count):
        at = 64 + 56 * i
        file[at:at + 56] = file[64 + 56:64 + 2 * 56]
        struct.pack_into("<QQ", file, at + 16, 4 * BASE * i, 4 * BASE * i)
    return bytes(file)


# FILE with a section header that has the number of program headers.
def count_in_section(file):
    count, = struct.unpack_from("<H", file, 56)
    file += bytes(-len(file) % 8)
    header = bytearray(64)
    struct.pack_into("<I", header, 44, count)
    out = bytearray(file + header)
    struct.pack_into("<Q", out, 40, len(file))
    struct.pack_into("<H", out, 56, 0xffff)
    struct.pack_into("<H", out, 60, 1)
    return bytes(out)


# A segment with code, and sections whose names end nowhere.
def names():
    count, size = 65000, 32 << 20
    sections_at = BASE + size
    out = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    out += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, sections_at, 0, 64, 56,
                       1, 64, count + 2, 1)
    out += struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, BASE, BASE, BASE)
    header = struct.Struct("<IIQQQQIIQQ")
    return (out.ljust(BASE, b"\0") + b"\0" + b"x" * (size - 1) + bytes(64)
            + header.pack(0, 3, 0, 0, BASE, size, 0, 0, 1, 0)
            + header.pack(1, 1, 2, 0, 0, 16, 0, 0, 1, 0) * count)


# CFA = RSP + 16, 32 and 48.
def same_start():
    code = 4 * BASE
    frames = bytearray(cie())
    fdes = []
    for start, size, offset in ((0, 64, 16), (0, 16, 32), (32, 8, 48)):
        fdes.append((code + start, len(frames)))
        frames += fde(len(frames), size, bytes([0x0e, offset]), code + start)
    return elf(bytes(frames), fdes, code=code, memory=0, linked=True)


# Starts and addresses of FDEs are ULEB128, and all 0.
def pairs():
    return elf(b"", [], table=bytes([1, 4, 4, 1])
               + struct.pack("<QQ", BASE, 1 << 40) + bytes(8 << 20))


# A file with a table of the given KIND.
def make_checked(kind):
    functions = [(CODE + 16 * i, 16) for i in range(COUNT // 16)]
    if kind == "block":
        functions = [(CODE, 8 * COUNT)]
    elif kind not in ("functions", "shared"):
        functions = [(CODE, 100)]
    frames = bytearray(cie())
    fdes = []
    # RA undefined; CFA undefined by an expression that reads the CFA's memory.
    program = {"outermost": b"\x07\x10",
               "outermost-left-out": b"\x0f\x03\x77\x08\x1f"}.get(kind, b"")
    for start, size in functions:
        fdes.append((start, len(frames)))
        frames += fde(len(frames), size, program, start)
    if kind == "functions":
        functions = [(CODE, 16 * len(functions))]
    elif kind == "overlap":
        functions = [(CODE, 100), (CODE + 50, 10)]
    elif kind in ("empty", "empty-many"):
        functions += [(CODE, 0)] * (16 if kind == "empty" else 17)
    block = 2 if kind == "block" else 0
    rows, count = many_rows(block // 2, block), ROWS
    if kind == "register":
        rows, count = register_row(0x10007), 1
    elif kind in NO_ROWS:
        rows, count = no_rows(16 if kind == "no-rows-block" else 0), 0
    return elf(frames, fdes, lambda at: sframe(at, functions, rows, count),
               8 * COUNT if block else 0)


def make(kind):
    if kind in ("block", "functions", "shared", "overlap", "empty",
                "empty-many", "register") + NO_ROWS:
        return make_checked(kind)
    if kind == "names":
        return names()
    if kind == "pairs":
        return pairs()
    if kind == "same-start":
        return same_start()
    count, size, program = COUNT // 16, 16, b""
    code, memory, more = CODE, 1 << 33, 0
    if kind == "augmentation":
        start = cie(b"A" * COUNT, b"")
    elif kind == "factor":
        start = cie(b"\0", b"\x80" * COUNT)
    elif kind == "version":
        start = cie(version=9)
        count = 1
    else:
        start = cie()
        count = 1
    if kind == "expression":
        # RSP and many times 0 more, for rows of one byte.
        expression = b"\x77\0" + b"\x23\0" * COUNT
        size = COUNT + 16
        program = (b"\x0f" + leb128(len(expression)) + expression
                   + b"\x41" * COUNT)
    elif kind == "code":
        size = 0xffffffff
    elif kind == "headers":
        more = 1171 - 3
    elif kind in ("segments", "section-0"):
        count, code, memory, more = 1, 4 * BASE, 0, 40
    file = elf(start + fde(len(start), size, program, code),
               [(code, len(start))] * count, more=more, code=code,
               memory=memory)
    if kind == "segments":
        return copy_segments(file, 3)
    return count_in_section(file) if kind == "section-0" else file


with open(sys.argv[2], "wb") as file:
    file.write(make(sys.argv[1]))
