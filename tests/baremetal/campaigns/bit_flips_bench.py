"""The bench of bit_flips.py: a board that stands still at a moment, a bit that is inverted from outside, and what came
of it."""
import collections
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / folder) for folder in ("toolchains", "tests/baremetal/tools")]
import boards  # noqa: E402  pylint: disable=wrong-import-position
from paused_board import Ended, Hung, PausedBoard  # noqa: E402  pylint: disable=wrong-import-position

SAMPLE = "road_signs"
STEPS = 2

# A picture each. Faded, because a network that is sure of what it sees gives the same output after nearly every damage.
PICTURES = (1, 2)
FADED_TO = 4

# As in probed/bit_flips_test.cpp.
NO_MOMENT, EVERY_MOMENT = 0, 0xFFFFFFFF
KINDS = {1: "call", 2: "command", 3: "between"}
PHASES = ("set-up", "loaded", "submit", "running", "completed", "verifying", "released", "over")
IS_MOMENT, IS_END = 1, 2
OK = 0x5AC396A5  # runtime/include/pianola/status.h
STAGES = ("none", "reset", "program", "setup", "read-back", "submit", "step", "self-test", "parameter", "scrub",
          "state", "arm")
# Five references, two of them devices, and the shape of the mesh, at the front of a session, outside its seal:
# runtime/include/pianola/session.h.
REFERENCE_BYTES = 28

Moment = collections.namedtuple("Moment", "kind number phase step inside")
Trial = collections.namedtuple("Trial", "region byte bit moment")
Outcome = collections.namedtuple("Outcome", "result by moment")


class Broken(Exception):
    """The campaign does not work: nothing that it says is worth anything."""


def checked(*command):
    """Runs a host program that must succeed."""
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise Broken(f"{command[0]}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def faded(picture):
    """A picture of signed bytes with a part of its contrast."""
    return bytes(
        int.from_bytes(picture[k:k + 1], "little", signed=True) // FADED_TO & 0xFF for k in range(len(picture)))


class Bench:
    """The board, a binary, its inputs, and the right outputs: those of the simulator."""

    def __init__(self, board, image, pianola, sample, folder, release="verified"):
        self.board_name, self.image, self.folder = board, image, folder
        self.release = 1 if release == "completion" else 0
        folder.mkdir(parents=True, exist_ok=True)
        file, inputs, outputs = folder / "model.ptb", folder / "inputs.bin", folder / "outputs.bin"
        # Of a step, in the emulator: two to four times what it takes, so that what never ends is noticed soon.
        deadline_us = boards.boards()[board].campaigns["bit_flips"]["deadline_us"]
        checked(pianola, "capture", sample / f"{SAMPLE}.tflite", "-o", file, "--queues", 2,
                "--device", pathlib.Path(__file__).resolve().parents[3] / "hal/boards/common/device.json",
                "--deadline-us", deadline_us, "--setup-deadline-us", deadline_us)
        inputs.write_bytes(b"".join(faded((sample / f"sign_{k}.bin").read_bytes()) for k in PICTURES))
        checked(pianola, "run", file, "--batch", "--input", inputs, "--output", outputs)
        self.file_bytes, right = file.read_bytes(), outputs.read_bytes()
        size = len(right) // STEPS
        self.right = [right[k * size:(k + 1) * size] for k in range(STEPS)]
        if self.right[0] == self.right[1]:
            raise Broken("both steps have the same output: the wrong one would not be noticed")
        self.board, self.places, self.starts = None, {}, 0
        self.start()
        self.moments = self.survey()

    def close(self):
        """Ends the emulator."""
        if self.board is not None:
            self.board.close()
            self.board = None

    def start(self):
        """A new emulator, ready for the first life."""
        self.close()
        self.board = PausedBoard(self.board_name, self.image, self.folder, ["bit_flips", "model.ptb", "inputs.bin"])
        self.starts += 1
        try:
            self.board.receive()
        except (Ended, Hung) as error:
            raise Broken(f"{self.image} does not start: {error!r}\n{self.board.console()}") from error
        self.places = self.read_places()

    def read_places(self):
        """Name -> [(address, bytes)], as the image has reported them."""
        places, name, address = collections.defaultdict(list), "", 0
        for line in self.board.console().splitlines():
            key, _, value = line.partition("=")
            if key == "place":
                name = value
            elif key == "address":
                address = int(value)
            elif key == "bytes":
                places[name].append((address, int(value)))
        [(session, size)] = places.pop("session")
        places["session state"] = [(session + REFERENCE_BYTES, size - REFERENCE_BYTES)]
        places["session state, in a call"] = places["session state"]
        return dict(places)

    def clean_memory(self):
        """Nothing of an earlier life may help a later one: no activations, outputs or words of rings. The binary is
        whole again."""
        for memory in ("device_dram", "device_l1"):
            self.board.clear(*self.places[memory][0])
        for address, size in self.places["all rings"] if "all rings" in self.places else self.places["rings"]:
            self.board.write(address, bytes(size))
        [(file, size)] = self.places["binary"]
        self.board.write(file, self.file_bytes[:size])

    def survey(self):
        """Every moment of a life without a flip. Cuts the rings down to what is in use."""
        self.clean_memory()
        self.board.send(EVERY_MOMENT, 0, self.release)
        moments = []
        while True:
            words = self.board.receive()
            if words[0] == IS_END:
                break
            moments.append(Moment(words[1], words[2], words[3], words[4], bool(words[5])))
            self.board.send(0)
        self.require_clean(words)
        rings, positions = self.places["rings"], self.places["ring positions"][::2]
        used = [int.from_bytes(self.board.read(address, 4), "little") for address, _ in positions]
        self.places["all rings"] = rings
        self.places["rings"] = [(address, min(size, 4 * words)) for (address, size), words in zip(rings, used)]
        self.places["activations"] = [(self.places["device_l1"][0][0], self.level1_in_use())]
        return moments

    def level1_in_use(self):
        """Up to the last byte that a life has left."""
        [(address, size)] = self.places["device_l1"]
        return max(64, len(self.board.read(address, size).rstrip(b"\0")))

    def require_clean(self, end):
        """Without a flip, both outputs are the simulator's."""
        if end[1:4] != (OK, OK, OK) or [self.output(step) for step in range(STEPS)] != self.right:
            raise Broken(f"a life without a flip goes wrong: {[hex(word) for word in end]}")

    def output(self, step):
        """What lies in the memory that the application lent for an output."""
        return self.board.read(*self.places["output"][step])

    def clean_life(self):
        """One, without a flip."""
        self.clean_memory()
        self.board.send(NO_MOMENT, 0, self.release)
        self.require_clean(self.board.receive())

    def places_kept(self):
        """Restarts, and keeps what only a survey knows: it is the same image."""
        known = self.places
        self.start()
        self.places = known

    def bytes_of(self, region):
        """How many a region has."""
        return sum(size for _, size in self.places[region])

    def address_of(self, region, byte):
        """Of the n-th byte of a region, which may be in pieces."""
        for address, size in self.places[region]:
            if byte < size:
                return address + byte
            byte -= size
        raise Broken(f"{region} has no such byte")

    def run(self, trial):
        """The outcome of one trial; None where its moment has not come."""
        self.clean_memory()
        self.board.send(trial.moment.kind, trial.moment.number, self.release)
        moment = None
        try:
            words = self.board.receive()
            if words[0] == IS_MOMENT:
                moment = Moment(words[1], words[2], words[3], words[4], bool(words[5]))
                self.board.flip(self.address_of(trial.region, trial.byte), trial.bit)
                self.board.send(0)
                words = self.board.receive()
        except Ended as ended:
            outcome = self.judge_stopped(moment, f"core fault {ended}")
            self.places_kept()
            return outcome
        except Hung:
            self.places_kept()
            return Outcome("hung", "", moment)
        return self.judge(words, moment) if moment is not None else None

    def released(self):
        """For each step: whether its output was released, as the application saw it."""
        [(address, _)] = self.places["step_status"]
        return [int.from_bytes(self.board.read(address + 4 * step, 4), "little") == OK for step in range(STEPS)]

    def judge_stopped(self, moment, why):
        """A core has stopped for good: what it had released by then counts."""
        wrong = any(released and self.output(step) != self.right[step] for step, released in enumerate(self.released()))
        return Outcome("silent" if wrong else "detected", why.split()[0] + " fault", moment)

    def judge(self, end, moment):
        """The application has come to the end of a life."""
        zero = bytes(len(self.right[0]))
        released = self.released()
        for step in range(STEPS):
            if self.output(step) != (self.right[step] if released[step] else zero):
                return Outcome("silent", "", moment)
        if all(released):
            return Outcome("harmless", "", moment)
        stage = STAGES[end[4]] if end[4] < len(STAGES) else "damaged record"
        return Outcome("detected", stage if stage != "none" else "refused", moment)
