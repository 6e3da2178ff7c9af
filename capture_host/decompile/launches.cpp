#include "capture_host/decompile/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "capture_host/binary/trace_walk.h"
#include "capture_host/decompile/operation.h"
#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"

namespace pianola::decompile {
namespace {

using refdev::KernelId;

Token byte_of(std::uint32_t word, std::uint32_t byte) {
    return (word >> (byte * kByteBits)) & UINT8_MAX;
}

// Kernels that move bytes.

void copy(WordSpan words, SymbolicMemory& memory) {
    const auto a = refdev::arguments_from_words<refdev::CopyArguments>(words);
    memory.write(a.destination, memory.read(a.source, a.size_bytes));
}

void replay_fill(WordSpan words, SymbolicMemory& memory) {
    const auto a = refdev::arguments_from_words<refdev::FillArguments>(words);
    Tokens tokens;
    for (std::uint32_t i = 0U; i < a.size_bytes; ++i) {
        tokens.push_back(byte_of(a.pattern, i % sizeof(a.pattern)));
    }
    memory.write(a.destination, tokens);
}

void replay_gather(WordSpan words, SymbolicMemory& memory) {
    const auto a = refdev::arguments_from_words<refdev::GatherArguments>(words);
    Tokens tokens;
    for (std::uint32_t row = 0U; row < a.rows; ++row) {
        for (std::uint32_t i = 0U; i < a.segment_count; ++i) {
            const refdev::GatherSegment& segment = a.segments.at(i);
            append(tokens, memory.read(segment.address + (row * segment.stride_bytes), segment.bytes));
        }
    }
    memory.write(a.destination, tokens);
}

void view(WordSpan words, SymbolicMemory& memory) {
    const auto a = refdev::arguments_from_words<refdev::ViewArguments>(words);
    std::uint32_t start = a.input;
    for (std::size_t axis = 0U; axis < a.dims.size(); ++axis) {
        if (a.strides.at(axis) < 0) {
            start += (a.dims.at(axis) - 1U) * static_cast<std::uint32_t>(-a.strides.at(axis));
        }
    }
    Tokens tokens;
    std::array<std::uint32_t, refdev::kViewRank> index{};
    for (bool goes_on = true; goes_on;) {
        std::uint32_t address = start;
        for (std::size_t axis = 0U; axis < index.size(); ++axis) {
            address += index.at(axis) * static_cast<std::uint32_t>(a.strides.at(axis));
        }
        append(tokens, memory.read(address, a.element_bytes));
        goes_on = false;
        for (std::size_t axis = index.size(); (axis > 0U) && !goes_on; --axis) {
            index.at(axis - 1U) += 1U;
            goes_on = index.at(axis - 1U) < a.dims.at(axis - 1U);
            index.at(axis - 1U) = goes_on ? index.at(axis - 1U) : 0U;
        }
    }
    memory.write(a.output, tokens);
}

void replay_pad(WordSpan words, SymbolicMemory& memory) {
    const auto a = refdev::arguments_from_words<refdev::PadArguments>(words);
    Tokens value;
    for (std::uint32_t i = 0U; i < a.element_bytes; ++i) {
        value.push_back(byte_of(static_cast<std::uint32_t>(a.value), i));
    }
    std::array<std::uint32_t, 4> size{};
    for (std::size_t axis = 0U; axis < size.size(); ++axis) {
        size.at(axis) = a.before.at(axis) + a.dims.at(axis) + a.after.at(axis);
    }
    Tokens tokens;
    const std::uint32_t elements = size[0] * size[1] * size[2] * size[3];
    for (std::uint32_t i = 0U; i < elements; ++i) {
        std::uint32_t rest = i;
        std::uint32_t stride = 1U;
        std::uint32_t from = 0U;
        bool is_inside = true;
        for (std::size_t axis = size.size(); axis > 0U; --axis) {
            const std::uint32_t at = rest % size.at(axis - 1U);
            rest /= size.at(axis - 1U);
            const std::uint32_t before = a.before.at(axis - 1U);
            is_inside = is_inside && (at >= before) && ((at - before) < a.dims.at(axis - 1U));
            from += (at - before) * stride;
            stride *= a.dims.at(axis - 1U);
        }
        append(tokens, is_inside ? memory.read(a.input + (from * a.element_bytes), a.element_bytes) : value);
    }
    memory.write(a.output, tokens);
}

// False if an index is no constant: then the launch is a computation.
bool replay_take(WordSpan words, SymbolicMemory& memory) {
    const auto a = refdev::arguments_from_words<refdev::TakeArguments>(words);
    const Tokens indices = memory.read(a.indices, std::size_t{a.batches} * a.count * sizeof(std::uint32_t));
    if (std::any_of(indices.begin(), indices.end(), [](Token token) { return token >= kUndefined; })) {
        return false;
    }
    Tokens tokens;
    for (std::uint32_t row = 0U; row < (a.batches * a.outer); ++row) {
        for (std::uint32_t i = 0U; i < a.count; ++i) {
            const std::size_t at = (std::size_t{row / a.outer} * a.count + i) * sizeof(std::uint32_t);
            std::uint32_t bits = 0U;
            for (std::uint32_t byte = 0U; byte < sizeof(bits); ++byte) {
                bits |= indices[at + byte] << (byte * kByteBits);
            }
            const auto wanted = static_cast<std::int32_t>(bits);
            const auto entry =
                static_cast<std::uint32_t>(std::clamp<std::int64_t>(wanted, 0, std::int64_t{a.entries} - 1));
            append(tokens, memory.read(a.input + (((row * a.entries) + entry) * a.entry_bytes), a.entry_bytes));
        }
    }
    memory.write(a.output, tokens);
    return true;
}

// Kernels that broadcast: their operands as large as the output, so that it does not matter how dimensions were joined.
template <std::size_t kRank>
Tokens broadcast(const Tokens& operand, const std::array<std::uint32_t, kRank>& dims,
                 const std::array<std::uint32_t, kRank>& strides, std::size_t element_bytes) {
    Tokens tokens;
    std::size_t count = 1U;
    for (const std::uint32_t size : dims) {
        count *= size;
    }
    for (std::size_t i = 0U; i < count; ++i) {
        std::size_t rest = i;
        std::size_t from = 0U;
        for (std::size_t axis = kRank; axis > 0U; --axis) {
            from += (rest % dims.at(axis - 1U)) * strides.at(axis - 1U);
            rest /= dims.at(axis - 1U);
        }
        for (std::size_t byte = 0U; byte < element_bytes; ++byte) {
            tokens.push_back(operand.at((from * element_bytes) + byte));
        }
    }
    return tokens;
}

template <typename Arguments>
void store(const Arguments& arguments, Computation& computation) {
    std::memcpy(computation.words.data(), &arguments, sizeof(Arguments));
}

template <typename Arguments>
void broadcast_pair(WordSpan words, std::size_t element_bytes, Computation& computation) {
    auto a = refdev::arguments_from_words<Arguments>(words);
    computation.operands[0] = broadcast(computation.operands[0], a.dims, a.strides1, element_bytes);
    computation.operands[1] = broadcast(computation.operands[1], a.dims, a.strides2, element_bytes);
    a.dims = {};
    a.strides1 = {};
    a.strides2 = {};
    a.input1 = 0U;
    a.input2 = 0U;
    a.output = 0U;
    store(a, computation);
}

void broadcast_binary(WordSpan words, Computation& computation) {
    const auto a = refdev::arguments_from_words<refdev::QuantizedBinaryArguments>(words);
    broadcast_pair<refdev::QuantizedBinaryArguments>(words, (a.type == refdev::kTypeInt16) ? 2U : 1U, computation);
}

void broadcast_add(WordSpan words, Computation& computation) {
    broadcast_pair<refdev::AddArguments>(words, 1U, computation);
}

void broadcast_select(WordSpan words, Computation& computation) {
    auto a = refdev::arguments_from_words<refdev::SelectArguments>(words);
    computation.operands[0] = broadcast(computation.operands[0], a.dims, a.condition_strides, 1U);
    computation.operands[1] = broadcast(computation.operands[1], a.dims, a.strides1, a.element_bytes);
    computation.operands[2] = broadcast(computation.operands[2], a.dims, a.strides2, a.element_bytes);
    refdev::SelectArguments plain{};
    plain.element_bytes = a.element_bytes;
    store(plain, computation);
}

// A reduction's terms side by side, whichever axis it reduces.
void reduce_columns(WordSpan words, Computation& computation) {
    auto a = refdev::arguments_from_words<refdev::ReduceArguments>(words);
    if (a.axis == 0U) {
        const Tokens rows = computation.operands[0];
        const std::size_t bytes = rows.size() / (std::size_t{a.rows} * a.columns);
        Tokens& columns = computation.operands[0];
        columns.clear();
        for (std::size_t column = 0U; column < a.columns; ++column) {
            for (std::size_t row = 0U; row < a.rows; ++row) {
                const auto from = rows.begin() + static_cast<std::ptrdiff_t>(((row * a.columns) + column) * bytes);
                columns.insert(columns.end(), from, from + static_cast<std::ptrdiff_t>(bytes));
            }
        }
        std::swap(a.rows, a.columns);
        a.axis = 1U;
    }
    a.input = 0U;
    a.output = 0U;
    store(a, computation);
}

// One line for each kernel that is more than its words and the bytes that it reads.
struct MovingKernel {
    KernelId kernel;
    void (*move)(WordSpan words, SymbolicMemory& memory);
};
constexpr std::array<MovingKernel, 5> kMovingKernels{{{KernelId::kCopy, copy},
                                                      {KernelId::kFill, replay_fill},
                                                      {KernelId::kGather, replay_gather},
                                                      {KernelId::kView, view},
                                                      {KernelId::kPad, replay_pad}}};
struct Normal {
    KernelId kernel;
    void (*normalise)(WordSpan words, Computation& computation);
};
constexpr std::array<Normal, 4> kNormals{{{KernelId::kAdd, broadcast_add},
                                          {KernelId::kReduce, reduce_columns},
                                          {KernelId::kQuantizedBinary, broadcast_binary},
                                          {KernelId::kSelect, broadcast_select}}};

void compute(const refdev::Kernel& kernel, WordSpan words, const DecodedCommand& command, SymbolicMemory& memory,
             Expressions& expressions) {
    Computation computation;
    computation.kernel = command.kernel_id;
    for (std::uint32_t i = 0U; i < words.size(); ++i) {
        const bool is_address = ((kernel.address_words >> i) & 1U) != 0U;
        computation.words.push_back(is_address ? 0U : words[i]);
    }
    std::vector<Extent> outputs;
    for (const Extent& extent : command.extents.view()) {
        if (extent.access == Access::kRead) {
            computation.operands.push_back(memory.read(extent));
        } else {
            computation.output_bytes += extent.size_bytes;
            outputs.push_back(extent);
        }
    }
    const auto* const normal = std::find_if(kNormals.begin(), kNormals.end(), [&](const Normal& each) {
        return static_cast<std::uint32_t>(each.kernel) == command.kernel_id;
    });
    if (normal != kNormals.end()) {
        normal->normalise(words, computation);
    }
    const Tokens* const found = expressions.match(computation);
    if (found == nullptr) {
        throw Mismatch{fmt::format("{}: computes what no operator of the model does; {}", kernel.name,
                                   expressions.explain(computation))};
    }
    auto first = found->begin();
    for (const Extent& output : outputs) {
        const auto end = first + static_cast<std::ptrdiff_t>(output.size_bytes);
        memory.write(output.address, Tokens{first, end});
        first = end;
    }
}

void launch(WordSpan words, const DecodedCommand& command, SymbolicMemory& memory, Expressions& expressions) {
    const refdev::Kernel* const kernel = refdev::find_kernel(command.kernel_id);
    if ((kernel == nullptr) || (words.size() < (refdev::kLaunchHeadWords + kernel->argument_words))) {
        throw Mismatch{fmt::format("kernel {}: not understood", command.kernel_id)};
    }
    const WordSpan arguments = words.subspan(refdev::kLaunchHeadWords, kernel->argument_words);
    for (const MovingKernel& each : kMovingKernels) {
        if (static_cast<std::uint32_t>(each.kernel) == command.kernel_id) {
            each.move(arguments, memory);
            return;
        }
    }
    if ((command.kernel_id == static_cast<std::uint32_t>(KernelId::kTake)) && replay_take(arguments, memory)) {
        return;
    }
    compute(*kernel, arguments, command, memory, expressions);
}

}  // namespace

void run_command(WordSpan words, const DecodedCommand& command, SymbolicMemory& memory, Expressions& expressions) {
    switch (command.kind) {
        case CommandKind::kLaunch:
            launch(words, command, memory, expressions);
            break;
        case CommandKind::kCopy:
            memory.write(words[1], memory.read(words[2], words[3]));
            break;
        case CommandKind::kFill:
            memory.write(words[1], Tokens(words[2], words[3]));
            break;
        case CommandKind::kBarrier:
        case CommandKind::kEnd:
            break;
        case CommandKind::kDispatch:
        case CommandKind::kUnspecified:
        default:
            throw Mismatch{"not understood: a model's binary has no such command"};
    }
}

void SymbolicMemory::add_region(std::uint32_t base, std::uint32_t size_bytes) {
    regions_.emplace(base, Tokens(size_bytes, kUndefined));
}

const Tokens& SymbolicMemory::region(std::uint32_t address, std::size_t size_bytes, std::size_t& offset) const {
    auto next = regions_.upper_bound(address);
    if (next == regions_.begin()) {
        throw std::out_of_range{"an address in front of the regions"};
    }
    --next;
    offset = address - next->first;
    if ((offset > next->second.size()) || (size_bytes > (next->second.size() - offset))) {
        throw std::out_of_range{"an address outside the regions"};
    }
    return next->second;
}

Tokens SymbolicMemory::read(std::uint32_t address, std::size_t size_bytes) const {
    std::size_t offset = 0U;
    const Tokens& tokens = region(address, size_bytes, offset);
    const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(offset);
    return {first, first + static_cast<std::ptrdiff_t>(size_bytes)};
}

Tokens SymbolicMemory::read(const Extent& extent) const {
    Tokens all;
    targets::for_each_run(extent, [&](std::uint64_t begin, std::uint64_t end) {
        const Tokens run = read(static_cast<std::uint32_t>(begin), static_cast<std::size_t>(end - begin));
        all.insert(all.end(), run.begin(), run.end());
    });
    return all;
}

void SymbolicMemory::write(std::uint32_t address, const Tokens& tokens) {
    std::size_t offset = 0U;
    (void)region(address, tokens.size(), offset);
    auto& home = std::prev(regions_.upper_bound(address))->second;
    std::copy(tokens.begin(), tokens.end(), home.begin() + static_cast<std::ptrdiff_t>(offset));
}

void SymbolicMemory::write(std::uint32_t address, ByteSpan bytes) {
    write(address, Tokens(bytes.begin(), bytes.end()));
}

bool SymbolicMemory::keep_invariant(const SymbolicMemory& before, const Successors& successors) {
    bool has_lost = false;
    for (auto& [base, tokens] : regions_) {
        const Tokens& old = before.regions_.at(base);
        for (std::size_t i = 0U; i < tokens.size(); ++i) {
            const bool is_kept = (tokens[i] == old[i]) || (successors.count({old[i], tokens[i]}) != 0U);
            has_lost = has_lost || (!is_kept && (old[i] != kUndefined));
            tokens[i] = is_kept ? tokens[i] : kUndefined;
        }
    }
    return has_lost;
}

}  // namespace pianola::decompile
