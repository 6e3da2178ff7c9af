#include "capture_host/host/capture/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/capture/assembly.h"
#include "capture_host/capture/link.h"
#include "capture_host/capture/merge.h"
#include "capture_host/host/capture/data_flow.h"

namespace pianola::host {
namespace {

bool is_transfer(const Call& call) {
    return (call.kind == CallKind::kWrite) || (call.kind == CallKind::kRead);
}

targets::AccessedBytes accessed_by(const Call& call, const CommandSet& command_set) {
    targets::AccessedBytes bytes;
    for_each_access(call, command_set,
                    [&bytes](Access access, std::uint64_t begin, std::uint64_t end) { bytes.add(access, begin, end); });
    return bytes;
}

class Pairs {
  public:
    explicit Pairs(const CommandSet& command_set) : command_set_{command_set} {}

    std::uint32_t add(const Call& call) {
        const std::uint32_t group = is_transfer(call) ? group_of(call) : 0U;
        const targets::AccessedBytes touched = accessed_by(call, command_set_);
        // A device whose shard has not been moved yet used the old one, or changed it.
        for (auto open = open_.begin(); open != open_.end();) {
            const bool is_input = open->first.first == CallKind::kWrite;
            const bool is_moved = open->second.devices.count(call.device) != 0U;
            const bool ends = !is_moved && (touched.writes.intersects(open->second.bytes) ||
                                            (is_input && touched.reads.intersects(open->second.bytes)));
            open = ends ? open_.erase(open) : std::next(open);
        }
        return group;
    }

  private:
    using Key = std::pair<CallKind, std::uint64_t>;  // and the first twin of the buffer
    // Shards that the program moves one by one.
    struct Open {
        std::uint32_t group{0U};
        std::set<std::uint32_t> devices;
        RangeSet bytes;
    };

    std::uint32_t group_of(const Call& call) {
        const Key key{call.kind, call.twin};
        if (call.mesh_call != 0U) {
            std::uint32_t& group = by_call_[{call.kind, call.twin, call.mesh_call}];
            group = (group == 0U) ? ++groups_ : group;
            return group;
        }
        const auto known = open_.find(key);
        if ((known == open_.end()) || !known->second.devices.insert(call.device).second) {
            open_[key] = Open{++groups_, {call.device}, addresses_of(*call.buffer)};
        }
        return open_.at(key).group;
    }

    const CommandSet& command_set_;
    std::uint32_t groups_{0U};
    std::map<std::tuple<CallKind, std::uint64_t, std::uint64_t>, std::uint32_t> by_call_;
    std::map<Key, Open> open_;
};

using Part = MeshTensor::Part;

template <typename Item>
std::vector<Item> items_of(const std::vector<Item>& all, std::uint32_t device) {
    std::vector<Item> items;
    std::copy_if(all.begin(), all.end(), std::back_inserter(items),
                 [device](const Item& item) { return item.device == device; });
    return items;
}

bool is_same(const std::vector<AddressRange>& some, const std::vector<AddressRange>& others) {
    return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                      [](const AddressRange& one, const AddressRange& other) {
                          return (one.address == other.address) && (one.bytes == other.bytes);
                      });
}

// Matches the inputs, or the outputs, of all devices.
class TensorMatcher {
  public:
    TensorMatcher(const std::vector<Interpretation*>& interpretations, const DeviceGrid& grid, CallKind kind)
        : interpretations_{interpretations}, grid_{grid}, kind_{kind} {}

    std::vector<MeshTensor> match() {
        std::vector<MeshTensor> tensors;
        for (const std::vector<Part>& twins : twins_of_all()) {
            if (!at(twins.front()).is_derived) {
                tensors.push_back({at(twins.front()).declaration.name, twins, are_replicas(twins)});
                require_box(tensors.back());
                continue;
            }
            for (const std::vector<Part>& parts : written_alike(twins)) {
                const bool is_box_shaped = is_box(parts);
                for (std::size_t i = 0U; i < (is_box_shaped ? 1U : parts.size()); ++i) {
                    const std::vector<Part> own = is_box_shaped ? parts : std::vector<Part>{parts[i]};
                    tensors.push_back({"", own, are_replicas(own)});
                }
            }
        }
        name(tensors);
        return tensors;
    }

  private:
    [[nodiscard]] bool is_input() const { return kind_ == CallKind::kWrite; }
    [[nodiscard]] std::vector<DeclaredTensor>& of(std::uint32_t device) const {
        Declarations& declarations = interpretations_.at(device)->declarations;
        return is_input() ? declarations.inputs : declarations.outputs;
    }
    [[nodiscard]] DeclaredTensor& at(const Part& part) const { return of(part.device).at(part.index); }

    // Whether both have the same memory and shape, or, if the program declared them, the same name.
    [[nodiscard]] bool are_twins(const DeclaredTensor& one, const DeclaredTensor& other) const {
        if (!one.is_derived || !other.is_derived) {
            return !one.is_derived && !other.is_derived && (one.declaration.name == other.declaration.name);
        }
        return (one.twin == other.twin) && (one.declaration.shape == other.declaration.shape) &&
               (one.declaration.type == other.declaration.type) &&
               is_same(one.buffer->host_runs, other.buffer->host_runs);
    }

    [[nodiscard]] std::vector<std::vector<Part>> twins_of_all() const {
        std::vector<std::vector<Part>> all;
        for (std::uint32_t device = 0U; device < interpretations_.size(); ++device) {
            for (std::uint32_t i = 0U; i < of(device).size(); ++i) {
                const auto known = std::find_if(all.begin(), all.end(), [&](const std::vector<Part>& twins) {
                    return (twins.back().device != device) && are_twins(at(twins.front()), of(device)[i]);
                });
                if (known == all.end()) {
                    all.push_back({Part{device, i}});
                } else {
                    known->push_back(Part{device, i});
                }
            }
        }
        return all;
    }

    // The calls of a mesh that wrote the tensor, in order; 0 for any other writer.
    [[nodiscard]] std::vector<std::uint64_t> writers_of(const Part& part) const {
        std::vector<std::uint64_t> writers;
        const Interpretation& interpretation = *interpretations_.at(part.device);
        for (auto section = std::next(interpretation.sections.begin()); section != interpretation.sections.end();
             ++section) {
            TensorCursor cursor{of(part.device)};
            for (const Call& call : section->calls) {
                if ((call.kind == kind_) && (cursor.next(call.object) == part.index)) {
                    writers.push_back(call.replicas);
                }
            }
        }
        return writers;
    }

    [[nodiscard]] bool are_replicas(const std::vector<Part>& parts) const {
        const std::vector<std::uint64_t> first = writers_of(parts.front());
        const bool are_known =
            is_input() && std::none_of(first.begin(), first.end(), [](auto writer) { return writer == 0U; });
        return are_known &&
               std::all_of(parts.begin(), parts.end(), [&](const Part& part) { return writers_of(part) == first; });
    }

    // Groups parts to which one call each gives the same data; the others form one group.
    [[nodiscard]] std::vector<std::vector<Part>> written_alike(const std::vector<Part>& twins) const {
        std::map<std::vector<std::uint64_t>, std::vector<Part>> by_writers;
        for (const Part& part : twins) {
            by_writers[is_input() ? writers_of(part) : std::vector<std::uint64_t>{0U}].push_back(part);
        }
        std::vector<std::vector<Part>> alike;
        std::vector<Part> others;
        for (const auto& [writers, parts] : by_writers) {
            if ((parts.size() > 1U) && are_replicas(parts)) {
                alike.push_back(parts);
            } else {
                others.insert(others.end(), parts.begin(), parts.end());
            }
        }
        std::sort(others.begin(), others.end(),
                  [](const Part& one, const Part& other) { return one.device < other.device; });
        if (!others.empty()) {
            alike.push_back(others);
        }
        return alike;
    }

    [[nodiscard]] bool is_box(const std::vector<Part>& parts) const {
        std::set<std::uint32_t> rows;
        std::set<std::uint32_t> columns;
        for (const Part& part : parts) {
            rows.insert(part.device / grid_.columns);
            columns.insert(part.device % grid_.columns);
        }
        const auto is_run = [](const std::set<std::uint32_t>& set) {
            return ((*set.rbegin() - *set.begin()) + 1U) == set.size();
        };
        return is_run(rows) && is_run(columns) && ((rows.size() * columns.size()) == parts.size());
    }

    void require_box(const MeshTensor& tensor) const {
        if (!is_box(tensor.parts)) {
            throw HostError{
                HostRule::kCaptureTensor,
                fmt::format("the devices of '{}' are no rectangle of the mesh; declare what the others hold "
                            "under another name",
                            tensor.name)};
        }
    }

    // In the binary's order: by device.
    void name(std::vector<MeshTensor>& tensors) const {
        const auto key = [](const MeshTensor& tensor) {
            return std::pair{tensor.parts.front().device, tensor.parts.front().index};
        };
        std::sort(tensors.begin(), tensors.end(),
                  [&](const MeshTensor& one, const MeshTensor& other) { return key(one) < key(other); });
        std::set<std::string> names;
        for (std::size_t i = 0U; i < tensors.size(); ++i) {
            if (tensors[i].name.empty()) {
                tensors[i].name = fmt::format("{} {}", is_input() ? "input" : "output", i);
            }
            if (!names.insert(tensors[i].name).second) {
                throw HostError{HostRule::kCaptureTensor,
                                fmt::format("two tensors of the mesh are declared as '{}'; give each a name of its own",
                                            tensors[i].name)};
            }
            for (const Part& part : tensors[i].parts) {
                at(part).declaration.name = tensors[i].name;
            }
        }
    }

    const std::vector<Interpretation*>& interpretations_;
    const DeviceGrid& grid_;
    CallKind kind_;
};

// Gives every device every script, even if it has no command in it.
void complete_scripts(std::vector<capture::LinkedBinary>& parts) {
    constexpr std::array kOrder{ScriptKind::kSetup, ScriptKind::kPrologue, ScriptKind::kStep, ScriptKind::kEpilogue};
    std::set<ScriptKind> kinds;
    for (const capture::LinkedBinary& part : parts) {
        for (const capture::ManifestScript& script : part.manifest.scripts) {
            kinds.insert(script.kind);
        }
    }
    for (capture::LinkedBinary& part : parts) {
        std::vector<capture::ManifestScript> all;
        for (const ScriptKind kind : kOrder) {
            const auto own =
                std::find_if(part.manifest.scripts.begin(), part.manifest.scripts.end(),
                             [kind](const capture::ManifestScript& script) { return script.kind == kind; });
            if (own != part.manifest.scripts.end()) {
                all.push_back(*own);
            } else if (kinds.count(kind) != 0U) {
                all.push_back({kind, {}});
            } else {
                // No device has it.
            }
        }
        part.manifest.scripts = std::move(all);
    }
}

}  // namespace

std::vector<Section> sections_of(const std::vector<Section>& sections, std::uint32_t device) {
    std::vector<Section> own;
    for (const Section& section : sections) {
        own.push_back({section.kind, items_of(section.calls, device)});
    }
    return own;
}

Interpretation interpretation_of(const Interpretation& interpretation, std::uint32_t device) {
    Interpretation own;
    own.sections = sections_of(interpretation.sections, device);
    own.declarations.inputs = items_of(interpretation.declarations.inputs, device);
    own.declarations.outputs = items_of(interpretation.declarations.outputs, device);
    own.declarations.parameters = items_of(interpretation.declarations.parameters, device);
    for (const auto& [id, constant] : interpretation.declarations.constants) {
        if (constant.device == device) {
            own.declarations.constants[id] = constant;
        }
    }
    own.how_found = interpretation.how_found;
    own.warnings = interpretation.warnings;
    own.turn_ends = interpretation.turn_ends;
    own.is_derived = interpretation.is_derived;
    return own;
}

MeshTensors tensors_of_one(const Interpretation& interpretation) {
    MeshTensors all;
    const auto add = [](const std::vector<DeclaredTensor>& tensors, std::vector<MeshTensor>& to) {
        for (std::uint32_t i = 0U; i < tensors.size(); ++i) {
            to.push_back({tensors[i].declaration.name, {Part{0U, i}}, false});
        }
    };
    add(interpretation.declarations.inputs, all.inputs);
    add(interpretation.declarations.outputs, all.outputs);
    return all;
}

MeshTensors match_tensors(const std::vector<Interpretation*>& interpretations, const DeviceGrid& grid) {
    return {TensorMatcher{interpretations, grid, CallKind::kWrite}.match(),
            TensorMatcher{interpretations, grid, CallKind::kRead}.match()};
}

capture::LinkedBinary merge_devices(std::vector<capture::LinkedBinary> parts, const MeshTensors& tensors,
                                    const DeviceGrid& grid) {
    complete_scripts(parts);
    capture::MeshOptions options{grid.rows, grid.columns, {}};
    for (const MeshTensor& tensor : tensors.inputs) {
        if (!tensor.is_replicated && (tensor.parts.size() > 1U)) {
            options.sharded_inputs.insert(capture::manifest_name(tensor.name, "input"));
        }
    }
    try {
        capture::LinkedBinary merged = capture::merge_mesh(parts, options);
        const std::vector<std::uint8_t>& traces = merged.segments.traces;
        merged.manifest.source_sha256 = signing::openssl_sha256({traces.data(), traces.size()});
        return merged;
    } catch (const capture::LinkError& error) {
        throw HostError{HostRule::kCaptureLimit,
                        fmt::format("the devices' work is no one binary: {}; capture parts of the mesh by themselves, "
                                    "or let the devices do the same",
                                    error.what())};
    }
}

Records merge_records(const std::vector<const Records*>& devices, const std::vector<MeshTensor>& tensors,
                      const std::vector<capture::ManifestTensor>& order) {
    std::size_t count = 0U;
    for (const MeshTensor& tensor : tensors) {
        for (const Part& part : tensor.parts) {
            count = std::max(count, devices.at(part.device)->size());
        }
    }
    Records merged(count, Records::value_type(order.size()));
    for (const capture::ManifestTensor& entry : order) {
        const auto tensor = std::find_if(tensors.begin(), tensors.end(), [&](const MeshTensor& each) {
            return capture::manifest_name(each.name, "tensor") == entry.name;
        });
        const std::vector<Part> first{tensor->parts.front()};
        for (const Part& part : tensor->is_replicated ? first : tensor->parts) {
            const Records& own = *devices.at(part.device);
            if (own.size() != count) {
                throw HostError{
                    HostRule::kCaptureContent,
                    fmt::format("a device has moved its part of '{}' in {} of {} inferences; let every turn "
                                "move the tensors of all devices",
                                entry.name, own.size(), count)};
            }
            for (std::size_t record = 0U; record < count; ++record) {
                std::vector<std::uint8_t>& whole = merged[record][static_cast<std::size_t>(&entry - order.data())];
                whole.insert(whole.end(), own[record].at(part.index).begin(), own[record].at(part.index).end());
            }
        }
    }
    return merged;
}

std::vector<std::uint32_t> pairs_of(const std::vector<Call>& calls, const CommandSet& command_set) {
    std::vector<std::uint32_t> pairs(calls.size(), 0U);
    const bool is_mesh = std::any_of(calls.begin(), calls.end(), [](const Call& call) { return !call.place.empty(); });
    if (is_mesh) {
        Pairs all{command_set};
        std::transform(calls.begin(), calls.end(), pairs.begin(), [&](const Call& call) { return all.add(call); });
    }
    return pairs;
}

void check_pairs(const Interpretation& interpretation, const CommandSet& command_set) {
    const Section* first = nullptr;
    std::vector<std::uint32_t> wanted;
    for (const Section& section : interpretation.sections) {
        if (section.kind != ScriptKind::kStep) {
            continue;
        }
        const std::vector<std::uint32_t> pairs = pairs_of(section.calls, command_set);
        if (first == nullptr) {
            first = &section;
            wanted = pairs;
        }
        const auto differs = std::mismatch(wanted.begin(), wanted.end(), pairs.begin(), pairs.end());
        if ((differs.first != wanted.end()) && (differs.second != pairs.end())) {
            const auto place = static_cast<std::size_t>(differs.first - wanted.begin());
            throw HostError{HostRule::kCaptureTensor,
                            fmt::format("{} (call {}) moves another part of the mesh's tensors than {} (call {}): in "
                                        "every turn the same calls must move the same shards together",
                                        section.calls[place].text(), section.calls[place].number,
                                        first->calls[place].text(), first->calls[place].number)};
        }
    }
}

}  // namespace pianola::host
