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

# hand_out PATTERN: move the packages that match PATTERN from the work directory
# to build/packages, in place of older ones.
hand_out ()
{
  for package in "$work"/$1; do
    test -f "$package" || die "the build has made no package $1; its output is above"
    name=${package##*/}
    rm -f "$out/${name%%_*}"_*.deb
    mv "$package" "$out"
    echo "${out#"$top/"}/$name"
  done
}
