#!/usr/bin/env python3
"""The stack of load(), submit() and poll(): a bound from the call graph, below its limit, and the painted stack below
the bound.

Where the device shares the ECU core, poll() runs its kernels; the bounds count them on every board.
"""
import pathlib

import baremetal_support as support
import stack_bounds
from baremetal_support import OPTIONS


class Stack(support.BareMetalTest):
    """Release is what runs; MinSizeRel is bounded as well."""

    def test_bounds_are_below_their_limits(self):
        for objects in OPTIONS.objects:
            findings, lines = stack_bounds.judge(objects)
            with self.subTest(objects=objects.name):
                self.assertEqual(findings, [], "\n".join(lines))

    def test_painted_stack_is_below_the_bounds(self):
        bounds = stack_bounds.bounds(OPTIONS.objects[0])
        for name in ("kws_ref_model", support.SAMPLE):
            used = stack_bounds.painted(self.model(name), self.folder)
            for call, size_bytes in used.items():
                print(f"{name}: {call} used {size_bytes} of {bounds[call]} bytes")
                with self.subTest(model=name, call=call):
                    self.assertGreater(size_bytes, 0)
                    self.assertLessEqual(size_bytes, bounds[call])


if __name__ == "__main__":
    support.parse(("--objects", {"required": True, "type": pathlib.Path, "nargs": 2}))
    support.main()
