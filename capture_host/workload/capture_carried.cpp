#include "capture_host/workload/capture_carried.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace pianola::host {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kLeastBytes = 16U;  // of a row that is looked for by itself

// The host had seen the read when it wrote on another device.
bool may_carry(const Call& read, const Call& write) {
    return (read.kind == CallKind::kRead) && (write.kind == CallKind::kWrite) && (read.device != write.device) &&
           (read.seen != 0U) && (read.seen <= write.number);
}

bool is_one_value(const Bytes& bytes) {
    return std::adjacent_find(bytes.begin(), bytes.end(), std::not_equal_to<>{}) == bytes.end();
}

// Every row of `part` is somewhere in `whole`: also of a tensor that was cut, or put together, in any dimension.
bool is_in(const Bytes& part, std::size_t row_bytes, const Bytes& whole) {
    const std::size_t size = (row_bytes < kLeastBytes) ? part.size() : row_bytes;
    for (std::size_t at = 0U; (at + size) <= part.size(); at += size) {
        const auto begin = part.begin() + static_cast<std::ptrdiff_t>(at);
        if (std::search(whole.begin(), whole.end(), begin, begin + static_cast<std::ptrdiff_t>(size)) == whole.end()) {
            return false;
        }
    }
    return !part.empty();
}

bool has_carried(const Call& read, const Call& write) {
    const Bytes& given = read.handle.data();
    return !is_one_value(given) &&
           (is_in(given, read.buffer->row_bytes, write.data) || is_in(write.data, write.buffer->row_bytes, given));
}

[[noreturn]] void refuse(const Call& read, const Call& write) {
    throw HostError{
        HostRule::kCaptureContent,
        fmt::format("{} (call {}) writes what {} (call {}) has read: the host carries it from one device to another, "
                    "which a binary cannot do within a step, as it is given all inputs before it gives an output. Let "
                    "one device do both parts, or capture each part of the mesh by itself and have the application "
                    "carry it; declare_input() says that these are data of their own",
                    write.text(), write.number, read.text(), read.number)};
}

bool is_declared(const std::vector<DeclaredTensor>& tensors, const Call& call) {
    return std::any_of(tensors.begin(), tensors.end(), [&](const DeclaredTensor& tensor) {
        return !tensor.is_found && (tensor.id.value == call.object);
    });
}

// Inputs: a call of the step, and the same one in every turn.
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
        const std::vector<Call>& first = steps_.front()->calls;
        for (std::size_t write = 0U; write < first.size(); ++write) {
            bool has_warned = is_declared(reading_.declarations.inputs, first[write]);
            for (std::size_t read = 0U; (read < write) && !has_warned; ++read) {
                if (in_all_turns(read, write, may_carry)) {
                    if (in_all_turns(read, write, has_carried)) {
                        refuse(first[read], first[write]);
                    }
                    warnings.push_back(fmt::format(
                        "{} (call {}) comes after the host has seen {} (call {}) of the same step. The binary takes it "
                        "as an input: where the host computed it from that, the binary's user cannot know it in time",
                        first[write].text(), first[write].number, first[read].text(), first[read].number));
                    has_warned = true;
                }
            }
        }
        return warnings;
    }

  private:
    template <typename Test>
    [[nodiscard]] bool in_all_turns(std::size_t read, std::size_t write, const Test& test) const {
        return std::all_of(steps_.begin(), steps_.end(), [&](const Section* step) {
            return (write < step->calls.size()) && test(step->calls[read], step->calls[write]);
        });
    }

    const Reading& reading_;
    std::vector<const Section*> steps_;
};

// What would become set-up.
void check_set_up(const Reading& reading, const std::vector<Section>& program) {
    std::vector<const Call*> reads;
    for (const Section& section : program) {
        for (const Call& call : section.calls) {
            if (call.kind == CallKind::kRead) {
                reads.push_back(&call);
            }
        }
    }
    for (const Call& write : reading.sections.front().calls) {
        const bool is_constant = reading.declarations.constants.count(write.object) != 0U;
        const bool is_input = std::any_of(reading.declarations.inputs.begin(), reading.declarations.inputs.end(),
                                          [&](const DeclaredTensor& each) { return each.id.value == write.object; });
        for (const Call* const read : reads) {
            if (may_carry(*read, write) && !is_constant && !is_input) {
                throw HostError{
                    HostRule::kCaptureContent,
                    fmt::format("{} (call {}) would be set-up, and the host had seen {} (call {}) on another device "
                                "when it wrote that: a binary cannot tell whether one follows from the other. Write "
                                "set-up before anything is read, or before the capture begins what is computed only "
                                "once; declare_constant() says that it is the same for all inputs",
                                write.text(), write.number, read->text(), read->number)};
            }
        }
    }
}

}  // namespace

std::vector<std::string> check_carried(const Reading& reading, const std::vector<Section>& program) {
    check_set_up(reading, program);
    return Steps{reading}.check();
}

}  // namespace pianola::host
