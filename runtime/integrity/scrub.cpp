#include "pianola/scrub.h"

#include "pianola/bytes.h"
#include "runtime/integrity/parameter_words.h"
#include "runtime/integrity/slice_size.h"

namespace pianola {
namespace {

constexpr std::uint32_t kChunkBytes = 2U * SliceSum::kBlockBytes;
static_assert((kCheckedBytes % kChunkBytes) == 0U);
using Chunk = std::array<std::uint8_t, kChunkBytes>;

// A slice of a range on one device.
struct Slice {
    Device& device;
    ByteSpan file;  // its bytes there
    std::uint32_t address{0U};
    bool has_parameters{false};  // of which some words may differ from the file
    std::uint64_t check{0U};
};

// Through the control path, whose result is final. Words of parameters must have their values: otherwise `address`
// moves to the first chunk with one that does not. With the file's words instead, the slice must have the check.
[[nodiscard]] Status compare_chunks(const Slice& slice, const ScrubSource& source, std::uint32_t& address) noexcept {
    SliceSum sum;
    for (std::size_t done = 0U; done < slice.file.size(); done += kChunkBytes) {
        const std::size_t count = ((slice.file.size() - done) < kChunkBytes) ? (slice.file.size() - done) : kChunkBytes;
        const std::uint32_t place = slice.address + static_cast<std::uint32_t>(done);
        alignas(std::uint32_t) Chunk held;  // NOLINT(pianola-misra-11.6.1): DEV-039
        const MutableByteSpan bytes{held.data(), count};
        if (!is_ok(slice.device.read_back(place, bytes))) {
            address = place;
            return Status::kDeviceFault;
        }
        if (slice.has_parameters &&
            !take_out_parameters(source.plan, source.values, place, slice.file.subspan(done, count), bytes)) {
            address = place;
            return Status::kIntegrity;
        }
        sum.update(bytes);
    }
    return (sum.value() == slice.check) ? Status::kOk : Status::kIntegrity;
}

// If this core can access the device's memory, it sums there without a copy. A difference is checked again through the
// control path.
[[nodiscard]] Status compare_slice(const Slice& slice, const ScrubSource& source, std::uint32_t& address) noexcept {
    address = slice.address;
    const bool may_view = !slice.has_parameters && source.may_view;
    const MutableByteSpan view =
        may_view ? slice.device.host_view(slice.address, static_cast<std::uint32_t>(slice.file.size()))
                 : MutableByteSpan{};
    if ((view.size() == slice.file.size()) && is_word_aligned(view.data())) {
        slice.device.take_from_device(view);
        if (slice_sum(view) == slice.check) {
            return Status::kOk;
        }
    }
    return compare_chunks(slice, source, address);
}

// Advances past equal bytes. kOk at the end of the last range.
[[nodiscard]] Status advance(const ConstantRanges& constants, std::uint32_t end_range, std::uint32_t bytes,
                             ScrubCursor& cursor) noexcept {
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
    cursor.first_check += check_count(range.size_bytes);
    cursor.range += 1U;
    if (cursor.range < end_range) {
        return Status::kPending;
    }
    cursor = ScrubCursor{};
    return Status::kOk;
}

// The next slice: of one range, on one of the devices that hold it.
[[nodiscard]] Status compare_next(const ScrubSource& source, std::uint32_t end_range, ScrubCursor& cursor,
                                  std::uint32_t& left, std::uint32_t& address) noexcept {
    const ConstantRange& range = source.plan.constants.ranges[cursor.range];
    while (!has_device(range.devices, cursor.device) && ((cursor.device + 1U) < count_of(source.devices))) {
        cursor.device += 1U;
    }
    const std::uint32_t rest = range.size_bytes - cursor.offset_bytes;
    const std::uint32_t bytes = (rest < kCheckedBytes) ? rest : kCheckedBytes;
    const std::uint32_t counted = counted_bytes(bytes);
    left -= (counted < left) ? counted : left;
    address = range.address + cursor.offset_bytes;
    const ByteSpan file = source.file.subspan(range.file_offset + cursor.offset_bytes, bytes);
    const std::uint32_t check = cursor.first_check + (cursor.offset_bytes / kCheckedBytes);
    // The proofs checked that all exist: otherwise the range was damaged since.
    if ((cursor.device >= count_of(source.devices)) || (file.size() != bytes) ||
        (check >= (source.checks.size() / kCheckBytes))) {
        return Status::kIntegrity;
    }
    // Words that parameters may have set lie in traces, and the trace region is the end of the device's memory.
    const bool has_parameters = (source.plan.patch_count != 0U) && (address >= source.plan.trace_region_base);
    const Slice slice{*source.devices[cursor.device], file, address, has_parameters, check_at(source.checks, check)};
    const Status status = compare_slice(slice, source, address);
    return is_ok(status) ? advance(source.plan.constants, end_range, bytes, cursor) : status;
}

}  // namespace

bool add_device_bytes(Device& device, std::uint32_t address, std::uint32_t size_bytes, SliceSum& sum) noexcept {
    const MutableByteSpan view = device.host_view(address, size_bytes);
    if (view.size() == size_bytes) {
        device.take_from_device(view);
        sum.update(view);
        return true;
    }
    bool is_read = true;
    for (std::uint32_t done = 0U; is_read && (done < size_bytes); done += kChunkBytes) {
        alignas(std::uint32_t) Chunk held;  // NOLINT(pianola-misra-11.6.1): DEV-039
        const std::uint32_t count = ((size_bytes - done) < kChunkBytes) ? (size_bytes - done) : kChunkBytes;
        const MutableByteSpan bytes{held.data(), count};
        is_read = is_ok(device.read_back(address + done, bytes));
        sum.update(bytes);
    }
    return is_read;
}

Status compare_slices(const ScrubSource& source, std::uint32_t end_range, std::uint32_t limit_bytes,
                      ScrubCursor& cursor, std::uint32_t& address) noexcept {
    std::uint32_t left = limit_bytes;
    Status status = (end_range == 0U) ? Status::kOk : Status::kPending;
    while ((status == Status::kPending) && (left != 0U)) {  // each slice takes kLeastSliceBytes, or what is left
        status = compare_next(source, end_range, cursor, left, address);
    }
    return status;
}

}  // namespace pianola
