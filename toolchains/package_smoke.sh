#!/usr/bin/env bash
# Makes Debian packages as a distribution would, and tries them in a clean Debian: lintian; install, capture, verify,
# run; a program by CMake and one by pkg-config; the target-only build of the source package, with FlatBuffers' headers
# and a compiler alone; remove. Beside continuous integration, because it needs the network, root, debootstrap (apt-get
# install debootstrap), 1.2 GB in the temporary folder, and several minutes. CI does what it can without them: the
# tests consumers.debian and consumers.fetch_content.
#
#   toolchains/package_smoke.sh [folder]     leaves packages in the folder; default: build/package
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source_tree=$PWD
build=${1:-build/package}

for tool in debootstrap lintian dpkg-buildflags; do
    if ! command -v "$tool" >/dev/null; then
        echo "package_smoke: $tool is missing: apt-get install debootstrap lintian dpkg-dev" >&2
        exit 2
    fi
done
if [ "$(id -u)" -ne 0 ]; then
    echo "package_smoke: must run as root, because debootstrap and chroot do" >&2
    exit 2
fi

echo "=== packages"
export DEB_BUILD_MAINT_OPTIONS=hardening=+all
cxxflags="$(dpkg-buildflags --get CXXFLAGS) $(dpkg-buildflags --get CPPFLAGS) -ffile-prefix-map=$source_tree=."
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_PREFIX=/usr -DBUILD_TESTING=OFF \
    "-DCMAKE_INSTALL_LIBDIR=lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" \
    "-DCMAKE_CXX_FLAGS=$cxxflags -g0" \
    "-DCMAKE_EXE_LINKER_FLAGS=$(dpkg-buildflags --get LDFLAGS)" \
    "-DCMAKE_MODULE_LINKER_FLAGS=$(dpkg-buildflags --get LDFLAGS)"
cmake --build "$build"
rm -f "$build"/*.deb
cmake --build "$build" --target package
cmake --build "$build" --target package_source

echo "=== lintian"
suppressed=()
if [ ! -d "$build/share/man" ]; then
    suppressed=(--suppress-tags no-manual-page)
fi
lintian --allow-root --fail-on error,warning "${suppressed[@]}" "$build"/*.deb

echo "=== a clean Debian"
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
# The mirror and the release that this machine itself uses.
# shellcheck disable=SC2016  # apt-get's own variables
read -r mirror release < <(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
    grep -E ' (bookworm|stable)$' | head -n 1)
debootstrap --variant=minbase "$release" "$root" "$mirror" >"$build/debootstrap.log"
for file in /etc/apt/apt.conf.d/*proxy* /etc/ssl/certs/ca-certificates.crt; do
    if [ -e "$file" ]; then
        mkdir -p "$root$(dirname "$file")"
        cp "$file" "$root$file"
    fi
done
mkdir "$root/try"
cp "$build"/*.deb "$build"/pianola-*.tar.gz "$root/try"
cp -r tests/consumers/cmake_host docs/examples/host_api "$root/try"
mkdir -p "$root/try/cmake_host/docs/examples"
mv "$root/try/host_api" "$root/try/cmake_host/docs/examples"
cat >"$root/try/all.sh" <<'INSIDE'
set -euxo pipefail
cd /try
export DEBIAN_FRONTEND=noninteractive HOME=/try LC_ALL=C.UTF-8
apt-get -q update >/dev/null
apt-get -qy --no-install-recommends install ./pianola_*.deb >/dev/null
pianola-sample --out . --steps 5 >/dev/null
pianola capture road_signs.tflite -o signs.ptb --self-test 2
pianola verify signs.ptb
pianola run signs.ptb --input sign_3.bin --output scores.bin
apt-get -qy install ./python3-pianola_*.deb >/dev/null
python3 -c 'import pianola; pianola.close_device(pianola.open_device())'

# The target-only build, before anything of the host side is there.
apt-get -qy --no-install-recommends install g++ cmake ninja-build >/dev/null
apt-get -q download libflatbuffers-dev >/dev/null  # its headers alone: the package brings flatc
dpkg-deb -x libflatbuffers-dev_*.deb flatbuffers
if command -v flatc; then
    exit 1
fi
tar -xzf pianola-*.tar.gz
cmake -S "$(ls -d pianola-*/)" -B target -G Ninja -DPIANOLA_HOST=OFF \
    -DFLATBUFFERS_INCLUDE_DIR=/try/flatbuffers/usr/include >/dev/null
cmake --build target >/dev/null
cmake --install target --prefix /try/target_only >/dev/null
test -e /try/target_only/lib/libpianola_runtime.a

apt-get -qy --no-install-recommends install ./libpianola-dev_*.deb ./libpianola0_*.deb pkg-config >/dev/null
cmake -S cmake_host -B host -G Ninja >/dev/null
cmake --build host >/dev/null
host/replay signs.ptb sign_3.bin again.bin
cmp scores.bin again.bin
pkg-config --exists --print-errors 'pianola-host >= 0.1'
g++ -std=c++17 cmake_host/replay.cpp -o by_hand $(pkg-config --cflags --libs pianola-host)
./by_hand signs.ptb sign_3.bin by_hand.bin
cmp scores.bin by_hand.bin

apt-get -qy purge pianola libpianola-dev libpianola0 python3-pianola >/dev/null
left=$(find /usr /etc /var -path /var/cache -prune -o -path /var/lib/apt -prune -o -iname '*pianola*' -print)
test -z "$left"
INSIDE
chroot "$root" /bin/bash /try/all.sh
echo "package_smoke: $(cd "$build" && echo *.deb) installed, used and removed"
