# Source this in all scripts: paths, settings, and die.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh

set -eu
# Set all of these: ccache's hash depends on each, even if another overrides it.
LC_ALL=C.UTF-8 LANG=C.UTF-8
export LC_ALL LANG
unset LC_CTYPE LC_MESSAGES LANGUAGE
# A user's PATH has no sbin on Debian, where chroot is.
PATH=$PATH:/usr/sbin:/sbin
export PATH
# Set by the caller for other commands: options of tar, the repository of a git
# hook.
unset TAR_OPTIONS GREP_OPTIONS POSIXLY_CORRECT
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
# And flags of compilers and search paths of interpreters.
unset CC CXX CPP CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LIBS ASFLAGS KCFLAGS
unset CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH LD_RUN_PATH
unset COMPILER_PATH GCC_EXEC_PREFIX LD_LIBRARY_PATH LD_PRELOAD
unset PERL5LIB PERL5OPT PYTHONPATH PYTHONHOME

me=$(basename -- "$0")
top=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
build=$top/build
stamps=$build/stamp

# Ignore relative paths in the two variables.  Without a home directory the cache
# is in the clone.
default_cache ()
{
  case ${XDG_CACHE_HOME:-}:${HOME:-} in
    /*) printf '%s\n' "$XDG_CACHE_HOME/sframe" ;;
    *:/*) printf '%s\n' "$HOME/.cache/sframe" ;;
    *) printf '%s\n' "$build/cache" ;;
  esac
}

cache=${SFRAME_CACHE:-$(default_cache)}
jobs=${JOBS:-$(nproc)}

# The machine to build for; it may differ from this one.
arch=${SFRAME_ARCH:-x86_64}

die ()
{
  printf '%s: %s\n' "$me" "$*" >&2
  exit 1
}

# Call this before writing to the cache.
make_cache ()
{
  case $cache in
    /*) ;;
    *) die "SFRAME_CACHE=$cache is not an absolute path" ;;
  esac
  { mkdir -p "$cache" && test -w "$cache"; } \
    || die "cannot write to the cache, $cache; SFRAME_CACHE=DIR chooses another"
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
  die "cannot find the key of Debian's archive in /usr/share/keyrings;" \
      "install the package debian-archive-keyring"
}

# Print the project's version, of which configure.ac has the only copy.
version ()
{
  sed -n 's/^AC_INIT(\[sframe\], \[\(.*\)\])$/\1/p' "$top/configure.ac"
}
