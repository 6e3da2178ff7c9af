// State on a mesh: every device keeps its own from step to step, one reset is for all of them, and no state outlives a
// fault of any device.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <set>
#include <vector>

#include "capture_host/capture/merge.h"
#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "pianola_host/files.h"
#include "tests/decompile/defect_models.h"
#include "tests/device_set/mesh_bench.h"
#include "tests/support/trace_file.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using capture::LinkedBinary;

constexpr MeshShape kAlone{1U, 1U};
constexpr std::uint32_t kSteps = 6U;

// Layers whose sums are not larger than their types.
tflite::ModelSpec model_of_layers() {
    constexpr std::size_t kBias = 3U;  // of both layers: it has no scale that would be right for one alone
    constexpr std::size_t kMemory1 = 4U;
    constexpr std::size_t kBetween = 5U;
    constexpr std::size_t kMemory2 = 7U;
    constexpr std::size_t kOutput = 8U;
    tflite::ModelSpec model = decompile::model_of_states();
    model.tensors[kBias].scales.clear();
    model.tensors[kMemory1].scales = {0x1p5F};
    model.tensors[kBetween].scales = {0x1p11F};
    model.tensors[kMemory2].scales = {0x1p17F};
    model.tensors[kOutput].scales = {0x1p23F};
    return model;
}

// Layers with state, as one device has them; `device` changes a constant.
LinkedBinary part_of(const tflite::ModelSpec& model, std::uint32_t queues, std::uint32_t device) {
    capture::LinkOptions options;
    refdev::describe(small_device(), options.spec);
    options.queues = queues;
    const capture::LinkedWorkload work = capture::link(tflite::import(model), options);
    LinkedBinary part{work.manifest, work.segments};
    if (!part.segments.weights.empty()) {
        std::uint8_t& first = part.segments.weights.front();
        first = static_cast<std::uint8_t>(first + (40U * device));
    }
    return part;
}

Bytes input_of(std::size_t bytes, std::uint32_t step) {
    Bytes input(bytes);
    for (std::size_t i = 0U; i < bytes; ++i) {
        input[i] = static_cast<std::uint8_t>((std::size_t{37U} * step) + (91U * i) + 5U);
    }
    return input;
}

// A session over the part's devices, and what it gives.
struct Runner {
    Runner(const MeshShape& shape, const LinkedBinary& part, const std::vector<sim::FaultScript>& faults = {})
        : file{capture::write_trace_binary(part.manifest, part.segments)},
          devices{shape.count(), faults},
          bench{shape, devices} {
        EXPECT_EQ(bench.load(file.view()), Status::kOk) << rule_id(bench.verdict.rule);
    }

    [[nodiscard]] Bytes input(std::uint32_t step) const {
        return input_of(bench.session.plan().inputs.at(0U).bytes, step);
    }
    [[nodiscard]] Bytes step(std::uint32_t number, Status wanted = Status::kOk) {
        Bytes output(bench.session.plan().outputs.at(0U).bytes, 0xEEU);
        EXPECT_EQ(bench.run(input(number), output), wanted);
        return output;
    }
    [[nodiscard]] std::vector<Bytes> stream() {
        std::vector<Bytes> outputs;
        for (std::uint32_t i = 0U; i < kSteps; ++i) {
            outputs.push_back(step(i));
        }
        return outputs;
    }

    files::AlignedBytes file;
    MeshDevices devices;
    MeshBench bench;
};

// What both devices give, each alone, one behind the other.
std::vector<Bytes> alone(const std::array<LinkedBinary, 2>& parts) {
    std::vector<Bytes> both = Runner{kAlone, parts[0]}.stream();
    const std::vector<Bytes> second = Runner{kAlone, parts[1]}.stream();
    for (std::size_t i = 0U; i < both.size(); ++i) {
        both[i].insert(both[i].end(), second[i].begin(), second[i].end());
    }
    return both;
}

// The zero point that the last layer adds to its sums, as a word of the part's trace.
std::uint32_t output_offset_word(const LinkedBinary& part) {
    const std::vector<std::uint32_t> words = words_of(part.segments.traces);
    const auto kernel = static_cast<std::uint32_t>(refdev::KernelId::kSvdfTime);
    for (std::size_t i = words.size() - 1U; i > 0U; --i) {
        const bool is_launch =
            words[i - 1U] ==
            refdev::header_word(refdev::Opcode::kLaunch,
                                refdev::kLaunchHeadWords + refdev::kArgumentWords<refdev::SvdfTimeArguments>);
        if (is_launch && (words[i] == kernel)) {
            return static_cast<std::uint32_t>(i) - 1U + refdev::kLaunchHeadWords +
                   refdev::word_of(offsetof(refdev::SvdfTimeArguments, output_offset));
        }
    }
    ADD_FAILURE() << "no such launch";
    return 0U;
}

struct Subject {
    std::array<LinkedBinary, 2> parts;
    LinkedBinary merged;
};

std::vector<Subject> subjects() {
    std::vector<Subject> all;
    for (const std::uint32_t queues : {1U, 2U}) {
        for (const auto& model : {model_of_layers(), decompile::model_of_last(3)}) {
            Subject subject{{part_of(model, queues, 0U), part_of(model, queues, 1U)}, {}};
            subject.merged = capture::merge_mesh({subject.parts[0], subject.parts[1]}, {1U, 2U, {}});
            all.push_back(subject);
        }
    }
    return all;
}

TEST(MeshState, EachDeviceKeepsItsOwn) {
    for (const Subject& subject : subjects()) {
        const std::vector<Bytes> wanted = alone(subject.parts);
        EXPECT_EQ(std::set<Bytes>(wanted.begin(), wanted.end()).size(), wanted.size());  // none looks like another
        Runner runner{kTwo, subject.merged};
        EXPECT_EQ(runner.stream(), wanted);
        ASSERT_EQ(runner.bench.session.reset_state(), Status::kOk);
        EXPECT_EQ(runner.stream(), wanted);
        ASSERT_EQ(runner.bench.session.unload(), Status::kOk);
        ASSERT_EQ(runner.bench.load(runner.file.view()), Status::kOk);
        EXPECT_EQ(runner.stream(), wanted);
    }
}

// A fault of one device at each place of a step: what the others have computed by then is part of no later step.
TEST(MeshState, OutlivesNoFault) {
    for (const Subject& subject : subjects()) {
        const std::vector<Bytes> wanted = alone(subject.parts);
        for (std::uint32_t faulty = 0U; faulty < 2U; ++faulty) {
            for (std::uint32_t doorbell = 2U; doorbell < 9U; ++doorbell) {
                std::vector<sim::FaultScript> faults(2U);
                faults.at(faulty).lose_doorbell = doorbell;
                Runner runner{kTwo, subject.merged, faults};
                Status status = Status::kOk;
                for (std::uint32_t i = 0U; is_ok(status) && (i < (2U * kSteps)); ++i) {
                    Bytes output(wanted.front().size(), 0xEEU);
                    status = runner.bench.run(runner.input(i), output);
                    const bool has_run = is_ok(status);
                    EXPECT_TRUE(has_run ? ((i >= kSteps) || (output == wanted.at(i)))
                                        : ((output == Bytes(output.size(), 0U)) ||
                                           (output == Bytes(output.size(), 0xEEU))));  // where it was never bound
                }
                ASSERT_EQ(status, Status::kTimeout) << faulty << " " << doorbell;
                EXPECT_EQ(runner.bench.session.fault().column, faulty);
                EXPECT_EQ(runner.bench.session.reset_state(), Status::kFaultLatched);
                ASSERT_EQ(runner.bench.load(runner.file.view()), Status::kOk);
                EXPECT_EQ(runner.stream(), wanted);
            }
        }
    }
}

TEST(MeshState, IsResetBetweenStepsOnly) {
    for (const Subject& subject : subjects()) {
        const std::vector<Bytes> wanted = alone(subject.parts);
        Runner runner{kTwo, subject.merged};
        EXPECT_EQ(runner.step(0U), wanted.at(0U));
        const Bytes input = runner.input(1U);
        Bytes output(wanted.at(1U).size());
        const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        Session& session = runner.bench.session;
        ASSERT_EQ(session.submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs}), Status::kOk);
        EXPECT_EQ(session.reset_state(), Status::kInvalidState);
        EXPECT_EQ(session.stop({}), Status::kInvalidState);
        ASSERT_EQ(session.wait(), Status::kOk);
        EXPECT_EQ(output, wanted.at(1U));
        EXPECT_EQ(runner.step(2U), wanted.at(2U));
    }
}

// A parameter outlives a reset, as it outlives a step, and a load gives it its own value again.
TEST(MeshState, ParametersOutliveAReset) {
    constexpr std::uint32_t kOther = 9U;
    Subject subject = subjects().front();
    Subject changed = subject;
    for (std::size_t i = 0U; i < subject.parts.size(); ++i) {
        const std::uint32_t word = output_offset_word(subject.parts.at(i));
        subject.parts.at(i).manifest.parameters = {
            {"offset", ParameterKind::kRuntimeArgument, 0U, 20U, 1U, {{0U, word}}}};
        std::vector<std::uint32_t> words = words_of(changed.parts.at(i).segments.traces);
        words.at(word) = kOther;
        changed.parts.at(i).segments.traces = bytes_of(words);
    }
    const LinkedBinary merged = capture::merge_mesh({subject.parts[0], subject.parts[1]}, {1U, 2U, {}});
    const std::vector<Bytes> wanted = alone(subject.parts);
    const std::vector<Bytes> other = alone(changed.parts);
    EXPECT_NE(other, wanted);
    Runner runner{kTwo, merged};
    Session& session = runner.bench.session;
    const std::array<Session::ParameterValue, 1> values{{{0U, kOther}}};
    EXPECT_EQ(runner.stream(), wanted);
    ASSERT_EQ(session.set_parameters(Span<const Session::ParameterValue>{values}), Status::kOk);
    for (std::uint32_t times = 0U; times < 3U; ++times) {
        ASSERT_EQ(session.reset_state(), Status::kOk);
        EXPECT_EQ(runner.stream(), other);
    }
    ASSERT_EQ(session.stop({}), Status::kOk);
    ASSERT_EQ(session.wait(), Status::kOk);
    EXPECT_EQ(runner.stream(), other);
    ASSERT_EQ(runner.bench.load(runner.file.view()), Status::kOk);
    EXPECT_EQ(runner.stream(), wanted);
}

// Weights that flip on one device between submission and release: the step is withheld on both.
TEST(MeshState, IsOfNoUseBehindAFlip) {
    const Subject subject = subjects().front();
    const std::vector<Bytes> wanted = alone(subject.parts);
    const capture::ManifestRegion& weights = subject.merged.manifest.regions.at(0U);
    for (std::uint32_t device = 0U; device < 2U; ++device) {
        Runner runner{kTwo, subject.merged};
        EXPECT_EQ(runner.step(0U), wanted.at(0U));
        std::uint8_t* const byte = runner.devices.at(device).memory_at(weights.base, 1U);
        ASSERT_NE(byte, nullptr);
        *byte = static_cast<std::uint8_t>(*byte ^ 1U);
        const Bytes output = runner.step(1U, Status::kIntegrity);
        EXPECT_EQ(output, Bytes(output.size(), 0U));
        EXPECT_EQ(runner.bench.session.fault().column, device);
        ASSERT_EQ(runner.bench.load(runner.file.view()), Status::kOk);
        EXPECT_EQ(runner.stream(), wanted);
    }
}

}  // namespace
}  // namespace pianola::test
