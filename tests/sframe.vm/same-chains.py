#!/usr/bin/python3
"""Profile a command and compare, for each sample, the kernel's call chain with what perf unwinds by DWARF.

SPDX-License-Identifier: LGPL-2.1-or-later

usage: same-chains.py COMMAND..., with ./dwarf-too.so

It says: PROGRAM SAMPLES SAME SHORTER LONGER OTHER, and examples of what is not the same.  The kernel's chain is SHORTER
or LONGER than that by DWARF, or has OTHER frames.

perf script prints the kernel's chain first and then, again from the sample's PC on, what it has unwound from a copy of
the stack.  There the address of a caller is that of its call, one less than the return address.
"""

import os
import subprocess
import sys
from collections import Counter

# Where perf ends both of them.
DEPTH = 127


def profile(command):
    """Profile COMMAND and return what perf script says."""
    record = ['perf', 'record', '-q', '-m', '16M', '-F', '500', '-e', 'cpu-clock:u',
              '--call-graph', 'dwarf,65528', '-o', '/tmp/data'] + command
    with open('output', 'w', encoding='utf-8') as output:
        subprocess.run(record, check=True, stdout=output, stderr=output,
                       env=dict(os.environ, LD_PRELOAD=os.path.abspath('dwarf-too.so')))
    script = ['perf', 'script', '--no-inline', '-i', '/tmp/data', '-F', 'ip,sym,symoff,dso,dsoff']
    return subprocess.run(script, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, encoding='utf-8').stdout


def samples(text):
    """Each sample: pairs of address and symbol."""
    for block in text.split('\n\n'):
        lines = [line.split(None, 1) for line in block.splitlines() if line.strip()]
        if lines:
            yield [(int(line[0], 16), line[1] if len(line) > 1 else '?') for line in lines]


def split(sample):
    """The kernel's chain, and that by DWARF.

    The PC may be a return address of the kernel's chain, too, but not the
    address of a call.
    """
    start = max(i for i, frame in enumerate(sample) if frame[0] == sample[0][0])
    return (sample[:start], sample[start:]) if start > 0 else (sample, [])


def judge(kernel, dwarf):
    """How the chains compare, and up to which frame they are the same."""
    same = 0
    for ours, theirs in zip(kernel, dwarf):
        if ours[0] - theirs[0] not in (0, 1):
            return 'other', same
        same += 1
    if len(kernel) == len(dwarf) or same >= DEPTH - 1:
        return 'same', same
    return ('shorter' if len(kernel) < len(dwarf) else 'longer'), same


def names(chain, same):
    """The frames of CHAIN around the first that differs."""
    return ' < '.join(symbol for _, symbol in chain[max(same - 2, 0):same + 3])


def main():
    """Profile, compare, tell."""
    kinds = Counter()
    examples = Counter()
    for sample in samples(profile(sys.argv[1:])):
        kernel, dwarf = split(sample)
        kind, same = judge(kernel, dwarf)
        kinds[kind] += 1
        if kind != 'same':
            examples[kind, names(kernel, same), names(dwarf, same)] += 1
    print(sys.argv[1], sum(kinds.values()),
          *(kinds[kind] for kind in ('same', 'shorter', 'longer', 'other')))
    for (kind, kernel, dwarf), count in examples.most_common(8):
        print(f'  {count} {kind}: kernel {kernel}; DWARF {dwarf}')


main()
