#!/usr/bin/env python3
"""A port of one's own is built as docs/guide/porting.md says, outside of this tree, and conforms.

docs/examples/port is copied to a folder outside of the tree, configured, built and run. The page shows its
CMakeLists.txt.

Usage: port_project.py SOURCE COMPILER
"""
import pathlib
import shutil
import sys
import tempfile

from external_project import run


def main():
    """Builds, and conforms."""
    source, compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        project, build = folder / "npu", folder / "build"
        shutil.copytree(pathlib.Path(source) / "docs/examples/port", project)
        run("cmake", "-S", project, "-B", build, f"-DPIANOLA_SOURCE={source}", f"-DCMAKE_CXX_COMPILER={compiler}",
            "-DCMAKE_BUILD_TYPE=Release", "-DPIANOLA_CCACHE=ON")
        run("cmake", "--build", build, "--parallel", "2", "--target", "npu_conformance")
        printed = run(build / "npu_conformance")
        assert " 0 failed, " in printed.splitlines()[-1], printed

        lists = (project / "CMakeLists.txt").read_text(encoding="utf-8")
        page = (pathlib.Path(source) / "docs/guide/porting.md").read_text(encoding="utf-8")
        shown = "".join(f"    {line}\n" if line else "\n" for line in lists.split("LANGUAGES CXX)\n\n")[1].splitlines())
        assert shown in page, "docs/guide/porting.md does not show the example's CMakeLists.txt"
    print(printed.splitlines()[-1])


if __name__ == "__main__":
    main()
