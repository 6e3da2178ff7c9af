"""Build backend of the Python package (PEP 517 and 660): pip and build call these functions.

CMake builds; this packs what it installs. Needed are the packages of toolchains/setup-debian.sh --all and nothing from
a network. `--config-settings build-dir=DIR` names a build folder; the default is build/wheel-<interpreter>. A folder
that is configured already is built as it is, so that `build-dir=build/release` takes what the release preset has built.

The bytes of a wheel follow from the build folder's contents, those of an sdist from the sources: names are sorted, and
every file has the date SOURCE_DATE_EPOCH, or 1980-01-01.
"""
import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ("pianola", "pianola_python", "pianola_python_files", "pianola_python_stub")
FIRST_DATE = 315532800  # 1980-01-01: the earliest that a zip file can hold
NO_SOURCES = {"build", "__pycache__", ".git"}


def date():
    """Of every file, in seconds since 1970."""
    return max(FIRST_DATE, int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_DATE)))


def project():
    """The table [project] of pyproject.toml, with the version that CMake has."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    build = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"^project\(pianola VERSION ([\d.]+)", build, re.M)
    return {**table, "version": found[1]}


def metadata():
    """The text of METADATA and PKG-INFO."""
    table = project()
    head = {"Metadata-Version": "2.1", "Name": table["name"], "Version": table["version"],
            "Summary": table["description"], "License": table["license"]["text"],
            "Requires-Python": table["requires-python"]}
    lines = [f"{name}: {value}" for name, value in head.items()]
    lines += [f"Requires-Dist: {each}" for each in table["dependencies"]]
    text = (ROOT / table["readme"]).read_text(encoding="utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", text])


def tag():
    """For which interpreter and machine a wheel is."""
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{version}-{version}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def run(*command):
    """Runs a program; its output goes where pip shows it."""
    try:
        subprocess.run([str(word) for word in command], check=True)
    except FileNotFoundError:
        raise SystemExit(f"{command[0]} is not installed: see toolchains/setup-debian.sh --all") from None


def built(settings):
    """The build folder, with the package up to date in it."""
    default = ROOT / "build" / f"wheel-{sys.implementation.cache_tag}"
    folder = pathlib.Path((settings or {}).get("build-dir", default)).absolute()
    if not (folder / "CMakeCache.txt").is_file():
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        run("cmake", "-S", ROOT, "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF",
            "-DPIANOLA_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}")
    run("cmake", "--build", folder, "--parallel", os.cpu_count() or 1, "--target", *TARGETS)
    return folder


def installed(build, stage):
    """{name in the wheel: file} of the package, installed and stripped."""
    run("cmake", "--install", build, "--component", "python", "--prefix", stage, "--strip")
    [package] = [file.parent for file in stage.rglob("__init__.py") if file.parent.name == "pianola"]
    program = package / "_bin/pianola"
    program.parent.mkdir()
    run("strip", "-o", program, build / "bin/pianola")
    module = package / f"_native{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not module.is_file():
        raise SystemExit(f"{build} has no module for this interpreter ({module.name}): use another build-dir")
    return {file.relative_to(package.parent).as_posix(): file for file in package.rglob("*") if file.is_file()}


def info_files():
    """(name of the folder, {name: text}) of what a wheel says of itself, without its RECORD."""
    table = project()
    kind = f"Wheel-Version: 1.0\nGenerator: {table['name']}\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    return f"{table['name']}-{table['version']}.dist-info", {
        "METADATA": metadata(), "WHEEL": kind, "LICENSE": (ROOT / "LICENSE").read_text(encoding="utf-8")}


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """PEP 517: the folder's name. Without it, pip would build a wheel to read them."""
    del config_settings
    info, files = info_files()
    for name, text in files.items():
        file = pathlib.Path(metadata_directory) / info / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return info


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def pack(wheel, contents):
    """Writes a wheel of {name: (bytes, whether it can be run)}, with its RECORD."""
    info, files = info_files()
    contents = {**contents, **{f"{info}/{name}": (text.encode(), False) for name, text in files.items()}}
    record = []
    for name, (data, _) in sorted(contents.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}\n")
    record.append(f"{info}/RECORD,,\n")
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        # RECORD is the last of all, as the format wants it.
        for name, (data, is_program) in [*sorted(contents.items()), (f"{info}/RECORD", ("".join(record).encode(), 0))]:
            member = zipfile.ZipInfo(name, time.gmtime(date())[:6])
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(member, data)


def wheel_name():
    """The file's name, which says what it is for."""
    table = project()
    return f"{table['name']}-{table['version']}-{tag()}.whl"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: the wheel's name."""
    del metadata_directory
    with tempfile.TemporaryDirectory() as stage:
        files = installed(built(config_settings), pathlib.Path(stage))
        pack(pathlib.Path(wheel_directory) / wheel_name(),
             {name: (file.read_bytes(), os.access(file, os.X_OK) and "/_bin/" in name) for name, file in files.items()})
    return wheel_name()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 660: a wheel that leads to the build folder; build again after a change."""
    del metadata_directory
    package = built(config_settings) / "python"
    pack(pathlib.Path(wheel_directory) / wheel_name(), {"pianola_editable.pth": (f"{package}\n".encode(), False)})
    return wheel_name()


def sources():
    """The names of all files of the project: those that git knows, or in an sdist all that are there."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True).stdout
        names = [name for name in listed.decode().split("\0") if name]
    else:
        names = [file.relative_to(ROOT).as_posix() for file in ROOT.rglob("*")
                 if file.is_file() and not NO_SOURCES & set(file.relative_to(ROOT).parts)]
    return sorted(name for name in names if name != "PKG-INFO" and (ROOT / name).is_file())


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517: the sdist's name."""
    del config_settings
    base = f"{project()['name']}-{project()['version']}"
    contents = {name: ((ROOT / name).read_bytes(), os.access(ROOT / name, os.X_OK)) for name in sources()}
    contents["PKG-INFO"] = (metadata().encode(), False)
    file = pathlib.Path(sdist_directory) / f"{base}.tar.gz"
    with open(file, "wb") as raw, gzip.GzipFile("", "wb", mtime=date(), fileobj=raw) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, (data, is_program) in sorted(contents.items()):
            member = tarfile.TarInfo(f"{base}/{name}")
            member.size, member.mtime, member.mode = len(data), date(), 0o755 if is_program else 0o644
            archive.addfile(member, io.BytesIO(data))
    return file.name
