# Source this in scripts that build a glibc or Linux tree: run commands in the build root.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# In the build root each clone has the same path, and each tree has the path of
# the patched one.  So ccache finds what another clone or tree compiled, and the
# trees that check-glibc compares have the same paths.

if test "$(realpath "$build/root")" = /; then
  inside=$top
else
  inside=/sframe
fi
# Leave out the caller's own directories: configure and Kconfig use any program
# that they find.
test "$inside" = "$top" || PATH=/usr/sbin:/usr/bin:/sbin:/bin
# Otherwise Python scripts of glibc write bytecode into the source tree, which
# then looks edited.
CCACHE_DIR=$cache/ccache CCACHE_NOHASHDIR=1 PYTHONDONTWRITEBYTECODE=1
export CCACHE_DIR CCACHE_NOHASHDIR PYTHONDONTWRITEBYTECODE
# Have the compiler name the files that it includes, rather than run the
# preprocessor first: a file that is not in the cache takes a third less time.
CCACHE_DEPEND=1
export CCACHE_DEPEND

# The wrapper with which glibc's rules run a program for another machine.
test "$arch" = x86_64 && wrapper='' || wrapper=$inside/checks/emulate

# Print the source tree of the build NAME; some builds share the patched tree.
source_of ()
{
  case $1 in
    *-debug | *-race | *-maple | *-system) echo "${1%-*}" ;;
    *-with-* | *-without-*) echo "${1%-with*}" ;;
    *) echo "$1" ;;
  esac
}

# Run a command for the build NAME, which is mounted at the path of the patched
# build.  NAME-stock and NAME-stock-system are builds of the unpatched tree;
# NAME-debug, NAME-race, NAME-maple and NAME-system of the patched one; and
# NAME-with-OPTION and NAME-without-OPTION are builds of NAME.
in_tree ()
{
  tree_name=$1 place=${1%%-*}
  shift
  make_cache
  # Make the mount points.
  mkdir -p "$CCACHE_DIR" "$build/src/$place" "$build/$arch/$place"
  "$top/tools/sframe-run" --libc=stock --bind="$cache" \
    --bind="$build/src/$(source_of "$tree_name"):$inside/build/src/$place" \
    --bind="$build/$arch/$tree_name:$inside/build/$arch/$place" "$@"
}

# Run make for the build NAME.  The caller's jobserver cannot be reached from the
# build root.
make_in_tree ()
{
  (tree_of_make=$1
   shift
   unset MAKEFLAGS MFLAGS MAKELEVEL
   in_tree "$tree_of_make" \
     make -C "$inside/build/$arch/${tree_of_make%%-*}" "$@")
}
