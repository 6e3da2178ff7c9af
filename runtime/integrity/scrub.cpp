#include "runtime/integrity/scrub.h"

#include <cstring>

#include "runtime/core/bytes.h"

namespace pianola {
namespace {

constexpr std::uint32_t kChunkBytes = 64U;
static_assert((kScrubSliceBytes % kChunkBytes) == 0U);
using Chunk = std::array<std::uint8_t, kChunkBytes>;

// The words of declared parameters that lie in [address, address + bytes.size()), as they were set.
void put_parameters(const Plan& plan, const ParameterValues& values, std::uint32_t address,
                    MutableByteSpan bytes) noexcept {
    for (std::uint32_t i = 0U; i < plan.parameter_count; ++i) {
        const PlannedParameter& parameter = plan.parameters[i];
        for (std::uint32_t k = 0U; values.is_set[i] && (k < parameter.point_count); ++k) {
            const std::uint32_t place = plan.patch_addresses[parameter.first_point + k] - address;
            if (place < bytes.size()) {  // words and chunks are aligned: a word is in one chunk
                std::memcpy(&bytes[place], &values.value[i], sizeof(values.value[i]));
            }
        }
    }
}

// By words where it can: C libraries for small cores compare byte by byte. Sizes are equal, and both lie at multiples of 4.
bool are_equal(ByteSpan held, ByteSpan expected) noexcept {
    std::uint32_t difference = 0U;
    std::size_t i = 0U;
    for (; (i + sizeof(difference)) <= held.size(); i += sizeof(difference)) {
        difference |= load_aligned_word(&held[i]) ^ load_aligned_word(&expected[i]);
    }
    for (; i < held.size(); ++i) {
        difference |= static_cast<std::uint32_t>(held[i]) ^ static_cast<std::uint32_t>(expected[i]);
    }
    return difference == 0U;
}

}  // namespace

void find_constants(const PlannedScript& setup, const PlannedCommands& commands, const Envelope& envelope,
                    ConstantRanges& constants) noexcept {
    for (std::uint32_t i = 0U; i < setup.count; ++i) {
        const QueueCommand& command = commands[i].command;
        const Segment& segment = (command.slot == kWeightsSlot) ? envelope.weights : envelope.traces;
        constants.ranges[i] = ConstantRange{command.address, segment.offset + command.slot_offset, command.size_bytes};
    }
    constants.count = setup.count;
}

Status compare_slice(Device& device, const ScrubSource& source, ScrubCursor& cursor, std::uint32_t& address) noexcept {
    if (source.constants.count == 0U) {
        return Status::kOk;
    }
    const ConstantRange& range = source.constants.ranges[cursor.range];
    const std::uint32_t left = range.size_bytes - cursor.offset_bytes;
    const std::uint32_t slice = (left < kScrubSliceBytes) ? left : kScrubSliceBytes;
    for (std::uint32_t done = 0U; done < slice; done += kChunkBytes) {
        const std::uint32_t count = ((slice - done) < kChunkBytes) ? (slice - done) : kChunkBytes;
        const std::uint32_t offset = cursor.offset_bytes + done;
        address = range.address + offset;
        alignas(std::uint32_t) Chunk held;
        if (!is_ok(device.read_back(address, MutableByteSpan{held.data(), count}))) {
            return Status::kDeviceFault;
        }
        ByteSpan expected = source.file.subspan(range.file_offset + offset, count);
        alignas(std::uint32_t) Chunk copy;
        const bool is_aligned = ((range.file_offset + offset) % sizeof(std::uint32_t)) == 0U;
        if (!is_aligned || (source.plan.parameter_count != 0U)) {
            std::memcpy(copy.data(), expected.data(), count);
            put_parameters(source.plan, source.values, address, MutableByteSpan{copy.data(), count});
            expected = ByteSpan{copy.data(), count};
        }
        if (!are_equal(ByteSpan{held.data(), count}, expected)) {
            return Status::kIntegrity;
        }
    }
    cursor.offset_bytes += slice;
    if (cursor.offset_bytes < range.size_bytes) {
        return Status::kPending;
    }
    cursor.offset_bytes = 0U;
    cursor.range += 1U;
    if (cursor.range < source.constants.count) {
        return Status::kPending;
    }
    cursor.range = 0U;
    return Status::kOk;
}

}  // namespace pianola
