"""Pianola's host API: tensors, operations, traces, queues, pipelines, and capture into trace binaries.

Names are those of the public guides on traces and multiple command queues, so that `import pianola as ttnn` runs their
code. The device is a simulated reference device; data come and go as NumPy arrays. docs/guide/python.md is the manual.
"""
import contextlib as _contextlib
import json as _json
import os as _os
import typing as _typing

from . import _tools
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
    plugin: _typing.Union[str, _os.PathLike[str], None] = None,
) -> list[dict[str, "_Array"]]:
    """Replays a trace binary (bytes or a path) on a device of its own: Session(file).run(inputs)."""
    return Session(file, threaded=threaded, executor=executor, plugin=plugin).run(inputs)


class RefusedError(Error):
    """The validator refuses a binary. The text is one line: rule, field, reason, byte offset, value and limit.
    `verdict` is what `pianola verify --json` says."""

    verdict: dict[str, _typing.Any] = {}

    def __init__(self, verdict: dict[str, _typing.Any]) -> None:
        super().__init__(f"{verdict['rule']}: {verdict['field']}: {verdict['message']} (byte {verdict['offset']}, "
                         f"value {verdict['actual']}, limit {verdict['limit']})")
        self.rule, self.verdict = verdict["rule"], verdict


def _report_on(file: _typing.Union[bytes, str, _os.PathLike[str]], command: str, words: _typing.Sequence[str],
               files: "_tools.Files") -> dict[str, _typing.Any]:
    """What a command says of a binary, as JSON."""
    try:
        return files.load(command, file, *words)
    except _tools.Refusal as refusal:
        raise RefusedError(refusal.verdict) from None


class Inspection(dict[str, _typing.Any]):
    """What is in a trace binary: the members of `pianola inspect --json`. Notebooks show it as tables."""

    def _repr_html_(self) -> str:
        target = "device_family profile queues dram_bytes l1_bytes clock_khz"
        tables = [_tools.table("target", [self["target"]], target),
                  _tools.table("memory", self["regions"], "name kind memory base bytes"),
                  _tools.table("inputs", self["inputs"], "name type shape scale zero_point bytes"),
                  _tools.table("outputs", self["outputs"], "name type shape scale zero_point bytes"),
                  _tools.table("traces", self["traces"], "name commands words cycles"),
                  _tools.table("budgets", [self["budgets"]], " ".join(self["budgets"]))]
        return _tools.page(*tables)


class Timeline(dict[str, _typing.Any]):
    """The table of gaps: the members of `pianola timeline --json`. `html` is the page that it draws, complete in
    itself; notebooks show it."""

    html: str = ""

    def _repr_html_(self) -> str:
        return _tools.frame(self.html)


class CapturedModel(dict[str, _typing.Any]):
    """What a capture has come to: the members of `pianola capture --json`. `file` holds the bytes of the binary."""

    file: bytes = b""

    def save(self, path: _typing.Union[str, _os.PathLike[str]]) -> None:
        """Writes the .ptb."""
        with open(path, "wb") as stream:
            stream.write(self.file)


def capture_tflite(
    model: _typing.Union[bytes, str, _os.PathLike[str]],
    *,
    queues: int = 1,
    pipelined: bool = False,
    in_flight: _typing.Optional[int] = None,
    self_test: int = 0,
    deadline_us: _typing.Optional[int] = None,
    setup_deadline_us: _typing.Optional[int] = None,
    pack: str = "portable",
    device: _typing.Union[str, _os.PathLike[str], _typing.Mapping[str, _typing.Any], None] = None,
    dram: _typing.Optional[int] = None,
    l1: _typing.Optional[int] = None,
    trace_region: _typing.Optional[int] = None,
) -> CapturedModel:
    """Captures a quantised TensorFlow Lite model, as `pianola capture` does: same options, same bytes."""
    words = ["--queues", str(queues), "--self-test", str(self_test), "--pack", pack]
    words += ["--pipelined"] if pipelined else []
    for option, value in (("in-flight", in_flight), ("deadline-us", deadline_us),
                          ("setup-deadline-us", setup_deadline_us), ("dram", dram), ("l1", l1),
                          ("trace-region", trace_region)):
        words += [] if value is None else [f"--{option}", str(value)]
    with _tools.Files(Error) as files:
        output = files.folder / "captured.ptb"
        report = _json.loads(files.call("capture", files.name(model, ".tflite"), "-o", str(output), "--json", *words,
                                         *files.device(device)))
        report.pop("output")  # is no longer there
        captured = CapturedModel(report)
        captured.file = output.read_bytes()
    return captured


def verify(
    file: _typing.Union[bytes, str, _os.PathLike[str]],
    *,
    keys: _typing.Sequence[_typing.Union[str, _os.PathLike[str]]] = (),
    revoked: _typing.Sequence[_typing.Union[str, _os.PathLike[str]]] = (),
    lowest_security_version: int = 0,
    device: _typing.Union[str, _os.PathLike[str], _typing.Mapping[str, _typing.Any], None] = None,
) -> dict[str, _typing.Any]:
    """Runs every check that the target runs, and those of the host: what `pianola verify --json` says of a binary that
    is accepted. Raises RefusedError for any other. `keys` and `revoked` are files with public keys, PEM."""
    with _tools.Files(Error) as files:
        words = [word for key in keys for word in ("--key", files.name(key))]
        words += [word for key in revoked for word in ("--revoked", files.name(key))]
        words += ["--lowest-security-version", str(lowest_security_version), *files.device(device)]
        return _report_on(file, "verify", words, files)


def inspect(file: _typing.Union[bytes, str, _os.PathLike[str]], *, commands: bool = False) -> Inspection:
    """Target, memory map, tensors, traces, scripts and budgets of a binary; with `commands` every device command."""
    with _tools.Files(Error) as files:
        return Inspection(_report_on(file, "inspect", ["--commands"] if commands else [], files))


def timeline(
    file: _typing.Union[bytes, str, _os.PathLike[str]],
    *,
    mode: _typing.Optional[str] = None,
    steps: int = 4,
    dispatch_ns: int = 9300,
    replay_ns: int = 300,
    device: _typing.Union[str, _os.PathLike[str], _typing.Mapping[str, _typing.Any], None] = None,
) -> Timeline:
    """Host and queues in virtual time, as `pianola timeline` draws them. The options are its own."""
    with _tools.Files(Error) as files:
        picture = files.folder / "timeline.html"
        words = ["--steps", str(steps), "--dispatch-ns", str(dispatch_ns), "--replay-ns", str(replay_ns)]
        words += ["--mode", mode] if mode is not None else []
        drawn = Timeline(_report_on(file, "timeline", ["-o", str(picture), *words, *files.device(device)], files))
        drawn.pop("output")  # is no longer there
        drawn.html = picture.read_text(encoding="utf-8")
    return drawn
