#include "tests/streams/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <stdexcept>

#include "pianola_host/mesh_device.h"
#include "pianola_host/replay.h"
#include "tests/streams/device.h"

namespace pianola::streams {
namespace {

using host::MeshBufferPtr;
using host::MeshCoordinate;
using host::MeshPtr;
using host::MeshShape;
using replay::Tensors;

void require_of_mesh(bool is_right, const std::string& what) {
    if (!is_right) {
        throw std::runtime_error{what};
    }
}

// A program, and what of it differs from device to device.
struct MeshProgram {
    Program program;
    MeshShape shape{1U, 2U};
    std::uint32_t seed{0U};

    [[nodiscard]] std::uint32_t devices() const { return shape.mesh_size(); }
    [[nodiscard]] bool is_chance(const Op& op, std::uint32_t divisor) const {
        return ((((op.role + 1U) * 7919U) + (seed * 31U)) % divisor) == 0U;
    }
    // One call gives all devices the same.
    [[nodiscard]] bool is_replicated(const Op& op) const { return !op.is_data || is_chance(op, 3U); }
    // Of the last device alone.
    [[nodiscard]] bool is_read_once(const Op& op) const { return is_chance(op, 4U); }
    [[nodiscard]] bool reads(const Op& op, std::uint32_t device) const {
        return !is_read_once(op) || (device == (devices() - 1U));
    }
    // The second half of the columns.
    [[nodiscard]] Launch launch_on(const Launch& launch, std::uint32_t device) const {
        Launch own = launch;
        const bool is_second = (device % shape[1U]) >= (shape[1U] / 2U);
        own.constant += (is_second && (launch.code == Code::kPlus) && ((seed % 2U) == 0U)) ? 1 : 0;
        return own;
    }
};

using DeviceData = std::vector<std::vector<Bytes>>;  // by device: of its writes, or reads

DeviceData data_for(const MeshProgram& made, std::uint32_t seed) {
    DeviceData all;
    for (std::uint32_t device = 0U; device < made.devices(); ++device) {
        constexpr std::uint32_t kApart = 1U << 24U;
        all.push_back(data_of(made.program, seed + (device * kApart), Data::kRandom));
        std::size_t write = 0U;
        for (const Op& op : made.program.ops) {
            if (op.kind == Kind::kWrite) {
                all.back()[write] = all[made.is_replicated(op) ? 0U : device][write];
                write += 1U;
            }
        }
    }
    return all;
}

// What the model reads on each device; nothing where a read is another device's.
DeviceData results_for(const MeshProgram& made, const DeviceData& data, bool is_lying) {
    DeviceData all;
    for (std::uint32_t device = 0U; device < made.devices(); ++device) {
        Program own = made.program;
        for (Op& op : own.ops) {
            op.launch = made.launch_on(op.launch, device);
            for (Launch& launch : op.launches) {
                launch = made.launch_on(launch, device);
            }
        }
        all.push_back(results_of(own, data[device], is_lying));
        std::size_t read = 0U;
        for (const Op& op : own.ops) {
            if (op.kind == Kind::kRead) {
                all.back()[read] = made.reads(op, device) ? all.back()[read] : Bytes{};
                read += 1U;
            }
        }
    }
    return all;
}

class MeshRunner {
  public:
    explicit MeshRunner(const MeshProgram& made)
        : made_{made}, mesh_{host::open_mesh(made.shape, options_of(made.program))} {}

    // The results of each device's reads, and, where it is captured, the workload or why there is none.
    DeviceData run(const DeviceData& data, bool is_captured) {
        std::optional<host::WorkloadCapture> capture;
        if (is_captured) {
            capture.emplace(mesh_->grid());
        }
        std::size_t write = 0U;
        for (const Op& op : made_.program.ops) {
            if (op.kind == Kind::kWrite) {
                write_data(op, data, write++);
            } else if (op.kind == Kind::kRead) {
                read(op);
            } else {
                carry_out(op);
            }
        }
        mesh_->synchronize();
        DeviceData results;
        for (const auto& reads : reads_) {
            results.emplace_back();
            for (const host::ReadHandle& handle : reads) {
                results.back().push_back((handle_of_nobody(handle)) ? Bytes{} : handle.data());
            }
        }
        try {
            if (is_captured) {
                workload = capture->end();
            }
        } catch (const host::HostError& error) {
            refusal = error.what();
        }
        return results;
    }

    std::optional<host::CapturedWorkload> workload;
    std::string refusal;

    [[nodiscard]] DeviceDescription device() const { return mesh_->device(mesh_->coordinates().front())->spec(); }

  private:
    static bool handle_of_nobody(const host::ReadHandle& handle) { return !handle.is_ready(); }

    void write_data(const Op& op, const DeviceData& data, std::size_t write) {
        const MeshBufferPtr& buffer = buffers_.at(op.object);
        if (made_.is_replicated(op)) {
            const Bytes& bytes = data.front()[write];
            mesh_->write(op.queue, buffer, {bytes.data(), bytes.size()});
            return;
        }
        for (std::uint32_t device = 0U; device < made_.devices(); ++device) {
            const Bytes& bytes = data[device][write];
            mesh_->write_shard(op.queue, buffer, MeshCoordinate::at(made_.shape, device), {bytes.data(), bytes.size()});
        }
    }

    void read(const Op& op) {
        for (std::uint32_t device = 0U; device < made_.devices(); ++device) {
            host::ReadHandle handle;
            if (made_.reads(op, device)) {
                handle = mesh_->read_shard(op.queue, buffers_.at(op.object), MeshCoordinate::at(made_.shape, device));
            }
            reads_[device].push_back(handle);
        }
    }

    [[nodiscard]] host::MeshWorkload workload_of(const Launch& launch) const {
        host::MeshWorkload work;
        std::map<std::uint32_t, host::BufferPtr> buffers;
        for (const auto& [object, buffer] : buffers_) {
            buffers[object] = buffer->any();
        }
        const std::uint32_t columns = made_.shape[1U];
        const std::uint32_t half = columns / 2U;
        work.add_program({{0U, 0U}, {made_.shape[0U] - 1U, half - 1U}},
                         program_of(made_.launch_on(launch, 0U), buffers));
        work.add_program({{0U, half}, {made_.shape[0U] - 1U, columns - 1U}},
                         program_of(made_.launch_on(launch, columns - 1U), buffers));
        return work;
    }

    void carry_out(const Op& op) {
        switch (op.kind) {
            case Kind::kAllocate: {
                host::BufferConfig config;
                config.rows = 1U;
                config.row_bytes = kBytes;
                buffers_[op.object] = mesh_->allocate({config, std::nullopt});
                break;
            }
            case Kind::kFree:
                buffers_.erase(op.object);
                break;
            case Kind::kRun:
                mesh_->enqueue_workload(op.queue, workload_of(op.launch));
                break;
            case Kind::kCaptureTrace:
                capture_trace(op);
                break;
            case Kind::kExecuteTrace:
                mesh_->execute_trace(op.queue, traces_.at(op.object));
                break;
            case Kind::kRecord:
                mesh_->record_event(op.queue, event(op.object));
                break;
            case Kind::kWait:
                mesh_->wait_for_event(op.queue, event(op.object));
                break;
            case Kind::kSynchronise:
                mesh_->synchronize();
                break;
            case Kind::kWrite:
            case Kind::kRead:
            default:
                break;
        }
    }

    void capture_trace(const Op& op) {
        std::vector<host::MeshWorkload> works;
        for (const Launch& launch : op.launches) {
            works.push_back(workload_of(launch));
            mesh_->compile(works.back());
        }
        traces_[op.object] = mesh_->begin_trace_capture(op.queue);
        for (const host::MeshWorkload& work : works) {
            mesh_->enqueue_workload(op.queue, work);
        }
        mesh_->end_trace_capture(op.queue, traces_[op.object]);
    }

    host::EventId event(std::uint32_t number) {
        const auto found = events_.find(number);
        return (found != events_.end()) ? found->second : (events_[number] = mesh_->create_event());
    }

    const MeshProgram& made_;
    MeshPtr mesh_;
    std::map<std::uint32_t, MeshBufferPtr> buffers_;
    std::map<std::uint32_t, host::TraceId> traces_;
    std::map<std::uint32_t, host::EventId> events_;
    std::vector<std::vector<host::ReadHandle>> reads_{made_.devices()};
};

std::vector<std::uint32_t> devices_of(const capture::ManifestTensor& tensor, const MeshShape& shape) {
    std::vector<std::uint32_t> devices;
    for (std::uint32_t row = 0U; row < tensor.devices.rows; ++row) {
        for (std::uint32_t column = 0U; column < tensor.devices.columns; ++column) {
            devices.push_back(((tensor.devices.row + row) * shape[1U]) + tensor.devices.column + column);
        }
    }
    return devices;
}

Bytes piece_of(const Bytes& whole, std::size_t index) {
    const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(index * kBytes);
    return {begin, begin + kBytes};
}

// The captured inputs, with the other data in place of those that the captured run had.
std::vector<Tensors> other_inputs(const MeshProgram& made, const host::CapturedWorkload& workload,
                                  const DeviceData& data, const DeviceData& other) {
    std::vector<Tensors> inputs = workload.inputs;
    for (Tensors& record : inputs) {
        for (std::size_t k = 0U; k < record.size(); ++k) {
            const std::vector<std::uint32_t> devices = devices_of(workload.manifest.inputs[k], made.shape);
            const std::size_t pieces = record[k].size() / kBytes;
            require_of_mesh((pieces == 1U) || (pieces == devices.size()), "an input has a piece for some devices");
            for (std::size_t i = 0U; i < pieces; ++i) {
                const std::uint32_t device = devices[i];
                const auto found = std::find(data[device].begin(), data[device].end(), piece_of(record[k], i));
                require_of_mesh(found != data[device].end(), "an input is nothing that the device was given");
                const Bytes& bytes = other[device][static_cast<std::size_t>(found - data[device].begin())];
                std::copy(bytes.begin(), bytes.end(), record[k].begin() + static_cast<std::ptrdiff_t>(i * kBytes));
            }
        }
    }
    return inputs;
}

// Every piece is a read of the program in both runs, the same one, and later inferences' are later reads.
void require_outputs(const MeshProgram& made, const host::CapturedWorkload& workload,
                     const std::vector<Tensors>& replayed, const DeviceData& results, const DeviceData& golden) {
    require_of_mesh(replayed.size() == workload.outputs.size(), "another number of inferences");
    for (std::size_t k = 0U; k < workload.manifest.outputs.size(); ++k) {
        const std::vector<std::uint32_t> devices = devices_of(workload.manifest.outputs[k], made.shape);
        for (std::size_t i = 0U; i < devices.size(); ++i) {
            const std::uint32_t device = devices[i];
            std::size_t read = 0U;
            for (std::size_t record = 0U; record < replayed.size(); ++record, ++read) {
                while ((read < golden[device].size()) &&
                       ((results[device][read] != piece_of(workload.outputs[record][k], i)) ||
                        (golden[device][read] != piece_of(replayed[record][k], i)))) {
                    read += 1U;
                }
                require_of_mesh(
                    read < golden[device].size(),
                    fmt::format("output {} of inference {} is not what device {} should have", k, record, device));
            }
        }
    }
}

void try_program(const MeshProgram& made, MeshCounts& counts, bool is_shown, bool is_lying) {
    const DeviceData data = data_for(made, made.seed);
    const DeviceData other = data_for(made, made.seed + kOtherData);
    MeshRunner captured{made};
    const DeviceData results = captured.run(data, true);
    require_of_mesh(results == results_for(made, data, is_lying), "the captured run is not what the model says");
    const DeviceData golden = results_for(made, other, false);
    require_of_mesh(MeshRunner{made}.run(other, false) == golden, "the eager run is not what the model says");
    if (!captured.workload.has_value()) {
        counts.refused += 1U;
        require_of_mesh(has_remedy(captured.refusal), "a refusal without a remedy: " + captured.refusal);
        if (is_shown) {
            fmt::print("seed {} ({}): {}\n", made.seed, made.program.shape, captured.refusal);
        }
        return;
    }
    counts.captured += 1U;
    const host::CapturedWorkload& workload = *captured.workload;
    DeviceDescription device = captured.device();
    device.mesh_rows = workload.manifest.target.mesh_rows;
    device.mesh_columns = workload.manifest.target.mesh_columns;
    replay::Replay replay{ByteSpan{workload.file.data(), workload.file.size()}, usual_target(), device};
    replay.load();
    require_outputs(made, workload, replay.run(other_inputs(made, workload, data, other)), results, golden);
}

}  // namespace

MeshCounts play_meshes(std::uint32_t seed, std::uint32_t count, bool is_shown, bool is_lying) {
    const std::vector<MeshShape> shapes{{1U, 2U}, {2U, 2U}, {1U, 4U}, {1U, 8U}};
    MeshCounts counts;
    for (std::uint32_t i = seed; i < (seed + count); ++i) {
        const MeshProgram made{make_program(i), shapes.at((i / 2U) % shapes.size()), i};
        try {
            try_program(made, counts, is_shown, is_lying);
        } catch (const std::exception& error) {
            counts.wrong += 1U;
            if (!is_lying) {
                fmt::print(stderr, "seed {} on {} ({}): {}\n", i, host::to_string(made.shape), made.program.shape,
                           error.what());
            }
        }
    }
    return counts;
}

}  // namespace pianola::streams
