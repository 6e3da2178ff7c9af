// Weights that the device reads in the file: what a session compares, and what the reference device lets pass.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

#include "hal/host/device_numbers.h"
#include "tests/campaign/hooked_device.h"
#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

using campaign::Call;
using Bytes = std::vector<std::uint8_t>;

sim::SimOptions file_options() {
    sim::SimOptions options;
    options.spec = file_device();
    return options;
}

class FileWindow : public testing::Test {
  protected:
    Status load(const files::AlignedBytes& file) { return session_.load(file.view(), *workspace_, verdict_); }
    Status run() {
        const std::array<ByteSpan, 1> inputs{ByteSpan{input_.data(), input_.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output_.data(), output_.size()}};
        return session_.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    }
    // Where the weights lie in a loaded file.
    [[nodiscard]] ByteSpan weights_of(const files::AlignedBytes& file) const {
        const Segment& segment = workspace_->image.envelope().weights;
        return file.view().subspan(segment.offset, segment.size_bytes);
    }
    void expect_fault(FaultStage stage) {
        EXPECT_EQ(session_.fault().status, Status::kDeviceFault);
        EXPECT_EQ(session_.fault().stage, stage);
        EXPECT_EQ(platform_.safe_state_entries(), 1U);
    }

    files::AlignedBytes file_{make_file_workload(1U, 1U).file()};
    files::AlignedBytes copy_{make_file_workload(1U, 1U).file()};  // another update slot
    campaign::HookedDevice device_{file_options()};
    sim::SimPlatform platform_{device_.inner()};
    refdev::RefdevCommandSet command_set_;
    Session session_{device_, platform_, command_set_, kDevelopmentConfig};
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    Verdict verdict_;
    Bytes input_ = workload_input(1U);
    Bytes output_ = Bytes(kWorkloadBytes, 0x77U);
};

// Nothing of the binary depends on its place.
TEST_F(FileWindow, IsReadWhereverTheFileLies) {
    verifies({"swr~file-window~1"});
    for (const files::AlignedBytes* const file : {&file_, &copy_}) {
        ASSERT_EQ(load(*file), Status::kOk) << path_text(verdict_);
        for (std::uint32_t seed = 1U; seed < 4U; ++seed) {
            input_ = workload_input(seed);
            ASSERT_EQ(run(), Status::kOk);
            EXPECT_EQ(output_, workload_output(input_));
        }
        const MutableByteSpan view = device_.host_view(file_device().file_base, kWorkloadBytes);
        EXPECT_EQ(view.data(), weights_of(*file).data());
    }
}

TEST_F(FileWindow, TakesNoDeviceMemoryAndNoSetUp) {
    ASSERT_EQ(load(file_), Status::kOk);
    EXPECT_EQ(workspace_->setup.count, 1U) << "the trace alone";
    const Workload copied = make_workload(1U);
    const auto dram_of = [](const Workload& workload) {
        std::uint32_t bytes = 0U;
        for (const capture::ManifestRegion& region : workload.manifest.regions) {
            bytes +=
                ((region.memory == MemoryKind::kDram) && (region.kind != RegionKind::kTrace)) ? region.size_bytes : 0U;
        }
        return bytes;
    };
    EXPECT_EQ(dram_of(make_file_workload(1U)) + kWorkloadBytes, dram_of(copied));
}

TEST_F(FileWindow, HoldsInPiecesOfEveryRelease) {
    ASSERT_EQ(load(file_), Status::kOk);
    EXPECT_EQ(session_.scrub_calls(), 1U);
    EXPECT_EQ(session_.scrub(), Status::kOk);
    Bytes scratch(kWorkloadBytes);
    EXPECT_EQ(session_.self_test({scratch.data(), scratch.size()}), Status::kOk);
}

// Another file with the same bytes: no comparison of contents could tell.
TEST_F(FileWindow, OfAnotherFileNeverStarts) {
    verifies({"swr~file-window~1"});
    ASSERT_EQ(load(copy_), Status::kOk);
    const ByteSpan other = weights_of(copy_);
    device_.set_bound_hook([&](Call call, ByteSpan& memory) {
        memory = ((call == Call::kBoundSource) && (memory.data() == weights_of(file_).data())) ? other : memory;
    });
    EXPECT_EQ(load(file_), Status::kDeviceFault);
    expect_fault(FaultStage::kSetup);
    EXPECT_EQ(device_.inner().progress(), 0U) << "a command was executed";
}

// Each way in which what the device says differs from the segment, at set-up and before a step.
TEST_F(FileWindow, ThatDiffersIsAFaultBeforeEveryDoorbell) {
    verifies({"swr~file-window~1"});
    using Remap = ByteSpan (*)(ByteSpan memory);
    const std::array<Remap, 4> changes{
        [](ByteSpan memory) { return ByteSpan{memory.data() + 64U, memory.size()}; },
        [](ByteSpan memory) { return ByteSpan{memory.data(), memory.size() - 1U}; },
        [](ByteSpan memory) { return ByteSpan{memory.data(), memory.size() + 1U}; },
        [](ByteSpan /*memory*/) { return ByteSpan{}; },
    };
    for (const Remap change : changes) {
        for (const bool at_set_up : {true, false}) {
            device_.set_bound_hook(nullptr);
            ASSERT_EQ(load(file_), Status::kOk);
            const std::uint8_t* const weights = weights_of(file_).data();
            device_.set_bound_hook([=](Call call, ByteSpan& memory) {
                memory = ((call == Call::kBoundSource) && (memory.data() == weights)) ? change(memory) : memory;
            });
            std::uint32_t doorbells = 0U;
            device_.set_hook([&doorbells](Call call, std::uint32_t /*number*/) -> std::optional<Status> {
                doorbells += (call == Call::kRingDoorbell) ? 1U : 0U;
                return std::nullopt;
            });
            EXPECT_EQ(at_set_up ? load(file_) : run(), Status::kDeviceFault);
            EXPECT_EQ(session_.fault().stage, at_set_up ? FaultStage::kSetup : FaultStage::kSubmit);
            EXPECT_EQ(doorbells, 0U);
            device_.set_hook(nullptr);
        }
    }
}

// The region keeps what it was programmed with, and says so.
TEST_F(FileWindow, StaysWhereItWasProgrammed) {
    ASSERT_EQ(load(file_), Status::kOk);
    const ByteSpan weights = weights_of(file_);
    ASSERT_EQ(device_.inner().bind_source(kWeightsSlot, copy_.view().subspan(64U, weights.size())), Status::kOk);
    const ByteSpan shown = device_.inner().bound_source(kWeightsSlot);
    EXPECT_TRUE((shown.data() == weights.data()) && (shown.size() == weights.size()));
    ASSERT_EQ(run(), Status::kOk);
    EXPECT_EQ(output_, workload_output(input_));
}

// A register that no longer equals its copy permits nothing, and shows nothing.
TEST_F(FileWindow, OfADamagedRegisterStopsTheNextStep) {
    verifies({"swr~file-window~1"});
    ASSERT_EQ(load(file_), Status::kOk);
    refdev::SharedState& shared = device_.inner().shared();
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    auto* const bytes = reinterpret_cast<std::uint8_t*>(&shared.memory);
    constexpr std::size_t kHost = 8U;  // in the first register
    bytes[kHost] ^= 0x40U;
    EXPECT_TRUE(device_.inner().bound_source(kWeightsSlot).empty());
    EXPECT_EQ(run(), Status::kDeviceFault);
    EXPECT_EQ(session_.fault().stage, FaultStage::kSubmit);
    EXPECT_EQ(output_, Bytes(kWorkloadBytes, 0U));
}

// A device whose mapping changes in the middle of a step answers before the result is released.
TEST_F(FileWindow, OfOtherBytesIsSeenBeforeTheRelease) {
    ASSERT_EQ(load(file_), Status::kOk);
    Bytes other(weights_of(file_).begin(), weights_of(file_).end());
    other[0] ^= 1U;
    device_.set_hook([&](Call call, std::uint32_t /*number*/) -> std::optional<Status> {
        if (call == Call::kService) {
            refdev::SharedState& shared = device_.inner().shared();
            const refdev::MemoryRegion region = shared.memory.programmed(0U);
            shared.memory.clear();
            for (std::uint32_t i = 0U; i < session_.plan().region_count; ++i) {
                const RegionConfig& config = session_.plan().regions.at(i);
                std::uint8_t* const host = (config.base == region.base)
                                               ? other.data()
                                               : device_.inner().memory_at(config.base, config.size_bytes);
                EXPECT_EQ(shared.memory.program({config.base, config.size_bytes, host, config.kernels_read,
                                                 config.kernels_write, config.queues_read, config.queues_write,
                                                 config.fetch}),
                          Status::kOk);
            }
        }
        return std::nullopt;
    });
    EXPECT_EQ(run(), Status::kIntegrity);
    EXPECT_EQ(session_.fault().stage, FaultStage::kScrub);
    EXPECT_EQ(output_, Bytes(kWorkloadBytes, 0U));
}

TEST_F(FileWindow, ChangedInTheFileIsNoLongerWhatWasAuthenticated) {
    bool is_changed = false;
    device_.set_hook([&](Call call, std::uint32_t /*number*/) -> std::optional<Status> {
        if ((call == Call::kRingDoorbell) && !is_changed) {
            is_changed = true;
            file_.mutable_view()[workspace_->image.envelope().weights.offset] ^= 1U;
        }
        return std::nullopt;
    });
    EXPECT_EQ(load(file_), Status::kIntegrity);
    EXPECT_EQ(session_.fault().stage, FaultStage::kReadBack);
}

// The driver: a region in the window is read only, and lies inside what is bound.
TEST_F(FileWindow, OfTheReferenceDeviceIsReadOnlyAndBounded) {
    sim::SimDevice& device = device_.inner();
    const refdev::DeviceSpec spec = file_device();
    const Bytes memory(256U, 0x5AU);
    const ByteSpan bound{memory.data(), memory.size()};
    const auto program = [&](std::uint32_t offset, std::uint32_t size, auto permit) {
        RegionConfig region{spec.file_base + offset, size, true, false, false, false, false};
        permit(region);
        EXPECT_EQ(device.reset(), Status::kOk);
        EXPECT_EQ(device.bind_source(kWeightsSlot, bound), Status::kOk);
        return device.program_region(region);
    };
    const auto nothing = [](RegionConfig&) {};
    EXPECT_EQ(program(0U, 256U, nothing), Status::kOk);
    EXPECT_EQ(program(0U, 257U, nothing), Status::kCapacity);
    EXPECT_EQ(program(64U, 193U, nothing), Status::kCapacity);
    EXPECT_EQ(program(64U, 192U, nothing), Status::kOk);
    EXPECT_EQ(program(0U, 256U, [](RegionConfig& region) { region.kernels_write = true; }), Status::kCapacity);
    EXPECT_EQ(program(0U, 256U, [](RegionConfig& region) { region.queues_write = true; }), Status::kCapacity);
    EXPECT_EQ(program(0U, 256U, [](RegionConfig& region) { region.fetch = true; }), Status::kCapacity);
    ASSERT_EQ(device.reset(), Status::kOk);
    EXPECT_EQ(device.program_region({spec.file_base, 64U, true, false, false, false, false}), Status::kCapacity)
        << "nothing is bound";
}

TEST_F(FileWindow, ReadsBackWhatTheDeviceReads) {
    sim::SimDevice& device = device_.inner();
    const refdev::DeviceSpec spec = file_device();
    Bytes memory(256U);
    for (std::size_t i = 0U; i < memory.size(); ++i) {
        memory[i] = static_cast<std::uint8_t>(i);
    }
    Bytes out(16U);
    ASSERT_EQ(device.reset(), Status::kOk);
    ASSERT_EQ(device.bind_source(kWeightsSlot, {memory.data(), memory.size()}), Status::kOk);
    EXPECT_EQ(device.read_back(spec.file_base, {out.data(), out.size()}), Status::kInvalidArgument) << "no region";
    ASSERT_EQ(device.program_region({spec.file_base, 256U, true, false, false, false, false}), Status::kOk);
    EXPECT_EQ(device.read_back(spec.file_base + 32U, {out.data(), out.size()}), Status::kOk);
    EXPECT_EQ(out, Bytes(memory.begin() + 32, memory.begin() + 48));
    EXPECT_EQ(device.read_back(spec.file_base + 241U, {out.data(), out.size()}), Status::kInvalidArgument);
    EXPECT_TRUE(device.host_view(spec.file_base + 241U, 16U).empty());
    EXPECT_EQ(device.patch_word(spec.file_base, 0U), Status::kInvalidArgument);
    EXPECT_EQ(device.shared().memory.writable(spec.file_base, 4U), nullptr);
    EXPECT_EQ(device.shared().memory.queue_writable(spec.file_base, 4U), nullptr);
}

// A device that has no window refuses the binary by its target, before anything else of it is looked at.
TEST(FileWindowOfNone, RefusesTheBinary) {
    const files::AlignedBytes file{make_file_workload(1U).file()};
    Bench bench{sim::FaultScript{}};
    EXPECT_EQ(bench.load(file.view()), Status::kRefused);
    EXPECT_EQ(bench.verdict.rule, Rule::kTgtMemory);
    EXPECT_EQ(path_text(bench.verdict), "target.file_base");
}

// What the device sees of the file passes through its caches' maintenance as any other lent memory.
TEST(FileWindowBehindACache, IsCleanedOnce) {
    sim::SimOptions options = file_options();
    options.write_back_cache = true;
    Bench bench{options};
    const files::AlignedBytes file{make_file_workload(1U).file()};
    ASSERT_EQ(bench.load(file.view()), Status::kOk) << path_text(bench.verdict);
    Bytes output(kWorkloadBytes);
    const Bytes input = workload_input(3U);
    ASSERT_EQ(bench.run(input, output), Status::kOk);
    EXPECT_EQ(output, workload_output(input));
}

// Its range takes the place of a command of the set-up.
TEST(FileWindowAtCapacity, CountsAsACommand) {
    const std::uint32_t capacity = profiles::kSmallEcu.script_commands;
    for (const std::uint32_t writes : {capacity - 2U, capacity - 1U}) {  // and a trace
        Workload workload = make_file_workload(1U);
        capture::Manifest& manifest = workload.manifest;
        const auto region = static_cast<std::uint32_t>(manifest.regions.size());
        manifest.regions.push_back({"copied", RegionKind::kWeights, MemoryKind::kDram, 0x8000'4000U, 64U});
        for (std::uint32_t i = 0U; i < writes; ++i) {
            manifest.buffers.push_back({"byte", region, i, 1U});
            manifest.scripts.front().commands.push_back(
                {ScriptCommandKind::kWriteBuffer, 0U, static_cast<std::uint32_t>(manifest.buffers.size()) - 1U, i});
        }
        DeviceDescription device;
        refdev::describe(file_device(), device);
        device.capacities = &profiles::kSmallEcu;
        Validator validator{device};
        const bool fits = writes == (capacity - 2U);
        EXPECT_EQ(validator.validate(workload.file()), fits ? Status::kOk : Status::kRefused);
        if (!fits) {
            EXPECT_EQ(validator.verdict().rule, Rule::kCapCommands);
            EXPECT_EQ(path_text(validator.verdict()), "regions[0]");
        }
    }
}

}  // namespace
}  // namespace pianola::test
