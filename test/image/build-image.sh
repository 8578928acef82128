#!/usr/bin/env bash
# Builds the Dockerfile with what make-tools.sh has made (first argument), and puts the files of the image
# into `root` and its configuration into `image.json` of the second one. Needs root; no engine, no daemon.
set -euo pipefail
export tools="$1/tools" made="$1" result="$2"
source="$(cd "$(dirname "$0")/../.." && pwd)"
export source

mkdir -p "$result" "$tools/made" "$tools/source" "$tools/result"
# What is mounted here goes with this process.
exec unshare --mount --propagation private bash -euo pipefail <<'SCRIPT'
# The builder wants its root to be a mount.
mount --bind "$tools" "$tools"
for folder in made source result; do mount --bind "${!folder}" "$tools/$folder"; done
mount -t proc proc "$tools/proc"
mount --rbind /dev "$tools/dev"
chroot "$tools" env BUILDAH_ISOLATION=chroot HOME=/root PATH="$PATH" bash -euo pipefail <<'BUILD'
cat > /etc/containers/registries.conf <<< 'unqualified-search-registries = []'
cat > /etc/containers/policy.json <<< '{ "default": [{ "type": "insecureAcceptAnything" }] }'
base=localhost/node-base
if ! buildah inspect --type image "$base" > /dev/null 2>&1; then
  printf 'FROM scratch\nADD base.tar /\nENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt\n' > /made/Dockerfile
  buildah bud --pull-never --tag "$base" --file /made/Dockerfile /made
fi
buildah bud --pull-never --format docker --build-arg NODE_IMAGE="$base" --tag localhost/built /source
buildah inspect --type image localhost/built > /result/image.json
container="$(buildah from --pull-never localhost/built)"
rm -rf /result/root
cp --archive "$(buildah mount "$container")" /result/root
buildah rm "$container" > /dev/null
BUILD
SCRIPT
