// The files in which validator test vectors travel: from the host suite to a target, and the target's verdicts back.
//
// Written by pianola_vectors, read by the on-target test application. All numbers are little-endian words of 32 bits,
// all records multiples of 64 bytes, so that a pack that lies aligned holds every file aligned.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pianola::test {

inline constexpr std::uint32_t kPackMagic = 0x4345'5650U;  // "PVEC"
inline constexpr std::uint32_t kPackVersion = 3U;
inline constexpr std::size_t kPackAlignment = 64U;

struct PackHeader {
    std::uint32_t magic{kPackMagic};
    std::uint32_t version{kPackVersion};
    std::uint32_t vector_count{0U};
    std::array<std::uint32_t, 13U> reserved{};
};
static_assert(sizeof(PackHeader) == kPackAlignment, "the file format");

// What a device trusts, in the words of Trust. Those of all vectors follow the header, and precede the first record.
// The verifier is the target's own.
inline constexpr std::uint32_t kPackTrusts = 2U;
inline constexpr std::uint32_t kPackKeys = 2U;  // of one
struct PackKey {
    std::array<std::uint8_t, 8U> id{};
    std::array<std::uint8_t, 64U> point{};
    std::uint32_t state{0U};
};
struct PackTrust {
    std::uint32_t policy{0U};
    std::uint32_t lowest_security_version{0U};
    std::uint32_t key_count{0U};
    std::array<PackKey, kPackKeys> keys{};
    std::array<std::uint32_t, 7U> reserved{};
};
static_assert(sizeof(PackTrust) == (3U * kPackAlignment), "the file format");

// One vector: the device that the file is validated for, in the words of DeviceDescription. The file follows,
// `shift_bytes` behind the record's end, and then padding.
struct PackRecord {
    std::uint32_t length_bytes{0U};
    std::uint32_t stored_bytes{0U};  // fewer where no target has room: the file is refused for its length, unread
    std::uint32_t shift_bytes{0U};   // 0, or what misaligns the file
    std::array<char, 24U> family{};
    std::uint32_t command_set_id{0U};
    std::uint32_t command_set_version{0U};
    std::array<std::uint8_t, 32U> kernel_library{};
    std::uint32_t dram_base{0U};
    std::uint32_t dram_bytes{0U};
    std::uint32_t l1_base{0U};
    std::uint32_t l1_bytes{0U};
    std::uint32_t trace_region_bytes{0U};
    std::uint32_t clock_khz{0U};
    std::uint32_t queue_count{0U};
    std::uint32_t ring_words{0U};
    std::uint32_t grid_columns{0U};
    std::uint32_t grid_rows{0U};
    std::uint32_t dram_banks{0U};
    std::uint32_t trust{0U};  // index of the validator's
    std::uint32_t attestation{0U};
    std::uint32_t costs{0U};
    std::uint32_t weights_layout{0U};
    std::uint32_t core_khz{0U};
    std::uint32_t millicycles_per_instruction{0U};
    std::uint32_t cost_model{0U};
    std::uint32_t file_base{0U};
    std::uint32_t file_bytes{0U};
    std::array<std::uint32_t, 9U> reserved{};
};
static_assert(sizeof(PackRecord) == (3U * kPackAlignment), "the file format");

// The numbers that a record and a DeviceDescription both have, from one to the other.
template <typename From, typename To>
void copy_device(const From& from, To& to) noexcept {
    to.kernel_library = from.kernel_library;
    to.dram_base = from.dram_base;
    to.dram_bytes = from.dram_bytes;
    to.l1_base = from.l1_base;
    to.l1_bytes = from.l1_bytes;
    to.file_base = from.file_base;
    to.file_bytes = from.file_bytes;
    to.trace_region_bytes = from.trace_region_bytes;
    to.clock_khz = from.clock_khz;
    to.queue_count = from.queue_count;
    to.ring_words = from.ring_words;
    to.grid_columns = from.grid_columns;
    to.grid_rows = from.grid_rows;
    to.dram_banks = from.dram_banks;
    to.attestation = static_cast<decltype(to.attestation)>(from.attestation);
    to.costs = static_cast<decltype(to.costs)>(from.costs);
    to.weights_layout = from.weights_layout;
    to.core_khz = from.core_khz;
    to.millicycles_per_instruction = from.millicycles_per_instruction;
    to.cost_model = from.cost_model;
}

[[nodiscard]] constexpr std::size_t pack_aligned(std::size_t size_bytes) noexcept {
    return ((size_bytes + kPackAlignment - 1U) / kPackAlignment) * kPackAlignment;
}

// What one vector came to. Texts end with a zero.
struct PackResult {
    std::uint32_t status{0U};
    std::uint32_t file_offset{0U};
    std::uint32_t actual_low{0U};
    std::uint32_t actual_high{0U};
    std::uint32_t limit_low{0U};
    std::uint32_t limit_high{0U};
    std::array<char, 24U> rule{};
    std::array<char, 144U> path{};
};
static_assert(sizeof(PackResult) == (3U * kPackAlignment), "the file format");

}  // namespace pianola::test
