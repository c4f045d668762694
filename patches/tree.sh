# Source this in apply-overlay, refresh, make-patches and check-series: which files of a tree are ours.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The tree is glibc's, or Linux's if the first argument of the script is linux.
# build/src has three versions of it:
#   glibc-stock   as unpacked; never written to
#   glibc.series  only our files: those of the overlay, and the upstream files
#                 that the series changes, with the series applied by quilt
#   glibc         the tree that is built, and that developers edit
# build/stamp/overlay.files lists our files, and the checksum that each had when
# it was written to `glibc'.  A file there with another checksum was edited.

base=${1:-glibc}
stock=$build/src/$base-stock
tree=$build/src/$base
series_tree=$build/src/$base.series

# The directory of the overlay, and its subdirectories that belong to it.
case $base in
  glibc)
    overlay=$top/glibc overlay_dirs="debug elf include math stdlib sysdeps"
    overlay_stamp=$stamps/overlay ;;
  linux)
    overlay=$top/linux overlay_dirs=$(ls "$overlay")
    overlay_stamp=$stamps/overlay-linux ;;
  *)
    die "there is no tree $base; use glibc or linux" ;;
esac
manifest=$overlay_stamp.files

version=$(cat "$stock.version")
patches=$top/patches/$base-$version

# quilt without the settings of the person who runs it.
quilt_in ()
{
  (cd "$1" && shift \
   && QUILT_PATCHES=$patches QUILT_PC=.pc QUILT_DIFF_OPTS=-p \
      QUILT_PATCH_OPTS='' quilt --quiltrc - "$@")
}

# The overlay's files, relative to it, without backup files of editors.
overlay_files ()
{
  for dir in $overlay_dirs; do
    test -d "$overlay/$dir" || continue
    (cd "$overlay" && find "$dir" -type f ! -name '.*' ! -name '*~' ! -name '#*' \
       ! -name '*.orig' ! -name '*.rej' ! -name '*.pyc')
  done | sort
}

series_names ()
{
  test -f "$patches/series" || return 0
  sed 's/#.*//; s/[ \t].*//; /^$/d' "$patches/series"
}

# The files that the patch $1 changes, adds or deletes.
files_of ()
{
  sed -n 's,^\(+++\|---\) [ab]/\([^\t]*\).*,\2,p' "$patches/$1" | sort -u
}

# Upstream files that the series changes, adds or deletes.
patched_files ()
{
  series_names | while read -r name; do
    files_of "$name"
  done | sort -u
}

# The optional patches, which apply-overlay does not apply.
optional_names ()
{
  test ! -d "$patches/optional" || (cd "$patches" && ls optional/*.patch)
}

# The files that they change, add or delete.
optional_files ()
{
  optional_names | while read -r name; do
    files_of "$name"
  done | sort -u
}

# Print the words of the lines "NAME: WORD..." in the header of a patch, one a
# line.
header_field ()
{
  sed -n "/^--- /q; s/^$1: //p" "$patches/$2" | tr -s ' \t' '\n' | sed '/^$/d'
}

# Upstream files that the steps of the series remove.
removed_files ()
{
  series_names | while read -r name; do
    header_field Removes "$name"
  done | sort -u
}

# All files that are ours.
our_files ()
{
  { overlay_files; patched_files; removed_files; } | sort -u
}

# Print "SUM PATH" for each PATH on standard input, relative to the directory
# DIR; the sum of a file that does not exist is a dash.
sums ()
{
  (cd "$1" && {
     while read -r path; do
       if test -f "$path"; then echo "$path"; else echo "- $path" >&3; fi
     done | xargs -r -d '\n' sha256sum -- | sed 's/  */ /'
   } 3>&1)
}

# Put glibc.series together in DIR: overlay files and stock files to be
# patched are copied, then the series is pushed without fuzz.
assemble ()
{
  rm -rf "$1"
  mkdir -p "$1"
  patched_files | while read -r path; do
    test -f "$stock/$path" || continue
    mkdir -p "$1/$(dirname "$path")"
    cp "$stock/$path" "$1/$path"
  done
  removed_files | while read -r path; do
    test -f "$stock/$path" \
      || die "patches/$base-$version: Removes: no such file: $path"
    rm -f "$1/$path"
  done
  overlay_files | tar -c -f - -C "$overlay" -T - | tar -x -f - -C "$1"
  test -n "$(series_names)" || return 0
  mkdir -p "$build/log"
  quilt_in "$1" push -a -q --fuzz=0 >"$build/log/series-$base.log" 2>&1 \
    || { tail -n 20 "$build/log/series-$base.log" >&2
         die "patches/$base-$version does not apply; see" \
             "build/log/series-$base.log"; }
}
