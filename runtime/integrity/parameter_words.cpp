#include "runtime/integrity/parameter_words.h"

#include <cstring>

namespace pianola {

bool take_out_parameters(const Plan& plan, const ParameterValues& values, std::uint32_t address, ByteSpan file,
                         MutableByteSpan held) noexcept {
    constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
    bool is_right = true;
    for (std::uint32_t i = 0U; i < plan.parameter_count; ++i) {
        const PlannedParameter& parameter = plan.parameters[i];
        for (std::uint32_t k = 0U; values.is_set[i] && (k < parameter.point_count); ++k) {
            const std::uint32_t place = plan.patch_addresses[parameter.first_point + k] - address;
            // Words and chunks are aligned, so that a word is in one chunk.
            if (held.contains(place, kWordBytes)) {
                if (std::memcmp(&held[place], &values.value[i], kWordBytes) != 0) {
                    is_right = false;
                }
                std::memcpy(&held[place], &file[place], kWordBytes);
            }
        }
    }
    return is_right;
}

}  // namespace pianola
