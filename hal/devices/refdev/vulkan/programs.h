// Division of a launch's work among invocations, and its shader's code.
//
// Properties of each kernel besides its shader; other code includes kernel_pipelines.h. The build compiles the code
// from the folder shaders.
#pragma once

#include <array>
#include <cstdint>

#include "hal/devices/refdev/kernels/kernel.h"
#include "pianola/span.h"

namespace pianola::vulkan {

inline constexpr std::uint32_t kInvocationsPerWorkgroup = 64U;

// SPIR-V by the shader's name; empty if there is none. O(shaders).
[[nodiscard]] WordSpan shader_code(const char* name) noexcept;

// A launch consists of pieces: the product of up to two argument words, or the written bytes divided by
// `bytes_per_piece`. Shaders check the end of their work themselves: superfluous pieces only cost time.
struct Division {
    refdev::KernelId id{refdev::KernelId::kUnspecified};
    std::uint32_t bytes_per_piece{0U};  // 0: pieces come from argument words
    std::array<std::uint32_t, 2> words{};
    std::uint32_t invocations_per_piece{1U};
};

// nullptr where there is none.
[[nodiscard]] const Division* find_division(std::uint32_t kernel_id) noexcept;

}  // namespace pianola::vulkan
