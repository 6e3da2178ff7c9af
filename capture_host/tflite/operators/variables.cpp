#include <optional>
#include <string>

#include "capture_host/tflite/model/import_error.h"
#include "capture_host/tflite/model/outside_buffers.h"
#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {
namespace {

// The only VAR_HANDLE that makes the tensor; nullptr if there is none.
const Operator* handle_of(const Model& model, std::int32_t tensor) {
    const Operator* found = nullptr;
    for (const Operator& op : model.operators) {
        if ((op.outputs.size() != 1U) || (op.outputs.front() != tensor)) {
            continue;
        }
        if ((found != nullptr) || (op.code != format::BuiltinOperator_VAR_HANDLE)) {
            return nullptr;
        }
        found = &op;
    }
    return found;
}

// The contents of a variable that was not written: each byte is its zero point, whatever its type.
std::vector<std::uint8_t> unwritten(const Tensor& tensor) {
    const std::vector<std::int32_t>& zero_points = tensor.quantization.zero_points;
    const std::int32_t zero = zero_points.empty() ? 0 : zero_points.front();
    return std::vector<std::uint8_t>(tensor.size_bytes, static_cast<std::uint8_t>(zero));
}

bool is_alike(const Tensor& a, const Tensor& b) {
    return (a.type == b.type) && (a.shape == b.shape) && (a.quantization.scales == b.quantization.scales) &&
           (a.quantization.zero_points == b.quantization.zero_points);
}

// The checks on operators of the captured graph, for one in a graph that initialises variables; few operators fit
// there.
void require_known_form(const OperatorContext& context, const Operator& op) {
    const ImportedOperator* const imported = find_imported(op.code);
    const std::string version = (imported == nullptr) ? std::string{} : version_refusal(*imported, op.version);
    const std::string defect = version.empty() ? outside_options_defect(*op.stored) : version;
    if (!defect.empty()) {
        context.refuse("its graph has " + op.name + ": " + defect);
    }
    if ((op.code != format::BuiltinOperator_VAR_HANDLE) && (op.code != format::BuiltinOperator_ASSIGN_VARIABLE)) {
        context.refuse("its graph has " + op.name + "; assignments to variables are supported");
    }
}

struct Assignment {
    const Operator* handle;
    AnyTensor value;
};

// The assignment of an ASSIGN_VARIABLE, in any graph.
Assignment checked_assignment(const OperatorContext& context) {
    context.require_inputs(2U, 2U);
    context.require_outputs(0U);
    return Assignment{&context.handle(), context.any_input(1U, "value")};
}

[[noreturn]] void refuse_inner(const OperatorContext& context, const Finding& finding) {
    context.refuse("its graph has " + finding.operator_name + ": " + finding.missing);
}

// The assignment of an operator in a graph that initialises variables; nullopt for a VAR_HANDLE.
std::optional<Assignment> checked_initialiser(const OperatorContext& context, OperatorContext& inner,
                                              std::int32_t code) {
    try {
        if (code == format::BuiltinOperator_ASSIGN_VARIABLE) {
            return checked_assignment(inner);
        }
        lower_var_handle(inner);
    } catch (const ImportError& error) {
        refuse_inner(context, error.findings().front());
    }
    return std::nullopt;
}

}  // namespace

// The scheme compares containers only if a handle names one: a name in two containers could be one variable or two.
Variable& OperatorContext::named_variable(const Operator& handle) {
    const auto* const options = handle.stored->builtin_options_as_VarHandleOptions();
    std::optional<std::string> container;
    if ((options != nullptr) && (options->container() != nullptr)) {
        container = options->container()->str();
    }
    const bool has_name = (options != nullptr) && (options->shared_name() != nullptr);
    const std::string name = has_name ? options->shared_name()->str() : std::string{};
    const auto [found, is_new] = graph_.variables().by_name.try_emplace(name);
    if (is_new) {
        found->second.container = container;
    }
    require(found->second.container == container, "variables of one name in several containers are not supported");
    return found->second;
}

const Operator& OperatorContext::handle() const {
    const Operator* const found = handle_of(model_, op().inputs.front());
    if (found == nullptr) {
        refuse("its handle is no VAR_HANDLE's");
    }
    return *found;
}

capture::BufferId OperatorContext::variable(const Tensor& tensor) {
    Variable& variable = named_variable(handle());
    if (variable.like != nullptr) {
        require(is_alike(*variable.like, tensor), "a variable of several types or sizes is not supported");
    } else {
        std::vector<std::uint8_t> contents = unwritten(tensor);
        if (variable.initial.has_value()) {
            require(variable.initial->size_bytes == tensor.size_bytes, "its variable has another size at first");
            require(is_alike(*variable.initial, tensor),
                    "its variable has another type, shape or quantisation at first");
            contents.assign(variable.initial->contents.begin(), variable.initial->contents.end());
        }
        variable.like = &tensor;
        variable.buffer = graph_.add_state("variable " + std::to_string(graph_.variables().by_name.size()), contents);
    }
    return variable.buffer;
}

void OperatorContext::initialise_variable(const Operator& handle, const Tensor& contents) {
    Variable& variable = named_variable(handle);
    require(variable.like == nullptr, "a variable that is used in front of its first contents is not supported");
    variable.initial = contents;
}

bool OperatorContext::is_first_look_at(std::int32_t inner_graph) {
    return graph_.variables().initialised_by.insert(inner_graph).second;
}

// Only checks: the operators that use the handle look it up.
void lower_var_handle(OperatorContext& context) {
    context.require_operands(0U, 0U);
    context.require(context.output().type == kTypeResource, "a handle that is no resource is not supported");
}

void lower_read_variable(OperatorContext& context) {
    context.require_operands(1U, 1U);
    const AnyTensor output = context.any_output(0U);
    context.copy(context.buffer(output), context.variable(*output.tensor), output.tensor->size_bytes);
}

void lower_assign_variable(OperatorContext& context) {
    const AnyTensor value = checked_assignment(context).value;
    context.copy(context.variable(*value.tensor), context.buffer(value), value.tensor->size_bytes);
}

// Records no launch. The graph runs before the first step, in the first step only: it assigns the first contents of
// variables.
void lower_call_once(OperatorContext& context) {
    context.require_inputs(0U, 0U);
    context.require_outputs(0U);
    const std::int32_t index = context.options_or_defaults<format::CallOnceOptions>().init_subgraph_index();
    context.require(context.is_first_look_at(index), "a graph that initialises variables twice is not supported");
    const Model inner = read_inner_graph(context.model(), index);
    for (const Operator& op : inner.operators) {
        require_known_form(context, op);
    }
    capture::Recorder unused;  // the graph is checked like the captured one, but not recorded
    Graph graph{inner, [](const Operator&) { return false; }, unused};
    if (!graph.findings().empty()) {
        refuse_inner(context, graph.findings().front());
    }
    std::uint64_t table_bytes = 0U;
    for (std::uint32_t i = 0U; i < inner.operators.size(); ++i) {
        OperatorContext inner_context{inner, i, graph, unused, table_bytes};
        const std::optional<Assignment> assignment =
            checked_initialiser(context, inner_context, inner.operators[i].code);
        if (assignment.has_value()) {
            context.initialise_variable(*assignment->handle, *assignment->value.tensor);
        }
    }
}

}  // namespace pianola::tflite
