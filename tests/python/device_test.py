#!/usr/bin/env python3
"""What docs/guide/python.md promises of devices: every grid, every option, the log; and numbers out of range."""
import ast
import itertools
import os
import pathlib
import re
import unittest

import numpy

import pianola
from python_support import int8_array, main, saturated


class Grids(unittest.TestCase):
    """1 to 8 cores each way."""

    def test_every_grid_computes_and_captures(self):
        """Sharded over the whole grid; and a binary that was captured there."""
        rng = numpy.random.default_rng(17)
        for rows, columns in itertools.product(range(1, 9), repeat=2):
            with self.subTest(rows=rows, columns=columns):
                grid = pianola.CoreGrid(y=rows, x=columns)
                device = pianola.open_device(core_grid=grid, trace_region_size=128 * 1024,
                                             dispatch_area_bytes=128 * 1024)
                self.assertEqual((device.core_grid.x, device.core_grid.y), (columns, rows))
                self.assertEqual(device.memory_report()["L1"]["total_bytes"],
                                 (256 * 1024 // (rows * columns)) // 64 * 64)
                shape = (rows * 2, columns * 3)
                block = pianola.create_sharded_memory_config(shape, grid, pianola.ShardStrategy.BLOCK)
                x = pianola.zeros(shape, pianola.int8, device=device)
                y = pianola.zeros(shape, pianola.int8, device=device)
                array = int8_array(rng, shape)
                right = saturated(2 * array.astype(int))
                blocks = pianola.from_numpy(array, device=device, memory_config=block)
                numpy.testing.assert_array_equal(pianola.add(blocks, blocks).cpu().to_numpy(), right)
                with pianola.capture(device) as capture:
                    capture.declare_input(x, "x")
                    capture.declare_output(y, "y")
                    pianola.copy_host_to_device_tensor(pianola.from_numpy(array), x)
                    pianola.add(x, x, output_tensor=y)
                    y.cpu(blocking=False)
                numpy.testing.assert_array_equal(pianola.replay(capture.result.file, [{"x": array}])[0]["y"], right)
                pianola.close_device(device)
        for rows, columns in ((0, 1), (1, 9), (9, 1)):
            with self.assertRaises((pianola.Error, ValueError)):
                pianola.open_device(core_grid=pianola.CoreGrid(y=rows, x=columns))


class Options(unittest.TestCase):
    """Those that the page lists, and what each does."""

    def test_the_page_lists_every_option(self):
        """Table against stub, with the defaults."""
        page = (pathlib.Path(os.environ["PIANOLA_SOURCE"]) / "docs/guide/python.md").read_text(encoding="utf-8")
        listed = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", page[:page.index("## Traces")], re.M))
        stub = ast.parse(pathlib.Path(pianola.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
        node = next(each for each in stub.body if getattr(each, "name", "") == "open_device")
        self.assertEqual(list(listed), [each.arg for each in (*node.args.args, *node.args.kwonlyargs)])

    def test_memories(self):
        """DRAM, L1, and the dispatch area, whose refusal names what Python can set."""
        sizes = {
            "dram_bytes": 2**20, "l1_bytes": 64 * 1024, "trace_region_size": 8192,
            "core_grid": pianola.CoreGrid(y=8, x=8)
        }
        with pianola.manage_device(dispatch_area_bytes=1024, **sizes) as device:
            report = device.memory_report()
            self.assertEqual(report["DRAM"]["total_bytes"], 2**20 - 8192 - 1024)
            self.assertEqual(report["L1"]["total_bytes"], 1024)
            tensor = pianola.zeros((64, 64), pianola.int8, device=device, memory_config=pianola.L1_MEMORY_CONFIG)
            self.assertFalse(tensor.cpu().to_numpy().any())  # 64 launches, in several programs
        with pianola.manage_device(dispatch_area_bytes=64, **sizes) as device:
            columns = pianola.create_sharded_memory_config((8, 8), pianola.CoreGrid(y=1, x=2),
                                                           pianola.ShardStrategy.WIDTH)
            tensor = pianola.zeros((8, 8), pianola.int8, device=device, memory_config=columns)
            with self.assertRaisesRegex(pianola.Error, "API-PROGRAM-SIZE.*larger dispatch_area_bytes"):
                pianola.to_memory_config(tensor, pianola.DRAM_MEMORY_CONFIG)  # one launch is longer
        for option, value in (("dram_bytes", 1000), ("l1_bytes", 16), ("dispatch_area_bytes", 0), ("dram_bytes",
                                                                                                   2**32 - 64)):
            with self.assertRaisesRegex(pianola.Error, "API-DEVICE-OPTIONS"):
                pianola.open_device(**{option: value})

    def test_log(self):
        """Kept where it is asked for, with times and kernels; refused by name where it is not."""
        device = pianola.open_device(keep_log=True)
        tensor = pianola.relu(pianola.zeros((4, 16), pianola.int8, device=device))
        tensor.cpu()
        log = device.log()
        self.assertTrue({"write", "replay", "dispatch", "end", "read"} <= {entry["command"] for entry in log})
        kernels = [entry for entry in log if entry["command"] == "dispatch"]
        self.assertEqual({entry["kernel"] for entry in kernels}, {"fill", "unary"})
        self.assertEqual({entry["core"] for entry in kernels if entry["kernel"] == "unary"}, {0, 1, 2, 3})
        self.assertTrue(all(entry["start_cycles"] <= entry["end_cycles"] for entry in log))
        device.clear_log()
        self.assertEqual(device.log(cq_id=0), [])
        with self.assertRaisesRegex(pianola.Error, "keep_log=True"):
            pianola.open_device().log()


class Torch:
    """What from_torch() asks of a tensor of PyTorch."""

    def detach(self):
        """Itself."""
        return self

    cpu = detach

    def numpy(self):
        """Its data."""
        return numpy.zeros((2, 2), numpy.int8)


class Numbers(unittest.TestCase):
    """A number out of range is a ValueError, wherever the package takes one; a queue that is not there is the API's own
    rule."""

    def test_cq_id(self):
        """Every function and method that has one."""
        device = pianola.open_device(trace_region_size=32768, keep_log=True)
        host = pianola.from_numpy(numpy.zeros((4, 16), numpy.int8))
        a = host.to(device)
        numbers = pianola.zeros((2,), pianola.int32, device=device)
        square = pianola.zeros((16, 16), pianola.int8, device=device)
        image = pianola.zeros((1, 1, 1, 1), pianola.int8, device=device)
        scales = {"input_scale": 1.0, "weight_scale": 1.0, "output_scale": 1.0}
        pair = {"input_scale_a": 0.5, "input_scale_b": 0.5}
        reals = pianola.zeros((2,), pianola.float32, device=device)
        table = pianola.zeros((256,), pianola.int8, device=device)
        wide = pianola.zeros((2,), pianola.int16, device=device)
        curve = pianola.prepare_sigmoid_table().to(device)
        weights = [numpy.ones((1, 1), numpy.int8)] * 4
        gates = [each.to(device) for each in pianola.prepare_lstm(weights, weights, [numpy.zeros(1, numpy.int32)] * 4)]
        recurrent = {"input_scale": 0.1, "hidden_scale": 0.01, "cell_scale": 2.0**-11,
                     "input_weight_scales": [0.1] * 4, "hidden_weight_scales": [0.1] * 4}
        one = pianola.zeros((1, 1), pianola.int8, device=device)
        step = pianola.zeros((1, 1, 1), pianola.int8, device=device)
        layer = {"input_scale": 1.0, "feature_scale": 1.0, "memory_scale": 1.0, "time_scale": 1.0,
                 "output_scale": 1.0, "rank": 1}
        event = pianola.create_event(device)
        pianola.record_event(0, event)
        trace = pianola.begin_trace_capture(device)
        pianola.fill(a, 0)
        pianola.end_trace_capture(device, trace)
        blob = pianola.collect_trace(device, trace)
        place = pianola.DRAM_MEMORY_CONFIG
        calls = {
            "add": lambda q: pianola.add(a, a, cq_id=q), "subtract": lambda q: pianola.subtract(a, a, cq_id=q),
            "multiply": lambda q: pianola.multiply(a, a, cq_id=q), "relu": lambda q: pianola.relu(a, cq_id=q),
            "neg": lambda q: pianola.neg(a, cq_id=q), "abs": lambda q: pianola.abs(a, cq_id=q),
            "minimum": lambda q: pianola.minimum(a, a, cq_id=q), "maximum": lambda q: pianola.maximum(a, 1, cq_id=q),
            "eq": lambda q: pianola.eq(a, a, cq_id=q), "square": lambda q: pianola.square(a, cq_id=q),
            "min": lambda q: pianola.min(a, cq_id=q), "mean": lambda q: pianola.mean(a, cq_id=q),
            "softmax": lambda q: pianola.softmax(a, input_scale=1.0, cq_id=q),
            "log_softmax": lambda q: pianola.log_softmax(a, input_scale=1.0, cq_id=q),
            "l2_normalize": lambda q: pianola.l2_normalize(a, cq_id=q),
            "pad": lambda q: pianola.pad(a, [(0, 1), (0, 0)], cq_id=q),
            "reshape": lambda q: pianola.reshape(a, (16, 4), cq_id=q),
            "typecast": lambda q: pianola.typecast(a, pianola.int32, cq_id=q),
            "requantize": lambda q: pianola.requantize(a, 1.0, 0, 1.0, 0, cq_id=q),
            "avg_pool2d": lambda q: pianola.avg_pool2d(image, (1, 1), (1, 1), cq_id=q),
            "sigmoid": lambda q: pianola.sigmoid(wide, curve, input_scale=1.0, cq_id=q),
            "tanh": lambda q: pianola.tanh(wide, curve, input_scale=1.0, cq_id=q),
            "svdf": lambda q: pianola.svdf(one, one, one, step, cq_id=q, **layer),
            "lstm": lambda q: pianola.lstm(step, *gates, cq_id=q, **recurrent),
            "max_pool2d": lambda q: pianola.max_pool2d(image, (1, 1), (1, 1), cq_id=q),
            "conv2d": lambda q: pianola.conv2d(image, image, cq_id=q, **scales),
            "depthwise_conv2d": lambda q: pianola.depthwise_conv2d(image, image, cq_id=q, **scales),
            **{name: lambda q, call=getattr(pianola, name): call(a, a, cq_id=q, **pair)
               for name in ("ne", "gt", "ge", "lt", "le")},
            **{name: lambda q, call=getattr(pianola, name): call(a, a, output_scale=0.5, cq_id=q, **pair)
               for name in ("squared_difference", "prelu")},
            "where": lambda q: pianola.where(a, a, a, cq_id=q), "lookup": lambda q: pianola.lookup(a, table, cq_id=q),
            "quantize": lambda q: pianola.quantize(reals, 1.0, 0, cq_id=q),
            "dequantize": lambda q: pianola.dequantize(a, 1.0, 0, cq_id=q),
            "sum": lambda q: pianola.sum(a, cq_id=q), "max": lambda q: pianola.max(a, cq_id=q),
            "argmax": lambda q: pianola.argmax(a, cq_id=q), "argmin": lambda q: pianola.argmin(a, cq_id=q),
            "matmul": lambda q: pianola.matmul(a, square, cq_id=q),
            "linear": lambda q: pianola.linear(a, square, cq_id=q),
            "to_memory_config": lambda q: pianola.to_memory_config(a, place, q),
            "reshard": lambda q: pianola.reshard(a, place, cq_id=q), "copy": lambda q: pianola.copy(a, a + a, q),
            "fill": lambda q: pianola.fill(a, 0, q), "full": lambda q: pianola.full(
                (2, 2), 0, pianola.int8, device=device, cq_id=q), "zeros": lambda q: pianola.zeros(
                    (2, 2), pianola.int8, device=device, cq_id=q),
            "to_layout": lambda q: pianola.to_layout(a, pianola.TILE_LAYOUT, cq_id=q),
            "slice": lambda q: pianola.slice(a, (0, 0), (2, 3), cq_id=q),
            "concat": lambda q: pianola.concat([a, a], cq_id=q),
            "permute": lambda q: pianola.permute(a, (1, 0), cq_id=q), "flip": lambda q: pianola.flip(a, (0,), cq_id=q),
            "transpose": lambda q: pianola.transpose(a, 0, 1, cq_id=q),
            "repeat": lambda q: pianola.repeat(a, (1, 2), cq_id=q),
            "take": lambda q: pianola.take(a, numbers, cq_id=q),
            "embedding": lambda q: pianola.embedding(numbers, a, cq_id=q),
            "from_torch": lambda q: pianola.from_torch(Torch(), device=device, cq_id=q),
            "from_numpy": lambda q: pianola.from_numpy(numpy.zeros((2, 2), numpy.int8), device=device, cq_id=q),
            "copy_host_to_device_tensor": lambda q: pianola.copy_host_to_device_tensor(host, a, q),
            "record_event": lambda q: pianola.record_event(q, event),
            "wait_for_event": lambda q: pianola.wait_for_event(q, event),
            "synchronize_device": lambda q: pianola.synchronize_device(device, q),
            "begin_trace_capture": lambda q: pianola.begin_trace_capture(device, q),
            "end_trace_capture": lambda q: pianola.end_trace_capture(device, trace, q),
            "execute_trace": lambda q: pianola.execute_trace(device, trace, q),
            "load_trace": lambda q: pianola.load_trace(device, blob, q, [a]), "cpu": lambda q: a.cpu(cq_id=q),
            "to": lambda q: host.to(device, cq_id=q), "log": lambda q: device.log(q),
        }
        stub = pathlib.Path(pianola.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
        with_queue = {node.name for node in ast.walk(ast.parse(stub)) if isinstance(node, ast.FunctionDef)
                      and any(each.arg == "cq_id" for each in (*node.args.args, *node.args.kwonlyargs))}
        self.assertEqual(set(calls), with_queue)
        for name, call in calls.items():
            with self.subTest(function=name):
                for number in (-1, 2**32, -2**80, 2**80):
                    self.assertRaises(ValueError, call, number)
                with self.assertRaises(pianola.Error) as caught:
                    call(7)
                self.assertEqual(caught.exception.rule, "API-QUEUE")
                self.assertRaises(TypeError, call, "0")
        self.assertEqual(device.warnings(), [])


if __name__ == "__main__":
    main()
