"""C alone, by a plain Makefile: an ECU whose port is C, and a tool through the shared library."""


def build_and_try(run, binary, damaged, includes, libraries):
    """Builds both and tries each on a binary and a damaged copy. `run` executes a command, which must end with `code`,
    and returns what it prints."""
    run("make", f"INCLUDES={' '.join(f'-I{folder}' for folder in includes)}",
        f"LIBRARIES={' '.join(f'-L{folder} -Wl,-rpath,{folder}' for folder in libraries)}")
    printed = run("./ecu", binary, code=3)
    assert printed.startswith("TGT-FAMILY target.device_family"), printed
    printed = run("./ecu", damaged, code=3)
    assert printed.startswith("ENV-DIGEST"), printed
    printed = run("./tool", binary)
    assert printed.strip() == "", printed
    printed = run("./tool", damaged, code=3)
    assert printed.startswith("ENV-DIGEST"), printed


def run(kit):
    """On an installation."""
    good = kit.samples / "road_signs.ptb"
    damaged = kit.folder / "damaged.ptb"
    data = bytearray(good.read_bytes())
    data[300] ^= 1  # of the manifest
    damaged.write_bytes(data)
    build_and_try(kit.run, good, damaged, [kit.prefix / "include/pianola/c"], [kit.prefix / "lib"])
