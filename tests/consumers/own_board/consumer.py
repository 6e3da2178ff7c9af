"""A board and a device outside of the tree, with a toolchain file of their own: a package for both, and an application
built from that. The tools on the host know the device by a plugin, which is built from the host's installation."""
import json
import shutil

SOURCES = {"npu": ("npu.h", "npu_command_set.cpp", "npu_device.cpp"),
           "plugin": ("npu_target.cpp", "npu_samples.cpp", "npu_samples.h", "conformance.cpp")}
COPY_HEADER, COPY_END = "0x40001", "0x10003"


def run(kit):
    """The plugin and a binary; the package; the application."""
    for folder, names in SOURCES.items():
        for name in names:
            shutil.copy(kit.source / "docs/examples/port" / name, kit.folder / folder)
    kit.cmake("plugin", "host", f"-DCMAKE_PREFIX_PATH={kit.prefix}", f"-DCMAKE_CXX_COMPILER={kit.compiler}",
              "-DCMAKE_BUILD_TYPE=Release")
    assert " 0 failed, " in kit.run("host/npu_conformance").splitlines()[-1]
    plugin = ("--plugin", "host/libnpu_target.so")
    kit.run(kit.build / "bin/pianola_port_binary", plugin[1], "copies.ptb", COPY_HEADER, COPY_END)
    kit.pianola("verify", "copies.ptb", *plugin)
    kit.pianola("embed", "copies.ptb", *plugin, "-o", "copies.S", "--header", "copies.h")
    (kit.folder / "input.bin").write_bytes(bytes((3 * n + 1) % 256 for n in range(64)))
    kit.pianola("run", "copies.ptb", *plugin, "--input", "input.bin", "--output", "output.bin")

    toolchain = f"-DCMAKE_TOOLCHAIN_FILE={kit.folder}/board/cortex-m4.cmake"
    prefix = kit.target_package("package", "target", toolchain, "-DPIANOLA_BOARD=own_m4",
                                "-DPIANOLA_PROFILE=kDefault",
                                f"-DPIANOLA_BOARD_DIR={kit.folder}/board", f"-DPIANOLA_DEVICE_DIRS={kit.folder}/npu",
                                "-DCMAKE_BUILD_TYPE=MinSizeRel")
    kit.cmake(".", "build", toolchain, f"-DPianola_DIR={prefix}/lib/cmake/Pianola", "-DCMAKE_BUILD_TYPE=MinSizeRel",
              bare=True)
    facts = json.loads((prefix / "share/pianola/board/board.json").read_text(encoding="utf-8"))
    printed = kit.emulate(facts["emulator"], "build/ecu.elf")
    wanted = " ".join(str(byte) for byte in (kit.folder / "output.bin").read_bytes())
    assert f"own_m4 output {wanted}\n" in printed, printed
