"""A plain Makefile with pkg-config, from an installation that was moved: a signed binary, replayed to the bytes that
pianola run writes; an unsigned one is refused."""
import shutil


def run(kit):
    """Builds and runs it."""
    moved = kit.folder / "moved"
    shutil.copytree(kit.prefix, moved)
    kit.pianola("keygen", "-o", "key.pem")
    kit.pianola("pubkey", "key.pem", "--format", "c", "-o", "signing_key.h")
    kit.pianola("sign", kit.samples / "road_signs.ptb", "--key", "key.pem", "--security-version", "1", "-o",
                "signed.ptb")
    kit.run("make", f"CXX={kit.compiler}", PKG_CONFIG_PATH=str(moved / "lib/pkgconfig"))
    read = (kit.folder / "main.d").read_text(encoding="utf-8")
    assert str(moved) in read and str(kit.prefix) not in read and str(kit.source) not in read, read

    kit.run("./replay", "signed.ptb", kit.samples / "input.bin", "output.bin")
    kit.same_bytes(kit.folder / "output.bin", kit.samples / "output.bin")
    printed = kit.run("./replay", kit.samples / "road_signs.ptb", kit.samples / "input.bin", "none.bin", code=3)
    assert "AUT-UNSIGNED" in printed, printed
