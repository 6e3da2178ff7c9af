// What was captured on each device alone, as one binary for the mesh: it gives what each gives alone.
#include "capture_host/capture/merge.h"

#include <gtest/gtest.h>

#include "capture_host/base/text.h"
#include "pianola_host/files.h"
#include "tests/device_set/mesh_bench.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using capture::LinkedBinary;
using capture::MeshOptions;

// The workload of each device, with its own constants.
std::vector<LinkedBinary> parts_of(const MeshShape& shape, std::uint32_t queues) {
    std::vector<LinkedBinary> parts;
    const Workload mesh = make_mesh_workload(shape, queues);
    std::vector<std::uint32_t> offsets;
    for (const capture::ManifestCommand& command : mesh.manifest.scripts.front().commands) {
        if (command.kind == ScriptCommandKind::kWriteBuffer) {
            offsets.push_back(command.segment_offset);
        }
    }
    for (const std::uint32_t offset : offsets) {
        Workload alone = make_small_workload(queues);
        const auto first = mesh.segments.weights.begin() + offset;
        std::copy(first, first + kWorkloadBytes, alone.segments.weights.begin());
        parts.push_back({alone.manifest, alone.segments});
    }
    return parts;
}

MeshOptions options_of(const MeshShape& shape) {
    return {shape.rows, shape.columns, {"input"}};
}

std::string error_of(const std::vector<LinkedBinary>& parts, const MeshOptions& options) {
    try {
        (void)capture::merge_mesh(parts, options);
    } catch (const capture::LinkError& error) {
        return error.what();
    }
    return "";
}

TEST(Merge, GivesWhatEachDeviceGivesAlone) {
    for (const MeshShape& shape : {MeshShape{1U, 2U}, MeshShape{2U, 2U}, MeshShape{1U, 8U}, MeshShape{1U, 1U}}) {
        for (const std::uint32_t queues : {1U, 2U}) {
            SCOPED_TRACE(testing::Message() << shape.rows << "x" << shape.columns << ", " << queues << " queues");
            const LinkedBinary merged = capture::merge_mesh(parts_of(shape, queues), options_of(shape));
            const files::AlignedBytes file{capture::write_trace_binary(merged.manifest, merged.segments)};
            MeshDevices devices{shape.count()};
            MeshBench bench{shape, devices};
            ASSERT_EQ(bench.load(file.view()), Status::kOk)
                << rule_id(bench.verdict.rule) << " " << files::path_text(bench.verdict.path);
            for (std::uint32_t replay = 0U; replay < 10U; ++replay) {
                const Bytes input = mesh_input(shape, replay);
                Bytes output(input.size());
                ASSERT_EQ(bench.run(input, output), Status::kOk);
                EXPECT_EQ(output, mesh_output(input));
            }
        }
    }
}

TEST(Merge, KeepsOnceWhatIsEqual) {
    const std::vector<LinkedBinary> parts = parts_of(kTwo, 2U);
    const LinkedBinary merged = capture::merge_mesh(parts, options_of(kTwo));
    EXPECT_EQ(merged.segments.traces, parts.front().segments.traces);
    EXPECT_EQ(merged.manifest.traces.size(), 1U);
    EXPECT_EQ(merged.manifest.buffers.size(), parts.front().manifest.buffers.size());
    // The step is the same for both; the set-up has a command more, for the other device's constants.
    EXPECT_EQ(merged.manifest.scripts.at(1U).commands.size(), parts.front().manifest.scripts.at(1U).commands.size());
    EXPECT_EQ(merged.manifest.scripts.at(0U).commands.size(),
              parts.front().manifest.scripts.at(0U).commands.size() + 1U);
    for (const capture::ManifestCommand& command : merged.manifest.scripts.at(1U).commands) {
        EXPECT_EQ(command.devices.columns, 2U);
    }
}

// Each of them is loaded, and replayed, once.
TEST(Merge, TracesOfOneDeviceStayApart) {
    std::vector<LinkedBinary> parts = parts_of(kTwo, 1U);
    for (LinkedBinary& part : parts) {
        part.manifest.traces.push_back(part.manifest.traces.front());
    }
    EXPECT_EQ(capture::merge_mesh(parts, options_of(kTwo)).manifest.traces.size(), 2U);
}

// What a session over `parts`' binary gives once the parameter is set, where there is one.
Bytes output_with(const MeshShape& shape, const LinkedBinary& part, bool has_parameter, const Bytes& input) {
    const files::AlignedBytes file{capture::write_trace_binary(part.manifest, part.segments)};
    MeshDevices devices{shape.count()};
    MeshBench bench{shape, devices};
    EXPECT_EQ(bench.load(file.view()), Status::kOk)
        << rule_id(bench.verdict.rule) << " " << files::path_text(bench.verdict.path);
    const std::array<Session::ParameterValue, 1> values{{{0U, 7U}}};
    if (has_parameter) {
        EXPECT_EQ(bench.session.set_parameters(Span<const Session::ParameterValue>{values}), Status::kOk);
    }
    Bytes output(input.size());
    EXPECT_EQ(bench.run(input, output), Status::kOk);
    return output;
}

// Traces of equal words whose parameters differ: a device's words change with its own parameters only.
TEST(Merge, ParametersAreThoseOfTheirDevice) {
    constexpr MeshShape kOne{1U, 1U};
    constexpr std::uint32_t kInputZeroPoint = 6U;  // words of the first launch
    constexpr std::uint32_t kOutputZeroPoint = 9U;
    const Bytes piece = workload_input(3U);
    Bytes both = piece;
    both.insert(both.end(), piece.begin(), piece.end());
    for (const std::vector<std::uint32_t>& second :
         {std::vector<std::uint32_t>{}, {kInputZeroPoint}, {kOutputZeroPoint}}) {
        SCOPED_TRACE(testing::Message() << "the second device's word " << (second.empty() ? 0U : second.front()));
        const Workload small = make_small_workload(1U);
        std::vector<LinkedBinary> parts(2U, LinkedBinary{small.manifest, small.segments});
        capture::ManifestParameter parameter{"p", ParameterKind::kRuntimeArgument, 0U, 10U,
                                             1U,  {{0U, kOutputZeroPoint}}};
        parts[0].manifest.parameters = {parameter};
        if (!second.empty()) {
            parameter.points = {{0U, second.front()}};
            parts[1].manifest.parameters = {parameter};
        }
        Bytes expected = output_with(kOne, parts[0], true, piece);
        const Bytes of_second = output_with(kOne, parts[1], !second.empty(), piece);
        expected.insert(expected.end(), of_second.begin(), of_second.end());
        EXPECT_EQ(output_with(kTwo, capture::merge_mesh(parts, options_of(kTwo)), true, both), expected);
    }
}

TEST(Merge, SaysWhatDoesNotFitTogether) {
    const std::vector<LinkedBinary> parts = parts_of(kTwo, 1U);
    EXPECT_EQ(error_of(parts, {2U, 2U, {}}), "a mesh of 2 x 2 devices has 2 parts");
    EXPECT_EQ(error_of({}, {0U, 0U, {}}), "a mesh of 0 x 0 devices has 0 parts");
    EXPECT_EQ(error_of(std::vector<LinkedBinary>(17U, parts.front()), {1U, 17U, {}}),
              "a mesh of 17 devices: at most 16 are driven");
    std::vector<LinkedBinary> changed = parts;
    changed[1].manifest.target.clock_khz += 1U;
    EXPECT_EQ(error_of(changed, options_of(kTwo)), "device 1 of the mesh has other target than the first");
    changed = parts;
    changed[1].manifest.regions[0].size_bytes += 64U;
    EXPECT_EQ(error_of(changed, options_of(kTwo)), "device 1 of the mesh has other regions than the first");
    changed = parts;
    changed[1].manifest.inputs[0].scale = 2.0F;
    EXPECT_EQ(error_of(changed, options_of(kTwo)), "tensor 'input' is another one on device 1");
    changed = parts;
    changed[1].manifest.traces[0].word_count += 100U;
    EXPECT_EQ(error_of(changed, options_of(kTwo)), "a trace's words lie outside their segment");
    // Of four devices, two at opposite corners.
    changed = parts_of({2U, 2U}, 1U);
    changed[1].manifest.inputs[0].name = "other";
    changed[2].manifest.inputs[0].name = "other";
    EXPECT_EQ(error_of(changed, {2U, 2U, {}}), "the devices of input 'input' are no rectangle of the mesh");
}

}  // namespace
}  // namespace pianola::test
