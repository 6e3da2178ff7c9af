// Names of TensorFlow Lite's builtin operators.
//
// Place in the whole: messages only. The importer names whatever it meets, supported or not.
#pragma once

#include <cstdint>
#include <string>

namespace pianola::tflite {

// "CONV_2D" for 3; "BUILTIN_999" for a number that the published format does not define.
[[nodiscard]] std::string operator_name(std::int32_t builtin_code);

}  // namespace pianola::tflite
