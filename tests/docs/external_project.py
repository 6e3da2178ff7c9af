#!/usr/bin/env python3
"""Another project takes the runtime as docs/guide/integration.md says: its definitions travel with the target, and a
profile that differs does not link.

docs/examples/external is copied to a folder outside of the tree, configured, built and run. Then a source of it is
compiled with another profile than the library: it must not link, whichever the profile, because its workspace would
have another size than the library's.

Usage: external_project.py SOURCE COMPILER PIANOLA_SAMPLE PIANOLA
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

OTHERS = ("kSmallEcu", "kHost")  # than the example's
# Options come behind definitions, and the last word counts: what a project that forgets the library's definitions would
# compile with.
MISMATCH = """
add_executable(mismatch main.cpp)
target_compile_features(mismatch PRIVATE cxx_std_17)
target_link_libraries(mismatch PRIVATE pianola_sim)
target_compile_options(mismatch PRIVATE -UPIANOLA_PROFILE -DPIANOLA_PROFILE=OTHER)
"""


def run(*command, fails=False):
    """What a program prints, which must end as it is expected to."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == fails, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def main():
    """Builds, runs, and then does it wrongly."""
    source, compiler, sample, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(sample, "--out", folder, "--steps", "5")
        binary = folder / "model.ptb"
        run(program, "capture", folder / "road_signs.tflite", "-o", binary, "--self-test", "2")
        project, build = folder / "ecu", folder / "build"
        shutil.copytree(pathlib.Path(source) / "docs/examples/external", project)
        configure = ("cmake", "-S", project, "-B", build, f"-DPIANOLA_SOURCE={source}",
                     f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release", "-DPIANOLA_CCACHE=ON")
        run(*configure)
        run("cmake", "--build", build, "--parallel", "2", "--target", "ecu")
        printed = run(build / "ecu", binary)
        assert printed.startswith("profile default, 2 self-tests passed"), printed
        assert not (build / "pianola/bin/pianola").exists(), "PIANOLA_HOST=OFF has built the command line"

        lists = (project / "CMakeLists.txt").read_text(encoding="utf-8")
        page = (pathlib.Path(source) / "docs/guide/integration.md").read_text(encoding="utf-8")
        shown = "".join(f"    {line}\n" if line else "\n" for line in lists.split("LANGUAGES CXX)\n\n")[1].splitlines())
        assert shown in page, "docs/guide/integration.md does not show the example's CMakeLists.txt"
        for other in OTHERS:
            (project / "CMakeLists.txt").write_text(lists + MISMATCH.replace("OTHER", other), encoding="utf-8")
            run(*configure)
            errors = run("cmake", "--build", build, "--target", "mismatch", fails=True)
            assert "undefined reference" in errors and f"{other}::PlanWorkspace" in errors, errors
    print("built, run, and refused to link with another profile")


if __name__ == "__main__":
    main()
