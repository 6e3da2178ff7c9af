#include "capture_host/host/capture/carried.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace pianola::host {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kLeastBytes = 16U;  // of a row that is searched for alone
constexpr std::size_t kLeastPart = 8U;    // of data that are searched for in other data
constexpr std::size_t kLeastEqual = 4U;   // of data that are equal as a whole
constexpr std::size_t kMostWarnings = 4U;

// Whether the host had seen the read when it wrote.
bool may_carry(const Call& read, const Call& write) {
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
bool has_carried(const Call& read, const Call& write) {
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
        return !tensor.is_found && (tensor.id.value == call.object);
    });
}

// The inputs: a call of the step, and its counterpart in every turn.
class Steps {
  public:
    explicit Steps(const Reading& reading) : reading_{reading} {
        for (const Section& section : reading.sections) {
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
            const std::optional<std::size_t> read = carried_to(write);
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
    [[nodiscard]] std::optional<std::size_t> carried_to(std::size_t write) const {
        const std::vector<Call>& first = steps_.front()->calls;
        std::optional<std::size_t> found;
        if ((first[write].kind != CallKind::kWrite) || is_declared(reading_.declarations.inputs, first[write])) {
            return found;
        }
        const Call* carried = nullptr;  // preferably from another device, which says more
        for (std::size_t read = 0U; read < write; ++read) {
            if (!in_all_turns(read, write, may_carry)) {
                continue;
            }
            found = found.has_value() ? found : read;
            const bool is_better = (carried == nullptr) || (carried->device == first[write].device);
            if (is_better && (in_all_turns(read, write, has_carried) || is_equal_and_changes(read, write))) {
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

    const Reading& reading_;
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
std::vector<std::string> check_set_up(const Reading& reading, const std::vector<Section>& program) {
    std::vector<std::string> warnings;
    const std::vector<const Call*> reads = reads_of(program);
    for (const Call& write : reading.sections.front().calls) {
        const bool is_constant = reading.declarations.constants.count(write.object) != 0U;
        const bool is_input = std::any_of(reading.declarations.inputs.begin(), reading.declarations.inputs.end(),
                                          [&](const DeclaredTensor& each) { return each.id.value == write.object; });
        bool has_warned = is_constant || is_input || !reading.is_found;
        for (const Call* const read : reads) {
            if (!may_carry(*read, write) || is_constant || is_input) {
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

std::vector<std::string> check_carried(const Reading& reading, const std::vector<Section>& program) {
    std::vector<std::string> warnings = check_set_up(reading, program);
    for (std::string& each : Steps{reading}.check()) {
        warnings.push_back(std::move(each));
    }
    return warnings;
}

}  // namespace pianola::host
