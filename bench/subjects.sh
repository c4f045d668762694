# Shared by the scripts of bench (to be sourced): the subjects, the system that each runs in, and where results go.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# sframe          backtrace() of the libc built here
# eh_frame        the same of a program without .sframe
# fallback        the libc built here without SFrame: libgcc
# stock           Debian's libc: libgcc
# libunwind       unw_backtrace(), which caches rules, too
# fp-loop         a loop over frame pointers that checks nothing: a lower bound
#
# environment: ROUNDS (default: 20): rounds of bench/times
#              SMALL=DIRECTORY: for tests: measure little, write to DIRECTORY
. "$(dirname -- "$0")/../build-aux/common.sh"

subjects="sframe eh_frame fallback stock libunwind fp-loop"
out=$build/bench results=$top/bench/results.tsv plots=$top/bench/plots
rounds=${ROUNDS:-20} objects=500 functions=100000
small=${SMALL:-}
if test -n "$small"; then
  out=$small results=$small/results.tsv plots=$small/plots
  rounds=1 objects=51 functions=16000
fi
tab=$(printf '\t')

# as SUBJECT COMMAND...: run COMMAND in the system of SUBJECT.
as ()
{
  subject=$1
  shift
  case $subject in
    stock | libunwind) "$top/tools/sframe-run" --libc=stock "$@" ;;
    fallback) GLIBC_TUNABLES=glibc.rtld.sframe=0 "$top/tools/sframe-run" "$@" ;;
    *) "$top/tools/sframe-run" "$@" ;;
  esac
}
