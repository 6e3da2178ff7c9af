// What the ways to run a model are worth in virtual time, host included: the gains that the guides to traces and to two
// queues promise, where they promise them. The same in threads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>

#include "pianola_host/operations.h"
#include "pianola_host/pipeline.h"
#include "tests/support/executor.h"

namespace pianola::test {
namespace {

using pipeline::Outputs;
using pipeline::PipelineConfig;
using pipeline::PipelineMemory;
using tensor::Tensor;

constexpr PipelineConfig kEager{false, 1U, false};
constexpr PipelineConfig kTraced{true, 1U, false};
constexpr PipelineConfig kSeparateWrites{false, 2U, false};
constexpr PipelineConfig kTracedSeparateWrites{true, 2U, false};
constexpr PipelineConfig kSeparateTransfers{true, 2U, true};
constexpr std::uint32_t kInputs = 12U;
constexpr std::uint32_t kOperations = 6U;

// An operation takes its cores 100 cycles, and the host 4,650 where there is no trace.
const tensor::Shape kSmall{8U, 32U};
// An operation takes its cores 5,200 cycles, and a transfer 8,300.
const tensor::Shape kLarge{64U, 1024U};

struct Figures {
    std::uint64_t ns{0U};  // until all outputs are there
    std::array<std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>>, 2> logs;
};

bool operator==(const Figures& left, const Figures& right) {
    return (left.ns == right.ns) && (left.logs == right.logs);
}

Outputs model(const Tensor& input) {
    Tensor tensor = input;
    for (std::uint32_t i = 0U; i < kOperations; ++i) {
        tensor = tensor::unary(tensor::Unary::kNeg, tensor);
    }
    return {tensor};
}

Figures run(const PipelineConfig& config, const tensor::Shape& shape, bool threaded = false,
            const HostCost& cost = kDefaultHostCost) {
    host::DeviceOptions options;
    options.num_command_queues = 2U;
    options.trace_region_size = 64U * 1024U;
    options.spec.l1_bytes = 512U * 1024U;
    options.keep_log = true;
    options.threaded = threaded;
    options.host_cost = cost;
    options.vulkan = tested_vulkan();
    const std::shared_ptr<host::Device> device = host::open_device(options);
    PipelineMemory memory;
    memory.l1_input = tensor::sharded(shape, host::all_cores(device->spec()), host::Layout::kHeightSharded);
    memory.dram_input = tensor::MemoryConfig{};
    memory.dram_output = tensor::MemoryConfig{};
    const auto pipeline = pipeline::create_pipeline(config, model, device, memory);
    const std::vector<std::uint8_t> bytes(tensor::element_count(shape), 1U);
    const std::vector<Tensor> inputs(kInputs,
                                     Tensor::on_host(tensor::TensorSpec{shape, ElementType::kInt8, {}}, bytes));
    pipeline->compile(inputs.front());
    device->synchronize();
    device->clear_log();
    const std::uint64_t begin_ns = device->now().host_ns;
    const std::vector<Outputs> outputs = pipeline->enqueue(inputs).pop_all();
    Figures figures;
    figures.ns = device->now().host_ns - begin_ns;
    for (std::uint32_t queue = 0U; queue < figures.logs.size(); ++queue) {
        for (const LoggedCommand& command : device->log(queue)) {
            figures.logs.at(queue).emplace_back(command.kind, command.start_cycles, command.end_cycles);
        }
    }
    EXPECT_TRUE(std::all_of(outputs.begin(), outputs.end(),
                            [&](const Outputs& each) { return each.front().bytes() == bytes; }));
    pipeline->cleanup();
    return figures;
}

double gain(const PipelineConfig& faster, const PipelineConfig& than, const tensor::Shape& shape) {
    return static_cast<double>(run(than, shape).ns) / static_cast<double>(run(faster, shape).ns);
}

// docs/guide/pipeline.md has this table.
TEST(HostTime, IsWhatThePageSays) {
    std::ifstream page{std::string{PIANOLA_SOURCE_DIR} + "/docs/guide/pipeline.md"};
    const std::string text{std::istreambuf_iterator<char>{page}, std::istreambuf_iterator<char>{}};
    for (const auto& [name, config] : {std::pair{"no trace, 1 queue", kEager}, std::pair{"trace, 1 queue", kTraced},
                                       std::pair{"no trace, a queue for writes", kSeparateWrites},
                                       std::pair{"trace, a queue for writes", kTracedSeparateWrites},
                                       std::pair{"trace, a queue for all transfers", kSeparateTransfers}}) {
        constexpr double kNs = 1000.0;
        const std::string row = fmt::format("| {} | {:.1f} | {:.1f} |\n", name,
                                            static_cast<double>(run(config, kSmall).ns) / (kNs * kInputs),
                                            static_cast<double>(run(config, kLarge).ns) / (kNs * kInputs));
        EXPECT_NE(text.find(row), std::string::npos) << row;
    }
}

TEST(HostTime, ATraceGainsWhereTheHostIsTheBottleneck) {
    EXPECT_GT(gain(kTraced, kEager, kSmall), 3.0);
    EXPECT_GT(gain(kTracedSeparateWrites, kSeparateWrites, kSmall), 3.0);
}

TEST(HostTime, ATraceLosesNothingWhereTheDeviceIs) {
    EXPECT_GE(gain(kTracedSeparateWrites, kSeparateWrites, kLarge), 1.0);
}

TEST(HostTime, ASecondQueueForWritesGainsWhereTransfersAreLong) {
    EXPECT_GT(gain(kSeparateWrites, kEager, kLarge), 1.05);
    EXPECT_GT(gain(kTracedSeparateWrites, kTraced, kLarge), 1.1);
}

TEST(HostTime, AQueueForAllTransfersGainsMore) {
    EXPECT_GT(gain(kSeparateTransfers, kTracedSeparateWrites, kLarge), 1.05);
}

// An operation costs the host one dispatch, whatever commands it takes; another call costs it each of its commands.
TEST(HostTime, IsWhatTheOneModelSays) {
    constexpr std::uint64_t kMs = 1'000'000U;  // so long that what the device does is small beside it
    EXPECT_EQ(run(kEager, kSmall, false, {kMs, 0U}).ns / kMs, kInputs * kOperations);
    // Each input: write, replay, read from four cores, the read's record.
    EXPECT_EQ(run(kTraced, kSmall, false, {0U, kMs}).ns / kMs, kInputs * 7U);
}

TEST(HostTime, IsTheSameInThreads) {
    for (const PipelineConfig& config : {kEager, kTraced, kSeparateWrites, kTracedSeparateWrites, kSeparateTransfers}) {
        const Figures alone = run(config, kSmall);
        for (std::uint32_t i = 0U; i < 10U; ++i) {
            EXPECT_TRUE(run(config, kSmall, true) == alone)
                << config.use_trace << config.num_command_queues << " " << i;
        }
    }
}

}  // namespace
}  // namespace pianola::test
