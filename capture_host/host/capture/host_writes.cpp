#include "capture_host/host/capture/host_writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "capture_host/host/capture/loops.h"
#include "capture_host/host/capture/order.h"

namespace pianola::host {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kLeastBytes = 16U;  // of a row that is searched for alone
constexpr std::size_t kLeastPart = 8U;    // of data that are searched for in other data
constexpr std::size_t kLeastEqual = 4U;   // of data that are equal as a whole
constexpr std::size_t kMostWarnings = 4U;

// Whether the host had seen the read when it wrote.
bool may_depend(const Call& read, const Call& write) {
    return (read.kind == CallKind::kRead) && (write.kind == CallKind::kWrite) && (read.seen != 0U) &&
           (read.seen <= write.number);
}

bool is_one_value(const Bytes& bytes) {
    return std::adjacent_find(bytes.begin(), bytes.end(), std::not_equal_to<>{}) == bytes.end();
}

// Whether every row of `part` is in `whole`: also finds a tensor that was cut, or joined, in any dimension.
bool is_in(const Bytes& part, std::size_t row_bytes, const Bytes& whole) {
    const std::size_t size = (row_bytes < kLeastBytes) ? part.size() : row_bytes;
    for (std::size_t at = 0U; (at + size) <= part.size(); at += size) {
        const auto begin = part.begin() + static_cast<std::ptrdiff_t>(at);
        if (std::search(whole.begin(), whole.end(), begin, begin + static_cast<std::ptrdiff_t>(size)) == whole.end()) {
            return false;
        }
    }
    return part.size() >= kLeastPart;
}

// Uniform bytes, such as zeros, are in many tensors by chance.
bool is_copy_of(const Call& read, const Call& write) {
    const Bytes& given = read.handle.data();
    return !is_one_value(given) &&
           (((given.size() >= kLeastEqual) && (given == write.data)) ||
            is_in(given, read.buffer->row_bytes, write.data) || is_in(write.data, write.buffer->row_bytes, given));
}

[[noreturn]] void refuse(const Call& read, const Call& write) {
    throw HostError{
        HostRule::kCaptureContent,
        fmt::format("{} (call {}) writes what {} (call {}) has read: the host carries it {}, which a binary cannot do "
                    "within a step, as it is given all inputs before it gives an output. {}, and have the application "
                    "carry it; declare_input() says that these data do not come from that output",
                    write.text(), write.number, read.text(), read.number,
                    (read.device == write.device) ? "from an output to an input" : "from one device to another",
                    (read.device == write.device)
                        ? "Let the device use its own result, or capture each part of the program by itself"
                        : "Let one device do both parts, or capture each part of the mesh by itself")};
}

bool is_declared(const std::vector<DeclaredTensor>& tensors, const Call& call) {
    return std::any_of(tensors.begin(), tensors.end(), [&](const DeclaredTensor& tensor) {
        return !tensor.is_derived && (tensor.id.value == call.object);
    });
}

// The inputs: a call of the step, and its counterpart in every turn.
class Steps {
  public:
    explicit Steps(const Interpretation& interpretation) : interpretation_{interpretation} {
        for (const Section& section : interpretation.sections) {
            if (section.kind == ScriptKind::kStep) {
                steps_.push_back(&section);
            }
        }
    }

    [[nodiscard]] std::vector<std::string> check() const {
        std::vector<std::string> warnings;
        std::size_t found = 0U;
        const std::vector<Call> none;
        const std::vector<Call>& first =
            steps_.empty() ? none : steps_.front()->calls;  // without a step: refused later
        for (std::size_t write = 0U; write < first.size(); ++write) {
            const std::optional<std::size_t> read = source_of(write);
            found += read.has_value() ? 1U : 0U;
            if (read.has_value() && (found <= kMostWarnings)) {
                warnings.push_back(fmt::format(
                    "{} (call {}) comes after the host has seen {} (call {}) of the same step. The binary takes it "
                    "as an input: where the host computed it from that, the binary's user cannot know it in time",
                    first[write].text(), first[write].number, first[*read].text(), first[*read].number));
            }
        }
        if (found > kMostWarnings) {
            warnings.push_back(fmt::format("{} more writes come after the host has seen an output of the same step",
                                           found - kMostWarnings));
        }
        return warnings;
    }

  private:
    // The first read that the host had seen when it wrote, in every turn. Throws if the host wrote the same bytes.
    [[nodiscard]] std::optional<std::size_t> source_of(std::size_t write) const {
        const std::vector<Call>& first = steps_.front()->calls;
        std::optional<std::size_t> found;
        if ((first[write].kind != CallKind::kWrite) || is_declared(interpretation_.declarations.inputs, first[write])) {
            return found;
        }
        const Call* carried = nullptr;  // preferably from another device, which says more
        for (std::size_t read = 0U; read < write; ++read) {
            if (!in_all_turns(read, write, may_depend)) {
                continue;
            }
            found = found.has_value() ? found : read;
            const bool is_better = (carried == nullptr) || (carried->device == first[write].device);
            if (is_better && (in_all_turns(read, write, is_copy_of) || is_equal_and_changes(read, write))) {
                carried = &first[read];
            }
        }
        if (carried != nullptr) {
            refuse(*carried, first[write]);
        }
        return found;
    }

    template <typename Test>
    [[nodiscard]] bool in_all_turns(std::size_t read, std::size_t write, const Test& test) const {
        return std::all_of(steps_.begin(), steps_.end(), [&](const Section* step) {
            return (write < step->calls.size()) && test(step->calls[read], step->calls[write]);
        });
    }

    // Bytes that are uniform in a turn and differ in another one.
    [[nodiscard]] bool is_equal_and_changes(std::size_t read, std::size_t write) const {
        const auto is_equal = [](const Call& one, const Call& other) { return one.handle.data() == other.data; };
        const Bytes& given = steps_.front()->calls[write].data;
        return (given.size() >= kLeastEqual) && in_all_turns(read, write, is_equal) &&
               std::any_of(steps_.begin(), steps_.end(),
                           [&](const Section* step) { return step->calls[write].data != given; });
    }

    const Interpretation& interpretation_;
    std::vector<const Section*> steps_;
};

// Refuses set-up that the host wrote after it had seen another device's output.
[[noreturn]] void refuse_set_up(const Call& read, const Call& write) {
    throw HostError{HostRule::kCaptureContent,
                    fmt::format("{} (call {}) would be set-up, and the host had seen {} (call {}) on another device "
                                "when it wrote that: a binary cannot tell whether one follows from the other. Write "
                                "set-up before anything is read, or before the capture begins what is computed only "
                                "once; declare_constant() says that it is the same for all inputs",
                                write.text(), write.number, read.text(), read.number)};
}

std::vector<const Call*> reads_of(const std::vector<Section>& program) {
    std::vector<const Call*> reads;
    for (const Section& section : program) {
        for (const Call& call : section.calls) {
            if (call.kind == CallKind::kRead) {
                reads.push_back(&call);
            }
        }
    }
    return reads;
}

// Checks the writes that would become set-up.
std::vector<std::string> check_set_up(const Interpretation& interpretation, const std::vector<Section>& program) {
    std::vector<std::string> warnings;
    const std::vector<const Call*> reads = reads_of(program);
    for (const Call& write : interpretation.sections.front().calls) {
        const bool is_constant = interpretation.declarations.constants.count(write.object) != 0U;
        const bool is_input =
            std::any_of(interpretation.declarations.inputs.begin(), interpretation.declarations.inputs.end(),
                        [&](const DeclaredTensor& each) { return each.id.value == write.object; });
        bool has_warned = is_constant || is_input || !interpretation.is_derived;
        for (const Call* const read : reads) {
            if (!may_depend(*read, write) || is_constant || is_input) {
                continue;
            }
            if (read->device != write.device) {
                refuse_set_up(*read, write);
            }
            if (!has_warned && (warnings.size() < kMostWarnings)) {
                warnings.push_back(fmt::format(
                    "{} (call {}) is set-up, the same for all inputs, and the host had seen {} (call {}) when it wrote "
                    "that: where it follows from an input, the binary keeps what the captured run had; "
                    "declare_constant() says that it does not",
                    write.text(), write.number, read->text(), read->number));
            }
            has_warned = true;
        }
    }
    return warnings;
}

}  // namespace

std::vector<std::string> check_host_copies(const Interpretation& interpretation, const std::vector<Section>& program) {
    std::vector<std::string> warnings = check_set_up(interpretation, program);
    for (std::string& each : Steps{interpretation}.check()) {
        warnings.push_back(std::move(each));
    }
    return warnings;
}

void check_calls_before_steps(const Interpretation& interpretation, const CommandSet& command_set) {
    const std::vector<Section>& sections = interpretation.sections;
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
    RangeSet needed = work.read_first();
    for (const DeclaredParameter& declared : interpretation.declarations.parameters) {
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
class CallsBeforeLoop {
  public:
    CallsBeforeLoop(const Interpretation& interpretation, const std::vector<Section>& program,
                    const CommandSet& command_set)
        : interpretation_{interpretation}, command_set_{command_set}, dependence_{command_set}, step_{command_set} {
        for (const Call& call : interpretation.sections.front().calls) {
            calls_[call.number] = &call;
            if ((call.kind == CallKind::kWrite) && (interpretation.declarations.constants.count(call.object) == 0U)) {
                set_up_.insert(call.number);
            }
        }
        for (auto section = std::next(interpretation.sections.begin()); section != interpretation.sections.end();
             ++section) {
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
        const RangeSet carried = step_.read_first().common(step_.written());
        const Writes state = dependence_.computed(carried);
        const Writes used = dependence_.computed(step_.read_first());
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
            if ((is_rotated() && is_input) || (interpretation_.turn_ends.count(write) != 0U)) {
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
        Writes constants = dependence_.writers(step_.read_first());
        for (const ByteRange& range : step_.read_first().ranges()) {
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
            if ((outputs_.count(number) != 0U) && (interpretation_.turn_ends.count(number) != 0U)) {
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
        return !interpretation_.turn_ends.empty() ||
               (!step.calls.empty() && (step.calls.front().kind == CallKind::kRead));
    }

    [[nodiscard]] const Section& first_step() const {
        return *std::find_if(interpretation_.sections.begin(), interpretation_.sections.end(),
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

    const Interpretation& interpretation_;
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

std::vector<std::string> check_turns_before_loop(const Interpretation& interpretation,
                                                 const std::vector<Section>& program, const CommandSet& command_set) {
    const bool is_loop = !interpretation.how_found.empty() && (interpretation.sections.size() > 1U);
    return is_loop ? CallsBeforeLoop{interpretation, program, command_set}.check() : std::vector<std::string>{};
}

void check_first_contents(const Interpretation& interpretation, const Call& write, const CommandSet& command_set) {
    RangeSet given;  // the host's writes to the device in a step
    for (const Section& section : interpretation.sections) {
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
    for (const Section& section : interpretation.sections) {
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
