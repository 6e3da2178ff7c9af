#include "capture_host/capture/memory_planner.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace pianola::capture {
namespace {

using Order = std::vector<std::size_t>;

// How a gap between placed buffers is chosen.
enum class Fit : std::uint8_t { kLowest, kTightest };

struct Attempt {
    std::vector<std::uint64_t> offsets;
    std::uint64_t planned_bytes{std::numeric_limits<std::uint64_t>::max()};
};

constexpr std::uint64_t kImprovementSteps = 32'000'000U;  // buffer visits spent on improvement, about 0.1 s
constexpr std::uint64_t kMaxImprovements = 1'000U;

// Sizes rounded up to the alignment.
std::vector<Lifetime> aligned(const std::vector<Lifetime>& lifetimes) {
    constexpr std::uint64_t kMaxSumBytes = (std::uint64_t{1} << 63U) - kPlanAlignmentBytes;
    std::vector<Lifetime> result = lifetimes;
    std::uint64_t sum = 0U;
    for (Lifetime& lifetime : result) {
        if (lifetime.last < lifetime.first) {
            throw std::invalid_argument("a lifetime ends before it starts");
        }
        const std::uint64_t units = (lifetime.size_bytes + (kPlanAlignmentBytes - 1U)) / kPlanAlignmentBytes;
        if ((lifetime.size_bytes > kMaxSumBytes) || ((units * kPlanAlignmentBytes) > (kMaxSumBytes - sum))) {
            throw std::invalid_argument("the sizes of the buffers do not add up within 63 bits");
        }
        lifetime.size_bytes = units * kPlanAlignmentBytes;
        sum += lifetime.size_bytes;
    }
    return result;
}

bool alive_together(const Lifetime& a, const Lifetime& b) {
    return (a.first <= b.last) && (b.first <= a.last);
}

// What may share memory, besides buffers that are not alive together.
class Overlaps {
  public:
    Overlaps(const std::vector<Lifetime>& buffers, const std::vector<Overlap>& overlaps) : buffers_{buffers} {
        for (const Overlap& each : overlaps) {
            of_pair_[{each.input, each.output}] = &each.distances;
        }
    }
    [[nodiscard]] bool empty() const { return of_pair_.empty(); }

    // The lowest offset from `offset` on at which the buffer does not conflict with another, which is at `placed` and
    // alive together with it.
    [[nodiscard]] std::uint64_t next(std::size_t buffer, std::uint64_t offset, std::size_t other,
                                     std::uint64_t placed) const {
        const std::uint64_t end = placed + buffers_[other].size_bytes;
        const auto* const below = find(other, buffer);  // the buffer is the output
        const auto* const above = find(buffer, other);
        while ((offset < end) && ((offset + buffers_[buffer].size_bytes) > placed)) {
            if (((below != nullptr) && (offset <= placed) && permits(*below, placed - offset)) ||
                ((above != nullptr) && (offset >= placed) && permits(*above, offset - placed))) {
                return offset;
            }
            offset = ((below == nullptr) && (above == nullptr)) ? end : (offset + kPlanAlignmentBytes);
        }
        return offset;
    }

    // By how many bytes the output of a command can overlap its inputs, at most.
    [[nodiscard]] std::uint64_t most_shared_bytes(std::size_t output) const {
        std::uint64_t shared = 0U;
        for (const auto& [pair, distances] : of_pair_) {
            const auto least = std::find(distances->begin(), distances->end(), true) - distances->begin();
            const std::uint64_t distance = static_cast<std::uint64_t>(least) * kPlanAlignmentBytes;
            if ((pair.second == output) && (distance < buffers_[output].size_bytes)) {
                shared += std::min(buffers_[output].size_bytes - distance, buffers_[pair.first].size_bytes);
            }
        }
        return std::min(shared, buffers_[output].size_bytes);
    }

  private:
    [[nodiscard]] const std::vector<bool>* find(std::size_t input, std::size_t output) const {
        const auto found = of_pair_.find({input, output});
        return (found == of_pair_.end()) ? nullptr : found->second;
    }
    [[nodiscard]] static bool permits(const std::vector<bool>& distances, std::uint64_t distance) {
        const std::uint64_t index = distance / kPlanAlignmentBytes;
        return (index < distances.size()) && distances[static_cast<std::size_t>(index)];
    }

    const std::vector<Lifetime>& buffers_;
    std::map<std::pair<std::size_t, std::size_t>, const std::vector<bool>*> of_pair_;
};

// Fills in the lower bound, which is reached where a buffer's life begins.
void find_peak(const std::vector<Lifetime>& buffers, const Overlaps& overlaps, MemoryPlan& plan) {
    for (const Lifetime& at : buffers) {
        std::uint64_t alive = 0U;
        std::uint64_t shared = 0U;
        for (std::size_t i = 0U; i < buffers.size(); ++i) {
            const bool is_alive = (buffers[i].first <= at.first) && (at.first <= buffers[i].last);
            alive += is_alive ? buffers[i].size_bytes : 0U;
            shared += (buffers[i].first == at.first) ? overlaps.most_shared_bytes(i) : 0U;
        }
        if ((alive - shared) > plan.lower_bound_bytes) {
            plan.lower_bound_bytes = alive - shared;
            plan.peak_command = at.first;
        }
    }
}

// The lowest place of a buffer, of those placed in order of offset.
std::uint64_t find_lowest(const std::vector<Lifetime>& buffers, std::size_t buffer, const Order& placed,
                          const std::vector<std::uint64_t>& offsets, const Overlaps& overlaps) {
    std::uint64_t offset = 0U;
    for (bool moves = true; moves;) {
        const std::uint64_t before = offset;
        for (const std::size_t other : placed) {
            if (alive_together(buffers[other], buffers[buffer])) {
                offset = overlaps.next(buffer, offset, other, offsets[other]);
            }
        }
        moves = offset != before;
    }
    return offset;
}

// The place of `buffer`, given the placed ones in order of offset.
std::uint64_t find_place(const std::vector<Lifetime>& buffers, const Lifetime& buffer, const Order& placed,
                         const std::vector<std::uint64_t>& offsets, Fit fit) {
    std::uint64_t gap_start = 0U;
    std::uint64_t best_offset = 0U;
    std::uint64_t best_gap = std::numeric_limits<std::uint64_t>::max();
    bool found = false;
    for (const std::size_t other : placed) {
        if (!alive_together(buffers[other], buffer)) {
            continue;
        }
        if (offsets[other] > gap_start) {
            const std::uint64_t gap = offsets[other] - gap_start;
            if ((gap >= buffer.size_bytes) && (gap < best_gap)) {
                best_offset = gap_start;
                best_gap = gap;
                found = true;
                if (fit == Fit::kLowest) {
                    break;
                }
            }
        }
        gap_start = std::max(gap_start, offsets[other] + buffers[other].size_bytes);
    }
    return found ? best_offset : gap_start;
}

Attempt place_in_order(const std::vector<Lifetime>& buffers, const Overlaps& overlaps, const Order& order, Fit fit) {
    Attempt attempt{std::vector<std::uint64_t>(buffers.size(), 0U), 0U};
    Order placed;
    placed.reserve(order.size());
    for (const std::size_t index : order) {
        if (buffers[index].size_bytes == 0U) {
            continue;
        }
        const std::uint64_t offset = overlaps.empty()
                                         ? find_place(buffers, buffers[index], placed, attempt.offsets, fit)
                                         : find_lowest(buffers, index, placed, attempt.offsets, overlaps);
        attempt.offsets[index] = offset;
        attempt.planned_bytes = std::max(attempt.planned_bytes, offset + buffers[index].size_bytes);
        const auto position = std::upper_bound(
            placed.begin(), placed.end(), offset,
            [&attempt](std::uint64_t value, std::size_t other) { return value < attempt.offsets[other]; });
        placed.insert(position, index);
    }
    return attempt;
}

// The orders to try: larger key first, ties by index.
std::vector<Order> candidate_orders(const std::vector<Lifetime>& buffers) {
    const auto duration = [](const Lifetime& l) { return std::uint64_t{l.last} - l.first + 1U; };
    const auto area = [&duration](const Lifetime& l) {
        return static_cast<double>(l.size_bytes) * static_cast<double>(duration(l));
    };
    const auto sorted_by = [&buffers](auto key) {
        Order order(buffers.size());
        std::iota(order.begin(), order.end(), std::size_t{0U});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            const auto key_a = key(buffers[a]);
            const auto key_b = key(buffers[b]);
            return (key_a > key_b) || ((key_a == key_b) && (a < b));
        });
        return order;
    };
    return {
        sorted_by([](const Lifetime& l) { return l.size_bytes; }),
        sorted_by([&area](const Lifetime& l) { return area(l); }),
        sorted_by([&duration](const Lifetime& l) { return std::make_pair(duration(l), l.size_bytes); }),
        sorted_by([](const Lifetime& l) {
            return std::make_pair(std::numeric_limits<std::uint32_t>::max() - l.first, l.size_bytes);
        }),
        sorted_by([](const Lifetime& l) { return std::make_pair(l.last, l.size_bytes); }),
    };
}

// xorshift32 by Marsaglia: a fixed sequence, so that plans are reproducible.
class Sequence {
  public:
    std::size_t below(std::size_t bound) {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 17U;
        state_ ^= state_ << 5U;
        return static_cast<std::size_t>(state_) % bound;
    }

  private:
    std::uint32_t state_{0x9E37'79B9U};
};

// Moves buffers towards the front of the order, half of the time one that ends at the top of the arena, and keeps moves
// that do not make the plan larger.
Attempt improved(const std::vector<Lifetime>& buffers, const Overlaps& overlaps, Order order, Fit fit, Attempt best,
                 std::uint64_t bound) {
    const std::uint64_t visits_per_try = static_cast<std::uint64_t>(buffers.size()) * buffers.size();
    const std::uint64_t tries =
        std::min(kMaxImprovements, kImprovementSteps / std::max<std::uint64_t>(visits_per_try, 1U));
    Sequence sequence;
    for (std::uint64_t i = 0U; (i < tries) && (best.planned_bytes > bound); ++i) {
        std::size_t from = sequence.below(order.size());
        if ((i % 2U) == 0U) {
            for (std::size_t step = 0U; step < order.size(); ++step) {
                const std::size_t index = order[(from + step) % order.size()];
                if ((best.offsets[index] + buffers[index].size_bytes) == best.planned_bytes) {
                    from = (from + step) % order.size();
                    break;
                }
            }
        }
        const std::size_t to = sequence.below(from + 1U);
        Order changed = order;
        const std::size_t moved = changed[from];
        changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(from));
        changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(to), moved);
        Attempt attempt = place_in_order(buffers, overlaps, changed, fit);
        if (attempt.planned_bytes <= best.planned_bytes) {
            best = std::move(attempt);
            order = std::move(changed);
        }
    }
    return best;
}

// The best of all attempts.
Attempt best_attempt(const std::vector<Lifetime>& buffers, const Overlaps& overlaps, std::uint64_t bound) {
    Attempt best;
    Order best_order;
    Fit best_fit = Fit::kLowest;
    for (const Order& order : candidate_orders(buffers)) {
        for (const Fit fit : {Fit::kLowest, Fit::kTightest}) {
            if (best.planned_bytes == bound) {
                break;
            }
            Attempt attempt = place_in_order(buffers, overlaps, order, fit);
            if (attempt.planned_bytes < best.planned_bytes) {
                best = std::move(attempt);
                best_order = order;
                best_fit = fit;
            }
        }
    }
    return improved(buffers, overlaps, std::move(best_order), best_fit, std::move(best), bound);
}

}  // namespace

MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes, const std::vector<Overlap>& overlaps) {
    const std::vector<Lifetime> buffers = aligned(lifetimes);
    const Overlaps none{buffers, {}};
    const Overlaps permitted{buffers, overlaps};
    MemoryPlan plan;
    find_peak(buffers, permitted, plan);
    for (const Lifetime& buffer : buffers) {
        plan.sum_bytes += buffer.size_bytes;
    }
    if (plan.sum_bytes == 0U) {
        plan.offsets.assign(buffers.size(), 0U);
        return plan;
    }
    Attempt best = best_attempt(buffers, none, plan.lower_bound_bytes);
    if (!permitted.empty()) {
        Attempt overlapping = best_attempt(buffers, permitted, plan.lower_bound_bytes);
        if (overlapping.planned_bytes < best.planned_bytes) {
            best = std::move(overlapping);
        }
    }
    plan.offsets = std::move(best.offsets);
    plan.planned_bytes = best.planned_bytes;
    return plan;
}

}  // namespace pianola::capture
