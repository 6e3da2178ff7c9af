#include <fmt/format.h>

#include "capture_host/python/bindings.h"
#include "pianola_host/pipeline.h"
#include "pianola_host/pipeline_error.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using pipeline::Pipeline;
using pipeline::PipelineConfig;
using pipeline::PipelineError;
using pipeline::PipelineRule;
using tensor::MemoryConfig;
using tensor::Tensor;

constexpr auto kModelType = py::detail::const_name("Callable[[Tensor], Union[Tensor, Sequence[Tensor]]]");
constexpr auto kPoppedType = py::detail::const_name("List[Any]");
using Model = Typed<kModelType, py::function>;
using Popped = Typed<kPoppedType, py::list>;

// A pipeline whose model is Python's: a function of one tensor that gives one tensor, or several in a list or tuple.
class PythonPipeline {
  public:
    PythonPipeline(const PipelineConfig& config, py::function model, const AnyDevice& device,
                   const pipeline::PipelineMemory& memory)
        : form_{std::make_shared<Form>()},
          pipeline_{pipeline::create_pipeline(
              config,
              [form = form_, call = std::move(model)](const Tensor& input) { return form->outputs_of(call(input)); },
              device, memory)} {}

    [[nodiscard]] Pipeline& get() noexcept { return *pipeline_; }

    [[nodiscard]] Popped pop_all() {
        py::list all;
        for (const pipeline::Outputs& outputs : pipeline_->pop_all()) {
            if (form_->is_single) {
                all.append(outputs.front());
            } else {
                all.append(py::tuple(py::cast(outputs)));
            }
        }
        return {std::move(all)};
    }

  private:
    struct Form {
        bool is_single{true};

        [[nodiscard]] pipeline::Outputs outputs_of(const py::object& result) {
            is_single = py::isinstance<Tensor>(result);
            if (is_single) {
                return {result.cast<Tensor>()};
            }
            if (!py::isinstance<py::tuple>(result) && !py::isinstance<py::list>(result)) {
                fail(result);
            }
            pipeline::Outputs outputs;
            for (const py::handle item : py::iter(result)) {
                if (!py::isinstance<Tensor>(item)) {
                    fail(item);
                }
                outputs.push_back(item.cast<Tensor>());
            }
            return outputs;
        }

        [[noreturn]] static void fail(const py::handle& result) {
            throw PipelineError{PipelineRule::kOutput,
                                fmt::format("a model gives a tensor, or a list or tuple of tensors; this one gives {}",
                                            py::str(py::type::handle_of(result).attr("__name__")).cast<std::string>())};
        }
    };

    std::shared_ptr<Form> form_;
    std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace

void bind_pipeline(py::module_& module) {
    py::class_<PipelineConfig>(module, "PipelineConfig",
                               "Which executor runs the model. docs/guide/pipeline.md has the table.")
        .def(py::init([](bool use_trace, std::int64_t queues, bool separate) {
                 return PipelineConfig{use_trace, unsigned_from(queues, "num_command_queues"), separate};
             }),
             py::arg("use_trace") = false, py::arg("num_command_queues") = 1,
             py::arg("all_transfers_on_separate_command_queue") = false)
        .def_readonly("use_trace", &PipelineConfig::use_trace)
        .def_readonly("num_command_queues", &PipelineConfig::num_command_queues)
        .def_readonly("all_transfers_on_separate_command_queue",
                      &PipelineConfig::all_transfers_on_separate_command_queue);
    py::class_<PythonPipeline>(module, "Pipeline", "Runs a model over many inputs.")
        .def(
            "compile", [](PythonPipeline& self, const Tensor& sample) { self.get().compile(sample); },
            "Runs the model once on a sample, and captures its trace where there is one.", py::arg("sample_input"))
        .def(
            "preallocate_output_tensors_on_host",
            [](PythonPipeline& self, std::int64_t count) {
                self.get().preallocate_output_tensors_on_host(unsigned_from(count, "count"));
            },
            "Outputs are delivered into this many tensors, whose data every enqueue() replaces.", py::arg("count"))
        .def(
            "enqueue",
            [](PythonPipeline& self, const std::vector<Tensor>& inputs) -> PythonPipeline& {
                self.get().enqueue(inputs);
                return self;
            },
            "Enqueues one run for each input, without waiting; returns the pipeline.", py::arg("inputs"),
            py::return_value_policy::reference)
        .def("pop_all", &PythonPipeline::pop_all, "Waits; one output for each input since the last call.")
        .def(
            "cleanup", [](PythonPipeline& self) { self.get().cleanup(); },
            "Waits, and gives up traces, tensors and outputs that nobody has popped.");
    module.def(
        "create_pipeline_from_config",
        [](const PipelineConfig& config, Model model, const AnyDevice& device,
           const std::optional<MemoryConfig>& dram_input, const std::optional<MemoryConfig>& l1_input,
           const std::optional<MemoryConfig>& dram_output, const std::optional<MemoryConfig>& l1_output) {
            return std::make_unique<PythonPipeline>(
                config, std::move(model.object), device,
                pipeline::PipelineMemory{dram_input, l1_input, dram_output, l1_output});
        },
        "A pipeline for a model: a function of the input tensor that gives its output tensors.", py::arg("config"),
        py::arg("model"), py::arg("device").none(false), py::arg("dram_input_memory_config") = py::none(),
        py::arg("l1_input_memory_config") = py::none(), py::arg("dram_output_memory_config") = py::none(),
        py::arg("l1_output_memory_config") = py::none());
}

}  // namespace pianola::python
