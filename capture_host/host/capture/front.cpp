#include "capture_host/host/capture/front.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "capture_host/host/capture/loops.h"
#include "capture_host/host/capture/order.h"

namespace pianola::host {

void check_front(const Reading& reading, const CommandSet& command_set) {
    const std::vector<Section>& sections = reading.sections;
    DataFlow front{command_set};
    for (const Call& call : sections.front().calls) {
        front.add(call);
    }
    DataFlow work{command_set};
    for (auto section = std::next(sections.begin()); section != sections.end(); ++section) {
        for (const Call& call : section->calls) {
            work.add(call);
        }
    }
    RangeSet needed = work.found();
    for (const DeclaredParameter& declared : reading.declarations.parameters) {
        needed.add(reach_of(declared, sections, command_set));
    }
    const std::optional<ByteRange> bytes = front.recomputed(needed);
    if (bytes.has_value()) {
        throw HostError{
            HostRule::kCaptureContent,
            fmt::format(
                "{} bytes at 0x{:08X} are written by the host, changed by a program in front of the first step, "
                "and read by a step: mark a prologue in front of that program, and let it write to another "
                "buffer",
                bytes->end - bytes->begin, bytes->begin)};
    }
}

namespace {

// Which calls depend on which writes, through the data flow of programs.
class Dependence {
  public:
    explicit Dependence(const CommandSet& command_set) : flow_{command_set} {}

    // The writes among `of` that the call depends on, by their calls' numbers.
    const std::set<std::uint64_t>& add(const Call& call, const std::set<std::uint64_t>& of) {
        std::set<std::uint64_t> on;
        read_ = flow_.add_named(call);
        for (const Origin& origin : read_) {
            const std::uint64_t writer = DataFlow::call_of(origin.writer);
            if (of.count(writer) != 0U) {
                on.insert(writer);
            }
            const std::set<std::uint64_t>& through = computed_by(writer);
            on.insert(through.begin(), through.end());
        }
        return by_call_[call.number] = std::move(on);
    }
    // The writes that a program's results depend on.
    [[nodiscard]] const std::set<std::uint64_t>& computed_by(std::uint64_t program) const {
        const auto known = by_call_.find(program);
        return (known == by_call_.end()) ? nothing_ : known->second;
    }
    // The writes that the bytes depend on, as a program computed them.
    [[nodiscard]] std::set<std::uint64_t> computed(const RangeSet& bytes) const {
        std::set<std::uint64_t> on;
        for (const Origin& origin : flow_.origins_of(bytes)) {
            const std::set<std::uint64_t>& through = computed_by(DataFlow::call_of(origin.writer));
            on.insert(through.begin(), through.end());
        }
        return on;
    }
    // The calls that wrote the bytes.
    [[nodiscard]] std::set<std::uint64_t> writers(const RangeSet& bytes) const {
        std::set<std::uint64_t> calls;
        for (const Origin& origin : flow_.origins_of(bytes)) {
            calls.insert(DataFlow::call_of(origin.writer));
        }
        return calls;
    }
    // The bytes that the last call read.
    [[nodiscard]] const std::vector<Origin>& read() const noexcept { return read_; }

  private:
    DataFlow flow_;
    std::vector<Origin> read_;
    std::map<std::uint64_t, std::set<std::uint64_t>> by_call_;
    std::set<std::uint64_t> nothing_;
};

// The calls before a loop that was found.
class Front {
  public:
    Front(const Reading& reading, const std::vector<Section>& program, const CommandSet& command_set)
        : reading_{reading}, command_set_{command_set}, dependence_{command_set}, step_{command_set} {
        for (const Call& call : reading.sections.front().calls) {
            calls_[call.number] = &call;
            if ((call.kind == CallKind::kWrite) && (reading.declarations.constants.count(call.object) == 0U)) {
                set_up_.insert(call.number);
            }
        }
        for (auto section = std::next(reading.sections.begin()); section != reading.sections.end(); ++section) {
            for (const Call& call : section->calls) {
                if (section->kind == ScriptKind::kPrologue) {
                    calls_[call.number] = &call;
                } else if (section->kind == ScriptKind::kStep) {
                    step_.add(call);
                } else {
                    // The epilogue finds the state that the steps leave.
                }
            }
        }
        for (const Section& section : program) {
            for (const Call& call : section.calls) {
                if ((call.kind == CallKind::kWrite) && (calls_.count(call.number) == 0U)) {
                    given_.add(addresses_of(*call.buffer));
                }
            }
        }
    }

    std::vector<std::string> check() {
        for (const auto& [number, call] : calls_) {
            walk(*call);
        }
        const RangeSet carried = step_.found().common(step_.written());
        const Writes state = dependence_.computed(carried);
        const Writes used = dependence_.computed(step_.found());
        const Writes constants = constants_without(carried);
        find_inputs();  // continues with the step, which changes the state
        for (const auto& [write, read] : shown_) {
            const bool is_turn = (inputs_.count(write) != 0U) && (used.count(write) == 0U) && !is_derived(*read);
            if ((state.count(write) != 0U) || is_turn) {
                refuse(write, fmt::format("{} (call {}) gives what follows from it", read->text(), read->number));
            }
        }
        std::vector<std::string> warnings;
        for (const std::uint64_t write : used) {
            const bool is_input = inputs_.count(write) != 0U;
            if ((is_rotated() && is_input) || (reading_.turn_ends.count(write) != 0U)) {
                refuse(write, "the loop begins in the middle of a turn");
            }
            if ((state.count(write) == 0U) || (constants.count(write) != 0U)) {
                continue;
            }
            if (is_input || given_.intersects(addresses_of(*calls_.at(write)->buffer))) {
                refuse(write, "the loop goes on with what was computed from it as from an input");
            }
            warnings.push_back(fmt::format(
                "{} (call {}) in front of the loop is a constant of the binary, and the loop goes on with what was "
                "computed from it: where it is the input of a first turn, let that turn make the same calls as the "
                "others; declare_constant() says that it is the same for all inputs",
                calls_.at(write)->text(), write));
        }
        refuse_output();
        for (const std::uint64_t write : inputs_) {
            if ((used.count(write) == 0U) && (constants.count(write) == 0U) && (shown_.count(write) == 0U)) {
                warnings.push_back(
                    fmt::format("{} (call {}) in front of the loop seems to be the input of a turn that "
                                "gives nothing: the binary begins with the turn after it",
                                calls_.at(write)->text(), write));
            }
        }
        return warnings;
    }

  private:
    using Writes = std::set<std::uint64_t>;  // by their calls' numbers

    // How a program reads written data.
    struct Use {
        std::vector<std::uint64_t> shape;
        std::uint64_t offset{0U};  // in all that it reads
    };

    // The loop's unchanged state depends on these.
    [[nodiscard]] Writes constants_without(const RangeSet& carried) const {
        Writes constants = dependence_.writers(step_.found());
        for (const ByteRange& range : step_.found().ranges()) {
            for (const ByteRange& kept : carried.missing(range.begin, range.end)) {
                RangeSet bytes;
                bytes.add(kept.begin, kept.end);
                constants.merge(dependence_.computed(bytes));
            }
        }
        return constants;
    }

    void refuse_output() const {
        for (const auto& [number, call] : calls_) {
            if ((outputs_.count(number) != 0U) && (reading_.turn_ends.count(number) != 0U)) {
                throw OrderRefused{
                    fmt::format("{} (call {}) in front of the loop seems to be the output of a turn: let "
                                "that turn make the same calls as those of the loop, or make it before "
                                "the capture begins",
                                call->text(), number)};
            }
        }
    }

    void walk(const Call& call) {
        (void)dependence_.add(call, set_up_);
        std::uint64_t offset = 0U;
        for (const Origin& origin : dependence_.read()) {
            const std::uint64_t writer = DataFlow::call_of(origin.writer);
            const auto source = calls_.find(writer);
            if (call.kind == CallKind::kRead) {
                if ((source != calls_.end()) && is_program(*source->second)) {
                    outputs_.insert(call.number);
                }
                for (const std::uint64_t write : dependence_.computed_by(writer)) {
                    shown_.emplace(write, &call);
                }
            } else if ((set_up_.count(writer) != 0U) && (uses_.count(writer) == 0U)) {
                uses_[writer] = {call_shape(call, command_set_), offset};
            } else {
                // Data that a program computed.
            }
            offset += origin.bytes;
        }
    }

    // Whether the loop begins in the middle of a turn.
    [[nodiscard]] bool is_rotated() const {
        const Section& step = first_step();
        return !reading_.turn_ends.empty() || (!step.calls.empty() && (step.calls.front().kind == CallKind::kRead));
    }

    [[nodiscard]] const Section& first_step() const {
        return *std::find_if(reading_.sections.begin(), reading_.sections.end(),
                             [](const Section& section) { return section.kind == ScriptKind::kStep; });
    }

    // Finds writes that act as inputs: a program of the loop like the first reader of the write has an input in its
    // place.
    void find_inputs() {
        std::set<std::uint64_t> written;
        for (const Call& call : first_step().calls) {
            (void)dependence_.add(call, {});
            if (call.kind == CallKind::kWrite) {
                written.insert(call.number);
            }
            const std::vector<std::uint64_t> shape = call_shape(call, command_set_);
            for (const auto& [write, use] : uses_) {
                if ((use.shape == shape) && (written.count(writer_at(use.offset)) != 0U)) {
                    inputs_.insert(write);
                }
            }
        }
    }

    [[nodiscard]] std::uint64_t writer_at(std::uint64_t offset) const {
        std::uint64_t passed = 0U;
        for (const Origin& origin : dependence_.read()) {
            if ((offset >= passed) && (offset < (passed + origin.bytes))) {
                return DataFlow::call_of(origin.writer);
            }
            passed += origin.bytes;
        }
        return 0U;
    }

    // Whether the host wrote set-up after it had seen the read: the read may have served that.
    [[nodiscard]] bool is_derived(const Call& read) const {
        return std::any_of(set_up_.begin(), set_up_.end(),
                           [&](std::uint64_t write) { return (read.seen != 0U) && (read.seen <= write); });
    }

    [[noreturn]] void refuse(std::uint64_t write, const std::string& why) const {
        throw OrderRefused{
            fmt::format("{} (call {}) in front of the loop seems to be the input of a turn, because {}: let that turn "
                        "make the same calls as those of the loop, or make it before the capture begins; "
                        "declare_constant() says that what is written is the same for all inputs",
                        calls_.at(write)->text(), write, why)};
    }

    const Reading& reading_;
    const CommandSet& command_set_;
    Dependence dependence_;
    DataFlow step_;
    std::map<std::uint64_t, const Call*> calls_;  // in the program's order
    Writes set_up_;
    RangeSet given_;                              // the host's writes in the loop, as in the program
    Writes outputs_;                              // reads of computed data
    std::map<std::uint64_t, const Call*> shown_;  // writes, and the first read of data computed from them
    std::map<std::uint64_t, Use> uses_;
    Writes inputs_;  // writes that act as an input
};

}  // namespace

std::vector<std::string> check_front_turns(const Reading& reading, const std::vector<Section>& program,
                                           const CommandSet& command_set) {
    const bool is_loop = !reading.found.empty() && (reading.sections.size() > 1U);
    return is_loop ? Front{reading, program, command_set}.check() : std::vector<std::string>{};
}

void check_first_contents(const Reading& reading, const Call& write, const CommandSet& command_set) {
    RangeSet given;  // the host's writes to the device in a step
    for (const Section& section : reading.sections) {
        for (const Call& call : section.calls) {
            if ((section.kind == ScriptKind::kStep) && (call.kind == CallKind::kWrite)) {
                given.add(addresses_of(*call.buffer));
            }
        }
    }
    if (!given.intersects(addresses_of(*write.buffer))) {
        return;
    }
    Dependence dependence{command_set};
    for (const Section& section : reading.sections) {
        for (const Call& call : section.calls) {
            if ((dependence.add(call, {write.number}).count(write.number) != 0U) && (call.kind == CallKind::kRead)) {
                throw OrderRefused{
                    fmt::format("{} (call {}) in front of the loop writes an input, and {} (call {}) gives what was "
                                "computed from it: it is no constant; let the loop have all turns, or mark them",
                                write.text(), write.number, call.text(), call.number)};
            }
        }
    }
}

}  // namespace pianola::host
