#!/usr/bin/env bash
# Unpacks, in the folder of its argument, PgBouncer of Debian 13 with its libraries, because that of Debian 12 knows no
# prepared statements. Needs apt and the mirror of a Debian, and no root.
set -euo pipefail
folder="$1"
mkdir -p "$folder"/apt/{lists,archives}/partial
cd "$folder"
mirror="$(grep --recursive --no-filename --only-matching --extended-regexp 'https?://[^ ]+/debian/?( |$)' \
  /etc/apt/sources.list* | head --lines 1)"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" > sources.list
# As if nothing were installed, and apart from the lists of the machine.
apt() {
  apt-get --option Dir::Etc::SourceList="$folder/sources.list" --option Dir::Etc::SourceParts=- \
    --option Dir::State::Lists="$folder/apt/lists" --option Dir::State::Status=/dev/null \
    --option Dir::Cache="$folder/apt" --option APT::Sandbox::User=root "$@"
}
apt update
apt download pgbouncer libc6 libcap2 libcares2 libevent-2.1-7t64 libpam0g libaudit1 libcap-ng0 libssl3t64 \
  libsystemd0 libzstd1 zlib1g
for package in *.deb; do dpkg -x "$package" root; done
loader="$(echo "$folder"/root/usr/lib/*/ld-linux-*)"
cat > pgbouncer <<LAUNCHER
#!/bin/sh
exec '$loader' --library-path '$(dirname "$loader")' '$folder/root/usr/sbin/pgbouncer' "\$@"
LAUNCHER
chmod +x pgbouncer
./pgbouncer --version
rm -rf apt ./*.deb
