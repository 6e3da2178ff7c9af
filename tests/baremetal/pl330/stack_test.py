#!/usr/bin/env python3
"""The stack of load(), submit() and poll() of a session on the engine: a bound from the call graph, below its limit,
and the painted stack below the bound."""
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
        support.checked(OPTIONS.binaries, self.folder)
        bounds = stack_bounds.bounds(OPTIONS.objects[0])
        for call, size_bytes in stack_bounds.painted_by("stack", self.folder / "exchange.ptb").items():
            print(f"{call} used {size_bytes} of {bounds[call]} bytes")
            with self.subTest(call=call):
                self.assertGreater(size_bytes, 0)
                self.assertLessEqual(size_bytes, bounds[call])


if __name__ == "__main__":
    support.parse(("--binaries", {"required": True, "type": pathlib.Path}),
                  ("--objects", {"required": True, "type": pathlib.Path, "nargs": 2}))
    support.main()
