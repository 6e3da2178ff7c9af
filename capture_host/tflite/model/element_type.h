// Element types of TensorFlow Lite tensors.
#pragma once

#include <cstdint>
#include <string>

#include "pianola/image.h"

namespace pianola::tflite {

// By their number in the format.
inline constexpr std::int8_t kTypeFloat32 = 0;
inline constexpr std::int8_t kTypeInt32 = 2;
inline constexpr std::int8_t kTypeUint8 = 3;
inline constexpr std::int8_t kTypeInt64 = 4;
inline constexpr std::int8_t kTypeBool = 6;
inline constexpr std::int8_t kTypeInt16 = 7;
inline constexpr std::int8_t kTypeInt8 = 9;
inline constexpr std::int8_t kTypeResource = 13;  // of handles, which have no bytes on the device

// "int8" for 9; "type 99" for a number that the published format does not define.
[[nodiscard]] std::string type_name(std::int8_t type);

// kUnspecified for types that the importer knows by name only.
[[nodiscard]] ElementType element_type(std::int8_t type);

}  // namespace pianola::tflite
