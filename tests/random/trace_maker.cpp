#include "tests/random/trace_maker.h"

#include <algorithm>

namespace pianola::programs {
namespace {

constexpr std::uint32_t kLaunch = 0x17U;
constexpr std::uint32_t kCopy = 0x2BU;
constexpr std::uint32_t kFill = 0x3CU;
constexpr std::uint32_t kBarrier = 0x4DU;
constexpr std::uint32_t kEnd = 0x5AU;
constexpr std::uint32_t kDispatch = 0xC3U;
constexpr int kTries = 12;

std::uint64_t up(std::uint64_t value, std::uint64_t divisor) {
    return (value + divisor - 1U) / divisor;
}

bool overlap(const Range& left, const Range& right) {
    return (left.address < (right.address + right.bytes)) && (right.address < (left.address + left.bytes));
}

bool inside(const Range& inner, const Range& outer) {
    return (inner.address >= outer.address) && ((inner.address + inner.bytes) <= (outer.address + outer.bytes));
}

}  // namespace

void TraceMaker::note_written(const Pieces& pieces) {
    for (const Range& piece : pieces) {
        for (std::uint32_t i = 0U; i < piece.bytes; ++i) {
            written_.insert(piece.address + i);
        }
    }
}

bool TraceMaker::writable(Role role) const {
    return (role == Role::kOutput) || (role == Role::kActivation) || (role == Role::kShared);
}

bool TraceMaker::is_constant(const Range& range) const {
    return std::any_of(program_.constants.begin(), program_.constants.end(),
                       [&](const Range& constant) { return inside(range, constant); });
}

bool TraceMaker::is_written(const Range& range) const {
    for (std::uint32_t i = 0U; i < range.bytes; ++i) {
        if (written_.count(range.address + i) == 0U) {
            return false;
        }
    }
    return true;
}

std::optional<Range> TraceMaker::any_range(std::uint32_t bytes, std::uint32_t alignment, bool writes) {
    for (int tries = 0; tries < kTries; ++tries) {
        const Region& region = program_.regions.at(random_.below(static_cast<std::uint32_t>(program_.regions.size())));
        if ((writes && !writable(region.role)) || (bytes > region.range.bytes)) {
            continue;
        }
        const std::uint32_t offset = random_.below(region.range.bytes - bytes + 1U) / alignment * alignment;
        return Range{region.range.address + offset, bytes};
    }
    return std::nullopt;
}

// Seldom something that nobody has written.
std::optional<Range> TraceMaker::source(std::uint32_t bytes, std::uint32_t alignment) {
    const bool careless = random_.one_in(200U);
    for (int tries = 0; tries < (3 * kTries); ++tries) {
        const std::optional<Range> range = any_range(bytes, alignment, false);
        if (range.has_value() && (careless || is_constant(*range) || is_written(*range))) {
            return range;
        }
    }
    return std::nullopt;
}

// Tensors are worth to be hit.
std::optional<Range> TraceMaker::target(std::uint32_t bytes, std::uint32_t alignment) {
    for (int tries = 0; tries < kTries; ++tries) {
        std::optional<Range> range = any_range(bytes, alignment, true);
        const bool to_output = random_.one_in(4U);
        if (to_output || random_.one_in(12U)) {
            const auto& tensors = to_output ? program_.outputs : program_.inputs;
            const Range& piece = tensors.at(random_.below(static_cast<std::uint32_t>(tensors.size()))).front();
            const std::uint32_t address = (piece.address + random_.below(piece.bytes)) / alignment * alignment;
            for (const Region& region : program_.regions) {
                if (writable(region.role) && inside({address, bytes}, region.range)) {
                    range = Range{address, bytes};
                }
            }
        }
        const bool hits_constant =
            range.has_value() && std::any_of(program_.constants.begin(), program_.constants.end(),
                                             [&](const Range& constant) { return overlap(*range, constant); });
        if (range.has_value() && !hits_constant) {
            return range;
        }
    }
    return std::nullopt;
}

// 64 + operations / 16 + operand bytes / 8
void TraceMaker::finish_kernel(Operation& operation, std::uint32_t operations) const {
    std::uint64_t bytes = 0U;
    for (const auto& list : {operation.reads, operation.writes}) {
        for (const Range& range : list) {
            bytes += range.bytes;
        }
    }
    operation.opcode = kLaunch;
    operation.cycles = 64U + up(operations, 16U) + up(bytes, 8U);
}

std::optional<TraceMaker::Operation> TraceMaker::fill(const Range& to) {
    Operation operation;
    operation.writes = {to};
    if (((to.address % 4U) == 0U) && ((to.bytes % 4U) == 0U) && random_.one_in(2U)) {
        operation.words = {12U, to.address, to.bytes, random_.word()};
        operation.addresses = {1U};
        operation.value = 3U;
        operation.alignment = 4U;
        finish_kernel(operation, 0U);
        return operation;
    }
    operation.opcode = kFill;
    operation.words = {to.address, to.bytes, random_.byte()};
    operation.addresses = {0U};
    operation.value = 2U;
    operation.cycles = 80U + up(to.bytes, 8U);
    return operation;
}

std::optional<TraceMaker::Operation> TraceMaker::copy(const Range& to) {
    const std::optional<Range> from = source(to.bytes, 1U);
    if (!from.has_value() || overlap(*from, to)) {
        return std::nullopt;
    }
    Operation operation;
    operation.reads = {*from};
    operation.writes = {to};
    if (random_.one_in(2U)) {
        operation.words = {11U, from->address, to.address, to.bytes};
        operation.addresses = {1U, 2U};
        finish_kernel(operation, 0U);
        return operation;
    }
    operation.opcode = kCopy;
    operation.words = {to.address, from->address, to.bytes};
    operation.addresses = {0U, 1U};
    operation.cycles = 80U + up(to.bytes, 8U);
    return operation;
}

// Unary or binary, of bytes or of words, now and then in place.
std::optional<TraceMaker::Operation> TraceMaker::elementwise(const Range& to) {
    const bool wide = ((to.address % 4U) == 0U) && ((to.bytes % 4U) == 0U) && random_.one_in(3U);
    const std::uint32_t alignment = wide ? 4U : 1U;
    const std::uint32_t type = wide ? 4U : 1U;
    const std::uint32_t count = to.bytes / alignment;
    const bool in_place = random_.one_in(3U) && (is_written(to));
    const std::optional<Range> a = in_place ? std::optional<Range>{to} : source(to.bytes, alignment);
    if (!a.has_value() || (!in_place && overlap(*a, to))) {
        return std::nullopt;
    }
    Operation operation;
    operation.writes = {to};
    operation.alignment = alignment;
    if (random_.one_in(2U)) {
        const std::uint32_t op = 1U + random_.below(7U);
        const bool has_scalar = (op == 5U) || (op == 6U);
        const auto scalar = has_scalar ? static_cast<std::int32_t>(random_.below(256U)) - 128 : 0;
        operation.words = {14U, a->address, to.address, count, type, op, static_cast<std::uint32_t>(scalar)};
        operation.reads = {*a};
        operation.addresses = in_place ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{1U, 2U};
        finish_kernel(operation, count);
        return operation;
    }
    const std::optional<Range> b = source(to.bytes, alignment);
    if (!b.has_value() || overlap(*b, to)) {
        return std::nullopt;
    }
    operation.words = {15U, a->address, b->address, to.address, count, type, 1U + random_.below(6U)};
    operation.reads = {*a, *b};
    operation.addresses = {2U};
    finish_kernel(operation, count);
    return operation;
}

std::optional<TraceMaker::Operation> TraceMaker::gather(const Range& to) {
    const std::uint32_t rows = ((to.bytes % 3U) == 0U) ? 3U : (((to.bytes % 2U) == 0U) ? 2U : 1U);
    std::uint32_t left = to.bytes / rows;
    Operation operation;
    operation.writes = {to};
    operation.words = {13U, to.address, rows, 0U};
    operation.addresses = {1U};
    for (std::uint32_t segment = 0U; segment < 4U; ++segment) {
        const std::uint32_t bytes = (segment == 3U) ? left : std::min(left, 1U + random_.below(4U));
        if (bytes == 0U) {
            operation.words.insert(operation.words.end(), {0U, 0U, 0U});
            continue;
        }
        const std::uint32_t stride = random_.below(5U);
        const std::optional<Range> hull = source(((rows - 1U) * stride) + bytes, 1U);
        if (!hull.has_value() || overlap(*hull, to)) {
            return std::nullopt;
        }
        operation.words.insert(operation.words.end(), {hull->address, stride, bytes});
        operation.reads.push_back(*hull);
        operation.words[3] += 1U;
        left -= bytes;
    }
    finish_kernel(operation, rows * operation.words[3]);
    return operation;
}

// Kernels that write words: matmul, reduce, semaphore.
std::optional<TraceMaker::Operation> TraceMaker::words_kernel() {
    Operation operation;
    const std::uint32_t kind = random_.below(3U);
    const std::uint32_t rows = 1U + random_.below(2U);
    const std::uint32_t depth = 1U + random_.below(3U);
    const std::uint32_t columns = 1U + random_.below(2U);
    if (kind == 0U) {
        const std::optional<Range> c = target(4U * rows * columns, 4U);
        const std::optional<Range> a = source(rows * depth, 1U);
        const std::optional<Range> b = source(depth * columns, 1U);
        if (!a.has_value() || !b.has_value() || !c.has_value() || overlap(*a, *c) || overlap(*b, *c)) {
            return std::nullopt;
        }
        const bool accumulates = is_written(*c) && random_.one_in(2U);
        operation.words = {16U, a->address, b->address, c->address, rows, depth, columns, 1U, accumulates ? 1U : 0U};
        operation.reads = {*a, *b};
        if (accumulates) {
            operation.reads.push_back(*c);
        }
        operation.writes = {*c};
        finish_kernel(operation, rows * depth * columns);
        return operation;
    }
    if (kind == 1U) {
        const bool over_rows = random_.one_in(2U);
        const std::optional<Range> to = target(4U * (over_rows ? depth : rows), 4U);
        const std::optional<Range> from = source(rows * depth, 1U);
        if (!to.has_value() || !from.has_value() || overlap(*to, *from)) {
            return std::nullopt;
        }
        operation.words = {17U, from->address,          to->address,        rows, depth,
                           1U,  1U + random_.below(3U), over_rows ? 0U : 1U};
        operation.reads = {*from};
        operation.writes = {*to};
        finish_kernel(operation, rows * depth);
        return operation;
    }
    const std::optional<Range> word = target(4U, 4U);
    if (!word.has_value()) {
        return std::nullopt;
    }
    const bool increments = is_written(*word);
    operation.words = {18U, word->address, increments ? 2U : 1U, random_.word()};
    if (increments) {
        operation.reads = {*word};
    }
    operation.writes = {*word};
    finish_kernel(operation, 1U);
    return operation;
}

std::optional<TraceMaker::Operation> TraceMaker::any_operation(const Range& to) {
    for (int tries = 0; tries < 3; ++tries) {
        const std::uint32_t choice = random_.below(8U);
        std::optional<Operation> operation =
            (choice < 3U) ? copy(to) : ((choice < 6U) ? elementwise(to) : ((choice < 7U) ? gather(to) : fill(to)));
        if (operation.has_value()) {
            return operation;
        }
    }
    return fill(to);
}

void TraceMaker::append(std::uint32_t index, const Operation& operation) {
    Trace& trace = program_.traces.at(index);
    const bool launches = operation.opcode == kLaunch;
    const bool dispatches = launches && random_.one_in(3U);
    const std::uint32_t core = random_.below(kCores);
    const auto begin = static_cast<std::uint32_t>(trace.words.size());
    Words head{operation.opcode};
    if (dispatches) {
        program_.dispatches = true;
        head = {kDispatch, core, operation.words.front(), static_cast<std::uint32_t>(operation.cycles)};
        time_ += 16U;
        core_free_.at(core) = std::max(core_free_.at(core), time_) + operation.cycles;
    } else {
        for (const std::uint64_t free : core_free_) {
            time_ = std::max(time_, free);
        }
        time_ += operation.cycles + (launches ? 16U : 0U);
        if (launches) {
            head = {kLaunch, operation.words.front(), static_cast<std::uint32_t>(operation.cycles)};
        }
    }
    // The kernel's id has moved into the head.
    const std::uint32_t skipped = launches ? 1U : 0U;
    const auto first = static_cast<std::uint32_t>(begin + head.size() - skipped);
    head[0] |= static_cast<std::uint32_t>(head.size() + operation.words.size() - skipped) << 16U;
    trace.words.insert(trace.words.end(), head.begin(), head.end());
    trace.words.insert(trace.words.end(), operation.words.begin() + skipped, operation.words.end());
    trace.commands += 1U;
    for (const std::uint32_t word : operation.addresses) {
        candidates_.push_back({{index, first + word}, true, false, operation.alignment});
    }
    if (operation.value != UINT32_MAX) {
        candidates_.push_back({{index, first + operation.value}, false, operation.opcode == kFill, 1U});
    }
    note_written(operation.writes);
}

void TraceMaker::append_bare(std::uint32_t index, std::uint32_t opcode) {
    Trace& trace = program_.traces.at(index);
    for (const std::uint64_t free : core_free_) {
        time_ = std::max(time_, free);
    }
    time_ += 16U;
    trace.words.push_back(opcode | (1U << 16U));
    trace.commands += 1U;
}

void TraceMaker::make(std::uint32_t trace, bool outputs) {
    time_ = 0U;
    core_free_.fill(0U);
    std::vector<Range> wanted;
    for (std::uint32_t i = 1U + random_.below(4U); i > 0U; --i) {
        const std::uint32_t alignment = random_.one_in(2U) ? 4U : 1U;
        const std::optional<Range> to = target(alignment * (1U + random_.below(12U / alignment)), alignment);
        if (to.has_value()) {
            wanted.push_back(*to);
        }
    }
    for (const Pieces& pieces : program_.outputs) {
        if (outputs) {
            wanted.insert(wanted.end(), pieces.begin(), pieces.end());
        }
    }
    for (const Range& to : wanted) {
        const std::optional<Operation> other = random_.one_in(6U) ? words_kernel() : std::nullopt;
        if (other.has_value()) {
            append(trace, *other);
            if (!random_.one_in(4U)) {
                append_bare(trace, kBarrier);
            }
        }
        const std::optional<Operation> operation = any_operation(to);
        if (operation.has_value()) {
            append(trace, *operation);
        }
        if (!random_.one_in(4U)) {
            append_bare(trace, kBarrier);
        }
    }
    append_bare(trace, kEnd);
    program_.traces.at(trace).cycles = time_;
}

void TraceMaker::declare_parameters() {
    const std::uint32_t count = 1U + random_.below(2U);
    for (std::uint32_t i = 0U; (i < count) && !candidates_.empty(); ++i) {
        const std::uint32_t chosen = random_.below(static_cast<std::uint32_t>(candidates_.size()));
        const Candidate candidate = candidates_.at(chosen);
        candidates_.erase(candidates_.begin() + chosen);
        const std::uint32_t value = program_.traces.at(candidate.point.trace).words.at(candidate.point.word);
        Parameter parameter;
        parameter.is_address = candidate.is_address;
        parameter.points = {candidate.point};
        if (candidate.is_address) {
            parameter.alignment = candidate.alignment;
            parameter.minimum = value - (candidate.alignment * random_.below(3U));
            parameter.maximum = value + (candidate.alignment * random_.below(3U));
        } else if (candidate.is_byte) {
            parameter.minimum = random_.below(value + 1U);
            parameter.maximum = value + random_.below(256U - value);
        } else {
            const std::uint32_t sign = value & 0x8000'0000U;
            parameter.minimum = sign;
            parameter.maximum = sign | 0x7FFF'FFFFU;
        }
        program_.parameters.push_back(parameter);
    }
}

}  // namespace pianola::programs
