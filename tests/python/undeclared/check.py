"""Whether the binary of a captured program is the program's, or was refused as it should be.

What the binary takes and gives is told by its captured data, never by an order or by names: every write of a program
has separate data. Then the binary runs again with other data, and the model says what it must give."""
import collections
import dataclasses
import re

import numpy
import pianola

from model import Model
from player import capture
from program import AFTER, LOOP, SAME

NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()
MORE = 2  # inferences after those of the captured run


@dataclasses.dataclass
class Verdict:
    """`outcome`: captured, single (one step of all turns), refused; `faults` are names with what was seen."""
    outcome: str
    faults: list = dataclasses.field(default_factory=list)
    message: str = ""
    per_step: int = 0
    inferences: int = 0
    notes: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Taken:
    """One input of one inference: which write each of its pieces is."""
    writes: list
    devices: list
    torn: bool


def check(program):
    """Captures a program, and judges the result."""
    try:
        result, reads = capture(program)
    except pianola.Error as error:
        return Verdict("not run", [("not run", str(error))])
    model = Model(program)
    if len(reads) != len(model.reads) or not all(
            numpy.array_equal(mine.array, theirs) for mine, theirs in zip(model.reads, reads)):
        return Verdict("not run", [("model differs from the eager program", "")])
    if isinstance(result, pianola.Error):
        empty = [] if result.rule and len(str(result)) > len(result.rule) + 10 else [("refused without a reason", "")]
        return Verdict("refused", empty, str(result))
    return Judge(program, model, result).verdict()


def pieces_of(array, rows):
    """A tensor of the binary, cut into those of devices."""
    return [array[row:row + rows] for row in range(0, array.shape[0], rows)]


def content(array):
    """For look-ups."""
    return array.tobytes()


class Judge:
    """Of one binary."""

    def __init__(self, program, model, result):
        self.program, self.model, self.result = program, model, result
        self.session = pianola.Session(result.file)
        self.names = [each["name"] for each in self.session.inputs]
        self.given = [[record[name] for name in self.names] for record in result.inputs]
        outputs = [each["name"] for each in self.session.outputs]
        self.seen = [[record[name] for name in outputs] for record in result.outputs]
        self.faults = []
        self.notes = []
        self.sources = collections.defaultdict(list)
        for place, write in enumerate(model.writes):
            for device, array in write.pieces.items():
                self.sources[content(array)].append((place, device))

    def fault(self, name, text=""):
        """One that does not depend on how many turns a step has."""
        self.faults.append((name, text))

    def verdict(self):
        """All checks."""
        verdict = Verdict("captured", self.faults, inferences=len(self.given), message=" | ".join(self.result.warnings))
        self.inferences = verdict.inferences
        self.taken = [self.identify_all(record) for record in self.given]
        if any(each is None for record in self.taken for each in record):
            self.fault("an input that the program does not write")
            return verdict
        if any(each.torn for record in self.taken for each in record):
            self.fault("torn input")
        if any(len(each.writes) == 1 and self.in_pieces(self.model.writes[each.writes[0]])
               for record in self.taken for each in record):
            self.fault("a tensor in pieces", "an input")
        setup = {self.model.writes[place].site for record in self.taken for each in record for place in each.writes
                 if self.model.writes[place].is_setup}
        if setup and self.inferences > 1:
            self.fault("set-up taken as an input", str(setup))
        self.fresh = Model(self.program, 1, fresh=setup)
        self.run_again()
        trials = [self.judge(per_step) for per_step in range(1, self.program.turns // max(1, self.inferences) + 1)]
        if not trials:
            self.fault("more inferences than turns")
            return verdict
        best = min(trials, key=lambda each: len(each[1]))
        verdict.per_step = best[0]
        self.faults += best[1]
        if not self.faults:
            self.faults += self.go_on(best[0])
        if self.inferences == 1 and self.program.turns > 1:
            verdict.outcome = "single"
        verdict.notes = sorted(set(self.notes))
        return verdict

    def identify_all(self, record):
        """Which writes the inputs of an inference are; where two have the same bytes, each is one of them."""
        used, result = set(), []
        for array in record:
            result.append(self.identify(array, used))
            used.update(result[-1].writes if result[-1] else ())
        return result

    def identify(self, array, used):
        """Which write it is: one whose pieces are all of these, else one for each piece."""
        found = [self.sources.get(content(piece)) for piece in pieces_of(array, self.program.shape[0])]
        if not all(found):
            return None
        writes = self.model.writes
        for place in sorted({place for each in found for place, _ in each}, key=lambda each: (each in used, each)):
            devices = [sorted(device for there, device in each if there == place) for each in found]
            if all(devices):
                own = sorted(writes[place].pieces)
                if len(found) == len(own) and all(device in each for device, each in zip(own, devices)):
                    devices = [[device] for device in own]
                return Taken([place] * len(found), [each[0] for each in devices], False)
        chosen = [each[0] for each in found]
        torn = any(not writes[place].partial for place, _ in chosen)
        return Taken([place for place, _ in chosen], [device for _, device in chosen], torn)

    @staticmethod
    def in_pieces(write):
        """Whether one piece is not all of it."""
        return write.cut and len(write.pieces) > 1

    def array_of(self, taken, model):
        """The same input with another model's data."""
        writes = model.writes
        return numpy.concatenate([writes[place].pieces[device] for place, device in zip(taken.writes, taken.devices)])

    def run_again(self):
        """With the program's own data, and with other data of the same writes."""
        own = pianola.Session(self.result.file).run(self.given)
        other = pianola.Session(self.result.file).run(
            [[self.array_of(each, self.fresh) for each in record] for record in self.taken])
        self.candidates = []
        for mine, own_record, other_record in zip(self.seen, own, other):
            record = []
            for captured, own_array, other_array in zip(mine, own_record, other_record):
                if not numpy.array_equal(captured, own_array):
                    self.fault("the program's own inputs give other outputs")
                record.append(self.matches(captured, other_array))
            self.candidates.append(record)

    def matches(self, captured, other):
        """Reads that gave this output in both runs; and a name of what is wrong where there are none."""
        pairs = list(zip(self.model.reads, self.fresh.reads))
        whole = [place for place, (mine, fresh) in enumerate(pairs)
                 if numpy.array_equal(mine.array, captured) and numpy.array_equal(fresh.array, other)]
        if whole:
            return whole, ""
        parts, count = [], captured.shape[0] // self.program.shape[0]
        for place, pieces in enumerate(zip(pieces_of(captured, self.program.shape[0]),
                                           pieces_of(other, self.program.shape[0]))):
            devices = {place} if 1 < count == self.program.devices else set(range(self.program.devices))
            parts.append([read for read, (mine, fresh) in enumerate(pairs)
                          if any(numpy.array_equal(mine.pieces[device], pieces[0])
                                 and numpy.array_equal(fresh.pieces[device], pieces[1])
                                 for device in devices & set(mine.pieces))])
        if all(parts) and len(parts) > 1:
            single = [[place for place in each if pairs[place][0].partial] for each in parts]
            return (sum(single, []), "") if all(single) else ([], "torn output")
        if len(parts) == 1 and parts[0]:
            return parts[0], "a tensor in pieces"
        eager = any(numpy.array_equal(mine.array, captured) for mine, _ in pairs)
        return [], "other data give wrong outputs" if eager else "an output that the program has not read"

    def block_faults(self, inference, turns):
        """What one inference has of other turns than these, and what it has not of these."""
        writes, reads, faults = self.model.writes, self.model.reads, []
        for taken in self.taken[inference]:
            strange = [writes[place].turn for place in taken.writes if writes[place].turn not in turns
                       and not writes[place].is_setup]
            if strange:
                faults.append(("turns lost in front" if inference == 0 and min(strange) > 0
                               else "an input of another turn",
                               f"inference {inference} takes turn {strange}, not {turns}"))
        covered = set()
        for candidates, fault in self.candidates[inference]:
            inside = [place for place in candidates if reads[place].turn in turns]
            covered.update(inside)
            if fault or not inside:
                faults.append((fault or "an output of another turn", f"inference {inference}, turns {turns}"))
        for place, read in enumerate(reads):
            if self.is_required(read, turns) and not self.is_covered(place, read, covered):
                faults.append(("a read is missing", f"{read.site} of turn {read.turn}, inference {inference}"))
        return faults + self.order_faults(inference)

    @staticmethod
    def is_required(read, turns):
        """Whether these turns make the read."""
        return read.turn in turns and (read.section == LOOP or read.section == AFTER and read.site != "after")

    def is_covered(self, place, read, covered):
        """By itself, by a read of the same data, or as part of one that has them."""
        if place in covered:
            return True
        fresh = self.fresh.reads
        return read.partial and any(
            all(device in fresh[other].pieces and numpy.array_equal(fresh[other].pieces[device], array)
                for device, array in fresh[place].pieces.items()) for other in covered)

    def order_faults(self, inference):
        """Inputs and outputs of one device come in the order of turns and calls."""
        if self.program.mesh:
            return []
        writes, reads, faults = self.model.writes, self.model.reads, []
        keys = [(writes[each.writes[0]].turn, writes[each.writes[0]].order) for each in self.taken[inference]
                if not writes[each.writes[0]].is_setup]
        if keys != sorted(keys):
            faults.append(("inputs out of order", f"inference {inference}: {keys}"))
        last = (-1, -1)
        for candidates, _ in self.candidates[inference]:
            later = [key for key in ((reads[place].turn, reads[place].order) for place in candidates) if key >= last]
            if candidates and not later:
                faults.append(("outputs out of order", f"inference {inference}"))
            last = min(later, default=last)
        return faults

    def judge(self, per_step):
        """Faults where a step holds so many turns."""
        faults = []
        for inference in range(self.inferences):
            first = self.skipped() + per_step * inference
            faults += self.block_faults(inference, range(first, first + per_step))
        return per_step, faults + self.turn_faults(per_step) + self.carry_faults(per_step)

    def skipped(self):
        """Turns at the beginning that the program reads nothing of, where a warning says that they are left out."""
        read = [each.turn for each in self.model.reads if each.section == LOOP]
        return min(read, default=0) if "a turn that gives nothing" in " | ".join(self.result.warnings) else 0

    def turn_faults(self, per_step):
        """Turns that are not in the binary, and a binary of one step, have warnings that say so."""
        faults, turns = [], self.program.turns - self.skipped()
        left, warnings = turns - per_step * self.inferences, " | ".join(self.result.warnings)
        said = rf"\b({left}|{NUMBERS[left]})\b[^|.;:]*\bturns?\b|calls \d+ to \d+ [^|.;:]*\bare left over\b"
        if left and not re.search(said, warnings):
            faults.append(("turns left over, unnamed", f"{left} of {turns}"))
        if self.inferences == 1 and per_step > 1 and any(each.section == LOOP for each in self.model.writes):
            name = "one step of all turns" + (", without a difference" if "turn" in warnings else ", unnamed")
            named = re.search("the first (difference|one that differs).*call \\d+", warnings)
            if not named and (turns <= self.program.period or self.program.equal_turns < 2):
                self.notes.append(name + ": no two equal turns")
            elif not named:
                faults.append((name, warnings))
        if any(each.site == "after" for each in self.model.reads) and not left and self.after_is_lost():
            faults.append(("a read after the loop is missing", warnings))
        return faults

    def after_is_lost(self):
        """Whether no output is the read after the loop, and no other read had the same."""
        place = next(place for place, each in enumerate(self.model.reads) if each.site == "after")
        return not any(place in candidates for record in self.candidates for candidates, _ in record)

    def carry_faults(self, per_step):
        """What the host carries within a step is refused where it is the same bytes, else a warning names both
        calls. What it carries in front of the loop is refused on a mesh."""
        taken = {place for record in self.taken for each in record for place in each.writes}
        for place, write in enumerate(self.model.writes):
            if write.source is None or write.section == LOOP and (
                    write.turn >= per_step * self.inferences
                    or write.turn // per_step != write.source.turn // per_step):
                continue
            where = f"{write.site} of turn {write.turn}"
            if write.is_setup and place not in taken:
                if self.program.mesh:
                    return [("carried data became set-up", where)]
                self.notes.append("carried data became set-up, one device")
            elif write.data == SAME:
                return [("carried bytes accepted", where)]
            elif not any(re.search(r"call \d+.*call \d+", each, re.DOTALL) for each in self.result.warnings):
                return [("carried data without a warning", where)]
        return []

    def go_on(self, per_step):
        """More inferences than the program has turns: the loop goes on."""
        patterns = [[[(self.model.writes[place].site, self.model.writes[place].turn - inference * per_step, device)
                      for place, device in zip(taken.writes, taken.devices)] for taken in record]
                    for inference, record in enumerate(self.taken)]
        if self.inferences < 2 or not self.program.regular or per_step % self.program.period:
            return []
        if any(each != patterns[0] for each in patterns):
            return [("inferences take their inputs in different ways", str(patterns[:2]))]
        count = self.inferences + MORE
        longer = Model(self.program, 2, count * per_step)
        by_name = {(each.site, each.turn): each for each in longer.writes}
        records = [[numpy.concatenate([by_name[site, inference * per_step + offset].pieces[device]
                                       for site, offset, device in taken]) for taken in patterns[0]]
                   for inference in range(count)]
        for inference, outputs in enumerate(pianola.Session(self.result.file).run(records)):
            turns = range(inference * per_step, (inference + 1) * per_step)
            for place, output in enumerate(outputs):
                if not self.is_read(longer, output, turns, self.candidates[0][place][0], per_step):
                    return [("the loop does not go on", f"output {place} of inference {inference}")]
        return []

    def is_read(self, longer, output, turns, candidates, per_step):
        """Whether these turns read this, at the place where the first inference does."""
        places = {(self.model.reads[each].site, self.model.reads[each].turn) for each in candidates
                  if self.model.reads[each].turn < per_step}
        found = [each for each in longer.reads if (each.site, each.turn - turns[0]) in places]
        if any(numpy.array_equal(each.array, output) for each in found):
            return True
        rows = self.program.shape[0]
        return all(any(numpy.array_equal(array, piece) for each in found if each.partial
                       for array in each.pieces.values()) for piece in pieces_of(output, rows))
