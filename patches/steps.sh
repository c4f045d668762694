# Source this after tree.sh in make-patches: what each step of a series adds.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# A step is a patch of the series, with the files that its header names:
#
#   Overlay: FILE...   files of the overlay that this step adds; in a name, `*'
#                      stands for any characters, also `/'
#   Removes: FILE...   upstream files that this step removes
#
# An optional patch, in optional/, names what check-series compiles with it:
#
#   Objects: FILE.o...
#
# Each file of the overlay is added by exactly one step.  What a later step
# PATCH changes in it is in overlay/PATCH: the step that adds the file has the
# form without these changes, and the last one has the overlay's.  A file
# Makefile.sframe follows by itself: in each step it has the tests that are
# there.
#
# Lines "# Set: NAME" in `series' begin a set of patches that is sent as one
# thread; cover/NAME has its subject and its text.

# Print a line "PATCH FILE" for each file that a step adds.
list_claims ()
{
  overlay_files >"$work/overlay"
  series_names | while read -r name; do
    header_field Overlay "$name" | sed "s|^|$name |"
  done | awk '
    NR == FNR { overlay[++count] = $0; next }
    {
      found = 0
      pattern = $2
      gsub(/[].[^$\\+?(){}|]/, "\\\\&", pattern)
      gsub(/\*/, ".*", pattern)
      for (i = 1; i <= count; i++)
        if (overlay[i] ~ "^" pattern "$") {
          print $1, overlay[i]
          found = 1
        }
      if (!found) {
        print "Overlay: no such file: " $2 ", in " $1 >"/dev/stderr"
        status = 1
      }
    }
    END { exit status }' "$work/overlay" -
}

# Print each line of standard input after two blanks.
indented ()
{
  sed 's/^/  /'
}

# Write the claims to $work/claims, and check that no file is missing or claimed
# twice.  Write the forms in which the files are added to $work/forms.
read_claims ()
{
  list_claims >"$work/claims" \
    || die "correct these lines in patches/$base-$version"
  removed_files >"$work/removed"
  similar_files >"$work/similar"
  cut -d ' ' -f 2- "$work/claims" | sort >"$work/claimed"
  left=$(comm -23 "$work/overlay" "$work/claimed" | indented)
  test -z "$left" || die "no step of patches/$base-$version adds
$left
Add a line \`Overlay: FILE...' to the header of the patch that these belong to."
  twice=$(uniq -d "$work/claimed" | indented)
  test -z "$twice" || die "more than one step of patches/$base-$version adds
$twice"
  check_changes
  write_forms
}

# The number of the patch NAME in the series.
number_of ()
{
  series_names | grep -nxF -- "$1" | cut -d : -f 1
}

# Print the names of the patches in overlay/.
change_names ()
{
  test ! -d "$patches/overlay" || (cd "$patches/overlay" && ls ./*.patch) \
    | sed 's|^\./||'
}

# Check that each change in overlay/ is to a file that an earlier step adds.
check_changes ()
{
  change_names | while read -r name; do
    to=$(number_of "$name")
    test -n "$to" || die "patches/$base-$version/overlay/$name: no patch of the" \
                         "series has this name"
    files_of "overlay/$name" | while read -r path; do
      from=$(number_of "$(sed -n "s|^\([^ ]*\) $path\$|\1|p" "$work/claims")")
      test "${from:-$to}" -lt "$to" \
        || die "patches/$base-$version/overlay/$name: no earlier step adds $path"
    done || exit
  done || exit
}

# Apply overlay/$1 to the files in $work/forms; with -R as $2, take it back.
change_forms ()
{
  patch -d "$work/forms" -p1 -s -f --fuzz=0 --no-backup-if-mismatch -r - \
    ${2:+"$2"} <"$patches/overlay/$1" \
    || die "patches/$base-$version/overlay/$1 does not match ${overlay#"$top"/}/:" \
           "patches/refresh-forms $base writes it again"
}

# Take from the files in $work/forms what the steps after the one that adds them
# change.
write_forms ()
{
  mkdir -p "$work/forms"
  tar -c -f - -C "$overlay" -T "$work/overlay" | tar -x -f - -C "$work/forms"
  series_names | tac | while read -r name; do
    test ! -f "$patches/overlay/$name" || change_forms "$name" -R || exit
  done || exit
}

# Print what $overlay/Makefile.sframe, named $1, is in the tree $2: without the
# tests whose sources the tree does not have yet.
fit_makefile ()
{
  directory=$(dirname "$1")
  grep "^$directory/tst-[^/]*\.c\$" "$work/overlay" | while read -r path; do
    test -f "$2/$path" || basename "$path" .c
  done >"$work/absent"
  awk -f "$top/patches/fit-makefile.awk" "$work/absent" "$overlay/$1"
}

# Give the files on standard input, in the tree $1 of glibc, glibc's copyright line
# and licence notice in place of the SPDX line.
add_notices ()
{
  upstream=$stock/debug/backtrace.c
  test "$base" = glibc && test -f "$upstream" || return 0
  while read -r path; do
    awk -f "$top/patches/notice.awk" "$upstream" "$1/$path" >"$work/noticed"
    cp "$work/noticed" "$1/$path"
  done
}

# Add to the tree $2 the files that the step $1 adds or changes; the patch is
# applied afterwards.
add_files ()
{
  header_field Removes "$1" | while read -r path; do
    rm "$2/$path"
  done
  sed -n "s|^$1 ||p" "$work/claims" >"$work/added"
  if test -f "$patches/overlay/$1"; then
    change_forms "$1"
    files_of "overlay/$1" >>"$work/added"
  fi
  tar -c -f - -C "$work/forms" -T "$work/added" | tar -x -f - -C "$2"
  add_notices "$2" <"$work/added"
  grep '\(^\|/\)Makefile\.sframe$' "$work/overlay" | while read -r path; do
    test -f "$2/$path" || continue
    fit_makefile "$path" "$2" >"$work/fitted"
    cp "$work/fitted" "$2/$path"
    echo "$path" | add_notices "$2"
  done
}

# Print the upstream files that stay and have the name of a file of ours, such as
# asm/unwind_user.h.
similar_files ()
{
  (cd "$stock" && find . -type f) | sed 's|^\./||' | awk -F / '
    NR == FNR { ours[$NF] = 1; next }
    $NF in ours' "$work/overlay" - | sort | comm -23 - "$work/removed" \
    | comm -23 - "$work/overlay"
}

# Check that the tree $2, that of step $1, refers to no file of ours that only a
# later step adds, nor to one that was removed.
check_closed ()
{
  sort "$work/overlay" "$work/removed" | while read -r path; do
    test -f "$2/$path" || echo "$path"
  done >"$work/absent"
  (cd "$2" && find . -name .git -prune -o -type f -print) | sed 's|^\./||' \
    >"$work/there"
  grep '\.[chS]$\|/Makefile[^/]*$' "$work/there" >"$work/sources" \
    || :
  cat "$work/similar" >>"$work/there"
  open=$(cd "$2" \
         && xargs -r -d '\n' awk -f "$top/patches/check-closed.awk" \
              "$work/absent" "$work/there" <"$work/sources")
  test -z "$open" || die "patches/$base-$version/$1: a later step adds what this \
one needs:
$open"
}

# The text above the diff in a patch, but for the lines that are for us, is its
# commit message.
message ()
{
  sed '/^diff \|^--- \|^Index: /,$d
       /^SPDX-License-Identifier: /d; /^\(Overlay\|Removes\|Objects\): /d' "$patches/$1" \
    >"$work/message"
  grep -q . "$work/message" || echo "$1" >"$work/message"
  cat "$work/message"
}

# Print lines "SET PATCH"; the set is `all' without a line `# Set:' before.
list_sets ()
{
  awk '/^# Set: / { set = $3; next }
       { sub(/#.*/, ""); sub(/[ \t].*/, "") }
       /./ { print (set == "" ? "all" : set), $0 }' "$patches/series"
}
