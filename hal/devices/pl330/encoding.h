// The engine's own instructions, in fixed groups of whole words, of which a PL330 trace consists.
//
// The driver and the host's lowering write these groups, the command set recognises them, and the engine fetches them
// byte by byte. Words are little-endian; DMANOP pads them, so that the operands of DMAMOV are separate words.
// Instructions: "CoreLink DMA-330 DMA Controller Technical Reference Manual", Arm, DDI 0424.
#pragma once

#include <array>
#include <cstdint>

namespace pianola::pl330 {

inline constexpr std::array<char, 6> kDeviceFamily{"pl330"};
inline constexpr std::uint32_t kCommandSetId = 0x3033'4C50U;  // "PL30"
inline constexpr std::uint32_t kCommandSetVersion = 1U;

// A burst is a power of two bytes, and its addresses are multiples of its size: no burst crosses 4 KiB, which the bus
// forbids, and the engine shortens none, as it would if an address were not a multiple of a beat.
inline constexpr std::uint32_t kMaxBeatShift = 3U;   // 8 bytes, the width of the data bus
inline constexpr std::uint32_t kMaxBurstShift = 7U;  // 16 beats
inline constexpr std::uint32_t kMaxLoops = 256U;     // of each of the two loop counters

// outer * inner bursts of 2^burst_shift bytes.
struct Move {
    std::uint32_t source{0U};
    std::uint32_t destination{0U};
    std::uint32_t burst_shift{0U};
    std::uint32_t inner{1U};
    std::uint32_t outer{1U};
    bool source_increments{true};  // otherwise every beat reads the same bytes
};

[[nodiscard]] constexpr std::uint32_t beat_shift_of(std::uint32_t burst_shift) noexcept {
    return (burst_shift < kMaxBeatShift) ? burst_shift : kMaxBeatShift;
}
[[nodiscard]] constexpr std::uint32_t moved_bytes(const Move& move) noexcept {
    return (move.outer * move.inner) << move.burst_shift;  // at most 2^23
}

// DMANOP DMANOP DMAMOV register: the next word is the operand.
inline constexpr std::uint32_t kMoveSource = 0x00BC'1818U;
inline constexpr std::uint32_t kMoveControl = 0x01BC'1818U;
inline constexpr std::uint32_t kMoveDestination = 0x02BC'1818U;
// DMALP 1 outer - 1, DMALP 0 inner - 1.
inline constexpr std::uint32_t kLoops = 0x0020'0022U;
inline constexpr std::uint32_t kLoopsMask = 0x00FF'00FFU;
inline constexpr std::uint32_t kOuterShift = 8U;
inline constexpr std::uint32_t kInnerShift = 24U;
// DMALD DMAST, or DMASTZ DMANOP; then DMALPEND 0, two bytes back.
inline constexpr std::uint32_t kLoadStore = 0x0238'0804U;
inline constexpr std::uint32_t kStoreZeros = 0x0238'180CU;
// DMALPEND 1, six bytes back; DMAWMB: every store has arrived before the next group begins.
inline constexpr std::uint32_t kLoopsEnd = 0x1813'063CU;
// DMARMB DMAWMB.
inline constexpr std::uint32_t kBarrier = 0x1818'1312U;
// DMAEND: the thread stops.
inline constexpr std::uint32_t kEnd = 0x1818'1800U;

// Positions of the operands, and lengths of the groups.
inline constexpr std::uint32_t kCopySourceWord = 1U;
inline constexpr std::uint32_t kCopyDestinationWord = 3U;
inline constexpr std::uint32_t kCopyControlWord = 5U;
inline constexpr std::uint32_t kCopyLoopsWord = 6U;
inline constexpr std::uint32_t kCopyWords = 9U;
inline constexpr std::uint32_t kZerosDestinationWord = 1U;
inline constexpr std::uint32_t kZerosControlWord = 3U;
inline constexpr std::uint32_t kZerosLoopsWord = 4U;
inline constexpr std::uint32_t kZerosWords = 7U;

// The channel control register: sizes of a beat and numbers of beats are the same on both sides; ordinary secure data,
// not cached, no swapping of bytes.
[[nodiscard]] std::uint32_t copy_control(std::uint32_t burst_shift, bool source_increments) noexcept;
[[nodiscard]] std::uint32_t zeros_control(std::uint32_t burst_shift) noexcept;

// The first `count` words.
struct Group {
    std::array<std::uint32_t, kCopyWords> words{};
    std::uint32_t count{0U};
};
[[nodiscard]] Group encode_copy(const Move& move) noexcept;   // and fills from a constant
[[nodiscard]] Group encode_zeros(const Move& move) noexcept;  // `source` has no meaning

// The longest move that the addresses permit, of `size_bytes` > 0 bytes or fewer; the rest needs further moves. A
// source that does not increment must hold 8 equal bytes at a multiple of 8.
[[nodiscard]] Move first_move(std::uint32_t source, std::uint32_t destination, std::uint32_t size_bytes,
                              bool source_increments) noexcept;

// Programs of one word that the driver starts, for commands that are not in traces. Events 0 to 15.
[[nodiscard]] constexpr std::uint32_t send_event_program(std::uint32_t event) noexcept {
    return 0x0000'3413U | (event << 19U);  // DMAWMB, DMASEV event, DMAEND
}
[[nodiscard]] constexpr std::uint32_t wait_event_program(std::uint32_t event) noexcept {
    return 0x0000'3618U | (event << 19U);  // DMANOP, DMAWFE event, DMAEND
}
inline constexpr std::uint32_t kEventProgramEnd = 3U;  // the byte of DMAEND

}  // namespace pianola::pl330
