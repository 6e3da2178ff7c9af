#!/usr/bin/env python3
"""The boards and what is known of each: hal/boards/<board>/board.json. CMakePresets.json lists them, and nothing else
does.

    toolchains/boards.py                the names, in the order of CMakePresets.json
    toolchains/boards.py --mesh         presets in which each device core of a board is a device of its own

What a board.json says:

  about           what a reader of the emulator's command line must know
  architecture    folder of hal/arch
  device          folder of hal/devices; the default is refdev
  device_cores    cores that play the device, or a device each; 0 where it shares the ECU core or is a peripheral
  core            of a board whose cores execute the reference device's kernels: its cost model, and the clock of QEMU's
                  counted instructions (-icount shift=0: 1 ns each), for `pianola capture --board`
  file_window     of a device that reads flash: base and mebibytes of the device addresses at which it reads the weights
                  of the loaded binary (docs/reference/device.md)
  emulator        QEMU and its machine
  image_by        "kernel": QEMU takes the image for the machine's kernel (the default); "loader": as a file in memory
  starter         what the first core runs to start the others: file beside the image, address, core
  ecu_core        which of the emulator's cores is the ECU core; the default is 0
  ecu_as_device   options of QEMU that give the ECU core what only the device's cores have, for tests in which it
                  executes the device's code
  debug_process   of the debug stub, which has the board's cores; the default is 1
  memory          base and mebibytes of the machine's memory, for campaigns that map it
  tests           those that not every board can run: names in tests/baremetal/CMakeLists.txt
  campaigns       fault campaigns that are made on it (toolchains/campaigns.py), each with its figures
  own_tests       folders of tests that are about this board and name it
"""
import functools
import json
import pathlib
import re
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parents[1]
LISTED = re.compile(r"^hal/boards/([^/]+)/presets\.json$")

# Numbers of registers in the protocol of debuggers, from the target descriptions that QEMU gives out
# (qXfer:features:read).
_ARM = {**{f"r{n}": n for n in range(16)}, "sp": 13, "lr": 14, "pc": 15}
_ARM_AR = {**_ARM, "cpsr": 25}


class Architecture(typing.NamedTuple):
    """What boards of one folder of hal/arch share."""

    binutils: str  # what the names of binary tools begin with
    registers: typing.Mapping[str, int]


ARCHITECTURES = {
    "arm_a": Architecture("arm-none-eabi-", _ARM_AR),
    "arm_m": Architecture("arm-none-eabi-", {**_ARM, "xpsr": 25}),
    "arm_r": Architecture("arm-none-eabi-", _ARM_AR),
    "riscv": Architecture("riscv64-unknown-elf-",
                          {**{f"x{n}": n
                              for n in range(32)}, "ra": 1, "sp": 2, "pc": 32}),
}


class Starter(typing.NamedTuple):
    """A file that is put into memory, and the core that runs it."""

    file: str
    address: int
    core: int


class Board(typing.NamedTuple):
    """What board.json says."""

    name: str
    architecture: str
    emulator: typing.Sequence[str]
    about: str = ""
    device: str = "refdev"
    device_cores: int = 0
    core: typing.Mapping[str, typing.Any] = {}
    file_window: typing.Mapping[str, typing.Any] = {}
    image_by: str = "kernel"
    starter: typing.Optional[Starter] = None
    ecu_core: int = 0
    ecu_as_device: typing.Sequence[str] = ()
    debug_process: int = 1
    memory: typing.Mapping[str, typing.Any] = {}
    tests: typing.Sequence[str] = ()
    campaigns: typing.Mapping[str, typing.Any] = {}
    own_tests: typing.Sequence[str] = ()

    @property
    def arch(self):
        """What it shares with others of its architecture."""
        return ARCHITECTURES[self.architecture]


def names(root=ROOT):
    """The boards that the presets include, in that order."""
    presets = json.loads((root / "CMakePresets.json").read_text(encoding="utf-8"))
    return [match[1] for match in map(LISTED.match, presets["include"]) if match]


def read(name, root=ROOT):
    """The facts of one board. ValueError where there are others than a Board has."""
    file = root / "hal/boards" / name / "board.json"
    facts = json.loads(file.read_text(encoding="utf-8"))
    unknown = set(facts) - set(Board._fields)
    if unknown or facts.get("architecture") not in ARCHITECTURES:
        raise ValueError(f"{file}: {', '.join(sorted(unknown)) or 'architecture'}: not known")
    if "starter" in facts:
        starter = facts["starter"]
        facts["starter"] = Starter(starter["file"], int(starter["address"], 0), starter["core"])
    return Board(name=name, **facts)


@functools.lru_cache(maxsize=None)
def boards():
    """{name: Board} of all."""
    return {name: read(name) for name in names()}


def with_campaign(campaign):
    """The boards on which a campaign is made."""
    return [name for name, board in boards().items() if campaign in board.campaigns]


def mesh_presets():
    """The presets of boards that act as several devices."""
    return [f"{name}_mesh" for name, board in boards().items() if board.device_cores > 1]


if __name__ == "__main__":
    print("\n".join(mesh_presets() if sys.argv[1:] == ["--mesh"] else names()))
