// The module pianola._native.

#include "capture_host/python/bindings.h"

PYBIND11_MODULE(_native, module) {
    module.doc() = "What the package pianola is made of.";
    pianola::python::look_for_signals();
    pianola::python::bind_errors(module);
    pianola::python::bind_configs(module);
    pianola::python::bind_mesh_types(module);
    pianola::python::bind_tensor(module);
    pianola::python::bind_device(module);
    pianola::python::bind_mesh(module);
    pianola::python::bind_operations(module);
    pianola::python::bind_quantized(module);
    pianola::python::bind_rearrange(module);
    pianola::python::bind_layers(module);
    pianola::python::bind_recurrent(module);
    pianola::python::bind_elementwise(module);
    pianola::python::bind_layouts(module);
    pianola::python::bind_pipeline(module);
    pianola::python::bind_capture(module);
    pianola::python::bind_session(module);
    pianola::python::require_construction(module);
}
