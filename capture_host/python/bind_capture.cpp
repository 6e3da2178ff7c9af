#include <fmt/format.h>

#include <string>
#include <string_view>

#include "capture_host/python/bindings.h"
#include "capture_host/python/player.h"
#include "capture_host/python/records.h"
#include "hal/host/device_numbers.h"
#include "pianola_host/files.h"
#include "pianola_host/tensor.h"
#include "pianola_host/workload_capture.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using host::CapturedWorkload;
using host::TensorDeclaration;
using host::WorkloadCapture;
using tensor::Tensor;

[[nodiscard]] TensorDeclaration declaration(const Tensor& tensor, const std::string& name, float scale,
                                            std::int32_t zero_point) {
    return TensorDeclaration{name, tensor.type(), tensor.storage().shape(), scale, zero_point};
}

[[nodiscard]] Entry device_entry(const CapturedWorkload& workload) {
    const capture::ManifestTarget& target = workload.manifest.target;
    py::dict entry;
    entry["profile"] = workload.profile;
    for_each_size([&entry](const char* name, std::uint32_t value) { entry[name] = value; }, target);
    return {std::move(entry)};
}

// Replays on a separate device, as the runtime on target does.
void compare_to_capture(const CapturedWorkload& self) {
    Player player{self.file};
    host::compare_to_golden(player.run(self.inputs), self.outputs);
}

[[nodiscard]] std::vector<std::uint8_t> array_bytes(const py::handle& value) {
    const py::array array = dense_of(value);
    const auto* const data = static_cast<const std::uint8_t*>(array.data());
    return {data, data + array.nbytes()};
}

// The tensors in the order of golden's names.
void compare_records(const std::vector<Inputs>& outputs, const std::vector<Inputs>& golden) {
    std::vector<Player::Tensors> is(outputs.size());
    std::vector<Player::Tensors> should(golden.size());
    for (std::size_t i = 0U; i < golden.size(); ++i) {
        for (const auto& [name, right] : golden[i].object) {
            should[i].push_back(array_bytes(right));
            if ((i < outputs.size()) && outputs[i].object.contains(name)) {
                is[i].push_back(array_bytes(outputs[i].object[name]));
            }
        }
    }
    host::compare_to_golden(is, should);
}

void bind_compares(py::module_& module) {
    module.def("compare_to_golden", &compare_records,
               "Raises API-COMPARE, which names inference, output, byte and both values at the first difference. What "
               "`golden` does not name is not compared.",
               py::arg("outputs"), py::arg("golden"));
    module.def(
        "recording_enabled", [] { return PIANOLA_RECORDING != 0; },
        "Whether this package captures workloads: the CMake option PIANOLA_RECORDING.");
}

void bind_workloads(py::module_& module) {
    py::class_<CapturedWorkload>(module, "CapturedWorkload", "A trace binary, with what is known of it.")
        .def_property_readonly("file", [](const CapturedWorkload& self) { return bytes_of(self.file); })
        .def_property_readonly(
            "device", [](const CapturedWorkload& self) { return device_entry(self); },
            "The device that it was captured on, as `pianola run --device` takes it.")
        .def_property_readonly(
            "inputs",
            [](const CapturedWorkload& self) { return named_records(self.inputs, self.manifest.inputs, "input"); },
            "Of the captured run, one dictionary of arrays for every inference.")
        .def_property_readonly(
            "outputs",
            [](const CapturedWorkload& self) { return named_records(self.outputs, self.manifest.outputs, "output"); },
            "What the captured run has read.")
        .def("compare_to_capture", &compare_to_capture,
             "Replays the inputs of the captured run, and raises API-COMPARE where an output differs from what that "
             "run has read.")
        .def_readonly("steps", &CapturedWorkload::steps, "Steps that were captured and are one now.")
        .def_property_readonly("steps_in_flight",
                               [](const CapturedWorkload& self) { return self.manifest.steps_in_flight; })
        .def_readonly("warnings", &CapturedWorkload::warnings, "What the binary does not do, and why.")
        .def(
            "save",
            [](const CapturedWorkload& self, const Path& path) {
                files::store_file(path_from(path.object), self.file);
            },
            "Writes the .ptb, whole or not at all.", py::arg("path"));
}

// What a tensor has on each device.
[[nodiscard]] std::vector<host::BufferPtr> buffers_of(const Tensor& tensor) {
    std::vector<host::BufferPtr> buffers;
    for (const Tensor& shard : tensor.is_distributed() ? tensor.shards() : std::vector<Tensor>{tensor}) {
        buffers.push_back(shard.buffer());
    }
    return buffers;
}

[[nodiscard]] host::DeviceGrid grid_of(const AnyDevice& device) {
    const auto* const mesh = std::get_if<host::MeshPtr>(&device);
    return (mesh != nullptr) ? (*mesh)->grid() : host::DeviceGrid{{std::get<0>(device)}, 1U, 1U};
}

void bind_captures(py::module_& module) {
    py::class_<WorkloadCapture>(module, "WorkloadCapture",
                                "Records the calls on a device, or on those of a mesh; pianola.capture() begins one.")
        .def(py::init([](const AnyDevice& device, const std::string& name, std::int64_t step_deadline_us,
                         std::int64_t steps_in_flight, bool self_tests, const std::optional<Path>& refused_file) {
                 host::CaptureOptions options;
                 options.source_name = name;
                 options.step_deadline_us = unsigned_from(step_deadline_us, "step_deadline_us");
                 options.steps_in_flight = unsigned_from(steps_in_flight, "steps_in_flight");
                 options.self_tests = self_tests;
                 if (refused_file.has_value()) {
                     options.refused_file = path_from(refused_file->object);
                 }
                 return std::make_unique<WorkloadCapture>(grid_of(device), options);
             }),
             py::arg("device").none(false), py::kw_only(), py::arg("name") = "host program",
             py::arg("step_deadline_us") = 0, py::arg("steps_in_flight") = 0, py::arg("self_tests") = true,
             py::arg("refused_file") = py::none())
        .def(
            "declare_input",
            [](WorkloadCapture& self, const Tensor& tensor, const std::string& name, float scale,
               std::int32_t zero_point) {
                self.declare_input(buffers_of(tensor), declaration(tensor, name, scale, zero_point));
            },
            "What every step is given; in the order of declaration.", py::arg("tensor"), py::arg("name"),
            py::arg("scale") = 0.0F, py::arg("zero_point") = 0)
        .def(
            "declare_output",
            [](WorkloadCapture& self, const Tensor& tensor, const std::string& name, float scale,
               std::int32_t zero_point) {
                self.declare_output(buffers_of(tensor), declaration(tensor, name, scale, zero_point));
            },
            "What every step gives; in the order of declaration.", py::arg("tensor"), py::arg("name"),
            py::arg("scale") = 0.0F, py::arg("zero_point") = 0)
        .def(
            "declare_constant",
            [](WorkloadCapture& self, const Tensor& tensor, const std::string& name) {
                self.declare_constant(buffers_of(tensor), name);
            },
            "Written before the first step, and never again.", py::arg("tensor"), py::arg("name") = "constant")
        .def(
            "declare_parameter",
            [](WorkloadCapture& self, host::TraceId trace, const std::string& name,
               const std::vector<std::uint32_t>& words, std::int64_t minimum, std::int64_t maximum,
               std::int64_t alignment, bool is_address) {
                self.declare_parameter(trace, trace_parameter(name, words, minimum, maximum, alignment, is_address));
            },
            "Words of an executed trace that the binary's user may set between steps.", py::arg("trace_id"),
            py::arg("name"), py::arg("words"), py::kw_only(), py::arg("minimum"), py::arg("maximum"),
            py::arg("alignment") = 1, py::arg("is_address") = false)
        .def("begin_prologue", &WorkloadCapture::begin_prologue, "What follows fills the pipeline.")
        .def("begin_step", &WorkloadCapture::begin_step,
             "What follows is a step, or the next one; equal steps become one.")
        .def("begin_epilogue", &WorkloadCapture::begin_epilogue, "What follows empties the pipeline.")
        .def("end", &WorkloadCapture::end, "Ends recording, and makes, proves and replays the binary.")
        .def("discard", &WorkloadCapture::discard, "Ends recording without a result.")
        .def("is_active", &WorkloadCapture::is_active);
}

}  // namespace

std::string path_from(const py::object& path) {
    const py::object name = py::module_::import("os").attr("fsencode")(path);  // the very bytes, UTF-8 or not
    std::string text = name.cast<std::string>();
    if (text.find('\0') != std::string::npos) {
        throw py::value_error{"the name of the file holds a NUL"};
    }
    return text;
}

void bind_capture(py::module_& module) {
    bind_workloads(module);
    bind_compares(module);
    bind_captures(module);
}

}  // namespace pianola::python
