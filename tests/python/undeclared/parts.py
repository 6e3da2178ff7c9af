"""What generated programs are put together of."""
import dataclasses
import math

from program import CONSTANT, INPUT, Call, Program, Ref

ONE, TWO = ("relu", "neg"), ("add", "add", "subtract", "maximum", "minimum")


class Parts:
    """Collects the calls of a program. `pool` holds tensors that operations may take beside their first operand."""

    def __init__(self, rng, seed, index, kind, mesh):
        self.rng, self.seed, self.index, self.kind, self.mesh = rng, seed, index, kind, mesh
        self.devices = mesh[0] * mesh[1] if mesh else 1
        self.cut = not mesh or rng.random() < 0.8
        self.queues, self.count, self.dtype = 1, 0, rng.choice(["int8", "int32"])
        self.before, self.front, self.body, self.after, self.pool, self.knobs = [], [], [], [], [], {}
        self.turns = rng.choice([1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 9, 10, 11, 12, 13])

    def chance(self, probability):
        """Whether it happens."""
        return self.rng.random() < probability

    def pick(self, *values):
        """One of them."""
        return self.rng.choice(values)

    def shard(self):
        """A device."""
        return self.rng.randrange(self.devices)

    def number(self):
        """A new one, for names."""
        self.count += 1
        return self.count

    def local(self):
        """A tensor that every turn makes anew."""
        return Ref(f"v{self.number()}")

    @staticmethod
    def least_common(*periods):
        """Turns until all families are at their first tensor again."""
        return math.lcm(*[each for each in periods if each])

    def family(self, name, period):
        """Tensors that were allocated in front of the capture, with nothing in them that is read."""
        self.before += [Call("alloc", Ref(name, period), at=turn) for turn in range(period)]
        return Ref(name, period)

    def first_contents(self, name, period):
        """Tensors that set-up writes, which were allocated in front of the capture."""
        ref = self.family(name, period)
        for turn in range(period):
            self.front.append(Call("write", ref, site=f"{name}{turn}", data=CONSTANT, at=turn))
        return ref

    def constants(self, some):
        """One or two tensors of set-up."""
        for _ in range(self.pick(1, 1, 2) if some else 0):
            name = f"c{self.number()}"
            self.front.append(Call("new", Ref(name), site=name, data=CONSTANT, cut=self.cut))
            self.pool.append(Ref(name))

    def state(self, sets):
        """Tensors that turns change, with first contents of the host or of a program."""
        ref = Ref("s", sets)
        form = self.pick("new", "new", "zeros", "written")
        if form == "written":
            return self.first_contents("s", sets)
        for turn in range(sets):
            if form == "zeros":
                self.front.append(Call("zeros", ref, at=turn))
            else:
                self.front.append(Call("new", ref, site=f"s{turn}", data=CONSTANT, at=turn))
        return ref

    def inputs(self, count):
        """New tensors in every turn, or such as are there, with data of the host."""
        values = []
        for _ in range(count):
            site = f"x{self.number()}"
            period = self.pick(0, 0, 1, 1, 2, 3, 4) if self.chance(0.7) else 0
            ref = self.family(site, period) if period else Ref(site)
            self.body.append(Call("write" if period else "new", ref, site=site, cut=self.cut))
            values.append(ref)
        self.pool += values
        return values

    def write(self, ref, **options):
        """One more input, into a tensor that is there."""
        site = f"w{self.number()}"
        self.body.append(Call("write", ref, site=site, **{"data": INPUT, **options}))
        return site

    def op(self, name, dst, srcs, **options):
        """An operation of the loop."""
        self.body.append(Call("op", dst, tuple(srcs), name, **options))

    def function(self, dst, srcs, only=()):
        """Name, result and operands of any operation of the last operand and of what else there is."""
        name = self.rng.choice(only or ONE + TWO * 2)
        operands = [srcs[-1]]
        if name in TWO:
            others = [each for each in srcs + self.pool if each not in (srcs[-1],) and each.shard is None]
            operands.append(self.rng.choice(others or [srcs[-1]]))
            name = name if others else "add"
        return name, dst, operands

    def operations(self, values, count, only=()):
        """A chain; gives all results after `values`."""
        values = list(values)
        for _ in range(count):
            name, dst, operands = self.function(self.local(), values, only)
            inplace = self.kind != "traced" and self.chance(0.2)
            if inplace:
                dst = self.family(f"r{self.number()}", self.pick(1, 1, 2, 3, 4))
            self.op(name, dst, operands, inplace=inplace)
            values.append(dst)
        return values

    def use_one(self, ref):
        """One device computes with its shard, and is read."""
        y = self.local()
        self.op("add" if self.chance(0.5) else "neg", y, [ref, ref])
        if self.body[-1].op == "neg":
            self.body[-1] = dataclasses.replace(self.body[-1], srcs=(ref,))
        self.read(y, single=True)

    def read(self, ref, lag=0, single=False, blocking=None, when=""):
        """An output; `lag` turns late. Gives its site."""
        site = f"y{self.number()}"
        blocking = self.chance(0.6) if blocking is None else blocking
        late = Ref(ref.name, ref.period, (ref.shift - lag) % ref.period, ref.shard) if lag else ref
        self.body.append(Call("read", srcs=(late,), site=site, ahead=-lag, when="behind" if lag else when,
                              blocking=blocking, op="single" if single else ""))
        for back in range(lag, 0, -1):
            self.after.append(Call("read", srcs=(ref,), site=site, at=-back, blocking=blocking))
        return site

    def read_some(self, values):
        """The last one, and perhaps others, perhaps twice."""
        results = values[1:] or values
        for _ in range(self.pick(0, 0, 0, 1, 1, 2) if len(results) > 1 else 0):
            self.read(self.rng.choice(results[:-1]))
        self.read(results[-1])
        if self.chance(0.1):
            self.read(results[-1])

    def read_after(self, ref):
        """A read after the loop that is none of a turn's."""
        self.after.append(Call("read", srcs=(ref,), site="after", at=-1))

    def common_knobs(self):
        """What any program may have."""
        if self.kind not in ("traced", "queued") and self.chance(0.15):
            self.knobs["deallocate"] = True
            names = {call.dst.name for call in self.body if call.kind in ("new", "op") and not call.inplace
                     and not call.when}
            kept = {call.srcs[0].name for call in self.after if call.srcs}
            self.body += [Call("free", Ref(name)) for name in sorted(names - kept)]
        whole = [place for place, call in enumerate(self.body) if call.kind == "read" and not call.when
                 and not call.op and call.srcs[0].shard is None]
        if self.mesh and whole and self.chance(0.12):
            self.knobs["one shard too"] = True
            place = self.rng.choice(whole)
            ref = self.body[place].srcs[0].of_shard(self.shard())
            self.body.insert(place + self.pick(0, 1), Call("read", srcs=(ref,), site=f"y{self.number()}", op="single",
                                                           blocking=self.chance(0.5)))
        if self.chance(0.2):
            self.knobs["warm"] = True
            self.before += [Call("zeros", Ref("warm")), Call("op", Ref("warmed"), (Ref("warm"), Ref("warm")), "add")]

    def make_turns_whole(self):
        """A turn that is some equal parts would be as many turns: the last part becomes another one."""
        calls = [(call.kind.replace("new", "write"), call.op) for call in self.body if call.kind != "free"]
        size = len(calls)
        if any(size % part == 0 and calls == calls[:part] * (size // part) for part in range(1, size)):
            odd = self.local()
            self.op("neg", odd, [next(call.srcs[0] for call in reversed(self.body) if call.kind == "read")])
            self.read(odd, single=self.body[-2].op == "single")

    def program(self):
        """Of all that was collected."""
        shape = (self.pick(1, 1, 2), self.pick(16, 24))
        return Program(self.seed, self.index, self.kind, self.turns, shape, self.dtype, self.mesh,
                       self.queues, self.before, self.front, self.body, self.after, self.knobs)
