# An apt of our own, with other suites than the host's and none of its state (to be sourced after common.sh).
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh

# configure_apt TYPE SUITE...: let apt-get and apt-cache see the packages
# (TYPE deb) or the source packages (deb-src) of Debian's SUITEs, and set uri to
# the mirror.  Accept expired Release files, as a mirror may have.
configure_apt ()
{
  type=$1
  shift
  make_cache
  uri=$(mirror)
  key=$(keyring)
  echo "Debian mirror: $uri"
  state=$cache/apt-$type
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  for suite; do
    echo "$type [signed-by=$key] $uri $suite main"
  done >"$state/sources.list"
  cat >"$state/apt.conf" <<END
Dir::State "$state";
Dir::State::lists "$state/lists";
Dir::State::status "/dev/null";
Dir::Cache "$state/cache";
Dir::Etc::sourcelist "$state/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
APT::Sandbox::User "root";
END
  APT_CONFIG=$state/apt.conf
  export APT_CONFIG
}
