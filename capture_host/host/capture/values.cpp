#include "capture_host/host/capture/values.h"

#include <algorithm>

#include "capture_host/base/interrupt.h"
#include "capture_host/host/capture/data_flow.h"

namespace pianola::host {
namespace {

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

}  // namespace

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
    for (const Extent& extent : command.extents.view()) {
        if (extent.access == Access::kRead) {
            for_each_run(extent, [&](std::uint64_t begin, std::uint64_t end) {
                for (const Origin& origin : memory_.of(begin, end)) {
                    append(operands, origin);
                }
            });
        }
    }
    std::vector<std::uint64_t> head{kByCommand};
    say_command(words, values_.command_set_, head);
    const bool is_copy = command.kind == CommandKind::kCopy;
    const std::uint64_t number = is_copy ? 0U : values_.number_of(head, operands, nullptr);
    std::uint64_t done = 0U;
    for (const Extent& extent : command.extents.view()) {
        if (extent.access == Access::kWrite) {
            for_each_run(extent, [&](std::uint64_t begin, std::uint64_t end) {
                if (is_copy) {
                    write_origins(memory_, begin, end, operands, done);
                } else {
                    memory_.write(begin, end, number, done);
                }
                done += end - begin;
            });
        }
    }
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

}  // namespace pianola::host
