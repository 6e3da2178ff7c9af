#!/usr/bin/env python3
"""Two device cores of a board as two devices behind one session: outputs are what arithmetic says, both cores are at
work at the same time, and one that fails is named, with nothing released.

What the binaries compute is said at the head of host/binaries.cpp; the goldens are computed here, from that alone.
"""
import pathlib
import random

import baremetal_support as support
from baremetal_support import OPTIONS

ROW = 64
DEVICES = 2
RECORDS = 200
# Of impatient.ptb; the ECU core looks at least that often, and a device has so long to stop: board.h, refdev_driver.h.
DEADLINE_US, LOOK_US, RESET_US = 50_000, 1_000 + 100, 20_000
OK, TIMEOUT, LATCHED = 0x5AC3_96A5, 0x8E71_8E71, 0xD42B_D42B


def elements(data):
    """Bytes as int8."""
    return [byte - 256 if byte > 127 else byte for byte in data]


def saturated(values):
    """int8 as bytes."""
    return bytes(min(max(value, -128), 127) & 0xFF for value in values)


def weights(device):
    """What each device was given at set-up."""
    return elements((i * 37 + 11 + device * 59) & 0xFF for i in range(ROW))


def right(device, row, bias):
    """A device's row of the output."""
    pairs = list(zip(elements(row), elements(bias)))
    if device == 0:
        middle = saturated(one + other for one, other in pairs)
        return saturated(value + weight for value, weight in zip(elements(middle), weights(device)))
    return saturated(max(pair) - weight for pair, weight in zip(pairs, weights(device)))


def records(count):
    """Rows of both devices and a bias, one record behind the other."""
    return random.Random(20_260).randbytes(count * (DEVICES + 1) * ROW)


def golden(inputs):
    """All outputs of a file of records."""
    rows = [inputs[start:start + ROW] for start in range(0, len(inputs), ROW)]
    steps = [rows[first:first + DEVICES + 1] for first in range(0, len(rows), DEVICES + 1)]
    return b"".join(right(device, step[device], step[DEVICES]) for step in steps for device in range(DEVICES))


class Mesh(support.BareMetalTest):
    """Many inferences, and one device that fails."""

    def setUp(self):
        super().setUp()
        support.checked(OPTIONS.binaries, self.folder)

    def replay(self, icount):
        """Inferences on both devices."""
        inputs, output = self.write("inputs.bin", records(RECORDS)), self.folder / "outputs.bin"
        output.unlink(missing_ok=True)
        values = support.Run("replay", self.folder / "two.ptb", inputs, output, icount=icount).require().values
        self.assertEqual(output.read_bytes(), golden(inputs.read_bytes()))
        self.assertEqual((values["records"], values["in_flight"]), (RECORDS, 2))
        self.assertEqual(values["watchdog"], RECORDS + 1, "once for each step, and for the prologue")
        self.assertEqual(values["safe_state_entries"], 0)
        for device in range(DEVICES):
            self.assertEqual(values[f"meetings_{device}"], RECORDS, "both cores, in the middle of each step")
            self.assertGreater(values[f"executed_{device}"], RECORDS)

    def test_with_counted_instructions(self):
        self.replay(icount=True)

    def test_in_parallel(self):
        self.replay(icount=False)

    def failure(self, kind, device, number):
        """(values, outputs) of a run in which something happens to a device in the second step."""
        inputs, output = self.write("inputs.bin", records(2)), self.folder / "outputs.bin"
        output.unlink(missing_ok=True)
        run = support.Run("failure", self.folder / "impatient.ptb", self.folder / "one.ptb", inputs, output, kind,
                          device, number).require()
        given, outputs = inputs.read_bytes(), output.read_bytes()
        self.assertEqual(outputs[:DEVICES * ROW], golden(given)[:DEVICES * ROW], "the good step")
        return run.values, outputs[DEVICES * ROW:] == right(0, given[:ROW], given[ROW:2 * ROW])

    def check(self, device, values, is_alone_right, stopped):
        """What every failure has in common: it has a name, nothing is released, the other device is whole."""
        self.assertEqual((values["status"], values["fault_status"]), (TIMEOUT, TIMEOUT))
        self.assertEqual((values["fault_row"], values["fault_column"]), (0, device))
        self.assertEqual(values["fault_device_stopped"], int(stopped))
        self.assertEqual(values["output_zeros"], DEVICES * ROW)
        self.assertEqual(values["safe_state_entries"], 1)
        self.assertEqual(values["watchdog"], 2, "for the prologue and the good step only")
        self.assertEqual(values["later_step"], LATCHED)
        noticed = values["fault_time_us"] - values["fault_started_us"]
        self.assertGreater(noticed, DEADLINE_US)
        self.assertLessEqual(noticed, DEADLINE_US + LOOK_US)
        self.assertLessEqual(values["ended_after_us"], DEADLINE_US + 2 * LOOK_US + RESET_US)
        self.assertEqual(values[f"is_reset_{1 - device}"], 1)
        self.assertEqual(values[f"is_reset_{device}"], int(stopped))
        self.assertEqual((values["alone"], is_alone_right), (OK, True), "the other device works on without it")

    def test_a_core_that_stops(self):
        for device in range(DEVICES):
            for commands in (1, 3, 5, 7):
                with self.subTest(device=device, commands=commands):
                    values, is_alone_right = self.failure("dead", device, commands)
                    self.check(device, values, is_alone_right, stopped=False)
                    self.assertEqual((values["reloaded"], values["reload_fault_column"]), (TIMEOUT, device))

    def test_a_doorbell_that_is_lost(self):
        """Of each device one rings for the set-up, one for the prologue and two for each step."""
        for device in range(DEVICES):
            for number in (5, 6):
                with self.subTest(device=device, number=number):
                    values, is_alone_right = self.failure("doorbell", device, number)
                    self.check(device, values, is_alone_right, stopped=True)
                    self.assertEqual((values["reloaded"], values["replayed"], values["replayed_right"]), (OK, OK, 1))

    def test_no_failure(self):
        """Proof that what the others see comes from the fault."""
        for kind in ("dead", "doorbell"):
            values, is_alone_right = self.failure(kind, 1, 0)
            self.assertEqual((values["status"], values["safe_state_entries"], values["watchdog"]), (OK, 0, 3), kind)
            self.assertEqual(values["output_zeros"], golden(records(2))[DEVICES * ROW:].count(0))
            self.assertTrue(is_alone_right)


if __name__ == "__main__":
    support.parse(("--binaries", {"required": True, "type": pathlib.Path}))
    support.main()
