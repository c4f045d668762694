# Shared by what builds a glibc or Linux tree (to be sourced): run its commands in the build root.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# In the build root every clone stands at the same place, and each tree in the
# place of the patched one.  So ccache finds what another clone or tree
# compiled, and the trees that check-glibc compares differ in no path.

if test "$(realpath "$build/root")" = /; then
  inside=$top
else
  inside=/sframe
fi
# Programs of the caller's home would be found there, too: configure and Kconfig
# look for whatever there is, and take it.
test "$inside" = "$top" || PATH=/usr/sbin:/usr/bin:/sbin:/bin
# Scripts of glibc's would otherwise leave bytecode among the sources, which
# then look changed.
CCACHE_DIR=$cache/ccache CCACHE_NOHASHDIR=1 PYTHONDONTWRITEBYTECODE=1
export CCACHE_DIR CCACHE_NOHASHDIR PYTHONDONTWRITEBYTECODE

# What glibc's rules put before a program for another machine.
test "$arch" = x86_64 && wrapper='' || wrapper=$inside/build-aux/emulate

# Which tree the build NAME is of: some are further builds of the patched one.
source_of ()
{
  case $1 in
    *-debug | *-race | *-maple | *-system) echo "${1%-*}" ;;
    *) echo "$1" ;;
  esac
}

# Run a command for the build NAME, which stands in the place of the patched
# tree's: NAME-stock is of the unpatched tree, NAME-debug, NAME-race,
# NAME-maple and NAME-system are other builds of the patched one, and
# NAME-stock-system is one of the unpatched.
in_tree ()
{
  tree_name=$1 place=${1%%-*}
  shift
  make_cache
  # The mounts need something to stand on.
  mkdir -p "$CCACHE_DIR" "$build/src/$place" "$build/$arch/$place"
  "$top/tools/sframe-run" --libc=stock --bind="$cache" \
    --bind="$build/src/$(source_of "$tree_name"):$inside/build/src/$place" \
    --bind="$build/$arch/$tree_name:$inside/build/$arch/$place" "$@"
}

# Run make for the tree NAME where it is built.  The jobserver of our caller
# is out of reach in the build root.
make_in_tree ()
{
  (tree_of_make=$1
   shift
   unset MAKEFLAGS MFLAGS MAKELEVEL
   in_tree "$tree_of_make" \
     make -C "$inside/build/$arch/${tree_of_make%%-*}" "$@")
}
