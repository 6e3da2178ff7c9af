#!/usr/bin/env python3
"""docs/guide/update.md: its protocol survives power cuts, wrong orders do not, and the model is that of the page."""
import pathlib
import re
import sys
import unittest

import update_protocol
from update_protocol import STEPS, WORDS, Cut, Protocol, Unit, WithFirmware, explore

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/guide/update.md"
STEP = re.compile(r"^- \*\*([A-Z]\d)\*\* `(.*?)`", re.MULTILINE)


class CounterFirst(Protocol):
    """The counter is raised before the record says confirmed."""

    confirm_steps = ("C2", "C1")


class OwnSector(Protocol):
    """The sector of the newest record is erased when it is full."""

    def erased(self, unit, sector):
        unit.erase(unit.journal[sector])
        return unit.journal[sector]


class InATrial(Protocol):
    """The passive slot is erased although it is the way back."""

    update_steps = ("U2", "U3", "U4", "U5")


class TryAfterStart(Protocol):
    """A try is recorded once the binary has been started."""

    def before_a_try(self, unit):
        """Nothing."""

    def after_a_try(self, unit):
        self.step(unit, "S2")


class RaisedOnce(Protocol):
    """The counter is raised by the confirmation alone."""

    def at_a_confirmed_start(self, unit):
        """Nothing."""


class DemotesUnread(Protocol):
    """A counter that cannot be read once is taken for a refusal of the binary."""

    def without_counter(self, unit):
        if self.newest(unit)[0].state == "trial":
            self.step(unit, "S3")
        raise update_protocol.Refused


class LastUnitBlank(Protocol):
    """A record counts as blank where its last unit is."""

    def is_blank(self, units):
        return units[-1] is update_protocol.BLANK


class HigherVersion(Protocol):
    """Of two slots the higher valid one is active, whatever the record says."""

    def start(self, unit):
        slots = [slot for slot in (0, 1) if unit.loads(slot)]
        unit.running = max(slots, key=unit.version)
        record, _ = self.newest(unit)
        if record.state == "confirmed" and record.active != unit.running:
            raise update_protocol.Broken("what was demoted is started")


class Model(unittest.TestCase):
    """The model's own procedures."""

    def test_no_power_cut_does_harm(self):
        states, cuts, wrong = explore(Protocol())
        print(f"{states} states, {cuts} power cuts", file=sys.stderr)
        self.assertIsNone(wrong)
        self.assertGreater(states, 10_000)
        self.assertGreater(cuts, 10 * states)

    def test_none_where_firmware_and_binary_change_together(self):
        states, cuts, wrong = explore(WithFirmware())
        self.assertIsNone(wrong)
        self.assertGreater(states, 10_000)
        self.assertGreater(cuts, 10 * states)

    def test_wrong_orders_are_found(self):
        for wrong, what in ((CounterFirst, "nothing can be started"), (OwnSector, "no record can be read"),
                            (InATrial, "nothing can be started"), (TryAfterStart, "started too often"),
                            (RaisedOnce, "older ones would still be accepted"),
                            (DemotesUnread, "a good binary is demoted"),
                            (HigherVersion, "what was demoted is started")):
            with self.subTest(wrong.__name__):
                found = explore(wrong())[2]
                self.assertIsNotNone(found, wrong.__doc__)
                self.assertIn(what, found[0], found)

    def test_a_record_that_is_partly_written_is_not_blank(self):
        for protocol, is_right in ((Protocol(), True), (LastUnitBlank(), False)):
            unit = Unit()
            unit.cut_at, unit.torn = 1, "old"  # the last unit of the second record
            with self.assertRaises(Cut):
                protocol.append(unit, 0, 0, "confirmed", 0)
            unit.cut_at = None
            if is_right:
                protocol.append(unit, 1, 0, "trial", 0)
                self.assertEqual(protocol.newest(unit), (update_protocol.Record(2, 1, 0, "trial", 0), 1))
            else:
                with self.assertRaisesRegex(update_protocol.Broken, "programmed twice"):
                    protocol.append(unit, 1, 0, "trial", 0)

    def test_torn_operations(self):
        for torn, unit_after, slot_after in (("old", None, [1, 1]), ("new", 7, [None, None]),
                                             ("bad", "unreadable", ["unreadable"] * 2)):
            unit = Unit()
            unit.cut_at, unit.torn = 0, torn
            with self.assertRaises(Cut):
                unit.program(unit.journal[0], WORDS, 7)
            self.assertEqual(unit.journal[0][WORDS], unit_after)
            unit = Unit()
            unit.cut_at, unit.torn = 0, torn
            with self.assertRaises(Cut):
                unit.erase(unit.slots[0])
            self.assertEqual(unit.slots[0], slot_after)


class Page(unittest.TestCase):
    """What the page tells is what the model does."""

    def setUp(self):
        self.text = PAGE.read_text(encoding="utf-8")

    def test_steps(self):
        self.assertEqual(STEP.findall(self.text), list(STEPS.items()))

    def test_the_model_carries_them_out_in_the_pages_order(self):
        order = [name for name, _ in STEP.findall(self.text)]

        def carried_out(act, wanted):
            """The steps of one procedure, as the model goes through it, against those of the page."""
            protocol.trace.clear()
            act()
            done = [name for name in protocol.trace if name[0] == wanted[0][0]]
            self.assertEqual(done, wanted)
            self.assertEqual(wanted, [name for name in order if name in wanted])

        protocol, unit = Protocol(), Unit()
        carried_out(lambda: protocol.start(unit), ["S1", "S4", "S5"])
        carried_out(lambda: protocol.update(unit, 2), ["U1", "U2", "U3", "U4", "U5"])
        carried_out(lambda: protocol.start(unit), ["S1", "S2", "S4"])
        carried_out(lambda: protocol.confirm(unit), ["C1", "C2"])
        self.assertEqual((unit.counter, unit.running), (2, 1))
        protocol.update(unit, 3)
        carried_out(lambda: protocol.demote(unit), ["D1"])
        protocol.start(unit)
        self.assertEqual((unit.counter, unit.running), (2, 1))

    def test_the_table_of_cuts_names_every_step_that_writes(self):
        table = self.text.split("| a power cut in |")[1].split("\n\n")[0]
        named = set(re.findall(r"\b[A-Z]\d\b", " ".join(row.split("|")[1] for row in table.splitlines()[2:])))
        writing = {name for name, does in STEPS.items() if re.match(r"program|erase|append|raise", does)}
        self.assertEqual(named, writing)


if __name__ == "__main__":
    unittest.main()
