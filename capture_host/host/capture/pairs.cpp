#include "capture_host/host/capture/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "capture_host/host/capture/data_flow.h"

namespace pianola::host {
namespace {

bool is_transfer(const Call& call) {
    return (call.kind == CallKind::kWrite) || (call.kind == CallKind::kRead);
}

// The bytes that a call reads and writes.
struct Touched {
    RangeSet reads;
    RangeSet writes;
};

Touched touched_by(const Call& call, const CommandSet& command_set) {
    Touched touched;
    if (is_transfer(call)) {
        for (const AddressRange& run : call.buffer->runs) {
            (call.kind == CallKind::kRead ? touched.reads : touched.writes)
                .add(run.address, std::uint64_t{run.address} + run.bytes);
        }
    } else if (call.trace != nullptr) {
        (void)targets::for_each_command(
            command_set, words_of(call), [&](std::uint32_t /*at*/, const DecodedCommand& command) {
                for (const Extent& extent : command.extents.view()) {
                    for_each_run(extent, [&](std::uint64_t begin, std::uint64_t end) {
                        (extent.access == Access::kRead ? touched.reads : touched.writes).add(begin, end);
                    });
                }
            });
    } else {
        // Events touch no memory.
    }
    return touched;
}

class Pairs {
  public:
    explicit Pairs(const CommandSet& command_set) : command_set_{command_set} {}

    std::uint32_t add(const Call& call) {
        const std::uint32_t group = is_transfer(call) ? group_of(call) : 0U;
        const Touched touched = touched_by(call, command_set_);
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
            Open made{++groups_, {call.device}, {}};
            for (const AddressRange& run : call.buffer->runs) {
                made.bytes.add(run.address, std::uint64_t{run.address} + run.bytes);
            }
            open_[key] = std::move(made);
        }
        return open_.at(key).group;
    }

    const CommandSet& command_set_;
    std::uint32_t groups_{0U};
    std::map<std::tuple<CallKind, std::uint64_t, std::uint64_t>, std::uint32_t> by_call_;
    std::map<Key, Open> open_;
};

}  // namespace

std::vector<std::uint32_t> pairs_of(const std::vector<Call>& calls, const CommandSet& command_set) {
    std::vector<std::uint32_t> pairs(calls.size(), 0U);
    const bool is_mesh = std::any_of(calls.begin(), calls.end(), [](const Call& call) { return !call.place.empty(); });
    if (is_mesh) {
        Pairs all{command_set};
        std::transform(calls.begin(), calls.end(), pairs.begin(), [&](const Call& call) { return all.add(call); });
    }
    return pairs;
}

void check_pairs(const Reading& reading, const CommandSet& command_set) {
    const Section* first = nullptr;
    std::vector<std::uint32_t> wanted;
    for (const Section& section : reading.sections) {
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
