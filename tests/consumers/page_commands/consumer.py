"""The commands of docs/guide/packages.md that configure a target-only build, as they stand there, in a folder that has
what the page says: the source package, and the board and the device of tests/consumers/own_board."""
import re
import shutil

COMMAND = re.compile(r"^    (cmake -S (?:.*\\\n)*.*)$", re.MULTILINE)
PACKAGE = re.compile(r"-S (\S+)")


def run(kit):
    """Each in a new build folder."""
    commands = COMMAND.findall((kit.source / "docs/guide/packages.md").read_text(encoding="utf-8"))
    assert len(commands) >= 2, commands
    own = kit.source / "tests/consumers/own_board"
    for folder in ("board", "npu"):
        shutil.copytree(own / folder, kit.folder / folder)
    for name in ("npu.h", "npu_command_set.cpp", "npu_device.cpp"):
        shutil.copy(kit.source / "docs/examples/port" / name, kit.folder / "npu")
    (kit.folder / PACKAGE.search(commands[0])[1]).symlink_to(kit.package)
    for command in commands:
        printed = kit.run("bash", "-c", command)
        assert "Build files have been written" in printed, printed
        shutil.rmtree(kit.folder / "target")
