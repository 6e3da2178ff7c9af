#include "capture_host/tflite/model/graph.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <set>
#include <string>

#include "capture_host/tflite/model/import_error.h"
#include "pianola/config.h"
#include "tflite_subset_generated.h"

namespace pianola::tflite {
namespace {

using capture::BufferId;

bool is_any_of(std::int32_t code, std::initializer_list<format::BuiltinOperator> codes) {
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

capture::TensorInfo info_of(const Tensor& tensor, std::set<std::string>& names) {
    capture::TensorInfo info;
    info.name = tensor.name;
    // The format allows two tensors to have the same name.
    for (std::uint32_t suffix = 2U; !names.insert(info.name).second; ++suffix) {
        const std::string ending = "#" + std::to_string(suffix);
        info.name = tensor.name.substr(0U, kMaxNameBytes - ending.size()) + ending;
    }
    info.shape = tensor.shape;
    info.type = element_type(tensor.type);
    if (!tensor.quantization.scales.empty()) {
        info.scale = tensor.quantization.scales.front();
        info.zero_point = tensor.quantization.zero_points.front();
    }
    return info;
}

}  // namespace

Graph::Graph(const Model& model, IsAlias is_alias, capture::Recorder& recorder)
    : model_{model},
      recorder_{recorder},
      sound_(model.operators.size(), true),
      usable_(model.tensors.size(), true),
      written_(model.tensors.size(), false),
      roots_(model.tensors.size(), 0U),
      readers_(model.tensors.size(), 0U),
      homes_(model.tensors.size()) {
    for (std::uint32_t i = 0U; i < roots_.size(); ++i) {
        roots_[i] = i;
        written_[i] = model_.tensors[i].defect.empty() && model_.tensors[i].is_constant;
    }
    check_inputs();
    check_operators(is_alias);
    check_outputs();
    std::set<std::string> names;
    for (const std::uint32_t index : model_.inputs) {
        const Tensor& tensor = model_.tensors[index];
        if (usable_[index]) {
            homes_[index] = recorder_.add_input(info_of(tensor, names), tensor.size_bytes);
        }
    }
    for (const std::uint32_t index : model_.outputs) {
        const Tensor& tensor = model_.tensors[index];
        if (usable_[index]) {
            outputs_.emplace_back(roots_[index], recorder_.add_output(info_of(tensor, names), tensor.size_bytes));
        }
    }
    for (const auto& [root, buffer] : outputs_) {
        const std::uint32_t wanted = root;
        const auto outputs_of_root = std::count_if(outputs_.begin(), outputs_.end(),
                                                   [wanted](const auto& output) { return output.first == wanted; });
        const bool computed = !homes_[root].has_value() && !model_.tensors[root].is_constant;
        if (computed && (outputs_of_root == 1) && (readers_[root] == 0U)) {
            homes_[root] = buffer;
        }
    }
}

// Reports each defect of a tensor once, wherever it is used.
void Graph::add_finding(const std::string& prefix, const std::string& text) {
    const bool is_said = std::any_of(findings_.begin(), findings_.end(),
                                     [&](const Finding& finding) { return finding.missing == text; });
    if (!is_said) {
        findings_.push_back(Finding{{}, {}, {}, prefix + text});
    }
}

std::string Graph::input_problem(std::uint32_t index) const {
    const Tensor& tensor = model_.tensors[index];
    const std::string name = "'" + tensor.name + "'";
    if (!tensor.defect.empty()) {
        return name + ": " + tensor.defect;
    }
    if (tensor.is_variable || (tensor.type == kTypeResource)) {
        return name + ": a variable is not supported";
    }
    return written_[index] ? (name + " is constant, or an input twice") : std::string{};
}

void Graph::check_inputs() {
    for (const std::uint32_t index : model_.inputs) {
        const std::string problem = input_problem(index);
        if (!problem.empty()) {
            usable_[index] = false;
            add_finding("graph input ", problem);
        }
        written_[index] = model_.tensors[index].type != kTypeResource;
    }
}

std::string Graph::output_problem(std::uint32_t index) const {
    const Tensor& tensor = model_.tensors[index];
    const std::string name = "'" + tensor.name + "'";
    if (!tensor.defect.empty()) {
        return name + ": " + tensor.defect;
    }
    if (tensor.type == kTypeResource) {
        return name + ": a variable is not supported";
    }
    if (element_type(tensor.type) == ElementType::kUnspecified) {
        return name + ": " + type_name(tensor.type) + " is not supported";
    }
    // With another defect, this one is a consequence.
    return (written_[index] || !findings_.empty()) ? std::string{} : (name + " is never written");
}

void Graph::check_outputs() {
    for (const std::uint32_t index : model_.outputs) {
        const std::string problem = output_problem(index);
        if (!problem.empty()) {
            usable_[index] = false;
            add_finding("graph output ", problem);
        }
    }
}

// Variable tensors belong to the layers that keep their state in them.
bool Graph::is_state_of(const Operator& op, std::size_t position) const {
    constexpr std::size_t kMemoryOfSvdf = 4U;
    constexpr std::size_t kHiddenOfLstm = 18U;
    constexpr std::size_t kCellOfLstm = 19U;
    const bool is_place = ((op.code == format::BuiltinOperator_SVDF) && (position == kMemoryOfSvdf)) ||
                          ((op.code == format::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM) &&
                           ((position == kHiddenOfLstm) || (position == kCellOfLstm)));
    return is_place && model_.tensors[static_cast<std::uint32_t>(op.inputs[position])].is_variable;
}

// Continues after an invalid operator, as if its outputs were written. A tensor's defect is reported for the first
// operator that uses it.
void Graph::check_operators(IsAlias is_alias) {
    for (std::uint32_t i = 0U; i < model_.operators.size(); ++i) {
        const Operator& op = model_.operators[i];
        try {
            check_operator(i, is_alias(op));
        } catch (const ImportError& error) {
            const bool is_said = std::any_of(findings_.begin(), findings_.end(), [&](const Finding& finding) {
                return (finding.missing == error.missing()) || (finding.missing == ("graph input " + error.missing()));
            });
            if (!is_said) {
                findings_.push_back(error.findings().front());
            }
            sound_[i] = false;
            for (const std::int32_t output : op.outputs) {
                if (static_cast<std::uint32_t>(output) < written_.size()) {
                    written_[static_cast<std::uint32_t>(output)] = true;
                }
            }
        }
    }
}

void Graph::check_operator(std::uint32_t index, bool is_alias) {
    const Operator& op = model_.operators[index];
    const auto refuse = [&](const std::string& missing) { throw ImportError(index, op.name, missing); };
    const auto checked = [&](std::int32_t operand) {
        const auto tensor = static_cast<std::uint32_t>(operand);
        if (tensor >= model_.tensors.size()) {
            refuse("tensor " + std::to_string(operand) + " does not exist");
        }
        if (!model_.tensors[tensor].defect.empty()) {
            refuse("'" + model_.tensors[tensor].name + "': " + model_.tensors[tensor].defect);
        }
        const bool has_handle =
            is_any_of(op.code, {format::BuiltinOperator_VAR_HANDLE, format::BuiltinOperator_READ_VARIABLE,
                                format::BuiltinOperator_ASSIGN_VARIABLE});
        if ((model_.tensors[tensor].type == kTypeResource) && !has_handle) {
            refuse("'" + model_.tensors[tensor].name + "': resource is not supported");
        }
        return tensor;
    };
    for (std::size_t position = 0U; position < op.inputs.size(); ++position) {
        if ((op.inputs[position] == kAbsent) || is_unread_shape(model_, op, position)) {
            continue;
        }
        const std::uint32_t tensor = checked(op.inputs[position]);
        if (is_state_of(op, position)) {
            readers_[tensor] += 1U;
            if (readers_[tensor] > 1U) {
                refuse("'" + model_.tensors[tensor].name + "': a variable tensor of two operators is not supported");
            }
            continue;
        }
        if (!written_[tensor]) {
            refuse("reads '" + model_.tensors[tensor].name + "' before it is written");
        }
        if (!is_alias) {
            readers_[roots_[tensor]] += 1U;
        }
    }
    for (const std::int32_t operand : op.outputs) {
        const std::uint32_t tensor = checked(operand);
        if (model_.tensors[tensor].is_variable) {
            refuse("'" + model_.tensors[tensor].name + "': variable tensors are not supported as outputs");
        }
        if (written_[tensor]) {
            refuse("writes '" + model_.tensors[tensor].name + "', which is constant, an input, or written already");
        }
        written_[tensor] = true;
    }
    if (is_alias && !op.inputs.empty() && (op.inputs.front() != kAbsent) && (op.outputs.size() == 1U)) {
        const auto from = static_cast<std::uint32_t>(op.inputs.front());
        const auto to = static_cast<std::uint32_t>(op.outputs.front());
        // The operator refuses other sizes when it is lowered; until then nothing writes to memory of the wrong size.
        if (model_.tensors[from].size_bytes == model_.tensors[to].size_bytes) {
            roots_[to] = roots_[from];
        }
    }
}

void Graph::count_activation(std::uint64_t size_bytes) {
    activation_bytes_ += size_bytes;
    if (activation_bytes_ > kMaxActivationBytes) {
        throw ImportError("more than " + std::to_string(kMaxActivationBytes) + " bytes of activations");
    }
}

BufferId Graph::add_temporary(const std::string& name, std::uint32_t size_bytes) {
    count_activation(size_bytes);
    return recorder_.add_activation(name, size_bytes);
}

BufferId Graph::add_state(const std::string& name, const std::vector<std::uint8_t>& contents) {
    count_activation(contents.size());
    return recorder_.add_state(name, contents);
}

BufferId Graph::record_constant(const Tensor& tensor) {
    const ConstantKey key{tensor.contents.data(), tensor.contents.size()};
    const auto known = constants_.find(key);
    if (known != constants_.end()) {
        return known->second;
    }
    // Different buffers of a damaged file can overlap; without this they could multiply its size.
    constant_bytes_ += tensor.size_bytes;
    if (constant_bytes_ > model_.storage.size()) {
        throw ImportError("its buffers overlap");
    }
    const BufferId id =
        recorder_.add_constant(tensor.name, std::vector<std::uint8_t>(tensor.contents.begin(), tensor.contents.end()));
    constants_.emplace(key, id);
    return id;
}

BufferId Graph::buffer_of(std::uint32_t index) {
    const std::uint32_t root = roots_[index];
    std::optional<BufferId>& home = homes_[root];
    if (home.has_value()) {
        return *home;
    }
    const Tensor& tensor = model_.tensors[root];
    const BufferId id = tensor.is_constant ? record_constant(tensor) : add_temporary(tensor.name, tensor.size_bytes);
    home = id;
    return id;
}

void Graph::record_output_copies() {
    for (std::size_t i = 0U; i < outputs_.size(); ++i) {
        const auto& [root, buffer] = outputs_[i];
        const BufferId home = buffer_of(root);
        if (home != buffer) {
            recorder_.copy("output " + std::to_string(i), buffer, home, model_.tensors[root].size_bytes);
        }
    }
}

}  // namespace pianola::tflite
