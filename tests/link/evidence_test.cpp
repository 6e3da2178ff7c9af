// What evidence is read out of binaries: first contents of state, and digests of self-tests.
#include <gtest/gtest.h>

#include <algorithm>

#include "capture_host/binary/self_tests.h"
#include "capture_host/binary/state.h"
#include "capture_host/capture/capture.h"
#include "tests/support/workload.h"

namespace pianola {
namespace {

using Bytes = std::vector<std::uint8_t>;
using capture::BufferId;
using evidence::StateRegion;

constexpr std::uint32_t kSize = 64U;

Bytes counting(std::uint8_t first) {
    Bytes bytes(kSize);
    std::generate(bytes.begin(), bytes.end(), [&first] { return first++; });
    return bytes;
}

// The input becomes the output, and each state takes its place in turn.
capture::Recorder keeping(const std::vector<Bytes>& contents) {
    capture::TensorInfo tensor;
    tensor.shape = {kSize};
    tensor.name = "x";
    capture::Recorder recorder;
    const BufferId input = recorder.add_input(tensor, kSize);
    tensor.name = "y";
    const BufferId output = recorder.add_output(tensor, kSize);
    for (const Bytes& each : contents) {
        const BufferId state = recorder.add_state("held", each);
        recorder.copy("0 READ", output, state, kSize);
        recorder.copy("1 ASSIGN", state, input, kSize);
    }
    return recorder;
}

// A binary as it lies in memory, loaded.
class Loaded {
  public:
    explicit Loaded(const Bytes& file)
        : replay_{{file.data(), file.size()}, refdev::target(), capture::LinkOptions{}.spec} {
        replay_.load();
    }
    [[nodiscard]] const Image& image() const { return replay_.image(); }
    [[nodiscard]] std::vector<StateRegion> state() const {
        return evidence::state_of(image(), refdev::target().command_set());
    }

  private:
    replay::Replay replay_;
};

Sha256Digest digest_of(const Bytes& bytes) {
    return sha256({bytes.data(), bytes.size()});
}

TEST(StateEvidence, NamesTheConstantsThatAPrologueCopies) {
    const Bytes first = counting(1U);
    const Bytes second = counting(101U);
    const Loaded loaded{capture::capture_workload(keeping({first, Bytes(kSize, 7U), second}), {}).file};
    const std::vector<StateRegion> regions = loaded.state();
    ASSERT_EQ(regions.size(), 1U);
    const StateRegion& region = regions.front();
    EXPECT_GE(region.size_bytes, 3U * kSize);
    EXPECT_FALSE(region.set_up.has_value());
    ASSERT_TRUE(region.prologue.has_value());
    EXPECT_EQ(region.prologue->bytes, 3U * kSize);
    EXPECT_EQ(region.prologue->commands, 3U) << "two copies, and a fill";
    Bytes constants = first;
    constants.insert(constants.end(), second.begin(), second.end());
    EXPECT_EQ(region.prologue->constant_bytes, constants.size());
    EXPECT_EQ(region.prologue->constants, digest_of(constants));
}

TEST(StateEvidence, ChangesWithEveryFirstByte) {
    const auto contents_of = [](const std::vector<Bytes>& contents) {
        const Loaded loaded{capture::capture_workload(keeping(contents), {}).file};
        const evidence::FirstContents found = loaded.state().at(0U).prologue.value();
        return std::pair{found.constants, found.command_words};
    };
    const auto before = contents_of({counting(1U), Bytes(kSize, 7U)});
    EXPECT_EQ(contents_of({counting(1U), Bytes(kSize, 7U)}), before);
    const auto filled = contents_of({counting(1U), Bytes(kSize, 8U)});
    EXPECT_EQ(filled.first, before.first);
    EXPECT_NE(filled.second, before.second);
    for (const std::size_t byte : {std::size_t{0U}, std::size_t{kSize - 1U}}) {
        Bytes changed = counting(1U);
        changed[byte] ^= 0x80U;
        const auto copied = contents_of({changed, Bytes(kSize, 7U)});
        EXPECT_NE(copied.first, before.first) << byte;
        EXPECT_EQ(copied.second, before.second) << byte;
    }
}

TEST(StateEvidence, NamesWhatOnlyTheSetUpWrites) {
    test::Workload workload = test::make_workload(1U);
    for (capture::ManifestRegion& region : workload.manifest.regions) {
        region.kind = (region.kind == RegionKind::kWeights) ? RegionKind::kState : region.kind;
    }
    const Loaded loaded{workload.file()};
    const std::vector<StateRegion> regions = loaded.state();
    ASSERT_EQ(regions.size(), 1U);
    EXPECT_FALSE(regions[0].prologue.has_value());
    ASSERT_TRUE(regions[0].set_up.has_value());
    EXPECT_EQ(regions[0].set_up->bytes, workload.segments.weights.size());
    EXPECT_EQ(regions[0].set_up->constants, digest_of(workload.segments.weights));
    EXPECT_EQ(regions[0].set_up->commands, 0U);
}

TEST(StateEvidence, IsEmptyWithoutState) {
    EXPECT_TRUE(Loaded{test::make_workload(2U).file()}.state().empty());
}

TEST(SelfTestEvidence, HasADigestOfEachVector) {
    const Loaded loaded{test::make_workload(1U, 2U).file()};
    const std::vector<evidence::SelfTest> tests = evidence::self_tests_of(loaded.image());
    ASSERT_EQ(tests.size(), 2U);
    for (std::uint32_t i = 0U; i < 2U; ++i) {
        const Bytes input = test::workload_input(i + 1U);
        EXPECT_EQ(tests[i].origin, SelfTestOrigin::kCaptured);
        EXPECT_EQ(tests[i].inputs, digest_of(input));
        EXPECT_EQ(tests[i].outputs, digest_of(test::workload_output(input)));
    }
    EXPECT_TRUE(evidence::self_tests_of(Loaded{test::make_workload(1U).file()}.image()).empty());
}

TEST(Capture, FilesThatWouldBeTooLongAreRefusedWithNeedAndLimit) {
    capture::TensorInfo tensor;
    tensor.shape = {256U * 1024U};
    tensor.name = "x";
    capture::Recorder recorder;
    const BufferId input = recorder.add_input(tensor, tensor.shape[0]);
    tensor.name = "y";
    const BufferId output = recorder.add_output(tensor, tensor.shape[0]);
    recorder.copy("0 COPY", output, input, tensor.shape[0]);
    capture::CaptureOptions options;
    options.self_tests = 130U;  // of 512 KiB each
    try {
        static_cast<void>(capture::capture_workload(recorder, options));
        FAIL() << "130 vectors of 512 KiB do not fit into 64 MiB";
    } catch (const capture::LinkError& error) {
        const std::string what = error.what();
        EXPECT_NE(what.find("130 self-tests of 524288 bytes"), std::string::npos) << what;
        EXPECT_NE(what.find("67108864 is the most"), std::string::npos) << what;
    }
}

}  // namespace
}  // namespace pianola
