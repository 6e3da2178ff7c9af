#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = PadArguments;

constexpr std::uint32_t kRank = 4U;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

[[nodiscard]] std::uint32_t padded_size(const Arguments& a, std::uint32_t axis) noexcept {
    return a.before[axis] + a.dims[axis] + a.after[axis];
}

// Writes the output from its first byte to its last.
class Writer {
  public:
    Writer(const Arguments& arguments, const BoundOperands& bound) noexcept
        : arguments_{arguments}, input_{bound.inputs[0]}, output_{bound.output} {}

    void pad(std::size_t elements) noexcept {
        if (arguments_.element_bytes == 1U) {
            std::memset(output_, arguments_.value, elements);
            output_ += elements;
            return;
        }
        for (std::size_t i = 0U; i < elements; ++i) {
            std::memcpy(output_, &arguments_.value, arguments_.element_bytes);
            output_ += arguments_.element_bytes;
        }
    }
    void copy(std::size_t elements) noexcept {
        const std::size_t size_bytes = elements * arguments_.element_bytes;
        std::memcpy(output_, input_, size_bytes);
        input_ += size_bytes;
        output_ += size_bytes;
    }

  private:
    const Arguments& arguments_;
    const std::int8_t* input_;
    std::int8_t* output_;
};

}  // namespace

Status describe_pad(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const bool accepted =
        check.operand(word_of(offsetof(Arguments, input)),
                      bounded_product(a.dims[0], a.dims[1], a.dims[2], a.dims[3], a.element_bytes), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)),
                      bounded_product(padded_size(a, 0U), padded_size(a, 1U), padded_size(a, 2U), padded_size(a, 3U),
                                      a.element_bytes),
                      Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApart);
    return check.finish(accepted, 0U);
}

Status compute_pad(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    // Elements of one step along each axis of the output.
    std::array<std::size_t, kRank> step{};
    step[3] = 1U;
    step[2] = padded_size(a, 3U);
    step[1] = step[2] * padded_size(a, 2U);
    step[0] = step[1] * padded_size(a, 1U);
    Writer writer{a, bound};
    writer.pad(a.before[0] * step[0]);
    for (std::uint32_t i = 0U; i < a.dims[0]; ++i) {
        writer.pad(a.before[1] * step[1]);
        for (std::uint32_t j = 0U; j < a.dims[1]; ++j) {
            writer.pad(a.before[2] * step[2]);
            for (std::uint32_t k = 0U; k < a.dims[2]; ++k) {
                writer.pad(a.before[3]);
                writer.copy(a.dims[3]);
                writer.pad(a.after[3]);
            }
            writer.pad(a.after[2] * step[2]);
        }
        writer.pad(a.after[1] * step[1]);
    }
    writer.pad(a.after[0] * step[0]);
    return Status::kOk;
}

}  // namespace pianola::refdev
