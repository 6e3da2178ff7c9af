#!/usr/bin/env bash
# Installs what Pianola needs on Debian 12. Distribution packages only.
#
#   toolchains/setup-debian.sh         what a build of `pianola` and the demo need
#   toolchains/setup-debian.sh --all   also what boards, tests, checks, the Python package, the Vulkan device and the
#                                      documentation need; toolchains/test.sh needs all of it
#
# What boards compile from source comes from a source package, into build/deps: see fetch_bearssl.sh.
#
# Ubuntu 24.04: the same names exist there (clang-19 and its companions in the updates of universe), and newer versions:
# GCC 13 instead of 12, FlatBuffers 23.5 instead of 2.0.8 (the generated headers follow the compiler that is installed),
# GoogleTest 1.14, CMake 3.28. The build does not depend on the older ones. Debian 12 is what is tested.
set -euo pipefail
fetch_bearssl="$(dirname "${BASH_SOURCE[0]}")/fetch_bearssl.sh"

packages=(
    # Build system; ccache remembers objects between builds. git also tells the gates which files are the project's own.
    ca-certificates ccache cmake git ninja-build
    # Compiler for releases and targets; binutils brings nm, objdump and c++filt for the object gates.
    binutils g++
    # Manifest format: schema compiler and header-only library.
    flatbuffers-compiler libflatbuffers-dev
    # Host side: command line, JSON, text formatting.
    libcli11-dev libfmt-dev nlohmann-json3-dev
    # Signatures: made by OpenSSL on the host, verified by BearSSL.
    libbearssl-dev libssl-dev
    # Gates and wrappers are Python with the standard library only.
    python3
)
all_packages=(
    # Libraries of the compiler for 32 bits: tests/widths compares the validator's verdicts in both widths.
    g++-multilib
    # Second compiler, sanitizers, static analysis and formatting. The version is part of the name on purpose: findings
    # and layout change between versions. llvm-19 has the symboliser, without which a sanitizer's report names no lines.
    clang-19 clang-format-19 clang-tidy-19 libclang-rt-19-dev llvm-19
    # Headers for the plugin that keeps clang-tidy out of libraries' headers.
    libclang-19-dev llvm-19-dev
    # The Python package: bindings, headers of the interpreter, arrays. mypy checks the type stubs.
    pybind11-dev python3-dev python3-numpy mypy
    # And pip in an environment of its own: the wheel is installed in one.
    python3-pip python3-venv
    # Boards on Arm: compiler, C library and its headers, headers of the C++ library. Nothing links the C++ library
    # itself.
    gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-dev
    # Boards on RISC-V: compiler and C library. It has no C++ headers of its own and takes those of the Arm compiler.
    gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf
    # The boards themselves, emulated: Arm in both widths, and everything else, RISC-V among it.
    qemu-system-arm qemu-system-misc
    # The sources of BearSSL for boards are unpacked with it.
    xz-utils
    # Tests and measurements. OpenSSL makes the signatures that tests verify.
    libgtest-dev openssl valgrind
    # The Vulkan device: loader and headers, compiler and checker of shaders; a driver that runs on any processor, and
    # Khronos' validation layer, which judges what is recorded. Without them all else builds: PIANOLA_VULKAN.
    glslc libvulkan-dev mesa-vulkan-drivers spirv-tools vulkan-validationlayers
    # Campaigns in shards: Slurm and its authentication, for a private cluster that a test starts and ends.
    slurm-wlm munge
    # The documentation site: pages, and the API reference from the headers' comments. Its pages and those that the
    # project makes are laid out and measured in a browser without a window (tests/pages).
    chromium doxygen furo python3-breathe python3-myst-parser python3-sphinx
    # A hardware security module in software, and the tool that talks to it: docs/guide/signing.md.
    opensc softhsm2
    # What can be checked of the Zephyr module without Zephyr: Kconfig, YAML files, devicetree.
    device-tree-compiler python3-jsonschema python3-kconfiglib python3-yaml
    # Packages: Debian's are made with dpkg-dev and judged by lintian; pkg-config for who builds without CMake.
    dpkg-dev lintian pkg-config
    # Scripts are checked by shellcheck.
    shellcheck
    # A bare Debian in which the default set-up and the demo run: tests/setup.
    debootstrap
    # The C API and its example are held to MISRA C:2012 by the addon of cppcheck.
    cppcheck
    # The command line: help2man makes the manual pages, jsonschema holds what --json prints to its schemas, and
    # completions are tried in both shells besides bash. Without them those pages and tests are left out.
    fish help2man zsh
)

case "${1-}" in
    "") ;;
    --all) packages+=("${all_packages[@]}") ;;
    *)
        echo "usage: toolchains/setup-debian.sh [--all]" >&2
        exit 2
        ;;
esac
# Boards alone compile BearSSL from source.
finish() {
    if [ "${1-}" = --all ]; then
        "$fetch_bearssl"
    else
        echo "setup: builds and the demo; --all adds boards, tests, checks, Python, Vulkan and documentation"
    fi
}

# Quick where there is nothing to do: no lists are fetched, no privileges are needed.
missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    if [ "$state" != installed ]; then
        missing+=("$package")
    fi
done
if [ "${#missing[@]}" -eq 0 ]; then
    echo "setup: all ${#packages[@]} packages are installed"
    finish "$@"
    exit
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
"${as_root[@]}" apt-get update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
# Of what was just installed, nothing goes on running: the cluster of the tests is theirs alone.
for package in "${missing[@]}"; do
    case "$package" in
        slurm-wlm) services=(slurmctld slurmd) ;;
        munge) services=(munge) ;;
        *) continue ;;
    esac
    if [ -d /run/systemd/system ]; then
        "${as_root[@]}" systemctl disable --now "${services[@]}" >/dev/null 2>&1 || true
    else
        for service in "${services[@]}"; do
            "${as_root[@]}" "/etc/init.d/$service" stop >/dev/null 2>&1 || true
            "${as_root[@]}" update-rc.d "$service" disable >/dev/null 2>&1 || true
        done
    fi
done
finish "$@"
echo "setup: done"
