// How the work of a launch is divided among invocations, and where its shader's code is.
//
// Place in the whole: what there is to say for each kernel besides its shader; kernel_pipelines.h is what others
// include. Code comes from the folder shaders while building.
#pragma once

#include <array>
#include <cstdint>

#include "hal/devices/refdev/kernels/kernel.h"
#include "pianola/span.h"

namespace pianola::vulkan {

inline constexpr std::uint32_t kInvocationsPerWorkgroup = 64U;

// SPIR-V by the shader's name; empty where there is none. O(shaders).
[[nodiscard]] WordSpan shader_code(const char* name) noexcept;

// A launch consists of pieces: the product of up to two argument words, or the bytes of what is written by
// `bytes_per_piece`. Shaders look for themselves where their work ends: a piece too many costs time only.
struct Division {
    refdev::KernelId id{refdev::KernelId::kUnspecified};
    std::uint32_t bytes_per_piece{0U};  // 0: pieces come from argument words
    std::array<std::uint32_t, 2> words{};
    std::uint32_t invocations_per_piece{1U};
};

// nullptr where there is none.
[[nodiscard]] const Division* find_division(std::uint32_t kernel_id) noexcept;

}  // namespace pianola::vulkan
