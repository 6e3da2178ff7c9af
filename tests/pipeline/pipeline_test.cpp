// The pipeline on the queues: what is enqueued where, and in which order. That all executors give the right bytes is
// tested here once for each, and at length through Python (tests/python/pipeline_test.py), which reaches the same
// library.

#include "pianola_host/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "capture_host/host/pipeline/executors.h"
#include "hal/devices/refdev/command_encoding.h"
#include "pianola_host/operations.h"
#include "pianola_host/pipeline_error.h"
#include "pianola_host/tensor_error.h"
#include "tests/support/executor.h"

namespace pianola::test {
namespace {

using pipeline::Outputs;
using pipeline::PipelineConfig;
using pipeline::PipelineMemory;
using refdev::Opcode;
using tensor::Tensor;

const tensor::Shape kShape{8U, 32U};

std::shared_ptr<host::Device> open(bool threaded = false, bool keep_log = true) {
    host::DeviceOptions options;
    options.num_command_queues = 2U;
    options.trace_region_size = 32U * 1024U;
    options.keep_log = keep_log;
    options.threaded = threaded;
    options.vulkan = tested_vulkan();
    return host::open_device(options);
}

Outputs doubled_positive(const Tensor& input) {
    const Tensor doubled = tensor::binary(tensor::Binary::kAdd, input, input);
    return {tensor::unary(tensor::Unary::kRelu, doubled)};
}

std::vector<std::uint8_t> data(std::uint32_t seed) {
    std::vector<std::uint8_t> bytes(tensor::element_count(kShape));
    for (std::size_t i = 0U; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::uint8_t>((i * 37U) + (std::size_t{seed} * 101U));
    }
    return bytes;
}

std::vector<std::uint8_t> expected(const std::vector<std::uint8_t>& input) {
    std::vector<std::uint8_t> output;
    for (std::uint8_t const byte : input) {
        const int value = 2 * static_cast<std::int8_t>(byte);
        output.push_back(static_cast<std::uint8_t>(std::clamp(value, 0, 127)));
    }
    return output;
}

Tensor host_tensor(std::uint32_t seed) {
    return Tensor::on_host(tensor::TensorSpec{kShape, ElementType::kInt8, {}}, data(seed));
}

PipelineMemory memory_of(const host::Device& device) {
    const host::CoreRangeSet cores = host::all_cores(device.spec());
    PipelineMemory memory;
    memory.l1_input = tensor::sharded(kShape, cores, host::Layout::kHeightSharded);
    memory.dram_input = tensor::sharded(kShape, cores, host::Layout::kHeightSharded, host::Memory::kDram);
    memory.dram_output = memory.dram_input;
    return memory;
}

class Executors : public ::testing::TestWithParam<PipelineConfig> {};

std::string name_of(const ::testing::TestParamInfo<PipelineConfig>& parameter) {
    const PipelineConfig& config = parameter.param;
    return std::string{config.use_trace ? "Traced" : "Eager"} + std::to_string(config.num_command_queues) +
           (config.all_transfers_on_separate_command_queue ? "SeparateTransfers" : "");
}

TEST_P(Executors, ThirtyTwoInputsThreeTimesIntoPreallocatedOutputs) {
    for (bool const threaded : {false, true}) {
        const std::shared_ptr<host::Device> device = open(threaded, false);
        const auto pipeline = pipeline::create_pipeline(GetParam(), doubled_positive, device, memory_of(*device));
        pipeline->compile(host_tensor(0U));
        pipeline->preallocate_output_tensors_on_host(32U);
        for (std::uint32_t round = 0U; round < 3U; ++round) {
            std::vector<Tensor> inputs;
            for (std::uint32_t i = 0U; i < 32U; ++i) {
                inputs.push_back(host_tensor((round * 32U) + i));
            }
            const std::vector<Outputs> outputs = pipeline->enqueue(inputs).pop_all();
            ASSERT_EQ(outputs.size(), 32U);
            for (std::uint32_t i = 0U; i < 32U; ++i) {
                ASSERT_EQ(outputs[i].size(), 1U);
                EXPECT_EQ(outputs[i].front().bytes(), expected(data((round * 32U) + i))) << round << " " << i;
            }
        }
        pipeline->cleanup();
    }
}

INSTANTIATE_TEST_SUITE_P(Pipeline, Executors,
                         ::testing::Values(PipelineConfig{false, 1U, false}, PipelineConfig{true, 1U, false},
                                           PipelineConfig{false, 2U, false}, PipelineConfig{true, 2U, false},
                                           PipelineConfig{true, 2U, true}),
                         name_of);

std::vector<Opcode> opcodes(const std::vector<LoggedCommand>& log) {
    std::vector<Opcode> all;
    for (const LoggedCommand& command : log) {
        if (static_cast<Opcode>(command.kind) != Opcode::kNotify) {
            all.push_back(static_cast<Opcode>(command.kind));
        }
    }
    return all;
}

// The transfer queue, command by command: a read's event is recorded behind the read's last transfer, never in front of
// it.
TEST(SeparateTransfers, EveryEventOfTheTransferQueueComesBehindItsTransfers) {
    const std::shared_ptr<host::Device> device = open();
    const auto pipeline =
        pipeline::create_pipeline(PipelineConfig{true, 2U, true}, doubled_positive, device, memory_of(*device));
    pipeline->compile(host_tensor(0U));
    device->synchronize();
    device->clear_log();
    const std::vector<Outputs> outputs =
        pipeline->enqueue({host_tensor(1U), host_tensor(2U), host_tensor(3U)}).pop_all();
    const std::vector<Opcode> log = opcodes(device->log(1U));
    std::string order;
    for (const Opcode opcode : log) {
        const char letter = (opcode == Opcode::kWrite)         ? 'w'
                            : (opcode == Opcode::kRead)        ? 'r'
                            : (opcode == Opcode::kRecordEvent) ? '!'
                            : (opcode == Opcode::kWaitEvent)   ? '?'
                                                               : 'x';
        if (order.empty() || (order.back() != letter)) {
            order.push_back(letter);  // one transfer may be several commands
        }
    }
    // Write the first; then, for each of three: write the next (not behind the last), wait for the output, read it.
    EXPECT_EQ(order, "?w!?w!?r!?w!?r!?r!");
    for (std::uint32_t i = 0U; i < 3U; ++i) {
        EXPECT_EQ(outputs.at(i).front().bytes(), expected(data(i + 1U)));
    }
}

// The operation queue overwrites the output only behind the wait for its read. Were the read's event recorded in front
// of the read, a slow transfer queue would deliver the next output; the device's clock shows that it does not.
TEST(SeparateTransfers, OutputsAreOverwrittenOnlyAfterTheyHaveBeenRead) {
    const std::shared_ptr<host::Device> device = open();
    const auto pipeline =
        pipeline::create_pipeline(PipelineConfig{true, 2U, true}, doubled_positive, device, memory_of(*device));
    pipeline->compile(host_tensor(0U));
    device->synchronize();
    device->clear_log();
    static_cast<void>(pipeline->enqueue({host_tensor(1U), host_tensor(2U), host_tensor(3U)}).pop_all());
    std::vector<std::uint64_t> reads_end;  // of the last transfer of each read
    for (const LoggedCommand& command : device->log(1U)) {
        if (static_cast<Opcode>(command.kind) == Opcode::kRead) {
            reads_end.push_back(command.end_cycles);
        }
    }
    const std::size_t transfers = reads_end.size() / 3U;
    ASSERT_EQ(reads_end.size() % 3U, 0U);
    // On queue 0 every input means two programs beside the trace: in goes the input, out goes the output. The last
    // replay before a wait for the read is the trace's; the replay behind it is the one that overwrites.
    const std::vector<LoggedCommand> log = device->log(0U);
    std::vector<std::uint64_t> waits_end;
    for (const LoggedCommand& command : log) {
        if (static_cast<Opcode>(command.kind) == Opcode::kWaitEvent) {
            waits_end.push_back(command.end_cycles);
        }
    }
    // In front of the first output nothing has been read: waits are for write 1, write 2, read 1, write 3, read 2.
    ASSERT_EQ(waits_end.size(), 5U);
    EXPECT_GE(waits_end[2], reads_end[transfers - 1U]);
    EXPECT_GE(waits_end[4], reads_end[(2U * transfers) - 1U]);
}

TEST(Stage, HoldsNobodyBeforeItHasRun) {
    const std::shared_ptr<host::Device> device = open();
    const pipeline::Stage stage{device, 0U};
    stage.hold(1U);
    device->synchronize();
    EXPECT_TRUE(device->log(1U).empty());
}

TEST(Stage, RecordsBehindItsWorkAndNotAtAllWhereTheWorkThrows) {
    const std::shared_ptr<host::Device> device = open();
    pipeline::Stage stage{device, 1U};
    const Tensor target = Tensor::on_device(tensor::TensorSpec{kShape, ElementType::kInt8, {}}, device);
    EXPECT_THROW(stage.run([&](std::uint32_t queue) { tensor::copy_host_to_device(target, target, queue); }),
                 tensor::TensorError);
    stage.hold(0U);
    device->synchronize();
    EXPECT_TRUE(device->log(0U).empty());
    stage.run([&](std::uint32_t queue) { tensor::copy_host_to_device(host_tensor(1U), target, queue); });
    stage.hold(0U);
    device->synchronize();
    EXPECT_EQ(opcodes(device->log(1U)), (std::vector<Opcode>{Opcode::kWrite, Opcode::kRecordEvent}));
    EXPECT_EQ(opcodes(device->log(0U)), (std::vector<Opcode>{Opcode::kWaitEvent}));
}

TEST(Rules, AreNamedByTheirIds) {
    const std::shared_ptr<host::Device> device = open(false, false);
    try {
        static_cast<void>(
            pipeline::create_pipeline(PipelineConfig{false, 2U, true}, doubled_positive, device, memory_of(*device)));
        FAIL() << "was accepted";
    } catch (const pipeline::PipelineError& error) {
        EXPECT_STREQ(error.rule_id(), "PIPELINE-IO-WITHOUT-TRACE");
        EXPECT_EQ(error.rule(), pipeline::PipelineRule::kIoWithoutTrace);
    }
}

}  // namespace
}  // namespace pianola::test
