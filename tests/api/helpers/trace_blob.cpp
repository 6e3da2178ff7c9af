// One half of a trace's way from a process to another: `capture FOLDER` writes trace.bin, a trace that adds 3 by way of
// L1; `replay FOLDER` reads trace.bin and input.bin, and writes output.bin.
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

#include "pianola_host/device.h"
#include "pianola_host/files.h"
#include "tests/support/executor.h"

namespace pianola {
namespace {

constexpr std::uint32_t kBytes = 300U;

host::BufferConfig vector_in(host::Memory memory) {
    host::BufferConfig config;
    config.rows = 1U;
    config.row_bytes = kBytes;
    config.memory = memory;
    return config;
}

std::shared_ptr<host::Device> open() {
    host::DeviceOptions options;
    options.trace_region_size = 64U * 1024U;
    options.vulkan = test::tested_vulkan();
    return host::open_device(options);
}

host::Program add(const host::BufferPtr& from, const host::BufferPtr& to, std::uint32_t constant) {
    host::Program program{"add"};
    const host::KernelHandle kernel = program.add_kernel("unary", host::one_core({1U, 0U}));
    program.set_common_runtime_args(
        kernel, {host::BufferArgument{from, 0U, 0U}, host::BufferArgument{to, 0U, 0U}, kBytes, 1U, 5U, constant});
    return program;
}

void capture(const std::filesystem::path& folder) {
    const auto device = open();
    const host::BufferPtr input = device->allocate(vector_in(host::Memory::kDram));
    const host::BufferPtr output = device->allocate(vector_in(host::Memory::kDram));
    const host::BufferPtr middle = device->allocate(vector_in(host::Memory::kL1));
    host::Program first = add(input, middle, 1U);
    host::Program second = add(middle, output, 2U);
    device->compile(first);
    const host::TraceId trace = device->begin_trace_capture(0U);
    device->enqueue_program(0U, first);
    device->enqueue_program(0U, second);
    device->end_trace_capture(0U, trace);
    files::store_file(folder / "trace.bin", device->collect_trace(trace).bytes);
}

void replay(const std::filesystem::path& folder) {
    const auto blob = files::load_file(folder / "trace.bin");
    const auto data = files::load_file(folder / "input.bin");
    const auto device = open();
    const host::BufferPtr input = device->allocate(vector_in(host::Memory::kDram));
    const host::BufferPtr output = device->allocate(vector_in(host::Memory::kDram));
    const host::TraceId trace = device->load_trace(0U, {blob.data(), blob.size()}, {input, output});
    device->expect_input(trace, input);
    device->enqueue_write(0U, input, {data.data(), data.size()});
    device->execute_trace(0U, trace);
    files::store_file(folder / "output.bin", device->enqueue_read(0U, output).data());
}

}  // namespace
}  // namespace pianola

int main(int argc, char** argv) {
    try {
        if (argc == 3) {
            const std::filesystem::path folder{argv[2]};
            (std::string{argv[1]} == "capture") ? pianola::capture(folder) : pianola::replay(folder);
            return 0;
        }
        std::cerr << "trace_blob capture|replay FOLDER\n";
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
    }
    return 1;
}
