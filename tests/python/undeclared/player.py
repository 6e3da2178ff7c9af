"""Carries out a program with the package, and captures it."""
import numpy
import pianola

from model import Model
from program import BEFORE, COMPUTED, SAME

TRACE_REGION = 64 * 1024


class Player:
    """Runs `program` on `device` with the model's data; `reads` are arrays in the order of the calls."""

    def __init__(self, program, device):
        self.program, self.device, self.mesh = program, device, program.mesh is not None
        self.env, self.pending = {}, []
        self.dtype = getattr(pianola, program.dtype)
        if self.mesh:
            self.cut = pianola.ShardTensorToMesh(device, dim=0)
            self.join = pianola.ConcatMeshToTensor(device, dim=0)
        self.model = Model(program)

    def part(self, ref, turn):
        """A tensor, or one of its shards."""
        tensor = self.env[ref.key(turn)]
        return tensor if ref.shard is None else pianola.get_device_tensors(tensor)[ref.shard]

    def play(self, begin):
        """All calls; `begin` is called where the capture begins."""
        before = True
        for section, turn, call in self.program.unroll(self.program.turns):
            if before and section != BEFORE:
                pianola.synchronize_device(self.device)
                begin()
                before = False
            getattr(self, "on_" + call.kind)(turn, call)
        if before:
            begin()

    def reads(self):
        """Of the whole program; those that did not block are looked at now."""
        return [self.look(host, single) for host, single in self.pending]

    def look(self, host, single):
        """A host tensor as one array."""
        return numpy.array(host.to_numpy() if single else pianola.to_numpy(host, mesh_composer=self.join))

    def on_alloc(self, turn, call):
        """Memory only."""
        self.env[call.dst.key(turn)] = pianola.allocate_tensor_on_device(
            self.program.shape, self.dtype, pianola.ROW_MAJOR_LAYOUT, self.device)

    def on_zeros(self, turn, call):
        """A program."""
        self.env[call.dst.key(turn)] = pianola.zeros(self.program.shape, self.dtype, device=self.device)

    def host_array(self, turn, call):
        """What is written, pieces below each other; carried data are made of what was read."""
        values = self.program.values(0, call, turn)
        if call.data in (SAME, COMPUTED):
            found = self.env.get((call.source[0], turn - call.source[1]))
            if found is not None:
                rows = self.program.shape[0]
                pieces = [found[row:row + rows] for row in range(0, len(found), rows)]
                step = 1 if call.data == COMPUTED else 0
                values = {device: pieces[place % len(pieces)] ^ found.dtype.type(step)
                          for place, device in enumerate(sorted(values))}
        whole = self.mesh and call.dst.shard is None and call.cut
        return numpy.concatenate([values[each] for each in sorted(values)]) if whole else values[min(values)]

    def mapper(self, call):
        """For writes of all shards that are cut."""
        return {"mesh_mapper": self.cut} if self.mesh and call.dst.shard is None and call.cut else {}

    def on_new(self, turn, call):
        """A device tensor with data."""
        self.env[call.dst.key(turn)] = pianola.from_numpy(self.host_array(turn, call), device=self.device,
                                                          cq_id=call.queue, **self.mapper(call))

    def on_write(self, turn, call):
        """Into a tensor that is there."""
        host = pianola.from_numpy(self.host_array(turn, call), **self.mapper(call))
        pianola.copy_host_to_device_tensor(host, self.part(call.dst, turn), cq_id=call.queue)

    def on_op(self, turn, call):
        """In place, or with a new result."""
        operands = [self.part(each, turn) for each in call.srcs]
        if not call.inplace:
            self.env[call.dst.key(turn)] = getattr(pianola, call.op)(*operands, cq_id=call.queue)
        elif call.op == "copy":
            pianola.copy(operands[0], self.part(call.dst, turn), cq_id=call.queue)
        else:
            getattr(pianola, call.op)(*operands, output_tensor=self.part(call.dst, turn), cq_id=call.queue)

    def on_trace(self, turn, call):
        """Compiles the operations first, then records them."""
        for each in call.body:
            self.on_op(turn, each)
        trace = pianola.begin_trace_capture(self.device, cq_id=call.queue)
        for each in call.body:
            self.on_op(turn, each)
        pianola.end_trace_capture(self.device, trace, cq_id=call.queue)
        self.env[call.dst.key(turn)] = trace

    def on_execute(self, turn, call):
        """Without blocking."""
        pianola.execute_trace(self.device, self.env[call.dst.key(turn)], cq_id=call.queue, blocking=False)

    def on_free(self, turn, call):
        """At once."""
        pianola.deallocate(self.env.pop(call.dst.key(turn)))

    def on_event(self, turn, call):
        """Recorded later."""
        self.env[call.dst.key(turn)] = pianola.create_event(self.device)

    def on_record(self, turn, call):
        """On all devices."""
        pianola.record_event(call.queue, self.env[call.dst.key(turn)])

    def on_wait(self, turn, call):
        """On all devices."""
        pianola.wait_for_event(call.queue, self.env[call.dst.key(turn)])

    def on_read(self, turn, call):
        """Looked at immediately where it blocks, else when the program has ended."""
        host = self.part(call.srcs[0], turn).cpu(blocking=call.blocking, cq_id=call.queue)
        single = not self.mesh or call.srcs[0].shard is not None or call.op == "single"
        if call.blocking:
            array = self.look(host, single)
            self.env[(call.site, turn + call.ahead)] = array
        self.pending.append((host, single))


def open_device(program):
    """A device or a mesh, and what closes it."""
    options = {"trace_region_size": TRACE_REGION, "num_command_queues": program.queues}
    if program.mesh is None:
        device = pianola.open_device(**options)
        return device, lambda: pianola.close_device(device)
    mesh = pianola.open_mesh_device(pianola.MeshShape(program.mesh), **options)
    return mesh, lambda: pianola.close_mesh_device(mesh)


def capture(program):
    """The captured workload, or the error that refused it; and what the program has read."""
    device, close = open_device(program)
    try:
        player, begun = Player(program, device), []
        player.play(lambda: begun.append(pianola.WorkloadCapture(device)))
        try:
            result = begun[0].end()
        except pianola.Error as error:
            result = error
        return result, player.reads()
    finally:
        close()
