"""What a program computes, in NumPy: int8 saturates, int32 wraps, elementwise, device by device."""
import dataclasses

import numpy

from program import BEFORE, COMPUTED, FRONT, INPUT, SAME

FUNCTIONS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "minimum": numpy.minimum,
    "maximum": numpy.maximum,
    "relu": lambda a: numpy.maximum(a, 0),
    "neg": lambda a: -a,
    "copy": lambda a: a,
}


def computed(op, arrays):
    """One operation on one device."""
    wide = FUNCTIONS[op](*[each.astype(numpy.int64) for each in arrays])
    if arrays[0].dtype == numpy.int8:
        return numpy.clip(wide, -128, 127).astype(numpy.int8)
    return (wide & 0xFFFFFFFF).astype(numpy.uint32).view(numpy.int32)


@dataclasses.dataclass
class Transfer:
    """A write or a read: which call of the program it is, and its data by device."""
    site: str
    turn: int  # to which its data belong
    order: int
    section: str
    pieces: dict
    partial: bool  # of some devices of the mesh only
    cut: bool = True
    data: str = INPUT
    source: object = None  # the read that carried data are of

    @property
    def is_setup(self):
        """Whether it is a write in front of the loop that is no turn's."""
        return self.section == FRONT and self.data != INPUT

    @property
    def array(self):
        """All pieces, below each other."""
        return numpy.concatenate([self.pieces[device] for device in sorted(self.pieces)])


class Model:
    """Runs a program at once; `writes` and `reads` are those of the capture."""

    def __init__(self, program, dataset=0, turns=None, fresh=()):
        self.program, self.dataset, self.fresh = program, dataset, fresh
        self.env, self.traces, self.writes, self.reads = {}, {}, [], []
        self.turns = program.turns if turns is None else turns
        for order, (section, turn, call) in enumerate(program.unroll(self.turns)):
            self.order, self.section = order, section
            getattr(self, "on_" + call.kind, lambda turn, call: None)(turn, call)

    def blank(self):
        """A tensor of zeros."""
        return {device: numpy.zeros(self.program.shape, self.program.dtype) for device in range(self.program.devices)}

    def part(self, ref, turn):
        """A tensor's values by device, or one shard's."""
        whole = self.env[ref.key(turn)]
        return whole if ref.shard is None else {ref.shard: whole[ref.shard]}

    def on_alloc(self, turn, call):
        """Contents are never looked at before they are written."""
        self.env[call.dst.key(turn)] = self.blank()

    on_zeros = on_alloc

    def on_new(self, turn, call):
        """A tensor that exists once it is written."""
        self.env[call.dst.key(turn)] = dict(self.written(turn, call))

    def on_write(self, turn, call):
        """All of a tensor, or one shard."""
        self.env[call.dst.key(turn)].update(self.written(turn, call))

    def written(self, turn, call):
        """Data of a write, which is noted."""
        values, source = self.program.values(self.dataset, call, turn, self.fresh), None
        if call.data in (SAME, COMPUTED):
            source = next((read for read in reversed(self.reads)
                           if (read.site, read.turn) == (call.source[0], turn - call.source[1])), None)
            if source is not None and (self.dataset == 0 or self.section == FRONT and call.site not in self.fresh):
                values = carried(call, source, values)
        if self.section != BEFORE:
            self.writes.append(Transfer(call.site, turn + call.ahead, self.order, self.section, values,
                                        call.dst.shard is not None, call.cut, call.data, source))
        return values

    def on_op(self, turn, call):
        """In place, or into a tensor that is new."""
        operands = [self.part(each, turn) for each in call.srcs]
        key = call.dst.key(turn)
        devices = set.intersection(*[set(each) for each in operands])
        result = {device: computed(call.op, [each[device] for each in operands]) for device in devices}
        if call.inplace:
            self.env[key].update(result)
        else:
            self.env[key] = result

    def on_trace(self, turn, call):
        """Results have their memory from now on, and their values from executions."""
        for each in call.body:
            if not each.inplace:
                self.env[each.dst.key(turn)] = self.blank()
        self.traces[call.dst.key(turn)] = (turn, call.body)

    def on_execute(self, turn, call):
        """The operations of the trace, with its own tensors."""
        recorded, body = self.traces[call.dst.key(turn)]
        for each in body:
            self.on_op(recorded, each)

    def on_read(self, turn, call):
        """Noted, with a copy."""
        pieces = {device: array.copy() for device, array in self.part(call.srcs[0], turn).items()}
        self.reads.append(Transfer(call.site, turn + call.ahead, self.order, self.section, pieces,
                                   len(pieces) < self.program.devices))


def carried(call, read, values):
    """What the host makes of the read: the same bytes or other ones, spread as the write spreads data."""
    step = 1 if call.data == COMPUTED else 0
    pieces = [read.pieces[device] for device in sorted(read.pieces)]
    return {device: pieces[place % len(pieces)] ^ pieces[0].dtype.type(step)
            for place, device in enumerate(sorted(values))}
