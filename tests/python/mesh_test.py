#!/usr/bin/env python3
"""Meshes of devices in Python: shapes, distribution, operations, against NumPy."""
import contextlib
import io
import subprocess
import sys

import numpy

import pianola as ttnn
from mesh_support import Case, rule
from python_support import main, saturated


class Shapes(Case):
    """Counting."""

    def test_shapes_and_coordinates(self):
        shape = ttnn.MeshShape(2, 4)
        self.assertEqual(shape, ttnn.MeshShape([2, 4]))
        self.assertEqual((shape[0], shape[-1], len(shape), shape.mesh_size()), (2, 4, 2, 8))
        self.assertEqual(list(shape), [2, 4])
        self.assertEqual(repr(shape), "MeshShape([2, 4])")
        place = ttnn.MeshCoordinate(1, 3)
        self.assertEqual({place: 1}[ttnn.MeshCoordinate([1, 3])], 1)
        self.assertEqual(repr(place), "MeshCoordinate(1, 3)")
        box = ttnn.MeshCoordinateRange(ttnn.MeshCoordinate(0, 1), ttnn.MeshCoordinate(1, 2))
        self.assertEqual([tuple(each) for each in box], [(0, 1), (0, 2), (1, 1), (1, 2)])
        self.assertTrue(box.contains(ttnn.MeshCoordinate(1, 1)))
        whole = ttnn.MeshCoordinateRangeSet([box])
        whole.merge(ttnn.MeshCoordinateRange(ttnn.MeshCoordinate(0, 0), ttnn.MeshCoordinate(1, 0)))
        self.assertEqual(whole.ranges(), [ttnn.MeshCoordinateRange(ttnn.MeshShape(2, 3))])
        rule(self, "API-MESH-SHAPE", lambda: ttnn.MeshShape(0, 1))
        with self.assertRaises(IndexError):
            shape[2]  # pylint: disable=pointless-statement

    def test_what_a_mesh_says_of_itself(self):
        with ttnn.create_mesh_device(ttnn.MeshShape(2, 2), num_command_queues=2) as mesh:
            self.assertEqual(mesh.get_num_devices(), 4)
            self.assertEqual(mesh.get_device_ids(), [0, 1, 2, 3])
            self.assertEqual(mesh.get_device_id(ttnn.MeshCoordinate(1, 0)), 2)
            self.assertEqual(mesh.shape, ttnn.MeshShape(2, 2))
            self.assertEqual(mesh.num_command_queues, 2)
            self.assertRegex(repr(mesh), r"MeshDevice\(id=\d+, 2x2, 4 devices\)")
            mesh.reshape(ttnn.MeshShape(1, 4))
            self.assertEqual(mesh.get_device_id((0, 2)), 2)
            with contextlib.redirect_stdout(io.StringIO()) as out:
                ttnn.visualize_mesh_device(mesh)
                ttnn.visualize_tensor(ttnn.from_numpy(self.array(2, 2), device=mesh))
            self.assertIn("(0, 3)     device 3\n", out.getvalue())
            self.assertIn("MeshCoordinate(0, 1) shard 1 (2, 2)\n", out.getvalue())
        self.assertFalse(mesh.is_open())
        self.assertEqual(ttnn.get_device_ids(), list(range(ttnn.get_num_devices())))

    def test_open_and_close_twice(self):
        for _ in range(2):
            mesh = ttnn.open_mesh_device(mesh_shape=ttnn.MeshShape(1, 2))
            array = self.array(4, 8)
            tensor = ttnn.from_numpy(array, device=mesh)
            numpy.testing.assert_array_equal(ttnn.get_device_tensors(tensor)[1].cpu().to_numpy(), array)
            ttnn.close_mesh_device(mesh)
            ttnn.close_mesh_device(mesh)
            with self.assertRaisesRegex(ttnn.Error, "API-MESH-CLOSED: .* has been closed"):
                mesh.create_submesh(ttnn.MeshShape(1, 1))


    def test_exit_without_close(self):
        program = ("import numpy, pianola as p; m = p.open_mesh_device(p.MeshShape(1, 2), threaded=True);"
                   "part = m.create_submesh(p.MeshShape(1, 1));"
                   "t = p.from_numpy(numpy.zeros((2, 2), numpy.int8), device=m); u = p.relu(t); print('left')")
        run = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "left\n", ""))


class Distribution(Case):
    """Mappers and composers."""

    def shards(self, tensor):
        """The shards as arrays."""
        return [each.to_numpy() for each in ttnn.get_device_tensors(tensor.cpu())]

    def test_replicas(self):
        mesh = self.open((2, 2))
        array = self.array(3, 16)
        for mapper in (None, ttnn.ReplicateTensorToMesh(mesh), ttnn.replicate_tensor_to_mesh_mapper(mesh)):
            tensor = ttnn.from_numpy(array, device=mesh, mesh_mapper=mapper)
            self.assertEqual(tensor.shape, (3, 16))
            for shard in self.shards(tensor):
                numpy.testing.assert_array_equal(shard, array)
        together = ttnn.to_numpy(tensor, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))
        numpy.testing.assert_array_equal(together, numpy.concatenate([array] * 4))
        rule(self, "API-MESH-COMPOSE", lambda: tensor.cpu().to_numpy(), "4 shards")
        rule(self, "API-MESH-COMPOSE", lambda: numpy.asarray(tensor), "4 shards")

    def test_one_dimension(self):
        mesh = self.open((2, 2))
        array = self.array(8, 4, 12)
        for dim in (0, 1, 2, -1, -3):
            tensor = ttnn.from_numpy(array, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim))
            for shard, part in zip(self.shards(tensor), numpy.split(array, 4, axis=dim)):
                numpy.testing.assert_array_equal(shard, part)
            numpy.testing.assert_array_equal(
                ttnn.to_numpy(tensor, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim)), array)
        rule(self, "API-MESH-UNEVEN",
             lambda: ttnn.from_numpy(self.array(6, 8), mesh_mapper=ttnn.ShardTensorToMesh(mesh, 0)), "has 6 elements",
             "4 devices", "pad it to 8")
        rule(self, "API-MESH-COMPOSE",
             lambda: ttnn.from_numpy(self.array(6, 8), mesh_mapper=ttnn.ShardTensorToMesh(mesh, 2)),
             "dimensions -2 to 1")

    def test_two_dimensions(self):
        mesh = self.open((2, 4))
        array = self.array(4, 32)
        whole = ttnn.MeshShape(2, 4)
        for dims in ((0, 1), (1, 0), (None, 1), (0, None), (None, None)):
            mapper = ttnn.ShardTensor2dMesh(mesh, mesh_shape=whole, dims=dims)
            if dims[1] == 0:
                tensor = ttnn.from_numpy(array, device=mesh, mesh_mapper=mapper)
            else:
                tensor = ttnn.distribute_tensor(ttnn.from_numpy(array), mapper, mesh)
            for index, shard in enumerate(self.shards(tensor)):
                expected = array
                for axis, place in zip(dims, divmod(index, 4)):
                    if axis is not None:
                        expected = numpy.split(expected, whole[dims.index(axis)], axis=axis)[place]
                numpy.testing.assert_array_equal(shard, expected)
            if None not in dims:
                composer = ttnn.ConcatMesh2dToTensor(mesh, mesh_shape=whole, dims=dims)
                numpy.testing.assert_array_equal(ttnn.to_numpy(tensor, mesh_composer=composer), array)
        rule(self, "API-MESH-COMPOSE",
             lambda: ttnn.to_numpy(tensor, mesh_composer=ttnn.ConcatMesh2dToTensor(mesh, whole, (1, 1))), "twice")

    def test_three_dimensions(self):
        mesh = self.open((2, 2, 2))
        array = self.array(4, 6, 8)
        config = ttnn.MeshMapperConfig([ttnn.PlacementShard(0), ttnn.PlacementReplicate(), ttnn.PlacementShard(2)])
        tensor = ttnn.from_numpy(array, device=mesh, mesh_mapper=ttnn.create_mesh_mapper(mesh, config))
        self.assertEqual(tensor.shape, (2, 6, 4))
        for index, shard in enumerate(self.shards(tensor)):
            i, k = index >> 2, index & 1
            numpy.testing.assert_array_equal(shard, array[2 * i:2 * i + 2, :, 4 * k:4 * k + 4])
        composer = ttnn.create_mesh_composer(mesh, ttnn.MeshComposerConfig([0, 1, 2]))
        expected = numpy.concatenate([array, array], axis=1)
        numpy.testing.assert_array_equal(ttnn.aggregate_tensor(tensor, composer).to_numpy(), expected)
        rule(self, "API-MESH-COMPOSE",
             lambda: ttnn.create_mesh_mapper(mesh, ttnn.MeshMapperConfig([ttnn.PlacementShard(0)])), "1 placements")

    def test_a_smaller_shape(self):
        mesh = self.open((2, 4))
        array = self.array(4, 4)
        corner = ttnn.MeshMapperConfig([ttnn.PlacementShard(0), ttnn.PlacementShard(1)], ttnn.MeshShape(2, 2))
        tensor = ttnn.from_numpy(array, device=mesh, mesh_mapper=ttnn.create_mesh_mapper(mesh, corner))
        self.assertEqual([tuple(each) for each in tensor.tensor_topology().mesh_coords()],
                         [(0, 0), (0, 1), (1, 0), (1, 1)])
        line = ttnn.MeshMapperConfig([ttnn.PlacementShard(0), ttnn.PlacementShard(1)], ttnn.MeshShape(4, 2))
        tensor = ttnn.from_numpy(array, device=mesh, mesh_mapper=ttnn.create_mesh_mapper(mesh, line))
        self.assertEqual(tuple(tensor.tensor_topology().mesh_coords()[5]), (1, 1))  # row-major
        doubled = ttnn.add(tensor, tensor)
        composer = ttnn.create_mesh_composer(mesh, ttnn.MeshComposerConfig([0, 1], ttnn.MeshShape(4, 2)))
        numpy.testing.assert_array_equal(ttnn.to_numpy(doubled, composer), saturated(array.astype(int) * 2))
        large = ttnn.MeshMapperConfig([ttnn.PlacementShard(0)], ttnn.MeshShape([9]))
        rule(self, "API-MESH-UNEVEN", lambda: ttnn.create_mesh_mapper(mesh, large), "9 devices", "2x4")

    def test_topology(self):
        mesh = self.open((2, 4))
        tensor = ttnn.from_numpy(self.array(2, 8), device=mesh,
                                 mesh_mapper=ttnn.ShardTensor2dMesh(mesh, ttnn.MeshShape(2, 4), (0, 1)))
        topology = ttnn.relu(tensor).tensor_topology()
        self.assertEqual(topology.distribution_shape(), ttnn.MeshShape(2, 4))
        self.assertEqual(topology.placements(), [ttnn.PlacementShard(0), ttnn.PlacementShard(1)])
        self.assertEqual(tuple(topology.get_next_neighbor((1, 3), 1)), (1, 0))
        self.assertEqual(tuple(topology.get_prev_neighbor((0, 0), 0)), (1, 0))
        self.assertEqual(tuple(topology.get_neighbor((0, 1), -6, 1)), (0, 3))
        rule(self, "API-MESH-SHAPE", lambda: topology.get_neighbor((0, 0), 1, 2))

    def test_shards_of_the_host_and_of_devices(self):
        mesh = self.open((1, 2))
        arrays = [self.array(4, 4), self.array(4, 4)]
        host = ttnn.from_host_shards([ttnn.from_numpy(each) for each in arrays], ttnn.MeshShape(1, 2))
        tensor = host.to(mesh)
        left, right = ttnn.get_device_tensors(tensor)
        self.assertEqual(left.buffer_address(), right.buffer_address())
        numpy.testing.assert_array_equal(right.cpu().to_numpy(), arrays[1])
        only = ttnn.neg(right)
        numpy.testing.assert_array_equal(only.cpu().to_numpy(), saturated(-arrays[1].astype(int)))
        turned = ttnn.combine_device_tensors([right, left])
        together = ttnn.to_numpy(turned, mesh_composer=ttnn.ConcatMeshToTensor(mesh, 0))
        numpy.testing.assert_array_equal(together, numpy.concatenate(arrays[::-1]))
        rule(self, "API-MESH-COMPOSE", lambda: ttnn.combine_device_tensors([left, left]), "named twice")
        rule(self, "API-MESH-COMPOSE", lambda: ttnn.combine_device_tensors([left, only]), "one address")
        rule(self, "API-MESH-COMPOSE", lambda: ttnn.combine_device_tensors([]), "at least one")
        rule(self, "API-MESH-COMPOSE", lambda: ttnn.from_host_shards([host], ttnn.MeshShape(1, 2)), "1 shards")
        rule(self, "API-MESH-UNEVEN", lambda: ttnn.from_host_shards(
            [ttnn.from_numpy(self.array(4, columns)) for columns in (4, 5)], ttnn.MeshShape(1, 2)), "[4, 5] of int8")


class Operations(Case):
    """The tensor library on meshes."""

    def test_each_device_computes_with_its_shards(self):
        mesh = self.open((2, 2))
        images = self.array(8, 32)
        weights = self.array(32, 16)
        x = ttnn.from_numpy(images, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, 0))
        w = ttnn.from_numpy(weights, device=mesh)
        concat = ttnn.ConcatMeshToTensor(mesh, 0)
        products = ttnn.matmul(x, w)
        self.assertEqual(products.shape, (2, 16))
        self.assertIs(products.device(), mesh)
        expected = images.astype(numpy.int32) @ weights.astype(numpy.int32)
        numpy.testing.assert_array_equal(ttnn.to_numpy(products, concat), expected)
        numpy.testing.assert_array_equal(ttnn.to_numpy(ttnn.relu(x + x), concat),
                                         numpy.maximum(saturated(images.astype(int) * 2), 0))
        numpy.testing.assert_array_equal(ttnn.to_numpy(ttnn.subtract(x, 3), concat), saturated(images.astype(int) - 3))
        numpy.testing.assert_array_equal(ttnn.to_numpy(ttnn.sum(x), concat), images.astype(int).sum(1, keepdims=True))
        numpy.testing.assert_array_equal(ttnn.to_numpy(x.reshape((4, 16)), concat), images.reshape(16, 16))
        l1 = ttnn.to_memory_config(x, ttnn.L1_MEMORY_CONFIG)
        self.assertEqual(l1.memory_config(), ttnn.L1_MEMORY_CONFIG)
        numpy.testing.assert_array_equal(ttnn.to_numpy(l1, concat), images)
        out = ttnn.zeros((2, 32), ttnn.int8, device=mesh)
        ttnn.add(x, x, output_tensor=out)
        ttnn.copy(x, out)
        numpy.testing.assert_array_equal(ttnn.to_numpy(out, concat), images)
        for each in (products, x, w, l1, out):
            addresses = {shard.buffer_address() for shard in ttnn.get_device_tensors(each)}
            self.assertEqual(len(addresses), 1)

    def test_operands_that_do_not_belong_together(self):
        mesh, other = self.open((1, 2)), self.open((1, 2))
        x = ttnn.from_numpy(self.array(2, 8), device=mesh)
        rule(self, "API-MESH-FOREIGN", lambda: ttnn.add(x, ttnn.from_numpy(self.array(2, 8), device=other)),
             "different devices")
        with ttnn.manage_device() as device:
            rule(self, "API-MESH-FOREIGN", lambda: ttnn.add(x, ttnn.from_numpy(self.array(2, 8), device=device)),
                 "one device")
        rule(self, "API-MESH-FOREIGN", lambda: ttnn.add(x, ttnn.get_device_tensors(x)[0]), "2 of mesh", "1 of mesh")
        rule(self, "TENSOR-SHAPE", lambda: ttnn.matmul(x, x))

    def test_one_address_after_different_pasts(self):
        mesh = self.open((1, 2))
        left = mesh.create_submesh(ttnn.MeshShape(1, 1))
        ballast = ttnn.zeros((64, 64), ttnn.int8, device=left)
        arrays = self.array(2, 64), self.array(2, 64)
        a, b = (ttnn.from_numpy(each, device=mesh) for each in arrays)
        total = ttnn.add(a, b)
        self.assertEqual(len({each.buffer_address() for each in ttnn.get_device_tensors(total)}), 1)
        for each in ttnn.get_device_tensors(total):
            numpy.testing.assert_array_equal(each.cpu().to_numpy(), saturated(arrays[0].astype(int) + arrays[1]))
        self.assertTrue((ballast.cpu().to_numpy() == 0).all())

    def test_sub_meshes_in_turn(self):
        mesh = self.open((2, 2))
        array = self.array(2, 16)
        tensor = ttnn.from_numpy(array, device=mesh)
        rows = mesh.create_submeshes(ttnn.MeshShape(1, 2))
        for round_ in range(3):
            for row in rows:
                part = ttnn.from_numpy(array, device=row)
                ttnn.add(part, part)
                numpy.testing.assert_array_equal(
                    ttnn.to_numpy(ttnn.add(part, round_), ttnn.ConcatMeshToTensor(row, 0)),
                    numpy.concatenate([saturated(array.astype(int) + round_)] * 2))
            tensor = ttnn.relu(tensor)
        numpy.testing.assert_array_equal(ttnn.get_device_tensors(tensor)[3].cpu().to_numpy(), numpy.maximum(array, 0))
        self.assertEqual(len(mesh.get_submeshes()), 2)
        ttnn.close_mesh_device(mesh)
        rule(self, "API-MESH-CLOSED", lambda: ttnn.zeros((1, 1), ttnn.int8, device=rows[0]), "is part of mesh")


if __name__ == "__main__":
    main()
