#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = TakeArguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

// Memory may hold any index: the nearest existing entry replaces a missing one.
[[nodiscard]] std::size_t entry_of(const std::int8_t* indices, std::size_t position, std::uint32_t entries) noexcept {
    std::int32_t index = 0;
    std::memcpy(&index, indices + (position * sizeof(index)), sizeof(index));
    if (index < 0) {
        return 0U;
    }
    const auto entry = static_cast<std::uint32_t>(index);
    return (entry < entries) ? entry : (entries - 1U);
}

}  // namespace

Status describe_take(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint64_t pieces = bounded_product(a.batches, a.outer, a.count);
    const bool accepted =
        check.require((a.indices % sizeof(std::int32_t)) == 0U, word_of(offsetof(Arguments, indices))) &&
        check.operand(word_of(offsetof(Arguments, input)),
                      bounded_product(a.batches, a.outer, a.entries, a.entry_bytes), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, indices)), bounded_product(a.batches, a.count, sizeof(std::int32_t)),
                      Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), bounded_product(pieces, a.entry_bytes), Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApart);
    return check.finish(accepted, pieces);
}

Status compute_take(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::int8_t* input = bound.inputs[0];
    const std::int8_t* indices = bound.inputs[1];
    std::int8_t* output = bound.output;
    const std::size_t table_bytes = static_cast<std::size_t>(a.entries) * a.entry_bytes;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        for (std::uint32_t i = 0U; i < a.outer; ++i) {
            for (std::uint32_t position = 0U; position < a.count; ++position) {
                const std::size_t entry = entry_of(indices, position, a.entries);
                std::memcpy(output, input + (entry * a.entry_bytes), a.entry_bytes);
                output += a.entry_bytes;
            }
            input += table_bytes;
        }
        indices += static_cast<std::size_t>(a.count) * sizeof(std::int32_t);
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
