#include "capture_host/host/capture/loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "capture_host/base/interrupt.h"

namespace pianola::host {
namespace {

constexpr std::size_t kMostTurns = 4U;  // of a program's loop in one step: the most buffers that may alternate

}  // namespace

bool is_program(const Call& call) {
    return (call.kind == CallKind::kProgram) || (call.kind == CallKind::kReplay);
}

bool has(const Calls& calls, std::size_t first, std::size_t count, CallKind kind) {
    const auto begin = calls.begin() + static_cast<std::ptrdiff_t>(first);
    return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(count),
                       [kind](const Call& call) { return call.kind == kind; });
}

Calls part(const Calls& calls, std::size_t first, std::size_t count) {
    const auto begin = calls.begin() + static_cast<std::ptrdiff_t>(first);
    return Calls{begin, begin + static_cast<std::ptrdiff_t>(count)};
}

std::vector<std::uint64_t> flow_of(const Calls& calls, const CommandSet& command_set) {
    std::map<std::uint32_t, DataFlow> flows;  // devices share no memory
    for (const Call& call : calls) {
        flows.try_emplace(call.device, command_set).first->second.add(call);
    }
    std::vector<std::uint64_t> all;
    for (auto& [device, flow] : flows) {
        const std::vector<std::uint64_t> one = flow.end();
        all.insert(all.end(), {device, one.size()});
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

std::vector<std::size_t> shapes_of(const Calls& calls, const CommandSet& command_set) {
    std::map<std::vector<std::uint64_t>, std::size_t> known;
    std::vector<std::size_t> shapes;
    for (const Call& call : calls) {
        std::vector<std::uint64_t> shape = call_shape(call, command_set);
        shape.push_back(call.device);
        shapes.push_back(known.emplace(std::move(shape), known.size()).first->second);
    }
    return shapes;
}

std::vector<Loop> loops_of(const Calls& calls, const CommandSet& command_set) {
    const std::vector<std::size_t> shapes = shapes_of(calls, command_set);
    const std::size_t count = shapes.size();
    Loop best;
    std::size_t spare = 0U;
    const auto covered = [&best] { return best.turns * best.period; };
    // If less than a turn is left over, no longer loop is better. Otherwise the search would be quadratic in the calls.
    const auto is_best = [&] { return (best.turns != 0U) && ((count - covered()) < best.period); };
    for (std::size_t period = 1U; ((2U * period) <= count) && !is_best(); ++period) {
        std::size_t first = 0U;
        interrupt::check();
        for (std::size_t i = 0U; (i <= (count - period)) && ((count - first) > covered()); ++i) {
            if ((i < (count - period)) && (shapes[i] == shapes[i + period])) {
                continue;
            }
            const std::size_t length = (i - first) + period;
            const Loop loop{first, period, length / period, 0U, 0U};
            if ((loop.turns >= 2U) && ((loop.turns * period) > covered()) &&
                has(calls, first, period, CallKind::kRead) &&
                std::any_of(calls.begin() + static_cast<std::ptrdiff_t>(first),
                            calls.begin() + static_cast<std::ptrdiff_t>(first + period), is_program)) {
                best = loop;
                spare = length % period;
            }
            first = i + 1U;
        }
    }
    // Programs usually end a turn with a read.
    std::vector<Loop> loops;
    for (const bool with_read : {true, false}) {
        for (std::size_t shift = 0U; (best.turns != 0U) && (shift <= spare); ++shift) {
            const std::size_t last = (best.first + shift + best.period) - 1U;
            if ((calls[last].kind == CallKind::kRead) == with_read) {
                loops.push_back({best.first + shift, best.period, best.turns, shift, spare - shift});
            }
        }
    }
    return loops;
}

Loop unrolled(const Calls& calls, const Loop& loop, const CommandSet& command_set) {
    for (std::size_t turns = 1U; (turns <= kMostTurns) && ((2U * turns) <= loop.turns); ++turns) {
        const std::size_t period = loop.period * turns;
        const std::vector<std::uint64_t> wanted = flow_of(part(calls, loop.first, period), command_set);
        bool is_same = true;
        for (std::size_t i = 1U; is_same && (i < (loop.turns / turns)); ++i) {
            is_same = flow_of(part(calls, loop.first + (i * period), period), command_set) == wanted;
        }
        if (is_same) {
            return {loop.first, period, loop.turns / turns, loop.before, 0U};
        }
    }
    return {};
}

bool has_exchanged_inputs(const Calls& calls, const Loop& loop) {
    std::map<std::uint64_t, std::set<std::size_t>> places;  // of writes in a turn, by buffer
    for (std::size_t i = loop.first; i < loop.end(); ++i) {
        if (calls[i].kind == CallKind::kWrite) {
            places[calls[i].object].insert((i - loop.first) % loop.period);
        }
    }
    // A buffer that is written twice in every turn is two inputs.
    return std::any_of(places.begin(), places.end(), [&](const auto& entry) {
        const auto& [buffer, all] = entry;
        return (all.size() > 1U) && std::any_of(all.begin(), all.end(), [&, id = buffer](std::size_t place) {
                   for (std::size_t i = loop.first + place; i < loop.end(); i += loop.period) {
                       if (calls[i].object != id) {
                           return true;
                       }
                   }
                   return false;
               });
    });
}

namespace {

std::string named(const Call& call) {
    return fmt::format("{} (call {})", call.text(), call.number);
}

// Two ranges of calls of the same shapes, compared call by call.
class Comparison {
  public:
    Comparison(const Calls& calls, const CommandSet& command_set) : calls_{calls}, command_set_{command_set} {}

    // Writers are call positions within the range, so that they can be compared.
    std::vector<Origin> read_by(std::size_t place) {
        Call call = calls_.at(place);
        call.number = place + 1U;
        return flows_.try_emplace(call.device, command_set_).first->second.add_named(call);
    }
    [[nodiscard]] std::string what(const Origin& origin) const {
        const std::uint64_t writer = DataFlow::call_of(origin.writer);
        return (writer == 0U) ? fmt::format("what it finds at 0x{:08X}", origin.offset)
                              : fmt::format("what {} has written", named(calls_.at(writer - 1U)));
    }

  private:
    const Calls& calls_;
    const CommandSet& command_set_;
    std::map<std::uint32_t, DataFlow> flows_;  // by device
};

std::string difference(const Calls& one, const Calls& other, const CommandSet& command_set) {
    Comparison left{one, command_set};
    Comparison right{other, command_set};
    for (std::size_t i = 0U; i < one.size(); ++i) {
        const std::vector<Origin> some = left.read_by(i);
        const std::vector<Origin> others = right.read_by(i);
        const auto differs = std::mismatch(some.begin(), some.end(), others.begin(), others.end());
        if ((differs.first != some.end()) && (differs.second != others.end())) {
            return fmt::format("{} reads {}, where {} reads {}", named(other[i]), right.what(*differs.second),
                               named(one[i]), left.what(*differs.first));
        }
    }
    return fmt::format(
        "the turn from {} to {} leaves other contents than the turn from {} to {} in memory that a "
        "later turn finds",
        named(other.front()), named(other.back()), named(one.front()), named(one.back()));
}

// The calls from `begin` up to the first non-read after a read, if there is a program before it, and a write if
// required.
std::optional<std::size_t> end_of_stretch(const Calls& calls, std::size_t begin, bool wants_write) {
    bool has_write = !wants_write;
    bool has_program = false;
    bool has_read = false;
    for (std::size_t i = begin; i < calls.size(); ++i) {
        const bool is_read = calls[i].kind == CallKind::kRead;
        if (has_write && has_program && has_read && !is_read) {
            return i;
        }
        has_write = has_write || (calls[i].kind == CallKind::kWrite);
        has_program = has_program || is_program(calls[i]);
        has_read = has_read || (is_read && has_program);
    }
    return (has_write && has_program && has_read) ? std::optional<std::size_t>{calls.size()} : std::nullopt;
}

// Whether the given number of quarters of the shorter range have counterparts in the other one: [0, middle) and
// [middle, end).
bool are_mostly_alike(const std::vector<std::size_t>& shapes, std::size_t middle, std::size_t end,
                      std::size_t quarters) {
    std::multiset<std::size_t> left{shapes.begin(), shapes.begin() + static_cast<std::ptrdiff_t>(middle)};
    std::size_t common = 0U;
    for (std::size_t i = middle; i < end; ++i) {
        const auto found = left.find(shapes[i]);
        if (found != left.end()) {
            left.erase(found);
            common += 1U;
        }
    }
    return (4U * common) >= (quarters * std::min(middle, end - middle));
}

}  // namespace

std::string turn_difference(const Calls& calls, const Loop& loop, const CommandSet& command_set) {
    const Calls first = part(calls, loop.first, loop.period);
    const std::vector<std::uint64_t> wanted = flow_of(first, command_set);
    for (std::size_t i = 1U; i < loop.turns; ++i) {
        const Calls turn = part(calls, loop.first + (i * loop.period), loop.period);
        if (flow_of(turn, command_set) != wanted) {
            return difference(first, turn, command_set);
        }
    }
    return {};
}

std::string stretch_difference(const Calls& calls, const CommandSet& command_set) {
    const std::optional<std::size_t> first = end_of_stretch(calls, 0U, true);
    const std::optional<std::size_t> second = first.has_value() ? end_of_stretch(calls, *first, false) : std::nullopt;
    if (!second.has_value()) {
        return {};
    }
    const std::vector<std::size_t> shapes = shapes_of(calls, command_set);
    const bool has_write = has(calls, *first, *second - *first, CallKind::kWrite);
    if (!are_mostly_alike(shapes, *first, *second, has_write ? 2U : 3U)) {
        return {};  // two parts of one inference
    }
    // From the end, because differences at the beginning may be set-up.
    std::size_t one = *first;
    std::size_t other = *second;
    while ((one > 0U) && (other > *first)) {
        one -= 1U;
        other -= 1U;
        if (shapes[one] != shapes[other]) {
            return fmt::format("{} stands where {} stands before it", named(calls[other]), named(calls[one]));
        }
    }
    const bool is_first_longer = one > 0U;
    return fmt::format("{} has no counterpart in the {} turn", named(calls[(is_first_longer ? one : other) - 1U]),
                       is_first_longer ? "next" : "one before");
}

}  // namespace pianola::host
