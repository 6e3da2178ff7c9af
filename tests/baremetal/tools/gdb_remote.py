"""A client of QEMU's debug stub, which speaks GDB's remote serial protocol ("Debugging with GDB", appendix "GDB Remote
Serial Protocol").

For campaigns that stop a board at an instruction, change something, and let it go on. With instructions counted
(icount) a run between two stops is the same every time. BoardUnderDebugger starts a board that waits before its first
instruction:

    with BoardUnderDebugger(board, image, folder) as board:
        gdb = board.gdb
        gdb.set_breakpoint(address)
        stop = gdb.resume(timeout_s=10.0)
        if stop.at == address: gdb.write_register("pc", address + 4)

What QEMU 7.2 does otherwise than one might think:
  - Semihosting works while a debugger is attached, its exit too: the connection is then closed, and resume() says so
    with a Stop whose kind is "exited".
  - Memory is written as a debugger writes it: memory of peripherals is not, but read-only memory is.
  - xpsr is whole, the state of an IT block included.
  - A breakpoint is kept over a system_reset. Its page of code runs slowly: one instruction at a time.
  - resume() lets all cores run, and a stop stops all of them; registers are those of the core that select_core() chose,
    or of the one that stopped.
  - interrupt() may go unheard where instructions are counted and every core sleeps (seen on RISC-V): rather set a
    breakpoint.
  - On a board with two clusters each is a process of its own; BoardUnderDebugger attaches to the one that board.json
    names.
"""
import dataclasses
import pathlib
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "toolchains"))
import boards  # noqa: E402  pylint: disable=wrong-import-position
import run_board  # noqa: E402  pylint: disable=wrong-import-position

MOST_MEMORY_BYTES = 1024  # in a packet: QEMU takes 4096 characters
SIGTRAP = 5


class GdbError(RuntimeError):
    """The stub refused, did not answer in time, or has gone."""


class Gone(GdbError):
    """The connection was closed: QEMU has ended."""


@dataclasses.dataclass(frozen=True)
class Stop:
    """Why the board stands still: kind is "signal", "exited" or "timeout"."""

    kind: str
    signal: int = 0
    core: str = ""  # thread id of the protocol
    at: int = -1  # its program counter


class GdbRemote:
    """One connection. `address` is the path of a Unix socket, or (host, port)."""

    def __init__(self, address, registers, timeout_s=10.0):
        self.registers = registers
        self.timeout_s = timeout_s
        self.buffer = bytearray()
        self.socket = self.connect(address, time.monotonic() + timeout_s)
        features = self.command("qSupported:multiprocess+;swbreak+;hwbreak+")
        self.multiprocess = "multiprocess+" in features
        self.command("qXfer:features:read:target.xml:0,ff0")  # single registers can be had from then on

    @staticmethod
    def connect(address, end):
        """A connected socket; QEMU may still be on its way up."""
        is_path = isinstance(address, (str, pathlib.Path))
        while True:
            connection = socket.socket(socket.AF_UNIX if is_path else socket.AF_INET, socket.SOCK_STREAM)
            try:
                connection.connect(str(address) if is_path else address)
                if not is_path:
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return connection
            except OSError as error:
                connection.close()
                if time.monotonic() > end:
                    raise GdbError(f"{address}: {error}") from error
                time.sleep(0.02)

    def close(self):
        """Leaves the board as it is."""
        self.socket.close()

    # Packets: $text#checksum, each answered with + by the other side.

    def send(self, text):
        """Sends one packet."""
        data = text.encode("ascii")
        try:
            self.socket.sendall(b"$%s#%02x" % (data, sum(data) & 0xFF))
        except OSError as error:
            raise Gone(str(error)) from error

    def receive(self, timeout_s=None):
        """The text of the next packet. TimeoutError where none comes."""
        end = time.monotonic() + (self.timeout_s if timeout_s is None else timeout_s)
        while True:
            start = self.buffer.find(b"$")
            hash_sign = self.buffer.find(b"#", start + 1) if start >= 0 else -1
            if hash_sign >= 0 and len(self.buffer) >= hash_sign + 3:
                data = bytes(self.buffer[start + 1:hash_sign])
                good = int(self.buffer[hash_sign + 1:hash_sign + 3], 16) == sum(data) & 0xFF
                del self.buffer[:hash_sign + 3]
                self.socket.sendall(b"+" if good else b"-")
                if good:
                    return data.decode("latin-1")
                continue
            self.fill(end)

    def fill(self, end):
        """Waits for more bytes."""
        left = end - time.monotonic()
        if left <= 0.0:
            raise TimeoutError
        self.socket.settimeout(left)
        try:
            more = self.socket.recv(65536)
        except (socket.timeout, TimeoutError):
            raise TimeoutError from None
        except OSError as error:
            raise Gone(str(error)) from error
        finally:
            self.socket.settimeout(None)
        if not more:
            raise Gone("QEMU closed the connection")
        self.buffer += more

    def command(self, text, timeout_s=None):
        """What the stub answers."""
        self.send(text)
        try:
            return self.receive(timeout_s)
        except TimeoutError:
            raise GdbError(f"{text}: no answer") from None

    def must(self, text):
        """As command(), of which the only good answer is OK."""
        answer = self.command(text)
        if answer != "OK":
            raise GdbError(f"{text}: {answer or 'not supported'}")

    # Cores.

    def attach(self, process):
        """Takes hold of a further process: of another cluster of cores."""
        answer = self.command(f"vAttach;{process:x}")
        if not answer.startswith("T"):
            raise GdbError(f"vAttach;{process:x}: {answer}")

    def cores(self):
        """Thread ids of all cores that this connection has hold of."""
        ids, answer = [], self.command("qfThreadInfo")
        while answer.startswith("m"):
            ids += answer[1:].split(",")
            answer = self.command("qsThreadInfo")
        return ids

    def select_core(self, core):
        """Whose registers and memory are meant, and which core steps."""
        self.must(f"Hg{core}")
        self.must(f"Hc{core}")

    # Registers, as unsigned numbers; all of those known here have 32 bits.

    def read_register(self, name):
        """A register's value."""
        answer = self.command(f"p{self.registers[name]:x}")
        if not answer or answer.startswith("E"):
            raise GdbError(f"register {name}: {answer or 'not supported'}")
        return int.from_bytes(bytes.fromhex(answer), "little")

    def write_register(self, name, value):
        """Changes a register."""
        self.must(f"P{self.registers[name]:x}={(value & 0xFFFF_FFFF).to_bytes(4, 'little').hex()}")

    # Memory.

    def read_memory(self, address, size_bytes):
        """Bytes."""
        parts = []
        while size_bytes > 0:
            count = min(size_bytes, MOST_MEMORY_BYTES)
            answer = self.command(f"m{address:x},{count:x}")
            if len(answer) != 2 * count:
                raise GdbError(f"{count} bytes at {address:#x}: {answer}")
            parts.append(bytes.fromhex(answer))
            address, size_bytes = address + count, size_bytes - count
        return b"".join(parts)

    def write_memory(self, address, data):
        """Writes bytes."""
        for start in range(0, len(data), MOST_MEMORY_BYTES):
            part = data[start:start + MOST_MEMORY_BYTES]
            self.must(f"M{address + start:x},{len(part):x}:{part.hex()}")

    def write_word(self, address, value):
        """32 bits."""
        self.write_memory(address, (value & 0xFFFF_FFFF).to_bytes(4, "little"))

    # Breakpoints. kind is the size of the instruction, of which QEMU takes no notice.

    def set_breakpoint(self, address, hardware=False, kind=2):
        """On all cores."""
        self.must(f"Z{int(hardware)},{address:x},{kind}")

    def clear_breakpoint(self, address, hardware=False, kind=2):
        """The counterpart."""
        self.must(f"z{int(hardware)},{address:x},{kind}")

    # Going on.

    def stop_of(self, answer):
        """A Stop from a stop reply."""
        if answer[:1] in ("W", "X"):
            return Stop("exited", int(answer[1:3], 16))
        if answer[:1] not in ("T", "S"):
            raise GdbError(f"not a stop reply: {answer}")
        fields = dict(field.split(":", 1) for field in answer[3:].split(";") if ":" in field)
        core = fields.get("thread", "")
        if core:
            self.select_core(core)
        return Stop("signal", int(answer[1:3], 16), core, self.read_register("pc"))

    def wait(self, timeout_s=None):
        """The next stop; "timeout" where there is none, and the board still runs: see interrupt()."""
        try:
            answer = self.receive(timeout_s)
            while answer.startswith("O"):  # console output
                answer = self.receive(timeout_s)
            return self.stop_of(answer)
        except TimeoutError:
            return Stop("timeout")
        except Gone:
            return Stop("exited")

    def resume(self, timeout_s=None):
        """Lets all cores run until one stops."""
        self.send("c")
        return self.wait(timeout_s)

    def step(self, timeout_s=None):
        """One instruction of the selected core."""
        self.send("s")
        return self.wait(timeout_s)

    def interrupt(self, timeout_s=None):
        """Stops a board that runs."""
        self.socket.sendall(b"\x03")
        return self.wait(timeout_s)

    # QEMU's monitor: "system_reset", "savevm name", "loadvm name" (with a writable qcow2 drive), "info registers" ...

    def monitor(self, text, timeout_s=None):
        """A command of QEMU's monitor; what it prints."""
        self.send(f"qRcmd,{text.encode('ascii').hex()}")
        printed = []
        try:
            while True:
                answer = self.receive(timeout_s)
                if answer == "OK":
                    return "".join(printed)
                if not answer.startswith("O"):
                    raise GdbError(f"monitor {text}: {answer or 'not supported'}")
                printed.append(bytes.fromhex(answer[1:]).decode(errors="replace"))
        except TimeoutError:
            raise GdbError(f"monitor {text}: no answer") from None


class BoardUnderDebugger:
    """A board with an image, which stands before its first instruction, and a connection to it. A context: QEMU ends
    with it.

    `folder` holds the socket, whose path must be short (108 bytes), and QEMU's messages; the image runs in it. Other
    arguments as for run_board.command().
    """

    def __init__(self, board, image, folder, arguments=(), icount=True, extra=(), loads=(), timeout_s=10.0):
        facts = boards.boards()[board]
        self.registers, self.process_id = facts.arch.registers, facts.debug_process
        self.folder = pathlib.Path(folder)
        self.socket = self.folder / "gdb.sock"
        self.socket.unlink(missing_ok=True)
        line = run_board.command(board, image, arguments, icount,
                                 [*extra, "-S", "-gdb", f"unix:{self.socket},server=on,wait=off"], loads)
        with open(self.folder / "qemu.log", "wb") as log:
            # pylint: disable-next=consider-using-with
            self.qemu = subprocess.Popen(line, cwd=self.folder, env=run_board.qemu_environment(),
                                         stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        try:
            self.gdb = GdbRemote(self.socket, self.registers, timeout_s)
            if self.process_id != 1:
                self.gdb.attach(self.process_id)
                self.gdb.select_core(
                    next(core for core in self.gdb.cores() if core.startswith(f"p{self.process_id:02x}.")))
        except BaseException:
            self.end()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Ends QEMU."""
        if hasattr(self, "gdb"):
            self.gdb.close()
        self.qemu.kill()
        self.qemu.wait()
        self.socket.unlink(missing_ok=True)
