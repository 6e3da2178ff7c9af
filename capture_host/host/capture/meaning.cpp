#include "capture_host/host/capture/meaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "capture_host/base/interrupt.h"
#include "capture_host/host/capture/call_log.h"
#include "capture_host/host/capture/data_flow.h"
#include "capture_host/host/capture/order.h"

namespace pianola::host {
namespace {

// A write that gives a record one of its inputs.
struct Given {
    std::int64_t record{0};
    std::uint32_t input{0U};
};
using GivenByCall = std::map<std::uint64_t, Given>;  // by the call's number

// The contents of bytes, as expressions over the host's writes. Equal expressions have one number, also across
// sequences of calls. A copy of bytes has their value.
class Values {
  public:
    Values(const CommandSet& command_set, GivenByCall given) : command_set_{command_set}, given_{std::move(given)} {}

    static constexpr std::int64_t kNoRecord = -1;

    struct Value {
        std::vector<std::uint64_t> head;  // the computation, without its operands
        std::vector<Origin> operands;     // writers are values
        std::int64_t oldest{kNoRecord};   // records that it depends on
        std::int64_t newest{kNoRecord};
        std::uint64_t like{0U};  // equal for values that differ only in the numbers of records
    };

    // A sequence of calls. Its memory is empty at first.
    class Sequence {
      public:
        explicit Sequence(Values& values) : values_{values} {}
        // Returns what the call reads, if it is a read.
        std::vector<Origin> add(const Call& call);

      private:
        [[nodiscard]] std::vector<Origin> read(const std::vector<AddressRange>& runs) const;
        void command(WordSpan words, const DecodedCommand& command);

        Values& values_;
        Origins memory_;
    };

    // Without a writer: an empty value, which depends on nothing.
    [[nodiscard]] const Value& at(std::uint64_t value) const { return values_.at(value); }
    // The origins, each with the number that its value has without records.
    [[nodiscard]] std::vector<Origin> like(std::vector<Origin> origins) const;

  private:
    // The value's number.
    std::uint64_t number_of(const std::vector<std::uint64_t>& head, std::vector<Origin> operands, const Given* given);

    const CommandSet& command_set_;
    GivenByCall given_;
    std::vector<Value> values_{Value{}};
    std::map<std::vector<std::uint64_t>, std::uint64_t> known_;
    std::map<std::vector<std::uint64_t>, std::uint64_t> likes_;
};

constexpr std::uint64_t kByHost = 0U;  // first words of heads
constexpr std::uint64_t kByCommand = 1U;
constexpr std::uint64_t kAsInput = 2U;

std::vector<std::uint64_t> key_of(const std::vector<std::uint64_t>& head, const std::vector<Origin>& operands) {
    std::vector<std::uint64_t> key = head;
    key.push_back(operands.size());
    for (const Origin& operand : operands) {
        key.insert(key.end(), {operand.writer, operand.offset, operand.bytes});
    }
    return key;
}

std::uint64_t entry(std::map<std::vector<std::uint64_t>, std::uint64_t>& numbers, std::vector<std::uint64_t> key) {
    return numbers.emplace(std::move(key), numbers.size() + 1U).first->second;
}

// Writes consecutive origins over the bytes of [begin, end), from number `done` on.
void write_origins(Origins& memory, std::uint64_t begin, std::uint64_t end, const std::vector<Origin>& origins,
                   std::uint64_t done) {
    std::uint64_t passed = 0U;
    std::uint64_t at = begin;
    for (const Origin& origin : origins) {
        const std::uint64_t skipped = std::min(origin.bytes, done - std::min(done, passed));
        const std::uint64_t bytes = std::min(origin.bytes - skipped, end - at);
        if (bytes > 0U) {
            memory.write(at, at + bytes, origin.writer, origin.offset + skipped);
        }
        passed += origin.bytes;
        at += bytes;
    }
}

std::uint64_t Values::number_of(const std::vector<std::uint64_t>& head, std::vector<Origin> operands,
                                const Given* given) {
    const std::uint64_t number = entry(known_, key_of(head, operands));
    if (number < values_.size()) {
        return number;
    }
    Value value;
    if (given != nullptr) {
        value.oldest = given->record;
        value.newest = given->record;
    }
    for (const Origin& operand : operands) {
        const Value& of = values_.at(operand.writer);
        value.newest = std::max(value.newest, of.newest);
        if (of.oldest != kNoRecord) {
            value.oldest = (value.oldest == kNoRecord) ? of.oldest : std::min(value.oldest, of.oldest);
        }
    }
    const std::vector<std::uint64_t> plain =
        (given != nullptr) ? std::vector<std::uint64_t>{kAsInput, given->input} : head;
    value.like = entry(likes_, key_of(plain, like(operands)));
    value.head = plain;
    value.operands = std::move(operands);
    values_.push_back(std::move(value));
    return number;
}

std::vector<Origin> Values::like(std::vector<Origin> origins) const {
    for (Origin& origin : origins) {
        origin.writer = values_.at(origin.writer).like;
    }
    return origins;
}

std::vector<Origin> Values::Sequence::read(const std::vector<AddressRange>& runs) const {
    std::vector<Origin> found;
    for (const AddressRange& run : runs) {
        for (const Origin& origin : memory_.of(run.address, std::uint64_t{run.address} + run.bytes)) {
            append(found, origin);
        }
    }
    return found;
}

void Values::Sequence::command(WordSpan words, const DecodedCommand& command) {
    std::vector<Origin> operands;
    targets::for_each_access(command, [&](Access access, std::uint64_t begin, std::uint64_t end) {
        if (access == Access::kRead) {
            for (const Origin& origin : memory_.of(begin, end)) {
                append(operands, origin);
            }
        }
    });
    std::vector<std::uint64_t> head{kByCommand};
    append_command(words, values_.command_set_, head);
    const bool is_copy = command.kind == CommandKind::kCopy;
    const std::uint64_t number = is_copy ? 0U : values_.number_of(head, operands, nullptr);
    std::uint64_t done = 0U;
    targets::for_each_access(command, [&](Access access, std::uint64_t begin, std::uint64_t end) {
        if (access == Access::kRead) {
            return;
        }
        if (is_copy) {
            write_origins(memory_, begin, end, operands, done);
        } else {
            memory_.write(begin, end, number, done);
        }
        done += end - begin;
    });
}

std::vector<Origin> Values::Sequence::add(const Call& call) {
    interrupt::check();
    if (call.kind == CallKind::kRead) {
        return read(call.buffer->host_runs);
    }
    if (call.kind == CallKind::kWrite) {
        const auto given = values_.given_.find(call.number);
        const std::uint64_t number =
            values_.number_of({kByHost, call.number}, {}, (given == values_.given_.end()) ? nullptr : &given->second);
        std::uint64_t done = 0U;
        for (const AddressRange& run : call.buffer->host_runs) {
            memory_.write(run.address, std::uint64_t{run.address} + run.bytes, number, done);
            done += run.bytes;
        }
    } else if ((call.kind == CallKind::kProgram) || (call.kind == CallKind::kReplay)) {
        const std::vector<std::uint32_t>& words = words_of(call);
        const WordSpan all{words.data(), words.size()};
        (void)targets::for_each_command(values_.command_set_, words,
                                        [&](std::uint32_t at, const DecodedCommand& decoded) {
                                            command(all.subspan(at, decoded.length_words), decoded);
                                        });
    } else {
        // Events compute nothing.
    }
    return {};
}

// The data that was read as an output.
struct Output {
    const Call* call{nullptr};
    std::vector<Origin> is;
};
using Outputs = std::vector<std::vector<Output>>;  // by record, by tensor

GivenByCall given_by(const Interpretation& interpretation) {
    GivenByCall given;
    std::int64_t record = 0;
    for (auto section = std::next(interpretation.sections.begin()); section != interpretation.sections.end();
         ++section) {
        TensorCursor inputs{interpretation.declarations.inputs};
        bool any = false;
        for (const Call& call : section->calls) {
            const auto input = (call.kind == CallKind::kWrite) ? inputs.next(call.object) : std::nullopt;
            if (input.has_value()) {
                given[call.number] = {record, *input};
                any = true;
            }
        }
        record += any ? 1 : 0;
    }
    return given;
}

class Meaning {
  public:
    Meaning(const Interpretation& interpretation, const Scripts& scripts, const CommandSet& command_set)
        : interpretation_{interpretation},
          scripts_{scripts},
          command_set_{command_set},
          values_{command_set, given_by(interpretation)} {
        std::vector<const Section*> sections;
        for (auto section = std::next(interpretation.sections.begin()); section != interpretation.sections.end();
             ++section) {
            sections.push_back(&*section);
        }
        outputs_ = outputs_of(sections);
        const capture::ManifestScript* const prologue = scripts.find(ScriptKind::kPrologue);
        is_pipeline_ = (prologue != nullptr) &&
                       std::any_of(prologue->commands.begin(), prologue->commands.end(),
                                   [](const auto& command) { return command.kind == ScriptCommandKind::kWriteInput; });
    }

    void check_outputs(const std::vector<Section>& program) {
        std::map<std::uint64_t, std::vector<Origin>> wanted;
        Values::Sequence sequence{values_};
        for (const Section& section : program) {
            for (const Call& call : section.calls) {
                std::vector<Origin> read = sequence.add(call);
                if (call.kind == CallKind::kRead) {
                    wanted[call.number] = std::move(read);
                }
            }
        }
        for (const std::vector<Output>& record : outputs_) {
            for (const Output& output : record) {
                // The runtime refuses a read in the prologue.
                if ((output.call != nullptr) && (output.is != wanted.at(output.call->number))) {
                    throw HostError{
                        HostRule::kCaptureContent,
                        fmt::format("{} (call {}) gives something that the binary's steps would not compute: each of "
                                    "them does what the first one did, with what set-up has written. Leave out what is "
                                    "in front of the loop and changes what it finds; or let it read what the turns "
                                    "read, so that it is one of them",
                                    output.call->text(), output.call->number)};
                }
            }
        }
    }

    void check_pipeline() const {
        if (!is_pipeline_ || !interpretation_.is_derived) {
            return;
        }
        for (std::size_t record = 0U; record < outputs_.size(); ++record) {
            for (const Output& output : outputs_[record]) {
                if (!interpretation_.how_found.empty() && (newest_of(output.is) > static_cast<std::int64_t>(record))) {
                    throw OrderRefused{
                        "an input is written in front of the loop and an output read behind it, as in a pipeline, but "
                        "a turn's output depends on the inputs of the same turn: write what is no input from a buffer "
                        "of its own, leave the read behind the loop out, or mark the steps"};
                }
            }
        }
        const bool is_certain =
            (interpretation_.declarations.inputs.size() == 1U) && (interpretation_.declarations.outputs.size() == 1U);
        for (std::size_t record = 0U; !is_certain && ((record + 1U) < outputs_.size()); ++record) {
            check_alike(record);
        }
    }

    [[nodiscard]] std::string why_no_vectors() {
        if (outputs_.empty()) {
            return {};  // one of several devices that is never read
        }
        return is_pipeline_ ? why_not_pipelined() : why_not_carried();
    }

  private:
    Outputs outputs_of(const std::vector<const Section*>& sections) {
        Values::Sequence sequence{values_};
        for (const Call* const write : scripts_.setup_writes) {
            (void)sequence.add(*write);
        }
        Outputs outputs;
        for (const Section* const section : sections) {
            TensorCursor cursor{interpretation_.declarations.outputs};
            std::vector<Output> record(interpretation_.declarations.outputs.size());
            bool any = false;
            for (const Call& call : section->calls) {
                std::vector<Origin> read = sequence.add(call);
                const auto output = (call.kind == CallKind::kRead) ? cursor.next(call.object) : std::nullopt;
                if (output.has_value()) {
                    record[*output] = {&call, std::move(read)};
                    any = true;
                }
            }
            if (any) {
                outputs.push_back(std::move(record));
            }
        }
        return outputs;
    }

    [[nodiscard]] std::int64_t newest_of(const std::vector<Origin>& origins) const {
        std::int64_t newest = Values::kNoRecord;
        for (const Origin& origin : origins) {
            newest = std::max(newest, values_.at(origin.writer).newest);
        }
        return newest;
    }

    // Checks that this record's outputs use its inputs as the next one's do. Older data may differ.
    void check_alike(std::size_t record) const {
        const auto number = static_cast<std::int64_t>(record);
        for (std::size_t k = 0U; k < outputs_[record].size(); ++k) {
            const Output& one = outputs_[record][k];
            const Output& other = outputs_[record + 1U][k];
            if (!is_alike(one.is, other.is, number)) {
                throw OrderRefused{fmt::format(
                    "{} (call {}) gives another function of its inference's inputs than {} (call {}) of the next: "
                    "which of the tensors in front of the loop, and behind it, is which input and output is not "
                    "certain; write and read them in the buffers that the loop uses for the same, or declare inputs "
                    "and outputs and mark prologue, steps and epilogue",
                    one.call->text(), one.call->number, other.call->text(), other.call->number)};
            }
        }
    }

    [[nodiscard]] bool is_alike(const std::vector<Origin>& one, const std::vector<Origin>& other,
                                std::int64_t record) const {
        std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
        std::vector<std::pair<std::vector<Origin>, std::vector<Origin>>> open{{one, other}};
        while (!open.empty()) {
            const auto [left, right] = std::move(open.back());
            open.pop_back();
            if ((newest_of(left) < record) && (newest_of(right) <= record)) {
                continue;  // data that the device keeps
            }
            if (left.size() != right.size()) {
                return false;
            }
            for (std::size_t i = 0U; i < left.size(); ++i) {
                const Values::Value& a = values_.at(left[i].writer);
                const Values::Value& b = values_.at(right[i].writer);
                const bool is_older = a.newest < record;
                if (is_older != (b.newest <= record)) {
                    return false;
                }
                if (is_older || !seen.emplace(left[i].writer, right[i].writer).second) {
                    continue;
                }
                if ((left[i].offset != right[i].offset) || (left[i].bytes != right[i].bytes) || (a.head != b.head)) {
                    return false;
                }
                open.emplace_back(a.operands, b.operands);
            }
        }
        return true;
    }

    // Session::self_test() gives a pipelined binary the vector's inputs twice, from its start to its end.
    [[nodiscard]] std::string why_not_pipelined() {
        const Section* const prologue = first_section(interpretation_.sections, ScriptKind::kPrologue);
        const Section* const step = first_section(interpretation_.sections, ScriptKind::kStep);
        const Section* const epilogue = first_section(interpretation_.sections, ScriptKind::kEpilogue);
        const std::vector<Output> tried = outputs_of({prologue, step, epilogue}).back();
        for (std::size_t record = 0U; record < outputs_.size(); ++record) {
            for (std::size_t k = 0U; k < tried.size(); ++k) {
                const Output& output = outputs_[record][k];
                const auto number = static_cast<std::int64_t>(record);
                if (!depends_on(output.is, number) || !depends_on(tried[k].is, 1) ||
                    (values_.like(output.is) != values_.like(tried[k].is))) {
                    return fmt::format("what {} (call {}) reads does not follow from its inference's inputs alone",
                                       output.call->text(), output.call->number);
                }
            }
        }
        return {};
    }

    // Whether the origins depend on this record only, or on none.
    [[nodiscard]] bool depends_on(const std::vector<Origin>& origins, std::int64_t record) const {
        return std::all_of(origins.begin(), origins.end(), [&](const Origin& origin) {
            const Values::Value& value = values_.at(origin.writer);
            return (value.newest == Values::kNoRecord) || ((value.newest == record) && (value.oldest == record));
        });
    }

    // A step that reads bytes before it writes them carries data from one step to the next.
    [[nodiscard]] std::string why_not_carried() const {
        const Section* const step = first_section(interpretation_.sections, ScriptKind::kStep);
        DataFlow all{command_set_};
        for (const Call& call : step->calls) {
            all.add(call);
        }
        const RangeSet carried = all.read_first().common(all.written());
        DataFlow flow{command_set_};
        for (const Call& call : step->calls) {
            flow.add(call);
            if (flow.read_first().intersects(carried)) {
                return fmt::format("{} (call {}) reads at 0x{:08X} what an earlier step has written", call.text(),
                                   call.number, flow.read_first().common(carried).ranges().front().begin);
            }
        }
        return {};
    }

    const Interpretation& interpretation_;
    const Scripts& scripts_;
    const CommandSet& command_set_;
    Values values_;
    Outputs outputs_;
    bool is_pipeline_{false};
};

}  // namespace

std::string check_meaning(const Interpretation& interpretation, const Scripts& scripts,
                          const std::vector<Section>& program, const CommandSet& command_set) {
    Meaning meaning{interpretation, scripts, command_set};
    meaning.check_outputs(program);
    meaning.check_pipeline();
    return meaning.why_no_vectors();
}

}  // namespace pianola::host
