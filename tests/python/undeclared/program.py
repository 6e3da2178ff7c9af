"""Host programs as data: a loop over turns with calls in front of it and after it, for a player, a model and a listing.

A program knows nothing of the product: player.py carries it out with the package, model.py with NumPy."""
import dataclasses
import math
import zlib

import numpy

INPUT, CONSTANT, SAME, COMPUTED = "input", "constant", "carried", "carried ^ 1"
BEFORE, FRONT, LOOP, AFTER = "before", "front", "loop", "after"


@dataclasses.dataclass(frozen=True)
class Ref:
    """A tensor by name, tensor (turn + shift) % period of a family, or one shard of either."""
    name: str
    period: int = 0
    shift: int = 0
    shard: int | None = None

    def key(self, turn):
        """What the tensor is called in this turn."""
        return f"{self.name}[{(turn + self.shift) % self.period}]" if self.period else self.name

    def of_shard(self, shard):
        """One device's part."""
        return dataclasses.replace(self, shard=shard)

    def __str__(self):
        shift = f"(t + {self.shift})" if self.shift else "t"
        name = f"{self.name}[{shift} % {self.period}]" if self.period else self.name
        return name if self.shard is None else f"shard({name}, {self.shard})"


@dataclasses.dataclass(frozen=True)
class Call:
    """One call of the host. `kind`: alloc, zeros, new, write, op, read, free, trace, execute, event, record, wait.

    Data that are written or read belong to turn + `ahead`; `at` is the turn of calls outside of the loop, a negative
    one is counted from the end."""
    kind: str
    dst: Ref | None = None
    srcs: tuple = ()
    op: str = ""
    site: str = ""
    data: str = INPUT
    source: tuple = ()  # of carried data: site of the read, turns that it is earlier
    cut: bool = True  # a write of all of a mesh: a piece for each device, else the same for all
    inplace: bool = False  # an operation into a tensor that is there
    ahead: int = 0
    when: str = ""
    at: int = 0
    blocking: bool = True
    queue: int = 0
    body: tuple = ()

    def text(self):
        """As a line of Python, nearly."""
        queue = f", queue {self.queue}" if self.queue else ""
        moved = f"{self.site}(t{self.ahead:+d})" if self.ahead else f"{self.site}(t)"
        data = {INPUT: moved, CONSTANT: f"constant {self.site}"}.get(self.data)
        if data is None:
            data = f"{self.data}: read {self.source[0]}(t-{self.source[1]})"
        spread = "" if self.cut else ", replicated"
        if self.kind == "op":
            arguments = ", ".join(str(each) for each in self.srcs)
            return f"{self.op}({arguments}, output_tensor={self.dst}{queue})" if self.inplace else \
                f"{self.dst} = {self.op}({arguments}{queue})"
        if self.kind == "trace":
            return f"{self.dst} = trace of {{{'; '.join(each.text() for each in self.body)}}}"
        return {
            "alloc": f"{self.dst} = allocate()",
            "zeros": f"{self.dst} = zeros()",
            "new": f"{self.dst} = from_numpy({data}{spread}{queue})",
            "write": f"write({data}, to={self.dst}{spread}{queue})",
            "read": f"{moved} = read({self.srcs and self.srcs[0]}, blocking={self.blocking}{queue})",
            "free": f"deallocate({self.dst})",
            "execute": f"execute({self.dst})",
            "event": f"{self.dst} = create_event()",
            "record": f"record({self.dst}, queue {self.queue})",
            "wait": f"wait({self.dst}, queue {self.queue})",
        }[self.kind]


@dataclasses.dataclass
class Program:
    """Calls by section, with what the device must be."""
    seed: int
    index: int
    kind: str
    turns: int
    shape: tuple
    dtype: str
    mesh: tuple | None = None
    queues: int = 1
    before: list = dataclasses.field(default_factory=list)
    front: list = dataclasses.field(default_factory=list)
    body: list = dataclasses.field(default_factory=list)
    after: list = dataclasses.field(default_factory=list)
    knobs: dict = dataclasses.field(default_factory=dict)

    @property
    def devices(self):
        """How many there are."""
        return 1 if self.mesh is None else self.mesh[0] * self.mesh[1]

    @property
    def period(self):
        """Turns until all families are at their first tensor again."""
        refs = [ref for call in self.body for ref in (call.dst, *call.srcs) if ref is not None and ref.period]
        return math.lcm(*[ref.period for ref in refs])

    @property
    def regular(self):
        """Whether all turns make the same calls, except writes that would be of turns after the last."""
        return all(call.when in ("", "ahead", "behind") for call in self.body)

    @property
    def equal_turns(self):
        """The most turns in a row that make the same calls."""
        if self.regular:
            return self.turns
        odd = {call.when.split()[-1] for call in self.body if call.when} & {"first", "middle", "last"}
        place = max({"first": 0, "middle": self.turns // 2, "last": self.turns - 1}[each] for each in odd)
        return max(place, self.turns - place - 1)

    def unroll(self, turns):
        """Section, turn and call, in the order in which they are made."""
        for section, calls in ((BEFORE, self.before), (FRONT, self.front)):
            yield from ((section, call.at, call) for call in calls if section == BEFORE or call.data != INPUT
                        or call.kind not in ("new", "write") or call.at + call.ahead < turns)
        for turn in range(turns):
            yield from ((LOOP, turn, call) for call in self.body if happens(call, turn, turns))
        yield from ((AFTER, call.at + turns, call) for call in self.after if call.at + turns >= 0)

    def values(self, dataset, call, turn, fresh=()):
        """What a write writes, by device: small numbers, and others for each site, turn, device and set of data.
        Constants are the same in all sets of data, except those of the sites `fresh`."""
        constant = call.data == CONSTANT and call.site not in fresh
        key = [self.seed, self.index, 0 if constant else dataset, zlib.crc32(call.site.encode()),
               0 if constant else turn + call.ahead + 1]
        rng = numpy.random.default_rng(key)
        count = self.devices if call.cut else 1
        bound = 30 if self.dtype == "int8" else 100000
        pieces = rng.integers(-bound, bound, (count, *self.shape)).astype(self.dtype)
        if call.dst.shard is not None:
            return {call.dst.shard: pieces[0]}
        return {device: pieces[device % count] for device in range(self.devices)}

    def listing(self):
        """The program as text that a reader can follow."""
        place = f"mesh {self.mesh}" if self.mesh else "one device"
        lines = [f"# seed {self.seed}, index {self.index}: {self.kind}, {place}, {self.dtype} {self.shape}, "
                 f"{self.turns} turns, {self.knobs}"]
        lines += [call.text() + at(call) for call in self.before]
        lines += ["with capture():"]
        lines += ["    " + call.text() + at(call) for call in self.front]
        lines += [f"    for t in range({self.turns}):"]
        lines += ["        " + condition(call, self.turns) + call.text() for call in self.body]
        lines += ["    " + call.text() + f"  # t = {self.turns + call.at}" for call in self.after]
        return "\n".join(lines)


def at(call):
    """Which turn's data a call in front of the loop has."""
    uses_turn = call.dst is not None and call.dst.period or call.site and call.data == INPUT and call.kind != "read"
    return f"  # t = {call.at}" if uses_turn else ""


def happens(call, turn, turns):
    """Whether this turn makes the call."""
    chosen = {"first": 0, "last": turns - 1, "middle": turns // 2}
    if call.when in ("ahead", "behind"):
        return 0 <= turn + call.ahead < turns
    if call.when.startswith("not "):
        return turn != chosen[call.when[4:]]
    return not call.when or turn == chosen[call.when]


def condition(call, turns):
    """That of happens(), as text."""
    chosen = {"first": 0, "last": turns - 1, "middle": turns // 2}
    if call.when == "ahead":
        return f"if t + {call.ahead} < {turns}: "
    if call.when == "behind":
        return f"if t >= {-call.ahead}: "
    if call.when.startswith("not "):
        return f"if t != {chosen[call.when[4:]]}: "
    return f"if t == {chosen[call.when]}: " if call.when else ""
