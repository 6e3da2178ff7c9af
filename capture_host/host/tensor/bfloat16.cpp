#include "capture_host/host/tensor/bfloat16.h"

namespace pianola::tensor {
namespace {

template <typename From, typename To, typename Convert>
[[nodiscard]] std::vector<std::uint8_t> converted(ByteSpan from, const Convert& convert) {
    const std::size_t count = from.size() / sizeof(From);
    std::vector<std::uint8_t> result(count * sizeof(To));
    for (std::size_t i = 0U; i < count; ++i) {
        From number{};
        std::memcpy(&number, from.data() + (i * sizeof(From)), sizeof(From));
        const To other = convert(number);
        std::memcpy(result.data() + (i * sizeof(To)), &other, sizeof(To));
    }
    return result;
}

}  // namespace

std::vector<std::uint8_t> bfloat16_from_float32(ByteSpan floats) {
    return converted<float, std::uint16_t>(floats, to_bfloat16);
}

std::vector<std::uint8_t> float32_from_bfloat16(ByteSpan halves) {
    return converted<std::uint16_t, float>(halves, from_bfloat16);
}

}  // namespace pianola::tensor
