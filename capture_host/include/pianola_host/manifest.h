// Manifest: a trace binary's manifest as host structures, and the file around it.
//
// The linker fills one in, the writer makes bytes of it, and read_manifest() makes one of a validated image: that the
// same bytes come out again is the check for canonical form. Field meanings are those of schema/*.fbs.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "pianola/command_set.h"
#include "pianola/image.h"

namespace pianola::capture {

struct ManifestKernel {
    std::uint32_t id{0U};
    KernelIdentity identity;
};

struct ManifestTarget {
    std::string device_family;
    std::uint32_t command_set_id{0U};
    std::uint32_t command_set_version{0U};
    Sha256Digest kernel_library{};
    std::uint32_t dram_base{0U};
    std::uint32_t dram_bytes{0U};
    std::uint32_t l1_base{0U};
    std::uint32_t l1_bytes{0U};
    std::uint32_t file_base{0U};
    std::uint32_t file_bytes{0U};
    std::uint32_t trace_region_bytes{0U};
    std::uint32_t clock_khz{0U};
    std::uint32_t core_khz{0U};
    std::uint32_t millicycles_per_instruction{0U};
    std::uint32_t queue_count{0U};
    std::uint32_t ring_words{0U};
    std::uint32_t grid_columns{0U};
    std::uint32_t grid_rows{0U};
    std::uint32_t dram_banks{0U};
    Attestation attestation{Attestation::kUnspecified};
    CostKind costs{CostKind::kUnspecified};
    CapacityProfile profile{CapacityProfile::kUnspecified};
    std::uint32_t weights_layout{0U};
    std::uint32_t mesh_rows{1U};
    std::uint32_t mesh_columns{1U};
    std::vector<ManifestKernel> kernels;  // by ascending id
    std::uint32_t cost_model{0U};
};

// The one device of a mesh that has no other.
inline constexpr DeviceRange kOneDevice{0U, 0U, 1U, 1U};

struct ManifestRegion {
    std::string name;
    RegionKind kind{RegionKind::kUnspecified};
    MemoryKind memory{MemoryKind::kUnspecified};
    std::uint32_t base{0U};
    std::uint32_t size_bytes{0U};
};

struct ManifestBuffer {
    std::string name;
    std::uint32_t region{0U};
    std::uint32_t offset_bytes{0U};
    std::uint32_t size_bytes{0U};
};

struct ManifestTensor {
    std::string name;
    std::uint32_t buffer{0U};
    ElementType type{ElementType::kUnspecified};
    std::vector<std::uint32_t> shape;
    float scale{0.0F};
    std::int32_t zero_point{0};
    std::uint32_t buffer_count{1U};  // consecutive, from `buffer` on
    Placement placement{Placement::kReplicated};
    DeviceRange devices{kOneDevice};
};

struct ManifestProgram {
    std::string name;
    std::uint32_t command_count{0U};
};

struct ManifestTrace {
    std::string name;
    std::uint32_t offset_bytes{0U};
    std::uint32_t word_count{0U};
    std::uint32_t command_count{0U};
    std::uint64_t cost_cycles{0U};
    std::vector<ManifestProgram> programs;
};

struct ManifestCommand {
    ScriptCommandKind kind{ScriptCommandKind::kUnspecified};
    std::uint32_t queue{0U};
    std::uint32_t object{0U};
    std::uint32_t segment_offset{0U};  // kWriteBuffer only
    DeviceRange devices{kOneDevice};
};

struct ManifestScript {
    ScriptKind kind{ScriptKind::kUnspecified};
    std::vector<ManifestCommand> commands;
};

struct ManifestPatchPoint {
    std::uint32_t trace{0U};
    std::uint32_t word{0U};  // index in the trace
};

struct ManifestParameter {
    std::string name;
    ParameterKind kind{ParameterKind::kUnspecified};
    std::uint32_t minimum{0U};
    std::uint32_t maximum{0U};
    std::uint32_t alignment{1U};
    std::vector<ManifestPatchPoint> points;
};

struct Manifest {
    ManifestTarget target;
    std::vector<ManifestRegion> regions;
    std::vector<ManifestBuffer> buffers;
    std::vector<ManifestTensor> inputs;
    std::vector<ManifestTensor> outputs;
    std::vector<ManifestTrace> traces;
    std::vector<ManifestScript> scripts;
    std::uint64_t step_cycles{0U};
    std::uint32_t step_deadline_us{0U};
    std::uint32_t setup_deadline_us{0U};
    std::uint32_t steps_in_flight{1U};
    std::string source_name;
    Sha256Digest source_sha256{};
    std::string tool_version;
    std::vector<SelfTestOrigin> self_test_origins;  // of each vector in Segments::self_tests
    std::vector<ManifestParameter> parameters;
};

// The next offset at which a segment, trace or region may begin.
template <typename Size>
[[nodiscard]] constexpr Size align_up(Size value, Size alignment = kFileAlignmentBytes) noexcept {
    return ((value + (alignment - 1U)) / alignment) * alignment;
}

// Bulk data of a trace binary.
struct Segments {
    std::vector<std::uint8_t> weights;
    std::vector<std::uint8_t> traces;
    std::vector<std::uint8_t> self_tests;
};

// The manifest as a FlatBuffer, in canonical form: a function of the manifest alone.
[[nodiscard]] std::vector<std::uint8_t> encode_manifest(const Manifest& manifest);

// The checks of the slices that the manifest's set-up writes, in their order (pianola/slice_check.h).
[[nodiscard]] std::vector<std::uint8_t> checks_of(const Manifest& manifest, const Segments& segments);

// A whole trace binary, checks and digest included; unsigned. The same arguments give the same bytes, whenever and
// wherever.
[[nodiscard]] std::vector<std::uint8_t> write_trace_binary(const Manifest& manifest, const Segments& segments);

// Puts the right digest into a file whose other bytes have been changed. For tests and tools that damage files on
// purpose.
void fix_digest(std::vector<std::uint8_t>& file);

// A manifest's description of a device that a workload is captured for.
[[nodiscard]] ManifestTarget make_target(const DeviceDescription& device);

// Adds kernels, by their ids, to those that the target names, as the command set has them.
void name_kernels(const CommandSet& command_set, const std::set<std::uint32_t>& ids, ManifestTarget& target);

// The manifest that an image shows.
[[nodiscard]] Manifest read_manifest(const Image& image);

// Whether the image's manifest is in canonical form: writing its contents gives exactly its bytes.
[[nodiscard]] bool is_canonical(ByteSpan file, const Image& image);

[[nodiscard]] std::string to_string(NameView name);

}  // namespace pianola::capture
