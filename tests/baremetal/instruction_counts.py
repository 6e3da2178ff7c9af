"""Instructions of the ECU core, counted exactly: the test application's `count` under the plugin instruction_counter."""
import collections
import dataclasses

import baremetal_support as support
from baremetal_support import OPTIONS

import link_map

# Which of the emulator's cores is the ECU core, where it is not the first.
ECU_CORES = {"zynqmp_r5": 4}
MARKERS = ("begin", "end", "pause", "resume")
INFERENCES = 3
# What count_test.cpp brackets for each inference.
PARTS = ("input_view", "submit", "poll")


@dataclasses.dataclass
class Section:
    """Instructions between two markers: all, and by piece of the image."""

    total: int
    by_piece: dict

    def by(self, key):
        """Instructions by what `key` says of a piece."""
        result = collections.Counter()
        for piece, instructions in self.by_piece.items():
            result[key(piece)] += instructions
        return result

    def of_layer(self, layer):
        """Instructions of one layer."""
        return self.by(lambda piece: piece.layer)[layer]


@dataclasses.dataclass
class Counts:
    """One run: load(), and what each inference took."""

    load: Section
    inferences: list

    @property
    def load_without_digest(self):
        """What load() and the validation in it take, SHA-256 apart."""
        return self.load.total - self.load.of_layer("digest")

    def numbers(self):
        """Everything that must repeat."""
        return [self.load.total, self.load.of_layer("digest"), *(inference.total for inference in self.inferences)]


def merged(sections):
    """The sum of sections."""
    by_piece = collections.Counter()
    for section in sections:
        by_piece.update(section.by_piece)
    return Section(sum(section.total for section in sections), by_piece)


def write_setup(path, image):
    """Tells the plugin what to count; the pieces, in the order of the ranges that it was given."""
    symbols = link_map.symbols(image, OPTIONS.board)
    pieces = sorted(link_map.read(image).inside(".text"), key=lambda piece: piece.address)
    lines = [f"core {ECU_CORES.get(OPTIONS.board, 0)}"]
    lines += [f"{marker} {symbols['pianola_count_' + marker][0]:x}" for marker in MARKERS]
    lines += [f"range {piece.address:x} {piece.address + piece.size_bytes:x}" for piece in pieces]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return pieces


def read_result(text, pieces):
    """The sections that the plugin has written."""
    sections = []
    for line in text.splitlines():
        words = line.split()
        if words[0] == "confused":
            raise RuntimeError("the markers did not alternate")
        if words[0] == "section":
            sections.append(Section(int(words[2]), {}))
        elif int(words[1]) < len(pieces):
            sections[-1].by_piece[pieces[int(words[1])]] = int(words[2])
    return sections


def measure(model, folder):
    """The Counts of one model."""
    records = folder / "input"
    records.write_bytes(model.records(1))
    setup, result = folder / "setup.txt", folder / "counts.txt"
    pieces = write_setup(setup, OPTIONS.image)
    result.unlink(missing_ok=True)
    plugin = f"{OPTIONS.plugin},setup={setup},result={result}"
    run = support.Run("count", model.file, records, extra=["-plugin", plugin]).require()
    assert run.values["inferences"] == INFERENCES, run.output
    sections = read_result(result.read_text(encoding="utf-8"), pieces)
    assert len(sections) == 1 + INFERENCES * len(PARTS), f"{len(sections)} sections"
    inferences = [merged(sections[first:first + len(PARTS)]) for first in range(1, len(sections), len(PARTS))]
    return Counts(sections[0], inferences)


def histogram(section, rows=25):
    """Where the instructions of a section go, function by function, as lines of text."""
    busiest = sorted(section.by_piece.items(), key=lambda pair: -pair[1])[:rows]
    names = link_map.readable([piece.name.removeprefix(".text.") for piece, _ in busiest])
    lines = [f"{count:9} {piece.layer:12} {name}" for (piece, count), name in zip(busiest, names)]
    return [f"{section.total:9} in all", *lines]
