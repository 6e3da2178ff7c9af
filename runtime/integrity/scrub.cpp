#include "pianola/scrub.h"

#include <cstring>

#include "pianola/bytes.h"
#include "pianola/sha256.h"
#include "runtime/plan/proof.h"

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

// By words where it can: C libraries for small cores compare byte by byte. Sizes are equal, and both lie at multiples
// of 4.
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

// A piece of the file, and what devices hold in its place: the same everywhere.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): DEV-039
struct Piece {
    ByteSpan file;
    ByteSpan bytes;
    bool is_read{false};  // from a device: `bytes` are those of `chunk`
    alignas(std::uint32_t) Chunk chunk;
};

// What each of the devices has at an address becomes the piece, or is as what one before it had. `suspect` becomes the
// first device that can not be read, or, where there are several, that holds something else than the file.
Status read_piece(Devices devices, DeviceBits holders, std::uint32_t address, Piece& piece,
                  std::uint32_t& suspect) noexcept {
    for (std::uint32_t device = 0U; device < count_of(devices); ++device) {
        if (!has_device(holders, device)) {
            continue;
        }
        alignas(std::uint32_t) Chunk other;
        const MutableByteSpan held{piece.is_read ? other.data() : piece.chunk.data(), piece.bytes.size()};
        const bool is_answered = is_ok(devices[device]->read_back(address, held));
        const bool is_the_files = is_answered && ((count_of(devices) == 1U) || are_equal(held, piece.file));
        if ((suspect == count_of(devices)) && !is_the_files) {
            suspect = device;
        }
        if (!is_answered) {
            return Status::kDeviceFault;
        }
        if (piece.is_read && !are_equal(held, piece.bytes)) {
            return Status::kIntegrity;
        }
        piece.bytes = ByteSpan{piece.chunk.data(), piece.bytes.size()};
        piece.is_read = true;
    }
    return Status::kOk;
}

// Every constant range holds the piece, which lies in the file at file_offset, as a whole, or not at all.
Status read_piece(Devices devices, const ConstantRanges& constants, std::uint32_t file_offset, Piece& piece,
                  std::uint32_t& suspect) noexcept {
    Status status = Status::kOk;
    for (std::uint32_t i = 0U; is_ok(status) && (i < constants.count); ++i) {
        const ConstantRange& range = constants.ranges[i];
        const std::uint32_t offset = file_offset - range.file_offset;  // wraps to a large value below the range
        if (offset < range.size_bytes) {
            status = read_piece(devices, range.devices, range.address + offset, piece, suspect);
        }
    }
    return status;
}

// How much of the file from file_offset on, `limit` bytes at most, lies on one side of every end of a range.
std::uint32_t piece_bytes(const ConstantRanges& constants, std::uint32_t file_offset, std::uint32_t limit) noexcept {
    std::uint32_t bytes = (limit < kChunkBytes) ? limit : kChunkBytes;
    for (std::uint32_t i = 0U; i < constants.count; ++i) {
        const ConstantRange& range = constants.ranges[i];
        const std::uint32_t before = range.file_offset - file_offset;  // these two wrap to large values behind
        const std::uint32_t left = (range.file_offset + range.size_bytes) - file_offset;
        bytes = ((before != 0U) && (before < bytes)) ? before : bytes;
        bytes = ((left != 0U) && (left < bytes)) ? left : bytes;
    }
    return bytes;
}

}  // namespace

Status authenticate_constants(Devices devices, ByteSpan file, const Envelope& envelope, const ConstantRanges& constants,
                              std::uint32_t& suspect) noexcept {
    suspect = count_of(devices);
    Sha256 hash;
    hash.update(file.subspan(0U, header::kDigest));
    const std::uint32_t end = envelope.total_bytes - envelope.signature_bytes;
    std::uint32_t offset = header::kBytes;
    while (offset < end) {  // a piece is never empty
        Piece piece;
        piece.file = file.subspan(offset, piece_bytes(constants, offset, end - offset));
        piece.bytes = piece.file;
        const Status read = read_piece(devices, constants, offset, piece, suspect);
        if (!is_ok(read)) {
            return read;
        }
        hash.update(piece.bytes);
        offset += static_cast<std::uint32_t>(piece.bytes.size());
    }
    return digests_equal(ByteSpan{hash.finish()}, ByteSpan{envelope.digest}) ? Status::kOk : Status::kIntegrity;
}

void find_constants(const PlanWorkspace& workspace, const Plan& plan, const Envelope& envelope,
                    ConstantRanges& constants) noexcept {
    constants.count = workspace.setup.count;
    constants.kept_count = 0U;
    std::uint32_t end = constants.count;
    for (std::uint32_t i = 0U; i < workspace.setup.count; ++i) {
        const QueueCommand& command = workspace.setup_commands[i].command;
        const bool is_state = proof::is_state(plan, workspace, command);
        end -= is_state ? 1U : 0U;
        const Segment& segment = (command.slot == kWeightsSlot) ? envelope.weights : envelope.traces;
        constants.ranges[is_state ? end : constants.kept_count] =
            ConstantRange{command.address, segment.offset + command.slot_offset, command.size_bytes,
                          workspace.setup_commands[i].devices};
        constants.kept_count += is_state ? 0U : 1U;
    }
}

Status compare_slice(Devices devices, const ScrubSource& source, ScrubCursor& cursor, std::uint32_t& address) noexcept {
    if (source.constants.kept_count == 0U) {
        return Status::kOk;
    }
    const ConstantRange& range = source.constants.ranges[cursor.range];
    while (!has_device(range.devices, cursor.device) && ((cursor.device + 1U) < count_of(devices))) {
        cursor.device += 1U;
    }
    Device& device = *devices[cursor.device];
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
    cursor.device += 1U;
    if (!kDrivesOneDevice && ((range.devices >> cursor.device) != 0U)) {
        return Status::kPending;
    }
    cursor.device = 0U;
    cursor.range += 1U;
    if (cursor.range < source.constants.kept_count) {
        return Status::kPending;
    }
    cursor.range = 0U;
    return Status::kOk;
}

}  // namespace pianola
