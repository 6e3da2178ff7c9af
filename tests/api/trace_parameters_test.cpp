// Parameters of traces: values and addresses that change between replays.
#include "tests/api/trace_support.h"

namespace pianola::test {
namespace {

using host::BufferPtr;
using host::HostRule;
using host::Program;
using host::TraceId;

TEST(Traces, ParametersChangeValues) {
    const auto device = host::open_device(small_device());
    const BufferPtr input = device->allocate(flat(64U));
    const BufferPtr output = device->allocate(flat(64U));
    const Bytes data = pattern(64U, 1U);
    device->enqueue_write(0U, input, view(data));
    Program program = constant_program(input, output, 5);
    const TraceId trace = captured(*device, {&program});
    host::TraceParameter parameter{"constant", host::TraceParameterKind::kRuntimeArgument, 0U, 100U,
                                   5U,         device->argument_words(trace, 0U, {0U}, 6U)};
    device->declare_parameter(trace, parameter);
    for (const std::uint32_t constant : {5U, 100U, 0U, 35U}) {
        device->set_parameter(trace, "constant", constant);
        device->execute_trace(0U, trace);
        EXPECT_EQ(read(*device, output), plus(data, static_cast<int>(constant)));
        EXPECT_EQ(device->read_back_trace(trace).at(10U), constant);
    }
    const auto refused = [](const std::string& part, const auto& action) {
        expect_rule(HostRule::kTraceParameter, part, action);
    };
    refused("multiples of 5 from 0 to 100", [&] { device->set_parameter(trace, "constant", 105U); });
    refused("multiples of 5 from 0 to 100", [&] { device->set_parameter(trace, "constant", 7U); });
    refused("no parameter 'other'", [&] { device->set_parameter(trace, "other", 7U); });
    refused("declared already", [&] { device->declare_parameter(trace, parameter); });
    parameter.name = "second";
    refused("is set already", [&] { device->declare_parameter(trace, parameter); });
    parameter.words = device->argument_words(trace, 0U, {0U}, 2U);
    refused("neither extents nor cost", [&] { device->declare_parameter(trace, parameter); });
    parameter.words = {0U};
    refused("no kernel's argument", [&] { device->declare_parameter(trace, parameter); });
    refused("no kernel 1", [&] { (void)device->argument_words(trace, 0U, {1U}, 2U); });
    const TraceId fresh = captured(*device, {&program});
    parameter.words = device->argument_words(fresh, 0U, {0U}, 6U);
    parameter.maximum = 1000U;
    refused("does not accept output_zero_point", [&] { device->declare_parameter(fresh, parameter); });
    parameter.maximum = 0xFFFFFFF0U;
    refused("crosses zero", [&] { device->declare_parameter(fresh, parameter); });
    parameter.alignment = 0U;
    refused("alignment above 0", [&] { device->declare_parameter(fresh, parameter); });
}

TEST(Traces, ParametersChangeAddresses) {
    const auto device = host::open_device(small_device());
    // A table of four rows of 64 bytes, of which a trace takes one.
    host::BufferConfig config = flat(64U);
    config.rows = 4U;
    const BufferPtr table = device->allocate(config);
    const BufferPtr output = device->allocate(flat(64U));
    const Bytes data = pattern(256U, 1U);
    device->enqueue_write(0U, table, view(data));
    Program program = constant_program(table, output, 0);
    program.set_common_runtime_args({0U}, add_constant_tail(64U, 1));
    const TraceId trace = captured(*device, {&program});
    device->declare_parameter(trace, {"row", host::TraceParameterKind::kBufferAddress, table->address(),
                                      table->address() + 192U, 64U, device->address_words(trace, table)});
    for (const std::uint32_t row : {3U, 0U, 2U, 1U}) {
        device->set_parameter(trace, "row", table->address() + (row * 64U));
        device->execute_trace(0U, trace);
        const auto first = data.begin() + std::ptrdiff_t{64} * row;
        EXPECT_EQ(read(*device, output), plus(Bytes{first, first + 64}, 1)) << row;
    }
    expect_rule(HostRule::kTraceParameter, "admits",
                [&] { device->set_parameter(trace, "row", table->address() + 256U); });
    const TraceId other = captured(*device, {&program});
    expect_rule(HostRule::kTraceParameter, "not allocated", [&] {
        device->declare_parameter(other, {"row", host::TraceParameterKind::kBufferAddress, table->address(),
                                          table->address() + 1024U, 64U, device->address_words(other, table)});
    });
    const BufferPtr stranger = device->allocate(flat(64U));
    expect_rule(HostRule::kTraceParameter, "no command", [&] { (void)device->address_words(trace, stranger); });
}

// Both ends of one command, and the value that it adds; five would be more than a captured file may set.
TEST(Traces, ParametersOfOneCommandAreIndependent) {
    const auto device = host::open_device(small_device());
    host::BufferConfig config = flat(64U);
    config.rows = 4U;
    const BufferPtr table = device->allocate(config);
    const BufferPtr results = device->allocate(config);
    const Bytes data = pattern(256U, 1U);
    device->enqueue_write(0U, table, view(data));
    Program program = constant_program(table, results, 0);
    program.set_common_runtime_args({0U}, add_constant_tail(64U, 1));
    const TraceId trace = captured(*device, {&program});
    const auto declare = [&](const char* name, const BufferPtr& buffer) {
        device->declare_parameter(trace, {name, host::TraceParameterKind::kBufferAddress, buffer->address(),
                                          buffer->address() + 192U, 64U, device->address_words(trace, buffer)});
    };
    declare("from", table);
    declare("to", results);
    device->declare_parameter(trace, {"constant", host::TraceParameterKind::kRuntimeArgument, 0U, 100U, 1U,
                                      device->argument_words(trace, 0U, {0U}, 6U)});
    Bytes expected(256U);
    device->enqueue_write(0U, results, view(expected));
    for (const std::uint32_t from : {3U, 0U, 2U}) {
        for (const std::uint32_t to : {1U, 3U}) {
            const std::uint32_t constant = from + (10U * to);
            device->set_parameter(trace, "from", table->address() + (from * 64U));
            device->set_parameter(trace, "to", results->address() + (to * 64U));
            device->set_parameter(trace, "constant", constant);
            device->execute_trace(0U, trace);
            const auto first = data.begin() + std::ptrdiff_t{64} * from;
            const Bytes row = plus(Bytes{first, first + 64}, static_cast<int>(constant));
            std::copy(row.begin(), row.end(), expected.begin() + std::ptrdiff_t{64} * to);
            EXPECT_EQ(read(*device, results), expected) << from << " " << to;
        }
    }
    device->declare_parameter(trace, {"multiplier", host::TraceParameterKind::kRuntimeArgument, 0U, 1U << 30U, 1U,
                                      device->argument_words(trace, 0U, {0U}, 4U)});
    expect_rule(HostRule::kTraceParameter, "more than 4 words of the command", [&] {
        device->declare_parameter(trace, {"shift", host::TraceParameterKind::kRuntimeArgument, 0U, 1U, 1U,
                                          device->argument_words(trace, 0U, {0U}, 5U)});
    });
}

}  // namespace
}  // namespace pianola::test
