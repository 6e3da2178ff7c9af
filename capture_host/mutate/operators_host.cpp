// What `pianola verify` adds to the target's checks.
#include "capture_host/mutate/file_bytes.h"
#include "capture_host/mutate/operators.h"
#include "trace_binary_generated.h"

namespace pianola::mutate {
namespace {

// Behind a name's terminating zero there is padding, unless length and zero fill whole words: nobody reads it.
void hide_a_byte(Draft& draft) {
    std::string& name = draft.manifest().source_name;
    if (((name.size() + 1U) % sizeof(std::uint32_t)) == 0U) {
        name.push_back('_');  // the longest name has padding
        draft.confirm("a letter in the source's name");
    }
    draft.edit([](Bytes& file) {
        const std::uint32_t manifest = segment_of(file, SegmentKind::kManifest).offset;
        const flatbuffers::String& text = *schema::GetTraceBinary(file.data() + manifest)->provenance()->source_name();
        const auto offset = static_cast<std::size_t>(text.Data() - file.data());
        file.at(offset + text.size() + 1U) = 1U;
    });
    draft.expect_path("manifest");
}

constexpr std::array kOperators{
    Operator{Rule::kHstCanonical, "padding", "a byte in the padding behind a name", true, hide_a_byte},
};

}  // namespace

Span<const Operator> host_operators() {
    return kOperators;
}

}  // namespace pianola::mutate
