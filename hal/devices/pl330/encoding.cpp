#include "hal/devices/pl330/encoding.h"

namespace pianola::pl330 {
namespace {

constexpr std::uint32_t kSourceIncrements = 1U << 0U;
constexpr std::uint32_t kSourceBeatShift = 1U;
constexpr std::uint32_t kSourceBeatsShift = 4U;
constexpr std::uint32_t kDestinationIncrements = 1U << 14U;
constexpr std::uint32_t kDestinationBeatShift = 15U;
constexpr std::uint32_t kDestinationBeatsShift = 18U;

[[nodiscard]] std::uint32_t beats_field(std::uint32_t burst_shift) noexcept {
    return (1U << (burst_shift - beat_shift_of(burst_shift))) - 1U;
}

[[nodiscard]] std::uint32_t loops_word(const Move& move) noexcept {
    return kLoops | ((move.outer - 1U) << kOuterShift) | ((move.inner - 1U) << kInnerShift);
}

}  // namespace

std::uint32_t copy_control(std::uint32_t burst_shift, bool source_increments) noexcept {
    return zeros_control(burst_shift) | (source_increments ? kSourceIncrements : 0U) |
           (beat_shift_of(burst_shift) << kSourceBeatShift) | (beats_field(burst_shift) << kSourceBeatsShift);
}

std::uint32_t zeros_control(std::uint32_t burst_shift) noexcept {
    return kDestinationIncrements | (beat_shift_of(burst_shift) << kDestinationBeatShift) |
           (beats_field(burst_shift) << kDestinationBeatsShift);
}

Group encode_copy(const Move& move) noexcept {
    return {{kMoveSource, move.source, kMoveDestination, move.destination, kMoveControl,
             copy_control(move.burst_shift, move.source_increments), loops_word(move), kLoadStore, kLoopsEnd},
            kCopyWords};
}

Group encode_zeros(const Move& move) noexcept {
    return {{kMoveDestination, move.destination, kMoveControl, zeros_control(move.burst_shift), loops_word(move),
             kStoreZeros, kLoopsEnd},
            kZerosWords};
}

Move first_move(std::uint32_t source, std::uint32_t destination, std::uint32_t size_bytes,
                bool source_increments) noexcept {
    const std::uint32_t addresses = destination | (source_increments ? source : 0U);
    Move move{source, destination, 0U, 1U, 1U, source_increments};
    for (std::uint32_t shift = 1U; shift <= kMaxBurstShift; ++shift) {
        const std::uint32_t burst_bytes = 1U << shift;
        if (((addresses & (burst_bytes - 1U)) != 0U) || (burst_bytes > size_bytes)) {
            break;
        }
        move.burst_shift = shift;
    }
    const std::uint32_t bursts = size_bytes >> move.burst_shift;
    if (bursts < kMaxLoops) {
        move.inner = bursts;
        return move;
    }
    const std::uint32_t turns = bursts / kMaxLoops;
    move.inner = kMaxLoops;
    move.outer = (turns < kMaxLoops) ? turns : kMaxLoops;
    return move;
}

}  // namespace pianola::pl330
