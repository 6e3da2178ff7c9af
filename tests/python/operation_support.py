"""What the tests of quantised operations share: a device, places, and data with the values at which arithmetic ends."""
import itertools
import unittest

import numpy

import pianola

GRID = pianola.CoreGrid(y=2, x=2)


def places(shape):
    """Every kind of place for a tensor of a shape."""
    strategies = (pianola.ShardStrategy.HEIGHT, pianola.ShardStrategy.WIDTH, pianola.ShardStrategy.BLOCK)
    return [pianola.DRAM_MEMORY_CONFIG, pianola.L1_MEMORY_CONFIG] + [
        pianola.create_sharded_memory_config(shape, GRID, strategy, buffer_type=memory)
        for strategy, memory in itertools.product(strategies, (pianola.BufferType.L1, pianola.BufferType.DRAM))
    ]


def any_place(rng, shape):
    """One of them."""
    return places(shape)[rng.integers(len(places(shape)))]


def any_shape(rng, most=4):
    """One to `most` small dimensions."""
    return tuple(int(size) for size in rng.integers(1, 12, size=rng.integers(1, most + 1)))


def array_of(rng, dtype, shape):
    """Random data of the whole type, with both ends."""
    info = numpy.iinfo(dtype)
    array = rng.integers(info.min, info.max, size=shape, dtype=dtype, endpoint=True)
    array.flat[0] = info.min
    array.flat[-1] = info.max
    return array


def scale_of(rng):
    """A scale that single precision holds."""
    return float(numpy.float32(numpy.exp(rng.uniform(-6, 2))))


def zero_point_of(rng):
    """A zero point; the ends are frequent."""
    return int(rng.choice([-128, 0, 127, *rng.integers(-128, 128, size=4)]))


class OperationTest(unittest.TestCase):
    """Has a device of four cores with two queues."""

    def setUp(self):
        self.device = pianola.open_device(
            core_grid=GRID, num_command_queues=2, trace_region_size=64 * 1024, dispatch_area_bytes=256 * 1024,
            keep_log=True)
        self.addCleanup(pianola.close_device, self.device)

    def on_device(self, array, place=pianola.DRAM_MEMORY_CONFIG):
        """A device tensor with an array's data, which both queues may use."""
        tensor = pianola.from_numpy(array, device=self.device, memory_config=place)
        pianola.synchronize_device(self.device)
        return tensor

    def commands(self):
        """Commands that the device has executed."""
        pianola.synchronize_device(self.device)
        return [len(self.device.log(queue)) for queue in (0, 1)]

    def refused(self, rule, call, *arguments, **options):
        """The call raises the rule's error, and its text begins with the rule."""
        with self.assertRaises(pianola.Error) as raised:
            call(*arguments, **options)
        self.assertEqual(raised.exception.rule, rule)
        self.assertTrue(str(raised.exception).startswith(rule + ": "), str(raised.exception))
        return str(raised.exception)
