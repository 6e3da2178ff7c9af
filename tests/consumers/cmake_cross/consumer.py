"""CMake with a cross compiler, for mps2_an500 under QEMU. Its package is made from the source package with FlatBuffers'
headers alone, and the image is built from that. What the ECU computes is what pianola run has computed on the host."""
import json


def run(kit):
    """Package, application, emulator; then a binary that must be refused."""
    toolchain = f"-DCMAKE_TOOLCHAIN_FILE={kit.package}/toolchains/cmake/cortex-m7.cmake"
    prefix = kit.target_package("package", "target", toolchain, "-DPIANOLA_BOARD=mps2_an500",
                                "-DCMAKE_BUILD_TYPE=MinSizeRel")
    binary = kit.samples / "ecu.ptb"
    kit.pianola("embed", binary, "-o", "ecu.S", "--header", "ecu.h")
    kit.pianola("size", binary, "--header", "-o", "ecu_manifest.h")
    kit.pianola("size", binary, "--ld", "-o", "manifest.ld")
    (kit.folder / "ecu.ptb").write_bytes(binary.read_bytes())
    picture = (kit.samples / "input.bin").read_bytes()
    words = ", ".join(f"{byte}U" for byte in picture)
    (kit.folder / "ecu_input.h").write_text(
        f"#pragma once\n#include <array>\n#include <cstdint>\n"
        f"constexpr std::array<std::uint8_t, {len(picture)}U> kInput{{{words}}};\n", encoding="utf-8")
    printed = build_and_start(kit, prefix, toolchain, code=0)
    shown = [line.split()[1] for line in printed.splitlines() if line.startswith("output ")]
    assert shown == [(kit.samples / "output.bin").read_bytes().hex()], printed

    measured = json.loads(kit.pianola("measure", binary, "--board", "mps2_an500", "--images",
                                      prefix / "lib/pianola/measure", "--json"))
    assert measured["outputs_equal"] and measured["step"]["device"] > 0, measured

    damaged = bytearray(binary.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (kit.folder / "ecu.ptb").write_bytes(damaged)
    (kit.folder / "ecu.S").touch()
    printed = build_and_start(kit, prefix, toolchain, code=3)
    assert "not loaded: ENV-DIGEST" in printed, printed


def build_and_start(kit, prefix, toolchain, code):
    """What the image prints, which is built with the programs of the host side hidden."""
    kit.cmake(".", "build", toolchain, f"-DPianola_DIR={prefix}/lib/cmake/Pianola", "-DCMAKE_BUILD_TYPE=MinSizeRel",
              bare=True)
    facts = json.loads((prefix / "share/pianola/board/board.json").read_text(encoding="utf-8"))
    return kit.emulate(facts["emulator"], "build/ecu.elf", code)
