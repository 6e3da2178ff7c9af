#!/usr/bin/env python3
"""The Python package as pip installs it, without a network: a wheel in an environment of its own, used in a clean
folder, then removed; an editable installation; and the sdist. Exit code 77 without models, or without venv."""
import argparse
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
SKIPPED = 77
MODEL = "hello_world_int8"
OPTIONS = None


def shared_model():
    """The model of others, where it is."""
    return pathlib.Path(os.environ.get("PIANOLA_SHARED", SOURCE.parent / "shared")) / "models" / MODEL


class Wheel(unittest.TestCase):
    """One environment for all tests."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="pianola_wheel")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.work = cls.folder / "work"
        cls.work.mkdir()
        cls.python = cls.folder / "venv/bin/python"
        cls.run_program(sys.executable, "-m", "venv", "--system-site-packages", cls.folder / "venv")

    @classmethod
    def run_program(cls, *command, code=0):
        """What a program prints, which must end with `code`. Nothing of ours is in its environment."""
        env = {"PATH": "/usr/bin:/bin", "HOME": str(cls.folder), "LC_ALL": "C.UTF-8", "PIP_CONFIG_FILE": os.devnull,
               "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        done = subprocess.run([str(word) for word in command], cwd=cls.work, env=env, capture_output=True, text=True,
                              check=False)
        if done.returncode != code:
            raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def pip(self, *words):
        """What pip prints."""
        return self.run_program(self.python, "-m", "pip", *words)

    def install(self, *words):
        """Installs from the sources with what the build folder has."""
        self.pip("install", "--no-build-isolation", "--no-index", "--config-settings", f"build-dir={OPTIONS.build}",
                 *words, SOURCE)

    def backend(self, *words):
        """Calls the backend as pip does; the name of what it has made, in `folder`."""
        code = f"import backend; print('made', backend.{words[0]}(*{words[1:]!r}))"
        done = subprocess.run([sys.executable, "-B", "-c", code], cwd=SOURCE, check=True, capture_output=True,
                              text=True,
                              env={**os.environ, "PYTHONPATH": str(SOURCE / "toolchains/python_build")})
        return done.stdout.split("made ")[1].strip()

    def test_wheel(self):
        self.install()
        place = pathlib.Path(self.run_program(self.python, "-I", HERE / "use.py", shared_model()).strip())
        self.assertIn(self.folder, place.parents, "it is not the installed package")
        self.run_program(self.python, "-I", "-c", f"import sys; sys.exit({str(SOURCE)!r} in str(sys.path))")
        self.assertIn("Version: ", self.pip("show", "pianola"))
        self.pip("uninstall", "--yes", "pianola")
        self.assertFalse(place.exists())
        self.run_program(self.python, "-I", "-c", "import pianola", code=1)

    def test_editable(self):
        self.install("--editable")
        place = self.run_program(self.python, "-I", HERE / "use.py", shared_model()).strip()
        self.assertEqual(pathlib.Path(place), OPTIONS.build.resolve() / "python/pianola")
        self.pip("uninstall", "--yes", "pianola")

    def test_wheel_has_the_same_bytes_each_time(self):
        made = []
        for name in ("first", "second"):
            folder = self.folder / name
            folder.mkdir()
            made.append(folder / self.backend("build_wheel", str(folder), {"build-dir": str(OPTIONS.build)}))
        self.assertEqual(made[0].read_bytes(), made[1].read_bytes())
        names = zipfile.ZipFile(made[0]).namelist()
        for wanted in ("pianola/__init__.py", "pianola/__init__.pyi", "pianola/py.typed", "pianola/_bin/pianola"):
            self.assertIn(wanted, names)
        for name in names:
            self.assertTrue(name.startswith(("pianola/", "pianola-")), name)
            self.assertNotIn(str(SOURCE).encode(), zipfile.ZipFile(made[0]).read(name), name)

    def test_sdist_is_whole(self):
        first = self.folder / self.backend("build_sdist", str(self.folder))
        with tarfile.open(first) as archive:
            archive.extractall(self.folder / "unpacked")
        [root] = (self.folder / "unpacked").iterdir()
        for wanted in ("pyproject.toml", "PKG-INFO", "CMakeLists.txt", "LICENSE", "capture_host/python/module.cpp"):
            self.assertTrue((root / wanted).is_file(), wanted)
        again = self.folder / "again"
        again.mkdir()
        code = f"import backend; print(backend.build_sdist({str(again)!r}))"
        subprocess.run([sys.executable, "-B", "-c", code], cwd=root, check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "PYTHONPATH": str(root / "toolchains/python_build")})
        self.assertEqual(first.read_bytes(), (again / first.name).read_bytes(), "an sdist of an sdist")
        self.run_program("cmake", "-S", root, "-B", self.folder / "configured", "-G", "Ninja", "-DBUILD_TESTING=OFF",
                         "-DCMAKE_BUILD_TYPE=Release", f"-DPython3_EXECUTABLE={sys.executable}")

    def test_a_build_for_another_interpreter_is_refused(self):
        program = "import backend, sysconfig; sysconfig.get_config_vars()['EXT_SUFFIX'] = '.other.so'; " \
                  f"backend.build_wheel({str(self.folder)!r}, {{'build-dir': {str(OPTIONS.build)!r}}})"
        done = subprocess.run([sys.executable, "-B", "-c", program], cwd=SOURCE, check=False, capture_output=True,
                              text=True, env={**os.environ, "PYTHONPATH": str(SOURCE / "toolchains/python_build")})
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no module for this interpreter (_native.other.so)", done.stderr)


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser()
    PARSER.add_argument("--build", type=pathlib.Path, required=True)
    OPTIONS, REST = PARSER.parse_known_args()
    MISSING = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if MISSING or not shared_model().is_dir() or not shutil.which("ninja"):
        print(f"skipped: needs {shared_model()}, ninja and Python's venv; missing: {MISSING}")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *REST])
