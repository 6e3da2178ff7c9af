#include "pianola/scrub.h"

#include <cstring>

#include "pianola/bytes.h"
#include "runtime/digest/file_digest.h"
#include "runtime/integrity/comparison.h"
#include "runtime/integrity/parameter_words.h"
#include "runtime/plan/proof.h"

namespace pianola {
namespace {

constexpr std::uint32_t kChunkBytes = kComparedBytes;
static_assert((kScrubSliceBytes % kChunkBytes) == 0U);
using Chunk = std::array<std::uint8_t, kChunkBytes>;

// A piece of the file, and the corresponding contents of devices, which must be equal on all of them.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): DEV-039
struct Piece {
    ByteSpan file;
    ByteSpan bytes;
    bool is_read{false};  // from a device: `bytes` are those of `chunk`
    alignas(std::uint32_t) Chunk chunk;
};

// The first device's contents at an address become the piece; those of the others must be equal. Sets `suspect` to the
// first device that cannot be read, or, if there are several, that differs from the file.
Status read_piece(Devices devices, DeviceBits holders, std::uint32_t address, Piece& piece,
                  std::uint32_t& suspect) noexcept {
    for (std::uint32_t device = 0U; device < count_of(devices); ++device) {
        if (!has_device(holders, device)) {
            continue;
        }
        alignas(std::uint32_t) Chunk other;  // NOLINT(pianola-misra-11.6.1): DEV-039
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

// Every constant range contains the piece at file_offset either entirely or not at all.
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

// Number of bytes of the file from file_offset on, at most `limit`, that no end of a range divides.
std::uint32_t piece_bytes(const ConstantRanges& constants, std::uint32_t file_offset, std::uint32_t limit) noexcept {
    std::uint32_t bytes = (limit < kChunkBytes) ? limit : kChunkBytes;
    for (std::uint32_t i = 0U; i < constants.count; ++i) {
        const ConstantRange& range = constants.ranges[i];
        const std::uint32_t before = range.file_offset - file_offset;  // these two wrap to large values after the range
        const std::uint32_t left = (range.file_offset + range.size_bytes) - file_offset;
        bytes = ((before != 0U) && (before < bytes)) ? before : bytes;
        bytes = ((left != 0U) && (left < bytes)) ? left : bytes;
    }
    return bytes;
}

[[nodiscard]] constexpr std::uint32_t whole_chunks(std::uint32_t bytes) noexcept {
    return ((bytes + kChunkBytes - 1U) / kChunkBytes) * kChunkBytes;
}

// The minimum share of a slice per piece, so that many short ranges do not make a call long.
constexpr std::uint32_t kLeastPieceBytes = whole_chunks(kScrubSliceBytes / 64U);

// Size of the next piece, taken from the rest of the slice: whole chunks, so that within a range every piece begins
// with a chunk.
[[nodiscard]] std::uint32_t take_piece(std::uint32_t bytes, std::uint32_t& left) noexcept {
    const std::uint32_t piece = (bytes < left) ? bytes : left;
    const std::uint32_t taken = (piece < kLeastPieceBytes) ? kLeastPieceBytes : whole_chunks(piece);
    left -= (taken < left) ? taken : left;
    return piece;
}

// Compares through the control path, whose result is final. Moves `address` to the first chunk that differs.
[[nodiscard]] Status compare_chunks(Device& device, const ScrubSource& source, ByteSpan file,
                                    std::uint32_t& address) noexcept {
    for (std::size_t done = 0U; done < file.size(); done += kChunkBytes) {
        const std::size_t count = ((file.size() - done) < kChunkBytes) ? (file.size() - done) : kChunkBytes;
        alignas(std::uint32_t) Chunk held;  // NOLINT(pianola-misra-11.6.1): DEV-039
        if (!is_ok(device.read_back(address, MutableByteSpan{held.data(), count}))) {
            return Status::kDeviceFault;
        }
        alignas(std::uint32_t) Chunk expected;  // NOLINT(pianola-misra-11.6.1): DEV-039
        std::memcpy(expected.data(), &file[done], count);
        put_parameters(source.plan, source.values, address, MutableByteSpan{expected.data(), count});
        if (!are_equal(ByteSpan{held.data(), count}, ByteSpan{expected.data(), count})) {
            return Status::kIntegrity;
        }
        address += kChunkBytes;
    }
    return Status::kOk;
}

// If this core can access the device's memory, it compares there without a copy. A difference is checked again through
// the control path. Words that parameters may have set differ from the file: they lie in traces, and the trace region
// is the end of its memory.
[[nodiscard]] Status compare_bytes(Device& device, const ScrubSource& source, ByteSpan file,
                                   std::uint32_t& address) noexcept {
    const bool is_the_files = (source.plan.patch_count == 0U) || (address < source.plan.trace_region_base);
    const MutableByteSpan view =
        is_the_files ? device.host_view(address, static_cast<std::uint32_t>(file.size())) : MutableByteSpan{};
    if ((view.size() == file.size()) && is_aligned(view.data()) && is_aligned(file.data())) {
        device.take_from_device(view);
        if (are_equal(view, file)) {
            return Status::kOk;
        }
    }
    return compare_chunks(device, source, file, address);
}

// Advances past equal bytes. kOk at the end of the last range.
[[nodiscard]] Status advance(const ConstantRanges& constants, std::uint32_t bytes, ScrubCursor& cursor) noexcept {
    const ConstantRange& range = constants.ranges[cursor.range];
    cursor.offset_bytes += bytes;
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
    if (cursor.range < constants.kept_count) {
        return Status::kPending;
    }
    cursor.range = 0U;
    return Status::kOk;
}

// The next piece: of one range, on one of the devices that hold it.
[[nodiscard]] Status compare_piece(Devices devices, const ScrubSource& source, ScrubCursor& cursor, std::uint32_t& left,
                                   std::uint32_t& address) noexcept {
    const ConstantRange& range = source.constants.ranges[cursor.range];
    while (!has_device(range.devices, cursor.device) && ((cursor.device + 1U) < count_of(devices))) {
        cursor.device += 1U;
    }
    const std::uint32_t bytes = take_piece(range.size_bytes - cursor.offset_bytes, left);
    address = range.address + cursor.offset_bytes;
    const ByteSpan file = source.file.subspan(range.file_offset + cursor.offset_bytes, bytes);
    // The proofs checked that it exists: otherwise the range was damaged since.
    const Status status =
        (file.size() == bytes) ? compare_bytes(*devices[cursor.device], source, file, address) : Status::kIntegrity;
    return is_ok(status) ? advance(source.constants, bytes, cursor) : status;
}

}  // namespace

Status authenticate_constants(Devices devices, ByteSpan file, const Envelope& envelope, const ConstantRanges& constants,
                              DigestEngine* engine, std::uint32_t& suspect) noexcept {
    suspect = count_of(devices);
    FileDigest hash{engine};
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
    Sha256Digest digest{};
    const bool is_computed = hash.finish(digest);
    return (is_computed && digests_equal(ByteSpan{digest}, ByteSpan{envelope.digest})) ? Status::kOk
                                                                                       : Status::kIntegrity;
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

std::uint32_t scrub_calls(const ConstantRanges& constants) noexcept {
    std::uint32_t calls = 0U;
    std::uint32_t left = 0U;  // of the last of them
    for (std::uint32_t i = 0U; i < constants.kept_count; ++i) {
        const ConstantRange& range = constants.ranges[i];
        for (std::uint32_t device = 0U; device < count_of(range.devices); ++device) {
            std::uint32_t bytes = range.size_bytes;
            while (bytes != 0U) {  // each iteration takes some
                if (left == 0U) {
                    calls += 1U;
                    left = kScrubSliceBytes;
                }
                bytes -= take_piece(bytes, left);
            }
        }
    }
    return calls;
}

Status compare_slice(Devices devices, const ScrubSource& source, ScrubCursor& cursor, std::uint32_t& address) noexcept {
    std::uint32_t left = kScrubSliceBytes;
    Status status = (source.constants.kept_count == 0U) ? Status::kOk : Status::kPending;
    while ((status == Status::kPending) && (left != 0U)) {  // each piece takes kLeastPieceBytes, or what is left
        status = compare_piece(devices, source, cursor, left, address);
    }
    return status;
}

}  // namespace pianola
