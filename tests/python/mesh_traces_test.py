#!/usr/bin/env python3
"""Meshes of devices in Python: queues, events, traces and pipelines, against NumPy."""
import numpy

import pianola as ttnn
from mesh_support import Case, rule
from python_support import main, saturated


class Traces(Case):
    """Traces on meshes, with one queue and with two."""

    SHAPES = ((1, 64), (2, 32), (4, 16), (2, 2, 16), (8, 8), (16, 4))

    def test_one_queue(self):
        mesh = self.open((1, 8), trace_region_size=200_000 // 64 * 64)
        concat = ttnn.ConcatMeshToTensor(mesh, 0)
        traces = []
        for shape in self.SHAPES[:3]:
            x, y = (ttnn.zeros(shape, ttnn.int8, device=mesh) for _ in range(2))

            def model(x=x, y=y):
                return ttnn.relu(ttnn.subtract(ttnn.add(x, x), y))

            model()
            tid = ttnn.begin_trace_capture(mesh, cq_id=0)
            output = model()
            ttnn.end_trace_capture(mesh, tid, cq_id=0)
            traces.append((shape, x, y, tid, output))
        self.assertIsNotNone(ttnn.trace_info(mesh, traces[0][3], (0, 7)))
        mapper = ttnn.ShardTensorToMesh(mesh, 0)
        for index in range(9):
            shape, x, y, tid, output = traces[index % 3]
            arrays = [self.array(8 * shape[0], *shape[1:]) for _ in range(2)]
            for array, tensor in zip(arrays, (x, y)):
                ttnn.copy_host_to_device_tensor(ttnn.from_numpy(array, mesh_mapper=mapper), tensor)
            ttnn.execute_trace(mesh, tid, cq_id=0, blocking=index % 2 == 0)
            expected = numpy.maximum(saturated(saturated(arrays[0].astype(int) * 2).astype(int) - arrays[1]), 0)
            numpy.testing.assert_array_equal(ttnn.to_numpy(output, concat), expected)
        for _, _, _, tid, _ in traces:
            ttnn.release_trace(mesh, tid)

    def test_a_thousand_executions(self):
        for shape in ((1, 2), (2, 2), (1, 8)):
            with self.subTest(shape), ttnn.create_mesh_device(ttnn.MeshShape(shape), trace_region_size=8192) as mesh:
                steps = self.array(16, 8).astype(numpy.int32)
                mapper, concat = ttnn.ShardTensorToMesh(mesh, 0), ttnn.ConcatMeshToTensor(mesh, 0)
                step = ttnn.from_numpy(steps, device=mesh, mesh_mapper=mapper)
                total = ttnn.from_numpy(steps, device=mesh, mesh_mapper=mapper)
                ttnn.add(total, step, output_tensor=total)
                tid = ttnn.begin_trace_capture(mesh)
                ttnn.add(total, step, output_tensor=total)
                ttnn.end_trace_capture(mesh, tid)
                for index in range(1000):
                    ttnn.execute_trace(mesh, tid)
                    if index % 100 == 99:
                        numpy.testing.assert_array_equal(ttnn.to_numpy(total, concat), steps * (index + 3))

    def test_two_queues(self):
        mesh = self.open((1, 4), num_command_queues=2)
        mapper, concat = ttnn.ShardTensorToMesh(mesh, 0), ttnn.ConcatMeshToTensor(mesh, 0)
        x = ttnn.zeros((2, 32), ttnn.int8, device=mesh)
        ttnn.relu(ttnn.neg(x))
        tid = ttnn.begin_trace_capture(mesh, cq_id=0)
        output = ttnn.relu(ttnn.neg(x))
        ttnn.end_trace_capture(mesh, tid, cq_id=0)
        done = ttnn.record_event(mesh, 0)
        written = ttnn.create_event(mesh)
        for _ in range(10):
            array = self.array(8, 32)
            ttnn.wait_for_event(1, done)
            ttnn.copy_host_to_device_tensor(ttnn.from_numpy(array, mesh_mapper=mapper), x, cq_id=1)
            ttnn.record_event(1, written)
            ttnn.wait_for_event(0, written)
            ttnn.execute_trace(mesh, tid, cq_id=0, blocking=False)
            ttnn.record_event(0, done)
            numpy.testing.assert_array_equal(ttnn.to_numpy(output, concat),
                                             numpy.maximum(saturated(-array.astype(int)), 0))
        ttnn.execute_trace(mesh, tid, cq_id=0)
        rule(self, "API-RACE", lambda: ttnn.to_numpy(output.cpu(cq_id=1), concat), "device (0, 0)", "on queue 1")

    def test_events_over_ranges(self):
        mesh, other = self.open((2, 2), num_command_queues=2), self.open((2, 2), num_command_queues=2)
        upper = ttnn.MeshCoordinateRange((0, 0), (0, 1))
        event = ttnn.record_event(mesh, 1, device_range=upper)
        ttnn.wait_for_event(0, event)
        ttnn.event_synchronize(event)
        self.assertTrue(ttnn.event_query(event))
        ttnn.record_event(1, event, upper)
        lower = mesh.create_submesh(ttnn.MeshShape(1, 2), ttnn.MeshCoordinate(1, 0))
        rule(self, "API-MESH-FOREIGN", lambda: ttnn.wait_for_event(lower, 0, event), "wait for nothing")
        rule(self, "API-MESH-FOREIGN", lambda: ttnn.wait_for_event(other, 0, event), "belongs neither")
        self.assertFalse(ttnn.event_query(ttnn.create_event(mesh)))
        rule(self, "API-EVENT-NOT-RECORDED", lambda: ttnn.wait_for_event(0, ttnn.create_event(mesh)))

    def test_parts_and_siblings(self):
        mesh = self.open((2, 2))
        rows = mesh.create_submeshes(ttnn.MeshShape(1, 2))
        tensors = [ttnn.zeros((2, 8), ttnn.int8, device=row) for row in rows]
        outputs = [ttnn.add(each, each) for each in tensors]
        tid = ttnn.begin_trace_capture(rows[0])
        ttnn.add(tensors[0], tensors[0], output_tensor=outputs[0])
        ttnn.end_trace_capture(rows[0], tid)
        for row, tensor, output in zip(rows, tensors, outputs):
            array = self.array(4, 8)
            mapper = ttnn.ShardTensorToMesh(row, 0)
            ttnn.copy_host_to_device_tensor(ttnn.from_numpy(array, mesh_mapper=mapper), tensor)
            ttnn.execute_trace(row, tid)
            numpy.testing.assert_array_equal(ttnn.to_numpy(output, ttnn.ConcatMeshToTensor(row, 0)),
                                             saturated(array.astype(int) * 2))
        ttnn.execute_trace(rows[0], tid, device_range=ttnn.MeshCoordinateRange((0, 1), (0, 1)))
        rule(self, "API-MESH-TRACE", lambda: ttnn.execute_trace(mesh, tid), "2 of 4 devices")

    def test_collect_and_load(self):
        mesh = self.open((2, 2))
        array = self.array(8, 8)
        x = ttnn.from_numpy(array, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, 0))
        y = ttnn.relu(x)
        tid = ttnn.begin_trace_capture(mesh)
        ttnn.relu(x, output_tensor=y)
        ttnn.end_trace_capture(mesh, tid)
        blob = ttnn.collect_trace(mesh, tid, {"x": x, "y": y})
        other = self.open((2, 2))
        loaded = ttnn.load_trace(other, blob)
        there = ttnn.trace_tensors(other, loaded)
        ttnn.copy_host_to_device_tensor(x.cpu(), there["x"])
        ttnn.execute_trace(other, loaded)
        numpy.testing.assert_array_equal(ttnn.to_numpy(there["y"], ttnn.ConcatMeshToTensor(other, 0)),
                                         numpy.maximum(array, 0))
        rule(self, "API-BLOB-MEMORY", lambda: ttnn.load_trace(mesh, blob), "device (0, 0)")
        rule(self, "API-BLOB-DEVICE", lambda: ttnn.load_trace(self.open((1, 4)), blob), "1x4")
        rule(self, "API-BLOB-DIGEST", lambda: ttnn.load_trace(other, blob[:90] + b"\xee" + blob[91:]))
        rule(self, "API-BLOB-FORMAT", lambda: ttnn.load_trace(other, blob[:-4]))
        rule(self, "API-BLOB-FORMAT", lambda: ttnn.load_trace(other, b""))

    def test_the_region_is_too_small(self):
        mesh = self.open((1, 2), trace_region_size=0)
        x = ttnn.zeros((2, 8), ttnn.int8, device=mesh)
        ttnn.relu(x)
        tid = ttnn.begin_trace_capture(mesh)
        ttnn.relu(x)
        rule(self, "API-TRACE-REGION", lambda: ttnn.end_trace_capture(mesh, tid), "device (0, 0)", "0 bytes")
        self.assertEqual(x.cpu().shape, (2, 8))  # the capture has ended


class Pipelines(Case):
    """The five executors on a mesh."""

    CONFIGS = ((False, 1, False), (True, 1, False), (False, 2, False), (True, 2, False), (True, 2, True))

    def test_all_executors(self):
        mesh = self.open((1, 2), num_command_queues=2)
        shape = (8, 64)
        mapper, concat = ttnn.ShardTensorToMesh(mesh, 0), ttnn.ConcatMeshToTensor(mesh, 0)
        l1 = ttnn.create_sharded_memory_config(shape, mesh.core_grid, ttnn.ShardStrategy.HEIGHT)
        dram = ttnn.DRAM_MEMORY_CONFIG
        for trace, queues, separate in self.CONFIGS:
            with self.subTest(trace=trace, queues=queues, separate=separate):
                config = ttnn.PipelineConfig(use_trace=trace, num_command_queues=queues,
                                             all_transfers_on_separate_command_queue=separate)
                pipeline = ttnn.create_pipeline_from_config(
                    config, lambda x: ttnn.relu(ttnn.add(x, x)), mesh, dram_input_memory_config=dram,
                    l1_input_memory_config=l1, dram_output_memory_config=dram)
                arrays = [self.array(16, 64) for _ in range(4)]
                inputs = [ttnn.from_numpy(each, mesh_mapper=mapper) for each in arrays]
                pipeline.compile(inputs[0])
                outputs = pipeline.enqueue(inputs).pop_all()
                pipeline.cleanup()
                for array, output in zip(arrays, outputs):
                    numpy.testing.assert_array_equal(ttnn.to_numpy(output, concat),
                                                     numpy.maximum(saturated(array.astype(int) * 2), 0))


if __name__ == "__main__":
    main()
