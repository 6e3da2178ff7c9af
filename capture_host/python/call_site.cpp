#include <fmt/format.h>

#include <string>
#include <string_view>

#include "capture_host/python/bindings.h"

namespace pianola::python {
namespace {

namespace py = pybind11;

// The name of a file. str() would look for signals, whose handlers may raise within an operation.
[[nodiscard]] std::string_view text_of(PyObject* file) {
    Py_ssize_t bytes = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(file, &bytes);
    if (text == nullptr) {
        PyErr_Clear();
        return "a file whose name is no text";
    }
    return {text, static_cast<std::size_t>(bytes)};
}

// The package's own functions stand between the program and the module.
[[nodiscard]] bool is_own(std::string_view file) {
    static const std::string kPackage = [] {
        const auto name = py::module_::import("pianola").attr("__file__").cast<std::string>();
        return name.substr(0U, name.rfind('/') + 1U);
    }();
    return file.substr(0U, kPackage.size()) == kPackage;
}

// Python's structures begin with an object's.
[[nodiscard]] PyObject* object(void* start) {
    return static_cast<PyObject*>(start);
}
[[nodiscard]] void* structure(const py::object& object) {
    return object.ptr();
}

}  // namespace

std::string call_site() {
    if (PyGILState_Check() == 0) {
        return {};
    }
    auto frame = py::reinterpret_borrow<py::object>(object(PyEval_GetFrame()));
    while (frame) {
        auto* const raw = static_cast<PyFrameObject*>(structure(frame));
        auto* const code = PyFrame_GetCode(raw);
        const auto owner = py::reinterpret_steal<py::object>(object(code));
        const std::string_view file = text_of(code->co_filename);
        if (!is_own(file)) {
            return fmt::format("{}:{}", file, PyFrame_GetLineNumber(raw));
        }
        frame = py::reinterpret_steal<py::object>(object(PyFrame_GetBack(raw)));
    }
    return {};
}

}  // namespace pianola::python
