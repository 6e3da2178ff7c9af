// Replays a trace that another process has captured: reads trace.bin and input.bin of a folder, writes output.bin.
#include <exception>
#include <filesystem>
#include <iostream>

#include "capture_host/api/device.h"
#include "capture_host/files/files.h"

int main(int count, char** arguments) {
    using namespace pianola;  // NOLINT(google-build-using-namespace): a helper of one function
    try {
        if (count != 2) {
            std::cerr << "replay_blob FOLDER\n";
            return 2;
        }
        const std::filesystem::path folder{arguments[1]};  // NOLINT(cppcoreguidelines-pro-bounds-pointer-arithmetic)
        const auto trace_bytes = files::load_file(folder / "trace.bin");
        const auto input_bytes = files::load_file(folder / "input.bin");
        host::DeviceOptions options;
        options.trace_region_size = 64U * 1024U;
        const auto device = host::open_device(options);
        host::BufferConfig config;
        config.rows = 1U;
        config.row_bytes = input_bytes.size();
        const host::BufferPtr input = device->allocate(config);
        const host::BufferPtr output = device->allocate(config);
        const host::TraceId trace = device->load_trace(0U, {trace_bytes.data(), trace_bytes.size()}, {input, output});
        device->enqueue_write(0U, input, {input_bytes.data(), input_bytes.size()});
        device->execute_trace(0U, trace);
        files::store_file(folder / "output.bin", device->enqueue_read(0U, output).data());
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
