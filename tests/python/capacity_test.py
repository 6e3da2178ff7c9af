#!/usr/bin/env python3
"""What a profile of capacities takes: random small programs, and what a refusal by capacity says.

  capacity_test.py                        what continuous integration runs
  capacity_test.py --whole 2000           2,000 random programs with each profile
"""
import collections
import random
import re
import sys
import unittest

import numpy

import pianola
from python_support import main

SEED = 14
SHARE = 0.95  # of random programs that a profile must take
GRIDS = ((1, 1), (1, 2), (2, 2), (2, 4), (4, 4), (4, 8), (8, 8))
LAYOUTS = ("DRAM", "L1", "HEIGHT", "WIDTH", "BLOCK")
OPERATIONS = (pianola.add, pianola.subtract, pianola.multiply, pianola.relu, pianola.neg, pianola.abs)
BINARY = OPERATIONS[:3]
WHOLE = 0  # programs; 0: a sample
PROFILES = ("default", "host")
# Rules, and texts of the host's own limits, that say that something does not fit the runtime, and not that the program is wrong.
CAPACITY = re.compile(r"CAP-[A-Z]+|API-CAPTURE-LIMIT|IMG-SIZE|IMG-COUNT|BUD-RING")


def memory(layout, shape, grid):
    """The memory configuration of that name."""
    if layout in ("DRAM", "L1"):
        return {"DRAM": pianola.DRAM_MEMORY_CONFIG, "L1": pianola.L1_MEMORY_CONFIG}[layout]
    return pianola.create_sharded_memory_config(shape, grid, getattr(pianola.ShardStrategy, layout))


class RandomProgram:
    """A chain of operations on tensors of one shape, in layouts that change; replayable from its seed."""

    def __init__(self, seed):
        draw = random.Random(seed)
        self.grid = draw.choice(GRIDS)
        self.shape = (draw.choice((1, 7, 16, 33, 64, 128)), draw.choice((4, 16, 33, 64, 128, 256)))
        self.queues = draw.choice((1, 1, 2))
        self.steps = [(draw.choice(OPERATIONS), draw.choice(LAYOUTS), draw.random() < 0.4) for _ in range(draw.randint(1, 6))]
        self.of_input, self.of_output = draw.choice(LAYOUTS[:3]), draw.choice(LAYOUTS[:3])

    def capture(self, profile):
        """The outcome: 'accepted', a rule, or another reason why the program is none."""
        try:
            with pianola.manage_device(core_grid=pianola.CoreGrid(y=self.grid[0], x=self.grid[1]), trace_region_size=1 << 20,
                                       num_command_queues=self.queues, profile=profile) as device:
                return self.capture_on(device)
        except pianola.Error as error:
            found = CAPACITY.search(f"{error.rule} {error}")
            return found[0] if found else f"invalid: {error.rule}"

    def capture_on(self, device):
        """Two steps of it."""
        source, target = (pianola.zeros(self.shape, pianola.int8, device=device, memory_config=memory(layout, self.shape, device.core_grid))
                          for layout in (self.of_input, self.of_output))

        def model():
            tensor = source
            for operation, layout, keeps in self.steps:
                tensor = tensor if keeps else pianola.to_memory_config(tensor, memory(layout, self.shape, device.core_grid))
                tensor = operation(tensor, tensor) if operation in BINARY else operation(tensor)
            pianola.copy(tensor, target)

        model()
        capture = pianola.capture(device)
        with capture:
            capture.declare_input(source, "source")
            capture.declare_output(target, "target")
            for step in range(2):
                capture.begin_step()
                if self.queues == 1:
                    pianola.copy_host_to_device_tensor(pianola.from_numpy(numpy.full(self.shape, step, numpy.int8)), source)
                    model()
                else:
                    pianola.copy_host_to_device_tensor(pianola.from_numpy(numpy.full(self.shape, step, numpy.int8)), source, cq_id=1)
                    written = pianola.record_event(device, 1)
                    pianola.wait_for_event(0, written)
                    model()
                target.cpu()
        return "accepted"


def width_sharded(profile):
    """A program that every grid of 4x4 runs: what is captured of it on a device of that profile."""
    shape = (64, 64)
    with pianola.manage_device(core_grid=pianola.CoreGrid(y=4, x=4), trace_region_size=1 << 18, profile=profile) as device:
        source, target = (pianola.zeros(shape, pianola.int8, device=device) for _ in range(2))
        capture = pianola.capture(device)
        with capture:
            capture.declare_input(source, "source")
            capture.declare_output(target, "target")
            capture.begin_step()
            pianola.copy_host_to_device_tensor(pianola.from_numpy(numpy.ones(shape, numpy.int8)), source)
            tensor = pianola.to_memory_config(source, memory("WIDTH", shape, device.core_grid))
            pianola.reshard(pianola.relu(tensor), pianola.DRAM_MEMORY_CONFIG, target)
            target.cpu()
        return capture.result


class Capacities(unittest.TestCase):
    """With each profile that is meant for more than small programs."""

    def test_random_programs_are_taken(self):
        for profile in PROFILES if WHOLE else PROFILES[:1]:
            outcomes = collections.Counter(RandomProgram(f"{SEED} {index}").capture(profile) for index in range(WHOLE or 40))
            refused = sum(count for outcome, count in outcomes.items() if CAPACITY.fullmatch(outcome))
            valid = outcomes["accepted"] + refused
            print(f"{profile}: {outcomes['accepted']} of {valid} valid programs accepted; {dict(outcomes)}", flush=True)
            self.assertGreater(valid, (WHOLE or 40) // 2)
            self.assertGreaterEqual(outcomes["accepted"], SHARE * valid)

    def test_a_refusal_names_need_limit_and_remedy(self):
        with self.assertRaises(pianola.Error) as caught:
            width_sharded("small_ecu")
        message = str(caught.exception)
        for part in ("CAP-INTERVALS", "(65 against 64)", "profile default takes it", "small_ecu does not"):
            self.assertIn(part, message)

    def test_the_default_profile_takes_it_and_is_named_with_the_workload(self):
        workload = width_sharded("default")
        self.assertEqual(workload.device["profile"], "default")
        with self.assertRaises(ValueError):
            pianola.open_device(profile="tiny")


if __name__ == "__main__":
    if "--whole" in sys.argv:
        place = sys.argv.index("--whole")
        WHOLE = int(sys.argv[place + 1])
        del sys.argv[place:place + 2]
    main()
