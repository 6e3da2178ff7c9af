#!/usr/bin/env python3
"""What a session is given and gives: arrays by name, and in the binary's order."""
import unittest

import numpy

import pianola
from python_support import TRACE_REGION, int8_array, main, saturated
from workloads import SHAPE


def two_by_two(names_in, names_out, arrays):
    """A captured workload that gives sum and difference of two inputs; the tensors have these names."""
    with pianola.manage_device(trace_region_size=TRACE_REGION) as device:
        here, there = ([pianola.zeros(SHAPE, pianola.int8, device=device) for _ in range(2)] for _ in range(2))
        with pianola.capture(device) as capture:
            for tensor, name in zip(here, names_in):
                capture.declare_input(tensor, name)
            for tensor, name in zip(there, names_out):
                capture.declare_output(tensor, name)
            for _ in range(2):
                capture.begin_step()
                for tensor, array in zip(here, arrays):
                    pianola.copy_host_to_device_tensor(pianola.from_numpy(array), tensor)
                pianola.add(*here, output_tensor=there[0])
                pianola.subtract(*here, output_tensor=there[1])
                for tensor in there:
                    tensor.cpu(blocking=False)
        return capture.result


class Session(unittest.TestCase):
    """Both forms of records."""

    def test_tensors_of_one_name(self):
        """Lists tell them apart. Dictionaries are refused before anything is lost."""
        rng = numpy.random.default_rng(23)
        here = int8_array(rng, SHAPE), int8_array(rng, SHAPE)
        for names_in, names_out in (("xx", "yz"), ("wx", "yy"), ("xx", "yy"), ("wx", "yz")):
            with self.subTest(inputs=names_in, outputs=names_out):
                result = two_by_two(names_in, names_out, here)
                session = pianola.Session(result.file)
                result.compare_to_capture()
                for records in ([list(here), here[::-1]], (here, list(here[::-1])), [numpy.stack(here), here[::-1]]):
                    outputs = session.run(records)
                    self.assertEqual([len(record) for record in outputs], [2, 2])
                    for (total, difference), (one, other) in zip(outputs, (here, here[::-1])):
                        numpy.testing.assert_array_equal(total, saturated(one.astype(int) + other))
                        numpy.testing.assert_array_equal(difference, saturated(one.astype(int) - other))
                named = [dict(zip(names_in, here))]
                alike = [kind for kind, names in (("input", names_in), ("output", names_out)) if len(set(names)) == 1]
                if not alike:
                    record, = session.run(named)
                    numpy.testing.assert_array_equal(record["y"], session.run([here])[0][0])
                else:
                    self.assert_rule("PLAYER-NAMES", lambda: session.run(named), f"two {alike[0]}s", "lists")
                for kind, records in (("input", lambda: result.inputs), ("output", lambda: result.outputs)):
                    if kind in alike:
                        self.assert_rule("PLAYER-NAMES", records, f"two {kind}s")
                    else:
                        self.assertEqual({len(record) for record in records()}, {2})
                self.assertEqual(session.run([]), [])
                for wrong in ([], here[:1], (*here, here[0]), [here[0], here[1].astype(numpy.int16)], [here[0], None]):
                    self.assert_rule("PLAYER-INPUT", lambda record=wrong: session.run([record]))
                with self.assertRaises(TypeError):
                    session.run([named[0], here])

    def assert_rule(self, rule, call, *words):
        """The call is refused by that rule, with these words."""
        with self.assertRaises(pianola.Error) as raised:
            call()
        self.assertEqual(raised.exception.rule, rule)
        for word in words:
            self.assertIn(word, str(raised.exception))


if __name__ == "__main__":
    main()
