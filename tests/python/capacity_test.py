#!/usr/bin/env python3
"""The profile of a device, from Python: what it refuses and takes, and that the workload says which it is for."""
import unittest

import numpy

import pianola
from python_support import main

SHAPE = (64, 64)


def width_sharded(profile):
    """A program whose tensors lie in the L1 of 64 cores: what is captured of it on a device of that profile."""
    with pianola.manage_device(core_grid=pianola.CoreGrid(y=8, x=8), trace_region_size=1 << 18,
                               profile=profile) as device:
        source, target = (pianola.zeros(SHAPE, pianola.int8, device=device) for _ in range(2))
        capture = pianola.capture(device)
        with capture:
            capture.declare_input(source, "source")
            capture.declare_output(target, "target")
            capture.begin_step()
            pianola.copy_host_to_device_tensor(pianola.from_numpy(numpy.ones(SHAPE, numpy.int8)), source)
            columns = pianola.create_sharded_memory_config(SHAPE, device.core_grid, pianola.ShardStrategy.WIDTH)
            pianola.reshard(pianola.relu(pianola.to_memory_config(source, columns)), pianola.DRAM_MEMORY_CONFIG, target)
            target.cpu()
        return capture.result


class Profiles(unittest.TestCase):
    """The same program with two of them."""

    def test_a_refusal_names_need_limit_and_remedy(self):
        with self.assertRaises(pianola.Error) as caught:
            width_sharded("small_ecu")
        for part in ("CAP-INTERVALS", "(found at least 65, limit 64)", "profile default takes it",
                     "small_ecu does not"):
            self.assertIn(part, str(caught.exception))

    def test_the_default_profile_takes_it_and_is_named_with_the_workload(self):
        self.assertEqual(width_sharded("default").device["profile"], "default")
        with self.assertRaisesRegex(pianola.Error, "API-DEVICE-OPTIONS.*'tiny'.*small_ecu, default and host"):
            pianola.open_device(profile="tiny")


if __name__ == "__main__":
    main()
