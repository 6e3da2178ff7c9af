"""Instructions of the ECU core, counted exactly: what the test application brackets, under the plugin
instruction_counter."""
import collections
import dataclasses

import baremetal_support as support
from baremetal_support import OPTIONS

import link_map

MARKERS = ("begin", "end", "pause", "resume", "cut")
INFERENCES = 3
# By section: interrupt handlers, because when a tick comes is the board's affair, and not work of load() or of an
# inference; and what only tells the counter that the device has executed a command.
NOT_COUNTED = (".text.pianola_tick",
               ".text.__wrap__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE")
# What count_test.cpp brackets for each inference.
PARTS = ("input_view", "submit", "wait")


@dataclasses.dataclass
class Section:
    """Instructions between two markers: all, by piece of the image, and in the toolchain's functions by the piece that
    called."""

    total: int = 0
    by_piece: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    called_by: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def of_layer(self, layer):
        """Instructions of one layer, with those of memcpy and its kind on its behalf."""
        return sum(count for counts in (self.by_piece, self.called_by) for piece, count in counts.items()
                   if piece.layer == layer)

    @property
    def in_toolchain(self):
        """Instructions of memcpy and its kind, whoever called them."""
        return sum(self.called_by.values())


@dataclasses.dataclass
class Counts:
    """One validation, load(), load() with an engine for digests, what each inference took, and with verified release
    each slice of constants."""

    validation: Section
    load: Section
    load_with_engine: Section
    inferences: list
    slices: int
    verified: list
    interval: list

    @property
    def release(self):
        """What verified release adds to an inference."""
        return max(each.total for each in self.verified) - max(each.total for each in self.inferences)

    @property
    def per_slice(self):
        """The same, for each slice of constants."""
        return self.release // self.slices

    @property
    def share(self):
        """What release within an interval of ten periods adds to an inference."""
        return max(each.total for each in self.interval) - max(each.total for each in self.inferences)

    def numbers(self):
        """Everything that must repeat."""
        return [*(section.total for section in (self.validation, self.load, self.load_with_engine,
                                                     *self.inferences, *self.verified, *self.interval)),
                self.load.of_layer("digest")]


def without_digest(section):
    """What a section takes, SHA-256 apart."""
    return section.total - section.of_layer("digest")


def merged(sections):
    """The sum of sections."""
    result = Section()
    for section in sections:
        result.total += section.total
        result.by_piece.update(section.by_piece)
        result.called_by.update(section.called_by)
    return result


def write_setup(path, image, parts=False):
    """Tells the plugin what to count, and whether in parts. Returns the pieces, in the order of its ranges."""
    symbols = link_map.symbols(image, OPTIONS.board)
    pieces = sorted(link_map.read(image).inside(".text"), key=lambda piece: piece.address)
    lines = [f"core {support.board().ecu_core}"]
    # Markers that an application does not call, the linker has dropped.
    lines += [f"{marker} {symbols['pianola_count_' + marker][0]:x}" for marker in MARKERS
              if f"pianola_count_{marker}" in symbols]
    for piece in pieces:
        kind = "skip" if piece.name in NOT_COUNTED else "leaf" if piece.layer == "toolchain" else "range"
        lines.append(f"{kind} {piece.address:x} {piece.address + piece.size_bytes:x}")
    lines += ["parts"] if parts else []
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
            sections.append(Section(int(words[2])))
        elif int(words[1]) < len(pieces):
            counts = sections[-1].by_piece if words[0] == "range" else sections[-1].called_by
            counts[pieces[int(words[1])]] = int(words[2])
    return sections


def counted(folder, *arguments, extra=()):
    """(sections, reported values) of one start of the test application; `extra` are options of QEMU."""
    setup, result = folder / "setup.txt", folder / "counts.txt"
    pieces = write_setup(setup, OPTIONS.image)
    result.unlink(missing_ok=True)
    plugin = f"{OPTIONS.plugin},setup={setup},result={result}"
    run = support.Run(*arguments, extra=["-plugin", plugin, *extra]).require()
    return read_result(result.read_text(encoding="utf-8"), pieces), run.values


def counted_parts(folder, *arguments, extra=(), timeout_s=600):
    """(parts, edges) of the one section of a start of the test application: what each part between a resume and a pause
    takes, and the rest of the section."""
    setup, result = folder / "setup.txt", folder / "parts.txt"
    write_setup(setup, OPTIONS.image, parts=True)
    result.unlink(missing_ok=True)
    plugin = f"{OPTIONS.plugin},setup={setup},result={result}"
    support.Run(*arguments, extra=["-plugin", plugin, *extra], timeout_s=timeout_s).require()
    counts = {"part": [], "edge": [], "section": []}
    for line in result.read_text(encoding="utf-8").splitlines():
        word, *numbers = line.split()
        if word == "confused":
            raise RuntimeError("the markers did not alternate")
        counts[word].append(int(numbers[-1]))
    if [sum(counts["part"]) + sum(counts["edge"])] != counts["section"]:
        raise RuntimeError(f"{arguments}: the parts are not the section")
    return counts["part"], counts["edge"]


def inferences_of(model, folder, *mode):
    """(load, inferences, slices of constants) of one run of the model."""
    records = folder / "input"
    records.write_bytes(model.records(1))
    sections, values = counted(folder, "count", model.file, records, *mode)
    assert values["inferences"] == INFERENCES, values
    assert len(sections) == 1 + INFERENCES * len(PARTS), f"{len(sections)} sections"
    inferences = [merged(sections[first:first + len(PARTS)]) for first in range(1, len(sections), len(PARTS))]
    return sections[0], inferences, values["slices"]


def measure(model, folder):
    """The Counts of one model."""
    (validation,), values = counted(folder, "validate", model.file)
    assert values["accepted"] == 1, values
    load, inferences, slices = inferences_of(model, folder)
    with_engine, _, _ = inferences_of(model, folder, "engine")
    _, verified, _ = inferences_of(model, folder, "verified")
    _, interval, _ = inferences_of(model, folder, "interval")
    return Counts(validation, load, with_engine, inferences, slices, verified, interval)


def histogram(section, rows=60):
    """Where the instructions of a section go, function by function, as lines of text; with the toolchain's on their
    behalf."""
    pieces = [piece for piece in section.by_piece if piece.layer != "toolchain"]
    pieces.sort(key=lambda piece: -(section.by_piece[piece] + section.called_by[piece]))
    names = link_map.readable([piece.name.removeprefix(".text.") for piece in pieces[:rows]])
    lines = [f"{section.total:9} in all, of these {section.in_toolchain} in memcpy and its kind", "      own    called"]
    lines += [f"{section.by_piece[piece]:9} {section.called_by[piece]:9} {piece.layer:12} {name}"
              for piece, name in zip(pieces, names)]
    return lines
