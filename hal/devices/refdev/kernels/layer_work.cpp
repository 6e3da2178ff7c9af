#include "hal/devices/refdev/kernels/layer_work.h"

#include "hal/devices/refdev/kernels/inner_loops.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kInnerTerms = 6U;
using InnerTurns = std::array<std::uint64_t, kInnerTerms>;

// Of a core with the 16-bit SIMD instructions, or the vector extension.
constexpr std::uint32_t kAssembly = 0U;  // instructions of the loops in assembly
constexpr std::uint32_t kCalls = 1U;     // of two rows, by one or more channels
constexpr std::uint32_t kRowCalls = 2U;  // of one row; with the vector extension of one channel
constexpr std::uint32_t kRests = 3U;     // bytes that are loaded alone; sums of weights, by vector
constexpr std::uint32_t kWidened = 4U;   // words of four taps that are widened
constexpr std::uint32_t kGroups = 5U;    // of packed weights
// Of any other core: 0 four products, 2 products one by one, 3 calls of the latter.
constexpr std::uint32_t kDspProducts = 4U;  // with packed weights, and runs of them
constexpr std::uint32_t kMveProducts = 5U;

constexpr std::uint32_t kRunTaps = 16U;

// Calls turns(part, times) for the whole parts of a count, and for the rest.
template <typename Turns>
void for_parts(std::uint64_t count, std::uint32_t part, const Turns& turns) noexcept {
    const auto rest = static_cast<std::uint32_t>(count % part);
    turns(part, count / part);
    if (rest != 0U) {
        turns(rest, std::uint64_t{1});
    }
}

void add(InnerTurns& turns, const InnerTurns& part, std::uint64_t times) noexcept {
    for (std::uint32_t i = 0U; i < kInnerTerms; ++i) {
        turns[i] += part[i] * times;
    }
}

// Bytes of load_some(), and one for its call.
[[nodiscard]] constexpr std::uint64_t some_bytes(std::uint32_t taps) noexcept {
    const std::uint32_t rest = taps % kDspQuad;
    return (rest == 0U) ? 0U : (rest + 1U);
}

// Sums of products of one or two rows, with some channels and taps.

[[nodiscard]] InnerTurns portable_sums(std::uint32_t rows, std::uint64_t channels, std::uint64_t taps) noexcept {
    const std::uint64_t pairs = (rows == kRowBlock) ? (channels / 2U) : 0U;
    const std::uint64_t calls = (channels - (2U * pairs)) * rows;
    return {pairs * taps, pairs, calls * taps, calls, 0U, 0U};
}

[[nodiscard]] InnerTurns dsp_sums(std::uint32_t rows, std::uint64_t channels, std::uint32_t taps) noexcept {
    InnerTurns turns{};
    for_parts(taps, kDspWideTaps, [rows, channels, &turns](std::uint32_t count, std::uint64_t times) {
        const std::uint64_t quads = count / kDspQuad;
        InnerTurns part{};
        if (rows == kRowBlock) {
            part[kCalls] = blocks_of(channels, 2U);
            part[kAssembly] = part[kCalls] * (((quads / 2U) * kDspEightTaps) + ((quads % 2U) * kDspFourTaps));
            part[kRests] = (part[kCalls] + 1U) * 2U * some_bytes(count);
        } else {
            part[kRowCalls] = (channels / kDspQuad) + (channels % kDspQuad);
            part[kAssembly] = part[kRowCalls] * quads * kDspRowFourTaps;
            part[kRests] = ((part[kRowCalls] * kDspQuad) + 1U) * some_bytes(count);
        }
        part[kWidened] = rows * quads;
        add(turns, part, times);
    });
    return turns;
}

[[nodiscard]] InnerTurns mve_sums(std::uint32_t rows, std::uint64_t channels, std::uint64_t taps) noexcept {
    const std::uint64_t vectors = blocks_of(taps, kMveLanes);
    InnerTurns turns{};
    if (rows == kRowBlock) {
        turns[kCalls] = channels / kMveTriple;
        turns[kRowCalls] = channels % kMveTriple;
        turns[kAssembly] = vectors * ((turns[kCalls] * kMveTwoByThree) + (turns[kRowCalls] * kMveTwoByOne));
    } else {
        turns[kRowCalls] = channels;
        turns[kAssembly] = vectors * channels * kMveOneByOne;
    }
    return turns;
}

[[nodiscard]] InnerTurns mve_sums_once(std::uint64_t channels, std::uint64_t taps) noexcept {
    const std::uint64_t vectors = blocks_of(taps, kMveLanes);
    InnerTurns turns{};
    turns[kCalls] = channels / kMveTriple;
    turns[kRowCalls] = channels % kMveTriple;
    turns[kAssembly] = vectors * ((turns[kCalls] * kMveOneByThree) + (turns[kRowCalls] * kMveOneByOne));
    turns[kRests] = vectors * turns[kRowCalls];
    return turns;
}

[[nodiscard]] InnerTurns plain_sums(const LayerLoops& layers, Loops loops, std::uint32_t rows, std::uint32_t channels,
                                    std::uint32_t taps) noexcept {
    if (loops == Loops::kDsp) {
        return dsp_sums(rows, channels, taps);
    }
    if (loops == Loops::kMve) {
        return layers.sums_once ? mve_sums_once(channels, taps) : mve_sums(rows, channels, taps);
    }
    return portable_sums(rows, channels, taps);
}

[[nodiscard]] InnerTurns packed_sums(WeightsLayout layout, Loops loops, std::uint32_t rows, std::uint32_t channels,
                                     std::uint32_t taps) noexcept {
    const std::uint64_t groups = blocks_of(channels, kPackedGroup);
    InnerTurns turns{};
    if (loops == Loops::kDsp) {
        for_parts(taps, kTapBlock, [rows, groups, &turns](std::uint32_t count, std::uint64_t times) {
            const std::uint64_t octets = blocks_of(count, kDspOctet);
            const bool is_one = rows == 1U;
            InnerTurns part{};
            part[kAssembly] = groups * octets * (is_one ? kDspPackedRow : kDspPackedRows);
            part[kRests] = std::uint64_t{rows} * some_bytes(count);
            part[kWidened] = std::uint64_t{rows} * 2U * octets;
            part[kGroups] = groups;
            add(turns, part, times);
        });
    } else if (loops == Loops::kMve) {
        turns[kAssembly] = groups * blocks_of(taps, kMveLanes) * ((rows == 1U) ? kMvePackedRow : kMvePackedRows);
        turns[kGroups] = groups;
    } else {
        const std::uint64_t calls = std::uint64_t{rows} * channels;
        turns[(layout == WeightsLayout::kDsp) ? kDspProducts : kMveProducts] =
            calls * (taps + blocks_of(taps, kRunTaps));
    }
    return turns;
}

void publish(const InnerTurns& turns, Work& work) noexcept {
    for (std::uint32_t i = 0U; i < kInnerTerms; ++i) {
        work.turns[kInnerTerm + i] = turns[i];
    }
}

}  // namespace

std::uint64_t plain_blocks(std::uint32_t channels) noexcept {
    return blocks_of(channels, kChannelBlock);
}

std::uint64_t packed_blocks(std::uint32_t channels) noexcept {
    return blocks_of(channels, kPackedChannels);
}

void count_plain_layers(const LayerLoops& layers, Loops loops, Work& work) noexcept {
    InnerTurns turns{};
    for_parts(layers.channels, kChannelBlock, [&](std::uint32_t channels, std::uint64_t blocks) {
        if ((loops == Loops::kMve) && !layers.sums_once) {
            turns[kRests] += layers.layers * blocks * channels * blocks_of(layers.taps, kMveLanes);
        }
        for_parts(layers.rows, kRowBlock, [&](std::uint32_t rows, std::uint64_t steps) {
            for_parts(layers.taps, layers.piece, [&](std::uint32_t taps, std::uint64_t pieces) {
                add(turns, plain_sums(layers, loops, rows, channels, taps), layers.layers * blocks * steps * pieces);
            });
        });
    });
    publish(turns, work);
    const std::uint64_t blocks = layers.layers * plain_blocks(layers.channels);
    const std::uint64_t steps = blocks_of(layers.rows, kRowBlock);
    // The four terms follow each other.
    const std::uint32_t first = layers.sums_once ? kOnceTerm : kBlocksTerm;
    work.turns[first] = blocks;
    work.turns[first + 1U] = layers.layers * layers.channels;
    work.turns[first + 2U] = blocks * steps * blocks_of(layers.taps, layers.piece);
    // With the vector extension, four channels' parameters are loaded once for both rows.
    const std::uint64_t stored = layers.layers * layers.rows;
    work.turns[first + 3U] = (loops == Loops::kMve)
                                 ? ((stored + (layers.layers * steps)) * blocks_of(layers.channels, kMveWordLanes))
                                 : (stored * layers.channels);
}

void count_packed_layers(const LayerLoops& layers, WeightsLayout layout, Loops loops, Work& work) noexcept {
    const std::uint32_t at_once = (loops == Loops::kMve) ? kPackedRows : kRowBlock;
    InnerTurns turns{};
    for_parts(layers.channels, kPackedChannels, [&](std::uint32_t channels, std::uint64_t blocks) {
        for_parts(layers.rows, at_once, [&](std::uint32_t rows, std::uint64_t steps) {
            for_parts(layers.taps, layers.piece, [&](std::uint32_t taps, std::uint64_t pieces) {
                add(turns, packed_sums(layout, loops, rows, channels, taps), layers.layers * blocks * steps * pieces);
            });
        });
    });
    publish(turns, work);
    const std::uint64_t steps = blocks_of(layers.rows, at_once);
    work.turns[kPackedStepsTerm] =
        layers.layers * packed_blocks(layers.channels) * steps * blocks_of(layers.taps, layers.piece);
    // With the SIMD instructions, a single row is computed twice.
    const std::uint64_t stored = (loops == Loops::kDsp) ? steps : layers.rows;
    const std::uint32_t channels = (loops == Loops::kMve) ? kMveWordLanes : 1U;
    const std::uint32_t term = ((loops == Loops::kDsp) && !layers.is_int8) ? kPackedClampedTerm : kPackedOutputsTerm;
    work.turns[term] = layers.layers * stored * blocks_of(layers.channels, channels);
}

std::uint64_t copy_turns(std::uint32_t bytes, Loops loops) noexcept {
    constexpr std::uint32_t kWord = sizeof(std::uint32_t);
    return (loops == Loops::kMve) ? blocks_of(bytes, kMveLanes) : ((std::uint64_t{bytes} / kWord) + (bytes % kWord));
}

}  // namespace pianola::refdev
