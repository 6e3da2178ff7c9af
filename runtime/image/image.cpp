#include "runtime/image/image.h"

#include "runtime/core/config.h"
#include "runtime/image/manifest_rules.h"
#include "runtime/image/schema_check.h"
#include "trace_binary_generated.h"

namespace pianola {

namespace {

// The views' enumerations are the schema's: checked here, once, so that a conversion is a cast.
static_assert(static_cast<int>(schema::ElementType::MAX) == static_cast<int>(ElementType::kBool));
static_assert(static_cast<int>(schema::MemoryKind::MAX) == static_cast<int>(MemoryKind::kL1));
static_assert(static_cast<int>(schema::RegionKind::MAX) == static_cast<int>(RegionKind::kShared));
static_assert(static_cast<int>(schema::ScriptKind::MAX) == static_cast<int>(ScriptKind::kEpilogue));
static_assert(static_cast<int>(schema::ParameterKind::MAX) == static_cast<int>(ParameterKind::kBufferAddress));
static_assert(static_cast<int>(schema::CommandBody::MAX) == static_cast<int>(ScriptCommandKind::kWaitEvent));

// Every body of a command starts with the object that it names.
constexpr flatbuffers::voffset_t kBodyObject = schema::WriteBuffer::VT_BUFFER;
static_assert(kBodyObject == schema::LoadTrace::VT_TRACE);
static_assert(kBodyObject == schema::WriteInput::VT_INPUT);
static_assert(kBodyObject == schema::ReplayTrace::VT_TRACE);
static_assert(kBodyObject == schema::ReadOutput::VT_OUTPUT);
static_assert(kBodyObject == schema::RecordEvent::VT_EVENT);
static_assert(kBodyObject == schema::WaitEvent::VT_EVENT);

[[nodiscard]] NameView name_view(const flatbuffers::String* text) noexcept {
    return NameView{text->c_str(), text->size()};
}

[[nodiscard]] ByteSpan digest_view(const schema::Digest* digest) noexcept {
    return ByteSpan{digest->bytes()->Data(), kSha256Bytes};
}

[[nodiscard]] std::uint32_t offset_of(ByteSpan file, const void* table) noexcept {
    return static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(table) - file.data());
}

[[nodiscard]] TensorView tensor_view(ByteSpan file, const schema::Tensor* table) noexcept {
    TensorView view;
    view.name = name_view(table->name());
    view.buffer = table->buffer();
    view.buffer_count = table->buffer_count();
    view.type = static_cast<ElementType>(table->type());
    view.rank = table->shape()->size();
    for (std::uint32_t i = 0U; i < view.rank; ++i) {
        view.shape[i] = table->shape()->Get(i);
    }
    view.scale = table->scale();
    view.zero_point = table->zero_point();
    view.file_offset = offset_of(file, table);
    return view;
}

Status refuse_manifest(Verdict& verdict, Rule rule, const Envelope& envelope, std::size_t actual,
                       std::size_t limit) noexcept {
    verdict.path.enter("manifest");
    return refuse(verdict, rule, envelope.manifest.offset, static_cast<std::uint32_t>(actual),
                  static_cast<std::uint32_t>(limit));  // no file is longer than 32 bits can say
}

}  // namespace

Status open_image(ByteSpan file, const Envelope& envelope, Image& image, Verdict& verdict) noexcept {
    reset(verdict);
    const std::uint32_t size_bytes = envelope.manifest.size_bytes;
    if ((size_bytes == 0U) || (size_bytes > kMaxManifestBytes)) {
        return refuse_manifest(verdict, Rule::kImgSize, envelope, size_bytes, kMaxManifestBytes);
    }
    const ByteSpan manifest = file.subspan(envelope.manifest.offset, size_bytes);
    if (manifest.empty()) {
        return refuse_manifest(verdict, Rule::kImgSize, envelope, size_bytes, file.size());
    }
    flatbuffers::Verifier verifier{manifest.data(), manifest.size(), kMaxManifestDepth, kMaxManifestTables};
    if (!verifier.VerifyBuffer<RuledRoot<schema::kTraceBinaryRules>>(schema::TraceBinaryIdentifier())) {
        return refuse_manifest(verdict, Rule::kImgStructure, envelope, 0U, 0U);
    }
    if (verifier.GetComputedSize() != manifest.size()) {
        return refuse_manifest(verdict, Rule::kImgExactSize, envelope, manifest.size(), verifier.GetComputedSize());
    }
    if (!check_strictness(schema::kTraceBinaryRules, file, *flatbuffers::GetRoot<flatbuffers::Table>(manifest.data()),
                          verdict)) {
        return Status::kRefused;
    }
    image.file_ = file;
    image.envelope_ = envelope;
    image.root_ = schema::GetTraceBinary(manifest.data());
    return Status::kOk;
}

TargetView Image::target() const noexcept {
    const schema::Target* const table = root_->target();
    TargetView view;
    view.device_family = name_view(table->device_family());
    view.command_set_id = table->command_set_id();
    view.command_set_version = table->command_set_version();
    view.kernel_library = digest_view(table->kernel_library());
    view.dram_base = table->dram_base();
    view.dram_bytes = table->dram_bytes();
    view.l1_base = table->l1_base();
    view.l1_bytes = table->l1_bytes();
    view.trace_region_bytes = table->trace_region_bytes();
    view.clock_khz = table->clock_khz();
    view.queue_count = table->queue_count();
    view.ring_words = table->ring_words();
    view.grid_columns = table->grid_columns();
    view.grid_rows = table->grid_rows();
    view.dram_banks = table->dram_banks();
    view.file_offset = offset_of(file_, table);
    return view;
}

std::uint32_t Image::region_count() const noexcept {
    return root_->regions()->size();
}

RegionView Image::region(std::uint32_t index) const noexcept {
    const schema::Region* const table = root_->regions()->Get(index);
    RegionView view;
    view.name = name_view(table->name());
    view.kind = static_cast<RegionKind>(table->kind());
    view.memory = static_cast<MemoryKind>(table->memory());
    view.base = table->base();
    view.size_bytes = table->size_bytes();
    view.file_offset = offset_of(file_, table);
    return view;
}

std::uint32_t Image::buffer_count() const noexcept {
    return root_->buffers()->size();
}

BufferView Image::buffer(std::uint32_t index) const noexcept {
    const schema::Buffer* const table = root_->buffers()->Get(index);
    BufferView view;
    view.name = name_view(table->name());
    view.region = table->region();
    view.offset_bytes = table->offset_bytes();
    view.size_bytes = table->size_bytes();
    view.file_offset = offset_of(file_, table);
    return view;
}

std::uint32_t Image::input_count() const noexcept {
    return root_->inputs()->size();
}
TensorView Image::input(std::uint32_t index) const noexcept {
    return tensor_view(file_, root_->inputs()->Get(index));
}
std::uint32_t Image::output_count() const noexcept {
    return root_->outputs()->size();
}
TensorView Image::output(std::uint32_t index) const noexcept {
    return tensor_view(file_, root_->outputs()->Get(index));
}

std::uint32_t Image::trace_count() const noexcept {
    return root_->traces()->size();
}

TraceView Image::trace(std::uint32_t index) const noexcept {
    const schema::Trace* const table = root_->traces()->Get(index);
    TraceView view;
    view.name = name_view(table->name());
    view.offset_bytes = table->offset_bytes();
    view.word_count = table->word_count();
    view.command_count = table->command_count();
    view.cost_cycles = table->cost_cycles();
    view.program_count = table->programs()->size();
    view.file_offset = offset_of(file_, table);
    return view;
}

ProgramView Image::program(std::uint32_t trace, std::uint32_t index) const noexcept {
    const schema::Program* const table = root_->traces()->Get(trace)->programs()->Get(index);
    return ProgramView{name_view(table->name()), table->command_count(), offset_of(file_, table)};
}

std::uint32_t Image::script_count() const noexcept {
    return root_->scripts()->size();
}

ScriptView Image::script(std::uint32_t index) const noexcept {
    const schema::Script* const table = root_->scripts()->Get(index);
    return ScriptView{static_cast<ScriptKind>(table->kind()), table->commands()->size(), offset_of(file_, table)};
}

ScriptCommandView Image::script_command(std::uint32_t script, std::uint32_t index) const noexcept {
    const schema::Command* const table = root_->scripts()->Get(script)->commands()->Get(index);
    ScriptCommandView view;
    view.kind = static_cast<ScriptCommandKind>(table->body_type());
    view.queue = table->queue();
    view.file_offset = offset_of(file_, table);
    view.object = static_cast<const flatbuffers::Table*>(table->body())->GetField<std::uint16_t>(kBodyObject, 0U);
    if (view.kind == ScriptCommandKind::kWriteBuffer) {
        view.segment_offset = table->body_as_WriteBuffer()->segment_offset();
    }
    return view;
}

BudgetsView Image::budgets() const noexcept {
    const schema::Budgets* const table = root_->budgets();
    return BudgetsView{table->step_cycles(), table->step_deadline_us(), table->setup_deadline_us(),
                       table->steps_in_flight(), offset_of(file_, table)};
}

ProvenanceView Image::provenance() const noexcept {
    const schema::Provenance* const table = root_->provenance();
    return ProvenanceView{name_view(table->source_name()), digest_view(table->source_sha256()),
                          name_view(table->tool_version())};
}

std::uint32_t Image::self_test_count() const noexcept {
    return root_->self_test_count();
}

std::uint32_t Image::parameter_count() const noexcept {
    return root_->parameters()->size();
}

ParameterView Image::parameter(std::uint32_t index) const noexcept {
    const schema::Parameter* const table = root_->parameters()->Get(index);
    return ParameterView{name_view(table->name()),
                         static_cast<ParameterKind>(table->kind()),
                         table->minimum(),
                         table->maximum(),
                         table->alignment(),
                         table->points()->size(),
                         offset_of(file_, table)};
}

PatchPointView Image::patch_point(std::uint32_t parameter, std::uint32_t index) const noexcept {
    const schema::PatchPoint* const table = root_->parameters()->Get(parameter)->points()->Get(index);
    return PatchPointView{table->trace(), table->word(), offset_of(file_, table)};
}

ByteSpan Image::weights() const noexcept {
    return file_.subspan(envelope_.weights.offset, envelope_.weights.size_bytes);
}
ByteSpan Image::self_tests() const noexcept {
    return file_.subspan(envelope_.self_tests.offset, envelope_.self_tests.size_bytes);
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
