#include <cstring>
#include <string>
#include <string_view>

#include "capture_host/base/interrupt.h"
#include "capture_host/python/bindings.h"
#include "pianola_host/files.h"
#include "pianola_host/rule_error.h"

namespace pianola::python {
namespace {

namespace py = pybind11;

// The exception's class lives as long as the interpreter, which is why nothing here owns it.
py::handle error_class;

void raise(const std::string& message, const std::string& rule) {
    const py::object error = error_class(py::str(message));
    error.attr("rule") = py::str(rule);
    PyErr_SetObject(error_class.ptr(), error.ptr());
}

void translate(std::exception_ptr pending) {
    try {
        std::rethrow_exception(std::move(pending));
    } catch (const host::RuleError& error) {
        raise(error.what(), error.rule_id());
    } catch (const files::FileError& error) {
        // The name in it may have bytes that are not UTF-8: as Python itself keeps such names.
        const auto text = py::reinterpret_steal<py::object>(PyUnicode_DecodeFSDefault(error.what()));
        PyErr_SetObject(PyExc_OSError, text.ptr());
    } catch (const py::cast_error&) {  // pybind11 calls it a RuntimeError, and speaks of its own build options
        PyErr_SetString(PyExc_TypeError, "a value, or one inside of a list, is of another type than is wanted here");
    }
}

// Python runs the handlers of signals on its main thread, and only there. A device's own threads run without Python.
void check_signals() {
    if ((PyGILState_Check() != 0) && (PyErr_CheckSignals() != 0)) {
        throw py::error_already_set{};
    }
}

// What pybind11 calls for an object whose constructor has not run, when a function is given it.
void* refuse_unconstructed(std::size_t /*bytes*/) {
    throw py::type_error{"the object was never initialised: call its class, or a function that gives such objects"};
}

}  // namespace

void look_for_signals() {
    interrupt::set_hook(&check_signals);
}

void require_construction(const py::module_& module) {
    const std::string prefix = module.attr("__name__").cast<std::string>() + ".";
    for (const auto& [id, type] : py::detail::get_internals().registered_types_cpp) {
        if (std::string_view{type->type->tp_name}.substr(0U, prefix.size()) == prefix) {  // others have their own
            type->operator_new = &refuse_unconstructed;
        }
    }
}

void bind_errors(py::module_& module) {
    py::dict members;
    members["rule"] = "";
    error_class = PyErr_NewExceptionWithDoc(
        "pianola.Error", "What pianola refuses, or a device reports. `rule` is the id of the broken rule.",
        PyExc_RuntimeError, members.ptr());
    module.attr("Error") = error_class;
    py::register_exception_translator(&translate);
}

}  // namespace pianola::python
