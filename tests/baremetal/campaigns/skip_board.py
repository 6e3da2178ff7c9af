"""A board that skips instructions: one binary, one run after the other, in each of which the core passes over 1, 2 or 4
instructions once.

What a skip is: when the core is about to execute the instruction at an address for the n-th time since load() was
called, the program counter is moved behind it and the width - 1 instructions that follow it in memory, as if each had
been a NOP: of an IT block that is under way the state moves on with each, and an IT that is skipped makes its
instructions unconditional. Nothing else changes. One skip per run.

The run is counted in instructions, so that it is the same every time; a run that does not end is ended by the board's
watchdog.
"""
import dataclasses
import pathlib
import struct
import subprocess

from gdb_remote import BoardUnderDebugger
import run_board

OK, REFUSED = 0x5AC3_96A5, 0x3CC3_3CC3
TICK_INSTRUCTIONS = 40  # of the watchdog, whose clock has 25 MHz, where an instruction takes a nanosecond
GENEROUS_TICKS = 0xFFFF_FFFF
PATIENCE = 4  # times the instructions of a run without a fault, and of the longest binary that is accepted
# While the board stands still under the debug stub, the emulator moves its clock to the next event, which is the tick
# of each millisecond at the latest.
LATEST_OCCURRENCE = 8
STOP_INSTRUCTIONS = 1_000_000
WATCHDOG_OFFSET = 20  # in the order
EVIDENCE = struct.Struct("<20I")
STARTS = slice(15, 19)  # regions, words of the ring, doorbells, executed commands
EXCEPTIONS = {0: "return from main()", 2: "watchdog", 3: "HardFault", 4: "MemManage", 5: "BusFault", 6: "UsageFault"}
MOST_RESTARTS = 4
# of the host's time: nothing is concluded from it. A core that runs astray in memory that is none is slow to emulate
LOST_S, SLOW_S = 30.0, 300.0


@dataclasses.dataclass(frozen=True)
class Point:
    """An instruction that the run executes."""

    address: int
    size_bytes: int
    count: int


@dataclasses.dataclass(frozen=True)
class Skip:
    """One fault. occurrence counts from 1."""

    address: int
    occurrence: int
    width: int


@dataclasses.dataclass(frozen=True)
class Ending:
    """How a run ended: "end", "exception" (number), "lockup", "restart" (from start-up code), "outside memory" (the
    core fetches instructions where none can be), "seen" (on its way to start the device), or "lost": the emulator went
    away for another reason, or did not stop."""

    how: str
    exception: int
    evidence: tuple  # of struct Evidence, order.h

    @property
    def load(self):
        """What load() said; 0 where it did not return."""
        return self.evidence[0]

    @property
    def verdict(self):
        """(status, rule, offset, what every later call said)."""
        return self.evidence[:15]

    @property
    def started(self):
        """Anything was done that only an accepted binary may have done: a region of the device was programmed, a
        doorbell rung, a command executed, or an output given out."""
        regions, _, doorbells, executed, output_bytes = self.evidence[15:20]
        return bool(regions or doorbells or executed or (output_bytes and self.evidence[11] == OK))


def symbols_of(image):
    """{name: (address, size in bytes)} of an image's symbols."""
    text = subprocess.run(["arm-none-eabi-nm", "-S", str(image)], check=True, capture_output=True, text=True).stdout
    lines = [line.split() for line in text.splitlines()]
    return {line[-1]: (int(line[0], 16), int(line[1], 16) if len(line) == 4 else 0) for line in lines if len(line) >= 3}


def functions(image):
    """[(first address, address behind, name)] of an image's functions, for reports."""
    text = subprocess.run(["arm-none-eabi-nm", "-S", "-C", str(image)], check=True, capture_output=True,
                          text=True).stdout
    lines = [line.split(maxsplit=3) for line in text.splitlines()]
    return sorted((int(line[0], 16), int(line[0], 16) + int(line[1], 16), line[3]) for line in lines
                  if len(line) == 4 and line[2] in "tTwW")


def is_wide(halfword):
    """True for the first halfword of a Thumb instruction with two."""
    return halfword >> 11 >= 0b11101


def advanced(xpsr):
    """xPSR behind one more instruction of an IT block (Armv7-M Architecture Reference Manual, ITAdvance())."""
    state = (xpsr >> 8 & 0xFC) | (xpsr >> 25 & 0x03)
    state = 0 if state & 0x07 == 0 else (state & 0xE0) | (state << 1 & 0x1F)
    return (xpsr & ~0x0600_FC00) | (state & 0xFC) << 8 | (state & 0x03) << 25


class SkipBoard:
    """One target on a board. A context."""

    # pylint: disable-next=too-many-arguments
    def __init__(self, name, image, target, folder, plugin, accepted_instructions=0):
        self.name = name
        self.image, self.target, self.plugin = pathlib.Path(image), target, plugin
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.symbols = symbols_of(image)
        self.load_area = self.symbols["__load_area_start"][0]
        self.begin, self.end, self.handler = (self.symbols[name][0] & ~1
                                              for name in ("pianola_skip_begin", "pianola_skip_end",
                                                           "__wrap_pianola_stop_on_fault"))
        # Where whatever starts the device comes past: for runs whose memory is lost.
        marks = ("WatchedDevice14program_region", "WatchedDevice13ring_doorbell",
                 "__wrap__ZN7pianola6refdev12ExecutionLog6append")
        self.starts = [
            address & ~1 for name, (address, _) in self.symbols.items() if any(mark in name for mark in marks)
        ]
        assert len(self.starts) == 3, self.starts
        self.board = None
        self.points = self.executed()
        self.instructions = sum(point.count for point in self.points)
        self.patience = PATIENCE * max(self.instructions, accepted_instructions)
        self.code = {}
        self.restarts = 0
        self.clean = self.run(None)
        self.rule = self.text(self.clean.evidence[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends the emulator."""
        if self.board is not None:
            self.board.end()
            self.board = None

    def order_file(self):
        """What is loaded with the image."""
        file = self.folder / "order.bin"
        file.write_bytes(self.target.order(GENEROUS_TICKS))
        return file

    def executed(self):
        """Every instruction between the markers of a run without a fault, as Points in the order of their first
        execution."""
        result = self.folder / "points.txt"
        result.unlink(missing_ok=True)
        plugin = f"{self.plugin},begin={self.begin:x},end={self.end:x},result={result}"
        run = run_board.run(self.name, self.image, icount=True, extra=["-plugin", plugin],
                            loads=[(self.order_file(), self.load_area)])
        if run.returncode != 0 or not result.is_file():
            raise RuntimeError(f"{self.target.name}: no end\n{run.output}")
        lines = [line.split() for line in result.read_text(encoding="ascii").splitlines()]
        return [Point(int(address, 16), int(size), int(count)) for address, size, count in lines]

    def skippable(self):
        """The points that belong to the path: not the application's own, nor the markers'."""
        own = [
            self.symbols[name] for name in ("main", "pianola_skip_attempt", "pianola_skip_begin", "pianola_skip_end")
        ]
        return [point for point in self.points
                if not any(address & ~1 <= point.address < (address & ~1) + size for address, size in own)]

    def start(self):
        """A board that waits at the beginning, with a breakpoint wherever a run may end."""
        if self.board is not None:
            return
        self.board = BoardUnderDebugger(self.name, self.image, self.folder, loads=[(self.order_file(), self.load_area)])
        for address in (self.begin, self.end, self.handler):
            self.board.gdb.set_breakpoint(address)

    def halfword(self, address):
        """Of the text, which is read once."""
        if address not in self.code:
            base = address & ~0x3FF
            data = self.board.gdb.read_memory(base, 1024)
            self.code.update((base + at, int.from_bytes(data[at:at + 2], "little")) for at in range(0, 1024, 2))
        return self.code[address]

    def pass_over(self, gdb, skip):
        """Moves the core behind `width` instructions; it stands in front of the first."""
        address, xpsr = skip.address, gdb.read_register("xpsr")
        changed = xpsr
        for _ in range(skip.width):
            address += 4 if is_wide(self.halfword(address)) else 2
            changed = advanced(changed)
        if changed != xpsr:
            gdb.write_register("xpsr", changed)
        gdb.write_register("pc", address)

    def run(self, skip):
        """One run, with one skip or none: an Ending, or None where the instruction is not reached that often. What was
        lost is run once more, and a start is believed where it is seen to happen: a core that fills memory with one
        value fills the evidence as well."""
        ending = self.run_once(skip)
        again = skip is not None and ending is not None and (ending.how == "lost" or any(ending.evidence[STARTS]))
        return self.run_again(skip) if again else ending

    def run_again(self, skip):
        """The emulator ends where a core would lock up, and where it leaves all memory, and takes what there is to see
        with it; a core that jumps back to its start-up code clears it. The same once more, with breakpoints where a
        start comes past: the run is the same every time."""
        self.start()
        for address in self.starts:
            self.board.gdb.set_breakpoint(address)
        ending = self.run_once(skip, through=True)
        self.stop()
        if ending.how != "seen":
            ending = dataclasses.replace(
                ending, evidence=(*ending.evidence[:STARTS.start], *[0] * 4, *ending.evidence[STARTS.stop:]))
        if ending.how != "lost":
            return ending
        # The log begins anew with every start().
        messages = (self.folder / "qemu.log").read_text(encoding="utf-8", errors="replace")
        last = [line for line in messages.splitlines() if line.startswith("qemu: fatal")][-1:]
        if last:
            return dataclasses.replace(ending, how="lockup" if "Lockup" in last[0] else "outside memory")
        return ending

    def run_once(self, skip, through=False):
        """The run itself; `through` a start-up that is not the first."""
        self.start()
        gdb = self.board.gdb
        gdb.monitor("system_reset")
        stops = 4 + 2 * (0 if skip is None else skip.occurrence)
        gdb.write_word(self.load_area + WATCHDOG_OFFSET,
                       (self.patience + stops * STOP_INSTRUCTIONS) // TICK_INSTRUCTIONS)
        stop = gdb.resume(LOST_S)
        assert stop.at == self.begin, stop
        gdb.step(LOST_S)  # resuming at a breakpoint would stop there again
        if skip is not None:
            gdb.set_breakpoint(skip.address)
            stop = gdb.resume(LOST_S)
            for _ in range(skip.occurrence - 1):
                if stop.at != skip.address:
                    break
                stop = gdb.step(LOST_S)  # an interrupt or a branch to itself may lie in between
                if stop.at != skip.address:
                    stop = gdb.resume(LOST_S)
            gdb.clear_breakpoint(skip.address)
            if stop.at != skip.address:
                return None
            self.pass_over(gdb, skip)
        patience_s = SLOW_S if through else LOST_S
        stop, restarts = gdb.resume(patience_s), 0
        while through and stop.at == self.begin and restarts < MOST_RESTARTS:
            gdb.step(LOST_S)
            stop, restarts = gdb.resume(patience_s), restarts + 1
        ending = self.ending(gdb, stop)
        if restarts and ending.how != "lost" and not ending.started:
            ending = dataclasses.replace(ending, how="restart")
        if ending.how == "lost" or ending.started:
            self.stop()  # memory of the device is not cleared by a reset
            self.restarts += 1
        return ending

    def text(self, address):
        """A text in the image that ends with a zero."""
        if self.board is None or address == 0:
            return ""
        return self.board.gdb.read_memory(address, 32).split(b"\0")[0].decode("ascii")

    def ending(self, gdb, stop):
        """What there is to see at the end."""
        if stop.at in self.starts:
            return Ending("seen", 0, (0,) * 15 + (1,) * 5)
        if stop.kind != "signal" or stop.at not in (self.end, self.handler):
            return Ending("lost", 0, (0,) * 20)
        evidence = EVIDENCE.unpack(gdb.read_memory(self.symbols["pianola_skip_evidence"][0], EVIDENCE.size))
        if stop.at == self.end:
            return Ending("end", 0, evidence)
        return Ending("exception", gdb.read_register("xpsr") & 0x1FF, evidence)


def classify(clean, ending):
    """(detected, harmless or silent, how) of a run with a skip; `clean` is the run without. ("undecided", ...) where
    nothing can be said."""
    if ending.how == "lost":
        return "undecided", "the emulator went away or did not stop"
    if ending.started:
        return "silent", "the device was started"
    if ending.how in ("lockup", "restart", "outside memory"):
        return "detected", ending.how
    if ending.how == "exception":
        return "detected", EXCEPTIONS.get(ending.exception, f"exception {ending.exception}")
    if ending.verdict == clean.verdict:
        return "harmless", "refused as without a fault"
    if OK in (ending.load, *ending.evidence[3:13]):
        return "false ok", "a call said kOk, and nothing was started"
    if ending.load == REFUSED:
        return "detected", "refused, with another verdict or other answers later"
    return "detected", "load() failed"
