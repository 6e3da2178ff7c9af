"""What the tests of the Python package share."""
import sys
import unittest

SKIPPED = 77

# The smallest device on which the guides' code makes sense: a grid of cores, two queues where a case asks for them.
TRACE_REGION = 32 * 1024


def int8_array(rng, shape):
    """Random int8 data; every value occurs, so that saturation does."""
    import numpy

    return rng.integers(-128, 128, size=shape, dtype=numpy.int8)


def saturated(array):
    """int8 of wider numbers, as the device's arithmetic saturates."""
    import numpy

    return numpy.clip(array, -128, 127).astype(numpy.int8)


def fields_of_target(file):
    """Of every number in the manifest's target: place in the file, bytes, and value. docs/reference/format.md,
    schema/trace_binary.fbs."""

    def number(at, size):
        return int.from_bytes(file[at:at + size], "little")

    def field(table, index):
        vtable = table - int.from_bytes(file[table:table + 4], "little", signed=True)
        return table + number(vtable + 4 + 2 * index, 2)

    manifest = number(84, 4)
    reference = field(manifest + number(manifest, 4), 0)
    target = reference + number(reference, 4)
    wide = ("dram_base", "dram_bytes", "l1_base", "l1_bytes", "trace_region_bytes", "clock_khz")
    fields = [(name, 4 + index, 4) for index, name in enumerate(wide)]
    fields += [("queue_count", 10, 1), ("grid_columns", 12, 1), ("grid_rows", 13, 1), ("dram_banks", 14, 1)]
    return {name: (field(target, index), size, number(field(target, index), size)) for name, index, size in fields}


def main():
    """Runs the cases of the calling script. Exit code 77 where nothing failed and a case was skipped: what was not
    tried has not passed."""
    result = unittest.main(module="__main__", argv=sys.argv, verbosity=2, exit=False).result
    sys.exit(1 if not result.wasSuccessful() else SKIPPED if result.skipped else 0)
