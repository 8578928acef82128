#!/usr/bin/env bash
# Is a machine with podman, of the folder that make-tools.sh has made, until it is killed: every container ends with
# it. It has this machine's network, and these sources as /source. Needs root.
set -euo pipefail
export made="$1" tools="$1/tools"
source="$(cd "$(dirname "$0")/../.." && pwd)"
export source

# The next one waits: podman would take the containers of this one for those of a machine that was switched off.
exec 9> "$made/lock"
flock 9
exec unshare --mount --pid --fork --kill-child --propagation private bash -euo pipefail <<'SCRIPT'
mkdir -p "$tools/made" "$tools/source" "$tools/outside"
# A root has to be a mount.
mount --bind "$tools" "$tools"
for folder in made source; do mount --bind "${!folder}" "$tools/$folder"; done
mount -t proc proc "$tools/proc"
mount -t tmpfs tmpfs "$tools/run"
for folder in dev sys; do mount --rbind "/$folder" "$tools/$folder"; done
# Podman's locks stand here, under a name that another engine of this machine would share.
mount -t tmpfs tmpfs "$tools/dev/shm"
cd "$tools"
pivot_root . outside
umount --lazy /outside
# Those of a run that was cut off.
podman rm --force --all > /run/removed
echo ready
exec catatonit -P
SCRIPT
