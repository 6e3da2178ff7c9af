#include "capture_host/tflite/model/element_type.h"

#include <array>
#include <cstddef>

namespace pianola::tflite {
namespace {

struct FormatType {
    const char* name{""};
    ElementType type{ElementType::kUnspecified};
};

// By number, as the published format has them.
constexpr std::array<FormatType, 18> kTypes{{{"float32", ElementType::kFloat32},
                                             {"float16"},
                                             {"int32", ElementType::kInt32},
                                             {"uint8", ElementType::kUint8},
                                             {"int64"},
                                             {"string"},
                                             {"bool", ElementType::kBool},
                                             {"int16", ElementType::kInt16},
                                             {"complex64"},
                                             {"int8", ElementType::kInt8},
                                             {"float64"},
                                             {"complex128"},
                                             {"uint64"},
                                             {"resource"},
                                             {"variant"},
                                             {"uint32"},
                                             {"uint16"},
                                             {"int4"}}};

bool is_known(std::int8_t type) {
    return (type >= 0) && (static_cast<std::size_t>(type) < kTypes.size());
}

}  // namespace

std::string type_name(std::int8_t type) {
    return is_known(type) ? kTypes.at(static_cast<std::size_t>(type)).name
                          : ("type " + std::to_string(static_cast<int>(type)));
}

ElementType element_type(std::int8_t type) {
    return is_known(type) ? kTypes.at(static_cast<std::size_t>(type)).type : ElementType::kUnspecified;
}

}  // namespace pianola::tflite
