#include "tests/proofs/explorer.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <stdexcept>
#include <unordered_set>

namespace pianola::test {
namespace {

using ExploredKind = ExploredCommand::Kind;

constexpr std::size_t kDevices = 4U;
constexpr std::size_t kQueues = 2U * kDevices;
constexpr std::size_t kEventsOfDevice = 8U;
constexpr std::size_t kEvents = kEventsOfDevice * kDevices;
constexpr std::size_t kMaxCommands = 127U;  // of one queue
constexpr std::uint32_t kMaxRecords = 63U;  // of one event
// The other queue of the same device.
constexpr std::size_t other_of(std::size_t queue) noexcept {
    return queue ^ 1U;
}
constexpr std::uint32_t kHalfRange = 0x8000'0000U;
using Mask = std::bitset<kMaxCommands + 1U>;

// A command of one queue, with everything that can be known before the search.
struct Entry {
    ExploredCommand command;
    std::size_t submission{0U};
    std::size_t index{0U};  // in its submission
    std::uint32_t value{0U};
    Mask conflicts;  // commands of the other queue
    Mask before;     // those of them that were seen to be done when this one started
    Mask behind;     // those that were seen not to be
};

struct State {
    std::array<std::size_t, kQueues> done{};
    std::array<bool, kQueues> under_way{};
    std::array<std::uint32_t, kEvents> records{};  // counter - first_count

    // A byte for each queue and each event of the devices that there are; of each byte 7 + 1 bits for a queue.
    [[nodiscard]] std::string key(std::size_t devices) const {
        std::string key;
        for (std::size_t queue = 0U; queue < (2U * devices); ++queue) {
            key.push_back(static_cast<char>((done.at(queue) << 1U) | (under_way.at(queue) ? 1U : 0U)));
        }
        for (std::size_t event = 0U; event < (kEventsOfDevice * devices); ++event) {
            key.push_back(static_cast<char>(records.at(event)));
        }
        return key;
    }
};

class Search {
  public:
    Search(const std::vector<Submission>& sequence, std::uint32_t in_flight, std::uint32_t first_count)
        : sequence_{sequence}, in_flight_{in_flight}, first_count_{first_count} {
        collect();
        find_conflicts();
    }

    Findings run() {
        visit(State{});
        while (!stack_.empty()) {
            const State state = stack_.back();
            stack_.pop_back();
            expand(state);
        }
        find_reversals();
        findings_.states = visited_.size();
        return findings_;
    }

  private:
    void collect() {
        std::array<std::uint32_t, kEvents> records{};
        for (std::size_t s = 0U; s < sequence_.size(); ++s) {
            const std::vector<ExploredCommand>& commands = sequence_.at(s).commands;
            for (std::size_t i = 0U; i < commands.size(); ++i) {
                Entry entry;
                entry.command = commands.at(i);
                // From here on all devices' queues and events are numbered in one.
                entry.command.queue += 2U * entry.command.device;
                entry.command.event += static_cast<std::uint32_t>(kEventsOfDevice) * entry.command.device;
                devices_ = std::max(devices_, std::size_t{entry.command.device} + 1U);
                entry.submission = s;
                entry.index = i;
                std::uint32_t& count = records.at(entry.command.event);
                count += (entry.command.kind == ExploredKind::kRecord) ? 1U : 0U;
                entry.value = first_count_ + count;  // of a wait too: for the last record before it
                queues_.at(entry.command.queue).push_back(entry);
                if (count > kMaxRecords) {
                    throw std::length_error{"too many records for the explorer"};
                }
            }
            for (std::size_t queue = 0U; queue < kQueues; ++queue) {
                ends_.at(queue).push_back(queues_.at(queue).size());
            }
        }
        for (const auto& queue : queues_) {
            if (queue.size() > kMaxCommands) {
                throw std::length_error{"too many commands for the explorer"};
            }
        }
    }

    void find_conflicts() {
        for (std::size_t device = 0U; device < devices_; ++device) {
            find_conflicts(queues_.at(2U * device), queues_.at((2U * device) + 1U));
        }
    }

    static void find_conflicts(std::vector<Entry>& lefts, std::vector<Entry>& rights) {
        for (std::size_t left = 0U; left < lefts.size(); ++left) {
            for (std::size_t right = 0U; right < rights.size(); ++right) {
                Entry& a = lefts.at(left);
                Entry& b = rights.at(right);
                const std::uint64_t a_all = a.command.reads | a.command.writes;
                const std::uint64_t b_all = b.command.reads | b.command.writes;
                if ((a.command.kind == ExploredKind::kTouch) && (b.command.kind == ExploredKind::kTouch) &&
                    (((a.command.writes & b_all) | (b.command.writes & a_all)) != 0U)) {
                    a.conflicts.set(right);
                    b.conflicts.set(left);
                }
            }
        }
    }

    // Scripts that have completed, those before them included.
    [[nodiscard]] std::size_t completed(const State& state) const {
        std::size_t count = 0U;
        while ((count < sequence_.size()) && is_complete(state, count)) {
            count += 1U;
        }
        return count;
    }
    [[nodiscard]] bool is_complete(const State& state, std::size_t submission) const {
        bool all = true;
        for (std::size_t queue = 0U; queue < (2U * devices_); ++queue) {
            all = all && (state.done.at(queue) >= ends_.at(queue).at(submission));
        }
        return all;
    }

    [[nodiscard]] bool is_submitted(const State& state, std::size_t submission) const {
        const std::size_t done = completed(state);
        for (std::size_t s = done + 1U; s <= submission; ++s) {
            if (sequence_.at(s).when_idle) {
                return false;
            }
        }
        return submission < (done + in_flight_);
    }

    void visit(const State& state) {
        if (visited_.insert(state.key(devices_)).second) {
            stack_.push_back(state);
        }
    }

    void expand(const State& state) {
        bool moved = false;
        bool all_done = true;
        std::string nexts;
        for (std::size_t queue = 0U; queue < (2U * devices_); ++queue) {
            moved = move(state, queue) || moved;
            all_done = all_done && (state.done.at(queue) == queues_.at(queue).size());
        }
        if (!moved && !all_done && !findings_.deadlock) {
            findings_.deadlock = true;
            for (std::size_t queue = 0U; queue < (2U * devices_); ++queue) {
                nexts += ((queue == 0U) ? "" : ", ") + next_of(state, queue);
            }
            say("deadlock: " + nexts);
        }
    }

    // The only move that a queue can make, where it can make one.
    bool move(const State& state, std::size_t queue) {
        const std::size_t next = state.done.at(queue);
        if (next == queues_.at(queue).size()) {
            return false;
        }
        Entry& entry = queues_.at(queue).at(next);
        State after = state;
        if (state.under_way.at(queue)) {
            after.under_way.at(queue) = false;
            after.done.at(queue) += 1U;
        } else if (!is_submitted(state, entry.submission)) {
            return false;
        } else if (entry.command.kind == ExploredKind::kTouch) {
            note_start(state, entry, other_of(queue));
            after.under_way.at(queue) = true;
        } else {
            const std::uint32_t counter = first_count_ + state.records.at(entry.command.event);
            if ((entry.command.kind == ExploredKind::kWait) && ((counter - entry.value) >= kHalfRange)) {
                return false;
            }
            if (entry.command.kind == ExploredKind::kRecord) {
                after.records.at(entry.command.event) = entry.value - first_count_;
            }
            after.done.at(queue) += 1U;
        }
        visit(after);
        return true;
    }

    void note_start(const State& state, Entry& entry, std::size_t other) {
        const std::size_t done = state.done.at(other);
        Mask finished;
        for (std::size_t i = 0U; i < done; ++i) {
            finished.set(i);
        }
        entry.before |= entry.conflicts & finished;
        entry.behind |= entry.conflicts & ~finished;
        if (state.under_way.at(other) && entry.conflicts.test(done)) {
            race(findings_.overlap, entry, queues_.at(other).at(done), "overlap");
        }
    }

    // Commands that never overlap, and yet come in either order.
    void find_reversals() {
        for (std::size_t queue = 0U; queue < kQueues; ++queue) {
            const std::vector<Entry>& others = queues_.at(other_of(queue));
            for (const Entry& entry : queues_.at(queue)) {
                const Mask both = entry.before & entry.behind;
                for (std::size_t i = 0U; both.any() && (i < others.size()); ++i) {
                    if (both.test(i)) {
                        race(findings_.either_order, entry, others.at(i), "can run in either order");
                    }
                }
            }
        }
    }

    void race(bool& kind, const Entry& left, const Entry& right, const char* how) {
        if (!kind) {
            kind = true;
            say("race: " + name(left) + " and " + name(right) + " " + how);
        }
    }

    [[nodiscard]] std::string name(const Entry& entry) const {
        return sequence_.at(entry.submission).name + "[" + std::to_string(entry.index) + "] on queue " +
               std::to_string(entry.command.queue);
    }

    [[nodiscard]] std::string next_of(const State& state, std::size_t queue) const {
        const std::size_t next = state.done.at(queue);
        return (next == queues_.at(queue).size()) ? ("queue " + std::to_string(queue) + " is done")
                                                  : (name(queues_.at(queue).at(next)) + " is held back");
    }

    void say(const std::string& what) { findings_.what = findings_.what.empty() ? what : findings_.what; }

    const std::vector<Submission>& sequence_;
    std::uint32_t in_flight_;
    std::uint32_t first_count_;
    std::array<std::vector<Entry>, kQueues> queues_;
    std::array<std::vector<std::size_t>, kQueues> ends_;  // of every script, in the queue's commands
    std::size_t devices_{1U};
    std::unordered_set<std::string> visited_;
    std::vector<State> stack_;
    Findings findings_;
};

}  // namespace

Findings explore(const std::vector<Submission>& sequence, std::uint32_t in_flight, std::uint32_t first_count) {
    return Search{sequence, in_flight, first_count}.run();
}

}  // namespace pianola::test
