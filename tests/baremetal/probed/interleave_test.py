#!/usr/bin/env python3
"""Whatever the order in which the cores get on, outputs and execution logs are the same.

With counted instructions an order is a seed's, and comes again: many different ones, and each of them five times.
Without, the cores run side by side on the host, and every run has an order of its own.
"""
import re
import unittest

import baremetal_support as support
from baremetal_support import OPTIONS

DIFFERENT_ORDERS = 200
SEEDS = 220  # two seeds may come to the same order
REPEATED_RUNS = 5
REPEATED_SEEDS = 20
PARALLEL_RUNS = 50
LINE = re.compile(r"^seed (\d+) order (0x[0-9A-F]+) events (\d+) preemptions (\d+)$", re.MULTILINE)


def orders_of(console):
    """Seed -> (order, number of events, preemptions), as the console has them."""
    return {
        int(seed): (order, int(events), int(preemptions))
        for seed, order, events, preemptions in LINE.findall(console)
    }


class Interleave(support.BareMetalTest):
    """One small step, many orders."""

    def setUp(self):
        super().setUp()
        self.captured = self.model(support.SAMPLE, queues=2)
        self.inputs = self.write("input.bin", self.captured.records(1))
        self.output, self.log = self.folder / "board.bin", self.folder / "board.log"

    def interleave(self, seeds):
        """Runs seeds 1, 2, ...; the console's text. The application itself compares each step with the first."""
        run = support.Run("interleave", self.captured.file, self.inputs, self.output, self.log, seeds).require()
        self.assertEqual(run.values["seeds"], seeds)
        return run.output

    def simulated(self):
        """(output, log file) of the simulator, on views like the board."""
        output, log = self.folder / "simulator.bin", self.folder / "simulator.log"
        support.checked(OPTIONS.pianola, "run", self.captured.file, "--input", self.inputs, "--output", output,
                        "--log", log, "--views")
        return output.read_bytes(), log

    def check_first_step(self):
        """What all steps were compared with is what the simulator says."""
        expected, log = self.simulated()
        self.assertEqual(self.output.read_bytes(), expected)
        self.assert_same_log(log, self.log)

    def test_many_orders_one_result(self):
        orders = orders_of(self.interleave(SEEDS))
        self.check_first_step()
        self.assertEqual(sorted(orders), list(range(1, SEEDS + 1)))
        self.assertTrue(all(preemptions > 0 for _, _, preemptions in orders.values()), "every step is preempted")
        different = {order for order, _, _ in orders.values()}
        self.assertGreaterEqual(len(different), DIFFERENT_ORDERS)

    def test_a_seed_is_an_order(self):
        """Five runs of the same seeds print the same text, hashes and all."""
        texts = {self.interleave(REPEATED_SEEDS) for _ in range(REPEATED_RUNS)}
        self.assertEqual(len(texts), 1)
        self.assertEqual(len(orders_of(texts.pop())), REPEATED_SEEDS)

    def test_another_output_is_noticed(self):
        """Proof that the application's comparison can fail: from the second step on the input is another one."""
        run = support.Run("interleave", self.captured.file, self.inputs, self.output, self.log, 2, "proof").require(1)
        self.assertEqual(run.values["other_output_with_seed"], 2)

    def test_side_by_side(self):
        """Cores in parallel, as the host schedules them."""
        expected, log = self.simulated()
        for number in range(PARALLEL_RUNS):
            self.output.unlink(missing_ok=True)
            support.Run("interleave", self.captured.file, self.inputs, self.output, self.log, 0, icount=False).require()
            self.assertEqual(self.output.read_bytes(), expected, f"run {number}")
            self.assert_same_log(log, self.log)


class Orders(unittest.TestCase):
    """Proof that equal and different orders are told apart, and incomplete ones are not counted."""

    def test_lines(self):
        found = orders_of(
            "seed 1 order 0xA events 2 preemptions 3\nseed 2 order 0xB events 2 preemptions 3 incomplete\nx\n"
            "seed 3 order 0xA events 2 preemptions 4\n")
        self.assertEqual(found, {1: ("0xA", 2, 3), 3: ("0xA", 2, 4)})


if __name__ == "__main__":
    support.parse()
    support.main()
