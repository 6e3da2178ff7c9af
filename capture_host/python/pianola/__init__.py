"""Pianola's host API: tensors, operations, traces, queues, pipelines, and capture into trace binaries.

Names are those of the public guides on traces and multiple command queues, so that `import pianola as ttnn` runs their
code. The device is a simulated reference device; data come and go as NumPy arrays. docs/guide/python.md is the manual.
"""
import contextlib as _contextlib
import os as _os
import typing as _typing

from ._native import *  # noqa: F401,F403 -- the module's names are listed in _native and in the stubs
from ._native import (
    CapturedWorkload, DataType, Device, Error, Layout, MemoryConfig, MeshDevice, MeshShape, Session, Tensor,
    TensorMemoryLayout, WorkloadCapture, _visualize, close_device, close_mesh_device, from_numpy, open_device,
    open_mesh_device
)

if _typing.TYPE_CHECKING:
    import numpy.typing as _arrays

    _Array = _arrays.NDArray[_typing.Any]

int8: DataType = DataType.INT8
uint8: DataType = DataType.UINT8
int16: DataType = DataType.INT16
int32: DataType = DataType.INT32
float32: DataType = DataType.FLOAT32
uint16: DataType = DataType.UINT16
uint32: DataType = DataType.UINT32
bfloat16: DataType = DataType.BFLOAT16
ROW_MAJOR_LAYOUT: Layout = Layout.ROW_MAJOR
TILE_LAYOUT: Layout = Layout.TILE


class ShardStrategy:
    """Short names of the sharded layouts."""

    HEIGHT = TensorMemoryLayout.HEIGHT_SHARDED
    WIDTH = TensorMemoryLayout.WIDTH_SHARDED
    BLOCK = TensorMemoryLayout.BLOCK_SHARDED


class TorchError(Error, ImportError):
    """TENSOR-TORCH: what from_torch() or to_torch() needs of PyTorch is not there."""

    rule = "TENSOR-TORCH"


def from_torch(
    tensor: _typing.Any,
    dtype: _typing.Optional[DataType] = None,
    layout: Layout = ROW_MAJOR_LAYOUT,
    device: _typing.Optional[Device] = None,
    memory_config: _typing.Optional[MemoryConfig] = None,
    cq_id: int = 0,
) -> Tensor:
    """from_numpy() of a PyTorch tensor: anything with detach(), cpu() and numpy(), and float() for torch.bfloat16."""
    if not all(callable(getattr(tensor, name, None)) for name in ("detach", "cpu", "numpy")):
        raise TorchError(f"TENSOR-TORCH: a {type(tensor).__name__} has no detach(), cpu() and numpy(); from_numpy() "
                         "takes arrays")
    held = tensor.detach().cpu()
    if str(getattr(held, "dtype", "")) == "torch.bfloat16":  # NumPy has no such type; float32 holds every value
        held, dtype = held.float(), bfloat16 if dtype is None else dtype
    return from_numpy(held.numpy(), dtype, layout, device, memory_config, cq_id)


def to_torch(tensor: Tensor) -> _typing.Any:
    """A torch.Tensor with a host tensor's data. Without PyTorch: TorchError, which is an ImportError too."""
    try:
        import torch  # type: ignore[import-not-found] # pylint: disable=import-outside-toplevel,import-error
    except ImportError as error:
        raise TorchError("TENSOR-TORCH: to_torch() needs PyTorch, which cannot be imported; to_numpy() needs NumPy "
                         "only") from error
    array = torch.from_numpy(tensor.to_numpy())
    return array.to(torch.bfloat16) if tensor.dtype == bfloat16 else array


@_contextlib.contextmanager
def manage_device(device_id: int = 0, **options: _typing.Any) -> _typing.Iterator[Device]:
    """A device for a with statement: opened at its beginning, closed at its end."""
    device = open_device(device_id, **options)
    try:
        yield device
    finally:
        close_device(device)


@_contextlib.contextmanager
def create_mesh_device(mesh_shape: MeshShape, **options: _typing.Any) -> _typing.Iterator[MeshDevice]:
    """A mesh for a with statement: opened at its beginning, closed at its end."""
    mesh = open_mesh_device(mesh_shape, **options)
    try:
        yield mesh
    finally:
        close_mesh_device(mesh)


def visualize_mesh_device(mesh_device: MeshDevice) -> None:
    """Prints a table: the mesh's coordinates, the devices' ids, and which of them have failed."""
    print(_visualize(mesh_device), end="")


def visualize_tensor(tensor: Tensor) -> None:
    """Prints a table: where the shards of a distributed tensor are."""
    topology = tensor.tensor_topology()
    print(f"{tensor!r}")
    for index, place in enumerate(topology.mesh_coords()):
        print(f"{place!r} shard {index} {tensor.shape}")


class capture(WorkloadCapture):  # pylint: disable=invalid-name -- used like a function
    """Records a workload for a with statement: `result` is the CapturedWorkload at its end.

    An exception inside ends the recording without a result, and goes on.
    """

    result: _typing.Optional[CapturedWorkload] = None

    def __enter__(self) -> "capture":
        return self

    def __exit__(self, kind: object, value: object, traceback: object) -> _typing.Literal[False]:
        if kind is not None:
            self.discard()
        elif self.result is None:
            self.end()
        return False

    def end(self) -> CapturedWorkload:
        """Ends recording before the with statement does, and gives the result."""
        self.result = super().end()
        return self.result


def replay(
    file: _typing.Union[bytes, str, _os.PathLike[str]],
    inputs: _typing.Sequence[_typing.Mapping[str, "_Array"]],
    *,
    threaded: bool = False,
    executor: str = "simulator",
) -> list[dict[str, "_Array"]]:
    """Replays a trace binary (bytes or a path) on a device of its own: Session(file).run(inputs)."""
    return Session(file, threaded=threaded, executor=executor).run(inputs)
