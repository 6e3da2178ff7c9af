#include "pianola/image.h"

#include <cstring>

#include "pianola/config.h"
#include "runtime/image/schema_check.h"
#include "runtime/image/schema_rules.h"
#include "runtime/image/table_cursor.h"
#include "trace_binary_generated.h"

namespace pianola {

namespace {

// The views' enumerations are the schema's: checked here, once, so that a conversion is a cast.
static_assert(static_cast<std::int32_t>(schema::ElementType::MAX) == static_cast<std::int32_t>(ElementType::kBfloat16));
static_assert(static_cast<std::int32_t>(schema::MemoryKind::MAX) == static_cast<std::int32_t>(MemoryKind::kFile));
static_assert(static_cast<std::int32_t>(schema::RegionKind::MAX) == static_cast<std::int32_t>(RegionKind::kState));
static_assert(static_cast<std::int32_t>(schema::Placement::MAX) == static_cast<std::int32_t>(Placement::kSharded));
static_assert(static_cast<std::int32_t>(schema::Attestation::MAX) == static_cast<std::int32_t>(Attestation::kDigest));
static_assert(static_cast<std::int32_t>(schema::CostKind::MAX) == static_cast<std::int32_t>(CostKind::kNotPublished));
static_assert(static_cast<std::int32_t>(schema::CapacityProfile::MAX) ==
              static_cast<std::int32_t>(CapacityProfile::kHost));
static_assert(static_cast<std::int32_t>(schema::ScriptKind::MAX) == static_cast<std::int32_t>(ScriptKind::kEpilogue));
static_assert(static_cast<std::int32_t>(schema::ParameterKind::MAX) ==
              static_cast<std::int32_t>(ParameterKind::kBufferAddress));
static_assert(static_cast<std::int32_t>(schema::SelfTestOrigin::MAX) ==
              static_cast<std::int32_t>(SelfTestOrigin::kExpected));
static_assert(static_cast<std::int32_t>(schema::CommandBody::MAX) ==
              static_cast<std::int32_t>(ScriptCommandKind::kWaitEvent));

// Every body of a command starts with the object that it names.
constexpr flatbuffers::voffset_t kBodyObject = schema::WriteBuffer::VT_BUFFER;
static_assert(kBodyObject == schema::LoadTrace::VT_TRACE);
static_assert(kBodyObject == schema::WriteInput::VT_INPUT);
static_assert(kBodyObject == schema::ReplayTrace::VT_TRACE);
static_assert(kBodyObject == schema::ReadOutput::VT_OUTPUT);
static_assert(kBodyObject == schema::RecordEvent::VT_EVENT);
static_assert(kBodyObject == schema::WaitEvent::VT_EVENT);

using flatbuffers::Table;
using Entry = flatbuffers::voffset_t;  // of a field in its table's vtable

// These functions are called for every field of every view. They replace flatc's accessors, which a compiler inlines at
// every call.

// A number; 0 where it is absent, which is the default of all of them.
template <typename Number>
[[nodiscard]] Number number(const Table& table, Entry entry) noexcept {
    const std::uint8_t* const value = table.GetAddressOf(entry);
    return (value != nullptr) ? flatbuffers::ReadScalar<Number>(value) : Number{};
}

// An enumerator; one function reads all enumerations.
template <typename Enumeration>
[[nodiscard]] Enumeration one_of(const Table& table, Entry entry) noexcept {
    return static_cast<Enumeration>(number<std::uint8_t>(table, entry));
}

// Number of elements of a list.
[[nodiscard]] std::uint32_t count_of(const Table& table, Entry list) noexcept {
    return target_of<flatbuffers::Vector<std::uint8_t>>(table, list)->size();
}

[[nodiscard]] const Table& element(const Table& table, Entry list, std::uint32_t index) noexcept {
    return *target_of<flatbuffers::Vector<flatbuffers::Offset<Table>>>(table, list)->Get(index);
}

[[nodiscard]] NameView name_of(const Table& table, Entry entry) noexcept {
    const auto* const text = target_of<flatbuffers::String>(table, entry);
    return NameView{text->c_str(), text->size()};
}

[[nodiscard]] ByteSpan digest_of(const Table& table, Entry entry) noexcept {
    return ByteSpan{table.GetAddressOf(entry), kSha256Bytes};
}
static_assert(sizeof(schema::Digest) == kSha256Bytes);

[[nodiscard]] DeviceRange devices_of(const Table& table, Entry entry) noexcept {
    DeviceRange range;
    std::memcpy(&range, table.GetAddressOf(entry), sizeof(range));  // it is required
    return range;
}
static_assert(sizeof(schema::DeviceRange) == sizeof(DeviceRange));

[[nodiscard]] std::uint32_t offset_of(ByteSpan file, const void* table) noexcept {
    // NOLINTNEXTLINE(pianola-misra-8.2.6, pianola-misra-8.7.2): DEV-069
    return static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(table) - file.data());
}

Status refuse_manifest(Verdict& verdict, Rule rule, const Envelope& envelope, std::size_t actual,
                       std::size_t limit) noexcept {
    verdict.path.enter("manifest");
    return refuse(verdict, rule, envelope.manifest.offset, static_cast<std::uint32_t>(actual),
                  static_cast<std::uint32_t>(limit));  // file sizes fit in 32 bits
}

}  // namespace

Status Image::parse(ByteSpan file, Verdict& verdict) noexcept {
    return parse_envelope(file, envelope_, verdict);
}

Status open_image(ByteSpan file, const Envelope& envelope, const Capacities& capacities, Image& image,
                  Verdict& verdict) noexcept {
    reset(verdict);
    const std::uint32_t size_bytes = envelope.manifest.size_bytes;
    if ((size_bytes == 0U) || (size_bytes > capacities.manifest_bytes)) {
        return refuse_manifest(verdict, Rule::kImgSize, envelope, size_bytes, capacities.manifest_bytes);
    }
    const ByteSpan manifest = file.subspan(envelope.manifest.offset, size_bytes);
    if (manifest.empty()) {
        return refuse_manifest(verdict, Rule::kImgSize, envelope, size_bytes, file.size());
    }
    flatbuffers::Verifier verifier{manifest.data(), manifest.size(), kMaxManifestDepth, capacities.manifest_tables};
    std::uint32_t tables = 0U;
    if (!check_structure(schema::kTraceBinaryRules, manifest, schema::TraceBinaryIdentifier(), verifier, tables)) {
        return (tables > capacities.manifest_tables)
                   ? refuse_manifest(verdict, Rule::kCapTables, envelope, tables, capacities.manifest_tables)
                   : refuse_manifest(verdict, Rule::kImgStructure, envelope, 0U, 0U);
    }
    if (verifier.GetComputedSize() != manifest.size()) {
        return refuse_manifest(verdict, Rule::kImgExactSize, envelope, manifest.size(), verifier.GetComputedSize());
    }
    const Table& root = *flatbuffers::GetRoot<Table>(manifest.data());
    if (!check_strictness(schema::kTraceBinaryRules, file, root, verdict)) {
        return Status::kRefused;
    }
    image.file_ = file;
    image.envelope_ = envelope;
    image.root_ = &root;
    return Status::kOk;
}

namespace {

// A number of the target.
struct TargetNumber {
    Entry entry;
    bool is_byte;  // else a word
    std::uint32_t TargetView::* member;
};
constexpr std::array<TargetNumber, 21> kTargetNumbers{{
    {schema::Target::VT_COMMAND_SET_ID, false, &TargetView::command_set_id},
    {schema::Target::VT_COMMAND_SET_VERSION, false, &TargetView::command_set_version},
    {schema::Target::VT_DRAM_BASE, false, &TargetView::dram_base},
    {schema::Target::VT_DRAM_BYTES, false, &TargetView::dram_bytes},
    {schema::Target::VT_L1_BASE, false, &TargetView::l1_base},
    {schema::Target::VT_L1_BYTES, false, &TargetView::l1_bytes},
    {schema::Target::VT_FILE_BASE, false, &TargetView::file_base},
    {schema::Target::VT_FILE_BYTES, false, &TargetView::file_bytes},
    {schema::Target::VT_TRACE_REGION_BYTES, false, &TargetView::trace_region_bytes},
    {schema::Target::VT_CLOCK_KHZ, false, &TargetView::clock_khz},
    {schema::Target::VT_CORE_KHZ, false, &TargetView::core_khz},
    {schema::Target::VT_MILLICYCLES_PER_INSTRUCTION, false, &TargetView::millicycles_per_instruction},
    {schema::Target::VT_RING_WORDS, false, &TargetView::ring_words},
    {schema::Target::VT_QUEUE_COUNT, true, &TargetView::queue_count},
    {schema::Target::VT_GRID_COLUMNS, true, &TargetView::grid_columns},
    {schema::Target::VT_GRID_ROWS, true, &TargetView::grid_rows},
    {schema::Target::VT_DRAM_BANKS, true, &TargetView::dram_banks},
    {schema::Target::VT_WEIGHTS_LAYOUT, false, &TargetView::weights_layout},
    {schema::Target::VT_MESH_ROWS, true, &TargetView::mesh_rows},
    {schema::Target::VT_MESH_COLUMNS, true, &TargetView::mesh_columns},
    {schema::Target::VT_COST_MODEL, false, &TargetView::cost_model},
}};

}  // namespace

TargetView Image::target() const noexcept {
    const Table& table = *target_of<Table>(*root_, schema::TraceBinary::VT_TARGET);
    TargetView view;
    view.device_family = name_of(table, schema::Target::VT_DEVICE_FAMILY);
    view.kernel_library = digest_of(table, schema::Target::VT_KERNEL_LIBRARY);
    for (const TargetNumber& field : kTargetNumbers) {
        view.*field.member =
            field.is_byte ? number<std::uint8_t>(table, field.entry) : number<std::uint32_t>(table, field.entry);
    }
    view.attestation = one_of<Attestation>(table, schema::Target::VT_ATTESTATION);
    view.costs = one_of<CostKind>(table, schema::Target::VT_COSTS);
    view.profile = one_of<CapacityProfile>(table, schema::Target::VT_PROFILE);
    view.kernel_count = count_of(table, schema::Target::VT_KERNELS);
    view.file_offset = offset_of(file_, &table);
    return view;
}

KernelView Image::kernel(std::uint32_t index) const noexcept {
    const Table& table =
        element(*target_of<Table>(*root_, schema::TraceBinary::VT_TARGET), schema::Target::VT_KERNELS, index);
    return KernelView{number<std::uint32_t>(table, schema::Kernel::VT_ID),
                      KernelIdentity{number<std::uint32_t>(table, schema::Kernel::VT_VERSION),
                                     number<std::uint32_t>(table, schema::Kernel::VT_ARGUMENT_WORDS),
                                     number<std::uint32_t>(table, schema::Kernel::VT_COST_VERSION)},
                      offset_of(file_, &table)};
}

bool Image::names_kernel(std::uint32_t id) const noexcept {
    const Table& target = *target_of<Table>(*root_, schema::TraceBinary::VT_TARGET);
    std::uint32_t first = 0U;
    std::uint32_t end = count_of(target, schema::Target::VT_KERNELS);
    while (first < end) {  // halves the range: at most 9 times for kMaxKernels
        const std::uint32_t middle = first + ((end - first) / 2U);
        const std::uint32_t found =
            number<std::uint32_t>(element(target, schema::Target::VT_KERNELS, middle), schema::Kernel::VT_ID);
        if (found == id) {
            return true;
        }
        if (found < id) {
            first = middle + 1U;
        } else {
            end = middle;
        }
    }
    return false;
}

std::uint32_t Image::region_count() const noexcept {
    return count_of(*root_, schema::TraceBinary::VT_REGIONS);
}

RegionView Image::region(std::uint32_t index) const noexcept {
    const Table& table = element(*root_, schema::TraceBinary::VT_REGIONS, index);
    return RegionView{name_of(table, schema::Region::VT_NAME),
                      one_of<RegionKind>(table, schema::Region::VT_KIND),
                      one_of<MemoryKind>(table, schema::Region::VT_MEMORY),
                      number<std::uint32_t>(table, schema::Region::VT_BASE),
                      number<std::uint32_t>(table, schema::Region::VT_SIZE_BYTES),
                      offset_of(file_, &table)};
}

std::uint32_t Image::buffer_count() const noexcept {
    return count_of(*root_, schema::TraceBinary::VT_BUFFERS);
}

BufferView Image::buffer(std::uint32_t index) const noexcept {
    const Table& table = element(*root_, schema::TraceBinary::VT_BUFFERS, index);
    return BufferView{name_of(table, schema::Buffer::VT_NAME), number<std::uint16_t>(table, schema::Buffer::VT_REGION),
                      number<std::uint32_t>(table, schema::Buffer::VT_OFFSET_BYTES),
                      number<std::uint32_t>(table, schema::Buffer::VT_SIZE_BYTES), offset_of(file_, &table)};
}

TensorView Image::tensor(bool is_input, std::uint32_t index) const noexcept {
    const Table& table =
        element(*root_, is_input ? schema::TraceBinary::VT_INPUTS : schema::TraceBinary::VT_OUTPUTS, index);
    TensorView view;
    view.name = name_of(table, schema::Tensor::VT_NAME);
    view.buffer = number<std::uint16_t>(table, schema::Tensor::VT_BUFFER);
    view.buffer_count = number<std::uint16_t>(table, schema::Tensor::VT_BUFFER_COUNT);
    view.type = one_of<ElementType>(table, schema::Tensor::VT_TYPE);
    const auto& shape = *target_of<flatbuffers::Vector<std::uint32_t>>(table, schema::Tensor::VT_SHAPE);
    view.rank = shape.size();
    for (std::uint32_t i = 0U; i < view.rank; ++i) {
        view.shape[i] = shape.Get(i);
    }
    view.scale = number<float>(table, schema::Tensor::VT_SCALE);
    view.zero_point = number<std::int32_t>(table, schema::Tensor::VT_ZERO_POINT);
    view.placement = one_of<Placement>(table, schema::Tensor::VT_PLACEMENT);
    view.devices = devices_of(table, schema::Tensor::VT_DEVICES);
    view.file_offset = offset_of(file_, &table);
    return view;
}

std::uint32_t Image::input_count() const noexcept {
    return count_of(*root_, schema::TraceBinary::VT_INPUTS);
}
TensorView Image::input(std::uint32_t index) const noexcept {
    return tensor(true, index);
}
std::uint32_t Image::output_count() const noexcept {
    return count_of(*root_, schema::TraceBinary::VT_OUTPUTS);
}
TensorView Image::output(std::uint32_t index) const noexcept {
    return tensor(false, index);
}

std::uint32_t Image::trace_count() const noexcept {
    return count_of(*root_, schema::TraceBinary::VT_TRACES);
}

TraceView Image::trace(std::uint32_t index) const noexcept {
    const Table& table = element(*root_, schema::TraceBinary::VT_TRACES, index);
    return TraceView{name_of(table, schema::Trace::VT_NAME),
                     number<std::uint32_t>(table, schema::Trace::VT_OFFSET_BYTES),
                     number<std::uint32_t>(table, schema::Trace::VT_WORD_COUNT),
                     number<std::uint32_t>(table, schema::Trace::VT_COMMAND_COUNT),
                     number<std::uint64_t>(table, schema::Trace::VT_COST_CYCLES),
                     count_of(table, schema::Trace::VT_PROGRAMS),
                     offset_of(file_, &table)};
}

ProgramView Image::program(std::uint32_t trace, std::uint32_t index) const noexcept {
    const Table& table =
        element(element(*root_, schema::TraceBinary::VT_TRACES, trace), schema::Trace::VT_PROGRAMS, index);
    return ProgramView{name_of(table, schema::Program::VT_NAME),
                       number<std::uint32_t>(table, schema::Program::VT_COMMAND_COUNT), offset_of(file_, &table)};
}

std::uint32_t Image::script_count() const noexcept {
    return count_of(*root_, schema::TraceBinary::VT_SCRIPTS);
}

ScriptView Image::script(std::uint32_t index) const noexcept {
    const Table& table = element(*root_, schema::TraceBinary::VT_SCRIPTS, index);
    return ScriptView{one_of<ScriptKind>(table, schema::Script::VT_KIND), count_of(table, schema::Script::VT_COMMANDS),
                      offset_of(file_, &table)};
}

ScriptCommandView Image::script_command(std::uint32_t script, std::uint32_t index) const noexcept {
    const Table& table =
        element(element(*root_, schema::TraceBinary::VT_SCRIPTS, script), schema::Script::VT_COMMANDS, index);
    const Table& body = *target_of<Table>(table, schema::Command::VT_BODY);
    ScriptCommandView view;
    view.kind = one_of<ScriptCommandKind>(table, schema::Command::VT_BODY_TYPE);
    view.queue = number<std::uint8_t>(table, schema::Command::VT_QUEUE);
    view.object = number<std::uint16_t>(body, kBodyObject);
    view.devices = devices_of(table, schema::Command::VT_DEVICES);
    if (view.kind == ScriptCommandKind::kWriteBuffer) {
        view.segment_offset = number<std::uint32_t>(body, schema::WriteBuffer::VT_SEGMENT_OFFSET);
    }
    view.file_offset = offset_of(file_, &table);
    return view;
}

BudgetsView Image::budgets() const noexcept {
    const Table& table = *target_of<Table>(*root_, schema::TraceBinary::VT_BUDGETS);
    return BudgetsView{number<std::uint64_t>(table, schema::Budgets::VT_STEP_CYCLES),
                       number<std::uint32_t>(table, schema::Budgets::VT_STEP_DEADLINE_US),
                       number<std::uint32_t>(table, schema::Budgets::VT_SETUP_DEADLINE_US),
                       number<std::uint8_t>(table, schema::Budgets::VT_STEPS_IN_FLIGHT), offset_of(file_, &table)};
}

ProvenanceView Image::provenance() const noexcept {
    const Table& table = *target_of<Table>(*root_, schema::TraceBinary::VT_PROVENANCE);
    return ProvenanceView{name_of(table, schema::Provenance::VT_SOURCE_NAME),
                          digest_of(table, schema::Provenance::VT_SOURCE_SHA256),
                          name_of(table, schema::Provenance::VT_TOOL_VERSION)};
}

std::uint32_t Image::self_test_count() const noexcept {
    return count_of(*root_, schema::TraceBinary::VT_SELF_TEST_ORIGINS);
}

SelfTestOrigin Image::self_test_origin(std::uint32_t index) const noexcept {
    const auto* const origins =
        target_of<flatbuffers::Vector<std::uint8_t>>(*root_, schema::TraceBinary::VT_SELF_TEST_ORIGINS);
    return static_cast<SelfTestOrigin>(origins->Get(index));
}

std::uint32_t Image::parameter_count() const noexcept {
    return count_of(*root_, schema::TraceBinary::VT_PARAMETERS);
}

ParameterView Image::parameter(std::uint32_t index) const noexcept {
    const Table& table = element(*root_, schema::TraceBinary::VT_PARAMETERS, index);
    return ParameterView{name_of(table, schema::Parameter::VT_NAME),
                         one_of<ParameterKind>(table, schema::Parameter::VT_KIND),
                         number<std::uint32_t>(table, schema::Parameter::VT_MINIMUM),
                         number<std::uint32_t>(table, schema::Parameter::VT_MAXIMUM),
                         number<std::uint32_t>(table, schema::Parameter::VT_ALIGNMENT),
                         count_of(table, schema::Parameter::VT_POINTS),
                         offset_of(file_, &table)};
}

PatchPointView Image::patch_point(std::uint32_t parameter, std::uint32_t index) const noexcept {
    const Table& table =
        element(element(*root_, schema::TraceBinary::VT_PARAMETERS, parameter), schema::Parameter::VT_POINTS, index);
    return PatchPointView{number<std::uint16_t>(table, schema::PatchPoint::VT_TRACE),
                          number<std::uint32_t>(table, schema::PatchPoint::VT_WORD), offset_of(file_, &table)};
}

ByteSpan Image::weights() const noexcept {
    return file_.subspan(envelope_.weights.offset, envelope_.weights.size_bytes);
}
ByteSpan Image::self_tests() const noexcept {
    return file_.subspan(envelope_.self_tests.offset, envelope_.self_tests.size_bytes);
}
ByteSpan Image::checks() const noexcept {
    return file_.subspan(envelope_.checks.offset, envelope_.checks.size_bytes);
}
ByteSpan Image::trace_segment() const noexcept {
    return file_.subspan(envelope_.traces.offset, envelope_.traces.size_bytes);
}
WordSpan Image::trace_words() const noexcept {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "command words are used in place");
    const ByteSpan bytes = trace_segment();
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    const auto* const words = reinterpret_cast<const std::uint32_t*>(bytes.data());
    return WordSpan{words, bytes.size() / sizeof(std::uint32_t)};
}

}  // namespace pianola
