"""What a consumer.py is given: an installation, a source package, and commands that know nothing of the source tree.

A consumer is a folder with what a user of Pianola writes, and a consumer.py with run(kit), which raises where something
is wrong. The folder is copied, without consumer.py, to kit.folder, which is outside of the source tree, as is all else.
"""
import os
import pathlib
import shutil
import subprocess

HIDDEN_TOOLS = {"flatc"}
# Headers of packages that a build without the host side must not need.
HOST_PACKAGES = ("fmt", "CLI", "nlohmann", "bearssl", "openssl", "flatbuffers", "vulkan", "pybind11")
QUIET = ("-display", "none", "-serial", "null", "-monitor", "none")
RUNNING_SAMPLE = ("--deadline-us", "60000000", "--setup-deadline-us", "60000000")  # an emulated core is slow


class Skipped(Exception):
    """Something that a consumer needs is not installed."""


def execute(command, env, folder, code=0):
    """What a program prints, which must end with `code`."""
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, cwd=folder)
    assert done.returncode == code, f"{' '.join(command)}: exit code {done.returncode}, wanted {code}\n" \
                                    f"{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


class Kit:
    """Paths and commands."""

    def __init__(self, options, home, folder):
        self.source = options.source  # to read what a user would copy from a page; no command is told of it
        self.build = options.build  # of the host: what is packed
        self.compiler = options.compiler
        self.prefix = home / "prefix"  # the installation
        self.package = home / "source"  # the source package, unpacked
        self.samples = home / "samples"  # road_signs.ptb, ecu.ptb, input.bin, output.bin
        self.flatbuffers = home / "flatbuffers"  # FlatBuffers' headers alone
        self.bare_bin = home / "bin"  # all programs but those of the host side
        self.folder = folder

    def env(self, bare=False):
        """What commands have for an environment: nothing of ours. `bare` hides the programs of the host side."""
        env = {"PATH": str(self.bare_bin) if bare else "/usr/bin:/bin", "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        if "CCACHE_DIR" in os.environ:
            env["CCACHE_DIR"] = os.environ["CCACHE_DIR"]
        elif shutil.which("ccache"):
            env["CCACHE_DIR"] = subprocess.run(["ccache", "--get-config", "cache_dir"], capture_output=True, text=True,
                                               check=True).stdout.strip()
        return env

    def run(self, *command, code=0, bare=False, folder=None, **more):
        """What a program prints, which must end with `code`. `more` is added to the environment."""
        return execute(command, {**self.env(bare), **more}, folder or self.folder, code)

    def pianola(self, *arguments, code=0):
        """The installed command line."""
        return self.run(self.prefix / "bin/pianola", *arguments, code=code)

    def cmake(self, source, build, *options, bare=False, targets=()):
        """Configures and builds a project, and looks at what it was compiled from."""
        hide = ("-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF",) if bare else ()
        self.run("cmake", "-S", source, "-B", build, "-G", "Ninja", *hide, *options, bare=bare)
        self.run("cmake", "--build", build, "--parallel", "2", *(("--target", *targets) if targets else ()), bare=bare)
        self.look_at_headers(self.folder / build, bare)

    def look_at_headers(self, build, bare):
        """No file of the source tree may have been read; `bare`: none of the host side's packages."""
        read = self.run("ninja", "-C", build, "-t", "deps")
        assert read.strip(), f"{build}: no dependencies are known"
        for line in read.splitlines():
            assert str(self.source) not in line, f"the source tree was read: {line}"
            for package in HOST_PACKAGES if bare else ():
                assert f"/usr/include/{package}/" not in line, f"a package of the host side was read: {line}"
        assert str(self.source) not in (build / "build.ninja").read_text(encoding="utf-8"), "build.ninja names the tree"

    def target_package(self, build, prefix, *options):
        """The source package, built for a target without anything of the host side, and installed."""
        self.cmake(self.package, build, "-DPIANOLA_HOST=OFF", f"-DFLATBUFFERS_INCLUDE_DIR={self.flatbuffers}", *options,
                   bare=True)
        self.run("cmake", "--install", build, "--prefix", self.folder / prefix, bare=True)
        return self.folder / prefix

    def emulate(self, emulator, image, code=0):
        """What an image prints, which must end with `code`."""
        return self.run(*emulator, *QUIET, "-kernel", image, "-semihosting-config", "enable=on,target=native",
                        code=code, QEMU_AUDIO_DRV="none")

    def same_bytes(self, made, wanted):
        """Holds one file to another."""
        made, wanted = pathlib.Path(made).read_bytes(), pathlib.Path(wanted).read_bytes()
        assert wanted and made == wanted, f"{len(made)} bytes are not the {len(wanted)} that pianola run has written"


def make_samples(kit):
    """Binaries of the project's own sample by the installed command line: for this host, and for a small ECU; an input,
    and what pianola run makes of it."""
    kit.samples.mkdir()
    kit.run(kit.prefix / "bin/pianola-sample", "--out", ".", "--steps", "5", folder=kit.samples)
    (kit.samples / "ecu.json").write_text('{ "profile": "small_ecu" }\n', encoding="utf-8")
    for name, device in (("road_signs", ()), ("ecu", ("--device", "ecu.json"))):
        execute([kit.prefix / "bin/pianola", "capture", "road_signs.tflite", "-o", f"{name}.ptb", "--self-test", "2",
                 *RUNNING_SAMPLE, *device], kit.env(), kit.samples)
    shutil.copy(kit.samples / "sign_3.bin", kit.samples / "input.bin")
    execute([kit.prefix / "bin/pianola", "run", "road_signs.ptb", "--input", "input.bin", "--output", "output.bin"],
            kit.env(), kit.samples)


def set_up(options, home):
    """What all consumers share, in `home`."""
    kit = Kit(options, home, home)
    execute(["cmake", "--install", options.build, "--prefix", kit.prefix], os.environ, home)
    # As the target package_source does, but without a second ninja in a folder that another test may build in.
    execute(["cpack", "--config", options.build / "CPackSourceConfig.cmake", "-B", home / "packed"], os.environ, home)
    execute(["tar", "-xzf", next((home / "packed").glob("pianola-*.tar.gz"))], os.environ, home)
    next(home.glob("pianola-*")).rename(kit.package)
    shutil.copytree("/usr/include/flatbuffers", kit.flatbuffers / "flatbuffers")
    kit.bare_bin.mkdir()
    for program in pathlib.Path("/usr/bin").iterdir():
        if program.name not in HIDDEN_TOOLS:
            (kit.bare_bin / program.name).symlink_to(program)
    for file in [file for file in kit.prefix.rglob("*") if file.is_file()]:
        assert str(options.source).encode() not in file.read_bytes(), f"{file} names the source tree"
    make_samples(kit)
