# Shared by build-glibc and check-glibc (to be sourced): run commands of a glibc tree in the build root.
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
# Scripts of glibc's would otherwise leave bytecode among the sources, which
# then look changed.
CCACHE_DIR=$cache/ccache CCACHE_NOHASHDIR=1 PYTHONDONTWRITEBYTECODE=1
export CCACHE_DIR CCACHE_NOHASHDIR PYTHONDONTWRITEBYTECODE

# Run a command for the tree NAME.
in_tree ()
{
  tree_name=$1
  shift
  # The mounts need something to stand on.
  mkdir -p "$build/src/glibc" "$build/$arch/glibc"
  "$top/tools/sframe-run" --libc=stock --bind="$cache" \
    --bind="$build/src/$tree_name:$inside/build/src/glibc" \
    --bind="$build/$arch/$tree_name:$inside/build/$arch/glibc" "$@"
}

# Run glibc's make for the tree NAME.  The jobserver of our caller is out of
# reach in the build root.
make_in_tree ()
{
  (tree_of_make=$1
   shift
   unset MAKEFLAGS MFLAGS MAKELEVEL
   in_tree "$tree_of_make" make -C "$inside/build/$arch/glibc" "$@")
}
