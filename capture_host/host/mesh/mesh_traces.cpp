// Traces of a mesh.
#include <fmt/format.h>

#include <algorithm>

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/host/mesh/mesh_family.h"
#include "pianola/bytes.h"

namespace pianola::host {

MeshTrace& MeshDevice::trace(TraceId id) const {
    const auto found = family_->traces.find(id.value);
    if (found == family_->traces.end()) {
        throw HostError{HostRule::kTraceUnknown,
                        fmt::format("trace {} is not one of {} or of a mesh that shares its devices, or has been "
                                    "released",
                                    id.value, name())};
    }
    return found->second;
}

bool MeshDevice::is_capturing(std::uint32_t queue) const {
    const FamilyLock lock = lock_open();
    return std::any_of(ids_.begin(), ids_.end(),
                       [&](std::uint32_t id) { return family_->devices.at(id)->is_capturing(queue); });
}

TraceId MeshDevice::begin_trace_capture(std::uint32_t queue) {
    const FamilyLock lock = lock_working();
    for (const std::uint32_t id : ids_) {
        if (on(id, [queue](Device& device) { return device.is_capturing(queue); })) {
            on(id, [queue](Device& device) { static_cast<void>(device.begin_trace_capture(queue)); });  // throws
        }
    }
    MeshTrace made;
    made.mesh = id_;
    made.shape = shape_;
    made.ids = ids_;
    for (const std::uint32_t id : ids_) {
        made.parts[id] = on(id, [queue](Device& device) { return device.begin_trace_capture(queue); });
    }
    const TraceId id{next_id()};
    family_->traces[id.value] = std::move(made);
    return id;
}

// Both the captures that have ended and those under way.
void MeshDevice::discard_capture(MeshTrace& trace, std::uint32_t queue) const {
    for (const auto& [id, part] : trace.parts) {
        Device& device = *family_->devices.at(id);
        device.discard_trace_capture(queue);
        try {
            device.release_trace(part);
        } catch (const HostError&) {
            continue;  // it was not there yet
        }
    }
}

void MeshDevice::end_trace_capture(std::uint32_t queue, TraceId id) {
    const FamilyLock lock = lock_working();
    MeshTrace& ended = trace(id);
    if ((ended.mesh != id_) || ended.is_captured || !is_capturing(queue)) {
        throw HostError{HostRule::kTraceNotCapturing,
                        fmt::format("queue {} of {} does not capture trace {}; end a capture on the mesh and the queue "
                                    "on which it was begun, and once",
                                    queue, name(), id.value)};
    }
    std::map<std::uint32_t, TraceId> parts;
    for (const auto& [device_id, part] : ended.parts) {
        try {
            on(device_id, [&, trace_id = part](Device& device) { device.end_trace_capture(queue, trace_id); });
            parts[device_id] = part;
        } catch (const HostError& error) {
            if (error.rule() != HostRule::kTraceEmpty) {
                discard_capture(ended, queue);
                family_->traces.erase(id.value);
                throw;
            }
        }
    }
    if (parts.empty()) {
        family_->traces.erase(id.value);
        throw HostError{
            HostRule::kTraceEmpty,
            fmt::format("no program was enqueued on {} between begin_trace_capture and end_trace_capture", name())};
    }
    ended.parts = std::move(parts);
    ended.is_captured = true;
}

// The trace of the device at index `place` of a mesh of the trace's shape; copies it to a device that has none.
TraceId MeshDevice::part_of(MeshTrace& trace, std::uint32_t queue, std::uint32_t id, std::uint32_t place) const {
    const auto part = trace.parts.find(id);
    if (part != trace.parts.end()) {
        return part->second;
    }
    const bool has_captured = std::find(trace.ids.begin(), trace.ids.end(), id) != trace.ids.end();
    const auto source = trace.parts.find(trace.ids.at(has_captured ? 0U : place));
    if (has_captured || (source == trace.parts.end())) {
        return {};  // no program of the trace is for it
    }
    Device& from = *family_->devices.at(source->first);
    const TraceId copy = on(id, [&](Device& device) { return device.copy_trace(queue, from, source->second); });
    trace.parts[id] = copy;
    return copy;
}

void MeshDevice::execute_trace(std::uint32_t queue, TraceId id, bool blocking, const MeshRange& range) {
    const FamilyLock lock = lock_working();
    MeshTrace& target = trace(id);
    const std::vector<MeshCoordinate> places = coordinates(range);
    const auto has_captured = [&](std::uint32_t device) {
        return std::find(target.ids.begin(), target.ids.end(), device) != target.ids.end();
    };
    const auto count = static_cast<std::size_t>(std::count_if(ids_.begin(), ids_.end(), has_captured));
    const bool is_part = count == ids_.size();
    const bool is_sibling = (count == 0U) && (target.shape == shape_);
    if (!target.is_captured || (!is_part && !is_sibling)) {
        throw MeshError{
            MeshRule::kTrace,
            fmt::format("{} cannot execute trace {}, which {} mesh {} ({}): {} of {} devices have captured it. The "
                        "mesh itself can, parts of it, and meshes of its shape without any of its devices",
                        name(), id.value, target.is_captured ? "was captured on" : "is being captured on", target.mesh,
                        to_string(target.shape), count, ids_.size())};
    }
    std::vector<std::pair<std::uint32_t, TraceId>> parts;  // all are there before the first is executed
    for (const MeshCoordinate& place : places) {
        const std::uint32_t device = device_id(place);
        parts.emplace_back(device, part_of(target, queue, device, place.index_in(shape_)));
    }
    for (const auto& [device_id, part] : parts) {
        if (part.valid()) {
            on(device_id, [&, trace_id = part](Device& device) { device.execute_trace(queue, trace_id); });
        }
    }
    if (blocking) {
        finish(queue);
    }
}

void MeshDevice::release_trace(TraceId id) {
    const FamilyLock lock = lock_open();
    const MeshTrace& released = trace(id);
    if (!released.is_captured) {
        throw HostError{HostRule::kTraceUnknown, fmt::format("trace {} is being captured; end it first", id.value)};
    }
    for (const auto& [device_id, part] : released.parts) {
        if (family_->failures.count(device_id) == 0U) {
            family_->devices.at(device_id)->release_trace(part);
        }
    }
    family_->traces.erase(id.value);
}

std::optional<TraceInfo> MeshDevice::trace_info(TraceId id, const MeshCoordinate& coordinate) const {
    const FamilyLock lock = lock_open();
    const MeshTrace& shown = trace(id);
    const std::uint32_t device = device_id(coordinate);
    const auto part = shown.parts.find(device);
    if (!shown.is_captured || (part == shown.parts.end())) {
        return std::nullopt;
    }
    return family_->devices.at(device)->trace_info(part->second);
}

namespace {

constexpr std::uint32_t kMagic = 0x52544D50U;  // "PMTR"
constexpr std::uint32_t kVersion = 1U;
constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
constexpr std::size_t kHeadBytes = 4U * kWordBytes;  // magic, version, bytes of the blob, dimensions of the mesh

void put_word(std::vector<std::uint8_t>& bytes, std::size_t value) {
    bytes.resize(bytes.size() + kWordBytes);
    store_le32({bytes.data(), bytes.size()}, bytes.size() - kWordBytes, static_cast<std::uint32_t>(value));
}

[[noreturn]] void refuse(HostRule rule, const std::string& message) {
    throw HostError{rule, message};
}

// The bytes between head and digest. Throws API-BLOB-*.
ByteSpan checked_body(const MeshDevice& mesh, ByteSpan blob) {
    if ((blob.size() < (kHeadBytes + kSha256Bytes)) || (load_le32(blob, 0U) != kMagic) ||
        (load_le32(blob, kWordBytes) != kVersion) || (load_le32(blob, 2U * kWordBytes) != blob.size())) {
        refuse(HostRule::kBlobFormat, fmt::format("{} bytes that are no trace blob of a mesh, in version {}; pass what "
                                                  "collect_trace() of a mesh gave",
                                                  blob.size(), kVersion));
    }
    const ByteSpan signed_part = blob.subspan(0U, blob.size() - kSha256Bytes);
    if (!digests_equal(signing::openssl_sha256(signed_part), blob.subspan(signed_part.size(), kSha256Bytes))) {
        refuse(HostRule::kBlobDigest, "the blob is damaged: its digest is not that of its bytes");
    }
    const std::uint32_t dims = load_le32(blob, 3U * kWordBytes);
    bool is_like = (dims == mesh.shape().dims()) && signed_part.contains(kHeadBytes, dims * kWordBytes);
    for (std::uint32_t i = 0U; is_like && (i < dims); ++i) {
        is_like = load_le32(blob, kHeadBytes + (i * kWordBytes)) == mesh.shape()[i];
    }
    if (!is_like) {
        refuse(
            HostRule::kBlobDevice,
            fmt::format("the trace was collected on a mesh of another shape than {}; open one like it", mesh.name()));
    }
    const std::size_t begin = kHeadBytes + (dims * kWordBytes);
    return signed_part.subspan(begin, signed_part.size() - begin);
}

// One blob for each device; empty where a device has no trace. Throws API-BLOB-FORMAT.
std::vector<ByteSpan> parts_of(ByteSpan body, std::size_t devices) {
    std::vector<ByteSpan> parts;
    std::size_t at = 0U;
    bool fits = true;
    for (std::size_t i = 0U; fits && (i < devices); ++i) {
        fits = body.contains(at, kWordBytes) && body.contains(at + kWordBytes, load_le32(body, at));
        if (fits) {
            parts.push_back(body.subspan(at + kWordBytes, load_le32(body, at)));
            at += kWordBytes + parts.back().size();
        }
    }
    if (!fits || (at != body.size())) {
        refuse(HostRule::kBlobFormat, fmt::format("the blob does not hold {} traces and nothing else", devices));
    }
    return parts;
}

}  // namespace

std::vector<std::uint8_t> MeshDevice::collect_trace(TraceId id,
                                                    const std::map<MeshCoordinate, std::vector<NamedBuffer>>& names) {
    const FamilyLock lock = lock_working();
    const MeshTrace& collected = trace(id);
    if (!collected.is_captured || (collected.ids != ids_)) {
        throw MeshError{MeshRule::kTrace,
                        fmt::format("trace {} is collected on the mesh {} ({}) when it has been captured, not on {}",
                                    id.value, collected.mesh, to_string(collected.shape), name())};
    }
    std::vector<std::uint8_t> bytes;
    for (const std::size_t word : {std::size_t{kMagic}, std::size_t{kVersion}, std::size_t{0U}, shape_.dims()}) {
        put_word(bytes, word);
    }
    for (const std::uint32_t size : shape_.sizes()) {
        put_word(bytes, size);
    }
    for (const MeshCoordinate& place : coordinates()) {
        const std::uint32_t device_id = this->device_id(place);
        const auto part = collected.parts.find(device_id);
        std::vector<std::uint8_t> blob;
        if (part != collected.parts.end()) {
            const auto named = names.find(place);
            blob = on(device_id, [&](Device& device) {
                return device
                    .collect_trace(part->second, (named != names.end()) ? named->second : std::vector<NamedBuffer>{})
                    .bytes;
            });
        }
        put_word(bytes, blob.size());
        bytes.insert(bytes.end(), blob.begin(), blob.end());
    }
    store_le32({bytes.data(), bytes.size()}, 2U * kWordBytes, static_cast<std::uint32_t>(bytes.size() + kSha256Bytes));
    const Sha256Digest digest = signing::openssl_sha256({bytes.data(), bytes.size()});
    bytes.insert(bytes.end(), digest.begin(), digest.end());
    return bytes;
}

TraceId MeshDevice::load_trace(std::uint32_t queue, ByteSpan blob) {
    const FamilyLock lock = lock_working();
    const std::vector<ByteSpan> parts = parts_of(checked_body(*this, blob), ids_.size());
    MeshTrace made;
    made.mesh = id_;
    made.shape = shape_;
    made.ids = ids_;
    made.is_captured = true;
    try {
        for (std::size_t i = 0U; i < ids_.size(); ++i) {
            if (!parts[i].empty()) {
                made.parts[ids_[i]] = on(ids_[i], [&](Device& device) { return device.load_trace(queue, parts[i]); });
            }
        }
    } catch (const HostError&) {
        for (const auto& [device_id, part] : made.parts) {
            family_->devices.at(device_id)->release_trace(part);
        }
        throw;
    }
    const TraceId id{next_id()};
    family_->traces[id.value] = std::move(made);
    return id;
}

std::vector<NamedBuffer> MeshDevice::trace_buffers(TraceId id, const MeshCoordinate& coordinate) const {
    const FamilyLock lock = lock_open();
    const MeshTrace& loaded = trace(id);
    const auto part = loaded.parts.find(device_id(coordinate));
    return (part == loaded.parts.end()) ? std::vector<NamedBuffer>{}
                                        : family_->devices.at(part->first)->trace_buffers(part->second);
}

}  // namespace pianola::host
