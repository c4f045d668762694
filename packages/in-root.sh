# Shared by build-libc and build-linux (to be sourced): run commands in the tree that Debian's packages are built in.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# A copy of sframe-run shows that tree to programs, build/package/build/root.
# build/package is /sframe there, and each package is built in its work/NAME.

place=$build/package
work=$place/work
out=$build/packages

# DEB_BUILD_PROFILES of glibc: no 32-bit libraries, no tests, no installer.
in_package_root ()
{
  mkdir -p "$place/tools" "$work" "$out"
  cp "$top/tools/sframe-run" "$place/tools/"
  make_cache
  mkdir -p "$cache/ccache"
  env -i HOME=/nonexistent LC_ALL=C.UTF-8 CCACHE_DIR="$cache/ccache" \
    PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin \
    DEB_BUILD_PROFILES='nobiarch nocheck noudeb' \
    DEB_BUILD_OPTIONS="nocheck parallel=$jobs" \
    "$place/tools/sframe-run" --libc=stock --bind="$cache" "$@"
}

# The version of what is packaged, followed by ours.
package_suffix ()
{
  echo "+sframe$(version)"
}

# The time that files of the packages get: that of the newest change here.
package_epoch ()
{
  date -u -d "$(sed 's/ .*//; q' "$top/ChangeLog")" +%s
}

# hand_out PATTERN: move the packages of that name in the work folder out, in
# place of older ones.
hand_out ()
{
  for package in "$work"/$1; do
    test -f "$package" || die "no package $1 was made"
    name=${package##*/}
    rm -f "$out/${name%%_*}"_*.deb
    mv "$package" "$out"
    echo "${out#"$top/"}/$name"
  done
}
