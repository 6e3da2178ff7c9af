"""What the tests of meshes share."""
import unittest

import numpy

import pianola as ttnn
from python_support import TRACE_REGION, int8_array


def rule(case, name, call, *words):
    """`call` breaks this rule, and says these words."""
    with case.assertRaises(ttnn.Error) as caught:
        call()
    case.assertEqual(caught.exception.rule, name, caught.exception)
    for word in words:
        case.assertIn(word, str(caught.exception))


class Case(unittest.TestCase):
    """Opens meshes that are closed when the test ends."""

    def setUp(self):
        self.rng = numpy.random.default_rng(3)

    def open(self, shape, **options):
        """A mesh with a trace region."""
        mesh = ttnn.open_mesh_device(ttnn.MeshShape(shape), **{"trace_region_size": TRACE_REGION, **options})
        self.addCleanup(ttnn.close_mesh_device, mesh)
        return mesh

    def array(self, *shape):
        """Random int8."""
        return int8_array(self.rng, shape)
