#include <cstring>

#include "capture_host/buffers/rule_error.h"
#include "capture_host/files/files.h"
#include "capture_host/python/bindings.h"

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

// What pybind11 calls for an object whose constructor has not run, when a function is given it.
void* refuse_unconstructed(std::size_t /*bytes*/) {
    throw py::type_error{"the object was never initialised: call its class, or a function that gives such objects"};
}

}  // namespace

void require_construction(const py::module_& module) {
    for (const auto& [name, member] : py::dict{module.attr("__dict__")}) {
        if (py::isinstance<py::type>(member)) {
            // Null for classes that are not pybind11's: those of errors.
            py::detail::type_info* const type =
                py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(member.ptr()));
            if (type != nullptr) {
                type->operator_new = &refuse_unconstructed;
            }
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
