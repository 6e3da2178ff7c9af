#include "capture_host/decompile/decompile.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <set>
#include <utility>

#include "capture_host/binary/trace_walk.h"
#include "capture_host/decompile/launches.h"
#include "capture_host/decompile/operation.h"
#include "capture_host/decompile/premises.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "pianola/config.h"

namespace pianola::decompile {
namespace {

std::string text_of(NameView name) {
    return {name.begin(), name.end()};
}

constexpr std::uint32_t kLeastSteps = 2U;
constexpr std::uint32_t kMostSteps = 256U;  // a state that holds the last inferences is full after as many steps

// The contents of every tensor of the model, inference after inference.
class ModelSide {
  public:
    ModelSide(const tflite::Model& model, Expressions& expressions)
        : model_{model}, expressions_{expressions}, tokens_(model.tensors.size()) {
        for (std::size_t i = 0U; i < model.tensors.size(); ++i) {
            if (model.tensors[i].defect.empty() && model.tensors[i].is_constant) {
                tokens_[i] = tokens_of(model.tensors[i].contents);
            }
        }
        next_inputs_ = fresh_inputs();
    }

    // Evaluates the next inference.
    void step() {
        inputs_ = std::exchange(next_inputs_, fresh_inputs());
        for (std::size_t i = 0U; i < inputs_.size(); ++i) {
            tokens_[model_.inputs[i]] = inputs_[i];
        }
        expressions_.forget_operators();
        state_.before = state_.now;
        for (std::uint32_t i = 0U; i < model_.operators.size(); ++i) {
            Operation operation{model_, i, tokens_, state_, expressions_};
            try {
                check_operands(model_.operators[i]);
                evaluate(operation);
            } catch (const Mismatch& mismatch) {
                throw Mismatch{fmt::format("operator {} ({}): {}", i, model_.operators[i].name, mismatch.what())};
            } catch (const std::out_of_range&) {
                throw Mismatch{fmt::format("operator {} ({}): not understood: its operands are not as it needs them", i,
                                           model_.operators[i].name)};
            }
        }
    }

    [[nodiscard]] const Tokens& input(std::size_t position) const { return inputs_[position]; }
    [[nodiscard]] const Tokens& next_input(std::size_t position) const { return next_inputs_[position]; }
    [[nodiscard]] const Tokens& output(std::size_t position) const { return tokens_[model_.outputs[position]]; }

    // The tokens of this inference with their successors in the next.
    [[nodiscard]] Successors successors() const {
        Successors found;
        for (std::size_t i = 0U; i < inputs_.size(); ++i) {
            add_pairs(inputs_[i], next_inputs_[i], found);
        }
        for (const auto& [name, tokens] : state_.before) {
            add_pairs(tokens, state_.now.at(name), found);
        }
        return found;
    }

  private:
    static void add_pairs(const Tokens& before, const Tokens& after, Successors& found) {
        for (std::size_t at = 0U; (at < before.size()) && (at < after.size()); ++at) {
            found.emplace(before[at], after[at]);
        }
    }

    void check_operand(std::int32_t operand) const {
        const Tensor& tensor = model_.tensors.at(static_cast<std::uint32_t>(operand));
        if (!tensor.defect.empty()) {
            Operation::not_understood("one of its operands");
        }
        const bool is_narrow = element_bytes_of(tensor) <= sizeof(std::int16_t);  // others have their own scale
        if (is_narrow && !tensor.quantization_defect.empty()) {
            Operation::not_understood("'" + tensor.name + "': " + tensor.quantization_defect);
        }
    }

    void check_operands(const tflite::Operator& op) const {
        for (std::size_t i = 0U; i < op.inputs.size(); ++i) {
            if ((op.inputs[i] != tflite::kAbsent) && !tflite::is_unread_shape(model_, op, i)) {
                check_operand(op.inputs[i]);
            }
        }
        for (const std::int32_t output : op.outputs) {
            check_operand(output);
        }
    }

    [[nodiscard]] std::vector<Tokens> fresh_inputs() const {
        std::vector<Tokens> inputs;
        for (const std::uint32_t input : model_.inputs) {
            inputs.push_back(expressions_.fresh(model_.tensors[input].size_bytes));
        }
        return inputs;
    }

    const tflite::Model& model_;
    Expressions& expressions_;
    std::vector<Tokens> tokens_;
    std::vector<Tokens> inputs_;
    std::vector<Tokens> next_inputs_;
    State state_;
};

// Initial states hold constants, which look alike: what takes a constant's place, or one of two places, is told apart
// from others only when it has been computed.
bool looks_alike(const Successors& successors) {
    const auto changes = [](const auto& pair) { return (pair.first < kUndefined) && (pair.first != pair.second); };
    const auto is_split = [](const auto& pair, const auto& next) { return pair.first == next.first; };
    return std::any_of(successors.begin(), successors.end(), changes) ||
           (std::adjacent_find(successors.begin(), successors.end(), is_split) != successors.end());
}

class BinarySide {
  public:
    BinarySide(const Image& image, const CommandSet& command_set, const tflite::Model& model, ModelSide& side,
               Expressions& expressions, Report& report)
        : image_{image},
          command_set_{command_set},
          model_{model},
          side_{side},
          expressions_{expressions},
          report_{report},
          is_read_(image.output_count(), false) {
        for (std::uint32_t i = 0U; i < image.region_count(); ++i) {
            memory_.add_region(image.region(i).base, image.region(i).size_bytes);
        }
    }

    void run() {
        std::set<std::string> names;
        check_tensors("input", image_.input_count(), model_.inputs, &Image::input, names);
        check_tensors("output", image_.output_count(), model_.outputs, &Image::output, names);
        is_pipelined_ = prologue_writes_inputs();
        side_.step();
        read_file();
        run_scripts(ScriptKind::kSetup);
        run_scripts(ScriptKind::kPrologue);
        run_steps();
        run_scripts(ScriptKind::kEpilogue);
    }

  private:
    // In a pipelined binary the prologue writes the first inference's inputs, every step the next one's, and the
    // epilogue computes the last one.
    [[nodiscard]] bool prologue_writes_inputs() const {
        for (std::uint32_t script = 0U; script < image_.script_count(); ++script) {
            const ScriptView view = image_.script(script);
            for (std::uint32_t i = 0U; (view.kind == ScriptKind::kPrologue) && (i < view.command_count); ++i) {
                if (image_.script_command(script, i).kind == ScriptCommandKind::kWriteInput) {
                    return true;
                }
            }
        }
        return false;
    }

    void run_scripts(ScriptKind kind) {
        for (std::uint32_t i = 0U; i < image_.script_count(); ++i) {
            if (image_.script(i).kind != kind) {
                continue;
            }
            try {
                run_script(i, kind);
            } catch (const Mismatch& mismatch) {
                throw Mismatch{fmt::format("{}{}", is_first_step_ ? "" : "after the first step: ", mismatch.what())};
            }
        }
    }

    // Steps until what they leave behind is what they have found: so it is of every further one, and for the epilogue.
    void run_steps() {
        bool goes_on = true;
        for (std::uint32_t step = 0U; goes_on; ++step) {
            if (step == kMostSteps) {
                throw Mismatch{
                    fmt::format("not understood: {} steps are too few to tell what one leaves to the next", step)};
            }
            const SymbolicMemory before = memory_;
            run_scripts(ScriptKind::kStep);
            const Successors successors = side_.successors();
            const bool has_lost = memory_.keep_invariant(before, successors);
            goes_on = has_lost || looks_alike(successors) || ((step + 1U) < kLeastSteps);
            is_first_step_ = false;
            side_.step();
        }
    }

    // Those who run a binary find its tensors by name: the model's, and of several that have the same one all but the
    // first are told apart by "#2" and so on at the end. `names` are those that have been given.
    static std::string next_name(const std::string& name, std::set<std::string>& names) {
        std::string given = name;
        for (std::uint32_t number = 2U; !names.insert(given).second; ++number) {
            const std::string ending = fmt::format("#{}", number);
            given = name.substr(0U, kMaxNameBytes - ending.size()) + ending;
        }
        return given;
    }

    void check_tensors(const char* what, std::uint32_t count, const std::vector<std::uint32_t>& wanted,
                       TensorView (Image::*tensor_of)(std::uint32_t) const noexcept,
                       std::set<std::string>& names) const {
        if (count != wanted.size()) {
            throw Mismatch{fmt::format("{} {}s in the binary, {} in the model", count, what, wanted.size())};
        }
        for (std::uint32_t i = 0U; i < count; ++i) {
            const TensorView have = (image_.*tensor_of)(i);
            const Tensor& want = model_.tensors[wanted[i]];
            const Shape shape(have.shape.begin(), have.shape.begin() + have.rank);
            const float scale = want.quantization.scales.empty() ? 0.0F : want.quantization.scales.front();
            if ((shape != want.shape) || (have.type != tflite::element_type(want.type)) || (have.scale != scale) ||
                (have.zero_point != zero_point_of(want))) {
                throw Mismatch{fmt::format("{} {} ('{}') has another shape, type or quantisation than the model's '{}'",
                                           what, i, text_of(have.name), want.name)};
            }
            const std::string name = next_name(want.name, names);
            if (text_of(have.name) != name) {
                throw Mismatch{
                    fmt::format("{} {} is named '{}', and '{}' by the model", what, i, text_of(have.name), name)};
            }
        }
    }

    [[nodiscard]] std::uint32_t address_of(std::uint32_t buffer) const {
        const BufferView view = image_.buffer(buffer);
        return image_.region(view.region).base + view.offset_bytes;
    }

    // What the device reads in the file is there from the start.
    void read_file() {
        for (std::uint32_t i = 0U; i < image_.region_count(); ++i) {
            const RegionView region = image_.region(i);
            if (region.memory == MemoryKind::kFile) {
                memory_.write(region.base, image_.weights().subspan(0U, region.size_bytes));
            }
        }
    }

    void run_script(std::uint32_t script, ScriptKind kind) {
        // Of a whole inference.
        const bool computes = (kind == ScriptKind::kStep) || (is_pipelined_ && (kind == ScriptKind::kEpilogue));
        if (computes) {
            expressions_.forget_matches();
            is_read_.assign(is_read_.size(), false);
        }
        for (std::uint32_t i = 0U; i < image_.script(script).command_count; ++i) {
            const ScriptCommandView command = image_.script_command(script, i);
            switch (command.kind) {
                case ScriptCommandKind::kWriteBuffer:
                    memory_.write(
                        address_of(command.object),
                        image_.weights().subspan(command.segment_offset, image_.buffer(command.object).size_bytes));
                    break;
                case ScriptCommandKind::kWriteInput:
                    write_input(command.object, kind);
                    break;
                case ScriptCommandKind::kReadOutput:
                    check_output(command.object);
                    is_read_[command.object] = true;
                    break;
                case ScriptCommandKind::kReplayTrace:
                    run_trace(command.object, is_first_step_ && (kind == ScriptKind::kStep));
                    break;
                default:  // traces are in the file; events order what the validator has found ordered
                    break;
            }
        }
        if (computes) {
            end_inference(kind);
        }
    }

    void write_input(std::uint32_t input, ScriptKind kind) {
        const bool is_ahead = is_pipelined_ && (kind == ScriptKind::kStep);
        memory_.write(address_of(image_.input(input).buffer), is_ahead ? side_.next_input(input) : side_.input(input));
    }

    void end_inference(ScriptKind kind) const {
        for (const auto& [index, text] : expressions_.miscounted()) {
            throw Mismatch{fmt::format("operator {} ({}): {}", index, model_.operators[index].name, text)};
        }
        const auto missing = std::find(is_read_.begin(), is_read_.end(), false);
        if (missing != is_read_.end()) {
            throw Mismatch{fmt::format("output {} is not read in the {}", missing - is_read_.begin(),
                                       (kind == ScriptKind::kStep) ? "step" : "epilogue")};
        }
    }

    void check_output(std::uint32_t output) const {
        const Tokens& want = side_.output(output);
        const Tensor& tensor = model_.tensors[model_.outputs[output]];
        if (want.size() != tensor.size_bytes) {
            throw Mismatch{fmt::format("output {}: nothing in the model gives '{}'", output, tensor.name)};
        }
        const Tokens have = memory_.read(address_of(image_.output(output).buffer), want.size());
        const auto [mine, theirs] = std::mismatch(have.begin(), have.end(), want.begin());
        if (mine != have.end()) {
            throw Mismatch{fmt::format("output {}, byte {}: not what the model's '{}' has there", output,
                                       mine - have.begin(), tensor.name)};
        }
        (void)theirs;
    }

    void run_trace(std::uint32_t trace, bool is_listed) {
        const TraceView view = image_.trace(trace);
        const WordSpan words = image_.trace_words().subspan(view.offset_bytes / sizeof(std::uint32_t), view.word_count);
        std::uint32_t number = 0U;
        const targets::WalkEnd end =
            targets::for_each_command(command_set_, words, [&](std::uint32_t word, const DecodedCommand& command) {
                run_one(trace, number, words.subspan(word, command.length_words), command, is_listed);
                number += 1U;
            });
        if (!end.is_whole()) {
            throw Mismatch{fmt::format("trace {}: no command at word {}", trace, end.word)};
        }
    }

    void run_one(std::uint32_t trace, std::uint32_t number, WordSpan words, const DecodedCommand& command,
                 bool is_listed) {
        const std::size_t before = expressions_.match_count();
        try {
            run_command(words, command, memory_, expressions_);
        } catch (const Mismatch& mismatch) {
            throw Mismatch{fmt::format("trace {}, command {}: {}", trace, number, mismatch.what())};
        }
        if (!is_listed || (command.kind == CommandKind::kBarrier) || (command.kind == CommandKind::kEnd)) {
            return;
        }
        const refdev::Kernel* const kernel = refdev::find_kernel(command.kernel_id);
        const std::uint32_t index = expressions_.matched_operator();
        const bool is_operator = expressions_.match_count() != before;
        report_.lines.push_back(
            {trace, number, (kernel == nullptr) ? targets::kind_name(command.kind) : kernel->name,
             is_operator ? fmt::format("{} {}", index, model_.operators[index].name) : std::string{}});
    }

    const Image& image_;
    const CommandSet& command_set_;
    const tflite::Model& model_;
    ModelSide& side_;
    Expressions& expressions_;
    Report& report_;
    SymbolicMemory memory_;
    std::vector<bool> is_read_;  // by output, in this inference
    bool is_pipelined_{false};
    bool is_first_step_{true};
};

// What no binary of a model has.
void check_kind(const Image& image) {
    const TargetView target = image.target();
    if (text_of(target.device_family) != "pianola-refdev") {
        throw Mismatch{fmt::format("not understood: commands of device family {}", text_of(target.device_family))};
    }
    if ((target.mesh_rows * target.mesh_columns) != 1U) {
        throw Mismatch{"not understood: a binary for several devices"};
    }
    if (image.parameter_count() != 0U) {
        throw Mismatch{"not understood: a binary with parameters"};
    }
}

}  // namespace

Report decompile(const Image& image, const CommandSet& command_set, ByteSpan model_file) {
    const tflite::Model model = tflite::read_model(model_file);
    Report report;
    report.operators = static_cast<std::uint32_t>(model.operators.size());
    try {
        check_kind(image);
        check_graph(model);
        Expressions expressions;
        ModelSide side{model, expressions};
        BinarySide{image, command_set, model, side, expressions, report}.run();
    } catch (const Mismatch& mismatch) {
        report.differences.emplace_back(mismatch.what());
    } catch (const std::out_of_range&) {
        report.differences.emplace_back("not understood: an address outside the regions");
    } catch (const std::bad_alloc&) {
        report.differences.emplace_back("not understood: it takes more memory than there is");
    }
    return report;
}

}  // namespace pianola::decompile
