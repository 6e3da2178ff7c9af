#!/usr/bin/env python3
"""Every kernel of the device can be called from Python, but for those that only programs of several kernels need, and
those of int16."""
import os
import pathlib
import re
import unittest

import numpy

import pianola
from operation_support import OperationTest
from python_support import main

SOURCE = pathlib.Path(os.environ.get("PIANOLA_SOURCE", pathlib.Path(__file__).parents[2]))
# It orders the kernels of one program. Operations make programs whose order the library knows.
IN_PROGRAMS_ONLY = {"semaphore"}
# Tensors of the host API have no int16: imported models use these.
OF_INT16 = {"fully_connected_int16", "conv2d_int16", "depthwise_conv2d_int16", "softmax_int16", "sigmoid_int16"}
# Layers that keep state between the steps of a captured model; no operation has state.
IN_MODELS_ONLY = {"svdf_feature", "svdf_time", "lstm"}


class Kernels(OperationTest):
    """The device's log names the kernels."""

    def test_every_kernel_is_reached(self):
        rom = (SOURCE / "hal/kernels/kernel_library.cpp").read_text(encoding="utf-8")
        names = set(re.findall(r'KernelId::k\w+,\s+\d+U,\s+"(\w+)"', rom))
        self.assertGreater(len(names), 15, rom)
        image = self.on_device(numpy.ones((1, 4, 4, 2), numpy.int8))
        filters = self.on_device(numpy.ones((3, 2, 2, 2), numpy.int8))
        matrix = self.on_device(numpy.ones((4, 6), numpy.int8))
        scales = {"input_scale": 1.0, "weight_scale": 1.0, "output_scale": 1.0}
        pianola.conv2d(image, filters, **scales)
        pianola.depthwise_conv2d(image, self.on_device(numpy.ones((1, 2, 2, 2), numpy.int8)), **scales)
        pianola.linear(matrix, self.on_device(numpy.ones((6, 3), numpy.int8)), dtype=pianola.int8, **scales)
        pianola.matmul(matrix, self.on_device(numpy.ones((6, 3), numpy.int8)))
        pianola.avg_pool2d(image, (2, 2), (2, 2))
        pianola.max_pool2d(image, (2, 2), (2, 2))
        pianola.mean(matrix)
        pianola.softmax(matrix, input_scale=0.1)
        pianola.log_softmax(matrix, input_scale=0.1)
        pianola.l2_normalize(matrix)
        pianola.requantize(matrix, 1.0, 0, 2.0, 0)
        pianola.add(matrix, matrix, input_scale_a=1.0, input_scale_b=1.0, output_scale=1.0)
        pianola.add(pianola.relu(matrix), matrix)
        pianola.sum(matrix)
        pianola.pad(matrix, [(1, 1), (1, 1)])
        pianola.fill(matrix, 3)
        pianola.reshard(matrix, pianola.L1_MEMORY_CONFIG)
        pianola.slice(matrix, (0, 0), (4, 3))
        pianola.take(matrix, self.on_device(numpy.zeros(2, numpy.int32)))
        pianola.multiply(matrix, matrix, input_scale_a=1.0, input_scale_b=1.0, output_scale=1.0)
        pianola.where(matrix, matrix, matrix)
        pianola.lookup(matrix, self.on_device(numpy.zeros(256, numpy.int8)))
        pianola.quantize(pianola.dequantize(matrix, 1.0, 0), 1.0, 0)
        pianola.requantize(self.on_device(numpy.ones((4, 6), numpy.int32)), 1.0, 0, 2.0, 0)
        pianola.synchronize_device(self.device)
        reached = {entry["kernel"] for entry in self.device.log(0) if "kernel" in entry}
        self.assertEqual(names - reached, IN_PROGRAMS_ONLY | IN_MODELS_ONLY | OF_INT16)


if __name__ == "__main__":
    main()
