// Whether bytes are a model's FlatBuffer.
#pragma once

#include <cstdint>

#include "pianola/span.h"

namespace pianola::tflite {

// Whether everything of the model format's subset that can be reached from the root is within `file`. Bounded in depth
// and in tables.
[[nodiscard]] bool is_model(Span<const std::uint8_t> file);

}  // namespace pianola::tflite
