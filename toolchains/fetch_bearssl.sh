#!/usr/bin/env bash
# Unpacks the sources of BearSSL, which boards verify signatures with, into build/deps/bearssl. setup-debian.sh --all
# calls it.
#
# They are the upstream sources as the distribution's source package has them. The lists of a fresh machine name no
# source packages, so apt is given lists of its own: every entry that the machine has for packages, asked for sources.
# All else of apt's configuration is the machine's, proxies, credentials and trusted keys included, and none of it is
# changed. No privileges are needed.
#
#   toolchains/fetch_bearssl.sh [folder]      another folder than build/deps/bearssl
set -euo pipefail

# What is built was looked at, measured and tested as this version: another one is a decision, not an update.
upstream=bearssl_0.6+dfsg.1.orig.tar.xz
sha256=102a625bd8f6155260867a50c508df8d8c3f796985dd744df1a68e5cd1a79004

cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-build/deps/bearssl}
# Written last, so that what was interrupted is begun anew.
stamp="$folder/.unpacked"
if [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$sha256" ]; then
    echo "setup: $upstream is unpacked in $folder"
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# apt fetches as a user of its own, who must get through.
chmod 0755 "$work"
mkdir -p "$work/sources" "$work/lists/partial" "$work/cache/archives/partial" "$work/packages"

fail() {
    echo "setup: $1" >&2
    cat "$work/log" >&2
    exit 1
}

# The machine's entries, in both of apt's formats, with the kind of package changed. A field of the second may go on in
# further lines. Those of the first come first, as apt reads them: an entry without a key is no conflict then with the
# same one that names its key.
list=''
parts=''
eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
for file in "$list" "$parts"*.list; do
    if [ -f "$file" ]; then
        sed -nE 's/^[[:space:]]*deb(-src)?([[:space:]])/deb-src\2/p' "$file" >>"$work/sources/00-machine.list"
    fi
done
for file in "$parts"*.sources; do
    if [ -f "$file" ]; then
        awk 'tolower($0) ~ /^types:/ { print "Types: deb-src"; in_types = 1; next }
             in_types && /^[ \t]/    { next }
                                     { in_types = 0; print }' "$file" >"$work/sources/$(basename "$file")"
    fi
done

options=(
    -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/sources"
    -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache"
)
: >"$work/log"
echo "setup: fetching $upstream"
# A repository without source packages is no reason to stop: what counts is whether the package comes.
apt-get "${options[@]}" update >>"$work/log" 2>&1 || true
(cd "$work/packages" && apt-get "${options[@]}" source --download-only bearssl) >>"$work/log" 2>&1 ||
    fail "apt found no source package of bearssl; what it said:"
[ -f "$work/packages/$upstream" ] || fail "the source package of bearssl has no $upstream; what apt said:"
echo "$sha256  $work/packages/$upstream" | sha256sum --check --status ||
    fail "$upstream is not the file that was pinned; what apt said:"

rm -rf "$folder"
mkdir -p "$folder"
tar --extract --file "$work/packages/$upstream" --directory "$folder" --strip-components 1 --no-same-owner
echo "$sha256" >"$stamp"
echo "setup: $upstream is unpacked in $folder"
