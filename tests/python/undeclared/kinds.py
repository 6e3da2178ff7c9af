"""Random programs of every kind that a capture may meet. A program is the same for the same seed and index."""
import random

from parts import Parts
from program import COMPUTED, CONSTANT, SAME, Call, Ref


def plain(parts):
    """Inputs, operations, outputs; whatever else there is comes of the common knobs."""
    parts.constants(parts.chance(0.5))
    values = parts.inputs(parts.pick(1, 1, 2))
    parts.read_some(parts.operations(values, parts.pick(1, 1, 2, 3, 4)))


def ping_pong(parts):
    """State that turns add to, in one to four sets."""
    sets = parts.pick(1, 2, 2, 3, 4)
    state = parts.state(sets)
    values = parts.inputs(parts.pick(1, 1, 2))
    parts.knobs["sets"] = sets
    if parts.chance(0.3):
        values = parts.operations(values, 1)
    if parts.chance(0.25):
        parts.read(state)
    parts.op("add", state, [state, values[-1]], inplace=True)
    form = parts.pick("state", "state", "function", "other")
    if form == "other":  # the state is not looked at in the loop
        parts.read_some(parts.operations(values, 1))
    elif form == "function":
        parts.read_some(parts.operations([state], 1))
    else:
        parts.read(state)
    if parts.chance(0.15):
        parts.read_after(state)


def prefetch(parts):
    """The input of a later turn is written while a turn computes."""
    buffers = parts.pick(1, 2, 2, 2, 2, 3, 3, 3, 4)
    depth = parts.rng.randrange(1, buffers) if buffers > 1 else 1
    outputs = parts.pick(0, 1, 1, 2, 2, 3, 4)
    parts.knobs.update(buffers=buffers, depth=depth, outputs=outputs)
    x = parts.family("x", buffers)
    for turn in range(depth):
        parts.front.append(Call("write", x, site="x", at=turn, cut=parts.cut))
    places = ["middle", "end"] + (["start"] if depth < buffers else [])
    place = parts.rng.choice(places)
    parts.knobs["place"] = place
    ahead = Call("write", Ref("x", buffers, depth % buffers), site="x", ahead=depth, when="ahead", cut=parts.cut)
    state = parts.state(parts.pick(1, 2, 3)) if parts.chance(0.15) else None
    parts.constants(parts.chance(0.3))
    if place == "start":
        parts.body.append(ahead)
    values = parts.operations([x], parts.pick(0, 0, 1, 2))
    if state:
        parts.op("add", state, [state, values[-1]], inplace=True)
    y = parts.family("y", outputs) if outputs else parts.local()
    parts.op(*parts.function(y, [state or values[-1]]), inplace=bool(outputs))
    if place == "middle":
        parts.body.append(ahead)
    parts.read(y, lag=1 if outputs > 1 and parts.chance(0.2) else 0)
    if place == "end":
        parts.body.append(ahead)


def partial(parts):
    """One shard is read or written alone, before or after the whole."""
    parts.rng.choice([read_one_first, write_one_first, write_one_later, read_one_by_one, write_one_by_one,
                      read_one_later, one_shard_only, one_written_shard])(parts)


def read_one_first(parts):
    """A shard is read, the tensor changes, all of it is read."""
    parts.knobs["partial"] = "read one, change, read all"
    state = parts.state(parts.pick(1, 1, 2))
    values = parts.inputs(1)
    parts.read(state.of_shard(parts.shard()), single=True)
    parts.op("add", state, [state, values[0]], inplace=True)
    parts.read(state)


def read_one_later(parts):
    """All of a tensor is read, it changes, and a shard is read."""
    parts.knobs["partial"] = "read all, change, read one"
    state = parts.state(parts.pick(1, 1, 2))
    values = parts.inputs(1)
    parts.read(state)
    parts.op("add", state, [state, values[0]], inplace=True)
    parts.read(state.of_shard(parts.shard()), single=True)


def write_one_first(parts):
    """A shard is written and used, then the whole tensor is."""
    parts.knobs["partial"] = "write one, use, write all"
    w = parts.first_contents("w", parts.pick(1, 1, 2))
    one = w.of_shard(parts.shard())
    parts.write(one)
    parts.use_one(one)
    parts.write(w)
    parts.read_some(parts.operations([w], 1))


def write_one_later(parts):
    """The whole tensor is written, used or not, then a shard of it is."""
    parts.knobs["partial"] = "write all, write one"
    w = parts.first_contents("w", parts.pick(1, 1, 2))
    parts.write(w)
    if parts.chance(0.5):
        parts.read_some(parts.operations([w], 1))
    parts.write(w.of_shard(parts.shard()))
    parts.read_some(parts.operations([w], 1))


def read_one_by_one(parts):
    """All shards, each by a read."""
    parts.knobs["partial"] = "read one by one"
    [y] = parts.operations(parts.inputs(1), 1)[-1:]
    for shard in range(parts.devices):
        parts.read(y.of_shard(shard), single=True)


def write_one_by_one(parts):
    """All shards, each by a write."""
    parts.knobs["partial"] = "write one by one"
    w = parts.first_contents("w", parts.pick(1, 1, 2))
    for shard in range(parts.devices):
        parts.write(w.of_shard(shard))
    parts.read_some(parts.operations([w], parts.pick(1, 2)))


def one_shard_only(parts):
    """Only one device computes, or only one is read."""
    parts.knobs["partial"] = "one device computes"
    values = parts.inputs(parts.pick(1, 2))
    parts.use_one(values[0].of_shard(parts.shard()))
    if parts.chance(0.5):
        parts.read_some(parts.operations(values, 1))


def one_written_shard(parts):
    """A tensor of set-up, of which every turn writes one shard."""
    parts.knobs["partial"] = "one shard changes"
    w = parts.first_contents("w", parts.pick(1, 1, 2))
    parts.write(w.of_shard(parts.shard()))
    parts.read_some(parts.operations([w], 1))


def carry(parts):
    """The host writes what it has read, or what it makes of that."""
    form, lag = parts.rng.choice([SAME, COMPUTED]), parts.pick(0, 1)
    parts.knobs.update(carry=form, lag=lag)
    if lag == 0:
        [x] = parts.inputs(1)
        first = parts.operations([x], 1)[-1]
        shard = parts.shard() if parts.mesh and parts.chance(0.4) else None
        source = parts.read(first if shard is None else first.of_shard(shard), blocking=True, single=shard is not None)
        b = parts.family("b", parts.pick(1, 1, 2))
        to = b
        if shard is not None:
            to = parts.first_contents("w", 1).of_shard(parts.shard())
        parts.write(to, data=form, source=(source, 0))
        parts.read_some(parts.operations([Ref(to.name, to.period)], 1))
        return
    parts.dtype = "int32"  # what is carried on and on would saturate, and be the same in several turns
    state = parts.first_contents("s", parts.pick(1, 2, 2, 3))
    x, y = parts.family("x", 1), parts.local()
    place = len(parts.body)
    [other] = parts.inputs(1)
    parts.op("add", y, [x, other])
    parts.op("add", state, [y, state], inplace=True)
    source = parts.read(state, blocking=True)
    parts.body.insert(place, Call("write", x, site="x", data=form, source=(source, 1), cut=True))


def unread(parts):
    """Writes and results that are not needed, inputs that are read back, outputs of constants only."""
    choices = parts.rng.sample(["echo", "constant output", "dead result", "dead write", "rewritten state"],
                               parts.pick(1, 1, 2))
    parts.knobs["unread"] = choices
    parts.constants(True)
    constant = parts.pool[-1]
    if "constant output" in choices:
        parts.read(parts.operations([constant], 1, only=("relu", "neg"))[-1])
    values = parts.inputs(parts.pick(1, 2))
    if "dead result" in choices:
        parts.operations([constant, values[0]], 1)
    if "dead write" in choices:
        parts.write(parts.first_contents("dead", 1))
    if "rewritten state" in choices:
        p = parts.first_contents("p", 1)
        parts.op("subtract", p, [values[0], p], inplace=True)
        parts.write(p)
        if parts.chance(0.5):
            parts.read_some(parts.operations([p, values[0]], 1))
    if "echo" in choices:
        parts.read(values[0])
    parts.read_some(parts.operations(values, parts.pick(1, 2)))


def traced(parts):
    """Operations in traces that were made in front of the capture, one for each set of tensors."""
    buffers, sets, outputs = parts.pick(1, 1, 2, 3), parts.pick(0, 0, 1, 2), parts.pick(0, 1, 2)
    parts.knobs.update(buffers=buffers, sets=sets, outputs=outputs)
    x = parts.family("x", buffers)
    state = parts.first_contents("s", sets) if sets else None
    constant = parts.first_contents("c", 1) if parts.chance(0.4) else None
    parts.pool += [constant] if constant else []
    parts.write(x)
    kept, parts.body = parts.body, []
    values = parts.operations([x], parts.pick(1, 2))
    if state:
        parts.op("add", state, [state, values[-1]], inplace=True)
    period = parts.least_common(buffers, sets, outputs)
    y = parts.family("y", outputs) if outputs else Ref("z", period)
    parts.op(*parts.function(y, [state or values[-1]]), inplace=bool(outputs))
    body, parts.body = tuple(parts.body), kept
    trace = Ref("trace", period)
    parts.knobs["traced in the capture"] = parts.chance(0.1)
    made = [Call("trace", trace, body=body, at=turn) for turn in range(period)]
    if parts.knobs["traced in the capture"]:
        parts.front = made + parts.front  # the compiling runs change what set-up writes then
    else:
        parts.before += made
    parts.body.append(Call("execute", trace))
    parts.read(y)


def queued(parts):
    """Queue 1 writes, queue 0 computes and reads; events keep them apart."""
    buffers = parts.pick(1, 1, 2, 2, 3)
    parts.knobs["buffers"] = buffers
    parts.queues = 2
    x, taken, written = parts.family("x", buffers), Ref("taken", buffers), Ref("written", buffers)
    for turn in range(buffers):
        parts.before += [Call("event", each, at=turn) for each in (taken, written)]
        parts.front.append(Call("record", taken, at=turn))
    state = parts.state(parts.pick(1, 2)) if parts.chance(0.3) else None
    parts.body += [Call("wait", taken, queue=1), Call("write", x, site="x", queue=1, cut=parts.cut),
                   Call("record", written, queue=1), Call("wait", written)]
    values = parts.operations([x], parts.pick(1, 2))
    parts.body.append(Call("record", taken))
    if state:
        parts.op("add", state, [state, values[-1]], inplace=True)
    parts.read(state or values[-1])


def irregular(parts):
    """One turn is not like the others."""
    turn = parts.rng.choice(["last", "last", "first", "middle"])
    what = parts.rng.choice(["operation", "output", "input", "other operation", "no output"])
    parts.knobs["irregular"] = f"{turn}: {what}"
    state = parts.state(parts.pick(1, 2)) if parts.chance(0.4) else None
    [x] = parts.inputs(1)
    if state:
        parts.op("add", state, [state, x], inplace=True)
    y = parts.local()
    source = state or x
    parts.op("add", y, [source, source], when="not " + turn if what == "other operation" else "")
    if what == "other operation":
        parts.op("subtract", y, [source, x] if state else [source, parts.pool[0]], when=turn)
    if what == "input":
        parts.write(parts.family("extra", 1), when=turn)
        parts.op("add", y, [y, Ref("extra", 1)], when=turn, inplace=True)
    if what == "operation":
        parts.op("neg", y, [y], when=turn, inplace=True)
    if what == "output":
        parts.read(source, when=turn)
    parts.read(y, when="not " + turn if what == "no output" else "")


def in_front(parts):
    """Programs and reads in front of the loop, and after it."""
    choices = parts.rng.sample(["derived constant", "read in front", "read after", "derived state",
                                "carried constant"], parts.pick(1, 2))
    parts.knobs["in front"] = choices
    parts.constants(True)
    [constant] = parts.pool[-1:]
    if "derived constant" in choices or "read in front" in choices:
        derived = Ref("derived")
        parts.front.append(Call("op", derived, (constant, constant), "add"))
        parts.pool.append(derived)
        constant = derived
    if "read in front" in choices:
        parts.front.append(Call("read", srcs=(constant,), site="front"))
    if "carried constant" in choices:
        parts.front.append(Call("read", srcs=(constant,), site="carried", cut=True))
        constant = Ref("host")
        parts.front.append(Call("new", constant, site="host", data=SAME, source=("carried", 0)))
    values = parts.inputs(1)
    state = parts.state(parts.pick(1, 2, 3)) if parts.chance(0.3) else None
    if "derived state" in choices:
        state = Ref("s2")
        parts.front.append(Call("op", state, (constant, constant), "add"))
    parts.op("add", y := parts.local(), [values[0], constant])
    if state:
        parts.op("add", state, [state, y], inplace=True)
    parts.read(state or y)
    if "read after" in choices:
        parts.read_after(state or y)


WEIGHTS = {plain: 3, ping_pong: 4, prefetch: 5, partial: 4, carry: 3, unread: 3, traced: 3, queued: 2, irregular: 3,
           in_front: 3}


def generate(seed, index, only=""):
    """The program of this seed and index; of this kind alone where one is named."""
    rng = random.Random(f"{seed}/{index}")
    [make] = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))
    make = next((each for each in WEIGHTS if each.__name__ == only), make)
    on_mesh = make is partial or rng.random() < 0.35  # pylint: disable=comparison-with-callable
    mesh = rng.choice([(1, 2), (1, 2), (2, 1), (2, 2)]) if on_mesh else None
    parts = Parts(rng, seed, index, make.__name__, mesh)
    make(parts)
    parts.make_turns_whole()
    parts.common_knobs()
    return parts.program()
