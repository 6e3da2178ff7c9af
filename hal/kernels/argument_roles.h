// Which argument words of each kernel are addresses, and which are values alone.
//
// Place in the whole: fills in Kernel::address_words and Kernel::value_words (kernel.h says what they promise) for the
// ROM. Neither list affects a launch; the tests prove the promise for every kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hal/kernels/arguments.h"

namespace pianola::refdev {

// Bit i for argument word i, from the members' offsets.
template <typename... Offsets>
[[nodiscard]] constexpr std::uint64_t words_at(Offsets... member_offsets) noexcept {
    return ((std::uint64_t{1} << word_of(member_offsets)) | ... | std::uint64_t{0});
}

struct ArgumentRoles {
    std::uint64_t address_words;
    std::uint64_t value_words;
};

// No structure has roles by default.
template <typename Arguments>
extern const ArgumentRoles kArgumentRoles;

template <>
inline constexpr ArgumentRoles kArgumentRoles<FullyConnectedArguments>{
    words_at(offsetof(FullyConnectedArguments, input), offsetof(FullyConnectedArguments, filter),
             offsetof(FullyConnectedArguments, channel_parameters), offsetof(FullyConnectedArguments, output)),
    words_at(offsetof(FullyConnectedArguments, input_offset), offsetof(FullyConnectedArguments, filter_offset),
             offsetof(FullyConnectedArguments, output_offset), offsetof(FullyConnectedArguments, activation_max)),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<Conv2dArguments>{
    words_at(offsetof(Conv2dArguments, input), offsetof(Conv2dArguments, filter),
             offsetof(Conv2dArguments, channel_parameters), offsetof(Conv2dArguments, output)),
    words_at(offsetof(Conv2dArguments, input_offset), offsetof(Conv2dArguments, output_offset),
             offsetof(Conv2dArguments, activation_max)),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<DepthwiseConv2dArguments>{
    words_at(offsetof(DepthwiseConv2dArguments, input), offsetof(DepthwiseConv2dArguments, filter),
             offsetof(DepthwiseConv2dArguments, channel_parameters), offsetof(DepthwiseConv2dArguments, output)),
    words_at(offsetof(DepthwiseConv2dArguments, input_offset), offsetof(DepthwiseConv2dArguments, output_offset),
             offsetof(DepthwiseConv2dArguments, activation_max)),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<Pool2dArguments>{
    words_at(offsetof(Pool2dArguments, input), offsetof(Pool2dArguments, output)),
    words_at(offsetof(Pool2dArguments, activation_max)),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<MeanArguments>{
    words_at(offsetof(MeanArguments, input), offsetof(MeanArguments, output)),
    words_at(offsetof(MeanArguments, input_zero_point), offsetof(MeanArguments, output_zero_point),
             offsetof(MeanArguments, multiplier), offsetof(MeanArguments, shift)),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<AddArguments>{
    words_at(offsetof(AddArguments, input1), offsetof(AddArguments, input2), offsetof(AddArguments, output)),
    words_at(offsetof(AddArguments, input1_offset), offsetof(AddArguments, input1_multiplier),
             offsetof(AddArguments, input1_shift), offsetof(AddArguments, input2_offset),
             offsetof(AddArguments, input2_multiplier), offsetof(AddArguments, input2_shift),
             offsetof(AddArguments, left_shift), offsetof(AddArguments, output_offset),
             offsetof(AddArguments, output_multiplier), offsetof(AddArguments, output_shift),
             offsetof(AddArguments, activation_max)),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<SoftmaxArguments>{
    words_at(offsetof(SoftmaxArguments, input), offsetof(SoftmaxArguments, output)),
    words_at(offsetof(SoftmaxArguments, input_multiplier), offsetof(SoftmaxArguments, input_left_shift),
             offsetof(SoftmaxArguments, diff_min)),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<RequantizeArguments>{
    words_at(offsetof(RequantizeArguments, input), offsetof(RequantizeArguments, output)),
    words_at(offsetof(RequantizeArguments, input_zero_point), offsetof(RequantizeArguments, multiplier),
             offsetof(RequantizeArguments, shift), offsetof(RequantizeArguments, output_zero_point)),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<PadArguments>{
    words_at(offsetof(PadArguments, input), offsetof(PadArguments, output)),
    words_at(offsetof(PadArguments, value)),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<CopyArguments>{
    words_at(offsetof(CopyArguments, source), offsetof(CopyArguments, destination)),
    words_at(),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<FillArguments>{
    words_at(offsetof(FillArguments, destination)),
    words_at(offsetof(FillArguments, pattern)),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<GatherArguments>{
    words_at(offsetof(GatherArguments, destination), offsetof(GatherArguments, segments),
             offsetof(GatherArguments, segments) + (1U * sizeof(GatherSegment)),
             offsetof(GatherArguments, segments) + (2U * sizeof(GatherSegment)),
             offsetof(GatherArguments, segments) + (3U * sizeof(GatherSegment))),
    words_at(),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<UnaryArguments>{
    words_at(offsetof(UnaryArguments, input), offsetof(UnaryArguments, output)),
    words_at(offsetof(UnaryArguments, scalar)),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<BinaryArguments>{
    words_at(offsetof(BinaryArguments, input1), offsetof(BinaryArguments, input2), offsetof(BinaryArguments, output)),
    words_at(),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<MatmulArguments>{
    words_at(offsetof(MatmulArguments, a), offsetof(MatmulArguments, b), offsetof(MatmulArguments, c)),
    words_at(),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<ReduceArguments>{
    words_at(offsetof(ReduceArguments, input), offsetof(ReduceArguments, output)),
    words_at(),
};

template <>
inline constexpr ArgumentRoles kArgumentRoles<SemaphoreArguments>{
    words_at(offsetof(SemaphoreArguments, address)),
    words_at(offsetof(SemaphoreArguments, value)),
};

}  // namespace pianola::refdev
