// Small devices and programs whose results follow from plain arithmetic.
//
// The workhorse is requantize with a scale of one: it adds a constant to int8 values, and saturates.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "pianola_host/device.h"
#include "tests/support/executor.h"

namespace pianola::test {

using Bytes = std::vector<std::uint8_t>;

inline host::DeviceOptions small_device(std::uint32_t queues = 1U, std::uint32_t trace_region = 64U * 1024U) {
    host::DeviceOptions options;
    options.num_command_queues = queues;
    options.trace_region_size = trace_region;
    options.vulkan = tested_vulkan();
    return options;
}

inline host::BufferConfig flat(std::uint64_t bytes, host::Memory memory = host::Memory::kDram) {
    host::BufferConfig config;
    config.rows = 1U;
    config.row_bytes = bytes;
    config.memory = memory;
    return config;
}

inline host::BufferConfig sharded(host::Layout layout, host::Memory memory, std::uint64_t rows, std::uint64_t columns,
                                  std::uint32_t shard_rows, std::uint32_t shard_columns,
                                  const host::CoreRangeSet& cores = {}) {
    host::BufferConfig config;
    config.rows = rows;
    config.row_bytes = columns;
    config.memory = memory;
    config.layout = layout;
    config.shard = host::ShardSpec{cores, shard_rows, shard_columns};
    return config;
}

inline Bytes pattern(std::size_t size, std::uint32_t seed) {
    Bytes bytes(size);
    std::uint32_t state = (seed * 2654435761U) | 1U;
    for (std::uint8_t& byte : bytes) {
        state = (state * 1664525U) + 1013904223U;
        byte = static_cast<std::uint8_t>(state >> 24U);
    }
    return bytes;
}

inline ByteSpan view(const Bytes& bytes) {
    return {bytes.data(), bytes.size()};
}

// What add_constant() makes of the bytes.
inline Bytes plus(const Bytes& bytes, int constant) {
    Bytes result(bytes.size());
    std::transform(bytes.begin(), bytes.end(), result.begin(), [constant](std::uint8_t byte) {
        const int value = (byte < 128U) ? int{byte} : (int{byte} - 256);
        return static_cast<std::uint8_t>(std::clamp(value + constant, -128, 127));
    });
    return result;
}

// Arguments of requantize behind its two addresses.
inline host::Arguments add_constant_tail(std::uint32_t count, int constant) {
    return {count, 0U, 1U << 30U, 1U, static_cast<std::uint32_t>(constant)};
}

// output = input + constant, on one core.
inline host::KernelHandle add_constant(host::Program& program, host::CoreCoord core, const host::BufferPtr& input,
                                       const host::BufferPtr& output, std::uint32_t count, int constant) {
    const host::KernelHandle kernel = program.add_kernel("requantize", host::one_core(core));
    program.set_runtime_args(kernel, core, {host::BufferArgument{input, {}, 0U}, host::BufferArgument{output, {}, 0U}});
    program.set_common_runtime_args(kernel, add_constant_tail(count, constant));
    return kernel;
}

inline host::Program constant_program(const host::BufferPtr& input, const host::BufferPtr& output, int constant,
                                      const std::string& name = "add constant") {
    host::Program program{name};
    add_constant(program, {0U, 0U}, input, output, static_cast<std::uint32_t>(input->size_bytes()), constant);
    return program;
}

inline Bytes read(host::Device& device, const host::BufferPtr& buffer, std::uint32_t queue = 0U) {
    return device.enqueue_read(queue, buffer, true).data();
}

inline const Bytes& dead_beef(std::size_t size) {
    static Bytes bytes;
    bytes.resize(size);
    for (std::size_t i = 0U; i < size; ++i) {
        bytes[i] = static_cast<std::uint8_t>(0xDEADBEEFU >> ((i % 4U) * 8U));
    }
    return bytes;
}

// Runs `action`, which must break `rule`; the message must contain `part`.
template <typename Action>
void expect_rule(host::HostRule rule, const std::string& part, Action action) {
    try {
        action();
        ADD_FAILURE() << "accepted, although it breaks " << host::id_of(rule);
    } catch (const host::HostError& error) {
        EXPECT_EQ(error.rule(), rule) << error.what();
        EXPECT_NE(std::string{error.what()}.find(part), std::string::npos) << error.what() << "\nlacks: " << part;
        EXPECT_EQ(std::string{error.what()}.find(error.rule_id()), 0U);
    }
}

}  // namespace pianola::test
