# Clear what a table for AArch64 says of signed return addresses, and check the table.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: unsign.py SFRAME-ADD FILE
#
# FILE has a table of sframe-add.  Once its first signed row becomes unsigned, once
# the key of that function becomes key A; the first two lines that "sframe-add
# --check" prints on standard output are those of "row:" and "key:".

import struct
import subprocess
import sys

PT_GNU_SFRAME = 0x6474e554
HEADER, FDE, ATTRIBUTE = 28, 16, 5
KEY_IS_B, IS_SIGNED = 0x20, 0x80


def find_table(image):
    at, = struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 54)
    for i in range(count):
        kind, = struct.unpack_from("<I", image, at + i * size)
        offset, = struct.unpack_from("<Q", image, at + i * size + 8)
        if kind == PT_GNU_SFRAME:
            return offset
    sys.exit("no table")


# Where the attribute and the information byte of the first row of key B are.
def find_signed(image):
    table = find_table(image)
    fdes, = struct.unpack_from("<I", image, table + 8)
    index, rows = struct.unpack_from("<II", image, table + 20)
    for i in range(fdes):
        offset, = struct.unpack_from(
            "<I", image, table + HEADER + index + i * FDE + 12)
        attribute = table + HEADER + rows + offset
        count, info = struct.unpack_from("<HB", image, attribute)
        at = attribute + ATTRIBUTE
        for _ in range(count if info & KEY_IS_B else 0):
            at += 1 << (info & 0xf)
            if image[at] & IS_SIGNED:
                return attribute + 2, at
            at += 1 + ((image[at] >> 1 & 0xf) << (image[at] >> 5 & 3))
    sys.exit("no signed row")


def check(what, image, at, bit):
    changed = bytearray(image)
    changed[at] &= ~bit
    with open(sys.argv[2] + "-changed", "wb") as file:
        file.write(changed)
    done = subprocess.run([sys.argv[1], "--check", sys.argv[2] + "-changed"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True)
    print(f"{what}:", done.stdout.partition("\n")[0])


with open(sys.argv[2], "rb") as file:
    whole = file.read()
key, row = find_signed(whole)
check("row", whole, row, IS_SIGNED)
check("key", whole, key, KEY_IS_B)
