#include "hal/devices/refdev/command_encoding.h"
#include "tests/runtime/rule_case.h"
#include "trace_binary_generated.h"

namespace pianola::test {
namespace {

using capture::Manifest;
using capture::ManifestParameter;
using capture::ManifestPatchPoint;
using refdev::header_word;
using refdev::Opcode;
using schema::TraceBinary;

// Two commands in front of the workload's own, on memory of their own: 0 fills 64 bytes with 7, 1 copies 16 of them to
// kTarget.
constexpr std::uint32_t kFilled = 1024U;  // from the start of the activations
constexpr std::uint32_t kTarget = 2048U;
constexpr std::uint32_t kFillAddress = 1U;  // words of the trace
constexpr std::uint32_t kFillBytes = 2U;
constexpr std::uint32_t kFillValue = 3U;
constexpr std::uint32_t kCopyTo = 5U;
constexpr std::uint32_t kCopyFrom = 6U;
constexpr std::uint32_t kThirdReads = 10U;  // of a third command, where there is one
constexpr std::uint32_t kCopied = 16U;

using ParametersEdit = std::function<void(Workload& workload, std::uint32_t activations)>;

void put_in_front(Workload& workload, std::vector<std::uint32_t> words) {
    const std::vector<std::uint32_t> old = words_of(workload.segments.traces);
    words.insert(words.end(), old.begin(), old.end());
    set_trace(workload, words);
}

// `reads_target`: a third command copies from where the second one copies to.
std::function<Mutant()> parameters_edit(const ParametersEdit& edit, bool reads_target = false,
                                        std::uint32_t target = kTarget) {
    return workload_edit([=](Workload& workload, DeviceDescription&) {
        Manifest& manifest = workload.manifest;
        manifest.regions[3].size_bytes = 4096U;
        const std::uint32_t base = manifest.regions[3].base;
        std::vector<std::uint32_t> words{header_word(Opcode::kFill, 4U),
                                         base + kFilled,
                                         64U,
                                         7U,
                                         header_word(Opcode::kCopy, 4U),
                                         base + target,
                                         base + kFilled,
                                         kCopied};
        if (reads_target) {
            words.insert(words.end(), {header_word(Opcode::kCopy, 4U), base + 3072U, base + target, kCopied});
        }
        put_in_front(workload, words);
        edit(workload, base);
    });
}

ManifestParameter value(std::uint32_t minimum, std::uint32_t maximum, std::uint32_t alignment,
                        std::vector<ManifestPatchPoint> points = {{0U, kFillValue}}) {
    return {"value", ParameterKind::kRuntimeArgument, minimum, maximum, alignment, std::move(points)};
}

ManifestParameter address(std::uint32_t minimum, std::uint32_t maximum, std::uint32_t alignment, std::uint32_t word) {
    return {"address", ParameterKind::kBufferAddress, minimum, maximum, alignment, {{0U, word}}};
}

// One parameter that does not depend on where memory lies.
std::function<Mutant()> one(const ManifestParameter& parameter) {
    return parameters_edit(
        [parameter](Workload& workload, std::uint32_t) { workload.manifest.parameters = {parameter}; });
}

// One address, with its range from the start of the activations.
std::function<Mutant()> one_address(std::uint32_t minimum, std::uint32_t maximum, std::uint32_t alignment,
                                    std::uint32_t word, bool reads_target = false, std::uint32_t target = kTarget) {
    return parameters_edit(
        [=](Workload& workload, std::uint32_t base) {
            workload.manifest.parameters = {address(base + minimum, base + maximum, alignment, word)};
        },
        reads_target, target);
}

RuleCase range_case(const char* what, const ManifestParameter& parameter) {
    return {Rule::kParRange, what, "parameters[0].minimum", table({{TraceBinary::VT_PARAMETERS, 0U}}), one(parameter)};
}

RuleCase point_case(const char* what, const char* path, std::uint32_t point, const ManifestParameter& parameter) {
    return {Rule::kParPoint, what, path,
            table({{TraceBinary::VT_PARAMETERS, 0U}, {schema::Parameter::VT_POINTS, point}}), one(parameter)};
}

// Refused at a word of the first command.
RuleCase word_case(Rule rule, const char* what, std::uint32_t word, const ManifestParameter& parameter) {
    return {rule, what, "traces[0].commands[0]", trace_word(word), one(parameter)};
}

ManifestParameter with_kind(ManifestParameter parameter, ParameterKind kind) {
    parameter.kind = kind;
    return parameter;
}

void patch_too_many(Workload& workload, std::uint32_t /*activations*/) {
    std::vector<ManifestPatchPoint> points;
    constexpr std::uint32_t kPoints = profiles::kSmallEcu.patch_points;
    for (std::uint32_t word = 0U; word < kPoints; ++word) {
        points.push_back({0U, word});
    }
    workload.manifest.parameters = {value(0U, 9U, 1U, points), value(0U, 9U, 1U, {{0U, kPoints}})};
}

std::vector<RuleCase> declaration_cases() {
    return {
        range_case("ends before it begins", value(8U, 7U, 1U)),
        range_case("multiples of nothing", value(0U, 9U, 0U)),
        range_case("values of both signs", value(0U, UINT32_MAX, 1U)),
        range_case("values around the sign", value(0x7FFF'FFFFU, 0x8000'0000U, 1U)),
        range_case("begins between multiples", value(6U, 8U, 4U)),
        range_case("ends between multiples", value(4U, 7U, 4U)),
        {Rule::kParPoint, "patches nothing", "parameters[0].points", table({{TraceBinary::VT_PARAMETERS, 0U}}),
         one(value(0U, 9U, 1U, {}))},
        point_case("no such trace", "parameters[0].points[0].trace", 0U, value(0U, 9U, 1U, {{1U, kFillValue}})),
        point_case("no such word", "parameters[0].points[0].word", 0U, value(0U, 9U, 1U, {{0U, 49U}})),
        point_case("a word far away", "parameters[0].points[0].word", 0U, value(0U, 9U, 1U, {{0U, 0x4000'0003U}})),
        point_case("a word twice", "parameters[0].points[1].word", 1U,
                   value(0U, 9U, 1U, {{0U, kFillValue}, {0U, kFillValue}})),
        {Rule::kCapPoints, "one word too many", "parameters[1].points[0].word",
         table({{TraceBinary::VT_PARAMETERS, 1U}, {schema::Parameter::VT_POINTS, 0U}}),
         parameters_edit(patch_too_many)},
    };
}

std::vector<RuleCase> parameter_command_cases() {
    const ManifestParameter bytes = value(64U, 64U, 1U, {{0U, kFillBytes}});
    return {
        word_case(Rule::kParWord, "a header", 0U, value(0U, 9U, 1U, {{0U, 0U}})),
        word_case(Rule::kParWord, "a size", kFillBytes, bytes),
        word_case(Rule::kParWord, "a size that is called an address", kFillBytes,
                  with_kind(bytes, ParameterKind::kBufferAddress)),
        word_case(Rule::kParWord, "an address that is called a value", kFillAddress,
                  value(0U, 9U, 1U, {{0U, kFillAddress}})),
        word_case(Rule::kParWord, "a value that is called an address", kFillValue,
                  with_kind(value(0U, 9U, 1U), ParameterKind::kBufferAddress)),
        word_case(Rule::kParValue, "below its range", kFillValue, value(8U, 9U, 1U)),
        word_case(Rule::kParValue, "above its range", kFillValue, value(0U, 6U, 1U)),
        word_case(Rule::kParValue, "between multiples", kFillValue, value(0U, 8U, 4U)),
        word_case(Rule::kParAccepted, "more than a byte", kFillValue, value(0U, 256U, 1U)),
    };
}

// Two addresses of the copy, with their ranges from the start of the activations.
std::function<Mutant()> two_addresses(std::uint32_t to, std::uint32_t to_last, std::uint32_t from,
                                      std::uint32_t from_last) {
    return parameters_edit(
        [=](Workload& workload, std::uint32_t base) {
            workload.manifest.parameters = {address(base + to, base + to_last, 16U, kCopyTo),
                                            address(base + from, base + from_last, 16U, kCopyFrom)};
        },
        false, to);
}

// The fill moves, and its value changes.
std::function<Mutant()> address_and_value(std::uint32_t largest) {
    return parameters_edit([=](Workload& workload, std::uint32_t base) {
        workload.manifest.parameters = {value(0U, largest, 1U),
                                        address(base + kFilled - 16U, base + kFilled, 16U, kFillAddress)};
    });
}

std::vector<RuleCase> address_cases() {
    return {
        // Each of them alone would be accepted.
        {Rule::kParAccepted, "two that meet at their ends", "traces[0].commands[1]", trace_word(kCopyTo),
         two_addresses(kFilled + 16U, kFilled + 48U, kFilled, kFilled + 48U)},
        {Rule::kParAccepted, "two that pass each other", "traces[0].commands[1]", trace_word(kCopyTo),
         two_addresses(kFilled - 32U, kFilled + 64U, kFilled, kFilled + 48U)},
        {Rule::kParAccepted, "a value beside an address", "traces[0].commands[0]", trace_word(kFillAddress),
         address_and_value(256U)},
        {Rule::kParAccepted, "meets the source between both ends", "traces[0].commands[1]", trace_word(kCopyTo),
         one_address(kFilled - 64U, kFilled + 64U, 32U, kCopyTo, false, kFilled + 64U)},
        {Rule::kParAccepted, "wraps round", "traces[0].commands[1]", trace_word(kCopyTo),
         parameters_edit([](Workload& workload, std::uint32_t base) {
             workload.manifest.parameters = {address(base + kTarget, UINT32_MAX, 1U, kCopyTo)};
         })},
        {Rule::kTrcBounds, "leaves the region by one step", "traces[0].commands[1].destination", trace_word(kCopyTo),
         one_address(kTarget, 4096U, 16U, kCopyTo)},
        {Rule::kTrcUnwritten, "reads beyond what is written", "traces[0].commands[1].source", trace_word(kCopyFrom),
         one_address(kFilled, kFilled + 64U, 16U, kCopyFrom)},
        // Wherever it goes, nobody can rely on it.
        {Rule::kTrcUnwritten, "what is written somewhere is read here", "traces[0].commands[2].source",
         trace_word(kThirdReads), one_address(kTarget, kTarget + 16U, 16U, kCopyTo, true)},
        {Rule::kTrcUnwritten, "what is surely written is a byte short", "traces[0].commands[2].source",
         trace_word(kThirdReads), one_address(kTarget, kTarget + 1U, 1U, kCopyTo, true)},
    };
}

// Of the workload's first launch, behind the fill and the copy.
constexpr std::uint32_t kLaunch = 8U;
constexpr std::uint32_t kLaunchKernel = kLaunch + 1U;
constexpr std::uint32_t kLaunchInput = kLaunch + 3U;
constexpr std::uint32_t kLaunchOutput = kLaunch + 4U;
constexpr std::uint32_t kLaunchCount = kLaunch + 5U;
constexpr std::uint32_t kLaunchMultiplier = kLaunch + 7U;
constexpr std::uint32_t kLaunchShift = kLaunch + 8U;
constexpr std::uint32_t kLaunchZeroPoint = kLaunch + 9U;  // of the output

// Refused at a word of the launch.
RuleCase launch_case(Rule rule, const char* what, std::uint32_t word, const ManifestParameter& parameter) {
    return {rule, what, "traces[0].commands[2]", trace_word(word), one(parameter)};
}

std::function<Mutant()> launch_output(std::uint32_t minimum, std::uint32_t maximum) {
    return parameters_edit([=](Workload& workload, std::uint32_t) {
        const std::uint32_t output = words_of(workload.segments.traces).at(kLaunchOutput);
        workload.manifest.parameters = {address(output + minimum, output + maximum, 16U, kLaunchOutput)};
    });
}

std::vector<RuleCase> launch_cases() {
    return {
        launch_case(Rule::kParWord, "which kernel is launched", kLaunchKernel,
                    value(0U, 18U, 1U, {{0U, kLaunchKernel}})),
        launch_case(Rule::kParWord, "how many elements a kernel works on", kLaunchCount,
                    value(64U, 64U, 1U, {{0U, kLaunchCount}})),
        launch_case(Rule::kParWord, "a kernel's input that is called a value", kLaunchInput,
                    value(0x8000'0000U, UINT32_MAX, 1U, {{0U, kLaunchInput}})),
        launch_case(Rule::kParAccepted, "a zero point that the kernel does not admit", kLaunchZeroPoint,
                    value(0U, 128U, 1U, {{0U, kLaunchZeroPoint}})),
        launch_case(Rule::kParAccepted, "a shift that the kernel does not admit", kLaunchShift,
                    value(0U, 31U, 1U, {{0U, kLaunchShift}})),
        {Rule::kParCommand, "five words of one command", "traces[0].commands[2]", trace_word(kLaunch),
         one(value(0U, 9U, 1U,
                   {{0U, kLaunch}, {0U, kLaunch + 1U}, {0U, kLaunch + 2U}, {0U, kLaunch + 3U}, {0U, kLaunch + 4U}}))},
        // The addition behind it reads where the launch has always written.
        {Rule::kTrcUnwritten, "an output that moves away from its reader", "traces[0].commands[3].input1",
         trace_word(kLaunch + 10U + 3U), launch_output(0U, 64U)},
    };
}

}  // namespace

std::vector<RuleCase> parameter_cases() {
    std::vector<RuleCase> cases = declaration_cases();
    for (const auto& more : {parameter_command_cases(), address_cases(), launch_cases()}) {
        cases.insert(cases.end(), more.begin(), more.end());
    }
    return cases;
}

// Of two parameters for one command.
std::vector<AcceptedCase> accepted_combinations() {
    return {
        {"two addresses of one command", two_addresses(kTarget, kTarget + 512U, kFilled, kFilled + 48U)().file},
        {"two that touch at their ends", two_addresses(kFilled - 64U, kFilled - 16U, kFilled, kFilled + 48U)().file},
        {"address and value of one command", address_and_value(255U)().file},
    };
}

std::vector<AcceptedCase> accepted_parameters() {
    return {
        {"a value", one(value(0U, 255U, 1U))().file},
        {"the only multiple", one(value(7U, 7U, 7U))().file},
        {"a target", one_address(kTarget, 4096U - kCopied, 16U, kCopyTo)().file},
        {"a source", one_address(kFilled, kFilled + 48U, 1U, kCopyFrom)().file},
        {"a multiplier", one(value(0U, INT32_MAX, 1U, {{0U, kLaunchMultiplier}}))().file},
        {"an output that stays", launch_output(0U, 0U)().file},
        {"a target that is read", one_address(kTarget, kTarget, 1U, kCopyTo, true)().file},
    };
}

}  // namespace pianola::test
