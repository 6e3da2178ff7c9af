#!/usr/bin/env python3
"""Every kernel of the device can be called from Python, except the one that only programs of several kernels need."""
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
NAMES = set(re.findall(r'^PIANOLA_KERNEL\(\d+U?, \w+, "(\w+)"',
                       (SOURCE / "hal/devices/refdev/kernels/kernels.inc").read_text(encoding="utf-8"), re.MULTILINE))


class Kernels(OperationTest):
    """The device's log names the kernels."""

    def test_every_kernel_is_reached(self):
        self.assertGreaterEqual(len(NAMES), 37)
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
        self.reach_int16()
        self.reach_recurrent(matrix)
        self.assertEqual(NAMES - self.reached(), IN_PROGRAMS_ONLY)

    def test_a_kernel_that_no_operation_uses_is_noticed(self):
        """So that the test above can fail."""
        pianola.relu(self.on_device(numpy.ones((4, 6), numpy.int8)))
        self.assertEqual(self.reached() & NAMES, {"unary"})

    def reached(self):
        """The kernels that have run."""
        pianola.synchronize_device(self.device)
        return {entry["kernel"] for entry in self.device.log(0) if "kernel" in entry}

    def reach_int16(self):
        """Layers of int16 activations."""
        image = self.on_device(numpy.ones((1, 4, 4, 2), numpy.int16))
        matrix = self.on_device(numpy.ones((4, 6), numpy.int16))
        scales = {"input_scale": 1.0, "weight_scale": 1.0, "output_scale": 1.0}
        pianola.conv2d(image, self.on_device(numpy.ones((3, 2, 2, 2), numpy.int8)), **scales)
        pianola.depthwise_conv2d(image, self.on_device(numpy.ones((1, 2, 2, 2), numpy.int8)), **scales)
        pianola.linear(matrix, self.on_device(numpy.ones((6, 3), numpy.int8)), dtype=pianola.int16, **scales)
        pianola.linear(matrix, self.on_device(numpy.ones((6, 3), numpy.int16)), dtype=pianola.int16, **scales)
        pianola.softmax(matrix, input_scale=0.1, tables=pianola.prepare_softmax_tables().to(self.device))
        pianola.tanh(matrix, pianola.prepare_sigmoid_table().to(self.device), input_scale=0.1)

    def reach_recurrent(self, matrix):
        """Layers that keep memory."""
        one = self.on_device(numpy.ones((2, 6), numpy.int8))
        pianola.svdf(matrix, one, one, self.on_device(numpy.zeros((4, 2, 6), numpy.int8)), rank=1, input_scale=1.0,
                     feature_scale=1.0, memory_scale=1.0, time_scale=1.0, output_scale=1.0)
        layer = pianola.prepare_lstm([numpy.ones((2, 6), numpy.int8)] * 4, [numpy.ones((2, 2), numpy.int8)] * 4,
                                     [numpy.zeros(2, numpy.int32)] * 4)
        pianola.lstm(pianola.reshape(matrix, (1, 4, 6)), *(tensor.to(self.device) for tensor in layer),
                     input_scale=0.1, hidden_scale=0.01, cell_scale=2.0**-11, input_weight_scales=[0.01] * 4,
                     hidden_weight_scales=[0.01] * 4)


if __name__ == "__main__":
    main()
