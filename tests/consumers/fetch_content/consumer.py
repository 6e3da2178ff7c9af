"""FetchContent of the source package: a build for this machine, where flatc, fmt and all else of the host side are
hidden. The other project keeps its own rules: no warnings as errors, tests, installs or flags of ours."""
import json
import shutil

OWN = """// What Pianola's own rules would refuse: an unused variable, a conversion, an exception, type information.
#include <stdexcept>
#include <typeinfo>

int global_function(double value) {
    int unused;
    return value;
}

int main() {
    try {
        throw std::runtime_error{typeid(int).name()};
    } catch (const std::exception&) {
        return global_function(0.25);
    }
}
"""


def run(kit):
    """Builds it, and looks at what it became."""
    shutil.copytree(kit.source / "docs/examples/external", kit.folder / "docs/examples/external",
                    ignore=shutil.ignore_patterns("CMakeLists.txt"))
    (kit.folder / "own.cpp").write_text(OWN, encoding="utf-8")
    kit.cmake(".", "build", f"-DPIANOLA_PACKAGE={kit.package}", f"-DFLATBUFFERS_INCLUDE_DIR={kit.flatbuffers}",
              f"-DCMAKE_CXX_COMPILER={kit.compiler}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DPIANOLA_CCACHE=ON",
              "-DBUILD_TESTING=ON", bare=True)
    printed = kit.run("build/ecu", kit.samples / "road_signs.ptb")
    assert printed.startswith("profile default, 2 self-tests passed"), printed

    commands = json.loads((kit.folder / "build/compile_commands.json").read_text(encoding="utf-8"))
    own = [entry["command"] for entry in commands if entry["file"] == str(kit.folder / "own.cpp")]
    assert len(own) == 1 and own[0].split()[1:-4] == [], f"flags that nobody asked for: {own}"
    assert all("-Werror" not in entry["command"] for entry in commands), "warnings as errors"
    assert "Total Tests: 1\n" in kit.run("ctest", "--test-dir", "build", "-N"), "tests of ours"
    kit.run("cmake", "--install", "build", "--prefix", kit.folder / "installed")
    there = sorted(str(path.relative_to(kit.folder / "installed")) for path in (kit.folder / "installed").rglob("*"))
    assert there == ["bin", "bin/own"], there
    stamps_must_agree(kit)


def stamps_must_agree(kit):
    """A schema that is not the one of which the shipped headers were made is refused, and so is a damaged header."""
    copy = kit.folder / "changed"
    shutil.copytree(kit.package, copy)
    options = ("-DPIANOLA_HOST=OFF", f"-DFLATBUFFERS_INCLUDE_DIR={kit.flatbuffers}",
               "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", f"-DCMAKE_CXX_COMPILER={kit.compiler}")
    for file in ("schema/base.fbs", "schema/generated/base_generated.h", "schema/generated/stamp.txt"):
        text = (copy / file).read_text(encoding="utf-8")
        (copy / file).write_text(text + "\n", encoding="utf-8")
        printed = kit.run("cmake", "-S", copy, "-B", "refused", "-G", "Ninja", *options, bare=True, code=1)
        assert "stamp.txt does not agree" in " ".join(printed.split()), printed
        (copy / file).write_text(text, encoding="utf-8")
    shutil.rmtree(copy / "schema/generated")
    printed = kit.run("cmake", "-S", copy, "-B", "refused", "-G", "Ninja", *options, bare=True, code=1)
    assert "flatc or fmt is missing" in " ".join(printed.split()), printed
