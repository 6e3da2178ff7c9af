// Declared parameters. Every mutant has its own parameter, fill and copy: what the file declares stays correct.
#include <fmt/format.h>

#include "capture_host/mutate/operators.h"

namespace pianola::mutate {
namespace {

using capture::ManifestParameter;

constexpr std::uint32_t kBytes = 64U;
constexpr std::uint32_t kValue = 7U;
constexpr std::uint32_t kLargestValue = 255U;

// Words of the fill.
constexpr std::uint32_t kAddressWord = 1U;
constexpr std::uint32_t kSizeWord = 2U;
constexpr std::uint32_t kValueWord = 3U;

struct Declared {
    ManifestParameter* parameter;
    std::uint32_t fill;  // its first word
    std::uint32_t address;
};

// A parameter for the value of an added fill.
Declared declare(Draft& draft) {
    capture::Manifest& manifest = draft.manifest();
    std::size_t points = 0U;
    for (const ManifestParameter& parameter : manifest.parameters) {
        points += parameter.points.size();
    }
    if ((manifest.parameters.size() >= kMaxParameters) || (points >= draft.device().capacities->patch_points)) {
        throw NotApplicable{"the file has all the parameters that it may have"};
    }
    const std::uint32_t address = draft.add_scratch(kScratchBytes);
    const std::uint32_t fill = draft.append_commands(draft.fill(address, kBytes, kValue));
    manifest.parameters.push_back(
        {"added", ParameterKind::kRuntimeArgument, 0U, kLargestValue, 1U, {{draft.main_trace(), fill + kValueWord}}});
    draft.confirm("a parameter, for the value of a fill");
    return {&manifest.parameters.back(), fill, address};
}

// The parameter is for another word of the fill, and admits only its value.
void patch(Draft& draft, const Declared& declared, std::uint32_t word, std::uint32_t value) {
    *declared.parameter = {
        "added", ParameterKind::kRuntimeArgument, value, value, 1U, {{draft.main_trace(), declared.fill + word}}};
}

void set_range(Draft& draft, std::uint32_t minimum, std::uint32_t maximum, std::uint32_t alignment) {
    ManifestParameter& parameter = *declare(draft).parameter;
    parameter.minimum = minimum;
    parameter.maximum = maximum;
    parameter.alignment = alignment;
}

// Whatever they mean: words are counted before they are looked at.
void patch_five_words(Draft& draft) {
    constexpr std::uint32_t kWords = kMaxPatchesPerCommand + 1U;
    const Declared declared = declare(draft);
    Words copy = draft.copy(declared.address + kBytes, declared.address, kBytes);
    if (copy.size() < kWords) {
        copy = draft.sample(Sample::kCopyLaunch, {declared.address + kBytes, declared.address, kBytes, 0U, 0U});
    }
    if (copy.size() < kWords) {
        throw NotApplicable{"the device has no command of so many words"};
    }
    const std::uint32_t first = draft.append_commands(copy);
    draft.confirm("a copy");
    std::vector<capture::ManifestPatchPoint>& points = draft.manifest().parameters.back().points;
    points.clear();
    for (std::uint32_t i = 0U; i < kWords; ++i) {
        points.push_back({draft.main_trace(), first + i});
    }
}

// Barriers' words, of which none may be patched: words are counted before they are looked at.
void overfill_points(Draft& draft) {
    static_cast<void>(declare(draft));
    capture::Manifest& manifest = draft.manifest();
    if (manifest.parameters.size() >= kMaxParameters) {
        throw NotApplicable{"the file has all the parameters that it may have but one"};
    }
    const std::uint32_t capacity = draft.device().capacities->patch_points;
    Words barriers;
    while (barriers.size() < capacity) {
        append(barriers, draft.barrier());
    }
    const std::uint32_t first = draft.append_commands(barriers);
    draft.require_trace_region("that many barriers");
    std::size_t points = 0U;
    for (const ManifestParameter& parameter : manifest.parameters) {
        points += parameter.points.size();
    }
    ManifestParameter& added = manifest.parameters.back();
    for (std::uint32_t i = 0U; points < capacity; ++i) {
        added.points.push_back({draft.main_trace(), first + i});
        points += 1U;
    }
    ManifestParameter more = added;
    more.name = "more";
    more.points = {{draft.main_trace(), first + capacity - 1U}};
    manifest.parameters.push_back(more);
}

constexpr std::array kParameterOperators{
    Operator{Rule::kParRange, "reversed", "a range that ends before it begins", true,
             [](Draft& draft) { set_range(draft, kValue + 1U, kValue, 1U); }, "parameters[last].minimum"},
    Operator{Rule::kParRange, "no-alignment", "multiples of nothing", true,
             [](Draft& draft) { set_range(draft, 0U, kLargestValue, 0U); }, "parameters[last].minimum"},
    Operator{Rule::kParRange, "between-multiples", "a range that ends between multiples", true,
             [](Draft& draft) { set_range(draft, 0U, kLargestValue - 1U, kValue); }, "parameters[last].minimum"},
    Operator{Rule::kParRange, "two-signs", "a range of values that crosses the sign", true,
             [](Draft& draft) { set_range(draft, 0x7FFF'FFFFU, 0x8000'0000U, 1U); }, "parameters[last].minimum"},
    Operator{Rule::kParPoint, "none", "a parameter that patches nothing", true,
             [](Draft& draft) { declare(draft).parameter->points.clear(); }, "parameters[last].points"},
    Operator{Rule::kParPoint, "twice", "a word that is patched twice", true,
             [](Draft& draft) {
                 auto& points = declare(draft).parameter->points;
                 const capture::ManifestPatchPoint again = points.front();
                 points.push_back(again);
             },
             "parameters[last].points[1].word"},
    Operator{Rule::kParPoint, "no-trace", "a word of a trace that is not there", true,
             [](Draft& draft) {
                 ManifestParameter& parameter = *declare(draft).parameter;
                 parameter.points.front().trace = static_cast<std::uint32_t>(draft.manifest().traces.size());
             },
             "parameters[last].points[0].trace"},
    Operator{Rule::kParPoint, "no-word", "a word behind the end of its trace", true,
             [](Draft& draft) {
                 ManifestParameter& parameter = *declare(draft).parameter;
                 parameter.points.front().word = draft.manifest().traces.at(draft.main_trace()).word_count;
             },
             "parameters[last].points[0].word"},
    Operator{Rule::kParWord, "size", "the size of a fill is patched", true,
             [](Draft& draft) {
                 const Declared declared = declare(draft);
                 patch(draft, declared, kSizeWord, kBytes);
             },
             "added[0]"},
    Operator{Rule::kParWord, "address-as-value", "an address is called a value", true,
             [](Draft& draft) {
                 const Declared declared = declare(draft);
                 patch(draft, declared, kAddressWord, declared.address);
             },
             "added[0]"},
    Operator{Rule::kParCommand, "five-words", "more words of one command are patched than the proof takes", false,
             patch_five_words, "added[1]"},
    Operator{Rule::kCapPoints, "one-more", "a patched word more than the runtime holds", false, overfill_points,
             "parameters[last].points[0].word"},
    Operator{Rule::kParValue, "below", "the trace holds a value below the range", true,
             [](Draft& draft) { set_range(draft, kValue + 1U, kLargestValue, 1U); }, "added[0]"},
    Operator{Rule::kParValue, "between-multiples", "the trace holds a value between multiples", true,
             [](Draft& draft) { set_range(draft, 0U, kBytes, 4U); }, "added[0]"},
    Operator{Rule::kParAccepted, "too-large", "a value that a fill does not accept is admitted", true,
             [](Draft& draft) { set_range(draft, 0U, kLargestValue + 1U, 1U); }, "added[0]"},
};

}  // namespace

Span<const Operator> parameter_operators() {
    return kParameterOperators;
}

}  // namespace pianola::mutate
