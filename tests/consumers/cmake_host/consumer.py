"""CMake on the host, by find_package(): replays to the bytes that pianola run writes, and captures what it verifies."""
import shutil


def run(kit):
    """Builds and runs both programs."""
    shutil.copytree(kit.source / "docs/examples/host_api", kit.folder / "docs/examples/host_api")
    kit.cmake(".", "build", f"-DCMAKE_PREFIX_PATH={kit.prefix}", f"-DCMAKE_CXX_COMPILER={kit.compiler}")
    kit.run("build/replay", kit.samples / "road_signs.ptb", kit.samples / "input.bin", "output.bin")
    kit.same_bytes(kit.folder / "output.bin", kit.samples / "output.bin")

    damaged = bytearray((kit.samples / "road_signs.ptb").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (kit.folder / "damaged.ptb").write_bytes(damaged)
    printed = kit.run("build/replay", "damaged.ptb", kit.samples / "input.bin", "none.bin", code=3)
    assert "ENV-DIGEST" in printed and not (kit.folder / "none.bin").exists(), printed

    kit.run("build/capture_workload", "workload.ptb")
    kit.pianola("verify", "workload.ptb")

    # A version that does not fit is refused, and a component that is not there is named.
    lists = (kit.folder / "CMakeLists.txt").read_text(encoding="utf-8")
    for change, message in (("Pianola 0.2 ", 'compatible with requested version "0.2"'),
                            ("Pianola 0.1 ", "component board: this installation is not for a board")):
        text = lists.replace("Pianola 0.1 ", change)
        if "board" in message:
            text = text.replace("COMPONENTS host", "COMPONENTS host board")
        (kit.folder / "CMakeLists.txt").write_text(text, encoding="utf-8")
        printed = kit.run("cmake", "-S", ".", "-B", "other", f"-DCMAKE_PREFIX_PATH={kit.prefix}", code=1)
        assert message in " ".join(printed.split()), printed
