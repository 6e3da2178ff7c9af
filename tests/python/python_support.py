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


def main():
    """Runs the cases of the calling script. Exit code 77 where nothing failed and a case was skipped: what was not
    tried has not passed."""
    result = unittest.main(module="__main__", argv=sys.argv, verbosity=2, exit=False).result
    sys.exit(1 if not result.wasSuccessful() else SKIPPED if result.skipped else 0)
