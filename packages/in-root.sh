# Shared by build-libc, build-linux and install (to be sourced): run commands in the tree that Debian's packages are built in.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# A copy of sframe-run shows that tree to programs, build/package/build/root.
# build/package is /sframe there, and each package is built in its work/NAME.

place=$build/package
work=$place/work
out=$build/packages

# DEB_BUILD_PROFILES of glibc: no 32-bit libraries, no tests, no installer.
# FAKEROOTDONTTRYCHOWN: in a user's namespace, which has one user only, chown
# fails with EINVAL, and fakeroot ignores EPERM only.
in_package_root ()
{
  mkdir -p "$place/tools" "$work" "$out"
  cp "$top/tools/sframe-run" "$place/tools/"
  make_cache
  mkdir -p "$cache/ccache"
  env -i HOME=/nonexistent LC_ALL=C.UTF-8 CCACHE_DIR="$cache/ccache" \
    FAKEROOTDONTTRYCHOWN=1 \
    PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin \
    DEB_BUILD_PROFILES='nobiarch nocheck noudeb' \
    DEB_BUILD_OPTIONS="nocheck parallel=$jobs" \
    "$place/tools/sframe-run" --libc=stock --bind="$cache" "$@"
}

# The end of a package's version: it follows the upstream or Debian version.
package_suffix ()
{
  echo "+sframe$(version)"
}

# The time of the files in the packages: the date of the newest entry in
# ChangeLog.
package_epoch ()
{
  date -u -d "$(sed 's/ .*//; q' "$top/ChangeLog")" +%s
}

# A build takes an hour if nothing is cached.  So each leaves a list of its
# packages, which is as old as the beginning of the build.

# What the packages depend on beside files.
package_key ()
{
  echo "$(package_suffix) $(package_epoch)"
}

# made NAME FILE...: whether the packages of NAME are newer than all FILEs, which
# may be directories.
made ()
{
  list=$place/made-$1
  shift
  test -f "$list" && test "$(head -n 1 "$list")" = "$(package_key)" \
    && test -z "$(find "$@" -newer "$list" -print -quit)" || return 1
  sed 1d "$list" | while read -r name; do
    test -f "$out/$name" || exit 1
  done
}

# begin NAME and finish NAME: around the build of the packages of NAME.
begin ()
{
  mkdir -p "$place"
  rm -f "$place/made-$1"
  package_key >"$place/making-$1"
  touch "$place/began-$1"
  making=$1
}

finish ()
{
  touch -r "$place/began-$1" "$place/making-$1"
  mv "$place/making-$1" "$place/made-$1"
}

# hand_out PATTERN: move the packages that match PATTERN from the work directory
# to build/packages, in place of older ones.
hand_out ()
{
  for package in "$work"/$1; do
    test -f "$package" || die "the build has made no package $1; its output is above"
    name=${package##*/}
    # The name of a kernel's package has the version.
    case $name in
      linux-image-*) rm -f "$out"/linux-image-*.deb ;;
      *) rm -f "$out/${name%%_*}"_*.deb ;;
    esac
    mv "$package" "$out"
    echo "$name" >>"$place/making-$making"
    echo "${out#"$top/"}/$name"
  done
}
