#!/usr/bin/env python3
"""Captures of programs on meshes: one binary for all devices, which computes the same of other inputs."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy

import pianola as ttnn
from mesh_support import Case, rule
from python_support import main, saturated

ROWS = 2  # of a device's piece
WIDTH = 16
SHAPES = ((1, 2), (2, 2), (1, 8))


class Captures(Case):
    """Each device's part is what NumPy makes of that device's inputs."""

    def sharded(self, mesh, rows=ROWS):
        """A tensor with a piece on every device."""
        return ttnn.from_numpy(self.array(rows * mesh.get_num_devices(), WIDTH), device=mesh,
                               mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0))

    @staticmethod
    def composed(mesh, tensor):
        """All pieces, below each other."""
        return ttnn.to_numpy(tensor, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))

    def expect(self, result, right, count=20):
        """Replays new inputs; `right` gives the outputs for a dictionary of inputs."""
        session = ttnn.Session(result.file)
        records = [{entry["name"]: self.array(*entry["shape"]) for entry in session.inputs} for _ in range(count)]
        for inputs, outputs in zip(records, session.run(records), strict=True):
            wanted = right(inputs)
            self.assertEqual(set(outputs), set(wanted))
            for name, array in wanted.items():
                numpy.testing.assert_array_equal(outputs[name], array, name)

    def run_elsewhere(self, result, records):
        """The records' outputs, from `pianola run` in another process."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            result.save(folder / "mesh.ptb")
            command = [os.environ["PIANOLA_PROGRAM"], "run", folder / "mesh.ptb", "--batch"]
            for entry in ttnn.Session(result.file).inputs:
                path = folder / f"{entry['name']}.in"
                path.write_bytes(b"".join(each[entry["name"]].tobytes() for each in records))
                command += ["--input", path]
            entries = ttnn.Session(result.file).outputs
            for entry in entries:
                command += ["--output", folder / f"{entry['name']}.out"]
            subprocess.run(command, check=True, capture_output=True)
            return [(folder / f"{entry['name']}.out").read_bytes() for entry in entries]

    def test_the_natural_loop(self):
        for shape in SHAPES:
            with self.subTest(shape=shape):
                mesh = self.open(shape)
                devices = mesh.get_num_devices()
                matrix = self.array(WIDTH, 8)
                with ttnn.capture(mesh) as capture:
                    weights = ttnn.from_numpy(matrix, device=mesh)
                    for _ in range(3):
                        x = self.sharded(mesh)
                        bias = ttnn.from_numpy(self.array(ROWS, WIDTH), device=mesh)
                        self.composed(mesh, ttnn.matmul(ttnn.add(x, bias), weights))
                result = capture.result
                self.assertEqual((result.steps, result.warnings), (3, []))
                inputs = ttnn.Session(result.file).inputs
                self.assertEqual([each["shape"] for each in inputs], [(ROWS * devices, WIDTH), (ROWS, WIDTH)])

                def right(given, matrix=matrix, devices=devices):
                    every = numpy.tile(given["input 1"], (devices, 1)).astype(int)
                    return {"output 0": saturated(given["input 0"] + every).astype(int) @ matrix.astype(int)}

                self.expect(result, right, 1000)
                self.assertEqual(ttnn.Session(result.file).self_test(), 3)
                result.compare_to_capture()
                records = [{each["name"]: self.array(*each["shape"]) for each in inputs} for _ in range(4)]
                wanted = b"".join(right(each)["output 0"].astype(numpy.int32).tobytes() for each in records)
                self.assertEqual(self.run_elsewhere(result, records), [wanted])

    def test_different_work_on_parts_of_the_mesh(self):
        mesh = self.open((2, 2))
        upper, lower = mesh.create_submeshes(ttnn.MeshShape(1, 2))
        with ttnn.capture(mesh) as capture:
            for _ in range(3):
                x = self.sharded(upper)
                z = self.sharded(lower)
                y = ttnn.relu(ttnn.add(x, x))
                last = ttnn.neg(z)
                self.composed(upper, y)
                self.composed(lower, last)
        self.expect(
            capture.result, lambda given: {
                "output 0": numpy.maximum(saturated(2 * given["input 0"].astype(int)), 0),
                "output 1": saturated(-given["input 1"].astype(int))
            })

    def test_one_device_more_than_the_others(self):
        """Only device (0, 1) has a second layer and is read."""
        mesh = self.open((1, 2))
        right_half = mesh.create_submesh(ttnn.MeshShape(1, 1), ttnn.MeshCoordinate(0, 1))
        with ttnn.capture(mesh) as capture:
            for _ in range(3):
                x = ttnn.from_numpy(self.array(ROWS, WIDTH), device=mesh)
                y = ttnn.relu(x)
                extra = ttnn.from_numpy(self.array(ROWS, WIDTH), device=right_half)
                ttnn.add(extra, extra).cpu()
                ttnn.get_device_tensors(y)[1].cpu()
        self.expect(
            capture.result, lambda given: {
                "output 0": saturated(2 * given["input 1"].astype(int)),
                "output 1": numpy.maximum(given["input 0"], 0)
            })

    def test_a_program_without_a_loop(self):
        mesh = self.open((2, 2))
        with ttnn.capture(mesh) as capture:
            self.composed(mesh, ttnn.relu(self.sharded(mesh)))
        self.assertEqual(capture.result.steps, 1)
        self.expect(capture.result, lambda given: {"output 0": numpy.maximum(given["input 0"], 0)})

    def test_pieces_in_two_dimensions(self):
        """Rows of the mesh cut rows, its columns columns: the pieces of the binary follow each other."""
        mesh = self.open((2, 2))
        with ttnn.capture(mesh) as capture:
            for _ in range(2):
                x = ttnn.from_numpy(self.array(4, 32), device=mesh,
                                    mesh_mapper=ttnn.ShardTensor2dMesh(mesh, (2, 2), dims=(0, 1)))
                ttnn.to_numpy(ttnn.relu(x), mesh_composer=ttnn.ConcatMesh2dToTensor(mesh, (2, 2), dims=(0, 1)))
        self.assertEqual(ttnn.Session(capture.result.file).inputs[0]["shape"], (8, 16))
        self.expect(capture.result, lambda given: {"output 0": numpy.maximum(given["input 0"], 0)})

    def test_replicas(self):
        """Those of all devices are one piece, those along one dimension of the mesh are pieces."""
        mesh = self.open((2, 2))
        with ttnn.capture(mesh) as capture:
            for _ in range(2):
                x = ttnn.from_numpy(self.array(ROWS, WIDTH), device=mesh, mesh_mapper=ttnn.ReplicateTensorToMesh(mesh))
                y = ttnn.from_numpy(self.array(2 * ROWS, WIDTH), device=mesh,
                                    mesh_mapper=ttnn.ShardTensor2dMesh(mesh, (2, 2), dims=(0, None)))
                self.composed(mesh, ttnn.maximum(x, y))
        self.assertEqual([each["shape"] for each in ttnn.Session(capture.result.file).inputs],
                         [(ROWS, WIDTH), (4 * ROWS, WIDTH)])
        self.expect(
            capture.result,
            lambda given: {"output 0": numpy.maximum(numpy.tile(given["input 0"], (4, 1)), given["input 1"])})

    def test_equal_pieces_are_still_pieces(self):
        """Zeros on all devices do not make a tensor replicated."""
        mesh = self.open((1, 2))
        with ttnn.capture(mesh) as capture:
            for _ in range(2):
                x = ttnn.from_numpy(numpy.zeros((4, WIDTH), numpy.int8), device=mesh,
                                    mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0))
                self.composed(mesh, ttnn.relu(x))
        self.expect(capture.result, lambda given: {"output 0": numpy.maximum(given["input 0"], 0)})

    def test_traces_and_two_queues(self):
        mesh = self.open((2, 2), num_command_queues=2)
        x = ttnn.zeros((ROWS, WIDTH), ttnn.int8, device=mesh)
        y = ttnn.add(x, x)
        trace = ttnn.begin_trace_capture(mesh, cq_id=0)
        ttnn.add(x, x, output_tensor=y)
        ttnn.end_trace_capture(mesh, trace, cq_id=0)
        with ttnn.capture(mesh) as capture:
            taken = ttnn.record_event(mesh, 0)
            for _ in range(4):
                host = ttnn.distribute_tensor(ttnn.from_numpy(self.array(ROWS * 4, WIDTH)),
                                              ttnn.ShardTensorToMesh(mesh, dim=0))
                ttnn.wait_for_event(1, taken)
                ttnn.copy_host_to_device_tensor(host, x, cq_id=1)
                written = ttnn.record_event(mesh, 1)
                ttnn.wait_for_event(0, written)
                ttnn.execute_trace(mesh, trace, cq_id=0, blocking=False)
                taken = ttnn.record_event(mesh, 0)
                self.composed(mesh, y)
        self.expect(capture.result, lambda given: {"output 0": saturated(2 * given["input 0"].astype(int))})

    def test_a_missing_event_is_refused_by_name(self):
        mesh = self.open((1, 2), num_command_queues=2, races="off")

        def captured():
            with ttnn.capture(mesh):
                x = ttnn.zeros((ROWS, WIDTH), ttnn.int8, device=mesh)
                for _ in range(3):
                    host = ttnn.from_numpy(self.array(ROWS, WIDTH))
                    ttnn.copy_host_to_device_tensor(host, x, cq_id=1)
                    self.composed(mesh, ttnn.relu(x))

        rule(self, "API-CAPTURE-REFUSED", captured, "ORD-RACE", "no event orders them", "device (0, 0): ")

    def test_names(self):
        mesh = self.open((1, 2))
        x = self.sharded(mesh)
        y = ttnn.relu(x)
        with ttnn.capture(mesh, name="named", steps_in_flight=1) as capture:
            capture.declare_input(x, "image", scale=0.5)
            capture.declare_output(y, "scores")
            for _ in range(2):
                capture.begin_step()
                host = ttnn.distribute_tensor(ttnn.from_numpy(self.array(4, WIDTH)),
                                              ttnn.ShardTensorToMesh(mesh, dim=0))
                ttnn.copy_host_to_device_tensor(host, x)
                ttnn.relu(x, output_tensor=y)
                self.composed(mesh, y)
        entry = ttnn.Session(capture.result.file).inputs[0]
        self.assertEqual((entry["name"], entry["shape"], entry["scale"]), ("image", (4, WIDTH), 0.5))
        self.expect(capture.result, lambda given: {"scores": numpy.maximum(given["image"], 0)})

    def test_pipelines(self):
        mesh = self.open((1, 2), num_command_queues=2)
        config = ttnn.create_sharded_memory_config((ROWS, WIDTH), mesh.core_grid, ttnn.ShardStrategy.HEIGHT)
        pipeline = ttnn.create_pipeline_from_config(
            config=ttnn.PipelineConfig(True, 2), model=lambda x: ttnn.add(ttnn.relu(x), x), device=mesh,
            dram_input_memory_config=ttnn.DRAM_MEMORY_CONFIG, l1_input_memory_config=config,
            dram_output_memory_config=ttnn.DRAM_MEMORY_CONFIG)

        def inputs(count):
            return [ttnn.distribute_tensor(ttnn.from_numpy(self.array(2 * ROWS, WIDTH)),
                                           ttnn.ShardTensorToMesh(mesh, dim=0)) for _ in range(count)]

        pipeline.compile(inputs(1)[0])
        with ttnn.capture(mesh) as capture:
            pipeline.enqueue(inputs(6))
            pipeline.pop_all()
        pipeline.cleanup()
        self.expect(
            capture.result, lambda given: {
                "output 0": saturated(numpy.maximum(given["input 0"], 0).astype(int) + given["input 0"].astype(int))
            })

    def test_what_the_host_carries_is_refused(self):
        mesh = self.open((1, 2))
        left, right = mesh.create_submeshes(ttnn.MeshShape(1, 1))

        def stages(carry):
            def program():
                with ttnn.capture(mesh):
                    for _ in range(3):
                        x = ttnn.from_numpy(self.array(ROWS, WIDTH), device=left)
                        middle = ttnn.to_numpy(ttnn.get_device_tensors(ttnn.relu(x))[0].cpu())
                        y = ttnn.relu(ttnn.from_numpy(carry(middle), device=right))
                        y.cpu()
            return program

        for carry in (lambda array: array, lambda array: numpy.vstack([array, array]), lambda array: array[:1]):
            rule(self, "API-CAPTURE-CONTENT", stages(carry), "a write of buffer", "of device (0, 1)",
                 "a read of buffer", "of device (0, 0)", "capture each part of the mesh by itself")

    def test_gathered_shards_are_refused(self):
        mesh = self.open((1, 2))

        def program():
            with ttnn.capture(mesh):
                for _ in range(3):
                    whole = ttnn.to_numpy(ttnn.relu(self.sharded(mesh)),
                                          mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=1))
                    y = ttnn.relu(ttnn.from_numpy(whole, device=mesh))
                    self.composed(mesh, y)

        rule(self, "API-CAPTURE-CONTENT", program, "the host carries it from one device to another")

    def test_what_the_host_computes_in_between_is_an_input_and_a_warning(self):
        mesh = self.open((1, 2))
        left, right = mesh.create_submeshes(ttnn.MeshShape(1, 1))
        with ttnn.capture(mesh) as capture:
            for _ in range(3):
                x = ttnn.from_numpy(self.array(ROWS, WIDTH), device=left)
                middle = ttnn.to_numpy(ttnn.get_device_tensors(ttnn.relu(x))[0].cpu())
                y = ttnn.relu(ttnn.from_numpy(middle ^ 85, device=right))
                y.cpu()
        self.assertEqual(len(capture.result.warnings), 1)
        self.assertIn("comes after the host has seen a read of buffer", capture.result.warnings[0])
        self.expect(
            capture.result, lambda given: {f"output {i}": numpy.maximum(given[f"input {i}"], 0) for i in range(2)})

    def test_what_is_carried_to_the_next_step_is_an_input(self):
        mesh = self.open((1, 2))
        left, right = mesh.create_submeshes(ttnn.MeshShape(1, 1))
        middle = self.array(ROWS, WIDTH)
        with ttnn.capture(mesh) as capture:
            for _ in range(3):
                y = ttnn.from_numpy(middle, device=right)
                x = ttnn.from_numpy(self.array(ROWS, WIDTH), device=left)
                ttnn.neg(y).cpu()
                middle = ttnn.to_numpy(ttnn.get_device_tensors(ttnn.relu(x))[0].cpu())
        self.assertEqual((capture.result.steps, capture.result.warnings), (3, []))
        self.expect(
            capture.result, lambda given: {
                "output 0": numpy.maximum(given["input 0"], 0),
                "output 1": saturated(-given["input 1"].astype(int))
            })

    def test_set_up_after_a_read_of_another_device(self):
        mesh = self.open((1, 2))
        left, right = mesh.create_submeshes(ttnn.MeshShape(1, 1))

        def program():
            with ttnn.capture(mesh):
                x = ttnn.from_numpy(self.array(ROWS, WIDTH), device=left)
                middle = ttnn.to_numpy(ttnn.get_device_tensors(ttnn.relu(x))[0].cpu())
                weights = ttnn.from_numpy(middle + 1, device=right)
                for _ in range(3):
                    y = ttnn.from_numpy(self.array(ROWS, WIDTH), device=right)
                    ttnn.add(y, weights).cpu()

        rule(self, "API-CAPTURE-CONTENT", program, "would be set-up", "before the capture begins")

    def test_states(self):
        mesh = self.open((1, 2))
        left = mesh.create_submesh(ttnn.MeshShape(1, 1))
        with ttnn.capture(mesh) as outer:
            rule(self, "API-CAPTURE-STATE", lambda: ttnn.capture(left), "being captured already")
            self.composed(mesh, ttnn.relu(self.sharded(mesh)))
        self.assertEqual(outer.result.steps, 1)
        with self.assertRaises(ZeroDivisionError), ttnn.capture(mesh):
            raise ZeroDivisionError
        with ttnn.capture(left) as again:  # nothing is left of it
            ttnn.relu(ttnn.from_numpy(self.array(ROWS, WIDTH), device=left)).cpu()
        self.expect(again.result, lambda given: {"output 0": numpy.maximum(given["input 0"], 0)})

    def test_the_binary_names_its_mesh(self):
        mesh = self.open((2, 2))
        with ttnn.capture(mesh) as capture:
            self.composed(mesh, ttnn.relu(self.sharded(mesh)))
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "mesh.ptb"
            capture.result.save(path)
            shown = subprocess.run([os.environ["PIANOLA_PROGRAM"], "inspect", "--json", path], check=True,
                                   capture_output=True, text=True).stdout
        self.assertEqual(json.loads(shown)["target"]["mesh"], {"rows": 2, "columns": 2})


if __name__ == "__main__":
    main()
