#include "tests/pl330/workloads.h"

#include <algorithm>
#include <array>

#include "pianola_host/files.h"
#include "pianola_host/workload_capture.h"
#include "tests/pl330/exchange.h"

namespace pianola::test {
namespace {

using host::BufferArgument;
using host::BufferPtr;

// One core for each queue: to the reference device these programs are kernels.
constexpr std::array<host::CoreCoord, kMaxQueues> kCores{{{0U, 0U}, {1U, 0U}}};
constexpr std::uint32_t kPatientUs = 60'000'000U;  // an emulated engine is as slow as the host is busy

BufferPtr flat(host::Device& device, std::uint32_t bytes, host::Memory memory = host::Memory::kDram) {
    host::BufferConfig config;
    config.rows = 1U;
    config.row_bytes = bytes;
    config.memory = memory;
    return device.allocate(config);
}

struct Part {
    BufferPtr buffer;
    std::uint32_t offset;
};

void copy(host::Program& program, std::uint32_t queue, const Part& from, const Part& to, std::uint32_t bytes) {
    const host::KernelHandle kernel = program.add_kernel("copy", host::one_core(kCores[queue]));
    program.set_runtime_args(
        kernel, kCores[queue],
        {BufferArgument{from.buffer, 0U, from.offset}, BufferArgument{to.buffer, 0U, to.offset}, bytes});
}

void fill(host::Program& program, std::uint32_t queue, const Part& to, std::uint32_t bytes, std::uint32_t pattern) {
    const host::KernelHandle kernel = program.add_kernel("fill", host::one_core(kCores[queue]));
    program.set_runtime_args(kernel, kCores[queue], {BufferArgument{to.buffer, 0U, to.offset}, bytes, pattern});
}

host::TraceId record(host::Device& device, std::uint32_t queue, host::Program& program) {
    device.compile(program);
    const host::TraceId trace = device.begin_trace_capture(queue);
    device.enqueue_program(queue, program);
    device.end_trace_capture(queue, trace);
    return trace;
}

host::TensorDeclaration tensor(const char* name, std::uint32_t bytes) {
    return {name, ElementType::kInt8, {bytes}, 0.5F, 0};
}

}  // namespace

host::DeviceOptions engine_options() {
    host::DeviceOptions options;
    options.spec.dram_base = board::kEngineSpec.dram_base;
    options.spec.dram_bytes = board::kEngineSpec.dram_bytes;
    options.spec.l1_base = board::kEngineSpec.l1_base;
    options.spec.l1_bytes = board::kEngineSpec.l1_bytes;
    options.spec.grid_columns = kMaxQueues;
    options.spec.grid_rows = 1U;
    options.spec.dram_banks = 1U;
    options.spec.capacities = board::kEngineSpec.capacities;
    options.trace_region_size = board::kEngineSpec.trace_region_bytes;
    options.num_command_queues = kMaxQueues;
    return options;
}

DeviceDescription reference_of_engine() {
    return host::open_device(engine_options())->spec();
}

std::vector<std::uint8_t> exchange_for_reference() {
    const auto device = host::open_device(engine_options());
    const BufferPtr input = flat(*device, kExchangeInput);
    const BufferPtr gathered = flat(*device, kExchangeInput, host::Memory::kL1);
    const BufferPtr middle = flat(*device, kExchangeMiddle);
    const BufferPtr second = flat(*device, kExchangeHalf);
    const BufferPtr output = flat(*device, kExchangeOutput);

    host::Program gather{"gather"};
    copy(gather, 0U, {input, 0U}, {gathered, 0U}, kExchangeHalf);
    fill(gather, 0U, {gathered, kExchangeHalf}, kExchangeHalf, 0U);
    host::Program aside{"aside"};
    copy(aside, 1U, {input, kExchangeHalf}, {second, 0U}, kExchangeHalf);
    host::Program spread{"spread"};
    copy(spread, 1U, {gathered, 0U}, {middle, 0U}, kExchangeInput);
    fill(spread, 1U, {middle, kExchangeInput}, kExchangeFilled, kExchangePattern);
    host::Program merge{"merge"};
    copy(merge, 0U, {middle, 0U}, {output, 0U}, kExchangeMiddle);
    copy(merge, 0U, {second, 0U}, {output, kExchangeMiddle}, kExchangeHalf);
    fill(merge, 0U, {output, kExchangeMiddle + kExchangeHalf}, kExchangeGap, 0U);
    copy(merge, 0U, {input, kExchangeOddAt}, {output, kExchangeOddOut}, kExchangeOdd);
    copy(merge, 0U, {input, 0U}, {output, kExchangeTailOut}, kExchangeTail);
    const host::TraceId gather_trace = record(*device, 0U, gather);
    const host::TraceId aside_trace = record(*device, 1U, aside);
    const host::TraceId spread_trace = record(*device, 1U, spread);
    const host::TraceId merge_trace = record(*device, 0U, merge);
    const host::EventId arrived = device->create_event();
    const host::EventId is_gathered = device->create_event();
    const host::EventId is_spread = device->create_event();

    host::CaptureOptions options;
    options.source_name = "exchange";
    options.step_deadline_us = kPatientUs;
    options.setup_deadline_us = kPatientUs;
    host::WorkloadCapture capture{device, options};
    capture.declare_input(input, tensor("input", kExchangeInput));
    capture.declare_output(output, tensor("output", kExchangeOutput));
    std::vector<std::uint8_t> data(kExchangeInput);
    fill_input(MutableByteSpan{data.data(), data.size()}, 1U);
    device->enqueue_write(0U, input, ByteSpan{data.data(), data.size()});
    device->record_event(0U, arrived);
    device->execute_trace(0U, gather_trace);
    device->record_event(0U, is_gathered);
    device->wait_for_event(1U, arrived);
    device->execute_trace(1U, aside_trace);
    device->wait_for_event(1U, is_gathered);
    device->execute_trace(1U, spread_trace);
    device->record_event(1U, is_spread);
    device->wait_for_event(0U, is_spread);
    device->execute_trace(0U, merge_trace);
    static_cast<void>(device->enqueue_read(0U, output));
    return capture.end().file;
}

pl330::Lowered exchange() {
    const files::AlignedBytes file{exchange_for_reference()};
    return pl330::lower(file.view(), reference_of_engine(), board::kEngineSpec);
}

pl330::Lowered exchange_without_event() {
    pl330::Lowered lowered = exchange();
    for (capture::ManifestScript& script : lowered.manifest.scripts) {
        std::vector<capture::ManifestCommand>& commands = script.commands;
        commands.erase(std::remove_if(commands.begin(), commands.end(),
                                      [](const capture::ManifestCommand& command) {
                                          return ((command.kind == ScriptCommandKind::kRecordEvent) ||
                                                  (command.kind == ScriptCommandKind::kWaitEvent)) &&
                                                 (command.object == kGatheredEvent);
                                      }),
                       commands.end());
    }
    return lowered;
}

}  // namespace pianola::test
