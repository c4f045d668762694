"""Compare the two call chains that each sample of dwarf-too.c has.

SPDX-License-Identifier: LGPL-2.1-or-later

usage: perf script -F ip,sym | same-chains.py PROGRAM

A line: PROGRAM SAMPLES SAME SHORT DEEPER OTHER, and examples of OTHER.

The chain of the kernel comes first, then, again from the sample's PC on, what
perf has unwound from the copy of the stack.  There a caller's address is that
of the call, one less than the return address.
"""
import sys
from collections import Counter

# What both stop at, perf's limit.
DEPTH = 127


def samples(lines):
    """Each sample's lines as pairs: address, symbol."""
    sample = []
    for line in lines:
        words = line.split()
        if words:
            sample.append((int(words[0], 16), ' '.join(words[1:])))
        elif sample:
            yield sample
            sample = []
    if sample:
        yield sample


def split(sample):
    """The kernel's chain, and that of the copy."""
    for i in range(1, len(sample)):
        if sample[i][0] == sample[0][0]:
            return sample[:i], sample[i:]
    return sample, []


def same(kernel, copy):
    """Whether the frames of two chains are the same, one by one."""
    return all(a[0] - b[0] in (0, 1) for a, b in zip(kernel, copy))


def judge(kernel, copy):
    """What a comparison of the two chains comes to."""
    if same(kernel, copy):
        if len(kernel) == len(copy) or min(len(kernel), len(copy)) >= DEPTH - 1:
            return 'same'
        return 'short' if len(kernel) < len(copy) else 'deeper'
    return 'other'


def main():
    """Count, and tell."""
    count = Counter()
    examples = Counter()
    for sample in samples(sys.stdin):
        kernel, copy = split(sample)
        kind = judge(kernel, copy)
        count[kind] += 1
        if kind != 'same':
            n = 0
            while n < min(len(kernel), len(copy)) and same(
                    kernel[n:n + 1], copy[n:n + 1]):
                n += 1
            examples[kind, len(kernel) > n, len(copy) > n,
                     ' < '.join(s[1] or '%x' % s[0]
                                for s in kernel[max(n - 2, 0):n]),
                     'kernel: ' + ' < '.join(s[1] or '%x' % s[0] for s in kernel[n:n + 2]),
                     'copy: ' + ' < '.join(s[1] or '%x' % s[0] for s in copy[n:n + 2])] += 1
    print(sys.argv[1], sum(count.values()), count['same'], count['short'],
          count['deeper'], count['other'])
    for example, number in examples.most_common(12):
        print(' ', number, *example)


main()
