#!/usr/bin/env python3
"""The cache of compiled programs, and traces that need it."""
import pianola
from python_support import main
from tensor_test import GRID, DeviceTest, data_of


class Programs(DeviceTest):
    """Programs are compiled once."""

    def test_the_same_work_elsewhere_is_known(self):
        place = pianola.create_sharded_memory_config((8, 16), GRID, pianola.ShardStrategy.HEIGHT)
        first = self.on_device(data_of(pianola.int8, (8, 16)), place)
        keep = [pianola.add(first, first)]
        entries = self.device.num_program_cache_entries()
        self.assertGreater(entries, 0)
        keep.append(pianola.add(keep[0], first))
        self.assertEqual(self.device.num_program_cache_entries(), entries)
        tid = pianola.begin_trace_capture(self.device)
        keep.append(pianola.add(keep[1], first))
        pianola.end_trace_capture(self.device, tid)
        self.assertEqual(self.device.num_program_cache_entries(), entries)

    def test_without_a_cache_nothing_is_known(self):
        tensor = self.on_device(data_of(pianola.int8, (8, 16)))
        pianola.relu(tensor)
        self.device.disable_and_clear_program_cache()
        keep = [pianola.relu(tensor)]
        self.assertEqual(self.device.num_program_cache_entries(), 0)
        tid = pianola.begin_trace_capture(self.device)
        self.refused("API-PROGRAM-NOT-COMPILED", pianola.relu, tensor)
        self.refused("API-TRACE-EMPTY", pianola.end_trace_capture, self.device, tid)
        self.device.enable_program_cache()
        keep.append(pianola.relu(tensor))
        self.assertEqual(self.device.num_program_cache_entries(), 1)
        self.device.clear_program_cache()
        self.assertEqual(self.device.num_program_cache_entries(), 0)

    def test_a_trace_refuses_what_was_never_run(self):
        tensor = self.on_device(data_of(pianola.int8, (8, 16)))
        tid = pianola.begin_trace_capture(self.device)
        self.refused("API-PROGRAM-NOT-COMPILED", pianola.relu, tensor)
        self.refused("API-TRACE-CAPTURING", tensor.cpu)
        self.refused("API-TRACE-EMPTY", pianola.end_trace_capture, self.device, tid)


if __name__ == "__main__":
    main()
