// Image: a trace binary's manifest, as plain views.
//
// Third stage of loading. open_image() proves that the manifest is a well-formed FlatBuffer of our schema, of exactly
// its size, with no unknown enumerator, union type or truth value and no list over its capacity. All later code reads
// through these views and never through FlatBuffers. Views point into the file: they live as long as it does.
#pragma once

#include <cstdint>

#include "pianola/device.h"
#include "pianola/envelope.h"
#include "pianola/sha256.h"
#include "pianola/span.h"
#include "pianola/verdict.h"

namespace flatbuffers {
class Table;
}

namespace pianola {

enum class ElementType : std::uint8_t {
    kUnspecified = 0U,
    kInt8,
    kUint8,
    kInt16,
    kInt32,
    kFloat32,
    kBool,
    kUint16,
    kUint32,
    kBfloat16,
};
enum class MemoryKind : std::uint8_t { kUnspecified = 0U, kDram, kL1, kFile };
enum class RegionKind : std::uint8_t {
    kUnspecified = 0U,
    kWeights,
    kInput,
    kOutput,
    kActivation,
    kTrace,
    kShared,
    kState,
};
enum class Placement : std::uint8_t { kUnspecified = 0U, kReplicated, kSharded };
enum class CapacityProfile : std::uint8_t { kUnspecified = 0U, kSmallEcu, kDefault, kHost };
enum class ScriptKind : std::uint8_t { kUnspecified = 0U, kSetup, kStep, kPrologue, kEpilogue };
enum class SelfTestOrigin : std::uint8_t { kUnspecified = 0U, kCaptured, kExpected };
enum class ParameterKind : std::uint8_t { kUnspecified = 0U, kRuntimeArgument, kBufferAddress };
enum class ScriptCommandKind : std::uint8_t {
    kUnspecified = 0U,
    kWriteBuffer,
    kLoadTrace,
    kWriteInput,
    kReplayTrace,
    kReadOutput,
    kRecordEvent,
    kWaitEvent,
};

// A name inside the file: printable ASCII, not terminated, at most kMaxNameBytes long.
using NameView = Span<const char>;

// In every view, file_offset is the table's offset in the file, for verdicts.
struct TargetView {
    NameView device_family;
    std::uint32_t command_set_id{0U};
    std::uint32_t command_set_version{0U};
    ByteSpan kernel_library;  // SHA-256
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
    std::uint32_t weights_layout{0U};
    std::uint32_t mesh_rows{0U};
    std::uint32_t mesh_columns{0U};
    std::uint32_t cost_model{0U};
    std::uint32_t kernel_count{0U};
    Attestation attestation{Attestation::kUnspecified};
    CostKind costs{CostKind::kUnspecified};
    CapacityProfile profile{CapacityProfile::kUnspecified};
    std::uint32_t file_offset{0U};
};

struct KernelView {
    std::uint32_t id{0U};
    KernelIdentity identity;
    std::uint32_t file_offset{0U};
};

// Devices of a mesh: a rectangle with its first corner at (row, column).
struct DeviceRange {
    std::uint8_t row{0U};
    std::uint8_t column{0U};
    std::uint8_t rows{0U};
    std::uint8_t columns{0U};
};

struct RegionView {
    NameView name;
    RegionKind kind{RegionKind::kUnspecified};
    MemoryKind memory{MemoryKind::kUnspecified};
    std::uint32_t base{0U};
    std::uint32_t size_bytes{0U};
    std::uint32_t file_offset{0U};
};

struct BufferView {
    NameView name;
    std::uint32_t region{0U};
    std::uint32_t offset_bytes{0U};
    std::uint32_t size_bytes{0U};
    std::uint32_t file_offset{0U};
};

struct TensorView {
    NameView name;
    std::uint32_t buffer{0U};        // the first
    std::uint32_t buffer_count{0U};  // consecutive
    ElementType type{ElementType::kUnspecified};
    std::uint32_t rank{0U};
    std::array<std::uint32_t, kMaxRank> shape{};
    float scale{0.0F};
    std::int32_t zero_point{0};
    Placement placement{Placement::kUnspecified};
    DeviceRange devices;
    std::uint32_t file_offset{0U};
};

struct TraceView {
    NameView name;
    std::uint32_t offset_bytes{0U};
    std::uint32_t word_count{0U};
    std::uint32_t command_count{0U};
    std::uint64_t cost_cycles{0U};
    std::uint32_t program_count{0U};
    std::uint32_t file_offset{0U};
};

struct ProgramView {
    NameView name;
    std::uint32_t command_count{0U};
    std::uint32_t file_offset{0U};
};

struct ScriptView {
    ScriptKind kind{ScriptKind::kUnspecified};
    std::uint32_t command_count{0U};
    std::uint32_t file_offset{0U};
};

struct ScriptCommandView {
    ScriptCommandKind kind{ScriptCommandKind::kUnspecified};
    std::uint32_t queue{0U};
    std::uint32_t object{0U};          // index of the buffer, trace, input, output or event
    std::uint32_t segment_offset{0U};  // kWriteBuffer only
    DeviceRange devices;
    std::uint32_t file_offset{0U};
};

struct BudgetsView {
    std::uint64_t step_cycles{0U};
    std::uint32_t step_deadline_us{0U};
    std::uint32_t setup_deadline_us{0U};
    std::uint32_t steps_in_flight{0U};
    std::uint32_t file_offset{0U};
};

struct ParameterView {
    NameView name;
    ParameterKind kind{ParameterKind::kUnspecified};
    std::uint32_t minimum{0U};
    std::uint32_t maximum{0U};
    std::uint32_t alignment{0U};
    std::uint32_t point_count{0U};
    std::uint32_t file_offset{0U};
};

struct PatchPointView {
    std::uint32_t trace{0U};
    std::uint32_t word{0U};
    std::uint32_t file_offset{0U};
};

struct ProvenanceView {
    NameView source_name;
    ByteSpan source_sha256;
    NameView tool_version;
};

// The caller checks indices against the counts.
class Image {
  public:
    Image() = default;

    // parse_envelope() into this image, which describes no file until open_image() has accepted one. For validate():
    // it needs no envelope on the stack. kOk, or kRefused with a verdict.
    Status parse(ByteSpan file, Verdict& verdict) noexcept;

    [[nodiscard]] TargetView target() const noexcept;
    [[nodiscard]] KernelView kernel(std::uint32_t index) const noexcept;  // of the target
    // Whether the target names the kernel; its kernels must be in ascending order.
    [[nodiscard]] bool names_kernel(std::uint32_t id) const noexcept;
    [[nodiscard]] std::uint32_t region_count() const noexcept;
    [[nodiscard]] RegionView region(std::uint32_t index) const noexcept;
    [[nodiscard]] std::uint32_t buffer_count() const noexcept;
    [[nodiscard]] BufferView buffer(std::uint32_t index) const noexcept;
    [[nodiscard]] std::uint32_t input_count() const noexcept;
    [[nodiscard]] TensorView input(std::uint32_t index) const noexcept;
    [[nodiscard]] std::uint32_t output_count() const noexcept;
    [[nodiscard]] TensorView output(std::uint32_t index) const noexcept;
    // An input, or an output.
    [[nodiscard]] TensorView tensor(bool is_input, std::uint32_t index) const noexcept;
    [[nodiscard]] std::uint32_t trace_count() const noexcept;
    [[nodiscard]] TraceView trace(std::uint32_t index) const noexcept;
    [[nodiscard]] ProgramView program(std::uint32_t trace, std::uint32_t index) const noexcept;
    [[nodiscard]] std::uint32_t script_count() const noexcept;
    [[nodiscard]] ScriptView script(std::uint32_t index) const noexcept;
    [[nodiscard]] ScriptCommandView script_command(std::uint32_t script, std::uint32_t index) const noexcept;
    [[nodiscard]] BudgetsView budgets() const noexcept;
    [[nodiscard]] ProvenanceView provenance() const noexcept;
    [[nodiscard]] std::uint32_t self_test_count() const noexcept;
    [[nodiscard]] SelfTestOrigin self_test_origin(std::uint32_t index) const noexcept;
    [[nodiscard]] std::uint32_t parameter_count() const noexcept;
    [[nodiscard]] ParameterView parameter(std::uint32_t index) const noexcept;
    [[nodiscard]] PatchPointView patch_point(std::uint32_t parameter, std::uint32_t index) const noexcept;

    // Bulk data.
    // NOLINTNEXTLINE(pianola-misra-6.8.4): DEV-067
    [[nodiscard]] const Envelope& envelope() const noexcept { return envelope_; }
    [[nodiscard]] ByteSpan weights() const noexcept;
    [[nodiscard]] ByteSpan self_tests() const noexcept;
    [[nodiscard]] ByteSpan checks() const noexcept;
    [[nodiscard]] ByteSpan trace_segment() const noexcept;
    // All words of the trace segment, as the device fetches them.
    [[nodiscard]] WordSpan trace_words() const noexcept;

  private:
    friend Status open_image(ByteSpan file, const Envelope& envelope, const Capacities& capacities, Image& image,
                             Verdict& verdict) noexcept;

    ByteSpan file_;
    Envelope envelope_;
    const flatbuffers::Table* root_{nullptr};
};

// kOk, or kRefused with a verdict. The file must have been authenticated. Time is linear in the size of the manifest,
// bounded by the capacities.
Status open_image(ByteSpan file, const Envelope& envelope, const Capacities& capacities, Image& image,
                  Verdict& verdict) noexcept;

// Bytes of one element.
inline constexpr std::array<std::uint8_t, 10> kElementBytes{{
    0U,  // kUnspecified: refused as an enumerator
    1U,  // kInt8
    1U,  // kUint8
    2U,  // kInt16
    4U,  // kInt32
    4U,  // kFloat32
    1U,  // kBool
    2U,  // kUint16
    4U,  // kUint32
    2U,  // kBfloat16
}};
static_assert(kElementBytes.size() == (static_cast<std::size_t>(ElementType::kBfloat16) + 1U));
[[nodiscard]] constexpr std::uint32_t element_bytes(ElementType type) noexcept {
    const auto index = static_cast<std::size_t>(type);
    return (index < kElementBytes.size()) ? kElementBytes[index] : 0U;
}

}  // namespace pianola
