#!/usr/bin/env bash
# From nothing to the first result: makes a bare Debian 12 in a folder, copies the project's own files into it, and runs
# the default set-up and the demo there. Prints the time of each step and its processor time. Needs root (chroot) and
# debootstrap; packages come from where this machine's apt has them from. Ends with 77 where one of these is missing.
#
#   tests/setup/clean_debian.sh [--ccache DIR] [FOLDER]
#
# FOLDER is made, and removed at the end; the default is a temporary one. Nothing is compiled from a cache, unless
# --ccache names one: the test does so, because the same build has filled it.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

ccache=
if [ "${1-}" = --ccache ]; then
    ccache=$2
    shift 2
fi
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
    echo "clean_debian: needs root and debootstrap; skipped"
    exit 77
fi
# shellcheck disable=SC2016  # apt-get fills in what $( ) names
mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' | awk '$1 == "bookworm" && !seen++ { print $2 }')
if [ -z "$mirror" ]; then
    echo "clean_debian: this machine's apt knows no mirror of Debian 12; skipped"
    exit 77
fi

work=${1-$(mktemp -d)}
root=$work/root
clean_up() {
    if mountpoint --quiet "$root/ccache"; then
        umount "$root/ccache"
    fi
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
mkdir -p "$root"

TIMEFORMAT='%R s, processor time %U s + %S s in the system'
# Runs a command with its output in a file, and shows the file where the command fails.
step() {
    local name=$1 log=$work/step.log
    shift
    echo "clean_debian: $name"
    time "$@" >"$log" 2>&1 || {
        tail -n 60 "$log"
        echo "clean_debian: $name failed"
        exit 1
    }
}
in_root() {
    chroot "$root" /usr/bin/env -i HOME=/ PATH=/usr/sbin:/usr/bin:/sbin:/bin "${environment[@]}" "$@"
}
step "bare Debian 12" debootstrap --variant=minbase bookworm "$root" "$mirror"
mkdir "$root/project"
git -C "$source" ls-files -z --cached --others --exclude-standard |
    tar --create --directory "$source" --null --files-from - --ignore-failed-read 2>/dev/null |
    tar --extract --directory "$root/project"
# What ccache takes into account of the environment is as it is here.
environment=()
for name in http_proxy LANG LC_ALL LC_CTYPE LC_MESSAGES; do
    if [ -n "${!name-}" ]; then
        environment+=("$name=${!name}")
    fi
done
if [ -n "$ccache" ]; then
    mkdir -p "$ccache" "$root/ccache"
    mount --bind "$ccache" "$root/ccache"
    environment+=(CCACHE_DIR=/ccache)
else
    environment+=(CCACHE_DISABLE=1)
fi
step "default set-up" in_root /project/toolchains/setup-debian.sh
step "demo" in_root /project/toolchains/demo.sh
tail -n 1 "$work/step.log"
in_root /project/build/release/bin/pianola doctor
echo "clean_debian: the default set-up is enough"
