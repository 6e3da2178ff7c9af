"""Debian's packages: lintian has no complaint, and what they hold works, unpacked in a clean folder: capture, verify
and run, the Python package, and a program that is built with pkg-config. toolchains/package_smoke.sh installs them."""
import re
import shutil

PACKAGES = {"pianola", "libpianola-dev", "python3-pianola"}
PROGRAM = """#include <hal/devices/refdev/refdev_command_set.h>
#include <pianola/session.h>
int main() {
    pianola::QueueCommand command;
    command.kind = pianola::QueueCommandKind::kNotify;
    return (pianola::refdev::RefdevCommandSet{}.queue_words(command) != 0U) ? 0 : 1;
}
"""
PYTHON = "import pianola; print(pianola.__file__); pianola.close_device(pianola.open_device())"


def not_judged(kit):
    """What lintian is not asked: this build's folder for libraries is not the one of Debian's machines, which
    toolchains/package_smoke.sh takes; and pages, where help2man was not there to make them."""
    tags = ["pkg-config-unavailable-for-cross-compilation"]
    if not (kit.build / "share/man1").is_dir():
        tags.append("no-manual-page")
    return tags


def run(kit):
    """Packs, judges, unpacks, uses."""
    kit.run("cpack", "--config", kit.build / "CPackConfig.cmake", "-G", "DEB", "-B", kit.folder / "packed")
    files = {path.name.split("_")[0]: path for path in (kit.folder / "packed").glob("*.deb")}
    assert PACKAGES <= set(files), files
    for name, path in files.items():
        version = re.search(r"_([0-9.]+)_", path.name)[1]
        assert kit.run("dpkg-deb", "--field", path, "Version").strip() == version, name
        kit.run("dpkg-deb", "-x", path, "root")
    if shutil.which("lintian"):
        printed = kit.run("lintian", "--allow-root", "--fail-on", "error,warning", "--suppress-tags",
                          ",".join(not_judged(kit)), *files.values())
        print(f"lintian: {printed.strip() or 'no complaint'}")
    else:
        print("lintian is not installed: not judged")

    usr = kit.folder / "root/usr"
    tool = usr / "bin/pianola"
    kit.run(tool, "capture", kit.samples / "road_signs.tflite", "-o", "signs.ptb", "--self-test", "2", "--deadline-us",
            "60000000", "--setup-deadline-us", "60000000")
    kit.same_bytes(kit.folder / "signs.ptb", kit.samples / "road_signs.ptb")
    kit.run(tool, "verify", "signs.ptb")
    kit.run(tool, "run", "signs.ptb", "--input", kit.samples / "input.bin", "--output", "output.bin")
    kit.same_bytes(kit.folder / "output.bin", kit.samples / "output.bin")

    packages = usr / "lib/python3/dist-packages"
    printed = kit.run("/usr/bin/python3", "-B", "-c", PYTHON, PYTHONPATH=str(packages))
    assert printed.startswith(str(packages)), printed
    # The program of the same installation, which is not in the PATH.
    kit.run("/usr/bin/python3", "-B", "-c", "import pianola; assert pianola.verify('signs.ptb')['accepted']",
            PYTHONPATH=str(packages))

    (kit.folder / "main.cpp").write_text(PROGRAM, encoding="utf-8")
    flags = kit.run("pkg-config", "--cflags", "--libs", "pianola-refdev",
                    PKG_CONFIG_PATH=str(usr / "lib/pkgconfig")).split()
    kit.run(kit.compiler, "-std=c++17", "main.cpp", "-o", "main", *flags)
    kit.run("./main")
