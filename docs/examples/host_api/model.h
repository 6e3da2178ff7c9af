// A small model for the examples: input in DRAM shards, moved to the L1 of four cores, computed there, and moved back.
//
// What "run_model" stands for in docs/guide/host_api.md. Result: every byte plus 12, as signed 8-bit, saturating.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "docs/examples/host_api/executor.h"
#include "pianola_host/device.h"

namespace example {

using pianola::ByteSpan;
using pianola::host::BufferArgument;
using pianola::host::BufferConfig;
using pianola::host::BufferPtr;
using pianola::host::CoreCoord;
using pianola::host::CoreRange;
using pianola::host::CoreRangeSet;
using pianola::host::cores_of;
using pianola::host::Device;
using pianola::host::DeviceOptions;
using pianola::host::EventId;
using pianola::host::HostError;
using pianola::host::KernelHandle;
using pianola::host::Layout;
using pianola::host::Memory;
using pianola::host::open_device;
using pianola::host::Program;
using pianola::host::ReadHandle;
using pianola::host::ShardSpec;
using pianola::host::TraceId;
using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint32_t kRows = 64U;
inline constexpr std::uint32_t kColumns = 128U;
inline constexpr std::uint32_t kShardRows = 16U;
inline constexpr std::uint32_t kShardBytes = kShardRows * kColumns;

inline BufferConfig sharded(Memory memory) {
    BufferConfig config;
    config.rows = kRows;
    config.row_bytes = kColumns;
    config.memory = memory;
    config.layout = Layout::kHeightSharded;
    config.shard = ShardSpec{{}, kShardRows, kColumns};
    if (memory == Memory::kL1) {
        config.shard->cores = {CoreRange{{0U, 0U}, {1U, 1U}}};
    }
    return config;
}

// The same bytes, spread differently: shard i of `from` goes to shard i of `to`; core i moves it.
inline Program reshard(const BufferPtr& from, const BufferPtr& to) {
    Program program{"reshard"};
    const CoreRangeSet cores{CoreRange{{0U, 0U}, {1U, 1U}}};
    const KernelHandle copy = program.add_kernel("copy", cores);
    std::uint32_t shard = 0U;
    for (const CoreCoord core : cores_of(cores)) {
        program.set_runtime_args(copy, core, {BufferArgument{from, shard, 0U}, BufferArgument{to, shard, 0U}});
        shard += 1U;
    }
    program.set_common_runtime_args(copy, {kShardBytes});
    return program;
}

// to = from + constant, every core on its own shard.
inline Program add(const BufferPtr& from, const BufferPtr& to, std::uint32_t constant) {
    constexpr std::uint32_t kInt8 = 1U;
    constexpr std::uint32_t kAddScalar = 5U;
    Program program{"add"};
    const KernelHandle unary = program.add_kernel("unary", {CoreRange{{0U, 0U}, {1U, 1U}}});
    program.set_common_runtime_args(
        unary, {BufferArgument{from, {}, 0U}, BufferArgument{to, {}, 0U}, kShardBytes, kInt8, kAddScalar, constant});
    return program;
}

// Buffers and programs of the model: first operation, the rest, last operation.
struct Model {
    explicit Model(Device& device)
        : input{device.allocate(sharded(Memory::kDram))},
          working{device.allocate(sharded(Memory::kL1))},
          result{device.allocate(sharded(Memory::kL1))},
          output{device.allocate(sharded(Memory::kDram))} {
        programs.push_back(reshard(input, working));
        programs.push_back(add(working, result, 5U));
        programs.push_back(add(result, working, 7U));
        programs.push_back(reshard(working, output));
        for (Program& program : programs) {
            device.compile(program);
        }
    }

    Program& first() { return programs.front(); }
    Program& last() { return programs.back(); }
    void run_between(Device& device) {
        device.enqueue_program(0U, programs[1]);
        device.enqueue_program(0U, programs[2]);
    }

    BufferPtr input;
    BufferPtr working;
    BufferPtr result;
    BufferPtr output;
    std::vector<Program> programs;
};

inline Bytes host_tensor(std::uint32_t number) {
    Bytes bytes(std::size_t{kRows} * kColumns);
    std::uint32_t next = number * 17U;
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(next);
        next += 3U;
    }
    return bytes;
}

inline ByteSpan view(const Bytes& bytes) {
    return {bytes.data(), bytes.size()};
}

// 0 where every output is what arithmetic says.
inline int check(const char* what, const std::vector<ReadHandle>& outputs) {
    constexpr int kSum = 12;
    for (std::uint32_t i = 0U; i < outputs.size(); ++i) {
        const Bytes input = host_tensor(i);
        const Bytes& output = outputs[i].data();
        for (std::size_t k = 0U; k < input.size(); ++k) {
            const int value = std::min(static_cast<std::int8_t>(input[k]) + kSum, int{INT8_MAX});
            if (output.at(k) != static_cast<std::uint8_t>(value)) {
                std::cerr << what << ": output " << i << " is wrong at byte " << k << '\n';
                return 1;
            }
        }
    }
    std::cout << what << ": " << outputs.size() << " outputs, all right\n";
    return 0;
}

}  // namespace example
