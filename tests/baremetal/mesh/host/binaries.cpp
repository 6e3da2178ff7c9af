// pianola_board_mesh_binaries FOLDER: captures what the tests of several devices replay on a board, for the profile
// default.
//
//   two.ptb         two devices. Input 0 is a row for each, input 1 a bias for both; each has weights of its own.
//                   Device 0 gives saturate(saturate(row + bias) + weights),
//                   device 1 saturate(max(row, bias) - weights)
//   impatient.ptb   the same with a deadline that can be waited for
//   one.ptb         one device: device 0's part
//
// Elements are int8. Queue 1 writes, queue 0 computes and reads; two steps may be in flight.
#include <array>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "hal/devices/refdev/kernels/arguments.h"
#include "pianola/image.h"
#include "pianola_host/files.h"
#include "pianola_host/mesh_device.h"
#include "pianola_host/workload_capture.h"

namespace {

using pianola::ElementType;
using pianola::host::BufferArgument;
using pianola::host::BufferConfig;
using pianola::host::CapturedWorkload;
using pianola::host::CaptureOptions;
using pianola::host::DeviceOptions;
using pianola::host::EventId;
using pianola::host::GlobalMatrix;
using pianola::host::KernelHandle;
using pianola::host::MeshBufferPtr;
using pianola::host::MeshPtr;
using pianola::host::MeshWorkload;
using pianola::host::one_core;
using pianola::host::open_mesh;
using pianola::host::Program;
using pianola::host::WorkloadCapture;
using pianola::refdev::BinaryOp;

constexpr std::uint32_t kBytes = 64U;  // of a row
constexpr std::uint32_t kTurns = 4U;
constexpr std::uint32_t kPatientUs = 60'000'000U;  // an emulated core is slower than the device that it plays
constexpr std::uint32_t kImpatientUs = 50'000U;

struct Operations {
    BinaryOp first;   // of row and bias
    BinaryOp second;  // of that and weights
};
constexpr std::array<Operations, 2U> kOperations{
    {{BinaryOp::kAdd, BinaryOp::kAdd}, {BinaryOp::kMaximum, BinaryOp::kSubtract}}};

pianola::ByteSpan view(const std::vector<std::uint8_t>& bytes) {
    return {bytes.data(), bytes.size()};
}

// Of all devices, as the tests' Python computes them as well.
std::vector<std::uint8_t> weights(std::uint32_t devices) {
    std::vector<std::uint8_t> bytes;
    for (std::uint32_t device = 0U; device < devices; ++device) {
        for (std::uint32_t i = 0U; i < kBytes; ++i) {
            bytes.push_back(static_cast<std::uint8_t>((i * 37U) + 11U + (device * 59U)));
        }
    }
    return bytes;
}

// Of devices in one row.
class Workload {
  public:
    explicit Workload(std::uint32_t devices) : devices_{devices}, mesh_{open_mesh({1U, devices}, options())} {}

    void store(const std::string& path, std::uint32_t deadline_us) const {
        CaptureOptions options;
        options.step_deadline_us = deadline_us;
        options.setup_deadline_us = kPatientUs;
        options.self_tests = false;  // results are held to goldens of others
        WorkloadCapture capture{mesh_->grid(), options};
        mesh_->write(0U, weights_, view(weights(devices_)));
        const EventId written = mesh_->create_event();
        const EventId taken = mesh_->create_event();
        mesh_->record_event(0U, taken);
        for (std::uint8_t i = 0U; i < kTurns; ++i) {
            mesh_->wait_for_event(1U, taken);
            mesh_->write(1U, rows_, view(std::vector<std::uint8_t>(std::size_t{devices_} * kBytes, i)));
            mesh_->write(1U, bias_, view(std::vector<std::uint8_t>(kBytes, static_cast<std::uint8_t>(50U + i))));
            mesh_->record_event(1U, written);
            mesh_->wait_for_event(0U, written);
            combine(&Operations::first, rows_, bias_, middle_);
            mesh_->record_event(0U, taken);
            combine(&Operations::second, middle_, weights_, output_);
            (void)mesh_->read(0U, output_);
        }
        const CapturedWorkload captured = capture.end();
        pianola::files::store_file(path, captured.file);
        std::cout << path << ": " << captured.steps << " steps, " << captured.manifest.steps_in_flight
                  << " in flight\n";
    }

  private:
    static DeviceOptions options() {
        DeviceOptions options;
        options.trace_region_size = 64U * 1024U;  // the boards' devices have this one,
        options.num_command_queues = 2U;          // and these
        return options;
    }
    static BufferConfig row() {
        BufferConfig config;
        config.rows = 1U;
        config.row_bytes = kBytes;
        return config;
    }
    [[nodiscard]] MeshBufferPtr of_all() const { return mesh_->allocate({row(), {}}); }
    [[nodiscard]] MeshBufferPtr of_each() const {
        GlobalMatrix all;
        all.rows = 1U;
        all.row_bytes = std::uint64_t{devices_} * kBytes;
        return mesh_->allocate({row(), all});
    }

    void combine(BinaryOp Operations::* which, const MeshBufferPtr& left, const MeshBufferPtr& right,
                 const MeshBufferPtr& result) const {
        MeshWorkload workload;
        for (std::uint32_t device = 0U; device < devices_; ++device) {
            Program program{"combine"};
            const KernelHandle kernel = program.add_kernel("binary", one_core({0U, 0U}));
            program.set_runtime_args(kernel, {0U, 0U},
                                     {BufferArgument{left->any(), {}, 0U}, BufferArgument{right->any(), {}, 0U},
                                      BufferArgument{result->any(), {}, 0U}});
            program.set_common_runtime_args(kernel, {kBytes, static_cast<std::uint32_t>(ElementType::kInt8),
                                                     static_cast<std::uint32_t>(kOperations.at(device).*which)});
            workload.add_program({{0U, device}, {0U, device}}, std::move(program));
        }
        mesh_->enqueue_workload(0U, workload);
    }

    std::uint32_t devices_;
    MeshPtr mesh_;
    MeshBufferPtr weights_{of_each()};
    MeshBufferPtr rows_{of_each()};
    MeshBufferPtr bias_{of_all()};
    MeshBufferPtr middle_{of_all()};
    MeshBufferPtr output_{of_each()};
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: pianola_board_mesh_binaries FOLDER\n";
        return 2;
    }
    try {
        const std::string folder = argv[1];
        Workload{2U}.store(folder + "/two.ptb", kPatientUs);
        Workload{2U}.store(folder + "/impatient.ptb", kImpatientUs);
        Workload{1U}.store(folder + "/one.ptb", kPatientUs);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
