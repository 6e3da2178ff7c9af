// MeshDevice: several simulated devices that are used as one.
//
// On top of Device, one for each coordinate; docs/guide/mesh.md is its manual. All devices have the same options. A
// buffer has the same address on all of them; programs, transfers, events and traces go to each device in turn, in
// row-major order, and devices do not wait for each other. Sub-meshes are views on the same devices, with the same
// memory and queues, so that a mesh and its parts may be used in turn. Calls take turns, also those of sub-meshes.
// Throws MeshError; a refusal of one device is a HostError that begins with its coordinate.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pianola_host/device.h"
#include "pianola_host/mesh_buffer.h"
#include "pianola_host/mesh_error.h"
#include "pianola_host/mesh_shape.h"
#include "pianola_host/mesh_workload.h"
#include "pianola_host/workload_capture.h"

namespace pianola::host {

class MeshDevice;
struct MeshFamily;
struct MeshTrace;
using MeshPtr = std::shared_ptr<MeshDevice>;
using MeshRange = std::optional<MeshCoordinateRange>;  // none: the whole mesh

class MeshDevice final : public std::enable_shared_from_this<MeshDevice> {
  public:
    // Waits for all work. The mesh that was opened closes all devices, and with them its sub-meshes; a sub-mesh only
    // releases its traces.
    void close();
    [[nodiscard]] bool is_open() const;
    [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
    [[nodiscard]] const MeshShape& shape() const noexcept { return shape_; }
    [[nodiscard]] const DeviceOptions& options() const;
    [[nodiscard]] std::string name() const;  // "mesh 3 (2x4)"

    // Row-major. A device's id is its number in the mesh that was opened.
    [[nodiscard]] const std::vector<std::uint32_t>& device_ids() const noexcept { return ids_; }
    [[nodiscard]] std::uint32_t device_id(const MeshCoordinate& coordinate) const;
    [[nodiscard]] std::shared_ptr<Device> device(const MeshCoordinate& coordinate) const;
    [[nodiscard]] std::vector<MeshCoordinate> coordinates(const MeshRange& range = std::nullopt) const;
    // For captures: WorkloadCapture{mesh->grid()}. A mesh of other than 2 dimensions is rows of its last one.
    [[nodiscard]] DeviceGrid grid() const;

    // Sub-meshes keep the devices open while they exist. Throws API-MESH-SHAPE.
    [[nodiscard]] MeshPtr create_submesh(const MeshShape& shape,
                                         const std::optional<MeshCoordinate>& offset = std::nullopt);
    [[nodiscard]] std::vector<MeshPtr> create_submeshes(const MeshShape& shape);  // tiles, row-major
    [[nodiscard]] std::vector<MeshPtr> submeshes() const;                         // that are open
    [[nodiscard]] MeshPtr parent() const noexcept { return parent_; }
    // The same devices in the same order. Throws API-MESH-SHAPE for another number, and while there are sub-meshes.
    void reshape(const MeshShape& shape);

    // A device that reports a fault, or does not get on, stops every mesh that it is part of: API-MESH-FAILED.
    [[nodiscard]] std::vector<MeshCoordinate> failed() const;
    [[nodiscard]] MeshPtr remaining();  // the other devices, as a line: 1xn

    // Memory, and transfers. Bytes are copied before a call returns.
    [[nodiscard]] MeshBufferPtr allocate(const MeshBufferConfig& config);
    void deallocate(const MeshBufferPtr& buffer);
    // Replicated: all devices of the range get the same. Sharded: the whole matrix.
    void write(std::uint32_t queue, const MeshBufferPtr& buffer, ByteSpan bytes, bool blocking = false,
               const MeshRange& range = std::nullopt);
    // Sharded: the whole matrix. Replicated: of the first device. Waits.
    [[nodiscard]] std::vector<std::uint8_t> read(std::uint32_t queue, const MeshBufferPtr& buffer);
    // A device that has not failed can be read when others have.
    void write_shard(std::uint32_t queue, const MeshBufferPtr& buffer, const MeshCoordinate& coordinate, ByteSpan bytes,
                     bool blocking = false);
    ReadHandle read_shard(std::uint32_t queue, const MeshBufferPtr& buffer, const MeshCoordinate& coordinate,
                          bool blocking = false);

    void compile(const MeshWorkload& workload);
    void enqueue_workload(std::uint32_t queue, const MeshWorkload& workload, bool blocking = false);

    // Events. A record is of the devices of a range, a wait of those among them that the mesh has; the host waits for
    // all. Sub-meshes and their parents may wait for each other's.
    [[nodiscard]] EventId create_event();
    void record_event(std::uint32_t queue, EventId event, const MeshRange& range = std::nullopt);
    void wait_for_event(std::uint32_t queue, EventId event);
    void event_synchronize(EventId event);
    [[nodiscard]] bool event_query(EventId event);  // false if it was never recorded

    void finish(std::uint32_t queue);
    void synchronize();

    // Traces: one for each device, of the programs that were enqueued for it; a device without a program has none. If a
    // region is too small, the capture has ended without a trace, and the error names the device.
    [[nodiscard]] TraceId begin_trace_capture(std::uint32_t queue);
    void end_trace_capture(std::uint32_t queue, TraceId id);
    // Called on the mesh that captured it, a part of that (`range`, or a sub-mesh), or another mesh of the same shape,
    // whose buffers have the addresses that the trace uses: its devices then get copies. Throws API-MESH-TRACE.
    void execute_trace(std::uint32_t queue, TraceId id, bool blocking = false, const MeshRange& range = std::nullopt);
    void release_trace(TraceId id);  // copies as well
    [[nodiscard]] bool is_capturing(std::uint32_t queue) const;
    // The trace of one device; none if it has no program in the trace.
    [[nodiscard]] std::optional<TraceInfo> trace_info(TraceId id, const MeshCoordinate& coordinate) const;

    // For a mesh of the same shape and options, also in another process: each device's trace, with the buffers that it
    // uses by the given names. Throw API-BLOB-*. Loading allocates the buffers where they were; they belong to the
    // trace until it is released.
    [[nodiscard]] std::vector<std::uint8_t> collect_trace(
        TraceId id, const std::map<MeshCoordinate, std::vector<NamedBuffer>>& names = {});
    [[nodiscard]] TraceId load_trace(std::uint32_t queue, ByteSpan blob);
    [[nodiscard]] std::vector<NamedBuffer> trace_buffers(TraceId id, const MeshCoordinate& coordinate) const;

    // For the library itself: a call on one device, which works after other devices have failed; the same calls on each
    // device, which get memory at the same offsets.
    void with_device(const MeshCoordinate& coordinate, const std::function<void(Device&)>& call) const;
    void in_step(const std::vector<MeshCoordinate>& coordinates,
                 const std::function<void(const std::shared_ptr<Device>&, std::size_t)>& call);
    // The transfers of `call` are that many parts of one tensor: a capture sees one input or output. A single part
    // stays a transfer of its own device.
    void as_one_transfer(std::size_t parts, const std::function<void()>& call);
    // `call` writes the same to every device: a capture sees one input.
    void as_replicas(const std::function<void()>& call);

  private:
    friend MeshPtr open_mesh(const MeshShape& shape, const DeviceOptions& options);
    MeshDevice(MeshShape shape, std::vector<std::uint32_t> ids, std::shared_ptr<MeshFamily> family, MeshPtr parent);
    using FamilyLock = std::unique_lock<std::recursive_mutex>;
    [[nodiscard]] MeshPtr part(const MeshShape& shape, const std::vector<MeshCoordinate>& coordinates);

    void check_open() const;
    // Lock all meshes that share devices with this one, for a call. Throw API-MESH-CLOSED, and the second also
    // API-MESH-FAILED.
    [[nodiscard]] FamilyLock lock_open() const;
    [[nodiscard]] FamilyLock lock_working() const;
    void check_device(std::uint32_t id) const;
    [[nodiscard]] MeshCoordinate coordinate_of(std::uint32_t id) const;
    void require_mine(const MeshBuffer& buffer) const;
    // A call on one device. Its refusals and faults are thrown with its coordinate.
    template <typename Call>
    auto on(std::uint32_t id, const Call& call) const;
    template <typename Call>
    void on_all(const Call& call) const;
    [[noreturn]] void refuse(std::uint32_t id, const HostError& error) const;
    [[nodiscard]] MeshTrace& trace(TraceId id) const;
    [[nodiscard]] TraceId part_of(MeshTrace& trace, std::uint32_t queue, std::uint32_t id, std::uint32_t place) const;
    void discard_capture(MeshTrace& trace, std::uint32_t queue) const;
    void for_programs(const MeshWorkload& workload, const std::function<void(Device&, Program&)>& call) const;

    std::uint64_t id_;
    MeshShape shape_;
    std::vector<std::uint32_t> ids_;
    std::shared_ptr<MeshFamily> family_;
    MeshPtr parent_;
    bool open_{true};
};

// Each device has its own simulator.
[[nodiscard]] MeshPtr open_mesh(const MeshShape& shape, const DeviceOptions& options = {});

// A table of the coordinates, with the devices' ids and states.
[[nodiscard]] std::string visualize(const MeshDevice& mesh);

}  // namespace pianola::host
