#include "capture_host/timeline/lifetimes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "capture_host/base/range_set.h"

namespace pianola::timeline {
namespace {

using host::ByteRange;
using host::RangeSet;

class Walk {
  public:
    explicit Walk(const Workload& workload) : workload_{workload}, used_(workload.buffers.size(), false) {}

    Lifetimes run() {
        std::map<std::uint32_t, Operator> operators;
        for (const Operator& each : operators_of(workload_)) {
            operators[each.operation] = each;
        }
        for (const ScriptCommand& each : workload_.step) {
            if ((each.kind == QueueCommandKind::kWrite) || (each.kind == QueueCommandKind::kRead)) {
                begin({each.label, {}, 0U});
                touch(each.address, each.bytes, each.kind == QueueCommandKind::kWrite);
                end();
            } else if (each.kind == QueueCommandKind::kReplay) {
                replay(workload_.traces.at(each.trace), operators);
            }
        }
        finish();
        return std::move(lifetimes_);
    }

  private:
    void replay(const std::vector<TraceCommand>& trace, const std::map<std::uint32_t, Operator>& operators) {
        std::uint32_t current = 0U;
        for (const TraceCommand& command : trace) {
            if ((command.operation != 0U) && (command.operation != current)) {
                if (current != 0U) {
                    end();
                }
                current = command.operation;
                const Operator& each = operators.at(current);
                begin({each.name, each.kind, current});
            }
            for (const Touched& each : command.touched) {
                touch(each.address, each.hull_bytes, each.writes);
            }
        }
        if (current != 0U) {
            end();
        }
    }

    void begin(const Place& place) { lifetimes_.places.push_back(place); }

    void touch(std::uint64_t address, std::uint64_t bytes, bool writes) {
        (writes ? writes_ : reads_).add(address, address + bytes);
    }

    // Reads before writes: an operator that works in place needs the data that it overwrites. Data that it wrote itself
    // do not count as read from before.
    void end() {
        const std::size_t here = lifetimes_.places.size() - 1U;
        const RangeSet written = std::exchange(writes_, {});
        const RangeSet read_here = std::exchange(reads_, {});
        for (const ByteRange& each : read_here.ranges()) {
            read(each, written, here);
        }
        for (const ByteRange& each : written.ranges()) {
            write(each, here);
        }
    }

    void read(const ByteRange& bytes, const RangeSet& written, std::size_t here) {
        bool is_known = false;
        for (const std::size_t index : living_) {
            if (left_[index].intersects(bytes)) {
                lifetimes_.values[index].used_at = here;
                is_known = true;
            }
        }
        if (!is_known && !written.intersects(bytes)) {
            add(bytes, 0U, here, true);
        }
    }

    // A buffer that is filled in pieces is one value until it is used. Any other write makes a new value.
    void write(const ByteRange& bytes, std::size_t here) {
        for (const std::size_t index : living_) {
            Value& value = lifetimes_.values[index];
            const ByteRange old = bytes_of(value);
            const bool is_unused = !value.from_before && (value.used_at == value.made_at);
            if (is_unused && !covers(bytes, old) && lies_in(value_buffers_[index], bytes)) {
                value.address = std::min(bytes.begin, old.begin);
                value.bytes = std::max(bytes.end, old.end) - value.address;
                left_[index].add(bytes);
                filled_at_[index] = here;
                return;
            }
        }
        for (const std::size_t index : living_) {
            left_[index].remove(bytes.begin, bytes.end);
        }
        const auto is_over = [this](std::size_t index) { return left_[index].empty(); };
        living_.erase(std::remove_if(living_.begin(), living_.end(), is_over), living_.end());
        add(bytes, here, here, false);
    }

    void add(const ByteRange& bytes, std::size_t made_at, std::size_t used_at, bool from_before) {
        const std::optional<std::size_t> region = region_of(bytes.begin);
        if (!region.has_value()) {
            return;
        }
        const std::optional<std::size_t> buffer = next_buffer(bytes);
        Value value;
        value.name = buffer.has_value() ? workload_.buffers[*buffer].name : workload_.regions[*region].name;
        value.region = *region;
        value.address = bytes.begin;
        value.bytes = bytes.end - bytes.begin;
        value.made_at = made_at;
        value.used_at = used_at;
        value.from_before = from_before;
        living_.push_back(lifetimes_.values.size());
        value_buffers_.push_back(buffer);
        filled_at_.push_back(used_at);
        left_.emplace_back().add(bytes);
        lifetimes_.values.push_back(value);
    }

    // Buffers may share bytes, and the manifest has them in the order of their use: of those that hold the bytes, one
    // that no value has had yet, exactly these bytes first; else the last.
    [[nodiscard]] std::optional<std::size_t> next_buffer(const ByteRange& bytes) {
        std::optional<std::size_t> exact;
        std::optional<std::size_t> unused;
        std::optional<std::size_t> last;
        for (std::size_t i = 0U; i < workload_.buffers.size(); ++i) {
            const NamedBuffer& buffer = workload_.buffers[i];
            const ByteRange whole{buffer.address, buffer.address + buffer.bytes};
            if (covers(whole, bytes)) {
                last = i;
                unused = (!used_[i] && !unused.has_value()) ? i : unused;
                exact = (!used_[i] && (whole == bytes) && !exact.has_value()) ? i : exact;
            }
        }
        const std::optional<std::size_t> chosen = exact.has_value() ? exact : (unused.has_value() ? unused : last);
        if (chosen.has_value()) {
            used_[*chosen] = true;
        }
        return chosen;
    }

    [[nodiscard]] bool lies_in(const std::optional<std::size_t>& buffer, const ByteRange& bytes) const {
        if (!buffer.has_value()) {
            return false;
        }
        const NamedBuffer& each = workload_.buffers[*buffer];
        return covers({each.address, each.address + each.bytes}, bytes);
    }

    [[nodiscard]] std::optional<std::size_t> region_of(std::uint64_t address) const {
        for (std::size_t i = 0U; i < workload_.regions.size(); ++i) {
            const NamedRegion& region = workload_.regions[i];
            const bool is_constant = (region.kind == RegionKind::kWeights) || (region.kind == RegionKind::kTrace);
            if ((address >= region.base) && ((address - region.base) < region.bytes) && !is_constant) {
                return i;
            }
        }
        return std::nullopt;
    }

    static bool covers(const ByteRange& outer, const ByteRange& inner) {
        return (outer.begin <= inner.begin) && (inner.end <= outer.end);
    }
    [[nodiscard]] static ByteRange bytes_of(const Value& value) { return {value.address, value.address + value.bytes}; }

    // State stays, and so does an input that no operator of this step reads: it is for the next step.
    void finish() {
        if (lifetimes_.places.empty()) {
            return;
        }
        for (std::size_t i = 0U; i < lifetimes_.values.size(); ++i) {
            Value& value = lifetimes_.values[i];
            value.used_at = std::max(value.used_at, filled_at_[i]);
            const bool is_living = std::find(living_.begin(), living_.end(), i) != living_.end();
            const bool is_state = workload_.regions[value.region].kind == RegionKind::kState;
            const bool is_unread_input = (value.used_at == value.made_at) && !value.from_before &&
                                         (lifetimes_.places[value.made_at].operation == 0U);
            value.stays = is_living && (is_state || is_unread_input);
            value.used_at = value.stays ? (lifetimes_.places.size() - 1U) : value.used_at;
        }
        for (std::size_t at = 0U; at < lifetimes_.places.size(); ++at) {
            RangeSet needed;
            RangeSet activations;
            for (const Value& value : lifetimes_.values) {
                if ((value.made_at <= at) && (at <= value.used_at)) {
                    needed.add(bytes_of(value));
                    if (workload_.regions[value.region].kind == RegionKind::kActivation) {
                        activations.add(bytes_of(value));
                    }
                }
            }
            if (needed.size() > lifetimes_.most_bytes) {
                lifetimes_.most_bytes = needed.size();
                lifetimes_.most_at = at;
            }
            if (activations.size() > lifetimes_.most_activation_bytes) {
                lifetimes_.most_activation_bytes = activations.size();
                lifetimes_.most_activations_at = at;
            }
        }
    }

    const Workload& workload_;
    std::vector<bool> used_;  // buffers that a value has had
    RangeSet reads_;
    RangeSet writes_;
    std::vector<std::size_t> living_;  // values of which something is left
    std::vector<std::optional<std::size_t>> value_buffers_;
    std::vector<std::size_t> filled_at_;
    std::vector<RangeSet> left_;  // of each value: its bytes that nothing has overwritten
    Lifetimes lifetimes_;
};

}  // namespace

Lifetimes find_lifetimes(const Workload& workload) {
    return Walk{workload}.run();
}

}  // namespace pianola::timeline
