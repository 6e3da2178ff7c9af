#include "capture_host/tflite/model/element_type.h"

#include <array>
#include <cstddef>

namespace pianola::tflite {
namespace {

// By number, as the published format has them.
constexpr std::array<const char*, 18> kNames{"float32", "float16",  "int32",     "uint8",  "int64",   "string",
                                             "bool",    "int16",    "complex64", "int8",   "float64", "complex128",
                                             "uint64",  "resource", "variant",   "uint32", "uint16",  "int4"};

}  // namespace

std::string type_name(std::int8_t type) {
    if ((type < 0) || (static_cast<std::size_t>(type) >= kNames.size())) {
        return "type " + std::to_string(static_cast<int>(type));
    }
    return kNames.at(static_cast<std::size_t>(type));
}

std::uint32_t element_bytes(std::int8_t type) {
    switch (type) {
        case kTypeUint8:
        case kTypeBool:
        case kTypeInt8:
            return 1U;
        case kTypeInt16:
            return 2U;
        case kTypeFloat32:
        case kTypeInt32:
            return 4U;
        default:
            return 0U;
    }
}

}  // namespace pianola::tflite
