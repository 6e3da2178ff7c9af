#include "capture_host/capture/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace pianola::capture {
namespace {

// Throws LinkError if the bytes are outside; `what` names them.
std::vector<std::uint8_t> bytes_at(const std::vector<std::uint8_t>& segment, std::size_t offset, std::size_t count,
                                   const char* what) {
    if ((offset > segment.size()) || (count > (segment.size() - offset))) {
        throw LinkError{fmt::format("{} lie outside their segment", what)};
    }
    const auto first = segment.begin() + static_cast<std::ptrdiff_t>(offset);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
}

// A trace's words, and which of them are patched by which parameters.
struct TraceContent {
    std::vector<std::uint8_t> words;
    std::set<std::pair<std::uint32_t, std::string>> points;  // word, and the parameter's name

    [[nodiscard]] bool operator==(const TraceContent& other) const {
        return (words == other.words) && (points == other.points);
    }
};

TraceContent content_of(const LinkedBinary& part, std::uint32_t trace) {
    const ManifestTrace& named = part.manifest.traces.at(trace);
    TraceContent content;
    content.words = bytes_at(part.segments.traces, named.offset_bytes,
                             std::size_t{named.word_count} * sizeof(std::uint32_t), "a trace's words");
    for (const ManifestParameter& parameter : part.manifest.parameters) {
        for (const ManifestPatchPoint& point : parameter.points) {
            if (point.trace == trace) {
                content.points.emplace(point.word, parameter.name);
            }
        }
    }
    return content;
}

using Kind = ScriptCommandKind;
using Bytes = std::vector<std::uint8_t>;

auto key_of(const ManifestTarget& target) {
    return std::tie(target.device_family, target.command_set_id, target.command_set_version, target.kernel_library,
                    target.dram_base, target.dram_bytes, target.l1_base, target.l1_bytes, target.file_base,
                    target.file_bytes, target.trace_region_bytes, target.clock_khz, target.queue_count,
                    target.ring_words, target.grid_columns, target.grid_rows, target.dram_banks, target.attestation,
                    target.costs, target.weights_layout, target.cost_model, target.core_khz,
                    target.millicycles_per_instruction, target.mesh_rows, target.mesh_columns);
}
auto key_of(const ManifestRegion& region) {
    return std::tie(region.name, region.kind, region.memory, region.base, region.size_bytes);
}
auto key_of(const ManifestBuffer& buffer) {
    return std::tie(buffer.name, buffer.region, buffer.offset_bytes, buffer.size_bytes);
}
auto key_of(const ManifestCommand& command) {
    return std::tie(command.kind, command.queue, command.object, command.segment_offset);
}
template <typename Item>
bool are_same(const std::vector<Item>& some, const std::vector<Item>& others) {
    return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                      [](const Item& one, const Item& other) { return key_of(one) == key_of(other); });
}

class Merger {
  public:
    Merger(const std::vector<LinkedBinary>& parts, const MeshOptions& options) : parts_{parts}, options_{options} {}

    LinkedBinary merge() {
        check_alike();
        Manifest& manifest = merged_.manifest;
        const Manifest& first = parts_.front().manifest;
        manifest = first;
        manifest.target.mesh_rows = options_.rows;
        manifest.target.mesh_columns = options_.columns;
        manifest.self_test_origins.clear();
        manifest.buffers.clear();
        manifest.inputs.clear();
        manifest.outputs.clear();
        manifest.traces.clear();
        const auto* const profile = std::find_if(kProfiles.begin(), kProfiles.end(), [this](const Capacities* each) {
            return each->mesh_devices >= parts_.size();
        });
        if (profile != kProfiles.end()) {
            manifest.target.profile = static_cast<CapacityProfile>((*profile)->number);
        }
        for (const LinkedBinary& part : parts_) {
            manifest.target.profile = std::max(manifest.target.profile, part.manifest.target.profile);
            add_kernels(part.manifest.target.kernels);
            manifest.step_cycles = std::max(manifest.step_cycles, part.manifest.step_cycles);
            manifest.step_deadline_us = std::max(manifest.step_deadline_us, part.manifest.step_deadline_us);
            manifest.setup_deadline_us = std::max(manifest.setup_deadline_us, part.manifest.setup_deadline_us);
        }
        number_objects();
        for (std::size_t i = 0U; i < first.scripts.size(); ++i) {
            manifest.scripts.at(i).commands = merge_script(i);
        }
        return merged_;
    }

  private:
    struct Numbers {  // the number of a part's object in the merged binary
        std::map<std::uint32_t, std::uint32_t> inputs;
        std::map<std::uint32_t, std::uint32_t> outputs;
        std::map<std::uint32_t, std::uint32_t> traces;
    };

    void check_alike() const {
        if (parts_.empty() || (parts_.size() != (std::size_t{options_.rows} * options_.columns))) {
            throw LinkError{
                fmt::format("a mesh of {} x {} devices has {} parts", options_.rows, options_.columns, parts_.size())};
        }
        if (parts_.size() > profiles::kHost.mesh_devices) {
            throw LinkError{fmt::format("a mesh of {} devices: at most {} are driven", parts_.size(),
                                        profiles::kHost.mesh_devices)};
        }
        const Manifest& first = parts_.front().manifest;
        for (std::size_t i = 0U; i < parts_.size(); ++i) {
            const Manifest& other = parts_[i].manifest;
            const auto require = [i](bool same, const char* what) {
                if (!same) {
                    throw LinkError{fmt::format("device {} of the mesh has other {} than the first", i, what)};
                }
            };
            require(key_of(first.target) == key_of(other.target), "target");
            require(are_same(first.regions, other.regions), "regions");
            require(first.steps_in_flight == other.steps_in_flight, "steps in flight");
            require(std::equal(first.scripts.begin(), first.scripts.end(), other.scripts.begin(), other.scripts.end(),
                               [](const auto& one, const auto& two) { return one.kind == two.kind; }),
                    "scripts");
        }
    }

    // By ascending id, each once: the parts' kernels of one id are the same, as they are for one kind of device.
    void add_kernels(const std::vector<ManifestKernel>& kernels) {
        std::vector<ManifestKernel>& all = merged_.manifest.target.kernels;
        for (const ManifestKernel& kernel : kernels) {
            const auto place = std::lower_bound(all.begin(), all.end(), kernel,
                                                [](const auto& one, const auto& other) { return one.id < other.id; });
            if ((place == all.end()) || (place->id != kernel.id)) {
                all.insert(place, kernel);
            }
        }
    }

    [[nodiscard]] DeviceRange range_of(std::size_t device) const {
        return {static_cast<std::uint8_t>(device / options_.columns),
                static_cast<std::uint8_t>(device % options_.columns), 1U, 1U};
    }

    // Numbers a run of consecutive buffers; returns where it begins.
    std::uint32_t number_buffers(const Manifest& part, std::uint32_t first, std::uint32_t count) {
        std::vector<ManifestBuffer>& all = merged_.manifest.buffers;
        if ((std::size_t{first} + count) > part.buffers.size()) {
            throw LinkError{"a tensor or command has buffers that are not there"};
        }
        const auto begin = part.buffers.begin() + first;
        const auto found = std::search(all.begin(), all.end(), begin, begin + count,
                                       [](const auto& one, const auto& other) { return key_of(one) == key_of(other); });
        const auto index = static_cast<std::uint32_t>(found - all.begin());
        all.insert(all.end(), begin, (found == all.end()) ? (begin + count) : begin);
        return index;
    }

    // Returns the tensor that this one is a part of, or adds a new one.
    std::uint32_t number_tensor(std::vector<ManifestTensor>& all, const Manifest& part, const ManifestTensor& tensor,
                                std::size_t device, bool is_sharded) {
        ManifestTensor placed = tensor;
        placed.buffer = number_buffers(part, tensor.buffer, tensor.buffer_count);
        placed.devices = range_of(device);
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const ManifestTensor& other) { return other.name == tensor.name; });
        if (found == all.end()) {
            all.push_back(placed);
            return static_cast<std::uint32_t>(all.size()) - 1U;
        }
        std::vector<std::uint32_t> whole = found->shape;
        if ((found->placement == Placement::kSharded) && !whole.empty()) {
            whole.front() /= found->devices.rows * std::uint32_t{found->devices.columns};
        }
        if ((whole != tensor.shape) || (found->type != tensor.type) || (found->buffer != placed.buffer) ||
            (found->buffer_count != placed.buffer_count) || (found->scale != tensor.scale) ||
            (found->zero_point != tensor.zero_point)) {
            throw LinkError{fmt::format("tensor '{}' is another one on device {}", tensor.name, device)};
        }
        widen(found->devices, device);
        if (is_sharded) {
            if (whole.empty()) {
                throw LinkError{fmt::format("tensor '{}' has no dimension to be cut", tensor.name)};
            }
            found->placement = Placement::kSharded;
            found->shape.front() = whole.front() * found->devices.rows * found->devices.columns;
        }
        return static_cast<std::uint32_t>(found - all.begin());
    }

    // Widens to the smallest rectangle that includes the device: check_rectangles() checks those in between.
    void widen(DeviceRange& range, std::size_t device) const {
        const DeviceRange one = range_of(device);
        const auto end = [](std::uint8_t first, std::uint8_t count) {
            return static_cast<std::uint8_t>(first + count);
        };
        const std::uint8_t last_row = std::max(end(range.row, range.rows), end(one.row, 1U));
        const std::uint8_t last_column = std::max(end(range.column, range.columns), end(one.column, 1U));
        range.row = std::min(range.row, one.row);
        range.column = std::min(range.column, one.column);
        range.rows = static_cast<std::uint8_t>(last_row - range.row);
        range.columns = static_cast<std::uint8_t>(last_column - range.column);
    }

    std::uint32_t number_trace(const LinkedBinary& part, std::uint32_t number, std::set<std::uint32_t>& used) {
        const TraceContent content = content_of(part, number);
        for (std::size_t i = 0U; i < traces_.size(); ++i) {
            if ((traces_[i] == content) && used.insert(static_cast<std::uint32_t>(i)).second) {
                return static_cast<std::uint32_t>(i);
            }
        }
        Bytes& segment = merged_.segments.traces;
        segment.resize(align_up(segment.size(), std::size_t{kFileAlignmentBytes}));
        ManifestTrace placed = part.manifest.traces.at(number);
        placed.offset_bytes = static_cast<std::uint32_t>(segment.size());
        segment.insert(segment.end(), content.words.begin(), content.words.end());
        const std::uint32_t room = merged_.manifest.target.trace_region_bytes;
        if (segment.size() > room) {
            throw LinkError{fmt::format("the devices' traces take {} bytes together, the trace region has {}",
                                        segment.size(), room)};
        }
        merged_.manifest.traces.push_back(placed);
        traces_.push_back(content);
        return *used.insert(static_cast<std::uint32_t>(traces_.size()) - 1U).first;
    }

    void number_objects() {
        Manifest& manifest = merged_.manifest;
        std::map<std::string, std::size_t> holders;
        for (std::size_t device = 0U; device < parts_.size(); ++device) {
            const Manifest& part = parts_[device].manifest;
            Numbers& numbers = numbers_.emplace_back();
            for (std::uint32_t i = 0U; i < part.inputs.size(); ++i) {
                const ManifestTensor& tensor = part.inputs[i];
                const bool is_sharded = options_.sharded_inputs.count(tensor.name) != 0U;
                numbers.inputs[i] = number_tensor(manifest.inputs, part, tensor, device, is_sharded);
                holders["input " + tensor.name] += 1U;
            }
            for (std::uint32_t i = 0U; i < part.outputs.size(); ++i) {
                numbers.outputs[i] = number_tensor(manifest.outputs, part, part.outputs[i], device, true);
                holders["output " + part.outputs[i].name] += 1U;
            }
            for (std::uint32_t i = 0U; i < part.buffers.size(); ++i) {
                (void)number_buffers(part, i, 1U);  // names for people: also buffers that only kernels use
            }
            std::set<std::uint32_t> used;  // each is loaded and replayed once: equal ones stay apart
            for (std::uint32_t i = 0U; i < part.traces.size(); ++i) {
                numbers.traces[i] = number_trace(parts_[device], i, used);
            }
        }
        check_rectangles("input ", manifest.inputs, holders);
        check_rectangles("output ", manifest.outputs, holders);
        merge_parameters();
    }

    static void check_rectangles(const std::string& what, const std::vector<ManifestTensor>& tensors,
                                 const std::map<std::string, std::size_t>& holders) {
        for (const ManifestTensor& tensor : tensors) {
            const std::size_t devices = std::size_t{tensor.devices.rows} * tensor.devices.columns;
            if (holders.at(what + tensor.name) != devices) {
                throw LinkError{fmt::format("the devices of {}'{}' are no rectangle of the mesh", what, tensor.name)};
            }
        }
    }

    void merge_parameters() {
        std::vector<ManifestParameter>& all = merged_.manifest.parameters;
        all.clear();
        for (std::size_t device = 0U; device < parts_.size(); ++device) {
            for (ManifestParameter parameter : parts_[device].manifest.parameters) {
                for (ManifestPatchPoint& point : parameter.points) {
                    point.trace = numbers_[device].traces.at(point.trace);
                }
                const auto found = std::find_if(all.begin(), all.end(), [&](const ManifestParameter& other) {
                    return other.name == parameter.name;
                });
                if (found == all.end()) {
                    all.push_back(parameter);
                    continue;
                }
                if (std::tie(found->kind, found->minimum, found->maximum, found->alignment) !=
                    std::tie(parameter.kind, parameter.minimum, parameter.maximum, parameter.alignment)) {
                    throw LinkError{fmt::format("parameter '{}' is another one on device {}", parameter.name, device)};
                }
                for (const ManifestPatchPoint& point : parameter.points) {
                    if (std::none_of(found->points.begin(), found->points.end(), [&](const auto& other) {
                            return (other.trace == point.trace) && (other.word == point.word);
                        })) {
                        found->points.push_back(point);
                    }
                }
            }
        }
    }

    std::uint32_t number_weights(const Bytes& bytes) {
        const auto found = weights_.find(bytes);
        if (found != weights_.end()) {
            return found->second;
        }
        Bytes& segment = merged_.segments.weights;
        segment.resize(align_up(segment.size(), std::size_t{kFileAlignmentBytes}));
        const auto offset = static_cast<std::uint32_t>(segment.size());
        segment.insert(segment.end(), bytes.begin(), bytes.end());
        weights_.emplace(bytes, offset);
        return offset;
    }

    // A part's command in the merged binary.
    ManifestCommand translate(std::size_t device, const ManifestCommand& command) {
        const LinkedBinary& part = parts_[device];
        ManifestCommand whole = command;
        if (command.kind == Kind::kWriteBuffer) {
            whole.object = number_buffers(part.manifest, command.object, 1U);
            const std::uint32_t size = merged_.manifest.buffers.at(whole.object).size_bytes;
            whole.segment_offset =
                number_weights(bytes_at(part.segments.weights, command.segment_offset, size, "weights"));
        } else if ((command.kind == Kind::kLoadTrace) || (command.kind == Kind::kReplayTrace)) {
            whole.object = numbers_[device].traces.at(command.object);
        } else if (command.kind == Kind::kWriteInput) {
            whole.object = numbers_[device].inputs.at(command.object);
        } else if (command.kind == Kind::kReadOutput) {
            whole.object = numbers_[device].outputs.at(command.object);
        } else {
            // Each device has its own events.
        }
        return whole;
    }

    // Keeps the order of every device's commands. Each turn takes the largest rectangle of devices whose next commands
    // are equal, if possible with a command that no other device still has to reach.
    std::vector<ManifestCommand> merge_script(std::size_t script) {
        std::vector<std::vector<ManifestCommand>> left;  // of each device, the next one last
        for (std::size_t device = 0U; device < parts_.size(); ++device) {
            std::vector<ManifestCommand>& commands = left.emplace_back();
            for (const ManifestCommand& command : parts_[device].manifest.scripts.at(script).commands) {
                commands.push_back(translate(device, command));
            }
            std::reverse(commands.begin(), commands.end());
        }
        std::vector<ManifestCommand> merged;
        for (;;) {
            DeviceRange best{0U, 0U, 0U, 0U};
            std::uint32_t best_worth = 0U;
            for_each_range([&](const DeviceRange& range) {
                const std::uint32_t worth = worth_of(left, range);
                if (worth > best_worth) {
                    best = range;
                    best_worth = worth;
                }
            });
            if (best_worth == 0U) {
                return merged;
            }
            ManifestCommand command;
            for (const std::size_t device : devices_in(best)) {
                command = left[device].back();
                left[device].pop_back();
            }
            command.devices = best;
            merged.push_back(command);
        }
    }

    template <typename Visit>
    void for_each_range(const Visit& visit) const {
        for (std::uint32_t row = 0U; row < options_.rows; ++row) {
            for (std::uint32_t column = 0U; column < options_.columns; ++column) {
                for (std::uint32_t rows = 1U; (row + rows) <= options_.rows; ++rows) {
                    for (std::uint32_t columns = 1U; (column + columns) <= options_.columns; ++columns) {
                        visit(DeviceRange{static_cast<std::uint8_t>(row), static_cast<std::uint8_t>(column),
                                          static_cast<std::uint8_t>(rows), static_cast<std::uint8_t>(columns)});
                    }
                }
            }
        }
    }

    [[nodiscard]] std::vector<std::size_t> devices_in(const DeviceRange& range) const {
        std::vector<std::size_t> devices;
        for (std::size_t row = range.row; row < (std::size_t{range.row} + range.rows); ++row) {
            for (std::size_t column = range.column; column < (std::size_t{range.column} + range.columns); ++column) {
                devices.push_back((row * options_.columns) + column);
            }
        }
        return devices;
    }

    // 0 if the devices' next commands differ.
    [[nodiscard]] std::uint32_t worth_of(const std::vector<std::vector<ManifestCommand>>& left,
                                         const DeviceRange& range) const {
        const std::vector<std::size_t> devices = devices_in(range);
        if (left[devices.front()].empty()) {
            return 0U;
        }
        const ManifestCommand& command = left[devices.front()].back();
        const auto is_it = [&command](const ManifestCommand& other) { return key_of(other) == key_of(command); };
        for (const std::size_t device : devices) {
            if (left[device].empty() || !is_it(left[device].back())) {
                return 0U;
            }
        }
        bool is_awaited = false;
        for (std::size_t device = 0U; device < left.size(); ++device) {
            const bool is_inside = std::find(devices.begin(), devices.end(), device) != devices.end();
            is_awaited = is_awaited || (!is_inside && std::any_of(left[device].begin(), left[device].end(), is_it));
        }
        constexpr std::uint32_t kNotAwaited = 1024U;
        return static_cast<std::uint32_t>(devices.size()) + (is_awaited ? 0U : kNotAwaited);
    }

    const std::vector<LinkedBinary>& parts_;
    const MeshOptions& options_;
    LinkedBinary merged_;
    std::vector<Numbers> numbers_;      // of each part
    std::vector<TraceContent> traces_;  // of the merged traces
    std::map<Bytes, std::uint32_t> weights_;
};

}  // namespace

LinkedBinary merge_mesh(const std::vector<LinkedBinary>& parts, const MeshOptions& options) {
    return Merger{parts, options}.merge();
}

}  // namespace pianola::capture
