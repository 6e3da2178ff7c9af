// Explorer: what the queues of devices can do with a sequence of scripts, by trying everything.
//
// The proofs of runtime/plan reason about records and waits; this does not reason at all. It walks every reachable
// state of the device's own semantics, so that what the proofs call safe can be held against it:
//   - each queue executes its commands in order;
//   - a transfer or replay takes time: its start and its finish are moves of their own, between which any other queue
//     may move;
//   - a device has two queues, memory and events of its own; a script is complete when it is on all of them;
//   - a record sets the event's counter; a wait is held back while counter - value, in 32 bits, is 2^31 or more;
//   - the host submits a script when fewer than `in_flight` scripts are under way, or, where the script says so, none.
// Throws std::length_error where a sequence is longer than a state can hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pianola::test {

struct ExploredCommand {
    enum class Kind { kTouch, kRecord, kWait };

    Kind kind{Kind::kTouch};
    std::uint32_t queue{0U};  // 0 or 1, of the device
    std::uint64_t reads{0U};  // kTouch: a bit per byte of a small memory, or per other thing that can not be shared
    std::uint64_t writes{0U};
    std::uint32_t event{0U};   // kRecord, kWait: 0 to 7, of the device
    std::uint32_t device{0U};  // 0 to 3
};

struct Submission {
    std::string name;  // for messages
    std::vector<ExploredCommand> commands;
    bool when_idle{false};  // submitted only when everything before it has completed
};

struct Findings {
    // Two commands of different queues touch a common byte, one writes; and they can be under way at once, or run in
    // either order.
    bool overlap{false};
    bool either_order{false};
    // A state that nothing leads out of, with commands left.
    bool deadlock{false};
    std::string what;  // the first of them, in words
    std::size_t states{0U};

    [[nodiscard]] bool race() const noexcept { return overlap || either_order; }
    [[nodiscard]] bool safe() const noexcept { return !race() && !deadlock; }
};

// The sequence as the host submits it. Counters stand at first_count when it begins, as after that many records of
// every event.
[[nodiscard]] Findings explore(const std::vector<Submission>& sequence, std::uint32_t in_flight,
                               std::uint32_t first_count = 0U);

}  // namespace pianola::test
