"""Every device, mesh and session of the package is the tested Vulkan device.

Python imports this file at its start where its folder is in PYTHONPATH: so programs that a test starts are reached as
well as the test, and neither is changed.
"""
import functools
import os

import pianola

EXECUTOR = f"vulkan:{os.environ.get('PIANOLA_VULKAN_DEVICE', 0)}"


def on_executor(call):
    """`call`, with this executor where it names none."""
    @functools.wraps(call)
    def called(*arguments, **options):
        return call(*arguments, **{"executor": EXECUTOR, **options})
    return called


pianola.open_device = on_executor(pianola.open_device)
pianola.open_mesh_device = on_executor(pianola.open_mesh_device)
pianola.Session.__init__ = on_executor(pianola.Session.__init__)
