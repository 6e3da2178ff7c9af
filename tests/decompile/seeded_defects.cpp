// The defects, and the binaries that have them.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "capture_host/capture/link.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "tests/decompile/defects.h"
#include "tests/tflite/one_import.h"

namespace pianola::decompile {
namespace {

capture::Recorder recorded(const Program& program) {
    capture::Recorder recorder;
    std::vector<BufferId> ids;
    for (const capture::Buffer& buffer : program.buffers) {
        switch (buffer.role) {
            case capture::BufferRole::kConstant:
                ids.push_back(recorder.add_constant(buffer.name, buffer.contents));
                break;
            case capture::BufferRole::kInput:
                ids.push_back(recorder.add_input(buffer.tensor, buffer.size_bytes));
                break;
            case capture::BufferRole::kOutput:
                ids.push_back(recorder.add_output(buffer.tensor, buffer.size_bytes));
                break;
            case capture::BufferRole::kState:
                ids.push_back(recorder.add_state(
                    buffer.name, buffer.contents.empty() ? std::vector<std::uint8_t>(buffer.size_bytes, program.first)
                                                         : buffer.contents));
                break;
            case capture::BufferRole::kActivation:
            default:
                ids.push_back(recorder.add_activation(buffer.name, buffer.size_bytes));
                break;
        }
    }
    for (capture::Launch launch : program.launches) {
        for (capture::Operand& operand : launch.operands) {
            operand.buffer = ids.at(static_cast<std::size_t>(operand.buffer));
        }
        recorder.launch(std::move(launch));
    }
    recorder.set_source("model.tflite", {});
    return recorder;
}

template <typename Arguments>
Defect argument(const char* what, std::size_t launch, const std::function<void(Arguments&)>& change) {
    return {"importer", what, [=](Program& program) { program.change<Arguments>(launch, change); }, {}};
}

using Conv = refdev::Conv2dArguments;
using Sum = refdev::AddArguments;
using Pair = refdev::QuantizedBinaryArguments;
using Pool = refdev::Pool2dArguments;
using Full = refdev::FullyConnectedArguments;
using Wide = refdev::FullyConnectedInt16Arguments;
using Curve = refdev::SigmoidInt16Arguments;
using Feature = refdev::SvdfFeatureArguments;
using Time = refdev::SvdfTimeArguments;

Defect byte(const char* what, std::size_t launch, std::size_t operand, std::size_t at) {
    return {"importer", what, [=](Program& program) { program.constant(launch, operand).at(at) ^= 1U; }, {}};
}

std::vector<Defect> defects_of_constants() {
    return {byte("a byte of a convolution's weights", kFirst, kWeights, 5U),
            byte("the last byte of a convolution's weights", kSecond, kWeights, 53U),
            byte("a byte of a fully connected layer's weights", kFull, kWeights, 4U),
            byte("a convolution's bias", kFirst, kTable, 0U),
            byte("a multiplier's lowest bit", kFirst, kTable, 4U),
            byte("a shift", kSecond, kTable, 20U),
            byte("a fully connected layer's bias", kFull, kTable, 12U),
            {"importer",
             "two channels' scales exchanged",
             [](Program& program) {
                 auto& table = program.constant(kFirst, kTable);
                 std::swap_ranges(table.begin() + 4, table.begin() + 12, table.begin() + 16);
             },
             {}},
            {"importer",
             "weights with rows and columns exchanged",
             [](Program& program) {
                 auto& weights = program.constant(kFull, kWeights);
                 weights = {weights[0], weights[2], weights[4], weights[1], weights[3], weights[5]};
             },
             {}}};
}

std::vector<Defect> defects_of_arguments() {
    return {
        argument<Conv>("an input's zero point", kFirst, [](Conv& a) { a.input_offset += 1; }),
        argument<Conv>("an output's zero point", kSecond, [](Conv& a) { a.output_offset -= 1; }),
        argument<Conv>("a fused RELU left out", kFirst, [](Conv& a) { a.activation_min = -128; }),
        argument<Full>("an upper bound", kFull, [](Full& a) { a.activation_max = 126; }),
        argument<Conv>("padding above", kFirst, [](Conv& a) { a.pad_top = 0U; }),
        argument<Conv>("padding to the left", kSecond, [](Conv& a) { a.pad_left = 0U; }),
        argument<Conv>("a dilation", kFirst, [](Conv& a) { a.dilation_width = 2U; }),
        argument<Conv>("a stride", kSecond, [](Conv& a) { a.stride_height = 2U; }),
        argument<Sum>("a sum's extra bits", kAdd, [](Sum& a) { a.left_shift = 19U; }),
        argument<Sum>("a sum's multiplier", kAdd, [](Sum& a) { a.input2_multiplier -= 1; }),
        argument<Sum>("a sum's output shift", kAdd, [](Sum& a) { a.output_shift -= 1; }),
        argument<Pair>("a sum instead of a difference", kSub, [](Pair& a) { a.op = refdev::QuantizedBinaryOp::kAdd; }),
        argument<Pair>("a difference's zero point", kSub, [](Pair& a) { a.input2_offset += 2; }),
        argument<Full>("a zero point of weights", kFull, [](Full& a) { a.filter_offset = 1; }),
        argument<Pool>("a pool's bounds", kPool, [](Pool& a) { a.activation_max = 100; }),
        {"importer",
         "the largest instead of the mean",
         [](Program& program) { program.launches.at(kPool).kernel = refdev::KernelId::kMaxPool2d; },
         {}}};
}

std::vector<Defect> defects_of_flow() {
    return {{"importer",
             "operands of a difference exchanged",
             [](Program& program) { std::swap(program.buffer(kSub, 0U), program.buffer(kSub, 1U)); },
             {}},
            {"importer",
             "operands of a sum exchanged",
             [](Program& program) { std::swap(program.buffer(kAdd, 0U), program.buffer(kAdd, 1U)); },
             {}},
            {"importer",
             "another layer's weights",
             [](Program& program) { program.buffer(kSecond, kWeights) = program.buffer(kFirst, kWeights); },
             {}},
            {"importer",
             "another layer's scales",
             [](Program& program) { program.buffer(kSecond, kTable) = program.buffer(kFirst, kTable); },
             {}},
            {"importer",
             "an operator left out",
             [](Program& program) {
                 program.buffer(kPool, 0U) = program.buffer(kSub, 1U);
                 program.launches.erase(program.launches.begin() + static_cast<std::ptrdiff_t>(kSub));
             },
             {}},
            {"linker",
             "an operator twice",
             [](Program& program) { program.launches.insert(program.launches.begin(), program.launches.front()); },
             {}},
            {"planner",
             "two tensors that are both needed share memory",
             [](Program& program) {
                 program.buffer(kSecond, 3U) = program.buffer(kFirst, 3U);
                 program.buffer(kAdd, 1U) = program.buffer(kFirst, 3U);
             },
             {}},
            {"planner",
             "a tensor is written over before its last reader",
             [](Program& program) {
                 program.buffer(kAdd, 2U) = program.buffer(kFirst, 3U);
                 program.buffer(kSub, 1U) = program.buffer(kFirst, 3U);
             },
             {}},
            {"linker",
             "launches in another order",
             [](Program& program) { std::swap(program.launches.at(kSecond), program.launches.at(kAdd)); },
             {}}};
}

std::vector<Defect> defects_of_binaries() {
    return {{"linker",
             "constants moved by a byte",
             {},
             [](capture::LinkedWorkload& work) {
                 auto& weights = work.segments.weights;
                 std::rotate(weights.begin(), weights.begin() + 1, weights.end());
             }},
            {"linker",
             "an output's scale in the manifest",
             {},
             [](capture::LinkedWorkload& work) { work.manifest.outputs.front().scale *= 2.0F; }},
            {"linker", "an input's zero point in the manifest", {}, [](capture::LinkedWorkload& work) {
                 work.manifest.inputs.front().zero_point += 1;
             }}};
}

std::vector<Defect> defects_of_int16() {
    enum : std::size_t { kLayer, kLogistic };
    std::vector<Defect> defects{
        byte("a bit of an int16 layer's weights", kLayer, kWeights, 6U),
        byte("the highest byte of a bias of 64 bits", kLayer, kTable, 7U),
        byte("a multiplier of an int16 layer", kLayer, kTable, 24U),
        byte("an entry of the logistic function", kLogistic, kWeights, 100U),
        argument<Wide>("an upper bound of int16", kLayer, [](Wide& a) { a.layer.activation_max = 127; }),
        argument<Curve>("a hyperbolic tangent instead", kLogistic, [](Curve& a) { a.op = refdev::SigmoidOp::kTanh; }),
        argument<Curve>("a scale of the logistic function", kLogistic, [](Curve& a) { a.multiplier += 1; })};
    for (Defect& defect : defects) {
        defect.model = model_of_int16;
    }
    return defects;
}

std::vector<Defect> defects_of_states() {
    enum : std::size_t { kFeature1, kTime1, kFeature2, kTime2 };
    constexpr std::size_t kMemory = 2U;
    std::vector<Defect> defects{
        byte("a bit of an SVDF layer's features", kFeature2, kWeights, 1U),
        byte("a bit of an SVDF layer's bias", kTime1, kTable, 4U),
        argument<Feature>("a state's zero point", kFeature1, [](Feature& a) { a.memory_zero_point = 1; }),
        argument<Time>("a multiplier behind a state", kTime2, [](Time& a) { a.multiplier -= 1; }),
        {"importer", "a state's first contents", [](Program& program) { program.first = 1U; }, {}},
        {"importer",
         "a state that is reset in every step",
         [](Program& program) { program.launches.insert(program.launches.begin(), program.resets.back()); },
         {}},
        {"planner",
         "two layers with one state",
         [](Program& program) {
             const BufferId shared = program.buffer(kFeature1, kMemory);
             for (capture::Operand& operand : program.launches.at(kFeature2).operands) {
                 operand.buffer = (operand.buffer == program.buffer(kTime2, 0U)) ? shared : operand.buffer;
             }
             program.buffer(kTime2, 0U) = shared;
         },
         {}}};
    for (Defect& defect : defects) {
        defect.model = model_of_states;
    }
    return defects;
}

// The fully connected layer is packed; its weights are the last constant but one.
std::vector<Defect> defects_of_packing() {
    using refdev::WeightsLayout;
    const auto flip = [](const char* what, std::size_t from_end, WeightsLayout pack) {
        const auto change = [from_end](capture::LinkedWorkload& work) {
            *(work.segments.weights.end() - static_cast<std::ptrdiff_t>(from_end)) ^= 1U;
        };
        return Defect{"linker", what, {}, change, model_of_all, false, pack};
    };
    return {flip("a bit of weights that are packed for DSP instructions", 110U, WeightsLayout::kDsp),
            flip("a bias next to them", 48U, WeightsLayout::kDsp),
            flip("a bit of weights that are packed for vectors", 110U, WeightsLayout::kMve),
            flip("a multiplier next to them", 28U, WeightsLayout::kMve)};
}

capture::LinkOptions options_of(const Defect& defect) {
    capture::LinkOptions options;
    options.queues = defect.is_pipelined ? 2U : 1U;
    options.is_pipelined = defect.is_pipelined;
    options.pack = defect.pack;
    return options;
}

}  // namespace

std::vector<Defect> all_defects() {
    std::vector<Defect> all;
    for (const auto& some :
         {defects_of_constants(), defects_of_arguments(), defects_of_flow(), defects_of_binaries(), defects_of_steps(),
          defects_of_names(), defects_of_int16(), defects_of_states(), defects_of_packing()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

capture::LinkedWorkload linked(const Defect& defect) {
    const capture::Recorder imported = tflite::import(defect.model());
    Program program{imported.buffers(), imported.launches(), imported.resets()};
    if (defect.in_program) {
        defect.in_program(program);
    }
    capture::LinkedWorkload work = capture::link(recorded(program), options_of(defect));
    if (defect.in_binary) {
        defect.in_binary(work);
    }
    return work;
}

}  // namespace pianola::decompile
