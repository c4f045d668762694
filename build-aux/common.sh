# Shared by the scripts of build-aux (to be sourced): where things lie, and how to fail.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh

set -eu
# All of them, since ccache looks at each, whichever counts.
LC_ALL=C.UTF-8 LANG=C.UTF-8
export LC_ALL LANG
unset LC_CTYPE LC_MESSAGES LANGUAGE

me=$(basename -- "$0")
top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
build=$top/build
stamps=$build/stamp
cache=${SFRAME_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sframe}
jobs=${JOBS:-$(nproc)}

# The machine to build for, which may be another than this one.
arch=${SFRAME_ARCH:-x86_64}

die ()
{
  printf '%s: %s\n' "$me" "$*" >&2
  exit 1
}

# Print the URI of the Debian mirror: MIRROR, or what the host's apt uses for
# Debian's main archive.
mirror ()
{
  uri=${MIRROR:-}
  if test -z "$uri"; then
    uri=$(apt-get indextargets --format '$(REPO_URI)' \
            'Created-By: Packages' 'Label: Debian' 2>/dev/null | head -n 1)
  fi
  # Labels come from downloaded indices; before the first `apt-get update'
  # only the path tells.
  if test -z "$uri"; then
    uri=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null \
          | grep '/debian/*$' | head -n 1)
  fi
  test -n "$uri" || die "this host's apt names no Debian mirror; give one:" \
                        "make MIRROR=http://HOST/debian"
  printf '%s\n' "$uri"
}

# The key that signs Debian's archive; its file was renamed with trixie.
keyring ()
{
  for key in /usr/share/keyrings/debian-archive-keyring.gpg \
             /usr/share/keyrings/debian-archive-keyring.pgp; do
    if test -f "$key"; then
      printf '%s\n' "$key"
      return
    fi
  done
  die "no keyring of debian-archive-keyring in /usr/share/keyrings"
}
