#include "capture_host/python/bind_results.h"
#include "capture_host/python/bindings.h"
#include "pianola_host/recurrent.h"
#include "pianola_host/tensor_error.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using tensor::OperationOptions;
using tensor::Tensor;

using Arrays = std::vector<py::array>;
using Scales = std::vector<float>;

void bind_svdf(py::module_& module) {
    bind_result(
        module, "svdf",
        [](const Tensor& input, const Tensor& features, const Tensor& time_weights, const Tensor& memory,
           std::uint32_t rank, const Output& bias, float input_scale, float feature_scale, float memory_scale,
           float time_scale, float output_scale, std::int32_t input_zero, std::int32_t memory_zero,
           std::int32_t output_zero, const Memory& place, const Output& output, std::uint32_t queue) {
            const tensor::SvdfQuantization quantization{{input_scale, input_zero},
                                                        feature_scale,
                                                        {memory_scale, memory_zero},
                                                        time_scale,
                                                        {output_scale, output_zero}};
            return tensor::svdf(input, features, time_weights, bias, memory, rank, quantization,
                                OperationOptions{place, output, queue});
        },
        "An SVDF layer of int8 [batches, depth]: features [filters, depth] join `memory` [batches, filters, length], "
        "which changes in place, and time_weights [filters, length] weigh it; `rank` filters make a unit.",
        py::arg("input_tensor"), py::arg("features"), py::arg("time_weights"), py::arg("memory"), py::kw_only(),
        py::arg("rank"), py::arg("bias") = py::none(), py::arg("input_scale"), py::arg("feature_scale"),
        py::arg("memory_scale"), py::arg("time_scale"), py::arg("output_scale"), py::arg("input_zero_point") = 0,
        py::arg("memory_zero_point") = 0, py::arg("output_zero_point") = 0);
}

[[nodiscard]] const py::array& gate_of(const Arrays& arrays, std::size_t gate, const char* what) {
    if (arrays.size() != tensor::kLstmGateCount) {
        throw tensor::TensorError{tensor::TensorRule::kArgument,
                                  std::string{"prepare_lstm: "} + what + " are four: input, forget, candidate, output"};
    }
    return arrays[gate];
}

[[nodiscard]] std::vector<std::int64_t> biases_of(const py::array& bias) {
    if (py::isinstance<py::array_t<std::int32_t>>(bias)) {
        const std::vector<std::int32_t> narrow = numbers_of<std::int32_t>("prepare_lstm: a bias", bias);
        return {narrow.begin(), narrow.end()};
    }
    return numbers_of<std::int64_t>("prepare_lstm: a bias", bias);
}

[[nodiscard]] std::array<float, tensor::kLstmGateCount> scales_of(const Scales& scales, const char* what) {
    std::array<float, tensor::kLstmGateCount> four{};
    if (scales.size() != four.size()) {
        throw tensor::TensorError{tensor::TensorRule::kQuantization,
                                  std::string{"lstm: "} + what + " are four: input, forget, candidate, output"};
    }
    std::copy(scales.begin(), scales.end(), four.begin());
    return four;
}

void bind_lstm(py::module_& module) {
    module.def(
        "prepare_lstm",
        [](const Arrays& input_weights, const Arrays& hidden_weights, const Arrays& biases, ElementType dtype,
           std::uint32_t batches, std::int32_t hidden_zero_point) {
            std::array<tensor::LstmGateWeights, tensor::kLstmGateCount> gates;
            for (std::size_t gate = 0U; gate < gates.size(); ++gate) {
                gates.at(gate) = {
                    numbers_of<std::int8_t>("prepare_lstm: a weight", gate_of(input_weights, gate, "input_weights")),
                    numbers_of<std::int8_t>("prepare_lstm: a weight", gate_of(hidden_weights, gate, "hidden_weights")),
                    biases_of(gate_of(biases, gate, "biases"))};
            }
            const tensor::LstmTensors made = tensor::prepare_lstm(gates, dtype, batches, hidden_zero_point);
            return std::make_tuple(made.weights, made.parameters, made.state);
        },
        "Host tensors for lstm(): weights, parameters and the state in which a layer of so many batches begins. The "
        "gates are input, forget, candidate, output; their weights are int8 [units, depth] and [units, units], biases "
        "int32 or int64 [units].",
        py::arg("input_weights"), py::arg("hidden_weights"), py::arg("biases"), py::kw_only(),
        py::arg("dtype") = ElementType::kInt8, py::arg("batches") = 1U, py::arg("hidden_zero_point") = 0);
    bind_result(
        module, "lstm",
        [](const Tensor& input, const Tensor& weights, const Tensor& parameters, const Tensor& state, float input_scale,
           float hidden_scale, float cell_scale, const Scales& input_weight_scales, const Scales& hidden_weight_scales,
           std::int32_t input_zero, std::int32_t hidden_zero, float cell_clip, bool time_major, const Memory& memory,
           const Output& output, std::uint32_t queue) {
            const tensor::LstmQuantization quantization{{input_scale, input_zero},
                                                        {hidden_scale, hidden_zero},
                                                        cell_scale,
                                                        cell_clip,
                                                        scales_of(input_weight_scales, "input_weight_scales"),
                                                        scales_of(hidden_weight_scales, "hidden_weight_scales")};
            return tensor::lstm(input, tensor::LstmTensors{weights, parameters, state}, quantization, time_major,
                                OperationOptions{memory, output, queue});
        },
        "A long short-term memory layer over int8 or int16 [batches, steps, depth], or [steps, batches, depth] with "
        "`time_major`; the other tensors are those of prepare_lstm(), of which `state` changes in place.",
        py::arg("input_tensor"), py::arg("weights"), py::arg("parameters"), py::arg("state"), py::kw_only(),
        py::arg("input_scale"), py::arg("hidden_scale"), py::arg("cell_scale"), py::arg("input_weight_scales"),
        py::arg("hidden_weight_scales"), py::arg("input_zero_point") = 0, py::arg("hidden_zero_point") = 0,
        py::arg("cell_clip") = 0.0F, py::arg("time_major") = false);
}

}  // namespace

void bind_recurrent(py::module_& module) {
    bind_svdf(module);
    bind_lstm(module);
}

}  // namespace pianola::python
