"""A board whose memory the host may change while it stands still.

The machine's RAM is a file that the host maps. An image stops the machine by asking the host through a named pipe
(probed/host_channel.h): until the host answers, no core goes on and no instruction is counted.
"""
import mmap
import os
import pathlib
import select
import struct
import subprocess
import time

import boards
import run_board

MESSAGE = struct.Struct("<16I")
MEBIBYTE = 1024 * 1024
LOOK_S = 0.2
CLEARED_BYTES = 16 * 1024
# The emulator has hung where it has computed for that long without an answer; or waited for so long, on however busy a
# host.
PATIENCE_CPU_S = 60
PATIENCE_S = 600


class Ended(Exception):
    """The image has ended instead of answering; the exit code."""


class Hung(Exception):
    """The image has not answered in time."""


def memory_options(path, size):
    """QEMU's options for a machine with its RAM in that file."""
    return ["-machine", "memory-backend=ram",
            "-object", f"memory-backend-file,id=ram,size={size},mem-path={run_board.quoted(path)},share=on"]


class PausedBoard:
    """One start of an image; a context manager."""

    def __init__(self, board, image, folder, arguments):
        memory = boards.boards()[board].memory  # where it begins, as its cores see it
        self.base, self.folder = int(memory["base"], 0), folder
        size = memory["mebibytes"] * MEBIBYTE
        self.ram_file, self.console_file = folder / "ram", folder / "console"
        pipes = [folder / "to_host", folder / "from_host"]
        for path in (*pipes, self.ram_file):
            path.unlink(missing_ok=True)
        self.handles = []
        for path in pipes:
            os.mkfifo(path)
            # for both: so that neither side waits for the other to open
            self.handles.append(os.open(path, os.O_RDWR | os.O_NONBLOCK))
        with open(self.ram_file, "wb") as ram:
            ram.truncate(size)
        with open(self.ram_file, "r+b") as ram:
            self.ram = mmap.mmap(ram.fileno(), size)
        words = [*arguments, *(path.name for path in pipes)]
        line = run_board.command(board, image, words, icount=True, extra=memory_options(self.ram_file, size))
        with open(self.console_file, "wb") as console:
            self.process = subprocess.Popen(line, cwd=folder, env=run_board.qemu_environment(),
                                            stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the emulator."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for handle in self.handles:
            os.close(handle)
        self.handles = []
        self.ram.close()
        self.ram_file.unlink(missing_ok=True)

    def console(self):
        """What the image has printed."""
        return self.console_file.read_text(errors="replace")

    def computed_s(self):
        """Processor time of the emulator; nothing once it has ended."""
        try:
            fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(
                encoding="ascii").rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def receive(self):
        """The words of the next message; the machine stands still from then on."""
        ends, computed_s = time.monotonic() + PATIENCE_S, self.computed_s()
        while True:
            if select.select([self.handles[0]], [], [], LOOK_S)[0]:
                return MESSAGE.unpack(os.read(self.handles[0], MESSAGE.size))
            if self.process.poll() is not None:
                raise Ended(self.process.returncode)
            if (time.monotonic() > ends) or (self.computed_s() - computed_s > PATIENCE_CPU_S):
                raise Hung()

    def send(self, *words):
        """Answers; the machine goes on."""
        os.write(self.handles[1], MESSAGE.pack(*words, *([0] * (16 - len(words)))))

    def read(self, address, size):
        """Bytes of the machine's memory."""
        return self.ram[address - self.base:address - self.base + size]

    def write(self, address, data):
        """Changes the machine's memory."""
        self.ram[address - self.base:address - self.base + len(data)] = data

    def clear(self, address, size):
        """Zeros, written where there is something else only: what is not touched is not written to the file either."""
        for start in range(address, address + size, CLEARED_BYTES):
            zeros = bytes(min(CLEARED_BYTES, address + size - start))
            if self.read(start, len(zeros)) != zeros:
                self.write(start, zeros)

    def flip(self, address, bit):
        """Inverts one bit of a byte."""
        self.ram[address - self.base] ^= 1 << bit
