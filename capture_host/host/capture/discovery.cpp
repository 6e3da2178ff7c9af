#include "capture_host/host/capture/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "capture_host/host/capture/loops.h"
#include "capture_host/host/capture/sections.h"

namespace pianola::host {
namespace {

// "calls 3 to 14", by their numbers in the program.
std::string span_of(const Calls& calls, std::size_t first, std::size_t end) {
    const auto begin = calls.begin() + static_cast<std::ptrdiff_t>(first);
    const auto [least, greatest] =
        std::minmax_element(begin, calls.begin() + static_cast<std::ptrdiff_t>(end),
                            [](const Call& one, const Call& other) { return one.number < other.number; });
    return fmt::format("calls {} to {}", least->number, greatest->number);
}

// Finds the possible meanings of calls without marks.
class Finder {
  public:
    Finder(const Declarations& declarations, const std::set<std::uint64_t>& read, const CommandSet& command_set)
        : declarations_{declarations}, read_{read}, command_set_{command_set} {}

    void search(const Calls& calls, bool as_written) {
        for (const Loop& candidate : loops_of(calls, command_set_)) {
            if (!as_written && !is_plain(calls, candidate)) {
                continue;
            }
            const Loop loop = unrolled(calls, candidate, command_set_);
            if (loop.turns != 0U) {
                take(calls, candidate, loop, as_written);
                continue;
            }
            note_unlike(calls, candidate);
            // The calls before the loop may look like a turn.
            const Loop later{candidate.first + candidate.period, candidate.period, candidate.turns - 1U, 0U,
                             candidate.after};
            const Loop rest = unrolled(calls, later, command_set_);
            if (rest.turns != 0U) {
                needs_all_ = true;
                take(calls, later, rest, as_written);
            }
        }
    }

    // One step, if no turns are alike; else only if no other reading is valid.
    std::vector<Reading> readings(const Calls& calls) {
        if (!is_loop_as_written_ || readings_.empty() || needs_all_) {
            if (unlike_.empty()) {
                note_stretches(calls);
            }
            Reading single = single_step(calls, declarations_, read_, command_set_);
            single.found = unlike_.empty() ? found_ : unlike_;
            if (!unlike_.empty()) {
                single.warnings.push_back(unlike_);
            }
            readings_.insert(is_loop_ ? readings_.end() : readings_.begin(), std::move(single));
        }
        return std::move(readings_);
    }

  private:
    // For calls in the order of turns: no output of a turn is before the loop, inputs keep their buffers, and data that
    // nothing reads is written for turns that never came, and not in every turn.
    static bool is_plain(const Calls& calls, const Loop& loop) {
        const auto after = calls.begin() + static_cast<std::ptrdiff_t>(loop.end());
        const auto idle =
            std::count_if(after, calls.end(), [](const Call& call) { return call.kind == CallKind::kWrite; });
        return !has(calls, 0U, loop.first, CallKind::kRead) && !has_exchanged_inputs(calls, loop) &&
               (static_cast<std::size_t>(idle) < loop.turns);
    }

    void take(const Calls& calls, const Loop& candidate, const Loop& loop, bool as_written) {
        // Turns without data from the host are layers of one inference, if a step has room for them.
        const bool is_loop = has(calls, loop.first, loop.period, CallKind::kWrite);
        is_loop_ = is_loop_ || is_loop;
        is_loop_as_written_ = is_loop_as_written_ || (is_loop && as_written);
        found_ = fmt::format("{} of the program were taken for its loop: {} turns of {}",
                             span_of(calls, loop.first, loop.end()), loop.turns, loop.period);
        add(calls, candidate, loop);
    }

    void note_unlike(const Calls& calls, const Loop& loop) {
        if (unlike_.empty()) {
            unlike_ = fmt::format(
                "{} of the program look like {} turns of {}, but they do not compute the same, also not by twos, "
                "threes or fours, so that all calls are one step; the first difference: {}",
                span_of(calls, loop.first, loop.end()), loop.turns, loop.period,
                turn_difference(calls, loop, command_set_));
        }
    }

    void note_stretches(const Calls& calls) {
        const std::string difference = stretch_difference(calls, command_set_);
        if (!difference.empty()) {
            unlike_ = fmt::format(
                "no calls repeat with a program and a read in each turn, so that all of them are one step; the first "
                "difference between two turns: {}",
                difference);
        }
    }

    void add(const Calls& calls, const Loop& candidate, const Loop& loop) {
        const auto has_work = [&calls](std::size_t from) {
            return std::any_of(calls.begin() + static_cast<std::ptrdiff_t>(from), calls.end(),
                               [](const Call& call) { return is_program(call) || (call.kind == CallKind::kRead); });
        };
        const std::size_t end = candidate.end() + candidate.after;
        std::vector<std::string> warnings;
        std::size_t idle = loop.end();  // from here on nothing is computed or read
        if (has_work(loop.end())) {
            push(calls, loop, calls, true, warnings);
            if (has_work(end) || !has_whole_turns(calls, loop)) {
                note_needed(calls, candidate, loop);
                return;
            }
            warnings.push_back(left_over(calls, candidate, loop));
            idle = end;
        }
        for (std::size_t i = idle; i < calls.size(); ++i) {
            if (calls[i].kind == CallKind::kWrite) {
                warnings.push_back(
                    fmt::format("{} (call {}) comes after the loop, and nothing reads it: it is left out",
                                calls[i].text(), calls[i].number));
            }
        }
        // Left-over calls, and writes that nothing reads, are no epilogue.
        const Calls used = warnings.empty() ? calls : part(calls, 0U, loop.end());
        push(calls, loop, used, false, warnings);
        push(calls, loop, used, true, warnings);
    }

    // A turn that begins with a read gives results of calls before the loop.
    static bool has_whole_turns(const Calls& calls, const Loop& loop) {
        return (calls[loop.first].kind != CallKind::kRead) && (calls[loop.end() - 1U].kind == CallKind::kRead);
    }

    void push(const Calls& calls, const Loop& loop, const Calls& used, bool with_prologue,
              const std::vector<std::string>& warnings) {
        readings_.push_back(reading(sections_of(used, loop, with_prologue), declarations_, read_, command_set_));
        readings_.back().found = found_;
        readings_.back().warnings = warnings;
        for (std::size_t i = loop.first - loop.before; i < loop.first; ++i) {
            readings_.back().turn_ends.insert(calls[i].number);
        }
        note_front(calls, loop, readings_.back());
    }

    // Left-over turns are kept if the program continues after them.
    void note_needed(const Calls& calls, const Loop& candidate, const Loop& loop) {
        if ((loop.end() < candidate.end()) && (candidate.end() < calls.size()) && unlike_.empty()) {
            needs_all_ = true;
            const Call& next = calls[candidate.end()];
            unlike_ = fmt::format(
                "{}, and the program goes on after that, so that all calls are one step; the first one that differs "
                "from a turn: {} (call {})",
                rest_of(calls, candidate, loop), next.text(), next.number);
        }
    }

    static std::string left_over(const Calls& calls, const Loop& candidate, const Loop& loop) {
        if (candidate.after != 0U) {
            return fmt::format(
                "{} of the program, the beginning of a turn, are left over and not among what was "
                "captured: the loop has {} turns of {} calls; let it end with a whole one",
                span_of(calls, loop.end(), candidate.end() + candidate.after), loop.turns, loop.period);
        }
        return fmt::format("{}: left over and not among what was captured; let it have {}",
                           rest_of(calls, candidate, loop), (loop.turns + 1U) * (loop.period / candidate.period));
    }

    static std::string rest_of(const Calls& calls, const Loop& candidate, const Loop& loop) {
        const std::size_t turns = loop.period / candidate.period;
        const std::size_t left = candidate.turns - (loop.turns * turns);
        return fmt::format(
            "{} turn{} of the program ({}) {} not fill a step, which holds {}, because buffers take "
            "turns, and the loop has {}",
            left, (left == 1U) ? "" : "s", span_of(calls, loop.end(), candidate.end()), (left == 1U) ? "does" : "do",
            turns, candidate.turns);
    }

    // The binary does not give what the host has read before the loop.
    static void note_front(const Calls& calls, const Loop& loop, Reading& reading) {
        const auto end = calls.begin() + static_cast<std::ptrdiff_t>(loop.first);
        const auto is_read = [](const Call& call) { return call.kind == CallKind::kRead; };
        const auto first = std::find_if(calls.begin(), end, is_read);
        if (first != end) {
            reading.warnings.push_back(
                fmt::format("{} (call {}) is in front of the loop, as {} in all: the binary does not give what is read "
                            "there; let it be like a turn where it is one",
                            first->text(), first->number, std::count_if(calls.begin(), end, is_read)));
        }
    }

    const Declarations& declarations_;
    const std::set<std::uint64_t>& read_;
    const CommandSet& command_set_;
    std::vector<Reading> readings_;
    std::string found_{"no calls repeat with a program and a read in each turn, so that all of them are one step"};
    std::string unlike_;
    bool is_loop_{false};
    bool is_loop_as_written_{false};
    bool needs_all_{false};
};

}  // namespace

std::vector<Reading> readings_of(const std::vector<Section>& sections, const std::vector<Section>& in_turn_order,
                                 const Declarations& declarations, const CommandSet& command_set) {
    const std::set<std::uint64_t> read = read_writes(sections, command_set);
    if (sections.size() > 1U) {
        return {reading(sections, declarations, read, command_set)};
    }
    Finder finder{declarations, read, command_set};
    finder.search(sections.front().calls, true);
    if (!in_turn_order.empty()) {
        finder.search(in_turn_order.front().calls, false);
    }
    return finder.readings(sections.front().calls);
}

}  // namespace pianola::host
