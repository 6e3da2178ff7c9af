"""Pianola's host API: tensors, operations, traces, queues, pipelines, and capture into trace binaries.

Names are those of the public guides on traces and multiple command queues, so that `import pianola as ttnn` runs their
code. The device is a simulated reference device; data come and go as NumPy arrays. docs/guide/python.md is the manual.
"""
import contextlib as _contextlib

from ._native import *  # noqa: F401,F403 -- the module's names are listed in _native and in the stubs
from ._native import BufferType, DataType, Layout, TensorMemoryLayout, WorkloadCapture, close_device, open_device

int8 = DataType.INT8
uint8 = DataType.UINT8
int32 = DataType.INT32
float32 = DataType.FLOAT32
ROW_MAJOR_LAYOUT = Layout.ROW_MAJOR
TILE_LAYOUT = Layout.TILE


class ShardStrategy:
    """Short names of the sharded layouts."""

    HEIGHT = TensorMemoryLayout.HEIGHT_SHARDED
    WIDTH = TensorMemoryLayout.WIDTH_SHARDED
    BLOCK = TensorMemoryLayout.BLOCK_SHARDED


@_contextlib.contextmanager
def manage_device(device_id=0, **options):
    """A device for a with statement: opened at its beginning, closed at its end."""
    device = open_device(device_id, **options)
    try:
        yield device
    finally:
        close_device(device)


class capture:  # pylint: disable=invalid-name -- used like a function
    """Records a workload for a with statement: `result` is the CapturedWorkload at its end.

    An exception inside ends the recording without a result, and goes on.
    """

    def __init__(self, device, **options):
        self._capture = WorkloadCapture(device, **options)
        self.result = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is not None:
            self._capture.discard()
        elif self.result is None:
            self.end()
        return False

    def end(self):
        """Ends recording before the with statement does, and gives the result."""
        self.result = self._capture.end()
        return self.result

    def declare_input(self, tensor, name, scale=0.0, zero_point=0):
        """What every step is given; in the order of declaration."""
        self._capture.declare_input(tensor, name, scale, zero_point)

    def declare_output(self, tensor, name, scale=0.0, zero_point=0):
        """What every step gives; in the order of declaration."""
        self._capture.declare_output(tensor, name, scale, zero_point)

    def declare_constant(self, tensor, name="constant"):
        """Written before the first step, and never again."""
        self._capture.declare_constant(tensor, name)

    def declare_parameter(self, trace_id, name, words, *, minimum, maximum, alignment=1, is_address=False):
        """Words of an executed trace that the binary's user may set between steps."""
        self._capture.declare_parameter(
            trace_id, name, words, minimum=minimum, maximum=maximum, alignment=alignment, is_address=is_address
        )

    def begin_prologue(self):
        """What follows fills the pipeline."""
        self._capture.begin_prologue()

    def begin_step(self):
        """What follows is a step, or the next one; equal steps become one."""
        self._capture.begin_step()

    def begin_epilogue(self):
        """What follows empties the pipeline."""
        self._capture.begin_epilogue()


def replay(file, inputs, *, threaded=False):
    """Replays a trace binary (bytes or a path) on a simulated device of its own: Session(file).run(inputs)."""
    return Session(file, threaded=threaded).run(inputs)  # noqa: F405
