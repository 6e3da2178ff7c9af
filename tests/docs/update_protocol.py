"""The protocol of docs/guide/update.md as a model: two slots, a journal, a counter, and a power cut at every operation.

The steps are those of the page, by id and operation; update_protocol_test.py holds the page to them. explore() tries
every order of the application's actions with any number of cuts in a row, until no new state is found.

Flash: a unit is programmed once after an erase. A torn program leaves the unit blank, whole or unreadable. A torn erase
leaves all units as they were, all blank, all unreadable, or every other one blank. A record takes WORDS units, and is
whole where all of them are: the checksum in the last one tells. The counter is old or new; to read it may fail.
"""
import collections

# What each step does. The order is that of the page.
STEPS = {
    "J1": "read(newest)",
    "J2": "program(unit)",
    "J3": "erase(other sector)",
    "U1": "require(confirmed)",
    "U2": "erase(passive)",
    "U3": "program(passive)",
    "U4": "validate(passive)",
    "U5": "append(passive, active, trial, 0)",
    "S1": "read(newest)",
    "S2": "append(active, fallback, trial, tries + 1)",
    "S3": "append(fallback, fallback, confirmed, 0)",
    "S4": "load(active)",
    "S5": "raise(version)",
    "C1": "append(active, active, confirmed, 0)",
    "C2": "raise(version)",
    "D1": "append(fallback, fallback, confirmed, 0)",
}
UNITS, WORDS, PIECES, TRIES, HIGHEST = 2, 2, 2, 2, 3  # records in a sector; units of a record, of a slot
BLANK, BAD = None, "unreadable"
TORN = {"program": ("old", "new", "bad"), "erase": ("old", "new", "bad", "half"), "raise": ("old", "new")}

Record = collections.namedtuple("Record", "number active fallback state tries")


class Cut(Exception):
    """The power is gone."""


class Refused(Exception):
    """A step that does not let the procedure go on."""


class Broken(Exception):
    """What must not happen."""


def records(sector):
    """What a sector holds, place by place: a record whose checksum is right, or None."""
    return [sector[i] if isinstance(sector[i], Record) and sector[i:i + WORDS].count(sector[i]) == WORDS else None
            for i in range(0, len(sector), WORDS)]


class Unit:
    """An ECU: what survives a power cut, and `running`, which does not: the slot that was started."""

    def __init__(self):
        self.journal = [[BLANK] * UNITS * WORDS, [BLANK] * UNITS * WORDS]
        self.slots = [[1] * PIECES, [BLANK] * PIECES]
        self.counter = 1
        self.floor = 1  # the highest version that was confirmed
        self.starts = 0  # of the binary on trial
        self.running = None
        self.journal[0][:WORDS] = [Record(1, 0, 0, "confirmed", 0)] * WORDS
        self.is_unread = False  # the counter cannot be read at this start
        self.cut_at, self.torn, self.operations = None, None, []

    def copy(self):
        """The same, without a cut to come."""
        other = Unit.__new__(Unit)
        other.journal, other.slots = [list(each) for each in self.journal], [list(each) for each in self.slots]
        other.counter, other.floor, other.starts, other.running = self.counter, self.floor, self.starts, self.running
        other.is_unread, other.cut_at, other.torn, other.operations = False, None, None, []
        return other

    def key(self):
        """Equal for what behaves alike: records' numbers count by their order; a place is valid, blank or neither."""
        numbers = sorted({each.number for sector in self.journal for each in records(sector) if each})
        rank = {number: i for i, number in enumerate(numbers)}
        journal = tuple(tuple((rank[each.number], *each[1:]) if each else
                              all(unit is BLANK for unit in sector[i * WORDS:(i + 1) * WORDS])
                              for i, each in enumerate(records(sector))) for sector in self.journal)
        return journal, tuple(map(tuple, self.slots)), self.counter, self.floor, self.starts, self.running

    # Operations on memory, each of which power may cut.

    def _is_cut(self, kind):
        self.operations.append(kind)
        return self.cut_at == len(self.operations) - 1

    def program(self, area, index, value):
        """Programs a unit once."""
        if area[index] is not BLANK:
            raise Broken("a unit is programmed twice")
        cut = self._is_cut("program")
        if not cut or self.torn != "old":
            area[index] = BAD if cut and self.torn == "bad" else value
        if cut:
            raise Cut

    def erase(self, area):
        """Erases a sector, or a slot."""
        cut = self._is_cut("erase")
        blank = [BLANK] * len(area)
        after = {"old": area, "new": blank, "bad": [BAD] * len(area),
                 "half": [BLANK if i % 2 else each for i, each in enumerate(area)]}
        area[:] = list(after[self.torn]) if cut else blank
        if cut:
            raise Cut

    def raise_to(self, version):
        """Raises the counter, which only rises."""
        if version > self.counter:
            cut = self._is_cut("raise")
            if not cut or self.torn == "new":
                self.counter = version
            if cut:
                raise Cut

    def version(self, slot):
        """Of a whole binary in the slot, else None: what digest and signature say."""
        first = self.slots[slot][0]
        return first if isinstance(first, int) and len(set(self.slots[slot])) == 1 else None

    def loads(self, slot):
        """Whether load() accepts the slot."""
        version = self.version(slot)
        return version is not None and version >= self.counter


class Protocol:
    """The page's procedures. Wrong ones override a method."""

    update_steps = ("U1", "U2", "U3", "U4", "U5")
    return_steps = ("U1", "U4", "U5")  # to what the other slot still holds
    confirm_steps = ("C1", "C2")

    def __init__(self):
        self.trace = []  # the steps that were carried out

    def newest(self, unit):
        """J1: the newest record and its sector."""
        found = [(each, n) for n, sector in enumerate(unit.journal) for each in records(sector) if each]
        if not found:
            raise Broken("no record can be read")
        return max(found)

    def append(self, unit, active, fallback, state, tries):
        """J2, J3: the newest record and its sector stay until the next record is whole."""
        newest, sector = self.newest(unit)
        units = unit.journal[sector]
        at = max(i for i in range(0, len(units), WORDS) if not self.is_blank(units[i:i + WORDS])) + WORDS
        if at == len(units):
            units, at = self.erased(unit, sector), 0
        self.trace.append("J2")
        for i in range(at, at + WORDS):
            unit.program(units, i, Record(newest.number + 1, active, fallback, state, tries))

    def is_blank(self, units):
        """J2: of the units of a record."""
        return all(each is BLANK for each in units)

    def erased(self, unit, sector):
        """J3."""
        self.trace.append("J3")
        unit.erase(unit.journal[1 - sector])
        return unit.journal[1 - sector]

    def step(self, unit, name, new_version=None):
        """Carries out one step, as STEPS has it."""
        self.trace.append(name)
        record, _ = self.newest(unit)
        passive = 1 - record.active
        if name == "S3" and record.tries < TRIES and unit.loads(record.active):
            raise Broken("a good binary is demoted")
        operation, _, words = STEPS[name].partition("(")
        words = words[:-1]
        if operation == "append":
            values = {"active": record.active, "fallback": record.fallback, "passive": passive,
                      "tries + 1": record.tries + 1, "0": 0}
            values = [values.get(each, each) for each in words.split(", ")]
            try:
                self.append(unit, *values)
            finally:
                if name == "U5" and self.newest(unit)[0].number > record.number:
                    unit.starts = 0  # of another binary, though power may be gone
        elif operation == "require":
            if record.state != words:
                raise Refused
        elif operation == "erase":
            unit.erase(unit.slots[passive])
        elif operation == "program":
            for i in range(PIECES):
                unit.program(unit.slots[passive], i, new_version)
        elif operation == "validate":
            if not unit.loads(passive):
                raise Refused
        elif operation == "raise":
            unit.raise_to(unit.version(record.active))

    def start(self, unit):
        """S1 to S5: starts a slot, or raises Broken."""
        self.trace.append("S1")
        record, _ = self.newest(unit)
        if unit.is_unread:
            self.without_counter(unit)
        if record.state == "trial":
            if record.tries >= TRIES or not self.may_be_tried(unit, record.active):
                self.step(unit, "S3")
                self.start(unit)
                return
            self.before_a_try(unit)
        self.trace.append("S4")
        record, _ = self.newest(unit)
        if not unit.loads(record.active):
            if record.state == "trial":
                self.step(unit, "D1")
                self.start(unit)
                return
            raise Broken("nothing can be started")
        if unit.version(record.active) < unit.floor:
            raise Broken("an older binary is started after a confirmation")
        unit.running = record.active
        if record.state == "trial":
            unit.starts += 1
            if unit.starts > TRIES:
                raise Broken("a binary on trial is started too often")
            self.after_a_try(unit)
        else:
            self.at_a_confirmed_start(unit)
            if unit.counter < unit.version(record.active):
                raise Broken("a confirmed binary runs, and older ones would still be accepted")

    def without_counter(self, unit):
        """Nothing is written: the counter is read again, at the latest at the next start."""
        raise Refused

    def may_be_tried(self, unit, slot):
        """What S2 looks at before the try is recorded."""
        return unit.loads(slot)

    def before_a_try(self, unit):
        """S2."""
        self.step(unit, "S2")

    def after_a_try(self, unit):
        """Nothing."""

    def at_a_confirmed_start(self, unit):
        """S5."""
        self.step(unit, "S5")

    def update(self, unit, version):
        """U1 to U5, and a restart."""
        for name in self.update_steps:
            self.step(unit, name, version)
        unit.running = None

    def go_back(self, unit):
        """What the other slot still holds, without writing it again."""
        for name in self.return_steps:
            self.step(unit, name)
        unit.running = None

    def confirm(self, unit):
        """C1, C2: of a binary on trial that runs, and has passed its self-test."""
        record, _ = self.newest(unit)
        if record.state != "trial":
            raise Refused
        for name in self.confirm_steps:
            self.step(unit, name)

    def demote(self, unit):
        """D1, and a restart: of a binary on trial."""
        record, _ = self.newest(unit)
        if record.state != "trial":
            raise Refused
        self.step(unit, "D1")
        unit.running = None


class WithFirmware(Protocol):
    """Firmware and binary together: only the new firmware validates, which runs once the try is recorded."""

    update_steps = ("U1", "U2", "U3", "U5")
    return_steps = ("U1", "U5")

    def may_be_tried(self, unit, slot):
        return unit.version(slot) is not None  # digest and signature, by the boot loader


def without_counter(protocol, unit):
    """A start at which the counter cannot be read."""
    unit.running, unit.is_unread = None, True
    protocol.start(unit)


def actions(unit):
    """Name and call of what an application may do now."""
    yield "start", lambda protocol, unit: protocol.start(unit)
    yield "start without counter", without_counter
    if unit.running is not None:
        for version in range(max(1, unit.counter - 1), min(HIGHEST, unit.counter + 1) + 1):
            yield f"update to {version}", lambda protocol, unit, version=version: protocol.update(unit, version)
        yield "go back", lambda protocol, unit: protocol.go_back(unit)
        yield "confirm", lambda protocol, unit: protocol.confirm(unit)
        yield "demote", lambda protocol, unit: protocol.demote(unit)


def attempt(protocol, unit, act):
    """Carries out an action. What the newest record then calls confirmed is what nothing older may follow."""
    try:
        act(protocol, unit)
    except (Cut, Refused) as end:
        if isinstance(end, Cut):
            unit.running = None
    record, _ = protocol.newest(unit)
    if record.state == "confirmed":
        unit.floor = max(unit.floor, unit.version(record.active) or 0)


def explore(protocol, most=2_000_000):
    """(states, cuts, what is wrong: a sentence and the actions that lead there, or None)."""
    first = Unit()
    protocol.start(first)
    seen, waiting, cuts = {first.key()}, collections.deque([(first, ())]), 0
    while waiting:
        unit, story = waiting.popleft()
        for name, act in actions(unit):
            tries = [(name, None, None)]
            while tries:
                said, cut_at, torn = tries.pop()
                after = unit.copy()
                after.cut_at, after.torn = cut_at, torn
                try:
                    attempt(protocol, after, act)
                    if cut_at is None:
                        tries += [(f"{name}, cut at {i}, {way}", i, way) for i, kind in enumerate(after.operations)
                                  for way in TORN[kind]]
                    cuts += cut_at is not None
                    key = after.key()
                    if key not in seen:
                        protocol.start(after.copy())  # what is there starts
                        seen.add(key)
                        waiting.append((after, (*story, said)))
                except Broken as wrong:
                    return len(seen), cuts, (str(wrong), (*story, said))
        if len(seen) > most:
            raise AssertionError("more states than were expected")
        protocol.trace.clear()
    return len(seen), cuts, None
